import type { PlainTable } from '../../pipeline/output/plain-table.js'

/** What to type, as people read it behind the sheet that they fill in. */
const lines: readonly (readonly [what: string, meaning: string])[] = [
  ['1 to 5', 'It is this candidate.'],
  ['yes', 'It is the only candidate.'],
  ['none', 'It is none of the companies that are known.'],
  ['the id of a company (siq_…)', 'It is this company, which need not be among the candidates.'],
  ['nothing', 'Undecided: the lookup stays in the queue.'],
  ['note', 'Anything, for those who read the decision later.'],
  [
    'what may be changed',
    'Sort and delete rows, move, hide and add columns. The headers, lookup, name, the ids of the candidates and lookup again have to stay as they are; sort all columns together.',
  ],
  [
    'then',
    'Save the file as .xlsx or .csv and run: enrich review FILE --import todo.xlsx. Either all verdicts are taken or, where one is wrong, none.',
  ],
]

export const instructions: Omit<PlainTable, 'notes'> = {
  name: 'how to fill in',
  columns: [
    { name: 'in the column verdict', kind: 'text' },
    { name: 'means', kind: 'text' },
  ],
  rows: [lines],
}

import { candidatesMax } from '../../pipeline/rules/candidate.js'
import type { PlainColumn, PlainRow } from '../../pipeline/output/plain-table.js'
import type { CandidateView, QueueRow } from '../page-data.js'

/** What a spreadsheet shows of a candidate. */
type TodoCandidate = Pick<CandidateView, 'entityId' | 'name' | 'legalName' | 'place' | 'confidence' | 'url'>

/** A lookup to be settled in a spreadsheet. */
export interface TodoLine {
  readonly row: QueueRow
  /** Why it is doubtful, in plain sentences. */
  readonly why: string
  /** The likeliest first. */
  readonly candidates: readonly TodoCandidate[]
}

interface TodoColumn<Found> extends PlainColumn {
  readonly of: (found: Found) => string | number | null
}

/** Where people type stands before the candidates: it stays beside the name that it is about. */
const lookupColumns = [
  { name: 'lookup', kind: 'text', of: ({ row }) => row.lookup },
  { name: 'rows', kind: 'integer', of: ({ row }) => row.rowCount },
  { name: 'name', kind: 'text', of: ({ row }) => row.name },
  { name: 'location', kind: 'text', of: ({ row }) => row.location },
  { name: 'status', kind: 'text', of: ({ row }) => row.status },
  { name: 'confidence', kind: 'integer', of: ({ row }) => row.confidence },
  { name: 'why', kind: 'text', of: ({ why }) => why },
  { name: 'verdict', kind: 'text', of: () => null },
  { name: 'note', kind: 'text', of: () => null },
] as const satisfies readonly TodoColumn<TodoLine>[]

const candidateColumns = [
  { name: '', kind: 'text', of: ({ name, legalName }) => name ?? legalName },
  { name: ' legal name', kind: 'text', of: ({ legalName }) => legalName },
  { name: ' place', kind: 'text', of: ({ place }) => place },
  { name: ' id', kind: 'text', of: ({ entityId }) => entityId },
  { name: ' confidence', kind: 'integer', of: ({ confidence }) => confidence },
  { name: ' link', kind: 'text', of: ({ url }) => url },
] as const satisfies readonly TodoColumn<TodoCandidate>[]

export type TodoColumnName = (typeof lookupColumns)[number]['name'] | (typeof lastColumn)['name']
export type CandidatePart = (typeof candidateColumns)[number]['name']

/** The lookup once more, behind all else: where it is another one, some of the columns were sorted without the others. */
const lastColumn = {
  name: 'lookup again',
  kind: 'text',
  of: ({ row }) => row.lookup,
} as const satisfies TodoColumn<TodoLine>

/** Numbered from 1, as people type it. */
export const candidateColumn = (number: number, part: CandidatePart): string => `candidate ${number}${part}`

export const candidateNumbers: readonly number[] = Array.from({ length: candidatesMax }, (_, at) => at + 1)

/** The columns of a file of doubtful lookups, in their order. */
export const todoColumns: readonly PlainColumn[] = [
  ...lookupColumns.map(({ name, kind }) => ({ name, kind })),
  ...candidateNumbers.flatMap((number) =>
    candidateColumns.map(({ name, kind }) => ({ name: candidateColumn(number, name), kind })),
  ),
  { name: lastColumn.name, kind: lastColumn.kind },
]

export function todoRow(line: TodoLine): PlainRow {
  return [
    ...lookupColumns.map(({ of }) => of(line)),
    ...candidateNumbers.flatMap((number) => {
      const candidate = line.candidates[number - 1]
      return candidateColumns.map(({ of }) => (candidate === undefined ? null : of(candidate)))
    }),
    lastColumn.of(line),
  ]
}

import { UserError } from '../../core/errors.js'
import { tableLimits } from '../../tables/limits.js'
import { tooManyColumns } from '../../tables/strict-records.js'

/** Gives cells without a name one, and refuses a header in which two columns bear the same name. */
export function namedHeader(cells: readonly string[], label: string): readonly string[] {
  if (cells.length > tableLimits.columnsMax) throw tooManyColumns(`the header of ${label}`)
  const taken = new Set(cells)
  const names = cells.map((cell, index) => (cell === '' ? freeName(index + 1, taken) : cell))
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const name of names) (seen.has(name) ? twice : seen).add(name)
  if (twice.size > 0) {
    const list = [...twice].slice(0, 10).map((name) => JSON.stringify(name))
    throw new UserError('INPUT_COLUMNS_DUPLICATE', `${label} has several columns named ${list.join(', ')}`, {
      hint: 'rename them in the header, so that each column has a name of its own',
    })
  }
  return names
}

/** `column_7` for the seventh position, or `column_7_2` and so on where that is taken. */
export function freeName(position: number, taken: Set<string>): string {
  let name = `column_${position}`
  for (let count = 2; taken.has(name); count++) name = `column_${position}_${count}`
  taken.add(name)
  return name
}

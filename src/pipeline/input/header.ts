import { UserError } from '../../core/errors.js'
import { tableLimits } from '../../tables/limits.js'
import { createTooManyColumnsError } from '../../tables/file-error.js'

/** A header cell and its position, counted from 0. */
export interface HeaderCell {
  readonly text: string
  readonly position: number
}

/** Names cells without text. Throws INPUT_COLUMNS_DUPLICATE for equal names, and INPUT_COLUMNS_TOO_MANY. */
export function nameColumns(cells: readonly HeaderCell[], label: string): readonly string[] {
  if (cells.length > tableLimits.columnsMax) throw createTooManyColumnsError(`the header of ${label}`)
  const taken = new Set(cells.map(({ text }) => text))
  const names = cells.map(({ text, position }) => (text === '' ? findFreeName(position + 1, taken) : text))
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const name of names) (seen.has(name) ? twice : seen).add(name)
  if (twice.size > 0) {
    const list = [...twice].slice(0, 10).map((name) => JSON.stringify(name))
    throw new UserError('INPUT_COLUMNS_DUPLICATE', `${label} has several columns named ${list.join(', ')}`, {
      hint: 'rename them in the header, so that all column names differ',
    })
  }
  return names
}

/** Returns `column_7` for the seventh position, or `column_7_2` and so on if that name is taken. */
export function findFreeName(position: number, taken: Set<string>): string {
  let name = `column_${position}`
  for (let count = 2; taken.has(name); count++) name = `column_${position}_${count}`
  taken.add(name)
  return name
}

/** Returns the index of a column and adds the column if it is new. */
export function findOrAddColumn(columns: Map<string, number>, name: string): number {
  const known = columns.get(name)
  if (known !== undefined) return known
  columns.set(name, columns.size)
  return columns.size - 1
}

export function createMissingColumnError(name: string): UserError {
  return new UserError('INPUT_COLUMN_MISSING', `the input has no column ${JSON.stringify(name)}`)
}

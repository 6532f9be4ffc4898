import { findCountryCode } from '../../core/countries.js'
import { parsePlaceHeader } from '../../core/header-words.js'
import { toFilledCell } from './column-content.js'
import { listLookupColumns, type LookupColumns } from './columns.js'

type Cells = readonly (string | null)[]

/** Whether a cell below the header of a country, or the end of a whole place, has one. */
export const hasCountry = (columns: readonly string[], cells: Cells): boolean =>
  cells.some((raw, at) => {
    const cell = toFilledCell(raw ?? '')
    if (cell === null) return false
    const part = parsePlaceHeader(columns[at] ?? '')?.part
    const end = cell.slice(cell.lastIndexOf(',') + 1).trim()
    return part === 'country' || (part === undefined && findCountryCode(end) !== null)
  })

/** Whether a row, with its cells in the order of `listLookupColumns`, states a country in its place or for its number. */
export function statesCountry(columns: LookupColumns, row: Cells): boolean {
  const start = columns.name === null ? 0 : 1
  if (hasCountry(columns.location, row.slice(start, start + columns.location.length))) return true
  const { registration_country: column } = columns.identifiers
  return column !== undefined && toFilledCell(row[listLookupColumns(columns).indexOf(column)] ?? '') !== null
}

import { unreachable } from '../../core/errors.js'
import { xlsxLimits } from '../../tables/limits.js'
import { dayCell } from '../../tables/xlsx/cell.js'
import type { WrittenCell } from '../../tables/xlsx/write/written-row.js'
import type { OutputColumn } from '../rules/columns.js'
import { sliceLine } from '../rules/joined-line.js'
import { basisFileColumns, jsonOf, textOf, type BasisCells } from './answer-cells.js'

/** The answer's cells of a row of a sheet: numbers, instants and booleans as what they are, all else as text. */
export function xlsxCells(line: string, columns: readonly OutputColumn[]): WrittenCell[] {
  const values = sliceLine(line)
  return columns.map(({ name, kind }): WrittenCell => {
    const json = jsonOf(values, name)
    if (json === 'null') return null
    switch (kind) {
      case 'text':
        return linkedText(textOf(json) ?? '')
      case 'timestamp':
        return instantCell(textOf(json) ?? '')
      case 'integer':
      case 'large_integer':
        return { kind: 'number', value: json, format: 0 }
      case 'boolean':
        return { kind: 'boolean', value: json === 'true' }
      case 'factors':
      case 'actions':
      case 'candidates':
      case 'basis':
      case 'texts':
      case 'chain':
        return listCell(json)
      default:
        return unreachable(kind)
    }
  })
}

/** A row of the sheet of the basis. */
export function xlsxBasisRow(cells: BasisCells): WrittenCell[] {
  return cells.map((text, index): WrittenCell => {
    const column = basisFileColumns[index]
    if (text === null || text === '') return null
    if (column === 'row_number' || column === 'authority_tier')
      return { kind: 'number', value: text, format: 0 }
    return linkedText(text)
  })
}

/** In UTC, to the second, as in CSV. */
function instantCell(text: string): WrittenCell {
  return dayCell(text.replace(/(:\d\d)\.\d+Z$/, '$1Z'))
}

/** Excel takes no longer addresses. */
const urlCharsMax = 2_000

/** A text of ours, with its address behind it where it is one. */
export function linkedText(whole: string): WrittenCell {
  const text = cut(whole)
  if (text.length > urlCharsMax || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return text
  return { kind: 'link', text, url: new URL(text).href }
}

/** A text of ours, or a name in the basis, that Excel would not take. */
function cut(text: string): string {
  return text.length <= xlsxLimits.cellCharsMax ? text : `${text.slice(0, xlsxLimits.cellCharsMax - 1)}…`
}

/** A list as JSON, with as many of its entries as a cell holds; the last one says how many are left out. */
function listCell(json: string): string {
  if (json.length <= xlsxLimits.cellCharsMax) return json
  const list = JSON.parse(json) as unknown[]
  const entries = list.map((entry) => JSON.stringify(entry))
  const note = (count: number) => {
    const text = `"${count} more in Parquet and NDJSON"`
    return typeof list[0] === 'string' ? text : `{"description":${text}}`
  }
  let length = note(entries.length).length + 2
  const kept = entries.filter((entry) => (length += entry.length + 1) <= xlsxLimits.cellCharsMax)
  return `[${[...kept, note(entries.length - kept.length)].join(',')}]`
}

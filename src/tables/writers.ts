import { stringify } from 'csv-stringify/sync'
import { toDayCell, type WrittenCell } from './xlsx/cells.js'
import type { WorkbookWriter } from './xlsx/workbook-writer.js'

export type { WrittenCell } from './xlsx/cells.js'
export { Packer } from './bytes.js'

/** Opens an .xlsx file for writing: its sheets are packed in `folder`, which is created. See `WorkbookWriter`. */
export async function openWorkbook(folder: string): Promise<WorkbookWriter> {
  return new (await import('./xlsx/workbook-writer.js')).WorkbookWriter(folder)
}

interface CsvTarget {
  readonly path: string
  /** The table that the rows come from. */
  readonly input: { readonly delimiter: string | null; readonly files: readonly { readonly label: string }[] }
  /** Whether the file starts with a byte order mark, by which spreadsheets detect UTF-8. */
  readonly bom: boolean
}

/**
 * Chooses the delimiter: that of the input, so that the same programs can read the output, except that .tsv files have
 * tabs, and .csv files made from .tsv have commas. A table that is only about a list, without files, has commas or its
 * semicolons: spreadsheets split a .csv at no other delimiter.
 */
function chooseDelimiter({ path, input }: CsvTarget): string {
  if (isTsv(path)) return '\t'
  if (input.files.length === 0) return input.delimiter === ';' ? ';' : ','
  const isTurned = /\.csv(\.gz)?$/i.test(path) && input.files.some(({ label }) => isTsv(label))
  return isTurned ? ',' : (input.delimiter ?? ',')
}

function isTsv(path: string): boolean {
  return /\.tsv(\.gz|\.zst)?$/i.test(path)
}

/** `null` is an empty cell. */
type CsvRow = readonly (string | null)[]

/**
 * Opens a CSV file and writes its header. Rows are added in order.
 *
 *     const csv = await openCsvSink(out, ['id', 'name'], { path: 'out.csv', input, bom: false })
 *     await csv.add([['1', 'ACME GmbH']])
 */
export async function openCsvSink(
  out: { write(text: string): Promise<void> },
  header: readonly string[],
  target: CsvTarget,
): Promise<{ add(rows: readonly CsvRow[]): Promise<void> }> {
  const delimiter = chooseDelimiter(target)
  await out.write((target.bom ? '\ufeff' : '') + formatCsv([header], delimiter))
  return { add: (rows) => out.write(formatCsv(rows, delimiter)) }
}

/**
 * Formats rows as CSV text, each with a line feed. Quotes a lone carriage return, which readers take for a line end,
 * and a byte order mark, which they drop.
 */
export function formatCsv(rows: readonly CsvRow[], delimiter = ','): string {
  return stringify(rows as (string | null)[][], {
    delimiter,
    record_delimiter: '\n',
    quoted_match: /[\r\ufeff]/,
  })
}

/** Significant digits that Excel keeps: 15 of an exact number; all 17 of a double. */
const digits = { exactMax: 15, doubleMax: 17 } as const

/** Excel has no larger numbers, and reads smaller ones as 0. */
const excelNumbers = { max: 9.99999999999999e307, min: 2.2250738585072014e-308 } as const

/** Returns a number if Excel keeps every digit, else the text. */
function toNumberCell(text: string, digitsMax: number): WrittenCell {
  const [, figures = ''] = /^-?(\d+(?:\.\d+)?)(?:[eE][+-]?\d+)?$/.exec(text) ?? []
  const significant = figures.replace('.', '').replace(/^0+/, '')
  const size = Math.abs(Number(text))
  const isInRange = size <= excelNumbers.max && (size >= excelNumbers.min || significant === '')
  // Excel has no -0.
  const isKept =
    figures !== '' && significant.length <= digitsMax && isInRange && !Object.is(Number(text), -0)
  return isKept ? { kind: 'number', value: text, format: 0 } : text
}

/**
 * Converts the text of a value of an SQL type to a cell. Numbers with more digits than Excel keeps stay text, and so do
 * instants with a time zone: Excel has no time zones.
 */
export function toSqlCell(text: string | null, type: string): WrittenCell {
  if (text === null) return null
  if (/^(?:FLOAT|DOUBLE)$/.test(type)) return toNumberCell(text, digits.doubleMax)
  if (/^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(.*\))$/.test(type))
    return toNumberCell(text, digits.exactMax)
  if (type === 'BOOLEAN') return { kind: 'boolean', value: text === 'true' }
  return /^(?:DATE|TIMESTAMP(?:_S|_MS)?)$/.test(type) ? toDayCell(text) : text
}

/** Converts a JSON value, given as JSON text and as plain text, to a cell. */
export function toJsonCell(raw: string, text: string | null): WrittenCell {
  if (raw === 'true' || raw === 'false') return { kind: 'boolean', value: raw === 'true' }
  if (text === null || !/^[-\d]/.test(raw)) return text
  return toSqlCell(text, /[.eE]/.test(raw) ? 'DOUBLE' : 'BIGINT')
}

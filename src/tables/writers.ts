import { stringify } from 'csv-stringify/sync'
import type { WorkbookWriter } from './xlsx/workbook-writer.js'

export { toDayCell, type WrittenCell } from './xlsx/cells.js'
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
 * tabs, and .csv files made from .tsv have commas.
 */
function chooseDelimiter({ path, input }: CsvTarget): string {
  if (isTsv(path)) return '\t'
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

import { stringify } from 'csv-stringify/sync'

/** Format of a CSV file to write. */
export interface CsvStyle {
  readonly delimiter: string
  /** Whether it starts with a byte order mark, by which spreadsheets detect UTF-8. */
  readonly bom: boolean
}

/**
 * Chooses the delimiter: that of the input, so that the same programs can read the output, except that .tsv files have
 * tabs, and .csv files made from .tsv have commas.
 */
export function chooseCsvStyle(
  path: string,
  input: { readonly delimiter: string | null; readonly files: readonly { readonly label: string }[] },
  bom: boolean,
): CsvStyle {
  if (isTsv(path)) return { delimiter: '\t', bom }
  const isTurned = /\.csv(\.gz)?$/i.test(path) && input.files.some(({ label }) => isTsv(label))
  return { delimiter: isTurned ? ',' : (input.delimiter ?? ','), bom }
}

function isTsv(path: string): boolean {
  return /\.tsv(\.gz|\.zst)?$/i.test(path)
}

/** `null` is an empty cell. */
export type CsvRow = readonly (string | null)[]

/** Destination for the rows of a table, in order. */
export interface TableSink<Row> {
  add(rows: readonly Row[]): Promise<void>
}

/** Opens a CSV file and writes its header. */
export async function openCsvSink(
  out: { write(text: string): Promise<void> },
  header: readonly string[],
  { delimiter, bom }: CsvStyle,
): Promise<TableSink<CsvRow>> {
  await out.write((bom ? '\ufeff' : '') + formatCsv([header], delimiter))
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

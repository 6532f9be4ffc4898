import { stringify } from 'csv-stringify/sync'

/** How a CSV file is written. */
export interface CsvStyle {
  readonly delimiter: string
  /** A byte order mark in front, by which spreadsheets know UTF-8. */
  readonly bom: boolean
}

/**
 * A CSV has the delimiter of the input, so that what read the one reads the other, unless names tell otherwise:
 * a .tsv has tabs, and what a .tsv is turned into, as a .csv, has commas.
 */
export function csvStyleOf(
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

/** Null is an empty cell. */
export type CsvRow = readonly (string | null)[]

/** Takes the rows of a table, in order. */
export interface TableSink<Row> {
  add(rows: readonly Row[]): Promise<void>
}

/** A CSV whose header is written at once. */
export async function openCsvSink(
  out: { write(text: string): Promise<void> },
  header: readonly string[],
  { delimiter, bom }: CsvStyle,
): Promise<TableSink<CsvRow>> {
  await out.write((bom ? '\ufeff' : '') + csvText([header], delimiter))
  return { add: (rows) => out.write(csvText(rows, delimiter)) }
}

/**
 * Rows as CSV text, each ending with a line feed. A lone carriage return is quoted, because readers take it for a
 * line end, and so is a byte order mark, because they drop it.
 */
export function csvText(rows: readonly CsvRow[], delimiter = ','): string {
  return stringify(rows as (string | null)[][], {
    delimiter,
    record_delimiter: '\n',
    quoted_match: /[\r\ufeff]/,
  })
}

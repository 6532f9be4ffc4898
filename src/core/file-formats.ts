export type InputFormat = 'csv' | 'parquet' | 'ndjson' | 'json' | 'xlsx'

const extensions: Readonly<Record<string, InputFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  parquet: 'parquet',
  pq: 'parquet',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  // Accepted here because the reader detects them by content and rejects them with their name.
  xls: 'xlsx',
  xlsb: 'xlsx',
  ods: 'xlsx',
  numbers: 'xlsx',
}

/** Formats whose files may be compressed as a whole (.gz, .zst). */
const textFormats: ReadonlySet<InputFormat> = new Set(['csv', 'ndjson', 'json'])

/** Returns the format for a file name, or `null` if the extension is unknown. */
export function formatOfPath(path: string): InputFormat | null {
  const match = /\.([a-z]+)(\.gz|\.zst)?$/.exec(path.toLowerCase())
  const format = extensions[match?.[1] ?? ''] ?? null
  return match?.[2] === undefined || (format !== null && textFormats.has(format)) ? format : null
}

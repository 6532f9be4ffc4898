import { UserError } from './errors.js'

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

/**
 * Encodings that the user can name. `latin1` means windows-1252, as in practice; `utf-8+windows-1252` reads lines that
 * are not UTF-8 as windows-1252.
 */
export const encodingNames = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'latin1',
  'utf-8+windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-5',
  'iso-8859-7',
  'iso-8859-15',
  'koi8-r',
  'koi8-u',
  'macintosh',
  'shift_jis',
  'euc-jp',
  'gbk',
  'gb18030',
  'big5',
  'euc-kr',
] as const
export type Encoding = (typeof encodingNames)[number]

/** Lists the encodings between which detection could not decide, most likely first; empty for other errors. */
export const listPossibleEncodings = (error: unknown): readonly Encoding[] =>
  error instanceof UserError && error.code === 'INPUT_ENCODING_UNSURE' && Array.isArray(error.cause)
    ? (error.cause as readonly Encoding[])
    : []

/** Encodings in which the bytes of line ends never belong to another character. */
export type LegacyEncoding = Exclude<Encoding, 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-8+windows-1252'>

const severalBytes: ReadonlySet<string> = new Set(['shift_jis', 'euc-jp', 'gbk', 'gb18030', 'big5', 'euc-kr'])

export function isMultiByte(encoding: string): boolean {
  return severalBytes.has(encoding)
}

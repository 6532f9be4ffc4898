import { UserError } from '../core/errors.js'
import { describeFileError } from '../platform/files.js'

// Common to all tables before they are read: limits, errors of files, and files that are no tables.

/** All limits of reading tables. The last word of a name is its unit. */
export const tableLimits = {
  columnsMax: 10_000,
  recordBytesMax: 16 * 1024 * 1024,
  chunkBytes: 128 * 1024,
  /** Bytes in which a byte order mark, and the NULs of UTF-16, are searched for. */
  encodingHeadBytes: 4096,
  /** Size of the text from which the delimiter is detected. */
  delimiterSampleChars: 256 * 1024,
  delimiterSampleRecords: 50,
  jsonDepthMax: 200,
  /** zstd's default limit for decoders. */
  zstdWindowBytesMax: 128 * 1024 * 1024,
  /** Longest record of a register; a longer one has a quote that is never closed. */
  scannedRecordCharsMax: 1_000_000,
  scannedColumnsMax: 2_000,
  zipMembersMax: 5_000_000,
  /** Members of a zip that is opened as a whole: the parts of a workbook. */
  zipPartsMax: 100_000,
  /** Deflate reaches at most 1032, registers 10 to 40. Small files may exceed the limit. */
  zipRatioMax: 200,
  zipSmallBytes: 50_000_000,
  zipMembersNamedMax: 5,
  /** Limit of a written zip and of each of its files; more requires an extension of the format. */
  zipBytesMax: 2 ** 32 - 1,
  /** Characters that are compressed at once. */
  packedChars: 256 * 1024,
} as const

/** All limits of reading and writing Excel files. */
export const xlsxLimits = {
  /** Limit of Excel. */
  rowsMax: 1_048_576,
  columnsMax: 16_384,
  sheetsMax: 10_000,
  mergesMax: 100_000,
  /** Excel allows 32,767 characters a cell; other programs write more. */
  charsBetweenTagsMax: 8 * 1024 * 1024,
  sharedStringCharsMax: 256 * 1024 * 1024,
  /** Limit of Excel, also for writing. */
  cellCharsMax: 32_767,
  linksMax: 65_530,
  formatsMax: 60_000,
  /** A larger sheet continues in another one. */
  sheetBytesMax: 3 * 1024 ** 3,
  /** From this value on, 64-bit numbers have lost digits. */
  exactNumberMax: 1e15,
} as const

/** Describes a defect of a compressed stream. The caller adds the file's name. */
export class CompressionError extends Error {}

/**
 * Explains an error of a file to the user. Returns other errors unchanged.
 *
 *     await stat(path).catch((error: unknown) => { throw toFileError(error, path) })
 */
export function toFileError(error: unknown, label: string): unknown {
  if (error instanceof UserError) return error
  if (error instanceof CompressionError) return createCorruptFileError(label, error.message, error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') {
    return new UserError('INPUT_NOT_FOUND', `there is no file ${label}`, { cause: error })
  }
  if (code === 'EISDIR') return new UserError('INPUT_IS_FOLDER', `${label} is a folder`, { cause: error })
  if (code.startsWith('Z_'))
    return createCorruptFileError(label, describeZlibFault(code, (error as Error).message), error)
  if (!code.startsWith('E')) return error
  return new UserError('INPUT_UNREADABLE', `${label} cannot be read: ${describeFileError(code)}`, {
    hint: code === 'EACCES' ? 'check the permissions of the file' : 'check the file and its disk',
    cause: error,
  })
}

function describeZlibFault(code: string, message: string): string {
  if (code === 'Z_BUF_ERROR') return 'it ends in the middle'
  const check = /incorrect (header|data|length) check/.exec(message)?.[1]
  if (check === 'header') return 'it is not compressed as its name says'
  if (check === 'data') return 'its checksum does not match its content'
  return check === 'length' ? 'its length does not match its content' : 'its data is damaged'
}

function createCorruptFileError(label: string, reason: string, cause: unknown): UserError {
  return new UserError('INPUT_COMPRESSION_CORRUPT', `${label} cannot be decompressed: ${reason}`, {
    hint: 'the file is truncated or damaged: create or download it again',
    cause,
  })
}

export function createEmptyFileError(label: string): UserError {
  return new UserError('INPUT_EMPTY', `${label} is empty`, { hint: 'it needs a header line and rows' })
}

export function createTooManyColumnsError(where: string): UserError {
  return new UserError('INPUT_COLUMNS_TOO_MANY', `more than ${tableLimits.columnsMax} columns in ${where}`, {
    hint: 'check the delimiter (--delimiter), and that the file is a table',
  })
}

/** Creates the error for a text too long for a cell. `rowNumber`: below the header, from 1; 0: the header. */
export function createCellTooLongError(column: string, rowNumber: number, charCount: number): UserError {
  const name = JSON.stringify(column.length > 100 ? `${column.slice(0, 100)}…` : column)
  return createUnfitError(
    `column ${name}, ${rowNumber === 0 ? 'its name' : `row ${rowNumber}`}: ${charCount} characters exceed the ${xlsxLimits.cellCharsMax} of an Excel cell`,
  )
}

export function createUnfitError(reason: string): UserError {
  return new UserError('OUTPUT_COLUMN_UNFIT', reason, {
    hint: 'write CSV, NDJSON or Parquet, which have no such limit',
  })
}

/** A kind of file that is not a table of text. */
type ContentKind = keyof typeof contentKinds

/** Each kind in words, and what to do with such a file. */
export const contentKinds = {
  html: {
    text: 'a page of HTML',
    hint: 'if a program exported a table so, open it in a spreadsheet and save it as .xlsx or CSV; if it is a login or an error page, download the table again',
  },
  xml: { text: 'an XML document', hint: 'save the data as CSV, NDJSON, Parquet or Excel' },
  pdf: { text: 'a PDF document', hint: 'save the data as CSV, NDJSON, Parquet or Excel' },
  zip: { text: 'a zip archive', hint: 'unpack it, and pass the files in it' },
  xlsx: { text: 'an Excel workbook', hint: 'pass --input-format xlsx, or name it .xlsx' },
  ods: { text: 'an OpenDocument spreadsheet', hint: 'save it as .xlsx or CSV' },
  oldWorkbook: {
    text: 'an old or encrypted Excel workbook',
    hint: 'save it as .xlsx or CSV, without a password',
  },
  parquet: { text: 'a Parquet file', hint: 'pass --input-format parquet, or name it .parquet' },
  archive: { text: 'an archive', hint: 'unpack it, and pass the files in it' },
  unknown: {
    text: 'of an unknown format: its name has no known extension',
    hint: 'pass --input-format csv, parquet, ndjson, json or xlsx; known extensions are .csv .tsv .txt .parquet .pq .ndjson .jsonl .json .xlsx .xlsm',
  },
  sqlite: {
    text: 'an SQLite database',
    hint: 'pass it as an address, like sqlite:FILE#table',
  },
} as const

const htmlStart =
  /^(?:\s|<!--[^]*?-->|<\?xml[^]*?\?>)*<(?:!doctype\s+html|html|head|body|title|meta|script|style|div|table|h[1-6]|p)[\s/>]/i

const startBytes = 8 * 1024

/** Detects the kind of a file by its first bytes, decompressed; `null` if they may be a table of text. */
export async function detectContent(file: {
  readonly bytes: () => AsyncIterable<Buffer>
}): Promise<ContentKind | null> {
  for await (const chunk of file.bytes()) return detectKind(chunk.subarray(0, startBytes))
  return null
}

function detectKind(start: Buffer): ContentKind | null {
  const marks = start.toString('latin1')
  if (marks.startsWith('PK\x03\x04') || marks.startsWith('PK\x05\x06')) {
    if (marks.includes('application/vnd.oasis.opendocument.spreadsheet')) return 'ods'
    return /\[Content_Types\]\.xml|_rels\/\.rels|xl\//.test(marks) ? 'xlsx' : 'zip'
  }
  if (marks.startsWith('PAR1')) return 'parquet'
  if (marks.startsWith('%PDF-')) return 'pdf'
  if (marks.startsWith('SQLite format 3\0')) return 'sqlite'
  if (marks.startsWith('\xd0\xcf\x11\xe0')) return 'oldWorkbook'
  const text = start.toString(marks.startsWith('\xff\xfe') ? 'utf16le' : 'utf8').replace(/^\ufeff/, '')
  if (htmlStart.test(text)) return 'html'
  return /^\s*<\?xml\s/i.test(text) ? 'xml' : null
}

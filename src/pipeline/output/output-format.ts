import { UserError } from '../../core/errors.js'
import { formatOfPath } from '../input/input.js'

export type OutputFormat = 'csv' | 'parquet' | 'ndjson' | 'xlsx'

/** As it is asked for: with what packs it. */
export type AskedFormat = OutputFormat | 'csv.gz' | 'ndjson.gz'

export interface OutputForm {
  readonly format: OutputFormat
  /** The whole is gzipped. */
  readonly isPacked: boolean
}

/** Formats of text, which may be gzipped; the others are compressed in themselves. */
const packable: ReadonlySet<OutputFormat> = new Set(['csv', 'ndjson'])

/** The format that was asked for, else the one the name stands for. Throws OUTPUT_FORMAT_UNKNOWN. */
export function outputFormOf(path: string, asked?: AskedFormat): OutputForm {
  const [, packing] = /\.(gz|zst)$/i.exec(path) ?? []
  const format = asked === undefined ? writtenFormat(path) : (asked.replace('.gz', '') as OutputFormat)
  if (packing?.toLowerCase() === 'zst') throw unknown(`${path}: outputs are not packed with zstd`)
  if (format === null) {
    throw unknown(
      path === '-'
        ? 'standard output has no name to tell its format by'
        : `the name of ${path} tells no format`,
    )
  }
  const isPacked = packing !== undefined || asked?.endsWith('.gz') === true
  if (isPacked && !packable.has(format)) throw unknown(`${path}: ${format} is compressed in itself`)
  return { format, isPacked }
}

/** By the name without what packs it; what is read and not written has none. */
function writtenFormat(path: string): OutputFormat | null {
  const plain = path.replace(/\.(gz|zst)$/i, '')
  const format = formatOfPath(plain)
  switch (format) {
    case 'json':
    case null:
      return null
    case 'xlsx':
      return /\.xlsx$/i.test(plain) ? 'xlsx' : null
    case 'csv':
    case 'parquet':
    case 'ndjson':
      return format
  }
}

function unknown(reason: string): UserError {
  return new UserError('OUTPUT_FORMAT_UNKNOWN', reason, {
    hint: 'pass --format csv, parquet, ndjson, xlsx, csv.gz or ndjson.gz, or a name that ends in .csv, .tsv, .parquet, .ndjson, .xlsx, .csv.gz or .ndjson.gz',
  })
}

/** Every limit of writing outputs; those of Parquet files are in `src/parquet/limits.ts`. The unit is the last word of the name. */
export const writerLimits = {
  /** Cells of the first rows that publishing is tried on. */
  sampleCells: 200_000,
  /** Rows whose answers are in memory at one time. */
  answerRows: 256,
  /** What an answer with its basis takes on disk, waiting and written, for the estimate of the room needed. */
  answerBytesEstimate: 2_560,
  freeBytesMin: 16 * 1024 * 1024,
  stdoutChunkBytes: 256 * 1024,
} as const

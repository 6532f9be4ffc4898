import {
  isTableAddress,
  noConnectors,
  type Connectors,
  type RemovedColumns,
  type WriteMode,
} from '../../connectors/connectors.js'
import { UserError } from '../../core/errors.js'
import { formatOfPath } from '../input/input.js'

export type OutputFormat = 'csv' | 'parquet' | 'ndjson' | 'xlsx'

/** A requested format, including its compression. */
export type RequestedFormat = OutputFormat | 'csv.gz' | 'ndjson.gz'

export interface OutputForm {
  readonly format: OutputFormat
  /** Whether the whole file is gzipped. */
  readonly isPacked: boolean
}

/** Access to tables and objects. */
export interface RemoteAccess {
  readonly connectors: Connectors
  /** Folder for files until they are published. */
  readonly folder: string
}

/** Without access to tables and objects. */
export const noAccess: RemoteAccess = { connectors: noConnectors, folder: '' }

/** A run that appends rows. Its number and its start identify it across checkpoints. */
export interface AppendingRun {
  readonly run: number
  readonly startedAtMs: number
}

/** Contents of the mark that is stored with appended rows. */
export interface Appended extends AppendingRun {
  /** Digest of the rows; empty if they are not compared. */
  readonly digest: string
}

/**
 * Marks the rows that a run appends to a table, until the run has ended: the next run learns by it that a killed run
 * appended its rows.
 */
export interface AppendMark {
  /** Table of the mark; the same for all runs of a series. */
  readonly table: string
  readonly owner: AppendingRun
  /** Columns of the rows that are compared with those of a killed run; null: they are always appended. */
  readonly columns: readonly string[] | null
  /** Returns whether the rows of an earlier run, which have the same digest, stand for those of this run. */
  readonly standsFor: (earlier: Appended) => Promise<boolean>
}

/** A table or an object that an output is published to. */
export interface RemoteOutput extends RemoteAccess {
  /** How rows are put into a table. */
  readonly mode: WriteMode
  /** Column with the key of a row, for `upsert`. */
  readonly keyColumn: string | null
  /** Treatment of columns that `replace` would remove from a table; defaults to `refuse`. */
  readonly removedColumns?: RemovedColumns
  /** Null or absent: appended rows are not marked. */
  readonly mark?: AppendMark | null
}

/** Text formats, which may be gzipped. The others have their own compression. */
const packable: ReadonlySet<OutputFormat> = new Set(['csv', 'ndjson'])

/** Returns the requested format, else the format of the file name. Throws OUTPUT_FORMAT_UNKNOWN. */
export function resolveOutputForm(path: string, asked?: RequestedFormat): OutputForm {
  if (isTableAddress(path)) return resolveTableForm(asked)
  const [, packing] = /\.(gz|zst)$/i.exec(path) ?? []
  const format = asked === undefined ? detectFormat(path) : (asked.replace('.gz', '') as OutputFormat)
  if (packing?.toLowerCase() === 'zst')
    throw createFormatError(`${path}: outputs cannot be compressed with zstd`)
  if (format === null) {
    throw createFormatError(
      path === '-'
        ? 'the format of standard output is unknown'
        : `the extension of ${path} is not a known format`,
    )
  }
  const isPacked = packing !== undefined || asked?.endsWith('.gz') === true
  if (isPacked && !packable.has(format)) throw createFormatError(`${path}: ${format} is already compressed`)
  return { format, isPacked }
}

/** Throws USAGE_INVALID if the rows cannot be put there in that way. */
export function assertModeFits(path: string, mode: WriteMode = 'replace'): void {
  if (mode === 'replace' || isTableAddress(path)) return
  throw new UserError(
    'USAGE_INVALID',
    `--mode ${mode} is for tables; files and objects are replaced as a whole`,
    {
      hint: 'omit --mode, or name a table: -o postgres://user@host/database#schema.table',
    },
  )
}

/** Rows are put into a table from a Parquet file. */
function resolveTableForm(asked: RequestedFormat | undefined): OutputForm {
  if (asked === undefined || asked === 'parquet') return { format: 'parquet', isPacked: false }
  throw new UserError('USAGE_INVALID', `--format ${asked} is for files, and the output is a table`, {
    hint: 'omit --format (output.format in a config)',
  })
}

/** Detects the format by the name without its compression suffix; `null` for formats that can only be read. */
function detectFormat(path: string): OutputFormat | null {
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

function createFormatError(reason: string): UserError {
  return new UserError('OUTPUT_FORMAT_UNKNOWN', reason, {
    hint: 'pass --format csv, parquet, ndjson, xlsx, csv.gz or ndjson.gz, or a name that ends in .csv, .tsv, .parquet, .ndjson, .xlsx, .csv.gz or .ndjson.gz',
  })
}

/** All limits of writing outputs, except Parquet's (`src/parquet/limits.ts`). The last word of a name is its unit. */
export const writerLimits = {
  /** Cells in the sample that is written before a run. */
  sampleCells: 200_000,
  /** Rows whose answers are in memory at once. */
  answerRows: 256,
  /** Estimated disk space of an answer with its basis, spooled and written. */
  answerBytesEstimate: 2_560,
  freeBytesMin: 16 * 1024 * 1024,
  stdoutChunkBytes: 256 * 1024,
} as const

/** Returns the path of the basis file of an output, with the same compression. */
export function getBasisPath(outputPath: string): string {
  return /\.gz$/i.test(outputPath) ? `${outputPath.slice(0, -3)}.basis.csv.gz` : `${outputPath}.basis.csv`
}

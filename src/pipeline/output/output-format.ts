import { createHash } from 'node:crypto'
import { totalmem } from 'node:os'
import {
  isAddress,
  isTableAddress,
  noConnectors,
  type Connectors,
  type RemovedColumns,
  type WriteMode,
} from '../../connectors/connectors.js'
import { UserError } from '../../core/errors.js'
import type { StageKind } from '../../core/lookup-state.js'
import { parseByteSize } from '../../core/text.js'
import { memoryBytesMin } from '../../parquet/duckdb.js'
import { selectColumns, type BasisPlace, type OutputColumn } from '../answers/columns.js'
import { buildPartPath, type Partition } from '../../core/partition.js'
import { formatOfPath } from '../../core/file-formats.js'

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
interface AppendingRun {
  readonly run: number
  readonly startedAtMs: number
}

/** Contents of the mark that is stored with appended rows. */
export interface Appended extends AppendingRun {
  /** Digest of the rows; empty if they are not compared. */
  readonly digest: string
}

/** Marks appended rows until the run has ended: the next run learns that a killed run appended them. */
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
function assertModeFits(path: string, mode: WriteMode = 'replace'): void {
  if (mode === 'replace' || isTableAddress(path)) return
  throw new UserError(
    'USAGE_INVALID',
    `--mode ${mode} is for tables; files and objects are replaced as a whole`,
    { hint: 'omit --mode, or name a table: -o postgres://user@host/database#schema.table' },
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

/** All limits of writing outputs, except Parquet's (`parquetLimits` in `src/parquet/duckdb.ts`). The last word of a name is its unit. */
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

/** Returns the mark of a job in file names. */
const createJobMark = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 6)

/** The user's settings for the output. */
export interface OutputRequest {
  path?: string | undefined
  format?: RequestedFormat | undefined
  basis?: 'auto' | BasisPlace | undefined
  columns?: readonly string[] | undefined
  prefix: string
  /** Write the output even if the run stops early. */
  partial?: boolean | undefined
  /** Write a byte order mark at the start of CSV. */
  bom?: boolean | undefined
  /** Memory limit for writing Parquet, like `1GB`. */
  memory?: string | undefined
  /** How rows are put into a table; defaults to `replace`. */
  mode?: WriteMode | undefined
  /** Remove the columns of a table that the output does not have. */
  dropColumns?: boolean | undefined
}

/** Answers that have columns in an output. */
interface AnsweredKinds {
  /** Stages whose columns are written. */
  readonly stages: readonly StageKind[]
  /** Whether an own registry answers first. */
  readonly hasSides: boolean
}

/** An output as a run writes it. */
export interface ResolvedOutput extends OutputForm {
  path: string
  /** The output and its basis file; `-` for standard output. */
  paths: readonly string[]
  basis: BasisPlace
  columns: readonly OutputColumn[]
  stages: readonly StageKind[]
  bom: boolean
  memoryBytes: number
  /** Null if the output is a file. */
  remote: RemoteOutput | null
}

/** The part of a job that is written, in a file of its attempt next to the output. */
export interface AttemptedPart {
  readonly job: string
  readonly partition: Partition
  readonly attempt: string
}

/**
 * Determines path, format and columns. Throws OUTPUT_MISSING, OUTPUT_FORMAT_UNKNOWN, OUTPUT_COLUMN_UNKNOWN, MEMORY_SHORT,
 * USAGE_INVALID.
 */
export function resolveOutput(
  request: OutputRequest,
  { stages, hasSides }: AnsweredKinds,
  remote: RemoteAccess = noAccess,
  part: AttemptedPart | null = null,
): ResolvedOutput {
  const { path: whole, prefix, columns } = request
  if (whole === undefined) {
    throw new UserError('OUTPUT_MISSING', 'no output is named', {
      hint: 'pass -o out.parquet, out.csv, out.ndjson or out.xlsx',
    })
  }
  const path =
    part === null ? whole : buildPartPath(whole, part.partition, createJobMark(part.job), part.attempt)
  const form = resolveOutputForm(whole, request.format)
  const isSheet = form.format === 'xlsx'
  assertModeFits(whole, request.mode)
  const wanted = request.basis ?? 'auto'
  const placed = placeBasis(wanted, form.format, whole)
  // The column `basis` selects the basis: a sheet in Excel, and a file next to a CSV unless one is requested.
  const choice = { columns, prefix, stages, hasSides }
  const hasBasis = selectColumns({ ...choice, basis: 'inline' }).some(({ kind }) => kind === 'basis')
  const chosen = selectColumns({ ...choice, basis: placed })
  const isLeftOut = !hasBasis && (placed === 'file' ? wanted === 'auto' : isSheet && placed === 'inline')
  const basis = isLeftOut ? 'none' : placed
  return {
    path,
    paths: basis === 'file' ? [path, getBasisPath(path)] : [path],
    ...form,
    basis,
    columns: isSheet ? chosen.filter(({ kind }) => kind !== 'basis') : chosen,
    stages,
    bom: request.bom ?? false,
    memoryBytes: resolveMemoryBytes(request.memory),
    remote: isAddress(whole) ? resolveRemote(request, remote) : null,
  }
}

const resolveRemote = (
  { mode = 'replace', dropColumns = false }: OutputRequest,
  access: RemoteAccess,
): RemoteOutput => ({
  ...access,
  mode,
  keyColumn: null,
  removedColumns: dropColumns ? 'report' : 'refuse',
})

const memoryBytesDefault = 1e9
/**
 * Returns the memory limit in bytes: the requested one, else the smaller of 1 GB and a quarter of the machine's memory.
 * Throws MEMORY_SHORT if the requested limit is too small to write an output.
 */
export function resolveMemoryBytes(asked: string | undefined): number {
  if (asked === undefined) {
    const machineBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity)
    return Math.max(memoryBytesMin, Math.min(memoryBytesDefault, machineBytes / 4))
  }
  const bytes = parseByteSize(asked) ?? 0
  if (bytes >= memoryBytesMin) return bytes
  throw new UserError('MEMORY_SHORT', `${asked} of memory is not enough to write an output`, {
    hint: `pass --memory ${memoryBytesMin / 1e6}MB or more`,
  })
}

/** Chooses the place of the basis: a file for CSV, none for CSV on standard output, else inline. */
function placeBasis(asked: 'auto' | BasisPlace, format: OutputFormat, path: string): BasisPlace {
  if (asked === 'file' && path === '-') {
    throw new UserError('OUTPUT_UNWRITABLE', 'standard output cannot have a basis file', {
      hint: 'pass --basis inline or none, or -o with a file',
    })
  }
  if (asked === 'file' && isTableAddress(path)) {
    throw new UserError('USAGE_INVALID', 'a table cannot have a basis file', {
      hint: 'pass --basis inline (a column of JSON) or none',
    })
  }
  if (asked !== 'auto') return asked
  if (format !== 'csv') return 'inline'
  return path === '-' ? 'none' : 'file'
}

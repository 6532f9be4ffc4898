import { totalmem } from 'node:os'
import { parseByteSize } from '../../core/byte-size.js'
import { memoryBytesMin } from '../../parquet/memory-budget.js'
import { selectColumns, type BasisPlace, type OutputColumn } from '../rules/columns.js'
import type { StageKind } from '../rules/lookup-kind.js'
import { UserError } from '../../core/errors.js'
import { outputFormOf, type AskedFormat, type OutputForm, type OutputFormat } from './output-format.js'
import { basisPathOf } from './output-path.js'

/** What the user says of the output. */
export interface OutputRequest {
  path?: string | undefined
  format?: AskedFormat | undefined
  basis?: 'auto' | BasisPlace | undefined
  columns?: readonly string[] | undefined
  prefix: string
  /** Write also when the run stops early. */
  partial?: boolean | undefined
  /** A byte order mark in front of CSV. */
  bom?: boolean | undefined
  /** What writing Parquet may hold in memory, like `1GB`. */
  memory?: string | undefined
  /** Stages whose columns are written. */
  stages?: readonly StageKind[] | undefined
}

export interface ResolvedOutput extends OutputForm {
  path: string
  basis: BasisPlace
  columns: readonly OutputColumn[]
  stages: readonly StageKind[]
  partial: boolean
  bom: boolean
  memoryBytes: number
}

/** Throws OUTPUT_MISSING, OUTPUT_FORMAT_UNKNOWN, OUTPUT_COLUMN_UNKNOWN, MEMORY_SHORT. */
export function resolveOutput(request: OutputRequest): ResolvedOutput {
  const { path, prefix, columns, stages = [] } = request
  if (path === undefined) {
    throw new UserError('OUTPUT_MISSING', 'no output is named', {
      hint: 'pass -o out.parquet, out.csv, out.ndjson or out.xlsx',
    })
  }
  const form = outputFormOf(path, request.format)
  const isSheet = form.format === 'xlsx'
  const placed = placeBasis(request.basis ?? 'auto', form.format, path)
  // Inline in Excel it is a sheet of its own, for which `basis` stands where columns are named.
  const chosen = selectColumns({ columns, prefix, basis: placed, stages })
  const hasBasis = chosen.some(({ kind }) => kind === 'basis')
  return {
    path,
    ...form,
    basis: isSheet && placed === 'inline' && !hasBasis ? 'none' : placed,
    columns: isSheet ? chosen.filter(({ kind }) => kind !== 'basis') : chosen,
    stages,
    partial: request.partial ?? false,
    bom: request.bom ?? false,
    memoryBytes: memoryBytesOf(request.memory),
  }
}

const memoryBytesDefault = 1e9

/** What was asked for; else what leaves the machine, or the container, three quarters of its memory. */
export function memoryBytesOf(asked: string | undefined): number {
  if (asked === undefined) {
    const machineBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity)
    return Math.max(memoryBytesMin, Math.min(memoryBytesDefault, machineBytes / 4))
  }
  const bytes = parseByteSize(asked) ?? 0
  if (bytes >= memoryBytesMin) return bytes
  throw new UserError('MEMORY_SHORT', `an output cannot be written within ${asked} of memory`, {
    hint: `pass --memory ${memoryBytesMin / 1e6}MB or more`,
  })
}

/** Every file that is written; `-` for standard output. */
export function writtenPaths({ path, basis }: ResolvedOutput): readonly string[] {
  return basis === 'file' ? [path, basisPathOf(path)] : [path]
}

/** Nested where the format nests, or has sheets; beside a CSV; nowhere when there is no file for it to stand beside. */
function placeBasis(asked: 'auto' | BasisPlace, format: OutputFormat, path: string): BasisPlace {
  if (asked === 'file' && path === '-') {
    throw new UserError('OUTPUT_UNWRITABLE', 'a basis file cannot stand beside standard output', {
      hint: 'pass --basis inline or none, or -o with a file',
    })
  }
  if (asked !== 'auto') return asked
  if (format !== 'csv') return 'inline'
  return path === '-' ? 'none' : 'file'
}

import { statSync } from 'node:fs'
import { noConnectors } from '../connectors/connectors.js'
import { UserError } from '../core/errors.js'
import { parquetLimits } from '../parquet/parquet-writer.js'
import type { CloseLater } from '../platform/close-stack.js'
import { assertCanOpenFiles, createFileTooLargeError, getFileBytesMax } from '../platform/system-limits.js'
import {
  createChangesTarget,
  tryChanges,
  type ChangesTarget,
  assertMetricsReplaceable,
} from './history/run-history.js'
import { getLabelColumn, type LookupRule, InputColumns } from './input/ingest.js'
import { assertInputFound, openInput, type Input } from './input/input.js'
import { type RunOrder, warn, type RunContext } from './order.js'
import {
  assertOutputApart,
  assertOutputFits,
  resolveOutput,
  tryOutput,
  withKeyColumn,
  type ResolvedOutput,
} from './output/output.js'
import { assertExtraOutputUsable, assertFileApart } from './output/plain-table.js'
import { assertCheckpointApart, assertNotOurs } from './own-files.js'

export interface RunTable {
  readonly input: Input
  readonly columns: InputColumns
  /** Column of the user's row keys, as spelled in the input; null if no column is named. */
  readonly rowKeyColumn: string | null
  /** Column by whose values rows are counted. */
  readonly groupColumn: string | null
}

/** The files and tables to write. */
export interface RunOutputs {
  readonly output: ResolvedOutput
  readonly changes: ChangesTarget | null
}

interface OpenFiles {
  readonly table: RunTable
  readonly outputs: RunOutputs
  /** Mark of this process in the names of the files that it writes for a part. */
  readonly attempt: string
}

/**
 * Opens the input, and checks the outputs against it; `closeLater` closes it. Throws the errors of input and output that
 * are known before the service is connected.
 */
export async function openFiles(context: RunContext, closeLater: CloseLater): Promise<OpenFiles> {
  const { order, services, backend } = context
  const { source, target, reporting } = order
  const attempt = services.random.id('').slice(0, attemptLength)
  // If both input and output are missing, the input is reported, since it is typed first.
  if (target.output.path === undefined) await assertInputFound(source.input)
  const requested = resolveRequested(context, attempt)
  withKeyColumn(requested, source.rowKey ?? null)
  const changes = resolveChanges(context)
  const { reportPath = null } = reporting
  assertIsFile('--report', reportPath, 'report -o - writes the report')
  const extraPaths = [changes?.path ?? null, reportPath].filter((path) => path !== null)
  assertNotOurs([...requested.paths, ...extraPaths], target.ownFiles)
  const input = await openInput(source.input, {
    stdin: services.streams?.stdin,
    connectors: services.connectors,
    partition: source.part?.partition,
  })
  closeLater(() => input.close())
  const inputFiles = input.files.map(({ path }) => ({ path, what: 'the input' }))
  assertCheckpointApart(backend.path, inputFiles)
  // Guesses are reported before anything is billed.
  for (const text of input.listNotes()) warn(services, text)
  const { columns: asked, identifierUse } = source
  const others = [source.rowKey ?? null, source.groupBy ?? null].filter((one) => one !== null)
  const columns = await InputColumns.read(input, { asked, identifierUse, others })
  // As for an own registry, which is opened later.
  columns.detect({ ...asked, hasTaxNumbers: true })
  const rowKeyColumn = columns.find(source.rowKey ?? null, '--row-key')
  const groupColumn = columns.find(source.groupBy ?? null, '--report-by')
  const output = withKeyColumn(requested, rowKeyColumn)
  const { connectors } = getAccess(context)
  const changesPath = changes?.path ?? null
  await assertOutputApart(input, output, { changesPath, reportPath, connectors })
  assertOutputFits(input, output, 0)
  checkMetricsFile(order, input, [...output.paths, ...extraPaths])
  if (changesPath !== null) assertFileApart('--changes', changesPath, input.files, output.paths)
  if (reportPath !== null) {
    const others = changesPath === null ? output.paths : [...output.paths, changesPath]
    assertFileApart('--report', reportPath, input.files, others)
  }
  const listDelimiter = input.layout.delimiter
  return {
    table: { input, columns, rowKeyColumn, groupColumn },
    outputs: { output, changes: changes && { ...changes, listDelimiter } },
    attempt,
  }
}

const attemptLength = 8

function resolveRequested(context: RunContext, attempt: string): ResolvedOutput {
  const { source, target, requests } = context.order
  const asked = { stages: requests.stages.asked, hasSides: (requests.first ?? null) !== null }
  const { part = null } = source
  const attempted = part === null ? null : { ...part, attempt }
  return resolveOutput(target.output, asked, getAccess(context), attempted)
}

/** Outputs are stored where the copies of inputs are. */
const getAccess = ({ order, services }: RunContext) => ({
  connectors: services.connectors ?? noConnectors,
  folder: order.source.input.spoolFolder,
})

function checkMetricsFile({ reporting, target }: RunOrder, input: Input, others: readonly string[]): void {
  const path = reporting.ending?.metricsPath ?? null
  if (path === null) return
  assertNotOurs([path], target.ownFiles)
  assertExtraOutputUsable(input.files, path, others)
  assertMetricsReplaceable(path)
}

/** Throws USAGE_INVALID for standard output. */
function assertIsFile(flag: '--changes' | '--report', path: string | null, instead: string): void {
  if (path === '-')
    throw new UserError('USAGE_INVALID', `${flag} cannot write to standard output`, {
      hint: `name a file; enrich ${instead} of a run to standard output`,
    })
}

/** The changes file has its own format, by its name. */
function resolveChanges(context: RunContext): ChangesTarget | null {
  const { requests, target } = context.order
  const { changesPath: path = null } = target
  if (path === null) return null
  assertIsFile('--changes', path, 'diff -o - writes the changes')
  const { bom, memory } = target.output
  const hasSides = (requests.first ?? null) !== null
  return createChangesTarget({ path, bom, memory, access: getAccess(context), hasSides })
}

/** Connections for polls, and files of the outputs, in addition to one connection for each submission. */
const [pollConnections, outputFiles] = [16, 16]

/** Tests the limit of open files, and the outputs with the first rows, before the first submission. */
export async function tryOutputs(
  { order, services }: RunContext,
  { input }: RunTable,
  { output, changes }: RunOutputs,
  rule: LookupRule,
  rowCount: number,
): Promise<void> {
  const { submissionsPerWindow, submitConcurrency } = order.requests.scheduling.limits
  assertCanOpenFiles(
    submissionsPerWindow === null ? outputFiles : submitConcurrency + pollConnections + outputFiles,
  )
  if (changes !== null) await tryChanges(changes)
  const nameColumn = getLabelColumn(rule.columns)
  const { metadata } = order.target
  await tryOutput(input, output, { nameColumn, rowCount, metadata, signal: services.interrupt })
}

/** Size of an answer in the checkpoint, including SQLite's other files. */
const checkpointBytesPerLookup = 16 * 1024

/**
 * Throws FILE_TOO_LARGE if the process has a file size limit (`ulimit -f`) and a file will exceed it, before anything
 * is billed: the checkpoint with all answers, or a text output, which contains its whole input.
 */
export function assertFilesMayGrow(
  checkpointPath: string,
  submitCount: number,
  input: Input,
  output: ResolvedOutput,
): void {
  const bytesMax = getFileBytesMax()
  if (bytesMax === null) return
  const checkpointBytes = statSync(checkpointPath, { throwIfNoEntry: false })?.size ?? 0
  assertBelow(
    bytesMax,
    checkpointBytes + submitCount * checkpointBytesPerLookup,
    `the checkpoint ${checkpointPath}`,
  )
  // Compressed: the size of their text is unknown.
  if (input.format === 'parquet' || input.format === 'xlsx') return
  const plain = input.files.filter(({ path }) => !/\.(gz|zst)$/i.test(path))
  const textBytes = plain.reduce((sum, { bytes }) => sum + bytes, 0)
  if (output.format === 'parquet')
    assertBelow(bytesMax, Math.min(textBytes, parquetLimits.fileBytesMax), `a part of ${output.path}`)
  else if (output.format === input.format && !output.isPacked && output.path !== '-')
    assertBelow(bytesMax, textBytes, `the output ${output.path}`)
}

function assertBelow(bytesMax: number, bytes: number, what: string): void {
  if (bytes > bytesMax)
    throw createFileTooLargeError(undefined, `; ${what} needs about ${Math.ceil(bytes / 1024)}`)
}

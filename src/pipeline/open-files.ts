import { assertNamesFitParquet, assertNoClash } from './answers/columns.js'
import { getDatabaseName, noConnectors, createNulError } from '../connectors/connectors.js'
import { UserError } from '../core/errors.js'
import type { CloseLater } from '../platform/close-stack.js'
import { InputColumns } from './input/input-columns.js'
import { assertMetricsReplaceable } from './history/metrics-file.js'
import {
  assertChangesApart,
  createChangesFile,
  type ChangesTarget,
  tryChanges,
} from './history/changes-file.js'
import { assertInputFound, openInput, type Input } from './input/input.js'
import { buildPartPath } from '../core/partition.js'
import type { RunOrder } from './order.js'
import {
  assertExtraOutputUsable,
  assertOutputUsable,
  listWrittenPaths,
  resolveOutput,
  type ResolvedOutput,
} from './output/output-path.js'
import type { RemoteAccess } from './output/output-format.js'
import { RowSpool } from './output/row-spool.js'
import { assertCheckpointApart, assertNotOurs, assertOutputsApart } from './output/own-files.js'
import { createJobMark } from './output/part-ledger.js'
import { warn, type RunContext } from './services.js'
import { type LookupRule, getLabelColumn } from './input/columns.js'
import { tryPublishing } from './output/publish.js'
import { assertCellsFit } from './output/xlsx.js'
import { getFileBytesMax, createFileTooLargeError } from '../platform/system-limits.js'
import { statSync } from 'node:fs'
import { parquetLimits } from '../parquet/parquet-writer.js'

/** The table to read. */
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
  const requested = resolvePartOutput(context, attempt)
  withKeyColumn(requested, source.rowKey ?? null)
  const changes = resolveChanges(context, requested)
  const { reportPath = null } = reporting
  const extraPaths = [changes?.path ?? null, reportPath].filter((path) => path !== null)
  assertNotOurs([...listWrittenPaths(requested), ...extraPaths], target.ownFiles)
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
  const columns = await InputColumns.read(input, { asked, identifierUse })
  columns.detect()
  const rowKeyColumn = columns.find(source.rowKey ?? null, '--row-key')
  const groupColumn = columns.find(source.groupBy ?? null, '--report-by')
  const output = withKeyColumn(requested, rowKeyColumn)
  const written = listWrittenPaths(output)
  await assertOutputsApart(input.files, {
    paths: [...written, ...(reportPath === null ? [] : [reportPath])],
    appendedPaths: changes === null ? [] : [changes.path],
    mode: output.remote?.mode ?? 'replace',
    connectors: getAccess(context).connectors,
  })
  checkOutput(input, output, 0)
  checkMetricsFile(order, input, [...written, ...extraPaths])
  if (changes !== null) assertChangesApart(changes, input.files, written)
  if (reportPath !== null)
    services.reports?.assertApart(reportPath, input.files, [
      ...written,
      ...(changes === null ? [] : [changes.path]),
    ])
  return { table: { input, columns, rowKeyColumn, groupColumn }, outputs: { output, changes }, attempt }
}

/** Checks everything about the output that can be known before a submission is billed. */
export function checkOutput(input: Input, output: ResolvedOutput, rowCount: number): void {
  assertOutputUsable(input.files, output.path, output.format, rowCount, input.bytes)
  assertNoClash(input.columns, output.columns)
  if (output.format !== 'parquet') return
  assertNamesFitParquet(input.columns, getDatabaseName(output.path))
  // Throws if a type is not supported.
  input.rows.parquet()
}

const attemptLength = 8

/** A part is written to a file of its attempt next to the output. */
function resolvePartOutput(context: RunContext, attempt: string): ResolvedOutput {
  const { source, target, requests } = context.order
  const asked = { stages: requests.stages.asked, hasSides: (requests.first ?? null) !== null }
  const whole = resolveOutput(target.output, asked, getAccess(context))
  const { part = null } = source
  if (part === null) return whole
  return { ...whole, path: buildPartPath(whole.path, part.partition, createJobMark(part.job), attempt) }
}

/** Outputs are stored where the copies of inputs are. */
const getAccess = ({ order, services }: RunContext): RemoteAccess => ({
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

/** Rows of a table are replaced by their key. Throws USAGE_INVALID if no column has it. */
function withKeyColumn(output: ResolvedOutput, keyColumn: string | null): ResolvedOutput {
  if (output.remote?.mode !== 'upsert') return output
  if (keyColumn === null) {
    throw new UserError('USAGE_INVALID', '--mode upsert needs the key of each row', {
      hint: 'name its column: --row-key supplier_id',
    })
  }
  return { ...output, remote: { ...output.remote, keyColumn } }
}

/** The changes file has its own format, by its name. */
function resolveChanges(context: RunContext, { bom, memoryBytes }: ResolvedOutput): ChangesTarget | null {
  const { requests, target } = context.order
  const { changesPath: path = null } = target
  if (path === null) return null
  const hasSides = (requests.first ?? null) !== null
  return createChangesFile({ path, bom, memoryBytes, remote: getAccess(context), hasSides })
}

/**
 * Creates the store of rows between reading and writing; `closeLater` removes it. Null if the input is read again:
 * parsing text takes longer than storing the rows, but DuckDB reads Parquet again quickly.
 */
export function openRowSpool(
  { order }: RunContext,
  { input }: RunTable,
  { output }: RunOutputs,
  closeLater: CloseLater,
): RowSpool | null {
  if (output.format !== 'parquet' || input.format === 'parquet') return null
  const spool = new RowSpool(output.path, order.source.input.spoolFolder)
  closeLater(() => spool.remove())
  return spool
}

interface TriedOutput {
  readonly table: RunTable
  readonly outputs: RunOutputs
  readonly rule: LookupRule
}

/** Tests the output with the first rows, before the first submission. */
export async function tryOutput(
  { order, services }: RunContext,
  { table, outputs, rule }: TriedOutput,
  rowCount: number,
): Promise<void> {
  const { input } = table
  const { output, changes } = outputs
  const { interrupt } = services
  if (changes !== null) await tryChanges(changes)
  await tryPublishing({
    input,
    output,
    nameColumn: getLabelColumn(rule.columns),
    rowCount,
    metadata: order.target.metadata,
  })
  if (output.format === 'xlsx') await assertCellsFit(input, interrupt)
  if (input.format !== 'parquet' && getDatabaseName(output.path) === 'PostgreSQL')
    await assertNoNul(input, interrupt)
}

/** Throws OUTPUT_UNWRITABLE for a text with a NUL: PostgreSQL would refuse it after the lookups were billed. */
async function assertNoNul(input: Input, signal: AbortSignal): Promise<void> {
  for await (const rows of input.rows.texts()) {
    signal.throwIfAborted()
    for (const row of rows) {
      const index = row.findIndex((cell) => cell?.includes('\0') === true || nulEscape.test(cell ?? ''))
      if (index >= 0) throw createNulError(input.columns[index] ?? '')
    }
  }
}

/** A NUL in the JSON text of a nested value. */
const nulEscape = /^[[{].*(?:^|[^\\])(?:\\\\)*\\u0000/s

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

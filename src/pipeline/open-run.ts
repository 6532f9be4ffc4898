import { noConnectors, toAbsolute } from '../connectors/connectors.js'
import type { CloseLater } from '../platform/close-stack.js'
import { UserError } from '../core/errors.js'
import type { RunBackend } from './backend.js'
import type { Checkpoint, CheckpointReader } from './checkpoint/checkpoint.js'
import { chooseColumns, detectInputColumns, findNamedColumn, sampleColumns } from './column-choice.js'
import type { Connection, OpenRun, PipelineDeps } from './deps.js'
import { DecidedLookups } from './decided-lookups.js'
import { getDecisionService } from './lookups/decision.js'
import { readStandingDecisions } from './decisions/decision-sync.js'
import type { Ending } from './ending/ending.js'
import { answerFirst } from './answer-first.js'
import { assertMetricsReplaceable } from './ending/metrics-file.js'
import { assertChangesApart, createChangesFile, type ChangesTarget } from './history/changes-file.js'
import { openWebhooks } from './inbox/webhooks.js'
import { markOutputs } from './close-run.js'
import { assertInputFound, nameJob, openInput, type Input, type InputOptions } from './input/input.js'
import {
  assertExtraOutputUsable,
  resolveOutput,
  listWrittenPaths,
  type ResolvedOutput,
} from './output/output-path.js'
import type { RemoteAccess } from './output/output-format.js'
import { RowSpool } from './output/row-spool.js'
import { assertCheckpointApart, assertNotOurs, assertOutputsApart } from './own-files.js'
import { assertJobWithoutParts, openPart, type OpenPart } from './parts/partitioned-job.js'
import { createJobMark, type PublishedPart } from './parts/part-ledger.js'
import { buildPartPath, type Partition, toNamedJob, buildPartSeries } from './lookups/partition.js'
import type { ColumnSamples } from './lookups/column-content.js'
import { reportColumns } from './lookups/column-report.js'
import { lookupKinds, type LookupRule, type LookupKind } from './lookups/lookup-kind.js'
import { createTimeline, runRecordVersion, type RunRecord } from './figures/run-record.js'
import { checkOutput } from './write-output.js'
import { resolve } from 'node:path'
import { RunHistory } from './history/run-history.js'
import { doubtThresholdByDefault } from './lookups/lookup-state.js'
import { calculateMoney } from './figures/money.js'

/** Adds the run to the history once its checkpoint is open. */
function beginHistory(
  deps: PipelineDeps,
  backend: RunBackend,
  input: Input,
  connection: Connection,
  checkpoint: Checkpoint,
): Promise<RunHistory> {
  const { observe, clock, reporting, requests } = deps
  return RunHistory.begin({
    store: backend.createHistoryWriter(checkpoint),
    path: backend.path,
    series: getSeries(deps),
    runsMax: reporting.history.runsMax,
    nowMs: () => clock.nowMs(),
    doubtThreshold: requests.doubtThreshold ?? doubtThresholdByDefault,
    record: createRecord(deps, input, connection),
    warn: (text) => {
      observe({ type: 'notice', text, isWarning: true })
    },
  })
}

/**
 * Returns the series of a run: the user's job and its part; else the input as named, not the files found, which may be
 * different tomorrow.
 */
function getSeries({ source, reporting }: PipelineDeps): string {
  const { input, part = null } = source
  const { job } = reporting.history
  if (part !== null) return buildPartSeries(part.job, part.partition)
  if (job !== null) return toNamedJob(job)
  return JSON.stringify([
    ...input.paths.map(toSeriesPath),
    ...[input.queryPath ?? []].flat().map(toSeriesPath),
  ])
}

const toSeriesPath = (path: string): string => (path === '-' ? path : toAbsolute(path, resolve))

const toUnbilledCounts = (kind: LookupKind) => ({ kind, billedCount: 0, uncertainCount: 0 })

function createRecord(
  { source, reporting: { history }, requests: { prices = null } }: PipelineDeps,
  input: Input,
  connection: Connection,
): RunRecord {
  const { paths } = source.input
  return {
    version: runRecordVersion,
    program: history.program,
    command: history.command,
    service: connection.service,
    scope: connection.scope,
    input: { paths, format: input.format, sha256: null, list: input.calculateListFingerprint() },
    settings: history.settings,
    summary: null,
    error: null,
    // Prices are kept for a killed run, whose submissions are counted later.
    money: prices === null ? null : calculateMoney(prices, lookupKinds.map(toUnbilledCounts)),
    figures: null,
    timeline: [],
    changes: null,
    alarms: [],
  }
}

/** The part of a run that another process has already published: nothing is left to do. */
export class AlreadyPublished {
  constructor(
    readonly partition: Partition,
    readonly part: PublishedPart,
    readonly connection: Connection,
  ) {}
}

/** Opens the resources of a run; `closeLater` closes them. Throws user errors before anything is billed. */
export async function openRun(
  deps: PipelineDeps,
  backend: RunBackend,
  ending: Ending,
  closeLater: CloseLater,
): Promise<OpenRun | AlreadyPublished> {
  const { source, target, requests, reporting } = deps
  const startedAtMs = deps.clock.monotonicMs()
  const attempt = deps.random.id('').slice(0, attemptLength)
  // If both input and output are missing, the input is reported, since it is typed first.
  if (target.output.path === undefined) await assertInputFound(source.input)
  const requested = resolvePartOutput(deps, attempt)
  withKeyColumn(requested, source.rowKey ?? null)
  const changes = resolveChanges(deps, requested)
  const beside = [changes?.path, reporting.report?.path].filter((path) => path !== undefined)
  assertNotOurs([...listWrittenPaths(requested), ...beside], target.ownFiles)
  const partition = source.part?.partition
  const input = await openInput({ ...source.input, ...(partition === undefined ? {} : { partition }) })
  closeLater(() => input.close())
  const inputFiles = input.files.map(({ path }) => ({ path, what: 'the input' }))
  assertCheckpointApart(backend.path, inputFiles)
  // Guesses are reported before anything is billed.
  for (const text of input.listNotes()) deps.observe({ type: 'notice', text, isWarning: true })
  const samples = await sampleColumns(input)
  detectInputColumns(input, source.columns, samples)
  const rowKeyColumn = findNamedColumn(deps.source, input, 'rowKey', '--row-key')
  const groupColumn = findNamedColumn(deps.source, input, 'groupBy', '--report-by')
  const output = withKeyColumn(requested, rowKeyColumn)
  const report = reporting.report?.path
  await assertOutputsApart(input.files, {
    paths: [...listWrittenPaths(output), ...(report === undefined ? [] : [report])],
    appendedPaths: changes === null ? [] : [changes.path],
    mode: output.remote?.mode ?? 'replace',
    connectors: getAccess(source.input).connectors,
  })
  checkOutput(input, output, 0)
  checkMetricsFile(deps, input, [...listWrittenPaths(output), ...beside])
  if (changes !== null) assertChangesApart(changes, input.files, listWrittenPaths(output))
  reporting.report?.assertApart(input.files, [
    ...listWrittenPaths(output),
    ...(changes === null ? [] : [changes.path]),
  ])
  const connection = await deps.connect()
  closeLater(() => connection.close())
  const part = await openRunPart(deps, backend, input, connection, attempt)
  if (part !== null && part.published !== null)
    return new AlreadyPublished(part.partition, part.published, connection)
  const rule = await settleColumns(deps, input, samples, backend.peek(connection.scope))
  const decided = await readDecided(deps, backend, connection)
  const first = await answerFirst({
    deps,
    backend,
    input,
    rule,
    scope: connection.scope,
    decided,
    service: () => backend.peek(connection.scope),
    openCheckpoint: (of) => openRunCheckpoint(deps, backend, input, of),
  })
  closeLater(() => first?.close())
  const checkpoint = await openRunCheckpoint(deps, backend, input, connection)
  closeLater(() => checkpoint.close())
  const history = await beginHistory(deps, backend, input, connection, checkpoint)
  const webhooks = await openWebhooks(requests.webhooks, backend.inbox, deps.clock)
  if (webhooks !== null) closeLater(() => webhooks.close())
  const rowSpool = shouldSpoolRows(input, output) ? new RowSpool(output.path, source.input.spoolFolder) : null
  if (rowSpool !== null) closeLater(() => rowSpool.remove())
  return {
    deps,
    backend,
    input,
    rule,
    rowKeyColumn,
    groupColumn,
    ...markOutputs({ deps, backend, input, history, output, changes }, getSeries(deps)),
    rowSpool,
    connection,
    checkpoint,
    first,
    decided,
    webhooks,
    history,
    part,
    startedAtMs,
    timeline: createTimeline(),
    ending,
  }
}

const attemptLength = 8

/** A part is written to a file of its attempt next to the output. */
function resolvePartOutput({ source, target, requests }: PipelineDeps, attempt: string): ResolvedOutput {
  const asked = { stages: requests.stages.asked, hasSides: (requests.first ?? null) !== null }
  const whole = resolveOutput({ ...target.output, ...asked }, getAccess(source.input))
  const { part = null } = source
  if (part === null) return whole
  return { ...whole, path: buildPartPath(whole.path, part.partition, createJobMark(part.job), attempt) }
}

/** Outputs are stored where the copies of inputs are. */
const getAccess = ({ connectors = noConnectors, spoolFolder }: InputOptions): RemoteAccess => ({
  connectors,
  folder: spoolFolder,
})

/** Opens the part of this run. A run over all rows cannot join a job with parts. Throws the errors of joining a job. */
async function openRunPart(
  deps: PipelineDeps,
  { parts: database }: RunBackend,
  input: Input,
  { scope }: Connection,
  attempt: string,
): Promise<OpenPart | null> {
  const { source, clock, observe, reporting } = deps
  const { part = null } = source
  const { job } = reporting.history
  if (part === null) {
    if (database !== null && job !== null) await assertJobWithoutParts(database, job, scope)
    return null
  }
  if (database === null) throw new Error('a part without a database to publish it in')
  const opened = await openPart({
    name: part.job,
    partition: part.partition,
    scope,
    attempt,
    clock,
    database,
    inputFingerprint: input.calculateListFingerprint(),
    nowMs: clock.nowMs(),
  })
  if (opened.notice !== null) observe({ type: 'notice', text: opened.notice, isWarning: true })
  return opened
}

function checkMetricsFile(
  { reporting, target }: PipelineDeps,
  input: Input,
  others: readonly string[],
): void {
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
function resolveChanges(
  { source, requests, target: { changesPath = null } }: PipelineDeps,
  { bom, memoryBytes }: ResolvedOutput,
): ChangesTarget | null {
  if (changesPath === null) return null
  const hasSides = (requests.first ?? null) !== null
  return createChangesFile({ path: changesPath, bom, memoryBytes, remote: getAccess(source.input), hasSides })
}

/** Parsing text again takes longer than storing the rows; DuckDB reads Parquet again quickly. */
function shouldSpoolRows(input: Input, output: ResolvedOutput): boolean {
  return output.format === 'parquet' && input.format !== 'parquet'
}

/** Chooses and reports the columns before anything is submitted; see `chooseColumns`. */
async function settleColumns(
  deps: PipelineDeps,
  input: Input,
  samples: ColumnSamples,
  reader: CheckpointReader | null,
): Promise<LookupRule> {
  const { observe, interrupt, source } = deps
  const { columns: asked, identifierUse } = source
  try {
    const choice = await chooseColumns({ input, asked, identifierUse, samples, reader, signal: interrupt })
    const { rule, note } = choice
    observe({ type: 'columns', ...reportColumns(input.columns, rule, samples, input.nested) })
    if (note !== null) observe({ type: 'notice', text: note })
    return rule
  } finally {
    reader?.close()
  }
}

/** Reads the decisions once: later ones apply to the next run. */
async function readDecided(
  { store: { decisions }, observe }: PipelineDeps,
  { path, review }: RunBackend,
  { service, scope }: Connection,
): Promise<DecidedLookups> {
  if (decisions === undefined) return new DecidedLookups(new Map())
  await review?.loadDecisions()
  const { byLookup, notices } = await readStandingDecisions({
    ...decisions,
    checkpointPath: path,
    service: getDecisionService(service === 'hosted' ? scope : null),
  })
  for (const text of notices) observe({ type: 'notice', text, isWarning: true })
  return new DecidedLookups(byLookup)
}

/** Opens the checkpoint for the lookups of a service. Throws CHECKPOINT_*. */
export async function openRunCheckpoint(
  deps: PipelineDeps,
  backend: RunBackend,
  input: Input,
  { scope, service }: Connection,
): Promise<Checkpoint> {
  return backend.openCheckpoint({
    path: backend.path,
    scope,
    job: nameJob(input, deps.reporting.history.job),
    acceptRollback: deps.store.acceptRollback ?? false,
    isBilled: service === 'hosted',
    notice: (text) => {
      deps.observe({ type: 'notice', text })
    },
    nowMs: deps.clock.nowMs(),
    random: deps.random,
  })
}

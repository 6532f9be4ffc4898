import type { CloseLater } from '../platform/close-stack.js'
import type { RunBackend } from './backend.js'
import type { Checkpoint, CheckpointReader } from './checkpoint/checkpoint.js'
import { chooseColumns, detectInputColumns, sampleColumns } from './column-choice.js'
import type { Connection, OpenRun, PipelineDeps } from './deps.js'
import { beginHistory } from './begin-history.js'
import { DecidedLookups } from './decided-lookups.js'
import { decisionService } from './rules/decision.js'
import { readStandingDecisions } from './decisions/read-standing.js'
import type { Ending } from './ending/ending.js'
import { assertMetricsReplaceable } from './ending/metrics-file.js'
import { assertChangesApart, changesFile, type ChangesTarget } from './history/changes-file.js'
import { openWebhooks } from './inbox/webhooks.js'
import { assertInputFound, nameJob, openInput, type Input } from './input/input.js'
import { assertBesideUsable } from './output/output-path.js'
import { resolveOutput, writtenPaths, type ResolvedOutput } from './output/resolve-output.js'
import { RowSpool } from './output/row-spool.js'
import { assertCheckpointApart, assertNotOurs } from './own-files.js'
import { assertJobOfAll, openPart, type OpenPart } from './parts/open-part.js'
import { jobMarkOf } from './parts/part-files.js'
import type { PublishedPart } from './parts/part-ledger.js'
import { partPath, type Partition } from './rules/partition.js'
import type { ColumnSamples } from './rules/column-content.js'
import { reportColumns } from './rules/column-report.js'
import { findColumn } from './rules/detect-columns.js'
import type { AskingRule } from './rules/asking-rule.js'
import { createTimeline } from './rules/timeline.js'
import { checkOutput } from './write-output.js'

/** The part of a run that another process published before: there is nothing to do. */
export class PublishedBefore {
  constructor(
    readonly partition: Partition,
    readonly part: PublishedPart,
    readonly connection: Connection,
  ) {}
}

/** Opens what a run needs, and closes it later. Throws what the user can mend, before anything is billed. */
export async function openRun(
  deps: PipelineDeps,
  backend: RunBackend,
  ending: Ending,
  closeLater: CloseLater,
): Promise<OpenRun | PublishedBefore> {
  const startedAtMs = deps.clock.monotonicMs()
  const attempt = deps.random.id('').slice(0, attemptLength)
  // Of an input and an output that are both missing, the input is reported: it is typed first.
  if (deps.output.path === undefined) await assertInputFound(deps.input)
  const output = outputOf(deps, attempt)
  const changes = resolveChanges(deps, output)
  const beside = [changes?.path, deps.report?.path].filter((path) => path !== undefined)
  assertNotOurs([...writtenPaths(output), ...beside], deps.ownFiles)
  const partition = deps.part?.partition
  const input = await openInput({ ...deps.input, ...(partition === undefined ? {} : { partition }) })
  closeLater(() => input.close())
  const inputFiles = input.files.map(({ path }) => ({ path, what: 'the input' }))
  assertCheckpointApart(backend.path, inputFiles)
  // A guess is reported before anything is billed by it.
  for (const text of input.notes()) deps.observe({ type: 'notice', text, isWarning: true })
  const samples = await sampleColumns(input)
  detectInputColumns(input, deps.columns, samples)
  const rowKeyColumn = rowKeyOf(deps, input)
  const groupColumn = groupColumnOf(deps, input)
  checkOutput(input, output, 0)
  checkMetricsFile(deps, input, [...writtenPaths(output), ...beside])
  if (changes !== null) assertChangesApart(changes, input.files, writtenPaths(output))
  deps.report?.assertApart(input.files, [
    ...writtenPaths(output),
    ...(changes === null ? [] : [changes.path]),
  ])
  const connection = await deps.connect()
  closeLater(() => connection.close())
  const part = await openPartOf(deps, backend, input, connection, attempt)
  if (part !== null && part.published !== null)
    return new PublishedBefore(part.partition, part.published, connection)
  const rule = await settleColumns(deps, input, samples, backend.peek(connection.scope))
  const decided = await readDecided(deps, backend, connection)
  const checkpoint = await openRunCheckpoint(deps, backend, input, connection)
  closeLater(() => checkpoint.close())
  const history = await beginHistory(deps, backend, input, connection, checkpoint)
  const webhooks = await openWebhooks(deps.webhooks, backend.inbox, deps.clock)
  if (webhooks !== null) closeLater(() => webhooks.close())
  const rowSpool = spoolsRows(input, output) ? new RowSpool(output.path, deps.input.spoolFolder) : null
  if (rowSpool !== null) closeLater(() => rowSpool.remove())
  return {
    deps,
    backend,
    input,
    rule,
    rowKeyColumn,
    groupColumn,
    output,
    changes,
    rowSpool,
    connection,
    checkpoint,
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

/** A part goes to a file of its attempt, beside the output that it is a part of. */
function outputOf({ output, stages, part }: PipelineDeps, attempt: string): ResolvedOutput {
  const whole = resolveOutput({ ...output, stages: stages.asked })
  if (part === undefined || part === null) return whole
  return { ...whole, path: partPath(whole.path, part.partition, jobMarkOf(part.job), attempt) }
}

/** A run of all rows is no part of a job that has any. Throws what joining the job throws. */
async function openPartOf(
  deps: PipelineDeps,
  { parts: database }: RunBackend,
  input: Input,
  { scope }: Connection,
  attempt: string,
): Promise<OpenPart | null> {
  const { part = null, clock, observe, history } = deps
  if (part === null) {
    if (database !== null && history.job !== null) await assertJobOfAll(database, history.job, scope)
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
    inputFingerprint: input.listFingerprint(),
    nowMs: clock.nowMs(),
  })
  if (opened.notice !== null) observe({ type: 'notice', text: opened.notice, isWarning: true })
  return opened
}

function checkMetricsFile({ ending, ownFiles }: PipelineDeps, input: Input, others: readonly string[]): void {
  const path = ending?.metricsPath ?? null
  if (path === null) return
  assertNotOurs([path], ownFiles)
  assertBesideUsable(input.files, path, others)
  assertMetricsReplaceable(path)
}

function rowKeyOf({ rowKey = null }: PipelineDeps, { columns }: Input): string | null {
  return rowKey === null ? null : findColumn(columns, rowKey, '--row-key')
}

function groupColumnOf({ groupBy = null }: PipelineDeps, { columns }: Input): string | null {
  return groupBy === null ? null : findColumn(columns, groupBy, '--report-by')
}

/** In the format that its name tells: that of the output may be another. */
function resolveChanges(
  { changesPath = null }: PipelineDeps,
  { bom, memoryBytes }: ResolvedOutput,
): ChangesTarget | null {
  return changesPath === null ? null : changesFile({ path: changesPath, bom, memoryBytes })
}

/** Parsing text once more takes longer than writing it down; DuckDB reads Parquet again in no time. */
function spoolsRows(input: Input, output: ResolvedOutput): boolean {
  return output.format === 'parquet' && input.format !== 'parquet'
}

/** Which columns are asked, reported before anything is; see `chooseColumns`. */
async function settleColumns(
  deps: PipelineDeps,
  input: Input,
  samples: ColumnSamples,
  reader: CheckpointReader | null,
): Promise<AskingRule> {
  const { observe, interrupt, columns: asked, identifierUse } = deps
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

/** Read once: what is decided while the run goes on is honoured by the next one. */
async function readDecided(
  { decisions, observe }: PipelineDeps,
  { path, review }: RunBackend,
  { service, scope }: Connection,
): Promise<DecidedLookups> {
  if (decisions === undefined) return new DecidedLookups(new Map())
  await review?.bringDecisions()
  const { byLookup, notices } = await readStandingDecisions({
    ...decisions,
    checkpointPath: path,
    service: decisionService(service === 'hosted' ? scope : null),
  })
  for (const text of notices) observe({ type: 'notice', text, isWarning: true })
  return new DecidedLookups(byLookup)
}

async function openRunCheckpoint(
  deps: PipelineDeps,
  backend: RunBackend,
  input: Input,
  { scope, service }: Connection,
): Promise<Checkpoint> {
  return backend.openCheckpoint({
    path: backend.path,
    scope,
    job: nameJob(input, deps.history.job),
    acceptRollback: deps.acceptRollback ?? false,
    isBilled: service === 'hosted',
    notice: (text) => {
      deps.observe({ type: 'notice', text })
    },
    nowMs: deps.clock.nowMs(),
    random: deps.random,
  })
}

import { resolve } from 'node:path'
import type { ServiceClient } from '../client/client.js'
import type { ColumnSamples } from './rules/column-content.js'
import { assertNamesFitParquet, assertNoClash } from './rules/columns.js'
import { reportColumns } from './rules/column-report.js'
import { detectColumns, type AskedColumns, type LookupColumns } from './rules/detect-columns.js'
import { formatDuration } from '../core/duration.js'
import { UserError } from '../core/errors.js'
import type { LookupPlan } from './rules/lookup-state.js'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import { explainSystemFailure } from '../platform/system-failure.js'
import { answerLinesOf, type RowCounts } from './output/answer-lines.js'
import { blamingDamage } from './checkpoint/as-damage.js'
import type { Checkpoint } from './checkpoint/checkpoint.js'
import { openCheckpointReader, peekAtCheckpoint } from './checkpoint/reader.js'
import { openCheckpoint, type OpenCheckpointOptions } from './checkpoint/sqlite-checkpoint.js'
import { chooseColumns, sampleColumns } from './column-choice.js'
import type { RunObserver } from './events.js'
import { assertFilesMayGrow } from './file-sizes.js'
import { ingest } from './ingest.js'
import { watchProgress } from './progress-watch.js'
import { assertCheckpointApart, assertNotOurs, type OwnFile } from './own-files.js'
import { openInput, type Input, type InputOptions } from './input/input.js'
import { openWebhooks, type OpenWebhooks, type WebhookOptions } from './inbox/webhooks.js'
import type { RowIndex } from './input/row-index.js'
import { claimWaiting, waitForLost } from './scheduler/lost-submissions.js'
import { Backlog } from './scheduler/backlog.js'
import { runUntilAnswered, type SchedulingOptions } from './scheduler/scheduler.js'
import { summarise, type RunSummary } from './summary.js'
import { createTally } from './tally.js'
import { assertOutputUsable, publish, tryPublishing, type PublishReport } from './output/publish.js'
import {
  resolveOutput,
  writtenPaths,
  type OutputRequest,
  type ResolvedOutput,
} from './output/resolve-output.js'

/** The service to ask: whose answers these are, and how to reach it. Opened once the input is known to be good. */
export interface Connection {
  service: 'hosted' | 'embedded'
  scope: string
  client: ServiceClient
  close(): Promise<void>
}

export interface PipelineOptions {
  input: InputOptions
  columns: AskedColumns
  dedupe: boolean
  output: OutputRequest
  checkpoint: { path: string; maxAgeMs: number | null }
  /** What no output may be written over. */
  ownFiles: readonly OwnFile[]
  /** Another way to the checkpoint of that path: rehearsals die in it. SQLite's if left out. */
  openCheckpoint?: (options: OpenCheckpointOptions) => Checkpoint
  onLost: 'hold' | 'resubmit'
  /** The user knows that the checkpoint is older than its head, or a copy. */
  acceptRollback?: boolean
  /** Lookups whose last outcome is among these are asked again. */
  askAgain: readonly string[]
  scheduling: SchedulingOptions
  webhooks: WebhookOptions
  connect: () => Promise<Connection>
  observe: RunObserver
  interrupt: AbortSignal
  clock: Clock
  random: Random
  stdout?: NodeJS.WritableStream
  /** Goes into the metadata of a Parquet output. */
  metadata: Readonly<Record<string, string>>
}

/** A row's whole walk: read, identify, ask once, wait, join, publish. */
export function runPipeline(options: PipelineOptions): Promise<RunSummary> {
  return blamingDamage(options.checkpoint.path, () => run(options))
}

async function run(options: PipelineOptions): Promise<RunSummary> {
  const startedAtMs = options.clock.monotonicMs()
  const output = resolveOutput(options.output)
  assertNotOurs(writtenPaths(output), options.ownFiles)
  const input = await openInput(options.input)
  try {
    const inputFiles = input.files.map(({ path }) => ({ path, what: 'the input' }))
    assertCheckpointApart(options.checkpoint.path, inputFiles)
    // A guess is told before anything is billed by it.
    for (const text of input.notes()) options.observe({ type: 'notice', text, isWarning: true })
    const samples = await sampleColumns(input)
    detectColumns(input.columns, options.columns, samples)
    checkOutput(input, output, 0)
    const connection = await options.connect()
    try {
      const columns = await settleColumns(options, input, samples, connection.scope)
      const checkpoint = (options.openCheckpoint ?? openCheckpoint)({
        ...options.checkpoint,
        scope: connection.scope,
        job: jobOf(input),
        acceptRollback: options.acceptRollback ?? false,
        isBilled: connection.service === 'hosted',
        notice: (text) => {
          options.observe({ type: 'notice', text })
        },
        nowMs: options.clock.nowMs(),
        random: options.random,
      })
      try {
        const webhooks = await openWebhooks(options.webhooks, options.checkpoint.path, options.clock)
        try {
          const run = { options, input, columns, output, connection, checkpoint, webhooks, startedAtMs }
          return await askAndPublish(run)
        } finally {
          await webhooks?.close()
        }
      } finally {
        checkpoint.close()
      }
    } finally {
      await connection.close()
    }
  } finally {
    await input.close()
  }
}

/** Which columns are asked, told before anything is; see `chooseColumns`. */
async function settleColumns(
  options: PipelineOptions,
  input: Input,
  samples: ColumnSamples,
  scope: string,
): Promise<LookupColumns> {
  const { checkpoint, observe, interrupt } = options
  const reader = peekAtCheckpoint(checkpoint.path, scope)
  try {
    const asked = options.columns
    const { columns, note } = await chooseColumns({ input, asked, samples, reader, signal: interrupt })
    observe({ type: 'columns', ...reportColumns(input.columns, columns, samples) })
    if (note !== null) observe({ type: 'notice', text: note })
    return columns
  } finally {
    reader?.close()
  }
}

interface OpenRun {
  options: PipelineOptions
  input: Input
  columns: LookupColumns
  output: ResolvedOutput
  connection: Connection
  checkpoint: Checkpoint
  webhooks: OpenWebhooks | null
  startedAtMs: number
}

async function askAndPublish(run: OpenRun): Promise<RunSummary> {
  const { options, input, checkpoint } = run
  const index = await ingest({
    input,
    columns: run.columns,
    dedupe: options.dedupe,
    place: (lookups) => checkpoint.want(lookups),
    signal: options.interrupt,
  })
  // The header may have grown while the rows were read: checked once more, before anything is submitted.
  checkOutput(input, run.output, index.rowCount)
  if (options.askAgain.length > 0) {
    await tryOutput(run, index.rowCount)
    await checkpoint.reopen(options.askAgain)
  }
  const beforeLostMs = options.clock.monotonicMs()
  const onLost = await reconcileLostSubmissions(run)
  const lostWaitMs = options.clock.monotonicMs() - beforeLostMs
  const plan = await checkpoint.plan({
    nowMs: options.clock.nowMs(),
    maxAgeMs: options.checkpoint.maxAgeMs,
    onLost,
  })
  const lookupCount = Object.values(plan).reduce((sum, count) => sum + count, 0)
  options.observe({ type: 'planned', rowCount: index.rowCount, lookupCount, plan })
  assertFilesMayGrow(options.checkpoint.path, plan.submit, input, run.output)
  if (plan.submit > 0 && options.askAgain.length === 0) await tryOutput(run, index.rowCount)

  const backlog = new Backlog(plan.submit)
  try {
    return await askAndWrite(run, index, plan, backlog, lostWaitMs)
  } catch (thrown) {
    const error = explainSystemFailure(thrown)
    throw error instanceof UserError && backlog.hasSubmitted ? error.afterSubmissions() : error
  }
}

/**
 * What deliveries say of lost submissions is claimed first; and none is submitted again while one may still come:
 * a run that was billed would be paid for twice. What was not waited out is held.
 */
async function reconcileLostSubmissions({
  options,
  checkpoint,
  webhooks,
}: OpenRun): Promise<PipelineOptions['onLost']> {
  const { onLost, scheduling, clock, interrupt, observe } = options
  if (webhooks === null) return onLost
  await claimWaiting(webhooks.inbox, checkpoint, clock.nowMs())
  if (onLost === 'hold' || webhooks.url === null) return onLost
  const isOver = await waitForLost({
    inbox: webhooks.inbox,
    checkpoint,
    clock,
    polling: scheduling.polling,
    waitMsMax: scheduling.durationMsMax ?? Infinity,
    interrupt,
    onWait: (lostCount, waitMs) => {
      const text = `Up to ${formatDuration(waitMs)} for webhooks that may name the runs of ${lostCount} lost submissions; then they are submitted again.`
      observe({ type: 'notice', text })
    },
  })
  return isOver ? 'resubmit' : 'hold'
}

async function askAndWrite(
  run: OpenRun,
  index: RowIndex,
  plan: Readonly<Record<LookupPlan, number>>,
  backlog: Backlog,
  lostWaitMs: number,
): Promise<RunSummary> {
  const { options, input, checkpoint, connection } = run
  const { clock, random, interrupt } = options
  const { durationMsMax } = options.scheduling
  const { tally, counter } = createTally()
  const progress = watchProgress({ plan, tally, ...options.scheduling, clock, observe: options.observe })
  const stop = await runUntilAnswered({
    checkpoint,
    client: connection.client,
    clock,
    random,
    counter,
    interrupt,
    backlog,
    ...(run.webhooks === null ? {} : { webhooks: run.webhooks }),
    ...options.scheduling,
    durationMsMax: durationMsMax === null ? null : Math.max(0, durationMsMax - lostWaitMs),
  }).finally(progress.end)

  // Ended by its budget, a job is over: the same command is the next one, with a budget of its own.
  if (stop === null || stop.kind === 'lookups_max') await checkpoint.endJob(clock.nowMs())

  const written = stop === null || run.output.partial ? await write(run, index) : null
  const elapsedMs = clock.monotonicMs() - run.startedAtMs
  const summary = summarise({
    service: connection.service,
    stop,
    plan,
    tally,
    index,
    rows: written?.rowCounts ?? new Map(),
    report: written?.report ?? null,
    notes: input.notes(),
    elapsedMs,
    askingMs: progress.elapsedMs(),
  })
  options.observe({ type: 'finished', summary })
  return summary
}

/** An input by its files; where they are, not what is in them: tomorrow's file of this name is the same job. */
function jobOf(input: Input): string {
  return JSON.stringify(input.files.map(({ label }) => resolve(label)))
}

/** Everything about the output that can be known before a submission is billed. */
function checkOutput(input: Input, output: ResolvedOutput, rowCount: number): void {
  assertOutputUsable(input.files, output.path, output.format, rowCount)
  assertNoClash(input.columns, output.columns)
  if (output.format !== 'parquet') return
  assertNamesFitParquet(input.columns)
  // Throws where a type does not fit.
  input.parquetSource()
}

/** What is to be paid for has to find its way out: tried on the first rows, before the first submission. */
async function tryOutput(run: OpenRun, rowCount: number): Promise<void> {
  const { input, output, columns, options } = run
  await tryPublishing({
    input,
    output,
    columns: output.columns,
    basis: output.basis,
    nameColumn: columns.name,
    rowCount,
    metadata: options.metadata,
  })
}

async function write(
  run: OpenRun,
  index: RowIndex,
): Promise<{ report: PublishReport; rowCounts: RowCounts }> {
  const { options, input, output } = run
  input.assertUnchanged()
  options.observe({ type: 'publishing', path: output.path })
  const reader = openCheckpointReader(options.checkpoint.path, null)
  try {
    const { read, rowCounts } = answerLinesOf(index, reader)
    const report = await publish({
      input,
      output,
      columns: output.columns,
      basis: output.basis,
      nameColumn: run.columns.name,
      answerLines: read,
      rowCount: index.rowCount,
      metadata: { ...options.metadata, 'enrich.input_sha256': await input.fingerprint() },
      stdout: options.stdout,
    })
    return { report, rowCounts }
  } finally {
    reader?.close()
  }
}

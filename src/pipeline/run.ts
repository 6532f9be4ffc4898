import { formatCount, plural } from '../core/text.js'
import { UserError } from '../core/errors.js'
import { withCleanup, type CloseLater } from '../platform/close-stack.js'
import { explainSystemFailure } from '../platform/system-limits.js'
import { runLookups, planRun, type Planned } from './run-lookups.js'
import { closeRun } from './close-run.js'
import { diagnoseDamage } from './checkpoint/sqlite/verify.js'
import { createLazyEarlierNames } from './column-choice.js'
import type { OpenRun, PipelineDeps } from './deps.js'
import { openHistory } from './history/history-reader.js'
import { placeLookups, toRegistryRule } from './first/first-answers.js'
import { openEnding, type Ending, getErrorEnd } from './ending/ending.js'
import { ingest, type Ingested } from './ingest.js'
import { openRun, AlreadyPublished } from './open-run.js'
import { describePublished } from './parts/partitioned-job.js'
import { listPartFiles } from './parts/part-ledger.js'
import { createEmptySummary } from './summary.js'
import type { RunBackend } from './backend.js'
import { openBackend } from './open-backend.js'
import { Backlog } from './scheduler/backlog.js'
import { calculateMoneySoFar } from './progress-watch.js'
import type { Prices, Money } from './figures/money.js'
import { planSpending, type PlannedSpending } from './figures/planned-spending.js'
import type { RunSummary } from './figures/run-summary.js'
import { readSpending } from './scheduler/budgets.js'
import { createTally } from './tally.js'
import { assertFilesMayGrow, checkOutput, tryOutput } from './write-output.js'

/** Runs the whole pipeline: reads rows, looks them up, waits for answers, joins and publishes. */
export async function runPipeline(deps: PipelineDeps): Promise<RunSummary> {
  const ending = openEnding(deps)
  try {
    return await runOnBackend(deps, ending)
  } catch (error) {
    await ending.reportError(error)
    throw error
  }
}

function runOnBackend(deps: PipelineDeps, ending: Ending): Promise<RunSummary> {
  return withCleanup(async (closeBackendLater) => {
    const backend = await openBackend(deps, closeBackendLater)
    return diagnoseDamage(backend.path, () =>
      withCleanup((closeLater) => runSteps(deps, backend, ending, closeLater)),
    )
  })
}

async function runSteps(
  deps: PipelineDeps,
  backend: RunBackend,
  ending: Ending,
  closeLater: CloseLater,
): Promise<RunSummary> {
  const run = await openRun(deps, backend, ending, closeLater)
  if (run instanceof AlreadyPublished) return summarizePublishedPart(deps, run)
  const spending: Spending = { prices: deps.requests.prices ?? null, ...createTally(), stages: [] }
  return recordFailure(
    run,
    () => calculateMoneySoFar(spending),
    async () => {
      const read = await readInput(run)
      closeLater(() => read.rowKeys?.close())
      const planned = await planChecked(run, read)
      spending.stages = planned.stages
      const backlog = new Backlog(planned.plan.submit)
      const backlogs = [backlog, ...planned.stages.map((stage) => stage.backlog)]
      return markErrorsAfterSubmissions(backlogs, () => lookUpAndClose(run, read, planned, backlog, spending))
    },
  )
}

/** Counts the cost of a run until its end. */
interface Spending extends ReturnType<typeof createTally> {
  readonly prices: Prices | null
  stages: Planned['stages']
}

/** The part is already published: nothing is submitted or written. */
function summarizePublishedPart(
  { observe }: PipelineDeps,
  { part, partition, connection }: AlreadyPublished,
): RunSummary {
  observe({ type: 'notice', text: describePublished(partition, part) })
  const summary: RunSummary = {
    ...createEmptySummary(connection.service, createTally().tally),
    outputPaths: listPartFiles(part),
    rowCount: part.rowCount,
  }
  observe({ type: 'finished', summary })
  return summary
}

/** Reads the input for the first time: each row becomes a lookup or a reason why it has none. */
async function readInput(run: OpenRun): Promise<Ingested> {
  const { deps, backend, input, rule, rowKeyColumn, groupColumn, connection, checkpoint, decided, first } =
    run
  const { interrupt: signal, observe } = deps
  const told = new Set(input.listNotes())
  const asked = createLazyEarlierNames(() => backend.peek(connection.scope))
  const read = await ingest({
    input,
    rule,
    rowKeyColumn,
    groupColumn,
    dedupe: deps.source.dedupe,
    registryRule: first === null ? null : toRegistryRule(rule),
    place: (lookups, ofRegistry) =>
      placeLookups(decided.markDecided(lookups), ofRegistry, first, async (asked) => {
        const ids = await checkpoint.registerLookups(asked)
        decided.note(asked, ids)
        return ids
      }),
    signal,
    spool: run.rowSpool,
    earlier: asked,
  }).finally(asked.close)
  const notes = [...input.listNotes(), ...read.identifierCounts.listNotes(connection.service === 'hosted')]
  for (const text of notes) if (!told.has(text)) observe({ type: 'notice', text, isWarning: true })
  if (decided.unmetCount > 0) observe({ type: 'notice', text: describeUnmet(decided.unmetCount) })
  // The header may have grown while the rows were read: checked again before anything is submitted.
  checkOutput(input, run.output, read.index.rowCount)
  return read
}

const describeUnmet = (count: number): string =>
  count === 1
    ? '1 decision is for a lookup that is not in this input.'
    : `${formatCount(count)} decisions are for lookups that are not in this input.`

/** Plans the run. If it has costs, the output is tested first. */
async function planChecked(run: OpenRun, { index, identifierCounts }: Ingested): Promise<Planned> {
  const { deps, checkpoint, input, output } = run
  const { rowCount } = index
  const doubts = [...input.listDoubts(), ...identifierCounts.listDoubts()]
  const { askAgain, stages } = deps.requests
  assertSampleFits(run)
  const asksAgain = askAgain.length > 0
  if (asksAgain) {
    assertUndoubted(run, doubts)
    await tryOutput(run, rowCount)
    await checkpoint.reopen(askAgain)
  }
  const planned = await planRun(run)
  const submitCount = planned.asked.plan.submit
  if (submitCount > 0 || planned.stages.some(({ plan }) => plan.submit > 0)) assertUndoubted(run, doubts)
  const asksMore = submitCount > 0 || stages.asked.length > 0
  deps.observe({
    type: 'planned',
    rowCount,
    spending: await describeSpending(run, planned),
    ...planned.asked,
  })
  assertFilesMayGrow(run.backend.path, submitCount, input, output)
  if (asksMore && !asksAgain) await tryOutput(run, rowCount)
  return planned
}

/**
 * Throws INPUT_DOUBTFUL before lookups of an input that may be read wrongly are billed, unless the user accepted that,
 * for this run or for an earlier one that it resumes.
 */
function assertUndoubted(run: OpenRun, doubts: readonly string[]): void {
  const { deps, connection } = run
  const { acceptsDoubtful = false, scheduling } = deps.requests
  const isBilled = connection.service === 'hosted' && scheduling.lookupsMax !== 0
  if (!isBilled || doubts.length === 0 || acceptsDoubtful || resumesAccepted(run)) return
  const [first = '', ...others] = doubts
  const more =
    others.length === 0 ? '' : `, and ${plural(others.length, 'more doubt', 'more doubts')} (see above)`
  throw new UserError('INPUT_DOUBTFUL', `the input may be read wrongly: ${first}${more}`, {
    hint: 'correct the file, or pass the flag that reads it right, like --delimiter; if it is read right, pass --accept-doubtful-input; nothing was submitted',
  })
}

/** Returns whether the last runs over the same files were accepted and ended without an output. */
function resumesAccepted({ backend, history }: OpenRun): boolean {
  const reader = openHistory(backend.path)
  try {
    const { input, scope } = history.record
    for (const { number, isPublished, record } of reader?.runs() ?? []) {
      if (number === history.run || record?.input.list !== input.list || record?.scope !== scope) continue
      if (isPublished) return false
      const { acceptDoubtful } = (record.settings['input'] ?? {}) as { acceptDoubtful?: boolean }
      if (acceptDoubtful === true) return true
    }
    return false
  } finally {
    reader?.close()
  }
}

/** Throws USAGE_INVALID if the sample alone exceeds the budget. */
function assertSampleFits({ first, deps }: OpenRun): void {
  const { lookupsMax } = deps.requests.scheduling
  const sampleCount = first?.counts.sampleCount ?? 0
  if (lookupsMax === null || sampleCount <= lookupsMax) return
  throw new UserError(
    'USAGE_INVALID',
    `the sample of --check-sample has ${plural(sampleCount, 'lookup')}, and --max-lookups allows ${lookupsMax}`,
    { hint: 'lower --check-sample, or raise --max-lookups; nothing was submitted' },
  )
}

/** Describes the planned spending, without lookups that follow from answers. `null` if nothing is billed. */
async function describeSpending(
  { deps, checkpoint, connection }: OpenRun,
  { plan, stages }: Planned,
): Promise<PlannedSpending | null> {
  if (connection.service === 'embedded') return null
  const { scheduling, prices = null, stages: options } = deps.requests
  const { lookupsMax, cost = null } = scheduling
  const isBounded = lookupsMax !== null || cost !== null
  const demands = stages.map(({ kind, plan: own }) => {
    const certain = kind === 'domain' ? 0 : own.submit
    return { kind, certain, atMost: options.asked.includes(kind) ? null : certain }
  })
  const byDomain = stages.find(({ kind }) => kind === 'domain')?.plan.submit ?? 0
  const spent = isBounded ? await readSpending(checkpoint) : null
  return planSpending({ byName: plan.submit, byDomain, stages: demands }, { prices, lookupsMax, cost, spent })
}

async function lookUpAndClose(
  run: OpenRun,
  read: Ingested,
  planned: Planned,
  backlog: Backlog,
  { tally, counter }: Spending,
): Promise<RunSummary> {
  const { domainCount } = planned.asked
  const asked = await runLookups(run, { ...planned, index: read.index, backlog, tally, counter })
  return closeRun(run, { ...planned, ...asked, ...read, domainCount, tally })
}

async function markErrorsAfterSubmissions<Result>(
  backlogs: readonly Backlog[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    const error = explainSystemFailure(thrown)
    throw error instanceof UserError && backlogs.some(({ hasSubmitted }) => hasSubmitted)
      ? error.markAfterSubmissions()
      : error
  }
}

/** Records an error or an early interruption in the history. */
async function recordFailure<Result>(
  run: OpenRun,
  moneySoFar: () => Money | null,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    const error = explainSystemFailure(thrown)
    const { history, timeline, ending, deps } = run
    const { exitCode, failure } = getErrorEnd(error, deps.interrupt)
    const money = moneySoFar()
    history.note({ error: failure, money, timeline: timeline.points() })
    await ending.reportError(error, { run: history.run, money })
    await history.end(exitCode)
    throw error
  }
}

import { plural } from '../core/text.js'
import { UserError } from '../core/errors.js'
import type { Checkpoint } from './checkpoint/checkpoint.js'
import { buildStageLookup } from './checkpoint/lookup.js'
import { type PlannedLookups, createTally, type KindRun, type Tally } from './history/run-figures.js'
import type { DecidedLookups } from './decisions/decided-lookups.js'
import { planSpending, type PlannedSpending } from '../core/planned-spending.js'
import { type Stop, buildStagePolicy } from './scheduler/scheduling.js'
import type { FirstAnswers } from './answers/first-answers.js'
import type { RunHistory } from './history/run-history.js'
import type { OpenWebhooks } from './open-backend.js'
import type { Ingested, LookupRule } from './input/ingest.js'
import {
  type LookupPlan,
  type PlanPolicy,
  lookupKinds,
  stageKinds,
  type StageKind,
} from '../core/lookup-state.js'
import type { DecidedRows } from './answers/stage-questions.js'
import { type RunOutputs, type RunTable, assertFilesMayGrow, tryOutputs } from './open-files.js'
import type { RunOrder, Connection, RunContext } from './order.js'
import { Backlog, type RunCounter, readSpending, settleLostSubmissions } from './scheduler/scheduler.js'

export interface AskedService {
  readonly connection: Connection
  readonly checkpoint: Checkpoint
  /** The lookups that an own registry answers; null without one. */
  readonly first: FirstAnswers | null
  /** Decisions at the start of the run. */
  readonly decided: DecidedLookups
  /** Null if no webhooks are expected. */
  readonly webhooks: OpenWebhooks | null
}

type Plan = Readonly<Record<LookupPlan, number>>

export interface Planned {
  plan: Plan
  /** The resolutions to submit. */
  backlog: Backlog
  /** Time spent waiting for lost submissions, and for the own registry. */
  waitMs: number
  /** Each further kind to look up; lookups that follow from answers are not planned yet. */
  stages: readonly StageRun[]
  /** Lookups of the rows, over all kinds. */
  asked: PlannedLookups
}

/** State of a kind that a run looks up in addition to resolutions. */
export interface StageRun extends KindRun {
  readonly kind: StageKind
  readonly plan: Record<LookupPlan, number>
  stop: Stop | null
  readonly tally: Tally
  readonly counter: RunCounter
  readonly backlog: Backlog
  readonly policy: Omit<PlanPolicy, 'nowMs'>
}

/** Plans the run once the outcomes of lost submissions are known. */
export async function planRun(context: RunContext, service: AskedService): Promise<Planned> {
  const { clock } = context.services
  const { order, services } = context
  const { store, requests } = order
  const { maxAgeMs } = store.checkpoint
  const fromMs = clock.monotonicMs()
  const onLost = await settleLostSubmissions({
    checkpoint: service.checkpoint,
    webhooks: service.webhooks,
    onLost: requests.onLost,
    scheduling: requests.scheduling,
    stages: requests.stages,
    clock,
    interrupt: services.interrupt,
    notice: (text) => {
      services.observe({ type: 'notice', text })
    },
  })
  const waitMs = clock.monotonicMs() - fromMs + (service.first?.facts.elapsedMs ?? 0)
  const knowsEarlierRuns = service.connection.service === 'hosted'
  const policy = { nowMs: clock.nowMs(), maxAgeMs, onLost, knowsEarlierRuns }
  await tellFromFuture(context, service)
  const plan = await service.checkpoint.plan({ ...policy, askAgain: requests.askAgain })
  const stages = await planStages(requests, service, policy)
  const asked = countRowLookups(plan, stages)
  return { plan, backlog: new Backlog(plan.submit), waitMs, stages, asked }
}

/**
 * Says that answers dated in the future are not looked up again for `--max-age`. Their dates stay: it may be this clock
 * that is wrong.
 */
async function tellFromFuture({ order, services }: RunContext, { checkpoint }: AskedService): Promise<void> {
  const { checkpoint: own } = order.store
  const stages = Object.values(order.requests.stages.kinds)
  if ([own, ...stages].every(({ maxAgeMs }) => maxAgeMs === null)) return
  let count = 0
  for (const kind of lookupKinds)
    count += await checkpoint.forKind(kind).read('future_answers', { nowMs: services.clock.nowMs() })
  if (count === 0) return
  const text = `${plural(count, 'answer is', 'answers are')} dated in the future: the clock is or was wrong. For --max-age, they are not old.`
  services.observe({ type: 'notice', text, isWarning: true })
}

/** At this point, the domain stage contains only lookups of rows. */
function countRowLookups(plan: Plan, stages: readonly StageRun[]): PlannedLookups {
  const sumPlan = (one: Plan) => Object.values(one).reduce((sum, count) => sum + count, 0)
  const whole = { ...plan }
  for (const stage of stages)
    if (stage.kind === 'domain')
      for (const state of Object.keys(whole) as LookupPlan[]) whole[state] += stage.plan[state]
  return { lookupCount: sumPlan(whole), domainCount: sumPlan(whole) - sumPlan(plan), plan: whole }
}

interface StageLookups {
  readonly checkpoint: Pick<Checkpoint, 'forKind'>
  readonly decided: Pick<DecidedRows, 'companies'>
}

/**
 * Plans the lookups of rows by domain, and the records of decided companies, which are needed even without the stage.
 * Lookups that follow from answers are planned later. `policy` is that of resolutions.
 */
export async function planStages(
  { stages: options, askAgain }: Pick<RunOrder['requests'], 'stages' | 'askAgain'>,
  run: StageLookups,
  { nowMs, ...policy }: Pick<PlanPolicy, 'nowMs' | 'onLost' | 'maxAgeMs' | 'knowsEarlierRuns'>,
): Promise<StageRun[]> {
  const stages: StageRun[] = []
  for (const kind of stageKinds) {
    const own = { ...buildStagePolicy(kind, options, policy), askAgain }
    // The record of a decided company expires like an answer, unless records have their own maximum age.
    if (kind === 'entity')
      await registerRecords(run, { ...own, nowMs, maxAgeMs: own.maxAgeMs ?? policy.maxAgeMs })
    const plan = await run.checkpoint.forKind(kind).plan({ ...own, nowMs })
    const lookupCount = Object.values(plan).reduce((sum, count) => sum + count, 0)
    if (!options.asked.includes(kind) && lookupCount === 0) continue
    const { tally, counter } = createTally()
    const backlog = new Backlog(plan.submit, false)
    stages.push({ kind, plan, stop: null, tally, counter, backlog, policy: own })
  }
  return stages
}

/** Records registered at once; each batch is one commit of the checkpoint. */
const wantedAtOnce = 5_000

async function registerRecords({ checkpoint, decided }: StageLookups, policy: PlanPolicy): Promise<void> {
  const { companies } = decided
  for (let start = 0; start < companies.length; start += wantedAtOnce) {
    const some = companies.slice(start, start + wantedAtOnce)
    await checkpoint.forKind('entity').follow(
      some.map((entityId) => buildStageLookup('entity', entityId)),
      policy,
    )
  }
}

interface PlannedRun {
  readonly table: RunTable
  readonly outputs: RunOutputs
  readonly service: AskedService & { readonly rule: LookupRule }
  readonly history: RunHistory
  readonly read: Ingested
}

/** Plans the run and reports the plan. If it has costs, the output is tested first. Throws before anything is billed. */
export async function planChecked(context: RunContext, run: PlannedRun): Promise<Planned> {
  const { table, outputs, service, read } = run
  const { order, services, backend } = context
  const { rowCount } = read.index
  const { askAgain, stages } = order.requests
  const tryAll = () => tryOutputs(context, table, outputs, service.rule, rowCount)
  assertSampleFits(order, service)
  const asksAgain = askAgain.length > 0
  if (asksAgain) {
    await assertUndoubted(context, run)
    await tryAll()
  }
  const planned = await planRun(context, service)
  tellRetry(context, service)
  const submitCount = planned.asked.plan.submit
  if (submitCount > 0 || planned.stages.some(({ plan }) => plan.submit > 0))
    await assertUndoubted(context, run)
  if (submitCount > 0) await tellOtherService(context, run)
  const asksMore = submitCount > 0 || stages.asked.length > 0
  services.observe({
    type: 'planned',
    rowCount,
    spending: await describeSpending(order, service, planned),
    ...planned.asked,
  })
  assertFilesMayGrow(backend.path, submitCount, table.input, outputs.output)
  if (asksMore && !asksAgain) await tryAll()
  return planned
}

/**
 * Throws INPUT_DOUBTFUL before lookups of an input that may be read wrongly are billed, unless the user accepted that,
 * for this run or for an earlier one that it resumes.
 */
async function assertUndoubted(
  context: RunContext,
  { table, service, history, read }: PlannedRun,
): Promise<void> {
  const doubts = [...table.input.listDoubts(), ...read.identifierCounts.listDoubts()]
  const { acceptsDoubtful = false, scheduling } = context.order.requests
  const isBilled = service.connection.service === 'hosted' && scheduling.lookupsMax !== 0
  if (!isBilled || doubts.length === 0 || acceptsDoubtful || (await resumesAccepted(history))) return
  const [first = '', ...others] = doubts
  const more =
    others.length === 0 ? '' : `, and ${plural(others.length, 'more doubt', 'more doubts')} (see above)`
  throw new UserError('INPUT_DOUBTFUL', `the input may be read wrongly: ${first}${more}`, {
    hint: 'correct the file, or pass the flag that reads it right, like --delimiter; if it is read right, pass --accept-doubtful-input; nothing was submitted',
  })
}

/** Says whether a retry continues, before it submits anything. */
function tellRetry({ services }: RunContext, { checkpoint }: AskedService): void {
  const { retry } = checkpoint.store
  if (retry === null) return
  const since = new Date(retry.startedAtMs).toISOString().slice(0, 16).replace('T', ' ')
  const text = retry.isContinued
    ? `Continuing the retry of ${since} UTC: what it has submitted is not submitted again.`
    : retry.isRepeated
      ? 'The last retry of these statuses is complete: this is a new one.'
      : null
  if (text !== null) services.observe({ type: 'notice', text })
}

/** Says that answers of another service are not used, before a list that it has answered is billed at this one. */
async function tellOtherService({ services }: RunContext, { service, history }: PlannedRun): Promise<void> {
  // A damaged history stops no run.
  if (service.connection.service !== 'hosted' || history.identity === null) return
  const { input, scope } = history.record
  const earlier = (await history.reader.runs()).filter(
    ({ number, record }) => number !== history.identity?.run && record?.input.list === input.list,
  )
  const others = earlier.map(({ record }) => record?.scope ?? '').filter((one) => /^https?:/.test(one))
  const [other] = others
  if (other === undefined || others.includes(scope)) return
  const text = `Earlier runs of this list used ${other}. Its answers are not used: ${scope} bills the lookups again.`
  services.observe({ type: 'notice', text, isWarning: true })
}

/** Returns whether the last runs over the same files were accepted and ended without an output. */
async function resumesAccepted(history: RunHistory): Promise<boolean> {
  const { input, scope } = history.record
  for (const { number, isPublished, record } of await history.reader.runs()) {
    if (number === history.identity?.run || record?.input.list !== input.list || record?.scope !== scope)
      continue
    if (isPublished) return false
    const { acceptDoubtful } = (record.settings['input'] ?? {}) as { acceptDoubtful?: boolean }
    if (acceptDoubtful === true) return true
  }
  return false
}

/** Throws USAGE_INVALID if the sample alone exceeds the budget. */
function assertSampleFits({ requests }: RunOrder, { first }: AskedService): void {
  const { lookupsMax } = requests.scheduling
  const sampleCount = first?.facts.sampleCount ?? 0
  if (lookupsMax === null || sampleCount <= lookupsMax) return
  throw new UserError(
    'USAGE_INVALID',
    `the sample of --check-sample has ${plural(sampleCount, 'lookup')}, and --max-lookups allows ${lookupsMax}`,
    { hint: 'lower --check-sample, or raise --max-lookups; nothing was submitted' },
  )
}

/** Describes the planned spending, without lookups that follow from answers. `null` if nothing is billed. */
async function describeSpending(
  { requests }: RunOrder,
  { checkpoint, connection }: AskedService,
  { plan, stages }: Planned,
): Promise<PlannedSpending | null> {
  if (connection.service === 'embedded') return null
  const { scheduling, prices = null, stages: options } = requests
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

import { estimateEtaMs } from './history/run-figures.js'
import type { CostLimit, Prices } from '../core/money.js'
import type { InspectionServices, RowInspection } from './inspect-rows.js'
import type { RunOrder } from './order.js'
import { type SchedulerLimits, type StageOptions, buildStagePolicy } from './scheduler/scheduling.js'
import { type Sqlite, openSqlite } from '../platform/sqlite.js'
import {
  type StageKind,
  stageKinds,
  type LookupKind,
  type LookupPlan,
  type PlanPolicy,
  createEmptyPlan,
  planLookup,
} from '../core/lookup-state.js'
import type { readStageAnswers, FindDecision } from './answers/stage-answers.js'
import { type CheckpointReader, type KeyedLookup, buildStageLookup } from './checkpoint/lookup.js'
import type { LookupId } from '../core/lookup-identity.js'
import type { DecidedLookups } from './decisions/decided-lookups.js'
import { type PlannedSpending, planSpending } from '../core/planned-spending.js'
import { nameJob } from './input/input.js'
import { type FirstPlan, planFirst } from './answers/first-rule.js'

/** Further keys are stored on disk, to bound memory. */
const keysInMemoryMax = 20_000

/** A set of keys that moves to disk when it gets large. */
class DistinctKeys {
  readonly #inMemory = new Set<string>()
  #onDisk: { database: Sqlite; isNew: (key: Uint8Array) => boolean } | null = null

  /** Adds keys. Returns the indexes of the new ones. */
  add(keys: readonly Uint8Array[]): number[] {
    if (this.#onDisk === null && this.#inMemory.size + keys.length > keysInMemoryMax) this.#moveToDisk()
    const findNewIndexes = (isNew: (key: Uint8Array) => boolean) =>
      keys.flatMap((key, index) => (isNew(key) ? [index] : []))
    if (this.#onDisk === null) return findNewIndexes((key) => this.#isNewInMemory(key))
    const { database, isNew } = this.#onDisk
    return database.transaction(() => findNewIndexes(isNew))()
  }

  #isNewInMemory(key: Uint8Array): boolean {
    const sizeBefore = this.#inMemory.size
    return this.#inMemory.add(Buffer.from(key).toString('latin1')).size > sizeBefore
  }

  #moveToDisk(): void {
    const database = openSqlite('', { synchronous: 'NORMAL', journal: 'OFF' })
    database.exec('CREATE TABLE seen (key BLOB PRIMARY KEY) WITHOUT ROWID')
    const insert = database.prepare<[Uint8Array]>('INSERT OR IGNORE INTO seen VALUES (?)')
    this.#onDisk = { database, isNew: (key) => insert.run(key).changes > 0 }
    database.transaction(() => {
      for (const text of this.#inMemory) insert.run(Buffer.from(text, 'latin1'))
    })()
    this.#inMemory.clear()
  }

  close(): void {
    this.#onDisk?.database.close()
  }
}

/** The lookups of a stage, before the run. */
interface StagePlan {
  readonly kind: StageKind
  /** Counts of the lookups that follow from the stored answers. */
  readonly plan: Readonly<Record<LookupPlan, number>>
  /** Maximum number of further lookups: one for each row lookup without an answer. */
  readonly moreMax: number
  /** Maximum number of billed requests, further ones included. */
  readonly submitMax: number
  /** Time that the rate limits allow, for the certain requests and for the maximum. */
  readonly limitMs: { readonly min: number; readonly max: number }
}

interface StagePlanDeps {
  readonly rows: PlannedRows
  readonly getPolicy: (kind: StageKind) => PlanPolicy
  /** `null` if no stage is configured. */
  readonly answersOf: typeof readStageAnswers | null
}

/** Counts the lookups that follow from answers and decisions, each company and domain once. */
class StagePlanCounter {
  readonly #deps: StagePlanDeps
  readonly #asked: readonly StageKind[]
  readonly #listPlans = new Map<StageKind, Record<LookupPlan, number>>()
  readonly #seen = new DistinctKeys()
  /** Companies chosen by reviewers whose record is not stored yet, so that their further lookups are unknown. */
  #unreadCount = 0

  constructor(deps: StagePlanDeps) {
    this.#deps = deps
    this.#asked = stageKinds.filter((kind) => deps.rows.stages.asked.includes(kind))
    for (const kind of this.#asked) this.#listPlans.set(kind, createEmptyPlan())
  }

  /** Adds answered or decided row lookups, each once. */
  add(ids: readonly LookupId[], reader: CheckpointReader | null, decidedOf: FindDecision): void {
    const { answersOf, getPolicy } = this.#deps
    this.#addRecords(
      ids.flatMap((id) => decidedOf(id)?.decision.entityId ?? []),
      reader,
    )
    if (reader === null || answersOf === null) return
    for (const answers of answersOf(reader, ids, this.#asked, decidedOf)) {
      for (const kind of this.#asked) {
        const answer = answers[kind]
        if (answer === undefined || !this.#isNew(kind, answer.name)) continue
        this.#count(kind, answer.known === null ? 'submit' : planLookup(answer.known, getPolicy(kind)))
      }
    }
  }

  /** Counts records of decided companies. They are read without the stage too, and expire like answers unless the stage has a maximum age. */
  #addRecords(entityIds: readonly string[], reader: CheckpointReader | null): void {
    const { getPolicy, rows } = this.#deps
    const names = entityIds.filter((name) => this.#isNew('entity', name))
    const policy = getPolicy('entity')
    const whole = { ...policy, maxAgeMs: policy.maxAgeMs ?? rows.maxAgeMs }
    const lookups = names.map((name) => buildStageLookup('entity', name))
    const known = reader?.readAnswers(reader.find(lookups)) ?? names.map(() => null)
    for (const record of known) {
      this.#count('entity', record === null ? 'submit' : planLookup(record, whole))
      if (record?.state !== 'answered') this.#unreadCount++
    }
  }

  #isNew(kind: StageKind, name: string): boolean {
    return this.#seen.add([Buffer.from(`${kind} ${name}`)]).length > 0
  }

  #count(kind: StageKind, what: LookupPlan): void {
    const plan = this.#listPlans.get(kind) ?? createEmptyPlan()
    this.#listPlans.set(kind, plan)
    plan[what]++
  }

  listPlans(unansweredCount: number): StagePlan[] {
    const { rows } = this.#deps
    return stageKinds.flatMap((kind) => {
      const plan = this.#listPlans.get(kind)
      if (plan === undefined) return []
      const { lookupsMax, limits } = rows.stages.kinds[kind]
      const ofRecords = kind === 'entity' ? 0 : this.#unreadCount
      const moreMax = this.#asked.includes(kind) ? unansweredCount + ofRecords : 0
      const submitMax = Math.min(plan.submit + moreMax, lookupsMax ?? Infinity)
      const perWindow = Math.min(limits.submissionsPerWindow ?? Infinity, limits.pollsPerWindow ?? Infinity)
      const toMs = (count: number) => (count / perWindow) * rows.limits.windowMs
      const limitMs = { min: toMs(Math.min(plan.submit, submitMax)), max: toMs(submitMax) }
      return [{ kind, plan, moreMax, submitMax, limitMs }]
    })
  }

  close(): void {
    this.#seen.close()
  }
}

/** Counts distinct lookups by the action of a run. */
class PlanCounter {
  readonly plan = createEmptyPlan()
  /** Lookups by domain instead of by name. */
  domainCount = 0
  /** Number of them that are still to be submitted. */
  domainSubmitCount = 0
  /** Number of row lookups that may still get an answer from which further lookups follow. */
  openCount = 0
  readonly #seen = new DistinctKeys()

  constructor(
    private readonly getPolicy: (kind: LookupKind) => PlanPolicy,
    private readonly stages: StagePlanCounter,
  ) {}

  onBatch(
    lookups: readonly KeyedLookup[],
    ids: readonly LookupId[],
    reader: CheckpointReader | null,
    decided: DecidedLookups,
  ): void {
    const known = reader?.readAnswers(ids) ?? []
    const fresh = this.#seen.add(lookups.map(({ key }) => key))
    for (const index of fresh) {
      const lookup = known[index] ?? null
      const { kind = 'resolution', isDecided = false, isCheck = false } = lookups[index] ?? {}
      const planned = isDecided
        ? 'decided'
        : lookup === null
          ? 'submit'
          : planLookup(lookup, this.getPolicy(kind))
      this.plan[planned]++
      if (!isCheck && ['submit', 'poll', 'uncertain'].includes(planned)) this.openCount++
      if (kind !== 'domain') continue
      this.domainCount++
      if (planned === 'submit') this.domainSubmitCount++
    }
    const isSettled = (index: number) =>
      lookups[index]?.isCheck !== true &&
      (known[index]?.state === 'answered' || lookups[index]?.isDecided === true)
    this.stages.add(
      fresh.filter(isSettled).map((index) => ids[index] ?? 0),
      reader,
      (id) => decided.findById(id),
    )
  }

  close(): void {
    this.#seen.close()
  }
}

/** Calculates the cost of the run without a budget, and the point at which the budget stops it. */
function planRowSpending(
  { reader, input }: RowInspection,
  { plan, domainSubmitCount }: Pick<PlanCounter, 'plan' | 'domainSubmitCount'>,
  stages: readonly StagePlan[],
  { prices, budget, job }: PlannedRows,
): PlannedSpending {
  const byKind = reader?.read('spent_of_job', nameJob(input, job)) ?? new Map<LookupKind, number>()
  const demands = stages.map(({ kind, plan, submitMax }) => ({
    kind,
    certain: Math.min(plan.submit, submitMax),
    atMost: submitMax,
  }))
  return planSpending(
    { byName: plan.submit - domainSubmitCount, byDomain: domainSubmitCount, stages: demands },
    {
      prices,
      lookupsMax: budget.lookupsMax,
      cost: budget.cost ?? null,
      spent: { byKind, byRows: byKind.get('resolution') ?? 0 },
    },
  )
}

/** The parts of a run's order by which its lookups are planned. */
export interface PlannedRows {
  readonly stages: StageOptions
  readonly limits: SchedulerLimits
  readonly maxAgeMs: number | null
  readonly onLost: RunOrder['requests']['onLost']
  readonly isHosted: boolean
  readonly prices: Prices | null
  readonly budget: { readonly lookupsMax: number | null; readonly cost?: CostLimit | undefined }
  /** Name of the job; null if derived from the input. */
  readonly job: string | null
}

/** The lookups of inspected rows, their cost and the time that the limits allow. */
export interface RowPlan {
  /** Distinct row lookups by the action of a run. */
  readonly plan: Record<LookupPlan, number>
  /** The part of these by domain instead of by name. */
  readonly domainCount: number
  /** Maximum number of row lookups that the run submits; the budget may allow fewer than `plan.submit`. */
  readonly billedMax: number
  readonly stages: readonly StagePlan[]
  /** Null unless an own registry answers first. */
  readonly first: FirstPlan | null
  readonly spending: PlannedSpending
  /** Time that the rate limits of row lookups require. */
  readonly limitMs: number
}

interface RowPlanner {
  /** For `inspectRows`. */
  readonly onBatch: NonNullable<InspectionServices['onBatch']>
  plan(found: RowInspection): RowPlan
  close(): void
}

/**
 * Plans the lookups of rows while they are inspected: those of the rows, those that follow from known answers, their
 * cost and time. Nothing is submitted. The caller closes the planner.
 *
 * @example
 * const planner = await createRowPlanner(rows, Date.now())
 * await inspectRows(source, { ...services, onBatch: planner.onBatch }, async (found) => print(planner.plan(found)))
 */
export async function createRowPlanner(rows: PlannedRows, nowMs: number): Promise<RowPlanner> {
  const { maxAgeMs, onLost, isHosted, limits, prices } = rows
  const policy = { nowMs, maxAgeMs, onLost, knowsEarlierRuns: isHosted }
  const getPolicy = (kind: LookupKind): PlanPolicy =>
    kind === 'resolution' ? policy : buildStagePolicy(kind, rows.stages, policy)
  // Imported only for stages, because it contains the list of public suffixes of domains.
  const answersOf =
    rows.stages.asked.length === 0 ? null : (await import('./answers/stage-answers.js')).readStageAnswers
  const stages = new StagePlanCounter({ rows, getPolicy, answersOf })
  const counter = new PlanCounter(getPolicy, stages)
  return {
    onBatch: counter.onBatch.bind(counter),
    plan: (found) => {
      const { plan, domainCount } = counter
      const stagePlans = stages.listPlans(counter.openCount)
      const spending = planRowSpending(found, counter, stagePlans, rows)
      const billedMax = Math.min(plan.submit, spending.stop?.lookupCount ?? plan.submit)
      const requests = {
        toSubmit: billedMax,
        running: plan.poll,
        pollsPerAnswer: 1,
        runs: null,
        answersPerMs: 0,
      }
      return {
        plan,
        domainCount,
        billedMax,
        stages: stagePlans,
        first: found.first === null ? null : planFirst(found.first.facts, plan.submit, prices),
        spending,
        limitMs: estimateEtaMs({ ...requests, ...limits }) ?? 0,
      }
    },
    close: () => {
      counter.close()
      stages.close()
    },
  }
}

import { type Clock, WakeSignal } from '../../platform/clock.js'
import type { Checkpoint, PendingRun } from '../checkpoint/checkpoint.js'
import type { LookupId } from '../../core/lookup-identity.js'
import type { PollingPace, SchedulerLimits } from './scheduling.js'
import { AnswerRecorder, type AnswerRecorderDeps } from './answer-recorder.js'
import type { Backlog, RunCounter } from './work.js'
import { type KindBudgets, Reservations } from './budgets.js'
import { WebhookAddress, type KindContext } from './kind-context.js'
import type { KindPaces } from './kind-paces.js'
import { Poller } from './poller.js'
import { Submitter } from './submitter.js'
import { at, toText } from '../../core/json.js'
import { buildStageLookup } from '../checkpoint/lookup.js'
import type { LookupPlan, PlanPolicy, StageKind } from '../../core/lookup-state.js'
import {
  buildDecidedQuestions,
  buildStageQuestions,
  type DecidedRows,
  type StageQuestion,
} from '../answers/stage-questions.js'

export interface KindMachineDeps {
  limits: Omit<SchedulerLimits, 'pollsPerWindow'>
  budgets: KindBudgets
  polling: PollingPace
  paces: KindPaces
  /** URL to which the service sends answers; null if not used. */
  webhookUrl: string | null
  /** Called if the response to a submission was lost, which a webhook may still name. */
  onLost: ((lookupId: LookupId) => void) | null
  followMerges: AnswerRecorderDeps['followMerges']
  onAnswered: AnswerRecorderDeps['onAnswered']
  answersAreChecked: boolean
}

/** Submits and polls the lookups of one kind. */
export class KindMachine {
  readonly checkpoint: Checkpoint
  readonly poller: Poller
  readonly recorder: AnswerRecorder
  readonly address: WebhookAddress
  readonly backlog: Backlog
  readonly counter: RunCounter
  readonly #submitter: Submitter
  readonly #moreSignal: WakeSignal

  constructor(own: Omit<KindContext, 'address'>, deps: KindMachineDeps) {
    const { checkpoint, protocol, clock, backlog, counter } = own
    const { limits, budgets, polling, paces } = deps
    this.checkpoint = checkpoint
    this.backlog = backlog
    this.counter = counter
    this.#moreSignal = new WakeSignal(clock)
    this.address = new WebhookAddress(protocol.hasEvents ? deps.webhookUrl : null, counter)
    const kind: KindContext = { ...own, address: this.address }
    this.recorder = new AnswerRecorder({ ...own, ...deps })
    this.poller = new Poller(kind, {
      ...limits,
      polling,
      pace: paces.polls,
      recorder: this.recorder,
      roomSignal: this.#moreSignal,
      onDisproved: (customId) => {
        counter.count('disproved')
        budgets.budget?.onNotCreated(customId)
      },
    })
    this.#submitter = new Submitter(kind, {
      ...limits,
      reservations: new Reservations(budgets),
      pace: paces.submissions,
      poller: this.poller,
      recorder: this.recorder,
      onLost: deps.onLost,
      wakeSignal: this.#moreSignal,
    })
  }

  /** Adds lookups to submit and runs to poll. */
  add(toSubmitCount: number, open: readonly PendingRun[]): void {
    this.backlog.add(toSubmitCount)
    this.poller.takeOver(open)
    if (toSubmitCount > 0) this.#moreSignal.ring()
  }

  /** Notes that no more lookups will be added. */
  readonly complete = (): void => {
    this.backlog.complete()
    this.#moreSignal.ring()
  }

  /**
   * Submits and polls. Both promises resolve when nothing is left to do, or after a stop. If one rejects, the caller
   * must stop the other one, which may wait for it. `lostAreOver`: see WebhookIngestor.
   */
  run(lostAreOver: () => Promise<void>): Promise<void>[] {
    const submitting = this.#submitter.run().then(lostAreOver)
    return [submitting.finally(this.poller.finishAdding), this.poller.run()]
  }
}

/** Answers read at once; each has up to 10 kB. */
const pageCount = 200

/** Target of the follow-up lookups of one kind. */
export interface StageSink {
  machine: Pick<KindMachine, 'checkpoint' | 'add' | 'backlog'>
  policy: Omit<PlanPolicy, 'nowMs'>
  /** Counts of the planned lookups. */
  plan: Record<LookupPlan, number>
}

interface StagePlannerDeps {
  sinks: ReadonlyMap<StageKind, StageSink>
  /** For decided rows, the follow-up lookups of the chosen company replace those of the answer. */
  decided: DecidedRows
  /** Whether nothing follows from the answer of a row lookup. */
  isCheck: (lookupId: LookupId) => boolean
  clock: Clock
  /** Aborted: no more answers are read. */
  stopSignal: AbortSignal
}

/** Plans the follow-up lookups of answers: of new ones as they arrive, and of the known ones. */
export class StagePlanner {
  readonly #deps: StagePlannerDeps
  #hasLate = false

  constructor(deps: StagePlannerDeps) {
    this.#deps = deps
  }

  /** Whether lookups were added after their kind was complete: they need another round. */
  get hasLate(): boolean {
    return this.#hasLate
  }

  /** Plans the lookups that follow from a new answer. They are durable when this resolves. */
  async planFromAnswer(checkpoint: Checkpoint, lookupId: LookupId, readRun: () => unknown): Promise<void> {
    if (this.#deps.sinks.size === 0) return
    const run = readRun()
    if (checkpoint.kind === 'entity')
      await this.#planQuestions(this.#buildRecordQuestions(readEntityId(run), at(run, 'data')))
    const asked = this.#deps.isCheck(lookupId) ? null : await checkpoint.read('row_lookup', { lookupId })
    if (asked !== null) await this.#planQuestions(buildStageQuestions(checkpoint.kind, asked, run))
  }

  /** Plans the lookups that follow from decisions, if the records of the chosen companies are known. */
  async planFromDecisions(records: Pick<Checkpoint, 'read'>): Promise<void> {
    const { sinks, decided, stopSignal } = this.#deps
    if (sinks.size === 0) return
    await this.#planQuestions(decided.withoutCompany.flatMap((one) => buildDecidedQuestions(one, null)))
    for (let start = 0; start < decided.companies.length && !stopSignal.aborted; start += pageCount) {
      const questions = decided.companies.slice(start, start + pageCount).map(async (entityId) => {
        const { key } = buildStageLookup('entity', entityId)
        const owner = await records.read('owner', { key })
        const body = owner === null ? null : await records.read('body', { lookupId: owner.lookupId })
        return this.#buildRecordQuestions(entityId, body === null ? null : at(JSON.parse(body), 'data'))
      })
      await this.#planQuestions((await Promise.all(questions)).flat())
    }
  }

  #buildRecordQuestions(entityId: string, record: unknown): StageQuestion[] {
    return this.#deps.decided.listByCompany(entityId).flatMap((one) => buildDecidedQuestions(one, record))
  }

  /** Plans the lookups that follow from earlier answers, in pages. */
  async planFromKnownAnswers(checkpoint: Checkpoint): Promise<void> {
    const { sinks, isCheck, stopSignal } = this.#deps
    if (sinks.size === 0) return
    for (let position = 0; !stopSignal.aborted;) {
      const page = await checkpoint.read('row_answers', { after: position, count: pageCount })
      await this.#planQuestions(
        page.flatMap(({ lookupId, asked, body }) =>
          isCheck(lookupId) ? [] : buildStageQuestions(checkpoint.kind, asked, JSON.parse(body)),
        ),
      )
      position = page.at(-1)?.position ?? position
      if (page.length < pageCount) return
    }
  }

  async #planQuestions(questions: readonly StageQuestion[]): Promise<void> {
    const { sinks, clock } = this.#deps
    const asking = [...sinks].map(async ([kind, { machine, policy, plan }]) => {
      const names = new Set(questions.filter((question) => question.kind === kind).map(({ name }) => name))
      if (names.size === 0) return
      const lookups = [...names].map((name) => buildStageLookup(kind, name))
      const followed = await machine.checkpoint.follow(lookups, { ...policy, nowMs: clock.nowMs() })
      for (const state of Object.keys(plan) as LookupPlan[]) plan[state] += followed.plan[state]
      this.#hasLate ||= followed.plan.submit + followed.open.length > 0 && machine.backlog.isComplete
      machine.add(followed.plan.submit, followed.open)
    })
    await Promise.all(asking)
  }
}

/** The run id of a record contains its entity id. */
const readEntityId = (run: unknown): string => (toText(at(run, 'run_id')) ?? '').replace(/^entity:/, '')

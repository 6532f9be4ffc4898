import type { Lookup } from '../../core/identity.js'
import { at, textOf } from '../../core/lenient.js'
import type { Clock } from '../../platform/clock.js'
import { stageLookup } from '../checkpoint/lookup-key.js'
import type { Checkpoint, LookupId } from '../checkpoint/checkpoint.js'
import type { LookupKind, StageKind } from '../rules/lookup-kind.js'
import type { LookupPlan, PlanPolicy } from '../rules/lookup-state.js'
import {
  decidedQuestions,
  stageQuestions,
  type DecidedRows,
  type StageQuestion,
} from '../rules/stage-questions.js'
import type { KindMachine } from './kind-machine.js'

/** Answers read at a time: each is up to some ten kilobytes. */
const pageCount = 200

/** What follows from answers, of one kind: who asks it, and by what policy. */
export interface StageSink {
  machine: Pick<KindMachine, 'checkpoint' | 'add' | 'backlog'>
  policy: Omit<PlanPolicy, 'nowMs'>
  /** Grows with what is planned. */
  plan: Record<LookupPlan, number>
}

export interface StageFeedDeps {
  sinks: ReadonlyMap<StageKind, StageSink>
  /** What follows from the records of companies that people decided for is asked in place of what follows from answers. */
  decided: DecidedRows
  clock: Clock
  /** Aborted: nothing more is looked for. */
  stopSignal: AbortSignal
}

/** Asks what follows from the answers to rows' first questions: from each as it comes, and from those that are known. */
export class StageFeed {
  readonly #deps: StageFeedDeps
  #hasLate = false

  constructor(deps: StageFeedDeps) {
    this.#deps = deps
  }

  /** Whether anything followed after its kind had been told that nothing more would: nobody has asked it yet. */
  get hasLate(): boolean {
    return this.#hasLate
  }

  /** An answer was recorded. What it leads to is durable when this resolves. */
  async answered(checkpoint: Checkpoint, lookupId: LookupId, run: unknown): Promise<void> {
    if (this.#deps.sinks.size === 0) return
    if (checkpoint.kind === 'entity') await this.#ask(this.#ofRecord(companyOf(run), at(run, 'data')))
    const asked = await checkpoint.firstQuestion(lookupId)
    if (asked !== null) await this.#ask(stageQuestions(checkpoint.kind, asked, run))
  }

  /** What follows from what people decided, as far as the records of the companies are here. */
  async feedDecided(records: Pick<Checkpoint, 'ownerOfKey' | 'bodyOf'>): Promise<void> {
    const { sinks, decided, stopSignal } = this.#deps
    if (sinks.size === 0) return
    await this.#ask(decided.withoutCompany.flatMap((one) => decidedQuestions(one, null)))
    for (let start = 0; start < decided.companies.length && !stopSignal.aborted; start += pageCount) {
      const page = decided.companies.slice(start, start + pageCount)
      const questions = page.map(async (entityId) => {
        const owner = await records.ownerOfKey(stageLookup('entity', entityId).key)
        const body = owner === null ? null : await records.bodyOf(owner.lookupId)
        return this.#ofRecord(entityId, body === null ? null : at(JSON.parse(body), 'data'))
      })
      await this.#ask((await Promise.all(questions)).flat())
    }
  }

  #ofRecord(entityId: string, record: unknown): StageQuestion[] {
    return this.#deps.decided.ofCompany(entityId).flatMap((one) => decidedQuestions(one, record))
  }

  /** What was answered before this run: a page at a time. */
  async feedKnown(checkpoint: Checkpoint): Promise<void> {
    const { sinks, stopSignal } = this.#deps
    if (sinks.size === 0) return
    let position = 0
    while (!stopSignal.aborted) {
      const page = await checkpoint.firstAnswers(position, pageCount)
      await this.#ask(page.flatMap(({ asked, body }) => questionsOf(checkpoint.kind, asked, body)))
      position = page.at(-1)?.position ?? position
      if (page.length < pageCount) return
    }
  }

  async #ask(questions: readonly StageQuestion[]): Promise<void> {
    const { sinks, clock } = this.#deps
    const asking = [...sinks].map(async ([kind, { machine, policy, plan }]) => {
      const names = new Set(questions.filter((question) => question.kind === kind).map(({ name }) => name))
      if (names.size === 0) return
      const lookups = [...names].map((name) => stageLookup(kind, name))
      const followed = await machine.checkpoint.follow(lookups, { ...policy, nowMs: clock.nowMs() })
      for (const state of Object.keys(plan) as LookupPlan[]) plan[state] += followed.plan[state]
      const isMore = followed.plan.submit > 0 || followed.open.length > 0
      if (isMore && machine.backlog.isComplete) this.#hasLate = true
      machine.add(followed.plan.submit, followed.open)
    })
    await Promise.all(asking)
  }
}

/** Whose record it is: runs of records are known by that. */
const companyOf = (run: unknown): string => (textOf(at(run, 'run_id')) ?? '').replace(/^entity:/, '')

const questionsOf = (kind: LookupKind, asked: Lookup, body: string) =>
  stageQuestions(kind, asked, JSON.parse(body) as unknown)

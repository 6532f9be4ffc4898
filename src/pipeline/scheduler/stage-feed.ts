import type { Lookup } from '../../core/identity.js'
import type { Clock } from '../../platform/clock.js'
import { stageLookup } from '../checkpoint/lookup-key.js'
import type { Checkpoint, LookupId } from '../checkpoint/checkpoint.js'
import type { LookupKind, StageKind } from '../rules/lookup-kind.js'
import type { LookupPlan, PlanPolicy } from '../rules/lookup-state.js'
import { stageQuestions, type StageQuestion } from '../rules/stage-questions.js'
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
    const asked = await checkpoint.firstQuestion(lookupId)
    if (asked !== null) await this.#ask(stageQuestions(checkpoint.kind, asked, run))
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

const questionsOf = (kind: LookupKind, asked: Lookup, body: string) =>
  stageQuestions(kind, asked, JSON.parse(body) as unknown)

import { Checkpoint } from '../../src/pipeline/checkpoint/checkpoint.js'
import type { LookupStore } from '../../src/pipeline/checkpoint/lookup-store.js'
import type { Inbox } from '../../src/pipeline/checkpoint/inbox.js'
import type { Transport } from '../../src/client/transport.js'

/** One process: it counts its steps and dies at one of them, between two instructions like a real one. */
export class Life {
  stepCount = 0
  isDead = false
  /** What the dead process had been told was durable. */
  readonly accepted = new Map<string, string>()
  readonly answered = new Map<number, string>()
  /** Submissions that it took to be accepted, and was told were not. */
  readonly disproved = new Set<string>()
  /** Whether it began to write down that a job is over. */
  endsJob = false

  constructor(
    private readonly dieAtStep: number,
    private readonly onDeath: () => void,
  ) {}

  /** Whether it is still alive after this step. */
  step(): boolean {
    if (!this.isDead && ++this.stepCount === this.dieAtStep) {
      this.isDead = true
      this.onDeath()
    }
    return !this.isDead
  }
}

const never = () => new Promise<never>(() => undefined)

/** Before and after every call the process may die; nothing is heard of the call then. */
async function mortalCall<Result>(life: Life, call: () => Promise<Result>): Promise<Result> {
  if (!life.step()) return never()
  const result = await call()
  return life.step() ? result : never()
}

export const mortalCheckpoint = (checkpoint: Checkpoint, life: Life): Checkpoint =>
  new Checkpoint(mortalStore(checkpoint.store, life))

function mortalStore(store: LookupStore, life: Life): LookupStore {
  return {
    others: store.others,
    register: (lookups) => mortalCall(life, () => store.register(lookups)),
    plan: (kind, policy, followUps) => mortalCall(life, () => store.plan(kind, policy, followUps)),
    intend: (kind, id, nowMs, bounds) => mortalCall(life, () => store.intend(kind, id, nowMs, bounds)),
    change: async (kind, update, decide) => {
      if (update.event === 'disprove') life.disproved.add(update.customId)
      const outcome = await mortalCall(life, () => store.change(kind, update, decide))
      const isDone: unknown = outcome
      if (update.event === 'accept' && isDone !== 'uncertain')
        life.accepted.set(update.customId, update.runId)
      if (update.event === 'answer' && isDone === true)
        life.answered.set(update.lookupId, update.answer.runId)
      return outcome
    },
    // Looking back is no step: it would only move the deaths of every kept seed.
    read: (kind, name, given) =>
      name === 'recent_submissions'
        ? store.read(kind, name, given)
        : mortalCall(life, () => store.read(kind, name, given)),
    endJob: (kind, nowMs) =>
      mortalCall(life, () => {
        life.endsJob = true
        return store.endJob(kind, nowMs)
      }),
    retry: store.retry,
    history: store.history,
    close: () => store.close(),
  }
}

/** An inbox on disk outlives whoever takes from it. */
export function mortalInbox(inbox: Inbox, life: Life): Inbox {
  return {
    // It is told of what comes: looking four times a virtual second would take a third of the time.
    lookMs: 5_000,
    receive: (eventId, body, nowMs) => inbox.receive(eventId, body, nowMs),
    // Looking in vain, four times a second, is no step: nearly every death would be in one.
    listWaiting: async (after) => {
      const page = life.isDead ? [] : await inbox.listWaiting(after)
      return page.length === 0 || life.step() ? page : []
    },
    settle: (position, state, reason) => mortalCall(life, () => inbox.settle(position, state, reason)),
    requeue: () => mortalCall(life, () => inbox.requeue()),
    close: () => undefined,
  }
}

export function mortalTransport(transport: Transport, life: Life): Transport {
  return {
    exchange: (request) => mortalCall(life, () => transport.exchange(request)),
    close: () => transport.close(),
  }
}

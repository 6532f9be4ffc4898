import type { Checkpoint } from '../../src/pipeline/checkpoint/checkpoint.js'
import type { Inbox, OwnInbox } from '../../src/pipeline/inbox/inbox.js'
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

export function mortalCheckpoint(checkpoint: Checkpoint, life: Life): Checkpoint {
  return {
    id: checkpoint.id,
    kind: checkpoint.kind,
    forKind: (kind) => mortalCheckpoint(checkpoint.forKind(kind), life),
    follow: (lookups, policy) => mortalCall(life, () => checkpoint.follow(lookups, policy)),
    listRowAnswers: (after, count) => mortalCall(life, () => checkpoint.listRowAnswers(after, count)),
    findRowLookup: (id) => mortalCall(life, () => checkpoint.findRowLookup(id)),
    findByKey: (key) => mortalCall(life, () => checkpoint.findByKey(key)),
    updateHistory: (change) => mortalCall(life, () => checkpoint.updateHistory(change)),
    markNotCreated: (id, customId, reason) => {
      life.disproved.add(customId)
      return mortalCall(life, () => checkpoint.markNotCreated(id, customId, reason))
    },
    registerLookups: (lookups) => mortalCall(life, () => checkpoint.registerLookups(lookups)),
    plan: (policy) => mortalCall(life, () => checkpoint.plan(policy)),
    reopen: (outcomes) => mortalCall(life, () => checkpoint.reopen(outcomes)),
    nextToSubmit: (after, count) => mortalCall(life, () => checkpoint.nextToSubmit(after, count)),
    listOpenRuns: () => mortalCall(life, () => checkpoint.listOpenRuns()),
    intend: (id, nowMs, bounds) => mortalCall(life, () => checkpoint.intend(id, nowMs, bounds)),
    // None of these is a step where nobody else writes.
    waitForOtherWorkers: (signal, what) => checkpoint.waitForOtherWorkers(signal, what),
    countSettledByOthers: () => checkpoint.countSettledByOthers(),
    copyForReading: () => checkpoint.copyForReading(),
    accept: async (id, customId, runId, nowMs) => {
      const isSettled = await mortalCall(life, () => checkpoint.accept(id, customId, runId, nowMs))
      if (isSettled !== 'uncertain') life.accepted.set(customId, runId)
      return isSettled
    },
    withdraw: (id, customId, reason, mayBeBilled) =>
      mortalCall(life, () => checkpoint.withdraw(id, customId, reason, mayBeBilled)),
    reject: (id, customId, reason) => mortalCall(life, () => checkpoint.reject(id, customId, reason)),
    markUncertain: (id, customId, reason) =>
      mortalCall(life, () => checkpoint.markUncertain(id, customId, reason)),
    claim: (customId, runId, nowMs) => mortalCall(life, () => checkpoint.claim(customId, runId, nowMs)),
    findByRun: (runId) => mortalCall(life, () => checkpoint.findByRun(runId)),
    listLostSince: (afterMs, among) => mortalCall(life, () => checkpoint.listLostSince(afterMs, among)),
    // Looking back is no step: it would only move the deaths of every kept seed.
    listRecentSubmissions: (afterMs, countMax) => checkpoint.listRecentSubmissions(afterMs, countMax),
    readBody: (id) => mortalCall(life, () => checkpoint.readBody(id)),
    answer: async (id, answer) => {
      const isFirst = await mortalCall(life, () => checkpoint.answer(id, answer))
      if (isFirst) life.answered.set(id, answer.runId)
      return isFirst
    },
    setNeedsAttention: (id, reason) => mortalCall(life, () => checkpoint.setNeedsAttention(id, reason)),
    countSpent: () => mortalCall(life, () => checkpoint.countSpent()),
    countSpentByRows: () => mortalCall(life, () => checkpoint.countSpentByRows()),
    endJob: (nowMs) =>
      mortalCall(life, () => {
        life.endsJob = true
        return checkpoint.endJob(nowMs)
      }),
    close: () => checkpoint.close(),
  }
}

/** An inbox on disk outlives whoever takes from it. */
export function mortalInbox(inbox: OwnInbox, life: Life): Inbox {
  return {
    // It is told of what comes: looking four times a virtual second would take a third of the time.
    lookMs: 5_000,
    receive: (eventId, body, nowMs) => inbox.receive(eventId, body, nowMs),
    // Looking in vain, four times a second, is no step: nearly every death would be in one.
    listWaiting: (after) => {
      const page = life.isDead ? [] : inbox.listWaiting(after)
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

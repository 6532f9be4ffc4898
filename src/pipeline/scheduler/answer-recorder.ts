import { runObjectLenient, type RunObjectLenient } from '../../contract/resolution.js'
import { contradicts } from '../answers/delivery.js'
import { provenOwner, MixedUpRuns, type HeldAnswer } from '../answers/misdirected.js'
import { lineVersions } from '../answers/stage-lines.js'
import type { Clock } from '../../platform/clock.js'
import type { Checkpoint, LookupId, OpenRun, RunContender } from '../checkpoint/checkpoint.js'
import type { Protocol } from './protocol.js'
import type { RunCounter } from './run-counter.js'

/** A final answer to the run that was asked for, and why it belongs to another lookup, if it does. */
export interface FinalAnswer {
  run: RunObjectLenient
  failed: boolean
  misdirected: string | null
}

/**
 * What became of an answer: `written`, or known before; `moved`, its run was proved to be another lookup's, which has
 * it now; `held`, not written, since it is, or may be, another lookup's.
 */
export type Recorded =
  | { kind: 'written' }
  | { kind: 'moved' }
  | { kind: 'held'; reason: string }
  /** The service had given it and another lookup each other's run, and both are answered now. */
  | { kind: 'exchanged'; otherId: LookupId }

type Answered = Pick<OpenRun, 'lookupId' | 'runId' | 'customId' | 'name'>

/** An answer as it is written: as it was sent, and with its merged ids followed. */
interface Followed {
  sent: RunObjectLenient
  answer: RunObjectLenient
  outcome: string
}

export interface AnswerRecorderDeps {
  checkpoint: Pick<Checkpoint, 'contenders' | 'award' | 'answer' | 'bodyOf' | 'exchangeRuns'>
  protocol: Pick<Protocol, 'kind' | 'outcomeOf' | 'render' | 'deviationsOf'>
  /** Follows merged ids to their end; text is the reason why the answer is held. */
  followMerges: (answer: RunObjectLenient) => Promise<RunObjectLenient | string>
  /** Called with each answer once it is durable: what follows from it is asked. */
  onAnswered: (lookupId: LookupId, answer: RunObjectLenient) => Promise<void>
  clock: Clock
  /** The service has held its answers to the contract of this very version: nothing in them can deviate. */
  answersAreChecked: boolean
  counter: RunCounter
}

/** Writes final answers, whether a poll or a webhook brought them: one path, so that both are one thing. */
export class AnswerRecorder {
  readonly #deps: AnswerRecorderDeps
  readonly #mixedUp = new MixedUpRuns()

  constructor(deps: AnswerRecorderDeps) {
    this.#deps = deps
  }

  /**
   * Durable when it resolves. The first answer to a run stands: the same once more is nothing, another one is
   * counted as a contradiction. `isCounted`: whether this run of the command asks for the lookup.
   */
  async record(
    run: Answered,
    { run: sent, failed, misdirected }: FinalAnswer,
    isCounted = true,
  ): Promise<Recorded> {
    let owner = misdirected === null ? null : await this.#provenOwner(run.runId, sent)
    if (misdirected === null) this.isOwn(run)
    else if (owner === null) {
      const { lookupId, runId, customId, name } = run
      const pair = this.#mixedUp.note({ lookupId, runId, customId, name, run: sent, failed })
      const isSettled = pair !== null && isCounted && (await this.#exchange(...pair))
      return isSettled
        ? { kind: 'exchanged', otherId: pair[1].lookupId }
        : { kind: 'held', reason: misdirected }
    }
    const outcome = this.#deps.protocol.outcomeOf(sent, failed)
    const answer = outcome === 'merged' ? await this.#deps.followMerges(sent) : sent
    if (typeof answer === 'string') return { kind: 'held', reason: answer }
    const followed = { sent, answer, outcome }
    if (owner === null && (await this.#write(run, followed, isCounted, false))) return { kind: 'written' }
    owner ??= await this.#provenOwner(run.runId, sent)
    return this.#writeContested(run, owner, followed, isCounted)
  }

  /** The service answered for this run with what belongs to its lookup. */
  isOwn({ customId }: Pick<OpenRun, 'customId'>): void {
    this.#mixedUp.forget(customId)
  }

  /** Both lookups get the answer that proves to be theirs. False where their runs are others by now, or one is held. */
  async #exchange(one: HeldAnswer, other: HeldAnswer): Promise<boolean> {
    const { checkpoint, clock } = this.#deps
    if (!(await checkpoint.exchangeRuns(one, other, clock.nowMs()))) return false
    const write = ({ lookupId, customId, name }: HeldAnswer, { runId, run, failed }: HeldAnswer) =>
      this.record({ lookupId, customId, name, runId }, { run, failed, misdirected: null })
    await Promise.all([write(one, other), write(other, one)])
    return true
  }

  /** The service gave the run to several submissions: the answer goes where it proves to belong, or nowhere. */
  async #writeContested(
    run: { lookupId: LookupId; runId: string },
    owner: RunContender | null,
    followed: Followed,
    isCounted: boolean,
  ): Promise<Recorded> {
    const { checkpoint, clock, counter } = this.#deps
    const { runId } = run
    const reason = `the service named ${runId} for several submissions, and its answer does not prove for which`
    if (owner === null) return { kind: 'held', reason }
    const isMoved = owner.lookupId !== run.lookupId
    if (isMoved) {
      if (!(await checkpoint.award(owner.customId, runId, clock.nowMs()))) return { kind: 'held', reason }
      counter.count('claimed')
      counter.count('lost')
    }
    await this.#write({ lookupId: owner.lookupId, runId }, followed, isCounted, true)
    return { kind: isMoved ? 'moved' : 'written' }
  }

  async #provenOwner(runId: string, sent: RunObjectLenient): Promise<RunContender | null> {
    const contenders = await this.#deps.checkpoint.contenders(runId)
    return contenders.length > 1 ? provenOwner(sent, contenders) : null
  }

  /** False where the run is contested, and the answer is not proved to be this lookup's. */
  async #write(
    { lookupId, runId }: { lookupId: LookupId; runId: string },
    { sent, answer, outcome }: Followed,
    isCounted: boolean,
    isProved: boolean,
  ): Promise<boolean> {
    const { checkpoint, clock, counter, protocol, answersAreChecked } = this.#deps
    const line = {
      runId,
      state: outcome === 'failed' ? 'failed' : 'answered',
      outcome,
      line: protocol.render(answer),
      lineVersion: lineVersions[protocol.kind],
      body: JSON.stringify(answer),
      answeredAtMs: clock.nowMs(),
    } as const
    const isFirst = await checkpoint.answer(lookupId, line, isProved)
    if (isFirst === 'contested') return false
    counter.released(lookupId)
    if (!isFirst) await this.#compare(lookupId, sent)
    else if (isCounted) {
      counter.answered(outcome)
      if (!answersAreChecked) for (const deviation of protocol.deviationsOf(sent)) counter.deviated(deviation)
    }
    // A record is there though its build failed: more may follow from whose it is.
    const leadsOn = line.state === 'answered' || protocol.kind === 'entity'
    if (isFirst && isCounted && leadsOn) await this.#deps.onAnswered(lookupId, answer)
    return true
  }

  async #compare(lookupId: LookupId, sent: RunObjectLenient): Promise<void> {
    const body = await this.#deps.checkpoint.bodyOf(lookupId)
    const first = body === null ? null : runObjectLenient.safeParse(JSON.parse(body))
    if (first?.success !== true || contradicts(first.data, sent)) this.#deps.counter.count('contradictions')
  }
}

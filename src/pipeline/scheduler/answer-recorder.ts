import { runObjectLenient, type RunObjectLenient } from '../../contract/resolution.js'
import { isContradiction } from '../answers/delivery.js'
import { readConfidence } from '../answers/outcome.js'
import { findProvenOwner, SwappedRunDetector, type HeldAnswer } from '../answers/misdirected.js'
import { lineVersions } from '../answers/stage-lines.js'
import type { Clock } from '../../platform/clock.js'
import type { Checkpoint, LookupId, OpenRun, RunContender } from '../checkpoint/checkpoint.js'
import type { RecordedAnswer } from './deps.js'
import type { FinalAnswer, Protocol } from './protocol.js'
import type { RunCounter } from './backlog.js'

/**
 * The result of recording an answer: `written` (now or earlier); `moved`: the run belongs to another lookup, which has
 * the answer now; `held`: not written, since it is or may be another lookup's answer.
 */
export type RecordResult =
  | { kind: 'written' }
  | { kind: 'moved' }
  | { kind: 'held'; reason: string }
  /** The service had swapped the runs of this lookup and another one; both are answered now. */
  | { kind: 'exchanged'; otherId: LookupId }

type AnsweredRun = Pick<OpenRun, 'lookupId' | 'runId' | 'customId' | 'name'>

/** An answer as sent, its outcome, and the answer with its merged ids resolved, if it has any. */
interface ResolvedAnswer {
  final: FinalAnswer
  merged: RunObjectLenient | null
  outcome: string
}

export interface AnswerRecorderDeps {
  checkpoint: Pick<Checkpoint, 'listContenders' | 'assignRun' | 'answer' | 'readBody' | 'swapRuns'>
  protocol: Pick<Protocol, 'kind' | 'getOutcome' | 'render' | 'findDeviations'>
  /** Follows merged ids to the last one. Returns a text, the reason, if the answer must be held. */
  followMerges: (answer: RunObjectLenient) => Promise<RunObjectLenient | string>
  /** Called with each answer once it is durable, to plan the follow-up lookups. */
  onAnswered: (lookupId: LookupId, answer: RecordedAnswer) => Promise<void>
  clock: Clock
  /** The service validates its answers against this version of the contract: no deviations are possible. */
  answersAreChecked: boolean
  counter: RunCounter
}

/** Writes final answers from polls and from webhooks. */
export class AnswerRecorder {
  readonly #deps: AnswerRecorderDeps
  readonly #mixedUp = new SwappedRunDetector()

  constructor(deps: AnswerRecorderDeps) {
    this.#deps = deps
  }

  /**
   * Records an answer; it is durable when this resolves. Only the first answer to a run is kept: an equal one is
   * ignored, a different one is counted as a contradiction. `isCounted`: whether this run requests the lookup.
   */
  async record(run: AnsweredRun, final: FinalAnswer, isCounted = true): Promise<RecordResult> {
    const { failed, misdirected, prepared } = final
    let owner = misdirected === null ? null : await this.#findRunOwner(run.runId, final.run)
    if (misdirected === null) this.confirmRun(run)
    else if (owner === null) {
      const { lookupId, runId, customId, name } = run
      const pair = this.#mixedUp.note({ lookupId, runId, customId, name, run: final.run, failed })
      const isSettled = pair !== null && isCounted && (await this.#exchange(...pair))
      return isSettled
        ? { kind: 'exchanged', otherId: pair[1].lookupId }
        : { kind: 'held', reason: misdirected }
    }
    const outcome = prepared?.outcome ?? this.#deps.protocol.getOutcome(final.run, failed)
    const merged = outcome === 'merged' ? await this.#deps.followMerges(final.run) : null
    if (typeof merged === 'string') return { kind: 'held', reason: merged }
    const followed = { final, merged, outcome }
    if (owner === null && (await this.#write(run, followed, isCounted, false))) return { kind: 'written' }
    owner ??= await this.#findRunOwner(run.runId, final.run)
    return this.#writeContested(run, owner, followed, isCounted)
  }

  /** Marks the run as confirmed: the service returned the data of this lookup. */
  confirmRun({ customId }: Pick<OpenRun, 'customId'>): void {
    this.#mixedUp.forget(customId)
  }

  /** Writes each answer to the other lookup. Returns false if their runs have changed, or one is held. */
  async #exchange(one: HeldAnswer, other: HeldAnswer): Promise<boolean> {
    const { checkpoint, clock } = this.#deps
    if (!(await checkpoint.swapRuns(one, other, clock.nowMs()))) return false
    const write = ({ lookupId, customId, name }: HeldAnswer, { runId, run, failed }: HeldAnswer) =>
      this.record({ lookupId, customId, name, runId }, { run, failed, misdirected: null })
    await Promise.all([write(one, other), write(other, one)])
    return true
  }

  /** Writes the answer of a run that the service gave to several submissions, if it proves to which it belongs. */
  async #writeContested(
    run: { lookupId: LookupId; runId: string },
    owner: RunContender | null,
    followed: ResolvedAnswer,
    isCounted: boolean,
  ): Promise<RecordResult> {
    const { checkpoint, clock, counter } = this.#deps
    const { runId } = run
    const reason = `the service returned ${runId} for several submissions, and the answer does not show to which it belongs`
    if (owner === null) return { kind: 'held', reason }
    const isMoved = owner.lookupId !== run.lookupId
    if (isMoved) {
      if (!(await checkpoint.assignRun(owner.customId, runId, clock.nowMs()))) return { kind: 'held', reason }
      counter.count('claimed')
      counter.count('disproved')
      counter.count('lost')
    }
    await this.#write({ lookupId: owner.lookupId, runId }, followed, isCounted, true)
    return { kind: isMoved ? 'moved' : 'written' }
  }

  async #findRunOwner(runId: string, sent: RunObjectLenient): Promise<RunContender | null> {
    const contenders = await this.#deps.checkpoint.listContenders(runId)
    return contenders.length > 1 ? findProvenOwner(sent, contenders) : null
  }

  /** Returns false if several lookups claim the run, and the answer is not proved to belong to this one. */
  async #write(
    { lookupId, runId }: { lookupId: LookupId; runId: string },
    { final, merged, outcome }: ResolvedAnswer,
    isCounted: boolean,
    isProved: boolean,
  ): Promise<boolean> {
    const { checkpoint, clock, counter, protocol, answersAreChecked } = this.#deps
    const { prepared } = final
    const head = {
      runId,
      state: outcome === 'failed' ? 'failed' : 'answered',
      outcome,
      lineVersion: lineVersions[protocol.kind],
      answeredAtMs: clock.nowMs(),
    } as const
    const readAnswer = () => merged ?? final.run
    const content =
      prepared === undefined
        ? { line: protocol.render(readAnswer()), body: JSON.stringify(readAnswer()) }
        : { packed: prepared.packed }
    const isFirst = await checkpoint.answer(lookupId, { ...head, ...content }, isProved)
    if (isFirst === 'contested') return false
    counter.unmarkHeld(lookupId)
    if (!isFirst) await this.#compare(lookupId, final.run)
    else if (isCounted) {
      counter.countAnswer(outcome)
      if (!answersAreChecked)
        for (const deviation of protocol.findDeviations(final.run)) counter.countDeviation(deviation)
    }
    // An entity record exists even if its build failed: its domain may be looked up.
    const leadsOn = head.state === 'answered' || protocol.kind === 'entity'
    if (isFirst && isCounted && leadsOn) {
      const confidence = prepared === undefined ? readConfidence(readAnswer()) : prepared.confidence
      await this.#deps.onAnswered(lookupId, {
        outcome,
        confidence,
        get run() {
          return readAnswer()
        },
      })
    }
    return true
  }

  async #compare(lookupId: LookupId, sent: RunObjectLenient): Promise<void> {
    const body = await this.#deps.checkpoint.readBody(lookupId)
    const first = body === null ? null : runObjectLenient.safeParse(JSON.parse(body))
    if (first?.success !== true || isContradiction(first.data, sent))
      this.#deps.counter.count('contradictions')
  }
}

import { runObjectLenient, type RunObjectLenient } from '../../contract/result.js'
import { isContradiction, readConfidence } from './outcome.js'
import { lineVersions } from '../answers/stage-lines.js'
import type { Clock } from '../../platform/clock.js'
import type { Checkpoint } from '../checkpoint/checkpoint.js'
import type { LookupId } from '../../core/lookup-identity.js'
import type { RecordedAnswer, RunCounter } from './work.js'
import type { FinalAnswer, Protocol } from './protocol.js'

export interface AnswerRecorderDeps {
  checkpoint: Pick<Checkpoint, 'apply' | 'read'>
  protocol: Pick<Protocol, 'kind' | 'answers'>
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

  constructor(deps: AnswerRecorderDeps) {
    this.#deps = deps
  }

  /**
   * Records an answer that belongs to the run; it is durable when this resolves. Only the first answer to a run is kept:
   * an equal one is ignored, a different one is counted as a contradiction. Returns the reason to hold the answer, which
   * is then not written; else `null`. `isCounted`: whether this run requests the lookup.
   */
  async record(
    { lookupId, runId }: { lookupId: LookupId; runId: string },
    final: FinalAnswer,
    isCounted = true,
  ): Promise<string | null> {
    const { checkpoint, clock, counter, protocol, answersAreChecked, followMerges } = this.#deps
    const { failed, prepared } = final
    const outcome = prepared?.outcome ?? protocol.answers.getOutcome(final.run, failed)
    const merged = outcome === 'merged' ? await followMerges(final.run) : null
    if (typeof merged === 'string') return merged
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
        ? { line: protocol.answers.render(readAnswer()), body: JSON.stringify(readAnswer()) }
        : { packed: prepared.packed }
    const isNew = await checkpoint.apply({
      event: 'answer',
      lookupId,
      answer: { ...head, ...content },
    })
    counter.unmarkHeld(lookupId)
    if (!isNew) await this.#compare(lookupId, final.run)
    else if (isCounted) {
      counter.countAnswer(outcome)
      if (!answersAreChecked)
        for (const deviation of protocol.answers.findDeviations(final.run)) counter.countDeviation(deviation)
    }
    // An entity record exists even if its build failed: its domain may be looked up.
    const leadsOn = head.state === 'answered' || protocol.kind === 'entity'
    if (isNew && isCounted && leadsOn) {
      const confidence = prepared === undefined ? readConfidence(readAnswer()) : prepared.confidence
      await this.#deps.onAnswered(lookupId, {
        outcome,
        confidence,
        get run() {
          return readAnswer()
        },
      })
    }
    return null
  }

  async #compare(lookupId: LookupId, sent: RunObjectLenient): Promise<void> {
    const body = await this.#deps.checkpoint.read('body', { lookupId })
    const first = body === null ? null : runObjectLenient.safeParse(JSON.parse(body))
    if (first?.success !== true || isContradiction(first.data, sent))
      this.#deps.counter.count('contradictions')
  }
}

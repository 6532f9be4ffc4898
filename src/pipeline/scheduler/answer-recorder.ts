import type { ServiceClient } from '../../client/client.js'
import { runObjectLenient, type RunObjectLenient } from '../../contract/resolution.js'
import { answerLineVersion, renderAnswer } from '../rules/answer-line.js'
import { contradicts } from '../rules/delivery.js'
import { followMerge, mergedIntoOf, withChain } from '../rules/merged.js'
import { provenOwner } from '../rules/misdirected.js'
import { findSchemaDeviations } from '../rules/schema-deviations.js'
import { outcomeOf } from '../rules/outcome.js'
import type { Clock } from '../../platform/clock.js'
import type { Checkpoint, LookupId, RunContender } from '../checkpoint/checkpoint.js'
import type { Pace } from './pace.js'
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
export type Recorded = { kind: 'written' } | { kind: 'moved' } | { kind: 'held'; reason: string }

/** An answer as it is written: as it was sent, and with its merged ids followed. */
interface Followed {
  sent: RunObjectLenient
  answer: RunObjectLenient
  outcome: string
}

export interface AnswerRecorderDeps {
  checkpoint: Pick<Checkpoint, 'contenders' | 'award' | 'answer' | 'bodyOf'>
  client: Pick<ServiceClient, 'readEntity'>
  clock: Clock
  /** That of reading entities: merged ids are followed. */
  pace: Pick<Pace, 'turn'>
  /** Aborted: nothing more is read. */
  stopSignal: AbortSignal
  /** The service has held its answers to the contract of this very version: nothing in them can deviate. */
  answersAreChecked: boolean
  counter: RunCounter
}

/** Writes final answers, whether a poll or a webhook brought them: one path, so that both are one thing. */
export class AnswerRecorder {
  readonly #deps: AnswerRecorderDeps

  constructor(deps: AnswerRecorderDeps) {
    this.#deps = deps
  }

  /**
   * Durable when it resolves. The first answer to a run stands: the same once more is nothing, another one is
   * counted as a contradiction. `isCounted`: whether this run of the command asks for the lookup.
   */
  async record(
    run: { lookupId: LookupId; runId: string },
    { run: sent, failed, misdirected }: FinalAnswer,
    isCounted = true,
  ): Promise<Recorded> {
    let owner = misdirected === null ? null : await this.#provenOwner(run.runId, sent)
    if (misdirected !== null && owner === null) return { kind: 'held', reason: misdirected }
    const outcome = outcomeOf(sent, failed)
    const answer = outcome === 'merged' ? await this.#followMerges(sent) : sent
    if (typeof answer === 'string') return { kind: 'held', reason: answer }
    const followed = { sent, answer, outcome }
    if (owner === null && (await this.#write(run, followed, isCounted, false))) return { kind: 'written' }
    owner ??= await this.#provenOwner(run.runId, sent)
    return this.#writeContested(run, owner, followed, isCounted)
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
    const { checkpoint, clock, counter, answersAreChecked } = this.#deps
    const line = {
      runId,
      state: outcome === 'failed' ? 'failed' : 'answered',
      outcome,
      line: renderAnswer(answer),
      lineVersion: answerLineVersion,
      body: JSON.stringify(answer),
      answeredAtMs: clock.nowMs(),
    } as const
    const isFirst = await checkpoint.answer(lookupId, line, isProved)
    if (isFirst === 'contested') return false
    counter.released(lookupId)
    if (!isFirst) await this.#compare(lookupId, sent)
    else if (isCounted) {
      counter.answered(outcome)
      if (!answersAreChecked) for (const deviation of findSchemaDeviations(sent)) counter.deviated(deviation)
    }
    return true
  }

  async #compare(lookupId: LookupId, sent: RunObjectLenient): Promise<void> {
    const body = await this.#deps.checkpoint.bodyOf(lookupId)
    const first = body === null ? null : runObjectLenient.safeParse(JSON.parse(body))
    if (first?.success !== true || contradicts(first.data, sent)) this.#deps.counter.count('contradictions')
  }

  /**
   * Reads on from the entity that the answer names to the one at the end of the chain; a circle ends where it began.
   * Text where the service answered with the record of another entity: the reason why the answer is held.
   */
  async #followMerges(answer: RunObjectLenient): Promise<RunObjectLenient | string> {
    const first = mergedIntoOf(answer)
    if (first === null) return answer
    const { client, pace, stopSignal, counter } = this.#deps
    const seen = [first]
    for (;;) {
      await pace.turn(stopSignal)
      if (stopSignal.aborted) break
      const asked = seen.at(-1) ?? first
      const step = followMerge(seen, await client.readEntity(asked))
      if (step.kind === 'misdirected') return `the service answered with entity ${step.id} for ${asked}`
      if (step.kind === 'circle') {
        counter.deviated('merged ids that go in a circle')
        return answer
      }
      if (step.kind === 'end') break
      seen.push(step.id)
    }
    return withChain(answer, seen)
  }
}

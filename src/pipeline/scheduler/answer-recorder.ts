import { runObjectLenient, type RunObjectLenient } from '../../contract/resolution.js'
import { answerLineVersion, renderAnswer } from '../../core/answer-line.js'
import { contradicts } from '../../core/delivery.js'
import { followMerge, mergedIntoOf, withChain } from '../../core/merged.js'
import { findOddities } from '../../core/oddities.js'
import { outcomeOf } from '../../core/outcome.js'
import type { LookupId } from '../checkpoint/checkpoint.js'
import type { Pace } from './pace.js'
import type { SchedulerContext } from './scheduler.js'
import { count } from './tally.js'

/** Writes final answers, whether a poll or a webhook brought them: one path, so that both are one thing. */
export class AnswerRecorder {
  readonly #context: SchedulerContext
  readonly #pace: Pace

  /** `pace` is that of reading entities: merged ids are followed. */
  constructor(context: SchedulerContext, pace: Pace) {
    this.#context = context
    this.#pace = pace
  }

  /**
   * Durable when it resolves. The first answer to a run stands: the same once more is nothing, another one is
   * counted as a contradiction. `isCounted`: whether this run of the command asks for the lookup.
   */
  async record(
    run: { lookupId: LookupId; runId: string },
    sent: RunObjectLenient,
    failed: boolean,
    isCounted = true,
  ): Promise<void> {
    const { checkpoint, clock, tally } = this.#context
    const outcome = outcomeOf(sent, failed)
    const answer = outcome === 'merged' ? await this.#followMerges(sent) : sent
    const isFirst = await checkpoint.answer(run.lookupId, {
      runId: run.runId,
      state: outcome === 'failed' ? 'failed' : 'answered',
      outcome,
      line: renderAnswer(answer),
      lineVersion: answerLineVersion,
      body: JSON.stringify(answer),
      answeredAtMs: clock.nowMs(),
    })
    if (!isFirst) {
      await this.#compare(run.lookupId, sent)
      return
    }
    if (!isCounted) return
    tally.answered++
    count(tally.outcomes, outcome)
    for (const oddity of findOddities(sent)) count(tally.oddities, oddity)
  }

  async #compare(lookupId: LookupId, sent: RunObjectLenient): Promise<void> {
    const body = await this.#context.checkpoint.bodyOf(lookupId)
    const first = body === null ? null : runObjectLenient.safeParse(JSON.parse(body))
    if (first?.success !== true || contradicts(first.data, sent)) this.#context.tally.contradictions++
  }

  /** Reads on from the entity that the answer names to the one at the end of the chain; a circle ends where it began. */
  async #followMerges(answer: RunObjectLenient): Promise<RunObjectLenient> {
    const first = mergedIntoOf(answer)
    if (first === null) return answer
    const seen = [first]
    for (;;) {
      await this.#pace.turn(this.#context.stopping.polling)
      if (this.#context.stopping.polling.aborted) break
      const step = followMerge(seen, await this.#context.client.readEntity(seen.at(-1) ?? first))
      if (step.kind === 'circle') {
        count(this.#context.tally.oddities, 'merged ids that go in a circle')
        return answer
      }
      if (step.kind === 'end') break
      seen.push(step.id)
    }
    return withChain(answer, seen)
  }
}

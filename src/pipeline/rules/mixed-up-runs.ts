import type { RunObjectLenient } from '../../contract/resolution.js'
import { echoOf, isSameName } from './misdirected.js'

/** A lookup, the run that the service gave its submission, and a final answer to that run. */
export interface HeldAnswer {
  readonly lookupId: number
  readonly runId: string
  readonly customId: string
  /** As it was submitted. */
  readonly name: string
  readonly run: RunObjectLenient
  readonly failed: boolean
}

/** A cache sends a wrong answer for a while; so many in a row, of both runs, are a mix-up of the runs themselves. */
const answersMin = 3

/**
 * Answers that belong to other lookups than those that hold their runs. Two lookups hold each other's run where the
 * answers to each run prove, by `custom_id` and echoed name, that they belong to the other lookup.
 */
export class MixedUpRuns {
  readonly #held = new Map<string, { last: HeldAnswer; ownerId: string; count: number }>()

  /** Notes an answer that is not its holder's; returns both where it and another prove each other, else `null`. */
  note(held: HeldAnswer): readonly [HeldAnswer, HeldAnswer] | null {
    const { customId: ownerId } = echoOf(held.run)
    if (ownerId === null || ownerId === held.customId) {
      this.forget(held.customId)
      return null
    }
    const known = this.#held.get(held.customId)
    const isSame = known?.ownerId === ownerId && known.last.runId === held.runId
    const count = isSame ? known.count + 1 : 1
    this.#held.set(held.customId, { last: held, ownerId, count })
    const other = this.#held.get(ownerId)
    if (other?.ownerId !== held.customId || Math.min(count, other.count) < answersMin) return null
    return echoesName(held, other.last) && echoesName(other.last, held) ? [held, other.last] : null
  }

  /** Its run was answered otherwise. */
  forget(customId: string): void {
    this.#held.delete(customId)
  }
}

function echoesName({ run }: HeldAnswer, { name }: HeldAnswer): boolean {
  const echoed = echoOf(run).name
  return echoed !== null && isSameName(echoed, name)
}

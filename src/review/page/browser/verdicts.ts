import { plural } from '../../../core/text.js'
import type {
  CandidateView,
  DecideRequest,
  DecisionView,
  DecideReply,
  QueueRow,
  UndoReply,
} from '../../page-data.js'
import { sendDecision, sendUndo } from './api.js'
import { nameOf } from './candidate-cards.js'
import { shown } from './shown-text.js'

export interface Verdict {
  readonly verdict: DecideRequest['verdict']
  readonly entityId: string | null
  /** What is said of it. */
  readonly words: string
}

export const noneOfThese: Verdict = { verdict: 'none', entityId: null, words: 'None of these' }

/** Null where it cannot be accepted. */
export function accepting(candidate: CandidateView): Verdict | null {
  const { entityId, obstacle } = candidate
  if (entityId === null || obstacle !== null) return null
  return { verdict: 'accepted', entityId, words: `Accepted ${shown(nameOf(candidate), 120)}` }
}

export interface VerdictsDeps {
  /** Durable: `words` say it. */
  readonly onDecided: (reply: DecideReply, words: string) => void
  /** Somebody else decided in the meantime, or took back what was shown (none then), and nothing was changed. */
  readonly onConflict: (others: readonly DecisionView[]) => void
  readonly onUndone: (reply: UndoReply) => void
  readonly onFailure: (failure: unknown) => void
}

/** Verdicts are sent one at a time: a key that is pressed while one is on its way is meant for the row that is still shown. */
export class Verdicts {
  readonly #deps: VerdictsDeps
  #isUnderWay = false

  constructor(deps: VerdictsDeps) {
    this.#deps = deps
  }

  /** For each row in place of the decision that it shows. */
  decide(
    { verdict, entityId, words }: Verdict,
    rows: readonly QueueRow[],
    note: string | null,
  ): Promise<void> {
    const rowCount = rows.reduce((sum, row) => sum + row.rowCount, 0)
    const lookups = rows.map(({ lookup, decision }) => ({ lookup, seen: decision?.sequence ?? 0 }))
    return this.#send(async () => {
      const reply = await sendDecision({ lookups, verdict, entityId, note })
      if (reply.decisions.length === 0) this.#deps.onConflict(reply.others)
      else this.#deps.onDecided(reply, `${words}, for ${plural(rowCount, 'row')}.`)
    })
  }

  /** Empty: what this session decided last. */
  undo(sequences: readonly number[]): Promise<void> {
    return this.#send(async () => {
      this.#deps.onUndone(await sendUndo(sequences))
    })
  }

  async #send(send: () => Promise<void>): Promise<void> {
    if (this.#isUnderWay) return
    this.#isUnderWay = true
    try {
      await send()
    } catch (failure) {
      this.#deps.onFailure(failure)
    } finally {
      this.#isUnderWay = false
    }
  }
}

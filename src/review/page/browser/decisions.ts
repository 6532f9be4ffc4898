import { formatCount, plural } from '../../../core/text.js'
import type {
  DecisionView,
  CandidateView,
  DecideRequest,
  DecideReply,
  QueueRow,
  UndoReply,
} from '../../page-data.js'
import { timeElement, verdictParts } from './lookup-panel.js'
import { element, foreign, partOf, putChildren, unseen } from './elements.js'
import { shown, agoWords } from './page-text.js'
import { sendDecision, sendUndo } from './api.js'
import { nameOf } from './candidate-cards.js'

export interface DecidedDeps {
  readonly onUndo: (decision: DecisionView) => void
  readonly onShow: (lookup: string) => void
  readonly nowMs: () => number
}

/** Maximum number of decisions displayed, newest first. */
export const decidedShownMax = 50

/** The list of decisions, newest first. */
export class DecidedList {
  readonly #deps: DecidedDeps
  readonly #box = partOf('decisions', HTMLElement)
  readonly #count = partOf('decided-count', HTMLElement)
  #decisions: readonly DecisionView[] = []
  /** List items by sequence. A decision never changes. */
  readonly #items = new Map<number, HTMLElement>()

  constructor(deps: DecidedDeps) {
    this.#deps = deps
  }

  /** Existing items stay in the page, so that they keep the focus. */
  show(decisions: readonly DecisionView[], count: number): void {
    const nowMs = this.#deps.nowMs()
    this.#decisions = decisions.slice(0, decidedShownMax)
    for (const time of this.#box.querySelectorAll('time'))
      time.textContent = agoWords(Date.parse(time.dateTime), nowMs)
    const left = count - this.#decisions.length
    const items = this.#decisions.map((decision) => this.#itemOf(decision, nowMs))
    if (left > 0) items.push(restElement(left))
    if (items.length === 0) items.push(nothingYet())
    this.#count.textContent = formatCount(count)
    putChildren(this.#box, items)
    const sequences = new Set(this.#decisions.map(({ sequence }) => sequence))
    for (const sequence of this.#items.keys()) if (!sequences.has(sequence)) this.#items.delete(sequence)
  }

  add(decisions: readonly DecisionView[], count: number): void {
    const lookups = new Set(decisions.map(({ lookup }) => lookup))
    const before = this.#decisions.filter(({ lookup }) => !lookups.has(lookup))
    const newestFirst = [...decisions].sort((one, other) => other.sequence - one.sequence)
    this.show([...newestFirst, ...before], count)
  }

  remove(decisions: readonly DecisionView[], count: number): void {
    const gone = new Set(decisions.map(({ sequence }) => sequence))
    this.show(
      this.#decisions.filter(({ sequence }) => !gone.has(sequence)),
      count,
    )
  }

  #itemOf(decision: DecisionView, nowMs: number): HTMLElement {
    const item = this.#items.get(decision.sequence) ?? this.#item(decision, nowMs)
    this.#items.set(decision.sequence, item)
    return item
  }

  #item(decision: DecisionView, nowMs: number): HTMLElement {
    const show = element('button', { type: 'button', class: 'plain' }, foreign(decision.name, 120))
    show.addEventListener('click', () => {
      this.#deps.onShow(decision.lookup)
    })
    const undo = element(
      'button',
      { type: 'button', class: 'undo' },
      'Undo',
      unseen(` ${shown(decision.name, 120)}`),
    )
    undo.addEventListener('click', () => {
      this.#deps.onUndo(decision)
    })
    return element(
      'li',
      { class: `decision ${decision.verdict}` },
      element('p', { class: 'decision-name' }, show),
      element('p', { class: 'decision-verdict' }, ...verdictParts(decision)),
      element(
        'p',
        { class: 'decision-who quiet' },
        foreign(decision.decidedBy, 60),
        ', ',
        timeElement(decision.decidedAtMs, nowMs),
        undo,
      ),
      decision.note === null
        ? null
        : element('p', { class: 'decision-note' }, '“', foreign(decision.note, 500), '”'),
    )
  }
}

const restElement = (count: number): HTMLElement =>
  element(
    'li',
    { class: 'quiet rest' },
    `${formatCount(count)} older decisions are in the queue’s view “decided”.`,
  )

const nothingYet = (): HTMLElement =>
  element(
    'li',
    { class: 'quiet rest' },
    'No decisions yet. Your decisions appear here, newest first, and can be undone.',
  )

export interface Verdict {
  readonly verdict: DecideRequest['verdict']
  readonly entityId: string | null
  /** Text for the reviewer. */
  readonly words: string
}

export const noneOfThese: Verdict = { verdict: 'none', entityId: null, words: 'None of these' }

/** Returns `null` if the candidate cannot be accepted. */
export function accepting(candidate: CandidateView): Verdict | null {
  const { entityId, obstacle } = candidate
  if (entityId === null || obstacle !== null) return null
  return { verdict: 'accepted', entityId, words: `Accepted ${shown(nameOf(candidate), 120)}` }
}

interface VerdictsDeps {
  /** The decision is durable; `words` describe it. */
  readonly onDecided: (reply: DecideReply, words: string) => void
  /** Another reviewer has changed the decision; nothing was written. `others` is empty if the decision was undone. */
  readonly onConflict: (others: readonly DecisionView[]) => void
  readonly onUndone: (reply: UndoReply) => void
  readonly onFailure: (failure: unknown) => void
}

/** Sends verdicts one at a time. A key pressed while one is being sent applies to the row that is still displayed. */
export class Verdicts {
  readonly #deps: VerdictsDeps
  #isUnderWay = false

  constructor(deps: VerdictsDeps) {
    this.#deps = deps
  }

  /** Replaces the displayed decision of each row. */
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

  /** If empty, undoes this session's last change. */
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

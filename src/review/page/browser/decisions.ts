import { formatCount, plural } from '../../../core/text.js'
import type {
  DecisionView,
  CandidateView,
  DecideRequest,
  DecideReply,
  ProposalView,
  QueueRow,
  UndoReply,
} from '../../page-data.js'
import { createTime, formatVerdict } from './lookup-panel.js'
import { createElement, isolateText, getPart, putChildren, createHiddenText } from './elements.js'
import { toDisplayText, formatAge } from './page-text.js'
import { sendDecision, sendUndo } from './api.js'
import { getRegisteredName } from './candidates.js'

export interface DecisionPanelDeps {
  readonly onUndo: (decision: DecisionView) => void
  readonly onShow: (lookup: string) => void
  readonly nowMs: () => number
}

/** Maximum number of decisions displayed, newest first. */
export const decisionsShownMax = 50

/** The list of decisions, newest first. */
export class DecisionPanel {
  readonly #deps: DecisionPanelDeps
  readonly #box = getPart('decisions', HTMLElement)
  readonly #count = getPart('decided-count', HTMLElement)
  #decisions: readonly DecisionView[] = []
  /** List items by sequence. A decision never changes. */
  readonly #items = new Map<number, HTMLElement>()

  constructor(deps: DecisionPanelDeps) {
    this.#deps = deps
  }

  /** Existing items stay in the page, so that they keep the focus. */
  show(decisions: readonly DecisionView[], count: number): void {
    const nowMs = this.#deps.nowMs()
    this.#decisions = decisions.slice(0, decisionsShownMax)
    for (const time of this.#box.querySelectorAll('time'))
      time.textContent = formatAge(Date.parse(time.dateTime), nowMs)
    const items = this.#decisions.map((decision) => this.#getItem(decision, nowMs))
    if (count > items.length) items.push(createRestNote(count - items.length))
    if (items.length === 0) items.push(createEmptyNote())
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

  #getItem(decision: DecisionView, nowMs: number): HTMLElement {
    const item = this.#items.get(decision.sequence) ?? this.#createItem(decision, nowMs)
    this.#items.set(decision.sequence, item)
    return item
  }

  #createItem(decision: DecisionView, nowMs: number): HTMLElement {
    const show = createElement('button', { type: 'button', class: 'plain' }, isolateText(decision.name, 120))
    show.addEventListener('click', () => {
      this.#deps.onShow(decision.lookup)
    })
    const undo = createElement(
      'button',
      { type: 'button', class: 'undo' },
      'Undo',
      createHiddenText(` ${toDisplayText(decision.name, 120)}`),
    )
    undo.addEventListener('click', () => {
      this.#deps.onUndo(decision)
    })
    return createElement(
      'li',
      { class: `decision ${decision.verdict}` },
      createElement('p', { class: 'decision-name' }, show),
      createElement('p', { class: 'decision-verdict' }, ...formatVerdict(decision)),
      createElement(
        'p',
        { class: 'decision-who quiet' },
        isolateText(decision.decidedBy, 60),
        ', ',
        createTime(decision.decidedAtMs, nowMs),
        undo,
      ),
      decision.note === null
        ? null
        : createElement('p', { class: 'decision-note' }, '“', isolateText(decision.note, 500), '”'),
    )
  }
}

const createRestNote = (count: number): HTMLElement =>
  createElement(
    'li',
    { class: 'quiet rest' },
    `${formatCount(count)} older decisions are in the queue’s view “decided”.`,
  )

const createEmptyNote = (): HTMLElement =>
  createElement(
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
export function toAcceptance(candidate: CandidateView): Verdict | null {
  const { entityId, obstacle } = candidate
  if (entityId === null || obstacle !== null) return null
  return {
    verdict: 'accepted',
    entityId,
    words: `Accepted ${toDisplayText(getRegisteredName(candidate), 120)}`,
  }
}

/** The verdict of a proposal that the reviewer confirms. */
export const toConfirmation = ({ verdict, entityId, entityName }: ProposalView): Verdict =>
  verdict === 'none'
    ? noneOfThese
    : { verdict, entityId, words: `Accepted ${toDisplayText(entityName ?? entityId ?? '', 120)}` }

interface VerdictSenderDeps {
  /** The decision is durable; `words` describe it. */
  readonly onDecided: (reply: DecideReply, words: string) => void
  /** Another reviewer has changed the decision; nothing was written. `others` is empty if the decision was undone. */
  readonly onConflict: (others: readonly DecisionView[]) => void
  readonly onUndone: (reply: UndoReply) => void
  readonly onFailure: (failure: unknown) => void
}

/** Sends verdicts one at a time. A key pressed while one is being sent applies to the row that is still displayed. */
export class VerdictSender {
  readonly #deps: VerdictSenderDeps
  #isSending = false

  constructor(deps: VerdictSenderDeps) {
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
    if (this.#isSending) return
    this.#isSending = true
    try {
      await send()
    } catch (failure) {
      this.#deps.onFailure(failure)
    } finally {
      this.#isSending = false
    }
  }
}

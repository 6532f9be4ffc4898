import type { DecisionView } from '../../page-data.js'
import { timeElement, verdictParts } from './asked-panel.js'
import { element, foreign, partOf, unseen } from './element.js'
import { shown } from './shown-text.js'
import { agoWords, grouped } from './words.js'

export interface DecidedDeps {
  readonly onUndo: (decision: DecisionView) => void
  readonly onShow: (lookup: string) => void
  readonly nowMs: () => number
}

/** Of the newest decisions, so many are shown. */
export const decidedShownMax = 50

/** What was decided, the newest first. */
export class DecidedList {
  readonly #deps: DecidedDeps
  readonly #box = partOf('decisions', HTMLElement)
  readonly #count = partOf('decided-count', HTMLElement)
  #decisions: readonly DecisionView[] = []
  #shownCount = 0

  constructor(deps: DecidedDeps) {
    this.#deps = deps
  }

  /** Nothing is touched where nothing is different, so that what has the focus keeps it. */
  show(decisions: readonly DecisionView[], count: number): void {
    const before = this.#decisions
    this.#decisions = decisions.slice(0, decidedShownMax)
    const isSame =
      before.length === this.#decisions.length &&
      this.#decisions.every(({ sequence }, at) => sequence === before[at]?.sequence)
    if (isSame && this.#shownCount === count) this.#renew()
    else this.#render(count)
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

  /** Times that are past. */
  #renew(): void {
    const nowMs = this.#deps.nowMs()
    for (const time of this.#box.querySelectorAll('time'))
      time.textContent = agoWords(Date.parse(time.dateTime), nowMs)
  }

  #render(count: number): void {
    this.#shownCount = count
    const nowMs = this.#deps.nowMs()
    this.#count.textContent = grouped(count)
    this.#box.replaceChildren(...this.#decisions.map((decision) => this.#item(decision, nowMs)))
    if (this.#decisions.length === 0) this.#box.append(nothingYet())
    const left = count - this.#decisions.length
    if (left > 0)
      this.#box.append(
        element(
          'li',
          { class: 'quiet rest' },
          `${grouped(left)} older ones are in the queue’s view “decided”.`,
        ),
      )
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

const nothingYet = (): HTMLElement =>
  element(
    'li',
    { class: 'quiet rest' },
    'Nothing yet. What you decide stands here, the newest first, and can be taken back.',
  )

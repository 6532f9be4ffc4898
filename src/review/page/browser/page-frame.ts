import { formatCount } from '../../../core/text.js'
import type { SessionView } from '../../page-data.js'
import { foreign, partOf } from './element.js'
import { shown } from './shown-text.js'
import type { QueueCounts } from './queue-counts.js'

export type Pane = 'queue' | 'review' | 'decided'

/** What is around the rows: whose review of what it is, how far it is, what was done last, and the parts of a narrow page. */
export class PageFrame {
  readonly #said = partOf('said', HTMLElement)
  readonly #hint = partOf('hint', HTMLElement)
  readonly #words = partOf('progress-words', HTMLElement)
  readonly #bar = partOf('progress-bar', HTMLElement)
  readonly #more = partOf('more', HTMLElement)

  constructor() {
    for (const button of this.#paneButtons())
      button.addEventListener('click', () => {
        this.showPane(button.dataset['shows'] as Pane)
      })
    this.showPane('review')
  }

  showSession({ input, reviewer }: SessionView): void {
    document.title = `Review ${shown(input, 120)}`
    partOf('input-name', HTMLElement).replaceChildren(foreign(input, 120))
    partOf('reviewer', HTMLElement).replaceChildren('as ', foreign(reviewer, 60))
  }

  showCounts({ open, decided, isRunGoingOn }: QueueCounts): void {
    const percent = open + decided === 0 ? 100 : Math.floor((decided / (open + decided)) * 100)
    this.#words.textContent = `${formatCount(open)} open, ${formatCount(decided)} decided`
    this.#bar.setAttribute('aria-valuenow', String(percent))
    if (this.#bar.firstElementChild instanceof HTMLElement)
      this.#bar.firstElementChild.style.width = `${percent}%`
    this.#more.hidden = !isRunGoingOn
    if (isRunGoingOn && this.#more.textContent === '')
      this.#more.textContent = 'The run goes on: more rows may come.'
  }

  /** For screen readers: what was done. */
  say(words: string): void {
    this.#said.textContent = words
  }

  /** Why a key or a button did nothing; shown until the next one. */
  explain(words: string): void {
    this.say(words)
    this.#hint.textContent = words
    this.#hint.hidden = false
  }

  clearHint(): void {
    this.#hint.hidden = true
  }

  /** Of a page too narrow for all of them. */
  showPane(pane: Pane): void {
    document.body.dataset['pane'] = pane
    for (const button of this.#paneButtons())
      button.setAttribute('aria-pressed', String(button.dataset['shows'] === pane))
  }

  #paneButtons(): NodeListOf<HTMLButtonElement> {
    return document.querySelectorAll<HTMLButtonElement>('[data-shows]')
  }
}

import { formatCount } from '../../../core/text.js'
import type { SessionView } from '../../page-data.js'
import { foreign, partOf, element } from './elements.js'
import { shown, type QueueCounts } from './page-text.js'
import { Refused, ServerGone, SessionOver } from './api.js'

export type Pane = 'queue' | 'review' | 'decided'

/** The frame around the rows: input, reviewer, progress, last action, and the panes of a narrow page. */
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
      this.#more.textContent = 'A run is in progress and may add rows.'
  }

  /** For screen readers. */
  say(words: string): void {
    this.#said.textContent = words
  }

  /** Explains why a key or button had no effect, until the next one is pressed. */
  explain(words: string): void {
    this.say(words)
    this.#hint.textContent = words
    this.#hint.hidden = false
  }

  clearHint(): void {
    this.#hint.hidden = true
  }

  /** Selects a pane on a narrow page. */
  showPane(pane: Pane): void {
    document.body.dataset['pane'] = pane
    for (const button of this.#paneButtons())
      button.setAttribute('aria-pressed', String(button.dataset['shows'] === pane))
  }

  #paneButtons(): NodeListOf<HTMLButtonElement> {
    return document.querySelectorAll<HTMLButtonElement>('[data-shows]')
  }
}

const everyMs = {
  /** While the server responds. */
  asked: 2_000,
  /** While the server does not respond. */
  tried: 1_000,
} as const

interface ConnectionDeps {
  /** Loads changes from the server. Throws like `api.ts`. */
  readonly refresh: () => Promise<void>
  /** The server responds again. */
  readonly onBack: () => void
  /** The command that starts the server again; `null` if unknown. */
  readonly command: () => string | null
}

/** Polls the server, and reports when it does not respond. */
export class Connection {
  readonly #deps: ConnectionDeps
  readonly #banner = partOf('connection', HTMLElement)
  #state: 'well' | 'refused' | 'gone' | 'over' = 'well'
  #wake: () => void = () => undefined

  constructor(deps: ConnectionDeps) {
    this.#deps = deps
    document.addEventListener('visibilitychange', () => {
      this.#wake()
    })
  }

  async follow(): Promise<void> {
    while (this.#state !== 'over') {
      try {
        await this.#deps.refresh()
        this.#back()
      } catch (failure) {
        if (failure instanceof Refused) this.#refused(failure)
        else if (!this.tell(failure)) throw failure
      }
      await this.#wait()
    }
  }

  /** Reports a connection failure. Returns false if the failure has another cause. */
  tell(failure: unknown): boolean {
    if (failure instanceof SessionOver) this.#over()
    else if (failure instanceof ServerGone) this.#gone()
    else return false
    return true
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#state === 'gone' ? everyMs.tried : everyMs.asked)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #back(): void {
    if (this.#state === 'well') return
    this.#state = 'well'
    this.#banner.hidden = true
    this.#banner.replaceChildren()
    this.#deps.onBack()
  }

  /** The server responds, but cannot read the queue. */
  #refused({ message, hint }: Refused): void {
    this.#state = 'refused'
    this.#say(
      element('strong', {}, foreign(message, 600)),
      ...(hint === null ? [] : [' ', foreign(hint, 600)]),
    )
  }

  #gone(): void {
    if (this.#state === 'gone' || this.#state === 'over') return
    this.#state = 'gone'
    this.#say(
      element('strong', {}, 'The review server does not respond.'),
      ' No decision is lost: each verdict was saved before the next row was shown. If the server has ended, start it again',
      ...this.#commandWords(),
      ', and open the address that it prints. This page retries automatically.',
    )
  }

  #over(): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#say(
      element('strong', {}, 'This session has ended.'),
      ' All decisions are saved. Open the address that the review command printed last, or start it again',
      ...this.#commandWords(),
      '.',
    )
  }

  #commandWords(): (Node | string)[] {
    const command = this.#deps.command()
    return command === null ? [] : [' with ', element('code', {}, foreign(command, 400))]
  }

  #say(...words: (Node | string)[]): void {
    this.#banner.replaceChildren(...words)
    this.#banner.hidden = false
  }
}

import { formatCount } from '../../../core/text.js'
import type { SessionView } from '../../page-data.js'
import { isolateText, getPart, createElement } from './elements.js'
import { toDisplayText, type QueueCounts } from './page-text.js'
import { RequestRefused, ServerUnreachable, SessionEnded } from './api.js'

export type Pane = 'queue' | 'review' | 'decided'

/** The frame around the rows: input, reviewer, progress, last action, and the panes of a narrow page. */
export class PageFrame {
  readonly #said = getPart('said', HTMLElement)
  readonly #hint = getPart('hint', HTMLElement)
  readonly #words = getPart('progress-words', HTMLElement)
  readonly #bar = getPart('progress-bar', HTMLElement)
  readonly #more = getPart('more', HTMLElement)

  constructor() {
    for (const button of this.#findPaneButtons())
      button.addEventListener('click', () => {
        this.showPane(button.dataset['shows'] as Pane)
      })
    this.showPane('review')
  }

  showSession({ input, reviewer }: SessionView): void {
    document.title = `Review ${toDisplayText(input, 120)}`
    getPart('input-name', HTMLElement).replaceChildren(isolateText(input, 120))
    getPart('reviewer', HTMLElement).replaceChildren('as ', isolateText(reviewer, 60))
  }

  showCounts({ open, decided, isRunGoingOn }: QueueCounts): void {
    const percent = open + decided === 0 ? 100 : Math.floor((decided / (open + decided)) * 100)
    this.#words.textContent = `${formatCount(open)} open, ${formatCount(decided)} decided`
    this.#bar.setAttribute('aria-valuenow', String(percent))
    if (this.#bar.firstElementChild instanceof HTMLElement)
      this.#bar.firstElementChild.style.width = `${percent}%`
    this.#more.hidden = !isRunGoingOn
    if (isRunGoingOn && this.#more.textContent === '')
      this.#more.textContent = 'A run is in progress and may add lookups.'
  }

  /** For screen readers. */
  announce(words: string): void {
    this.#said.textContent = words
  }

  /** Explains why a key or button had no effect, until the next one is pressed. */
  explain(words: string): void {
    this.announce(words)
    this.#hint.textContent = words
    this.#hint.hidden = false
  }

  clearHint(): void {
    this.#hint.hidden = true
  }

  /** Selects a pane on a narrow page. */
  showPane(pane: Pane): void {
    document.body.dataset['pane'] = pane
    for (const button of this.#findPaneButtons())
      button.setAttribute('aria-pressed', String(button.dataset['shows'] === pane))
  }

  #findPaneButtons(): NodeListOf<HTMLButtonElement> {
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
  readonly #banner = getPart('connection', HTMLElement)
  #state: 'well' | 'refused' | 'gone' | 'over' = 'well'
  #wake: () => void = () => undefined

  constructor(deps: ConnectionDeps) {
    this.#deps = deps
    document.addEventListener('visibilitychange', () => {
      this.#wake()
    })
  }

  async poll(): Promise<void> {
    while (this.#state !== 'over') {
      try {
        await this.#deps.refresh()
        this.#onServerBack()
      } catch (failure) {
        if (failure instanceof RequestRefused) this.#onRefused(failure)
        else if (!this.reportFailure(failure)) throw failure
      }
      await this.#wait()
    }
  }

  /** Reports a connection failure. Returns false if the failure has another cause. */
  reportFailure(failure: unknown): boolean {
    if (failure instanceof SessionEnded) this.#onSessionEnded()
    else if (failure instanceof ServerUnreachable) this.#onUnreachable()
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

  #onServerBack(): void {
    if (this.#state === 'well') return
    this.#state = 'well'
    this.#banner.hidden = true
    this.#banner.replaceChildren()
    this.#deps.onBack()
  }

  /** The server responds, but cannot read the queue. */
  #onRefused({ message, hint }: RequestRefused): void {
    this.#state = 'refused'
    this.#showBanner(
      createElement('strong', {}, isolateText(message, 600)),
      ...(hint === null ? [] : [' ', isolateText(hint, 600)]),
    )
  }

  #onUnreachable(): void {
    if (this.#state === 'gone' || this.#state === 'over') return
    this.#state = 'gone'
    this.#showBanner(
      createElement('strong', {}, 'The review server does not respond.'),
      ' No decision is lost: each verdict was saved before the next lookup was shown. If the server has ended, start it again',
      ...this.#formatCommand(),
      ', and open the URL that it prints. This page retries automatically.',
    )
  }

  #onSessionEnded(): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#showBanner(
      createElement('strong', {}, 'This session has ended.'),
      ' All decisions are saved. Open the URL that the review command printed last, or start it again',
      ...this.#formatCommand(),
      '.',
    )
  }

  #formatCommand(): (Node | string)[] {
    const command = this.#deps.command()
    return command === null ? [] : [' with ', createElement('code', {}, isolateText(command, 400))]
  }

  #showBanner(...words: (Node | string)[]): void {
    this.#banner.replaceChildren(...words)
    this.#banner.hidden = false
  }
}

import type { CandidateView, DecisionView, LookupDetail, QueueRow } from '../../page-data.js'
import {
  createLookupParts,
  createConflictNotice,
  markLookupName,
  type LookupPanelDeps,
} from './lookup-panel.js'
import { createCandidateCards, type CardsDeps } from './candidate-cards.js'
import { createElement, isolateText, createKeyCap, getPart } from './elements.js'
import { searchCompanies, RequestRefused } from './api.js'

interface SearchDeps {
  /** Receives search results; `null` when the search is closed and the lookup's own candidates return. */
  readonly onFound: (found: SearchResult | null) => void
  /** The server does not respond, or the session has ended. */
  readonly onFailure: (failure: unknown) => void
}

interface SearchResult {
  readonly lookup: string
  readonly text: string
  readonly candidates: readonly CandidateView[]
  /** The reason for a failed search. */
  readonly error: string | null
}

/** The search for companies other than the candidates. */
export class SearchPanel {
  readonly #deps: SearchDeps
  readonly #form = getPart('search', HTMLFormElement)
  readonly #text = getPart('search-text', HTMLInputElement)
  readonly #country = getPart('search-country', HTMLInputElement)
  #lookup: string | null = null
  /** Incremented with every search. Results of earlier searches are discarded. */
  #searchCount = 0

  constructor(deps: SearchDeps) {
    this.#deps = deps
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#search()
    })
    getPart('search-leave', HTMLButtonElement).addEventListener('click', () => {
      this.cancel()
    })
  }

  get isOpen(): boolean {
    return !this.#form.hidden
  }

  isFor(lookup: string): boolean {
    return this.#lookup === lookup
  }

  open(lookup: string, name: string): void {
    if (this.#lookup !== lookup) {
      this.#lookup = lookup
      this.#text.value = name
      this.#country.value = ''
    }
    this.#form.hidden = false
    this.#text.focus()
    this.#text.select()
  }

  /** Closes without calling `onFound`, because another row is displayed. */
  close(): void {
    this.#lookup = null
    this.#form.hidden = true
    this.#form.removeAttribute('aria-busy')
  }

  cancel(): void {
    this.close()
    this.#deps.onFound(null)
  }

  async #search(): Promise<void> {
    const lookup = this.#lookup
    const text = this.#text.value.trim()
    const country = this.#country.value.trim().toUpperCase()
    if (lookup === null || text === '') return
    const search = ++this.#searchCount
    this.#form.setAttribute('aria-busy', 'true')
    try {
      const { candidates } = await searchCompanies(lookup, text, country)
      this.#showResult(search, { lookup, text, candidates, error: null })
    } catch (failure) {
      if (search === this.#searchCount) this.#form.removeAttribute('aria-busy')
      if (!(failure instanceof RequestRefused)) this.#deps.onFailure(failure)
      else this.#showResult(search, { lookup, text, candidates: [], error: failure.message })
    }
  }

  #showResult(search: number, found: SearchResult): void {
    if (search !== this.#searchCount || found.lookup !== this.#lookup) return
    this.#form.removeAttribute('aria-busy')
    this.#deps.onFound(found)
  }
}

export interface RowViewDeps extends Pick<LookupPanelDeps, 'onUndo' | 'onConfirm' | 'nowMs'> {
  readonly onAccept: CardsDeps['onAccept']
  readonly onRetry: () => void
}

/** The middle of the page: the lookup with its candidates or search results. */
export class RowView {
  readonly #deps: RowViewDeps
  readonly #asked = getPart('asked', HTMLElement)
  readonly #candidates = getPart('candidates', HTMLElement)
  readonly #scrolled = getPart('row', HTMLElement)
  #row: QueueRow | null = null
  #detail: LookupDetail | null = null
  #found: SearchResult | null = null
  #notice: HTMLElement | null = null
  #note = ''

  constructor(deps: RowViewDeps) {
    this.#deps = deps
  }

  /** The displayed row. A verdict replaces its decision. */
  get row(): QueueRow | null {
    return this.#row
  }

  get detail(): LookupDetail | null {
    return this.#detail
  }

  get note(): string | null {
    const text = this.#note.trim()
    return text === '' ? null : text
  }

  /** The candidates that number keys select. */
  get candidates(): readonly CandidateView[] {
    return this.#found?.candidates ?? this.#detail?.candidates ?? []
  }

  /** Shows another row, or more details of the same one. `detail` is `null` while it is loaded. */
  show(row: QueueRow, detail: LookupDetail | null): void {
    const isOther = row.lookup !== this.#row?.lookup
    // Candidates keep their places, because the reviewer may be about to press a number.
    const isSame = !isOther && this.#detail !== null && detail !== null && this.#detail.candidates.length > 0
    this.#detail = isSame ? { ...detail, candidates: this.#detail?.candidates ?? [] } : detail
    this.#row = row
    if (isOther) {
      this.#note = ''
      this.#notice = null
      this.#found = null
      this.#scrolled.scrollTop = 0
    }
    this.#renderLookup()
    if (!isSame) this.#renderCandidates()
    markLookupName(row, this.candidates[0] ?? null)
  }

  /** `null`: shows the lookup's own candidates. */
  showFound(found: SearchResult | null): void {
    this.#found = found
    this.#renderCandidates()
    if (found === null) return
    const [first] = this.#candidates.querySelectorAll<HTMLElement>('.accept')
    if (first === undefined) return
    first.focus()
  }

  /** Shown above the row until another row is displayed. */
  showConflict(others: readonly DecisionView[]): void {
    this.#notice = createConflictNotice(others)
    this.#renderLookup()
  }

  showRefusal(words: string): void {
    this.#notice = createElement('p', { class: 'notice conflict' }, isolateText(words, 600))
    this.#renderLookup()
  }

  /** Shown instead of a row. */
  showNothing(title: string, ...words: readonly (Node | string)[]): void {
    this.#row = null
    this.#detail = null
    this.#found = null
    this.#asked.replaceChildren(
      createElement(
        'div',
        { class: 'nothing' },
        createElement('h2', { id: 'asked-name', tabindex: '-1' }, title),
        createElement('p', {}, ...words),
      ),
    )
    this.#candidates.replaceChildren()
  }

  /** Shown instead of the candidates. */
  showFailure(message: string): void {
    this.#candidates.removeAttribute('aria-busy')
    this.#candidates.replaceChildren(createElement('p', { class: 'notice' }, isolateText(message, 400)))
  }

  scroll(by: number): void {
    this.#scrolled.scrollBy({ top: this.#scrolled.clientHeight * by })
  }

  openNote(): void {
    const box = document.getElementById('note-box')
    if (box === null) return
    box.hidden = false
    getPart('note', HTMLTextAreaElement).focus()
  }

  #renderLookup(): void {
    if (this.#row === null) return
    const hadFocus =
      this.#asked.contains(document.activeElement) || this.#candidates.contains(document.activeElement)
    const wasTyping = document.activeElement?.id === 'note'
    const isNoteOpen = this.#note !== '' || wasTyping
    this.#asked.replaceChildren(
      ...createLookupParts(this.#row, this.#detail, {
        ...this.#deps,
        onNote: (text) => {
          this.#note = text
        },
      }),
    )
    if (this.#notice !== null) this.#asked.prepend(this.#notice)
    const note = getPart('note', HTMLTextAreaElement)
    note.value = this.#note
    getPart('note-box', HTMLElement).hidden = !isNoteOpen
    if (wasTyping) note.focus()
    else if (hadFocus) getPart('asked-name', HTMLElement).focus({ preventScroll: true })
  }

  #renderCandidates(): void {
    this.#candidates.removeAttribute('aria-busy')
    if (this.#found !== null) this.#candidates.replaceChildren(...this.#createResultParts(this.#found))
    else if (this.#detail === null) {
      this.#candidates.setAttribute('aria-busy', 'true')
      this.#candidates.replaceChildren(
        createElement('p', { class: 'waiting quiet' }, 'Looking for candidates…'),
      )
    } else this.#candidates.replaceChildren(...this.#createCandidateParts(this.#detail))
  }

  #createCandidateParts({ candidates, candidatesError }: LookupDetail): HTMLElement[] {
    if (candidates.length > 0) return [this.#createCards(candidates)]
    if (candidatesError === null)
      return [
        createElement(
          'p',
          { class: 'nothing' },
          'No candidate was found. ',
          createKeyCap('/'),
          ' searches by another name, ',
          createKeyCap('n'),
          ' records that no known company matches.',
        ),
      ]
    const again = createElement('button', { type: 'button' }, 'Try again')
    again.addEventListener('click', () => {
      this.#deps.onRetry()
    })
    return [
      createElement(
        'p',
        { class: 'notice' },
        createElement('strong', {}, 'The candidates could not be loaded: '),
        isolateText(candidatesError, 400),
        ' ',
        again,
      ),
    ]
  }

  #createResultParts({ candidates, text, error }: SearchResult): HTMLElement[] {
    const createTitle = (...words: (Node | string)[]) =>
      createElement('p', { class: 'found-title' }, ...words)
    if (error !== null) return [createTitle('The search failed: ', isolateText(error, 400))]
    if (candidates.length === 0) return [createTitle('Nothing was found for “', isolateText(text, 120), '”.')]
    return [createTitle('Found for “', isolateText(text, 120), '”'), this.#createCards(candidates)]
  }

  #createCards(candidates: readonly CandidateView[]): HTMLElement {
    return createCandidateCards(candidates, {
      onAccept: this.#deps.onAccept,
      onLook: (candidate) => {
        if (this.#row !== null) markLookupName(this.#row, candidate)
      },
    })
  }
}

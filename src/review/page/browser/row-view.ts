import type { CandidateView, DecisionView, LookupDetail, QueueRow } from '../../page-data.js'
import { askedParts, conflictElement, markAsked, type AskedDeps } from './lookup-panel.js'
import { candidateCards, type CardsDeps } from './candidate-cards.js'
import { element, foreign, keyCap, partOf } from './elements.js'
import { askSearch, Refused } from './api.js'

interface SearchDeps {
  /** Receives search results; `null` when the search is closed and the lookup's own candidates return. */
  readonly onFound: (found: Found | null) => void
  /** The server does not respond, or the session has ended. */
  readonly onFailure: (failure: unknown) => void
}

interface Found {
  readonly lookup: string
  readonly text: string
  readonly candidates: readonly CandidateView[]
  /** The reason for a failed search. */
  readonly error: string | null
}

/** The search for companies other than the candidates. */
export class SearchPanel {
  readonly #deps: SearchDeps
  readonly #form = partOf('search', HTMLFormElement)
  readonly #text = partOf('search-text', HTMLInputElement)
  readonly #country = partOf('search-country', HTMLInputElement)
  #lookup: string | null = null
  /** Incremented with every search. Results of earlier searches are discarded. */
  #searchCount = 0

  constructor(deps: SearchDeps) {
    this.#deps = deps
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#search()
    })
    partOf('search-leave', HTMLButtonElement).addEventListener('click', () => {
      this.leave()
    })
  }

  get isOpen(): boolean {
    return !this.#form.hidden
  }

  isOf(lookup: string): boolean {
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

  leave(): void {
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
      const { candidates } = await askSearch(lookup, text, country)
      this.#found(search, { lookup, text, candidates, error: null })
    } catch (failure) {
      if (search === this.#searchCount) this.#form.removeAttribute('aria-busy')
      if (!(failure instanceof Refused)) this.#deps.onFailure(failure)
      else this.#found(search, { lookup, text, candidates: [], error: failure.message })
    }
  }

  #found(search: number, found: Found): void {
    if (search !== this.#searchCount || found.lookup !== this.#lookup) return
    this.#form.removeAttribute('aria-busy')
    this.#deps.onFound(found)
  }
}

export interface RowViewDeps extends Pick<AskedDeps, 'onUndo' | 'nowMs'> {
  readonly onAccept: CardsDeps['onAccept']
  readonly onRetry: () => void
}

/** The middle of the page: the lookup with its candidates or search results. */
export class RowView {
  readonly #deps: RowViewDeps
  readonly #asked = partOf('asked', HTMLElement)
  readonly #candidates = partOf('candidates', HTMLElement)
  readonly #scrolled = partOf('row', HTMLElement)
  #row: QueueRow | null = null
  #detail: LookupDetail | null = null
  #found: Found | null = null
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
    this.#renderAsked()
    if (!isSame) this.#renderCandidates()
    markAsked(row, this.candidates[0] ?? null)
  }

  /** `null`: shows the lookup's own candidates. */
  showFound(found: Found | null): void {
    this.#found = found
    this.#renderCandidates()
    if (found === null) return
    const [first] = this.#candidates.querySelectorAll<HTMLElement>('.accept')
    if (first === undefined) return
    first.focus()
  }

  /** Shown above the row until another row is displayed. */
  showConflict(others: readonly DecisionView[]): void {
    this.#notice = conflictElement(others)
    this.#renderAsked()
  }

  showRefusal(words: string): void {
    this.#notice = element('p', { class: 'notice conflict' }, foreign(words, 600))
    this.#renderAsked()
  }

  /** Shown instead of a row. */
  showNothing(title: string, ...words: readonly (Node | string)[]): void {
    this.#row = null
    this.#detail = null
    this.#found = null
    this.#asked.replaceChildren(
      element(
        'div',
        { class: 'nothing' },
        element('h2', { id: 'asked-name', tabindex: '-1' }, title),
        element('p', {}, ...words),
      ),
    )
    this.#candidates.replaceChildren()
  }

  /** Shown instead of the candidates. */
  showFailure(message: string): void {
    this.#candidates.removeAttribute('aria-busy')
    this.#candidates.replaceChildren(element('p', { class: 'notice' }, foreign(message, 400)))
  }

  scroll(by: number): void {
    this.#scrolled.scrollBy({ top: this.#scrolled.clientHeight * by })
  }

  openNote(): void {
    const box = document.getElementById('note-box')
    if (box === null) return
    box.hidden = false
    partOf('note', HTMLTextAreaElement).focus()
  }

  #renderAsked(): void {
    if (this.#row === null) return
    const hadFocus =
      this.#asked.contains(document.activeElement) || this.#candidates.contains(document.activeElement)
    const wasTyping = document.activeElement?.id === 'note'
    const isNoteOpen = this.#note !== '' || wasTyping
    this.#asked.replaceChildren(
      ...askedParts(this.#row, this.#detail, {
        ...this.#deps,
        onNote: (text) => {
          this.#note = text
        },
      }),
    )
    if (this.#notice !== null) this.#asked.prepend(this.#notice)
    const note = partOf('note', HTMLTextAreaElement)
    note.value = this.#note
    partOf('note-box', HTMLElement).hidden = !isNoteOpen
    if (wasTyping) note.focus()
    else if (hadFocus) partOf('asked-name', HTMLElement).focus({ preventScroll: true })
  }

  #renderCandidates(): void {
    this.#candidates.removeAttribute('aria-busy')
    if (this.#found !== null) this.#candidates.replaceChildren(...this.#foundParts(this.#found))
    else if (this.#detail === null) {
      this.#candidates.setAttribute('aria-busy', 'true')
      this.#candidates.replaceChildren(element('p', { class: 'waiting quiet' }, 'Looking for candidates…'))
    } else this.#candidates.replaceChildren(...this.#ownParts(this.#detail))
  }

  #ownParts({ candidates, candidatesError }: LookupDetail): HTMLElement[] {
    if (candidates.length > 0) return [this.#cards(candidates)]
    if (candidatesError === null)
      return [
        element(
          'p',
          { class: 'nothing' },
          'No candidate was found. ',
          keyCap('/'),
          ' searches by another name, ',
          keyCap('n'),
          ' records that no known company matches.',
        ),
      ]
    const again = element('button', { type: 'button' }, 'Try again')
    again.addEventListener('click', () => {
      this.#deps.onRetry()
    })
    return [
      element(
        'p',
        { class: 'notice' },
        element('strong', {}, 'The candidates could not be loaded: '),
        foreign(candidatesError, 400),
        ' ',
        again,
      ),
    ]
  }

  #foundParts({ candidates, text, error }: Found): HTMLElement[] {
    const title = (...words: (Node | string)[]) => element('p', { class: 'found-title' }, ...words)
    if (error !== null) return [title('The search failed: ', foreign(error, 400))]
    if (candidates.length === 0) return [title('Nothing was found for “', foreign(text, 120), '”.')]
    return [title('Found for “', foreign(text, 120), '”'), this.#cards(candidates)]
  }

  #cards(candidates: readonly CandidateView[]): HTMLElement {
    return candidateCards(candidates, {
      onAccept: this.#deps.onAccept,
      onLook: (candidate) => {
        if (this.#row !== null) markAsked(this.#row, candidate)
      },
    })
  }
}

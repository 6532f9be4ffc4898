import type { CandidateView } from '../../page-data.js'
import { askSearch, Refused } from './api.js'
import { partOf } from './element.js'

export interface SearchDeps {
  /** What was found of a lookup for a text; null: the search is over, its own candidates are shown again. */
  readonly onFound: (found: Found | null) => void
  /** The server is gone, or the session over. */
  readonly onFailure: (failure: unknown) => void
}

export interface Found {
  readonly lookup: string
  readonly text: string
  readonly candidates: readonly CandidateView[]
  /** Why there are none. */
  readonly error: string | null
}

/** What a person looks for when no candidate is the one. */
export class SearchPanel {
  readonly #deps: SearchDeps
  readonly #form = partOf('search', HTMLFormElement)
  readonly #text = partOf('search-text', HTMLInputElement)
  readonly #country = partOf('search-country', HTMLInputElement)
  #lookup: string | null = null
  /** Grows with every search: what comes of one before the last is not shown, or it would change under a finger. */
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

  /** Closed, without a word to anybody: another row is shown. */
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

import { formatCount, plural } from '../../../core/text.js'
import type { QueueFilter, QueueSort, QueueView } from '../../page-data.js'
import { element, partOf } from './element.js'
import type { QueueCounts } from './queue-counts.js'
import { statusWords, toneOf } from './words.js'

const views: readonly { readonly view: QueueView; readonly label: string }[] = [
  { view: 'open', label: 'Open' },
  { view: 'decided', label: 'Decided' },
  { view: 'all', label: 'All' },
]

/** The likeliest first. */
const order = ['matched', 'partial_match', 'inconclusive', 'no_match', 'not_found']

/** Those that are not known are at the end. */
const inOrder = (statuses: ReadonlySet<string>): string[] => [
  ...order.filter((status) => statuses.has(status)),
  ...[...statuses].filter((status) => !order.includes(status)),
]

/** After the last letter, before the queue is asked. */
const typedMs = 150

/** What of the queue is shown, and in which order. */
export class FilterBar {
  readonly #onChange: (filters: QueueFilter) => void
  readonly #views = partOf('views', HTMLElement)
  readonly #statuses = partOf('statuses', HTMLElement)
  readonly #text = partOf('filter-text', HTMLInputElement)
  readonly #sort = partOf('sort', HTMLSelectElement)
  readonly #count = partOf('queue-count', HTMLElement)
  #filters: QueueFilter
  #known: readonly string[] = []
  #typed: ReturnType<typeof setTimeout> | undefined

  constructor(filters: QueueFilter, onChange: (filters: QueueFilter) => void) {
    this.#filters = filters
    this.#onChange = onChange
    this.#views.append(...views.map(({ view, label }) => this.#viewButton(view, label)))
    this.#text.addEventListener('input', () => {
      clearTimeout(this.#typed)
      this.#typed = setTimeout(() => {
        this.#change({ text: this.#text.value.trim() })
      }, typedMs)
    })
    this.#sort.addEventListener('change', () => {
      this.#change({ sort: this.#sort.value as QueueSort })
    })
    this.#press()
  }

  /** `count`: after the filters. */
  show(counts: QueueCounts, count: number): void {
    this.#count.textContent = plural(count, 'lookup')
    const known = inOrder(new Set([...Object.keys(counts.openByStatus), ...this.#filters.statuses]))
    if (known.join() !== this.#known.join()) {
      this.#known = known
      this.#statuses.replaceChildren(...known.map((status) => this.#statusButton(status)))
      this.#press()
    }
    for (const number of this.#statuses.querySelectorAll<HTMLElement>('.number'))
      number.textContent = formatCount(counts.openByStatus[number.dataset['of'] ?? ''] ?? 0)
    this.#statuses.hidden = known.length < 2
  }

  /** Of the view that is shown. */
  chooseView(view: QueueView): void {
    this.#change({ view, statuses: [], text: '' })
    this.#text.value = ''
  }

  #change(part: Partial<QueueFilter>): void {
    this.#filters = { ...this.#filters, ...part }
    this.#press()
    this.#onChange(this.#filters)
  }

  #press(): void {
    for (const button of this.#views.querySelectorAll('button'))
      button.setAttribute('aria-pressed', String(button.dataset['view'] === this.#filters.view))
    for (const button of this.#statuses.querySelectorAll('button'))
      button.setAttribute(
        'aria-pressed',
        String(this.#filters.statuses.includes(button.dataset['status'] ?? '')),
      )
  }

  #viewButton(view: QueueView, label: string): HTMLButtonElement {
    const button = element('button', { type: 'button', 'data-view': view }, label)
    button.addEventListener('click', () => {
      this.#change({ view })
    })
    return button
  }

  #statusButton(status: string): HTMLButtonElement {
    const button = element(
      'button',
      { type: 'button', 'data-status': status, 'aria-pressed': 'false' },
      element('span', { class: `dot ${toneOf(status)}` }),
      statusWords(status),
      ' ',
      element('span', { class: 'number quiet', 'data-of': status }),
    )
    button.addEventListener('click', () => {
      const { statuses } = this.#filters
      const others = statuses.filter((other) => other !== status)
      this.#change({ statuses: others.length < statuses.length ? others : [...statuses, status] })
    })
    return button
  }
}

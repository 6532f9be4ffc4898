import { formatCount, plural } from '../../../core/text.js'
import type { QueueRow, QueueFilter, QueueSort, QueueView } from '../../page-data.js'
import { element, foreign, partOf, putChildren, unseen } from './elements.js'
import { scrolledPx, scrollToPut, seenAt, windowAt, type ListShape } from './list-window.js'
import { statusWords, toneOf, type QueueCounts } from './page-text.js'

export interface QueueListDeps {
  readonly rowAt: (index: number) => QueueRow | null
  readonly count: () => number
  /** The reviewer selected a row. */
  readonly onChoose: (index: number) => void
  /** Rows are visible or will be soon. */
  readonly onSeen: (from: number, to: number) => void
}

/** The queue as a virtual list: only visible rows, and a few around them, are in the page. */
export class QueueList {
  readonly #deps: QueueListDeps
  readonly #box = partOf('list', HTMLElement)
  readonly #spacer = partOf('list-height', HTMLElement)
  readonly #rows = partOf('list-rows', HTMLElement)
  readonly #skipped = new Set<string>()
  #selected: string | null = null
  #elements: ReadonlyMap<string, ListRow> = new Map()
  #isDue = false
  // Cached, because reading it forces a layout.
  #viewPx = 0
  #rowPx = 0
  #scrollPx = 0
  #heightPx = -1
  /** The last row to be revealed. The pane may have been hidden then. */
  #revealed = 0

  constructor(deps: QueueListDeps) {
    this.#deps = deps
    this.#measure()
    this.#box.addEventListener('scroll', () => {
      this.#scrollPx = this.#box.scrollTop
      this.#renderSoon()
    })
    new ResizeObserver(() => {
      const wasHidden = this.#viewPx === 0
      this.#measure()
      if (wasHidden) this.reveal(this.#revealed)
      else this.#renderSoon()
    }).observe(this.#box)
    this.#rows.addEventListener('click', ({ target }) => {
      const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
      if (row !== null) deps.onChoose(Number(row.dataset['index']))
    })
  }

  select(lookup: string | null): void {
    this.#selected = lookup
  }

  skip(lookup: string): void {
    this.#skipped.add(lookup)
  }

  /** Scrolls as little as necessary to make a row visible, and renders the list. */
  reveal(index: number): void {
    this.#revealed = index
    const shape = this.#shape()
    const { from, to } = this.seen()
    if (index < from) this.#scrollTo(scrollToPut(shape, index, 0))
    else if (index >= to) this.#scrollTo(scrollToPut(shape, index, shape.viewPx - shape.rowPx))
    this.render()
  }

  /** Distance of a row from the visible top, in pixels. */
  placeOf(index: number): number {
    const shape = this.#shape()
    const { from, topPx } = windowAt(shape, this.#scrollPx)
    return topPx + (index - from) * shape.rowPx - this.#scrollPx
  }

  /** Scrolls so that a row is this far below the visible top. */
  putAt(index: number, belowTopPx: number): void {
    this.#scrollTo(scrollToPut(this.#shape(), index, belowTopPx))
    this.render()
  }

  seen(): { from: number; to: number } {
    return seenAt(this.#shape(), this.#scrollPx)
  }

  isSeen(index: number): boolean {
    const { from, to } = this.seen()
    return index >= from && index < to
  }

  render(): void {
    this.#isDue = false
    const shape = this.#shape()
    this.#stretch()
    const { from, to, topPx } = windowAt(shape, this.#scrollPx)
    const elements = new Map<string, ListRow>()
    const rows = Array.from({ length: to - from }, (_, at) => this.#rowElement(from + at, elements))
    this.#elements = elements
    this.#rows.style.transform = `translateY(${topPx}px)`
    putChildren(this.#rows, rows)
    const selected = rows.find((row) => row.getAttribute('aria-selected') === 'true')
    if (selected === undefined) this.#box.removeAttribute('aria-activedescendant')
    else this.#box.setAttribute('aria-activedescendant', selected.id)
    this.#deps.onSeen(from, to)
  }

  #renderSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    requestAnimationFrame(() => {
      if (this.#isDue) this.render()
    })
  }

  #shape(): ListShape {
    return { count: this.#deps.count(), rowPx: this.#rowPx, viewPx: this.#viewPx }
  }

  #measure(): void {
    this.#viewPx = this.#box.clientHeight
    this.#rowPx = parseFloat(getComputedStyle(this.#rows).getPropertyValue('--row-rem')) * rootFontPx()
  }

  /** Sets the height of the scrolled box. The browser limits scrolling to it. */
  #stretch(): void {
    const shape = this.#shape()
    const heightPx = scrolledPx(shape)
    if (heightPx === this.#heightPx) return
    this.#heightPx = heightPx
    this.#spacer.style.height = `${heightPx}px`
    const scrollPxMax = Math.max(0, heightPx - shape.viewPx)
    if (this.#scrollPx > scrollPxMax) this.#scrollTo(scrollPxMax)
  }

  #scrollTo(scrollPx: number): void {
    this.#scrollPx = scrollPx
    this.#stretch()
    this.#box.scrollTop = scrollPx
  }

  /** Reuses elements that are in the page. */
  #rowElement(index: number, elements: Map<string, ListRow>): HTMLElement {
    const row = this.#deps.rowAt(index)
    const before = row === null ? undefined : this.#elements.get(row.lookup)
    const made = before !== undefined && before.row === row ? before.element : emptyOrFull(row)
    if (row !== null) elements.set(row.lookup, { row, element: made })
    made.id = `row-${index}`
    made.dataset['index'] = String(index)
    made.ariaPosInSet = String(index + 1)
    made.ariaSetSize = String(this.#deps.count())
    made.ariaSelected = String(row !== null && row.lookup === this.#selected)
    made.className = row !== null && this.#skipped.has(row.lookup) ? 'row skipped' : 'row'
    return made
  }
}

interface ListRow {
  readonly row: QueueRow
  readonly element: HTMLElement
}

const emptyOrFull = (row: QueueRow | null): HTMLElement =>
  element(
    'div',
    { role: 'option' },
    ...(row === null ? [element('span', { class: 'quiet' }, '…')] : rowParts(row)),
  )

function rowParts(row: QueueRow): HTMLElement[] {
  const { status, confidence, rowCount, location, decision, reason } = row
  const state =
    reason !== null ? 'doubtful again' : decision === null ? statusWords(status) : verdictWords(row)
  const tone = reason !== null ? 'doubtful' : decision === null ? toneOf(status) : 'done'
  return [
    element('span', { class: 'row-name' }, foreign(row.name, 120)),
    element(
      'span',
      { class: 'row-count', title: plural(rowCount, 'row') },
      rowCount === 1 ? '' : `× ${formatCount(rowCount)}`,
      rowCount === 1 ? null : unseen(' rows'),
    ),
    element(
      'span',
      { class: 'row-state' },
      element('span', { class: `dot ${tone}` }),
      state,
      location === null ? null : element('span', { class: 'quiet' }, ' · ', foreign(location, 80)),
    ),
    element(
      'span',
      { class: 'row-confidence' },
      confidence === null ? '' : String(confidence),
      confidence === null ? null : unseen(' confidence'),
    ),
  ]
}

const verdictWords = ({ decision }: QueueRow): string =>
  decision?.verdict === 'none' ? 'none of these' : 'accepted'

const rootFontPx = (): number => parseFloat(getComputedStyle(document.documentElement).fontSize)

const views: readonly { readonly view: QueueView; readonly label: string }[] = [
  { view: 'open', label: 'Open' },
  { view: 'decided', label: 'Decided' },
  { view: 'all', label: 'All' },
]

/** The most likely first. */
const order = ['matched', 'partial_match', 'inconclusive', 'no_match', 'not_found']

/** Unknown statuses come last. */
const inOrder = (statuses: ReadonlySet<string>): string[] => [
  ...order.filter((status) => statuses.has(status)),
  ...[...statuses].filter((status) => !order.includes(status)),
]

/** Delay after the last letter before the queue is requested. */
const typedMs = 150

/** The filters and order of the queue. */
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

  /** `count`: rows that match the filters. */
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

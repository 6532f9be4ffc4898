import { formatCount, plural } from '../../../core/text.js'
import type { QueueRow, QueueFilter, QueueSort, QueueView } from '../../page-data.js'
import {
  createElement,
  isolateText,
  getPart,
  putChildren,
  createHiddenText,
  calculateHeightPx,
  calculateScrollPx,
  findVisibleRows,
  calculateWindow,
  type ListShape,
} from './elements.js'
import { formatStatus, getTone, type QueueCounts } from './page-text.js'

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
  readonly #box = getPart('list', HTMLElement)
  readonly #spacer = getPart('list-height', HTMLElement)
  readonly #rows = getPart('list-rows', HTMLElement)
  readonly #skipped = new Set<string>()
  #selected: string | null = null
  #elements: ReadonlyMap<string, ListRow> = new Map()
  #isRenderDue = false
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
    const shape = this.#getShape()
    const { from, to } = this.findVisibleRange()
    if (index < from) this.#scrollTo(calculateScrollPx(shape, index, 0))
    else if (index >= to) this.#scrollTo(calculateScrollPx(shape, index, shape.viewPx - shape.rowPx))
    this.render()
  }

  /** Distance of a row from the visible top, in pixels. */
  getOffsetPx(index: number): number {
    const shape = this.#getShape()
    const { from, topPx } = calculateWindow(shape, this.#scrollPx)
    return topPx + (index - from) * shape.rowPx - this.#scrollPx
  }

  /** Scrolls so that a row is this far below the visible top. */
  scrollRowTo(index: number, belowTopPx: number): void {
    this.#scrollTo(calculateScrollPx(this.#getShape(), index, belowTopPx))
    this.render()
  }

  findVisibleRange(): { from: number; to: number } {
    return findVisibleRows(this.#getShape(), this.#scrollPx)
  }

  isVisible(index: number): boolean {
    const { from, to } = this.findVisibleRange()
    return index >= from && index < to
  }

  render(): void {
    this.#isRenderDue = false
    const shape = this.#getShape()
    this.#updateHeight()
    const { from, to, topPx } = calculateWindow(shape, this.#scrollPx)
    const elements = new Map<string, ListRow>()
    const rows = Array.from({ length: to - from }, (_, at) => this.#getRowElement(from + at, elements))
    this.#elements = elements
    this.#rows.style.transform = `translateY(${topPx}px)`
    putChildren(this.#rows, rows)
    const selected = rows.find((row) => row.getAttribute('aria-selected') === 'true')
    if (selected === undefined) this.#box.removeAttribute('aria-activedescendant')
    else this.#box.setAttribute('aria-activedescendant', selected.id)
    this.#deps.onSeen(from, to)
  }

  #renderSoon(): void {
    if (this.#isRenderDue) return
    this.#isRenderDue = true
    requestAnimationFrame(() => {
      if (this.#isRenderDue) this.render()
    })
  }

  #getShape(): ListShape {
    return { count: this.#deps.count(), rowPx: this.#rowPx, viewPx: this.#viewPx }
  }

  #measure(): void {
    this.#viewPx = this.#box.clientHeight
    this.#rowPx = parseFloat(getComputedStyle(this.#rows).getPropertyValue('--row-rem')) * getRootFontPx()
  }

  /** Sets the height of the scrolled box. The browser limits scrolling to it. */
  #updateHeight(): void {
    const shape = this.#getShape()
    const heightPx = calculateHeightPx(shape)
    if (heightPx === this.#heightPx) return
    this.#heightPx = heightPx
    this.#spacer.style.height = `${heightPx}px`
    const scrollPxMax = Math.max(0, heightPx - shape.viewPx)
    if (this.#scrollPx > scrollPxMax) this.#scrollTo(scrollPxMax)
  }

  #scrollTo(scrollPx: number): void {
    this.#scrollPx = scrollPx
    this.#updateHeight()
    this.#box.scrollTop = scrollPx
  }

  /** Reuses elements that are in the page. */
  #getRowElement(index: number, elements: Map<string, ListRow>): HTMLElement {
    const row = this.#deps.rowAt(index)
    const before = row === null ? undefined : this.#elements.get(row.lookup)
    const made = before !== undefined && before.row === row ? before.element : createRow(row)
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

const createRow = (row: QueueRow | null): HTMLElement =>
  createElement(
    'div',
    { role: 'option' },
    ...(row === null ? [createElement('span', { class: 'quiet' }, '…')] : createRowParts(row)),
  )

function createRowParts(row: QueueRow): HTMLElement[] {
  const { status, confidence, rowCount, location, decision, reason, proposal } = row
  const state =
    reason !== null ? 'doubtful again' : decision === null ? formatStatus(status) : describeVerdict(row)
  const tone = reason !== null ? 'doubtful' : decision === null ? getTone(status) : 'done'
  return [
    createElement('span', { class: 'row-name' }, isolateText(row.name, 120)),
    createElement(
      'span',
      { class: 'row-count', title: plural(rowCount, 'row') },
      rowCount === 1 ? '' : `× ${formatCount(rowCount)}`,
      rowCount === 1 ? null : createHiddenText(' rows'),
    ),
    createElement(
      'span',
      { class: 'row-state' },
      createElement('span', { class: `dot ${tone}` }),
      state,
      proposal === null || decision !== null ? null : ', proposed',
      location === null ? null : createElement('span', { class: 'quiet' }, ' · ', isolateText(location, 80)),
    ),
    createElement(
      'span',
      { class: 'row-confidence' },
      confidence === null ? '' : String(confidence),
      confidence === null ? null : createHiddenText(' confidence'),
    ),
  ]
}

const describeVerdict = ({ decision }: QueueRow): string =>
  decision?.verdict === 'none' ? 'none of these' : 'accepted'

const getRootFontPx = (): number => parseFloat(getComputedStyle(document.documentElement).fontSize)

const views: readonly { readonly view: QueueView; readonly label: string }[] = [
  { view: 'open', label: 'Open' },
  { view: 'decided', label: 'Decided' },
  { view: 'all', label: 'All' },
]

/** The most likely first. */
const order = ['matched', 'partial_match', 'inconclusive', 'no_match', 'not_found']

/** Unknown statuses come last. */
const sortStatuses = (statuses: ReadonlySet<string>): string[] => [
  ...order.filter((status) => statuses.has(status)),
  ...[...statuses].filter((status) => !order.includes(status)),
]

/** Delay after the last letter before the queue is requested. */
const typingDelayMs = 150

/** The filters and order of the queue. */
export class FilterBar {
  readonly #onChange: (filters: QueueFilter) => void
  readonly #views = getPart('views', HTMLElement)
  readonly #statuses = getPart('statuses', HTMLElement)
  readonly #text = getPart('filter-text', HTMLInputElement)
  readonly #sort = getPart('sort', HTMLSelectElement)
  readonly #count = getPart('queue-count', HTMLElement)
  #filters: QueueFilter
  #known: readonly string[] = []
  #typed: ReturnType<typeof setTimeout> | undefined

  constructor(filters: QueueFilter, onChange: (filters: QueueFilter) => void) {
    this.#filters = filters
    this.#onChange = onChange
    this.#views.append(...views.map(({ view, label }) => this.#createViewButton(view, label)))
    this.#text.addEventListener('input', () => {
      clearTimeout(this.#typed)
      this.#typed = setTimeout(() => {
        this.#setFilters({ text: this.#text.value.trim() })
      }, typingDelayMs)
    })
    this.#sort.addEventListener('change', () => {
      this.#setFilters({ sort: this.#sort.value as QueueSort })
    })
    this.#updatePressed()
  }

  /** `count`: rows that match the filters. */
  show(counts: QueueCounts, count: number): void {
    this.#count.textContent = plural(count, 'lookup')
    const known = sortStatuses(new Set([...Object.keys(counts.openByStatus), ...this.#filters.statuses]))
    if (known.join() !== this.#known.join()) {
      this.#known = known
      this.#statuses.replaceChildren(...known.map((status) => this.#createStatusButton(status)))
      this.#updatePressed()
    }
    for (const number of this.#statuses.querySelectorAll<HTMLElement>('.number'))
      number.textContent = formatCount(counts.openByStatus[number.dataset['of'] ?? ''] ?? 0)
    this.#statuses.hidden = known.length < 2
  }

  chooseView(view: QueueView): void {
    this.#setFilters({ view, statuses: [], text: '' })
    this.#text.value = ''
  }

  #setFilters(part: Partial<QueueFilter>): void {
    this.#filters = { ...this.#filters, ...part }
    this.#updatePressed()
    this.#onChange(this.#filters)
  }

  #updatePressed(): void {
    for (const button of this.#views.querySelectorAll('button'))
      button.setAttribute('aria-pressed', String(button.dataset['view'] === this.#filters.view))
    for (const button of this.#statuses.querySelectorAll('button'))
      button.setAttribute(
        'aria-pressed',
        String(this.#filters.statuses.includes(button.dataset['status'] ?? '')),
      )
  }

  #createViewButton(view: QueueView, label: string): HTMLButtonElement {
    const button = createElement('button', { type: 'button', 'data-view': view }, label)
    button.addEventListener('click', () => {
      this.#setFilters({ view })
    })
    return button
  }

  #createStatusButton(status: string): HTMLButtonElement {
    const button = createElement(
      'button',
      { type: 'button', 'data-status': status, 'aria-pressed': 'false' },
      createElement('span', { class: `dot ${getTone(status)}` }),
      formatStatus(status),
      ' ',
      createElement('span', { class: 'number quiet', 'data-of': status }),
    )
    button.addEventListener('click', () => {
      const { statuses } = this.#filters
      const others = statuses.filter((other) => other !== status)
      this.#setFilters({ statuses: others.length < statuses.length ? others : [...statuses, status] })
    })
    return button
  }
}

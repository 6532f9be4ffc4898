import type { QueueRow } from '../../page-data.js'
import { element, foreign, partOf, unseen } from './element.js'
import { scrolledPx, scrollToPut, seenAt, windowAt, type ListShape } from './list-window.js'
import { counted, grouped, statusWords, toneOf } from './words.js'

export interface QueueListDeps {
  readonly rowAt: (index: number) => QueueRow | null
  readonly count: () => number
  /** Somebody points at a row. */
  readonly onChoose: (index: number) => void
  /** Rows are seen, or soon will be. */
  readonly onSeen: (from: number, to: number) => void
}

/** The queue as a list of which only the rows that are seen, and a few beside them, are in the page. */
export class QueueList {
  readonly #deps: QueueListDeps
  readonly #box = partOf('list', HTMLElement)
  readonly #spacer = partOf('list-height', HTMLElement)
  readonly #rows = partOf('list-rows', HTMLElement)
  readonly #skipped = new Set<string>()
  #selected: string | null = null
  #isDue = false

  constructor(deps: QueueListDeps) {
    this.#deps = deps
    this.#box.addEventListener('scroll', () => {
      this.#renderSoon()
    })
    new ResizeObserver(() => {
      this.#renderSoon()
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

  /** Scrolls no further than is needed for a row to be seen, and shows what there is now. */
  reveal(index: number): void {
    const shape = this.#shape()
    const { from, to } = seenAt(shape, this.#box.scrollTop)
    this.#spacer.style.height = `${scrolledPx(shape)}px`
    if (index < from) this.#box.scrollTop = scrollToPut(shape, index, 0)
    else if (index >= to) this.#box.scrollTop = scrollToPut(shape, index, shape.viewPx - shape.rowPx)
    this.render()
  }

  /** Pixels from the top of what is seen to a row. */
  placeOf(index: number): number {
    const shape = this.#shape()
    const { from, topPx } = windowAt(shape, this.#box.scrollTop)
    return topPx + (index - from) * shape.rowPx - this.#box.scrollTop
  }

  /** Scrolls so that a row stands where another stood. */
  putAt(index: number, belowTopPx: number): void {
    const shape = this.#shape()
    this.#spacer.style.height = `${scrolledPx(shape)}px`
    this.#box.scrollTop = scrollToPut(shape, index, belowTopPx)
    this.render()
  }

  seen(): { from: number; to: number } {
    return seenAt(this.#shape(), this.#box.scrollTop)
  }

  isSeen(index: number): boolean {
    const { from, to } = this.seen()
    return index >= from && index < to
  }

  render(): void {
    this.#isDue = false
    const shape = this.#shape()
    this.#spacer.style.height = `${scrolledPx(shape)}px`
    const { from, to, topPx } = windowAt(shape, this.#box.scrollTop)
    const rows = Array.from({ length: to - from }, (_, at) => this.#rowElement(from + at, shape.count))
    this.#rows.style.transform = `translateY(${topPx}px)`
    this.#rows.replaceChildren(...rows)
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
    const rowPx = parseFloat(getComputedStyle(this.#rows).getPropertyValue('--row-rem')) * rootFontPx()
    return { count: this.#deps.count(), rowPx, viewPx: this.#box.clientHeight }
  }

  #rowElement(index: number, count: number): HTMLElement {
    const row = this.#deps.rowAt(index)
    const isSelected = row !== null && row.lookup === this.#selected
    const attributes = {
      class: row !== null && this.#skipped.has(row.lookup) ? 'row skipped' : 'row',
      role: 'option',
      id: `row-${index}`,
      'data-index': String(index),
      'aria-selected': String(isSelected),
      'aria-setsize': String(count),
      'aria-posinset': String(index + 1),
    }
    return row === null
      ? element('div', attributes, element('span', { class: 'quiet' }, '…'))
      : element('div', attributes, ...rowParts(row))
  }
}

function rowParts(row: QueueRow): HTMLElement[] {
  const { status, confidence, rowCount, location, decision, reason } = row
  const state =
    reason !== null ? 'back: look again' : decision === null ? statusWords(status) : verdictWords(row)
  const tone = reason !== null ? 'doubtful' : decision === null ? toneOf(status) : 'done'
  return [
    element('span', { class: 'row-name' }, foreign(row.name, 120)),
    element(
      'span',
      { class: 'row-count', title: counted(rowCount, 'row') },
      rowCount === 1 ? '' : `× ${grouped(rowCount)}`,
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

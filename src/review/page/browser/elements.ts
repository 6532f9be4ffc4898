import { isLeftToRight } from '../../../core/text.js'
import { splitAtWords, toDisplayText } from './page-text.js'
import type { Mark } from '../../page-data.js'

/** Browsers do not lay out higher boxes. */
const heightPxMax = 12_000_000

export interface ListShape {
  readonly count: number
  readonly rowPx: number
  /** Visible height of the list. */
  readonly viewPx: number
}

/** Range of rows that are in the page. */
export interface ListWindow {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** Position of the first row, from the top of the scrolled box. */
  readonly topPx: number
}

/** Additional rows above and below the visible ones. */
const marginRows = 6

/** Height of the scrolled box. It is limited: with very many rows, one pixel of it is several of rows. */
export const calculateHeightPx = ({ count, rowPx }: ListShape): number => Math.min(count * rowPx, heightPxMax)

/** The rows in the page at scroll position `scrollPx`. */
export function calculateWindow(shape: ListShape, scrollPx: number): ListWindow {
  const { count, rowPx, viewPx } = shape
  const rowsPx = scrollPx * calculateStretch(shape)
  const from = Math.max(0, Math.floor(rowsPx / rowPx) - marginRows)
  const to = Math.min(count, Math.ceil((rowsPx + viewPx) / rowPx) + marginRows)
  return { from: Math.min(from, to), to, topPx: scrollPx - (rowsPx - Math.min(from, to) * rowPx) }
}

/** Rows that are completely visible. */
export function findVisibleRows(shape: ListShape, scrollPx: number): { from: number; to: number } {
  const rowsPx = scrollPx * calculateStretch(shape)
  const from = Math.ceil(rowsPx / shape.rowPx - 0.01)
  return { from, to: Math.min(shape.count, Math.floor((rowsPx + shape.viewPx) / shape.rowPx + 0.01)) }
}

/** Returns the scroll position that puts the row at `index` this many pixels below the visible top. */
export function calculateScrollPx(shape: ListShape, index: number, belowTopPx: number): number {
  const rowsPx = index * shape.rowPx - belowTopPx
  return Math.min(
    Math.max(0, rowsPx / calculateStretch(shape)),
    Math.max(0, calculateHeightPx(shape) - shape.viewPx),
  )
}

/** Pixels of rows per pixel of scrolling. */
function calculateStretch(shape: ListShape): number {
  const rowsPx = shape.count * shape.rowPx - shape.viewPx
  const scrollablePx = calculateHeightPx(shape) - shape.viewPx
  return rowsPx <= 0 || scrollablePx <= 0 ? 1 : rowsPx / scrollablePx
}

type Child = Node | string | null

/**
 * Creates an element with attributes (`null`: omitted) and children; strings become text nodes. The browser does not use
 * the `html` tag of src/web, because no script may turn text into markup.
 */
export function createElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | null>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value)
  made.append(...children.filter((child) => child !== null))
  return made
}

/** Sets the children. Those that are already in place are not touched and keep their focus. */
export function putChildren(parent: Element, children: readonly Element[]): void {
  const wanted = new Set(children)
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove()
  for (const [index, child] of children.entries())
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null)
}

/** Returns the element with this id and type. Throws if the page does not have it. */
export function getPart<Part extends HTMLElement>(id: string, kind: new () => Part): Part {
  const part = document.getElementById(id)
  if (!(part instanceof kind)) throw new Error(`the page has no ${kind.name} of the id ${id}`)
  return part
}

/** Text of files and services, isolated so that its direction does not affect other text. A sentence with an Arabic name in front reads from left to right. */
export const isolateText = (text: string, charsMax?: number): HTMLElement =>
  createElement('bdi', isLeftToRight(text) ? { dir: 'ltr' } : {}, toDisplayText(text, charsMax))

export const createKeyCap = (key: string): HTMLElement => createElement('kbd', {}, key)

/** For screen readers only. */
export const createHiddenText = (text: string): HTMLElement =>
  createElement('span', { class: 'unseen' }, text)

/** Creates an element of a text with its differences marked; unchanged if it was not compared. */
export function markDifferences(text: string, marks: readonly Mark[]): HTMLElement {
  if (marks.length === 0) return isolateText(text)
  return createElement('bdi', {}, ...marks.map(markNode))
}

/** Creates an element of a text with its common parts marked, for two texts of different detail. */
export function markCommonParts(text: string, marks: readonly Mark[]): HTMLElement {
  if (marks.length === 0) return isolateText(text)
  return createElement('bdi', {}, ...marks.map(createCommonNode))
}

function createCommonNode({ text, isShared }: Mark): DocumentFragment {
  const made = document.createDocumentFragment()
  const [before, words, after] = isShared ? splitAtWords(text) : [text, '', '']
  made.append(toDisplayText(before))
  if (words !== '') made.append(createElement('b', {}, toDisplayText(words)), toDisplayText(after))
  return made
}

const markNode = ({ text, isShared }: Mark): Node =>
  isShared || text.trim() === ''
    ? document.createTextNode(toDisplayText(text))
    : createElement('mark', {}, toDisplayText(text))

import { shown } from './page-text.js'
import type { Mark } from '../../page-data.js'

type Child = Node | string | null

/**
 * An element with attributes (null: left out) and children; text goes in as text. The `html` tag of src/web is not used
 * in the browser: it makes text, and no script of the page turns text into markup.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | null>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value)
  made.append(...children.filter((child) => child !== null))
  return made
}

/** Makes these the children: those that are there already are not touched, and keep their focus and their place. */
export function putChildren(parent: Element, children: readonly Element[]): void {
  const wanted = new Set(children)
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove()
  for (const [index, child] of children.entries())
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null)
}

/** What the page is written with: an element of an id and a kind is there. */
export function partOf<Part extends HTMLElement>(id: string, kind: new () => Part): Part {
  const part = document.getElementById(id)
  if (!(part instanceof kind)) throw new Error(`the page has no ${kind.name} of the id ${id}`)
  return part
}

/** Words of files and services, set apart, so that they never order the words around them. */
export const foreign = (text: string, charsMax?: number): HTMLElement =>
  element('bdi', {}, shown(text, charsMax))

/** A key as it is on keyboards. */
export const keyCap = (key: string): HTMLElement => element('kbd', {}, key)

/** For screen readers alone. */
export const unseen = (text: string): HTMLElement => element('span', { class: 'unseen' }, text)

/** A text with what differs marked; where nothing was compared, as it is. */
export function marked(text: string, marks: readonly Mark[]): HTMLElement {
  if (marks.length === 0) return foreign(text)
  return element('bdi', {}, ...marks.map(markNode))
}

/** A text with what is the same brought out: for texts of which one says more than the other. */
export function agreeing(text: string, marks: readonly Mark[]): HTMLElement {
  if (marks.length === 0) return foreign(text)
  return element('bdi', {}, ...marks.map(agreeNode))
}

const agreeNode = ({ text, isShared }: Mark): Node =>
  isShared && /[\p{L}\p{N}]/u.test(text)
    ? element('b', {}, shown(text))
    : document.createTextNode(shown(text))

const markNode = ({ text, isShared }: Mark): Node =>
  isShared || text.trim() === '' ? document.createTextNode(shown(text)) : element('mark', {}, shown(text))

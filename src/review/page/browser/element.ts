import { shown } from './shown-text.js'

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

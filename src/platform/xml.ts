import { SaxesParser, type SaxesAttributeNS } from 'saxes'

/** Describes invalid XML. The caller adds the name of the file or store. */
export class XmlError extends Error {}

/** Returns the value of an attribute: without a prefix, or of one of the namespaces. */
export type AttributeReader = (name: string, namespaces?: readonly string[]) => string | undefined

interface XmlHandlers {
  /** Receives the name without a prefix. Returns `false` to skip the element with its content. */
  open(name: string, attribute: AttributeReader): boolean
  close(): void
  /** May be called with several pieces. */
  text(text: string): void
}

/** Markup Compatibility: a choice between extensions, with a fallback for programs that do not know them. */
const compatibility = 'http://schemas.openxmlformats.org/markup-compatibility/2006'

/** `own`: given to the handlers; `choice`: `AlternateContent` and its chosen branch, read as if they were absent. */
type OpenElement = { readonly kind: 'own' } | { readonly kind: 'choice'; isChosen: boolean }

const ownElement: OpenElement = { kind: 'own' }

/**
 * Parses XML. Gives the elements of the namespaces to the handlers and skips all others with their content. Without
 * namespaces, the root's is taken. Throws XmlError for invalid XML, a document type, and a root of another namespace.
 */
export class XmlReader {
  /** Number of tags so far. */
  tagCount = 0
  private readonly parser = new SaxesParser({ position: false, xmlns: true })
  private readonly open: OpenElement[] = []
  private skippedDepth = 0

  constructor(
    private readonly handlers: XmlHandlers,
    private namespaces: readonly string[] | null = null,
  ) {
    const { parser } = this
    parser.on('doctype', () => {
      throw new XmlError('it declares a document type, which is not allowed')
    })
    parser.on('error', (error) => {
      throw new XmlError('its XML is not valid', { cause: error })
    })
    parser.on('opentag', ({ local, uri, attributes }) => {
      this.tagCount++
      if (this.skippedDepth > 0) this.skippedDepth++
      else this.openElement(local, uri, attributes)
    })
    parser.on('closetag', () => {
      this.tagCount++
      if (this.skippedDepth > 0) this.skippedDepth--
      else if (this.open.pop()?.kind === 'own') handlers.close()
    })
    const addText = (text: string) => {
      if (this.skippedDepth === 0 && this.open.at(-1)?.kind === 'own') handlers.text(text)
    }
    parser.on('text', addText)
    parser.on('cdata', addText)
  }

  write(text: string): void {
    this.parser.write(text)
  }

  /** Throws XmlError if an element is not closed. */
  close(): void {
    this.parser.close()
  }

  private openElement(name: string, uri: string, attributes: Record<string, SaxesAttributeNS>): void {
    this.namespaces ??= [uri]
    const element = this.classify(name, uri, attributes)
    if (element === ownElement) {
      const isRead = this.handlers.open(name, (wanted, namespaces) =>
        findAttribute(attributes, wanted, namespaces),
      )
      if (isRead) this.open.push(element)
      else this.skippedDepth = 1
    } else if (element !== null) this.open.push(element)
    else if (this.open.length > 0) this.skippedDepth = 1
    else throw new XmlError(`its element <${name}> is of the unknown namespace ${JSON.stringify(uri)}`)
  }

  /** Returns `null` for an element to skip. */
  private classify(
    name: string,
    uri: string,
    attributes: Record<string, SaxesAttributeNS>,
  ): OpenElement | null {
    if (this.isKnown(uri)) return ownElement
    if (uri !== compatibility || this.open.length === 0) return null
    if (name === 'AlternateContent') return { kind: 'choice', isChosen: false }
    const parent = this.open.at(-1)
    if (parent?.kind !== 'choice' || parent.isChosen) return null
    if (name !== 'Fallback' && !(name === 'Choice' && this.isUnderstood(attributes))) return null
    parent.isChosen = true
    return { kind: 'choice', isChosen: true }
  }

  /** Returns whether every namespace that a branch requires is known. */
  private isUnderstood(attributes: Record<string, SaxesAttributeNS>): boolean {
    const prefixes = (findAttribute(attributes, 'Requires') ?? '').split(/\s+/).filter((text) => text !== '')
    return prefixes.every((prefix) => this.isKnown(this.parser.resolve(prefix) ?? ''))
  }

  private isKnown(uri: string): boolean {
    return this.namespaces?.includes(uri) === true
  }
}

function findAttribute(
  attributes: Record<string, SaxesAttributeNS>,
  name: string,
  namespaces?: readonly string[],
): string | undefined {
  if (namespaces === undefined) return attributes[name]?.value
  return Object.values(attributes).find(({ local, uri }) => local === name && namespaces.includes(uri))?.value
}

/** Handlers of elements by place. A place is the path of names from the root, without prefixes: `sst/si/t`. */
export interface PlaceHandlers {
  /** Elements at other places are skipped with their content, except for those above a place. */
  readonly places: readonly string[]
  open?(place: string, attribute: AttributeReader): void
  close?(place: string): void
  /** May be called with several pieces. */
  text?(text: string, place: string): void
}

interface Place {
  readonly path: string
  readonly inside: Map<string, Place>
}

function buildPlaces(paths: readonly string[]): Place {
  const root: Place = { path: '', inside: new Map() }
  for (const path of paths) {
    let at = root
    for (const name of path.split('/')) {
      const found = at.inside.get(name)
      const inside = found ?? { path: at === root ? name : `${at.path}/${name}`, inside: new Map() }
      if (found === undefined) at.inside.set(name, inside)
      at = inside
    }
  }
  return root
}

/** Creates a reader that gives the elements of some places to handlers. Errors: those of XmlReader. */
export function createPlaceReader(handlers: PlaceHandlers, namespaces: readonly string[]): XmlReader {
  let place = buildPlaces(handlers.places)
  const above: Place[] = []
  return new XmlReader(
    {
      open(name, attribute) {
        const inside = place.inside.get(name)
        if (inside === undefined) return false
        above.push(place)
        place = inside
        handlers.open?.(place.path, attribute)
        return true
      },
      close() {
        handlers.close?.(place.path)
        place = above.pop() ?? place
      },
      text: (text) => handlers.text?.(text, place.path),
    },
    namespaces,
  )
}

/** An element of the root's namespace; names have no prefix. */
export interface XmlElement {
  readonly name: string
  readonly attribute: AttributeReader
  readonly children: readonly XmlElement[]
  /** Own text, without that of the children. */
  readonly text: string
}

const depthMax = 20

/** Parses a short text, such as a reply of a store. Returns `null` if it is invalid, cut off, or declares a document type. */
export function parseXml(text: string): XmlElement | null {
  type Growing = Pick<XmlElement, 'name' | 'attribute'> & { children: XmlElement[]; text: string }
  const root: Growing = { name: '', attribute: () => undefined, children: [], text: '' }
  const open = [root]
  const reader = new XmlReader({
    open(name, attribute) {
      if (open.length > depthMax) throw new XmlError('it is too deep')
      const element: Growing = { name, attribute, children: [], text: '' }
      open.at(-1)?.children.push(element)
      open.push(element)
      return true
    },
    close() {
      open.pop()
    },
    text(piece) {
      const element = open.at(-1)
      if (element !== undefined) element.text += piece
    },
  })
  try {
    reader.write(text)
    reader.close()
  } catch (error) {
    if (error instanceof XmlError) return null
    throw error
  }
  return root.children[0] ?? null
}

export function findChild(element: XmlElement | null, ...names: string[]): XmlElement | null {
  return names.reduce<XmlElement | null>(
    (at, name) => at?.children.find((child) => child.name === name) ?? null,
    element,
  )
}

/** Returns the text at the end of a path of names; null if it is missing or empty. */
export function findText(element: XmlElement | null, ...names: string[]): string | null {
  const text = findChild(element, ...names)?.text ?? ''
  return text === '' ? null : text
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign)

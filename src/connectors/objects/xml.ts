import { XmlError, XmlReader, type AttributeReader } from '../../tables/xml.js'

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

import { SaxesParser } from 'saxes'

/** An element; names have no prefix. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** Own text, without that of the children. */
  readonly text: string
}

const depthMax = 20

/** Parses a reply of a store; null if it is not XML, is cut off, or declares a document type. */
export function parseXml(text: string): XmlElement | null {
  const root = { name: '', attributes: {}, children: [], text: '' }
  const open: (Omit<XmlElement, 'children' | 'text'> & { children: XmlElement[]; text: string })[] = [root]
  const parser = new SaxesParser({ position: false })
  parser.on('doctype', () => {
    throw new Error('a document type is not allowed')
  })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length > depthMax) throw new Error('too deep')
    const element = {
      name: name.slice(name.indexOf(':') + 1),
      attributes: attributes as Record<string, string>,
      children: [],
      text: '',
    }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => open.pop())
  const append = (piece: string) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += piece
  }
  parser.on('text', append)
  parser.on('cdata', append)
  try {
    parser.write(text).close()
  } catch {
    return null
  }
  return (root.children as XmlElement[])[0] ?? null
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

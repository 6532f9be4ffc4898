import { TextDecoder } from 'node:util'
import { SaxesParser } from 'saxes'
import { damagedWorkbook } from './xlsx-error.js'
import { xlsxLimits } from '../limits.js'

/** What is met in a part of a workbook; names come without their prefix. */
export interface XmlHandlers {
  open(name: string, attribute: (name: string) => string | undefined): void
  close?(name: string): void
  /** May come in several pieces. */
  text?(text: string): void
}

/** Reads XML as it comes. After each chunk its consumer takes what the handlers have gathered. */
export async function* readXml(
  chunks: AsyncIterable<Buffer>,
  label: string,
  handlers: XmlHandlers,
): AsyncGenerator<void> {
  const parser = new SaxesParser({ position: false })
  let charsSinceTag = 0
  parser.on('doctype', () => {
    throw damagedWorkbook(label, 'it declares a document type, as no Excel file does')
  })
  parser.on('error', (error) => {
    throw damagedWorkbook(label, error.message, error)
  })
  parser.on('opentag', ({ name, attributes }) => {
    charsSinceTag = 0
    handlers.open(localName(name), (wanted) => attributeOf(attributes, wanted))
  })
  parser.on('closetag', ({ name }) => {
    charsSinceTag = 0
    handlers.close?.(localName(name))
  })
  parser.on('text', (text) => handlers.text?.(text))
  parser.on('cdata', (text) => handlers.text?.(text))
  for await (const text of decoded(chunks, label)) {
    charsSinceTag += text.length
    parser.write(text)
    if (charsSinceTag > xlsxLimits.charsBetweenTagsMax) {
      throw damagedWorkbook(label, `a cell of more than ${xlsxLimits.charsBetweenTagsMax} characters`)
    }
    yield
  }
  parser.close()
}

/** The same for a part that is wanted as a whole. */
export async function readWholeXml(
  chunks: AsyncIterable<Buffer>,
  label: string,
  handlers: XmlHandlers,
): Promise<void> {
  const reading = readXml(chunks, label, handlers)
  while ((await reading.next()).done !== true);
}

/** XML of a workbook is UTF-8, or UTF-16 with its byte order mark. */
async function* decoded(chunks: AsyncIterable<Buffer>, label: string): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null
  try {
    for await (const chunk of chunks) {
      decoder ??= new TextDecoder(wideEncoding(chunk) ?? 'utf-8', { fatal: true })
      yield decoder.decode(chunk, { stream: true })
    }
    if (decoder !== null) yield decoder.decode()
  } catch (error) {
    throw error instanceof TypeError ? damagedWorkbook(label, 'it is not UTF-8', error) : error
  }
}

function wideEncoding([first, second]: Buffer): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function attributeOf(attributes: Record<string, unknown>, wanted: string): string | undefined {
  const plain = attributes[wanted]
  if (typeof plain === 'string') return plain
  const found = Object.keys(attributes).find(
    (name) => name.endsWith(`:${wanted}`) && !name.startsWith('xmlns:'),
  )
  return found === undefined ? undefined : String(attributes[found])
}

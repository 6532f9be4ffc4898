import { openText, textPieces } from '../../tables/text-source.js'
import type { ImportItem, ReadContext } from '../model/import-item.js'
import { JsonElements, type JsonElement } from './json-elements.js'
import type { ByteSource } from '../../tables/bytes.js'

/** The elements of a JSON file's arrays as items; `read` may throw for a file of another kind. */
export async function* jsonItems(
  file: ByteSource,
  read: (element: JsonElement) => ImportItem | null,
  context: ReadContext = {},
): AsyncGenerator<readonly ImportItem[]> {
  // RFC 8259: JSON is UTF-8.
  const text = await openText(file, context.encoding ?? 'utf-8')
  const elements = new JsonElements(file.label)
  for await (const piece of textPieces(text.chunks())) {
    const items: ImportItem[] = []
    for (const element of elements.push(piece)) {
      const item = read(element)
      if (item !== null) items.push(item)
    }
    yield items
  }
  elements.end()
}

/** The value of JSON text, or undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** A member of an object; undefined for anything that is none. */
export function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}

/** Text or a number as trimmed text; null for the empty and for anything else. */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value).trim()
  return text === '' ? null : text
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

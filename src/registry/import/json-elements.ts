import { UserError } from '../../core/errors.js'
import { importLimits } from '../model/limits.js'
import { openText, type ByteSource } from '../../tables/text-tables.js'
import type { ImportItem, ReadOptions } from '../model/registry-rows.js'

/** An element of an array that is the root of a file or a member of the root object. */
export interface JsonElement {
  /** Key of the array; `null` if the array is the root. */
  readonly key: string | null
  readonly text: string
  /** Line of its first character, from 1. */
  readonly line: number
}

/**
 * Splits the arrays of a JSON file into elements, piece by piece, without parsing them. An invalid element with
 * balanced brackets and quotes affects only itself. Errors: INPUT_JSON_INVALID for other text and truncated files.
 */
export class JsonElements {
  readonly #label: string
  /** Open brackets around elements. */
  readonly #around: readonly string[]
  #text = ''
  #at = 0
  #line = 1
  #lineCountedTo = 0
  /** Closing brackets of the open ones. */
  #open = ''
  #key: string | null = null
  #elementStart = -1
  #elementLine = 0
  #isOver = false

  /** `arraysInMembers`: also arrays one level deeper, under their key there. */
  constructor(label: string, arraysInMembers = false) {
    this.#label = label
    this.#around = arraysInMembers ? [']', '}]', '}}]'] : [']', '}]']
  }

  push(piece: string): JsonElement[] {
    const keepFrom = this.#elementStart === -1 ? this.#at : this.#elementStart
    this.#countLines(keepFrom)
    this.#text = this.#text.slice(keepFrom) + piece
    this.#at -= keepFrom
    this.#lineCountedTo = 0
    if (this.#elementStart !== -1) this.#elementStart = 0
    const elements = this.#scan()
    const openFrom = this.#elementStart === -1 ? this.#at : this.#elementStart
    if (this.#text.length - openFrom > importLimits.jsonElementCharsMax) {
      throw this.#createError(`a record is longer than ${importLimits.jsonElementCharsMax} characters`)
    }
    return elements
  }

  /** Throws if the file is truncated. */
  end(): void {
    if (!this.#isOver) throw this.#createError('it is truncated')
  }

  #scan(): JsonElement[] {
    const elements: JsonElement[] = []
    const text = this.#text
    while (this.#at < text.length) {
      const code = text.charCodeAt(this.#at)
      if (code === 0x22) {
        if (!this.#skipString()) break
        continue
      }
      if (code === 0x7b || code === 0x5b) this.#openBracket(code === 0x7b ? '}' : ']')
      else if (code === 0x7d || code === 0x5d) this.#closeBracket(code === 0x7d ? '}' : ']', elements)
      else if (code === 0x2c) this.#endElement(elements)
      else if (code > 0x20 && this.#elementStart === -1) this.#beginElement()
      this.#at++
    }
    return elements
  }

  /** True if an element may begin here: directly in an array of elements. */
  #isInArray(): boolean {
    return this.#around.includes(this.#open)
  }

  #openBracket(closing: '}' | ']'): void {
    if (this.#isOver) throw this.#createError('there is text after its end')
    if (this.#open.length >= importLimits.jsonDepthMax) throw this.#createError('it is nested too deeply')
    if (this.#elementStart === -1 && this.#isInArray()) this.#beginElement()
    this.#open += closing
  }

  #closeBracket(closing: '}' | ']', elements: JsonElement[]): void {
    if (!this.#open.endsWith(closing)) throw this.#createError(`a "${closing}" has no opening bracket`)
    if (this.#isInArray()) this.#endElement(elements)
    this.#open = this.#open.slice(0, -1)
    if (this.#open === '') this.#isOver = true
  }

  #endElement(elements: JsonElement[]): void {
    if (!this.#isInArray() || this.#elementStart === -1) return
    const text = this.#text.slice(this.#elementStart, this.#at).trimEnd()
    elements.push({ key: this.#open === ']' ? null : this.#key, text, line: this.#elementLine })
    this.#elementStart = -1
  }

  #beginElement(): void {
    if (this.#open === '') throw this.#createError('it is not JSON')
    if (!this.#isInArray()) return
    this.#countLines(this.#at)
    this.#elementStart = this.#at
    this.#elementLine = this.#line
  }

  /** Skips a string; returns false if it does not end in the present text. */
  #skipString(): boolean {
    const text = this.#text
    let end = this.#at + 1
    for (;;) {
      end = text.indexOf('"', end)
      if (end === -1) return false
      let backslashes = 0
      while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
      if (backslashes % 2 === 0) break
      end++
    }
    if (this.#elementStart === -1) this.#beginElement()
    if (this.#open === '}' || this.#open === '}}') this.#key = text.slice(this.#at + 1, end)
    this.#at = end + 1
    return true
  }

  #countLines(to: number): void {
    let at = this.#text.indexOf('\n', this.#lineCountedTo)
    for (; at !== -1 && at < to; at = this.#text.indexOf('\n', at + 1)) this.#line++
    this.#lineCountedTo = Math.max(to, this.#lineCountedTo)
  }

  #createError(reason: string): UserError {
    this.#countLines(this.#at)
    return new UserError(
      'INPUT_JSON_INVALID',
      `${this.#label} cannot be read, line ${this.#line}: ${reason}`,
      {
        hint: 'download the file again',
      },
    )
  }
}

/** True if a file begins with a JSON list or object. */
export async function isJson(file: ByteSource): Promise<boolean> {
  for await (const chunk of file.bytes()) return /^(?:\ufeff)?\s*[[{]/.test(chunk.toString('utf8'))
  return false
}

/** Reads the elements of a JSON file's arrays as items; `read` may throw for a file of another format. */
export async function* readJsonItems(
  file: ByteSource,
  read: (element: JsonElement) => ImportItem | null,
  options: ReadOptions & { readonly arraysInMembers?: boolean } = {},
): AsyncGenerator<readonly ImportItem[]> {
  // RFC 8259: JSON is UTF-8.
  const text = await openText(file, options.encoding ?? 'utf-8')
  const elements = new JsonElements(file.label, options.arraysInMembers)
  for await (const piece of text.pieces()) {
    const items: ImportItem[] = []
    for (const element of elements.push(piece)) {
      const item = read(element)
      if (item !== null) items.push(item)
    }
    yield items
  }
  elements.end()
}

/** Returns the value of JSON text, or `undefined` if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Returns a member of an object; `undefined` for any other value. */
export function getMember(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}

/** Returns text or a number as trimmed text; `null` if empty and for any other value. */
export function toText(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value).trim()
  return text === '' ? null : text
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/**
 * Lenient reading of JSON that a server sent: own properties only, no errors, and text is well-formed Unicode without
 * NUL, which each output format can store.
 */
const lenientLimits = {
  textCharsMax: 32_000,
  pathCharsMax: 300,
  pathPartsMax: 16,
} as const

export type JsonObject = Readonly<Record<string, unknown>>

export function toObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the value under own keys, or undefined; `__proto__` and `constructor` find only members that were sent. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  let current = value
  for (const key of keys) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    if (Array.isArray(current) && !/^\d{1,9}$/.test(key)) return undefined
    current = (current as JsonObject)[key]
  }
  return current
}

/** Returns the value at a dot path (`identifiers.0.value`), or undefined. */
export function atPath(value: unknown, path: string): unknown {
  if (path.length > lenientLimits.pathCharsMax) return undefined
  const parts = path.split('.')
  return parts.length > lenientLimits.pathPartsMax ? undefined : at(value, ...parts)
}

/** Returns text unchanged and any other value as JSON text; null for null and undefined. */
export function toText(value: unknown, charsMax: number = lenientLimits.textCharsMax): string | null {
  if (value === undefined || value === null) return null
  const text = typeof value === 'string' ? value : stringifyLeniently(value)
  return text === null ? null : replaceIllFormed(cut(text, charsMax))
}

/** Returns an integer, also from text ("80"); null for anything else and beyond the safe range. */
export function toInteger(value: unknown): number | null {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value.trim()) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number + 0 : null
}

/** Returns an integer that fits a 32-bit column, else null. */
export function toInt32(value: unknown): number | null {
  const number = toInteger(value)
  return number !== null && Math.abs(number) < 2 ** 31 ? number : null
}

export function toBoolean(value: unknown): boolean | null {
  if (value === 'true') return true
  if (value === 'false') return false
  return typeof value === 'boolean' ? value : null
}

function stringifyLeniently(value: unknown): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    // Nested deeper than the stack.
    return null
  }
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`
}

function replaceIllFormed(text: string): string {
  // Most texts are well formed: this check is faster than the replacement.
  if (text.isWellFormed() && !text.includes('\0')) return text
  return text.replace(/\p{Surrogate}|\0/gu, '\ufffd')
}

/** A top-level member of a JSON object: the key, and the text of its value. */
export interface JsonMember {
  readonly key: string
  readonly raw: string
}

/**
 * Returns the members of the JSON object in `line`, in order. Values stay text, so no digit is lost. The line must be a
 * valid JSON object; otherwise the result is undefined.
 */
export function listJsonMembers(line: string): readonly JsonMember[] {
  const members: JsonMember[] = []
  let at = skipSpace(line, line.indexOf('{') + 1)
  while (line.charAt(at) === '"') {
    const keyEnd = findStringEnd(line, at)
    const key = unquote(line.slice(at, keyEnd))
    const valueStart = skipSpace(line, line.indexOf(':', keyEnd) + 1)
    const valueEnd = findValueEnd(line, valueStart)
    members.push({ key, raw: line.slice(valueStart, valueEnd) })
    at = skipSpace(line, skipSpace(line, valueEnd) + 1)
  }
  return members
}

/** Returns the text of a JSON string. */
export function unquote(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
}

function skipSpace(line: string, from: number): number {
  let at = from
  for (;;) {
    const char = line.charCodeAt(at)
    if (char !== 0x20 && char !== 0x09 && char !== 0x0d && char !== 0x0a) return at
    at++
  }
}

/** Returns the index after the closing quote of the string that starts at `from`. */
function findStringEnd(line: string, from: number): number {
  let at = from + 1
  for (;;) {
    const quote = line.indexOf('"', at)
    if (quote === -1) return line.length
    let backslashes = 0
    while (line.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return quote + 1
    at = quote + 1
  }
}

function findValueEnd(line: string, from: number): number {
  const first = line.charAt(from)
  if (first === '"') return findStringEnd(line, from)
  if (first === '{' || first === '[') return findNestedEnd(line, from)
  let at = from
  while (at < line.length && !/[,}\s]/.test(line.charAt(at))) at++
  return at
}

function findNestedEnd(line: string, from: number): number {
  let depth = 0
  for (let at = from; at < line.length; at++) {
    const char = line.charCodeAt(at)
    if (char === 0x22) at = findStringEnd(line, at) - 1
    else if (char === 0x7b || char === 0x5b) depth++
    else if ((char === 0x7d || char === 0x5d) && --depth === 0) return at + 1
  }
  return line.length
}

/** Whether JSON text nests deeper than `depthMax`: code that walks the value would overflow the stack. */
export function isDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index)
    if (inString) {
      if (char === 0x5c) index++
      else if (char === 0x22) inString = false
    } else if (char === 0x22) inString = true
    else if (char === 0x7b || char === 0x5b) {
      depth++
      if (depth > depthMax) return true
    } else if (char === 0x7d || char === 0x5d) depth--
  }
  return false
}

/** Writes an element of a list with `{1-4}` once for each number, except in members named `without`. */
export function expandRanges(value: unknown, without: string): unknown {
  if (Array.isArray(value)) return value.flatMap((element) => expandElement(element, without))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === without ? member : expandRanges(member, without),
    ]),
  )
}

function expandElement(value: unknown, without: string): unknown[] {
  const json = JSON.stringify(value)
  const [, first, last] = /\{(\d+)-(\d+)\}/.exec(json) ?? []
  // A list inside has the range.
  const isInside = first === undefined || (typeof value === 'object' && /\[[^[\]]*\{\d+-\d+\}/.test(json))
  if (isInside) return [expandRanges(value, without)]
  const count = Number(last) - Number(first) + 1
  return Array.from({ length: count }, (_, index) => {
    const number = String(Number(first) + index)
    return JSON.parse(json.replace(/\{\d+-\d+\}/g, number)) as unknown
  })
}

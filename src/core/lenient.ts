/**
 * Reading what a server sent without trusting its shape: own properties only, nothing throws, and every
 * text that comes out is well-formed Unicode without NUL, so that each output format can hold it.
 */
const lenientLimits = {
  textCharsMax: 32_000,
  pathCharsMax: 300,
  pathPartsMax: 16,
} as const

export type JsonObject = Readonly<Record<string, unknown>>

export function objectOf(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value under own keys, or undefined; `__proto__` and `constructor` find nothing that was not sent. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  let current = value
  for (const key of keys) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    if (Array.isArray(current) && !/^\d{1,9}$/.test(key)) return undefined
    current = (current as JsonObject)[key]
  }
  return current
}

/** The value a dot-path names (`identifiers.0.value`), or undefined. */
export function atPath(value: unknown, path: string): unknown {
  if (path.length > lenientLimits.pathCharsMax) return undefined
  const parts = path.split('.')
  return parts.length > lenientLimits.pathPartsMax ? undefined : at(value, ...parts)
}

/** Text as it is, numbers and booleans as JSON, objects and lists as JSON text; null where there is nothing. */
export function textOf(value: unknown, charsMax: number = lenientLimits.textCharsMax): string | null {
  if (value === undefined || value === null) return null
  const text = typeof value === 'string' ? value : jsonOf(value)
  return text === null ? null : wellFormed(cut(text, charsMax))
}

/** An integer, also one written as text ("80"); null for anything else and beyond what a double holds exactly. */
export function integerOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value.trim()) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number + 0 : null
}

export function booleanOf(value: unknown): boolean | null {
  if (value === 'true') return true
  if (value === 'false') return false
  return typeof value === 'boolean' ? value : null
}

function jsonOf(value: unknown): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    // Nested deeper than the stack: no text to keep.
    return null
  }
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`
}

function wellFormed(text: string): string {
  // Nearly all are: the quick look spares a search by the letter.
  if (text.isWellFormed() && !text.includes('\0')) return text
  return text.replace(/\p{Surrogate}|\0/gu, '\ufffd')
}

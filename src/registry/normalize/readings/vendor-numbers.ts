import type { Reading } from './reading.js'

/** A letter and a number before the name. Digits alone may be the name: "1234567 Ontario Inc". */
const numberBefore = /^\*?\s*[A-Z]\d{5,8}\s+(?=\p{Lu})/u
/** A number after the name. */
const numberAfter = /(?<=\p{Lu})\s+\d{6,10}$/u
const hasLowerCase = /\p{Ll}/u
/** Widths of the columns of names behind a vendor number. */
const columnWidths = [30, 35, 40]
/** Shorter names are seldom cut to make room for a number. */
const cutNameCharsMin = 20

/** A line of a vendor list in capitals: the name without the vendor's number. */
export function readVendorLine(text: string): Reading[] {
  if (hasLowerCase.test(text)) return []
  const rest = text.replace(numberBefore, '')
  const name = rest.replace(numberAfter, '')
  if (name === text || name.length < 2) return []
  // A number after the name is in the same column: the name was cut to leave room for it.
  const columnChars =
    name === rest
      ? (columnWidths.find((width) => width === name.length || width === name.length + 1) ?? null)
      : name.length < cutNameCharsMin
        ? null
        : name.length
  return [{ text: name, kind: 'whole', how: "without the vendor's number", columnChars }]
}

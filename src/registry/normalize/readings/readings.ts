import { readBankName } from './bank-names.js'
import { readCardDescriptor } from './card-descriptors.js'
import { readNativeName } from './native-scripts.js'
import type { Reading } from './reading.js'
import { readScannedName } from './scan-errors.js'
import { readSecurityName } from './security-names.js'

/** More are not compared: each costs as much as the name itself. */
const readingsMax = 4

/** Other texts that stand for the whole name, the surest first. */
export function readingsOf(text: string): Reading[] {
  return [
    ...readNativeName(text),
    ...readCardDescriptor(text),
    ...readVendorLine(text),
    ...readBankName(text),
    ...readSecurityName(text),
    ...readScannedName(text),
  ].slice(0, readingsMax)
}

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
function readVendorLine(text: string): Reading[] {
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

import { canonicalIdentifier } from '../../core/identifiers.js'

/** Whether a name's cell may be an identifier itself: an LEI, a web or an e-mail address. Cheap: every row is asked. */
export function mayBeIdentifier(cell: string | null): boolean {
  if (cell === null || cell.length > addressCharsMax) return false
  return cell.includes('@') || /^\s*(?:https?:\/\/|www\.|mailto:)/i.test(cell) || leiIn(cell) !== null
}

const addressCharsMax = 2_048

/** An LEI as a whole text, also one with wrong check digits where its letters cannot be a word's. */
export function leiIn(text: string): string | null {
  if (text.length < leiChars || text.length > leiChars * 2) return null
  const compact = text.replace(/\s+/g, '')
  if (compact.length !== leiChars || !/^[A-Z0-9]{18}\d{2}$/.test(compact)) return null
  const isWordless = compact.replace(/\D/g, '').length >= digitsMin
  return isWordless || 'value' in canonicalIdentifier('lei', compact) ? compact : null
}

const leiChars = 20
/** Names of companies of that length have fewer. */
const digitsMin = 6

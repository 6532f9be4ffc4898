import { toCanonicalIdentifier } from '../../core/identifiers.js'

/**
 * Whether a name cell may be an identifier: an LEI, a web or an e-mail address. Cheap, since it is called for every
 * row.
 */
export function mayBeIdentifier(cell: string | null): boolean {
  if (cell === null || cell.length > addressCharsMax) return false
  return cell.includes('@') || /^\s*(?:https?:\/\/|www\.|mailto:)/i.test(cell) || findLei(cell) !== null
}

const addressCharsMax = 2_048

/** Returns the LEI that fills a text; with wrong check digits only if the text cannot be a word. */
export function findLei(text: string): string | null {
  if (text.length < leiChars || text.length > leiChars * 2) return null
  const compact = text.replace(/\s+/g, '')
  if (compact.length !== leiChars || !/^[A-Z0-9]{18}\d{2}$/.test(compact)) return null
  const isWordless = compact.replace(/\D/g, '').length >= digitsMin
  return isWordless || 'value' in toCanonicalIdentifier('lei', compact) ? compact : null
}

const leiChars = 20

/** Company names of that length have fewer digits. */
const digitsMin = 6

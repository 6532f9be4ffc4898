import { toCanonicalIdentifier } from '../../core/identifiers.js'

/** Kinds of identifier columns, the strongest first; keys of `input.columns.identifiers`. */
export const identifierKeys = [
  'lei',
  'cik',
  'registration_id',
  'ein',
  'bic',
  'ticker',
  'website',
  'email',
] as const
export type IdentifierKey = (typeof identifierKeys)[number]

/** Columns with the register of a company number, and the exchange of a ticker. */
export const identifierPlaceKeys = ['registration_country', 'exchange'] as const
export type IdentifierPlaceKey = (typeof identifierPlaceKeys)[number]

/** Input columns by kind of identifier. */
export type IdentifierColumns = {
  readonly [Key in IdentifierKey | IdentifierPlaceKey]?: string | undefined
}

export const identifierNames: Readonly<Record<IdentifierKey, string>> = {
  lei: 'LEI',
  cik: 'CIK',
  registration_id: 'company number',
  ein: 'EIN',
  bic: 'BIC',
  ticker: 'ticker',
  website: 'website',
  email: 'e-mail',
}

/** Lists the identifier columns, without their places, the strongest first. */
export const listIdentifierColumns = (columns: IdentifierColumns): { key: IdentifierKey; column: string }[] =>
  identifierKeys.flatMap((key) => {
    const column = columns[key]
    return column === undefined ? [] : [{ key, column }]
  })

/** Lists the columns read in addition to name, location and context. */
export const listIdentifierCells = (columns: IdentifierColumns): string[] =>
  [...identifierKeys, ...identifierPlaceKeys].flatMap((key) => columns[key] ?? [])

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

import { findCountryCode } from '../../core/countries.js'
import { findRegionCodes } from './places.js'

/** Countries whose addresses use two-letter region codes: "San Bruno, CA", "Bern, BE". */
const withRegionCodes: ReadonlySet<string> = new Set('AU BR CA CH DE IT US'.split(' '))
const codeCharsMax = 3

/**
 * Returns the country in the last part of a location, unless a region of another country has the same name.
 * "Leeds, GB" has one; "Atlanta, Georgia" and "San Bruno, CA" do not.
 */
export function findCertainCountry(location: string | null): string | null {
  const last = location?.split(',').at(-1)?.trim() ?? ''
  const country = last === '' ? null : findCountryCode(last)
  if (country === null) return null
  const others = findRegionCodes(last)
    .map((code) => code.slice(0, 2))
    .filter((code) => code !== country)
  const isOpen = others.some((code) => last.length > codeCharsMax || withRegionCodes.has(code))
  return isOpen ? null : country
}

import { foldText } from '../normalize/normalize-name.js'
import { matchLimits } from '../model/limits.js'
import { findCountryCode } from '../../core/countries.js'
import {
  toCityKey,
  isPartOfUnitedKingdom,
  findLargerRegion,
  toPostalKey,
  findRegionCodes,
} from '../normalize/places.js'

/** Place of a registration, as keys of places.ts. Empty text means unknown. */
export interface Place {
  readonly cityKey: string
  readonly regionCode: string
  readonly postalKey: string
  readonly countryCode: string
  /** Country and subdivision of the jurisdiction ("us_de" is US and US-DE). */
  readonly jurisdictionCountry: string
  readonly jurisdictionRegion: string
}

/** Parsed location hint. A part may have several readings. */
export interface LocationHint {
  readonly countries: ReadonlySet<string>
  readonly regions: ReadonlySet<string>
  readonly cities: ReadonlySet<string>
  readonly postals: ReadonlySet<string>
  /** Contains a town or postal code, not only countries and regions (which may be names of towns too). */
  readonly namesTown: boolean
  /** "Berlin, DE" is in Germany, or rarely in Delaware. */
  readonly isTownWithDe: boolean
}

/**
 * Agreement of a place with a hint, best first; `none` without a hint or comparable facts. `registered_there` and
 * `registered_elsewhere`: the address is unknown, only the country of the register is compared, which is weak
 * evidence: registers include foreign companies. `form_of_country`: another country's register, but the legal form is
 * one of the country in the hint.
 */
export type PlaceAgreement =
  | 'postal'
  | 'city'
  | 'region'
  | 'country'
  | 'none'
  | 'registered_there'
  | 'registered_elsewhere'
  | 'form_of_country'
  | 'town_abroad'
  | 'region_conflict'
  | 'country_conflict'

/** True if the place contradicts the hint. */
export function isConflict(place: PlaceAgreement): boolean {
  return place === 'region_conflict' || place === 'country_conflict' || place === 'town_abroad'
}

const inCountry: ReadonlySet<PlaceAgreement> = new Set([
  'postal',
  'city',
  'region',
  'country',
  'registered_there',
  'region_conflict',
])

/** True if the company is or is registered in the country of the hint. */
export function isInCountry(place: PlaceAgreement): boolean {
  return inCountry.has(place)
}

const postalShapes = [
  /\b[A-Z]{1,2}\d[A-Z\d]?\s*\d[A-Z]{2}\b/i, // GB
  /\b[A-Z]\d[A-Z]\s*\d[A-Z]\d\b/i, // CA
  /\b\d{4}\s?[A-Z]{2}\b/, // NL
  /\b\d{5}-\d{3,4}\b/, // US +4, BR
  /\b\d{3}-\d{4}\b/, // JP
  /\b\d{2}-\d{3}\b/, // PL
  /\b\d{4,6}\b/,
  /(?<=^|[,;|\n/()]\s*)[A-Z]{1,2}\d[A-Z\d]?(?=\s*(?:$|[,;|\n/()]))/i, // GB, outward code only
]

/** Parses a location text ("Stockport, SK6 6ND", "Austin TX", "Germany"). Returns `null` if it has no place. */
export function parseLocation(location: string | null): LocationHint | null {
  if (location === null) return null
  const hint: HintBuilder = {
    countries: new Set(),
    regions: new Set(),
    cities: new Set(),
    postals: new Set(),
    namesTown: false,
    isTownWithDe: false,
    codes: [],
    tailCountries: [],
  }
  let text = location.slice(0, matchLimits.locationCharsMax)
  for (const shape of postalShapes) {
    const found = shape.exec(text)
    if (!found) continue
    hint.postals.add(toPostalKey(found[0]))
    hint.namesTown = true
    text = text.replace(found[0], ' ')
    break
  }
  const parts = text.split(/[,;|\n/()]+/).map((part) => part.trim())
  for (const [at, part] of parts.entries()) {
    readPart(part, hint)
    // "Luohu, Shenzhen" may be written as one city.
    const next = parts[at + 1] ?? ''
    if (part !== '' && next !== '') hint.cities.add(toCityKey(`${part} ${next}`))
  }
  settleCodes(hint)
  const empty = hint.countries.size + hint.regions.size + hint.cities.size + hint.postals.size === 0
  return empty ? null : hint
}

interface HintBuilder {
  countries: Set<string>
  regions: Set<string>
  cities: Set<string>
  postals: Set<string>
  namesTown: boolean
  isTownWithDe: boolean
  /** Unread short codes, in order: "CA" may be Canada or California. */
  codes: string[]
  /** Countries at the end of a longer part: "London United Kingdom", but also "South Jordan". */
  tailCountries: string[]
}

const codeCharsMax = 3

function readPart(part: string, hint: HintBuilder): void {
  const words = foldText(part)
    .split(' ')
    .filter((word) => word !== '')
  if (words.length === 0) return
  if (readName(words.join(' '), hint, hint.countries)) return
  hint.cities.add(toCityKey(words.join(' ')))
  hint.namesTown = true
  // "Austin TX", "London UK": the end may be a region or a country, the rest is the city.
  for (let tail = Math.min(3, words.length - 1); tail >= 1; tail--) {
    const codesBefore = hint.codes.length
    const countries = new Set<string>()
    if (!readName(words.slice(-tail).join(' '), hint, countries)) continue
    hint.tailCountries.push(...countries)
    const own = hint.codes.splice(codesBefore)
    readPart(words.slice(0, -tail).join(' '), hint)
    hint.codes.push(...own)
    return
  }
}

function readName(name: string, hint: HintBuilder, countries: Set<string>): boolean {
  if (/^\d+$/.test(name)) return false
  const country = findCountryCode(name)
  const regions = findRegionCodes(name)
  if (country === null && regions.length === 0) return false
  if (name.length <= codeCharsMax) {
    hint.codes.push(name)
    return true
  }
  if (country !== null) countries.add(country)
  for (const region of regions) if (isDistinctRegion(region)) hint.regions.add(region)
  // Some regions share a name with a city: New York, Berlin, Luxembourg.
  hint.cities.add(toCityKey(name))
  return true
}

/**
 * Reads the short codes: the last of several is the country ("San Jose, CA, US"), one with a country name is a region,
 * and a single one ("San Bruno, CA") may be either. Then removes regions of countries that are not named.
 */
function settleCodes(hint: HintBuilder): void {
  if (hint.countries.size === 0 && hint.codes.length === 0) {
    for (const country of hint.tailCountries) hint.countries.add(country)
  }
  const last = hint.codes.at(-1)
  const isAlone = hint.codes.length === 1 && hint.countries.size === 0
  hint.isTownWithDe = isAlone && last === 'de' && hint.cities.size > 0
  for (const code of hint.codes) {
    const country = findCountryCode(code)
    const regions = findRegionCodes(code)
    const isCountry = country !== null && code === last && hint.countries.size === 0
    if (isCountry) hint.countries.add(country)
    if (!isCountry || isAlone)
      for (const region of regions) if (isDistinctRegion(region)) hint.regions.add(region)
  }
  if (hint.countries.size === 0 || isAlone) return
  for (const region of hint.regions) {
    if (!hint.countries.has(region.slice(0, 2))) hint.regions.delete(region)
  }
}

/** Compares a place with a hint: the finest agreement wins; a conflict counts only if no reading agrees. */
export function comparePlaceWithHint(hint: LocationHint | null, place: Place): PlaceAgreement {
  if (hint === null) return 'none'
  const countries = [place.countryCode, place.jurisdictionCountry].filter((code) => code !== '')
  const regions = [place.regionCode, place.jurisdictionRegion].filter(isDistinctRegion)
  const countryFits = countries.some(
    (code) => hint.countries.has(code) || hasPrefix(hint.regions, `${code}-`),
  )
  const countryTold = hint.countries.size > 0 && countries.length > 0
  if (countryTold && !countryFits) {
    if (place.countryCode === '' && place.jurisdictionRegion === '') return 'registered_elsewhere'
    return isSameTown(hint, place) ? 'town_abroad' : 'country_conflict'
  }
  if (place.postalKey !== '' && hint.postals.has(place.postalKey)) return 'postal'
  if (place.cityKey !== '' && hint.cities.has(place.cityKey)) return 'city'
  if (hasMatchingOutward(hint, place)) return 'city'
  // Most US companies are registered in Delaware, and few are there.
  if (hint.isTownWithDe && place.countryCode === 'US' && !['', 'US-DE'].includes(place.regionCode))
    return 'country_conflict'
  if (regions.some((code) => hint.regions.has(code) || hint.regions.has(findLargerRegion(code) ?? '')))
    return 'region'
  const [region] = regions
  if (region === place.regionCode && isOtherRegion(hint.regions, region)) return 'region_conflict'
  if (hasOtherArea(hint, place)) return 'region_conflict'
  if (countryFits)
    return place.countryCode === '' && place.jurisdictionRegion === '' ? 'registered_there' : 'country'
  if (hint.countries.size === 0 && hint.regions.size > 0 && countries.length > 0) return 'country_conflict'
  return 'none'
}

/** Lists combine the country of the listing with the town of the company: "Ghent, US". */
function isSameTown(hint: LocationHint, place: Place): boolean {
  const town = place.cityKey !== '' && hint.cities.has(place.cityKey)
  return town || (place.postalKey.length >= 5 && hint.postals.has(place.postalKey))
}

/** Neighbouring British postcodes share the first half; other postal codes share the first digits. */
function hasMatchingOutward(hint: LocationHint, place: Place): boolean {
  if (place.postalKey.length < 5) return false
  const outward = place.postalKey.slice(0, -3)
  for (const postal of hint.postals) {
    if (/[a-z]/.test(postal) && (postal.length >= 5 ? postal.slice(0, -3) : postal) === outward) return true
    if (/^\d{5}/.test(postal) && place.postalKey.slice(0, 5) === postal.slice(0, 5)) return true
  }
  return false
}

/** The first letters of a British postcode are a postal area, as large as a county. */
function hasOtherArea(hint: LocationHint, place: Place): boolean {
  const getPostalArea = (postal: string) => /^([a-z]{1,2})\d/.exec(postal)?.[1]
  const area = getPostalArea(place.postalKey)
  const told = [...hint.postals].map(getPostalArea).filter((other) => other !== undefined)
  return area !== undefined && told.length > 0 && !told.includes(area)
}

/** "England" is no more precise than the country, so it does not contradict Surrey. */
const isDistinctRegion = (code: string): boolean => code !== '' && !isPartOfUnitedKingdom(code)

/** True if regions of the same country are given and none is a part of this one. */
function isOtherRegion(asked: ReadonlySet<string>, region: string): boolean {
  const inCountry = [...asked].filter((code) => code.startsWith(region.slice(0, 3)))
  return inCountry.length > 0 && !inCountry.some((code) => findLargerRegion(code) === region)
}

function hasPrefix(values: ReadonlySet<string>, prefix: string): boolean {
  for (const value of values) if (value.startsWith(prefix)) return true
  return false
}

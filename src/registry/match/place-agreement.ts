import { findLargerRegion, findRegionCodes, toPlaceKey } from '../normalize/places.js'
import { foldText, listTownBases } from '../normalize/normalize-name.js'
import { rateSound } from '../normalize/sounds.js'
import { isCutTown, isShortTown } from './place-readings.js'
import { areWrittenAlike, getWritings } from './other-writings.js'
import placeNames from '../reference/place-names.json' with { type: 'json' }

/** ISO 3166-2 lists the United Kingdom and its countries in addition to their counties. */
const nations = new Set(['UKM', 'GBN', 'EAW', 'ENG', 'SCT', 'WLS', 'NIR'].map((nation) => `GB-${nation}`))

/** "England" is no more precise than the country, so it does not contradict Surrey. */
export const isDistinctRegion = (code: string): boolean => code !== '' && !nations.has(code)
/** Parsed location hint. A part may have several readings. */
export interface LocationHint {
  readonly countries: ReadonlySet<string>
  readonly regions: ReadonlySet<string>
  readonly cities: ReadonlySet<string>
  readonly postals: ReadonlySet<string>
  /** Contains a town or postal code, not only countries and regions, which may have names of towns too. */
  readonly namesTown: boolean
  /** "Berlin, DE" is in Germany, or rarely in Delaware. */
  readonly isTownWithDe: boolean
  /** Countries of the regions that are named without their country, and of towns with the names of these regions. */
  readonly openCountries: ReadonlySet<string>
  /** The country may be a state of the United States instead: "Georgia". */
  readonly isCountryOrState: boolean
  /**
   * Key of the last part if no part names a known country or region: it may be a town, or a country that is not known.
   * Empty text otherwise.
   */
  readonly unreadEnd: string
  readonly isLatin: boolean
  /** Keys of words that may be short for a town: "Jaksel", "Sby". `isByCode`: the place is only the code of a region. */
  readonly shorts: readonly string[]
  /** What keys of towns look like whose words are cut or declined. */
  readonly cut: readonly RegExp[]
  readonly isByCode: boolean
}

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
export const isConflict = (place: PlaceAgreement): boolean =>
  /^(?:region_conflict|country_conflict|town_abroad)$/.test(place)

/** True if the company is or is registered in the country of the hint. */
export const isInCountry = (place: PlaceAgreement): boolean =>
  /^(?:postal|city|region|country|registered_there|region_conflict)$/.test(place)

/** Compares a place with a hint: the finest agreement wins; a conflict counts only if no reading agrees, also as short for its town. */
export function comparePlaceWithHint(hint: LocationHint | null, place: Place): PlaceAgreement {
  if (hint === null) return 'none'
  const found = comparePlaces(hint, place)
  const isShort = hint.shorts.some((word) => isShortTown(word, place.cityKey))
  if (isConflict(found)) return hint.isByCode && (isShort || !hasUsualCode(hint)) ? 'none' : found
  if (found !== 'postal' && isCutTown(hint, place)) return 'city'
  return isShort && !hint.isByCode && /^(?:country|none)$/.test(found) ? 'region' : found
}

/** Whether a code is one of a region in a country where people write codes: "TX", "NSW". */
const hasUsualCode = ({ regions }: LocationHint): boolean =>
  [...regions].some((code) => /^(?:AU|BR|CA|CH|ES|IN|IT|MX|US)-/.test(code))

function comparePlaces(hint: LocationHint, place: Place): PlaceAgreement {
  // Foreign registrants have the country of their register, and the region of their own.
  const { countryCode, jurisdictionCountry, jurisdictionRegion } = place
  const countries = [countryCode, jurisdictionCountry, jurisdictionRegion.slice(0, 2)].filter(Boolean)
  const regions = [place.regionCode, jurisdictionRegion].filter(isDistinctRegion)
  const countryFits = countries.some(
    (code) => hint.countries.has(code) || [...hint.regions].some((region) => region.startsWith(`${code}-`)),
  )
  const countryTold = hint.countries.size > 0 && countries.length > 0
  const isOfRegion = regions.some(
    (code) => hint.regions.has(code) || hint.regions.has(findLargerRegion(code) ?? ''),
  )
  // A company of another state is in neither Georgia.
  const isInNeither =
    hint.isCountryOrState && !countries.some((code) => hint.countries.has(code)) && !isOfRegion
  if (countryTold && (!countryFits || isInNeither)) {
    if (place.countryCode === '' && place.jurisdictionRegion === '') return 'registered_elsewhere'
    return isSameTown(hint, place) ? 'town_abroad' : 'country_conflict'
  }
  if (place.postalKey !== '' && hasPostal(hint.postals, place.postalKey)) return 'postal'
  if (hasTown(hint.cities, place, hint.isLatin))
    return isTownOfOtherRegion(hint, place) ? 'region_conflict' : 'city'
  if (hasMatchingOutward(hint, place)) return 'city'
  // Most US companies are registered in Delaware, and few are there.
  if (hint.isTownWithDe && place.countryCode === 'US' && !['', 'US-DE'].includes(place.regionCode))
    return 'country_conflict'
  if (isOfRegion) return isInCity(hint, place) ? 'city' : 'region'
  const isOther = regions[0] === place.regionCode && isOtherRegion(hint.regions, place.regionCode)
  if (isOther || hasOtherArea(hint, place)) return 'region_conflict'
  if (countryFits)
    return place.countryCode === '' && place.jurisdictionRegion === '' ? 'registered_there' : 'country'
  const isElsewhere = hint.regions.size > 0 && !countries.some((code) => hint.openCountries.has(code))
  if (hint.countries.size === 0 && isElsewhere && countries.length > 0) return 'country_conflict'
  return 'none'
}

/** Whether a town is among others. Next to Latin letters, other scripts are compared by sound: 苏州 is Suzhou, not 宿州. */
export function hasTown(keys: ReadonlySet<string>, place: Place, isGivenInLatin = true): boolean {
  const { cityKey: town, countryCode } = place
  if (town === '' || keys.has(town)) return town !== ''
  if (!isLatin(town)) return keys.has(toPlaceKey(town)) || (isGivenInLatin && hasSound(town, [...keys]))
  const country = countryCode || place.jurisdictionCountry
  const [writings, bases] = [getWritings(country), listTownBases(town, country)]
  return Array.from(keys).some((stated) => {
    const key = isLatin(stated) ? stated : toPlaceKey(stated)
    const isAlike = areWrittenAlike(key, town, writings) || (!isLatin(key) && hasSound(key, [town]))
    return isAlike || listTownBases(key, country).some((base) => bases.includes(base))
  })
}
/** "Dhahran" is الظهران, which no list of towns needs to say. From 0.9 on, two towns sound alike. */
const hasSound = (native: string, towns: readonly string[]): boolean =>
  towns.some((town) => isLatin(town) && rateSound(foldText(native.replace(/^ال/, '')), town) >= 0.9)
const isLatin = (key: string): boolean => /^[a-z0-9]*$/.test(key)
/** "LV-1010" is also written "1010". */
const toBareCode = (key: string): string => key.replace(/^[a-z]{1,2}(?=\d{3,6}$)/, '')
const hasPostal = (keys: ReadonlySet<string>, key: string): boolean =>
  keys.has(key) || [...keys].some((other) => toBareCode(other) === toBareCode(key))

/** "Ghent, US": the country of the listing, and the town of the company. */
const isSameTown = (hint: LocationHint, place: Place): boolean =>
  hasTown(hint.cities, place, hint.isLatin) ||
  (place.postalKey.length >= 5 && hint.postals.has(place.postalKey))

const cityRegions = new Set(placeNames.city_regions.split(' '))
/** Whether a region is one large city, which the hint names alone: a company in one of its districts is in this town. */
function isInCity({ cities }: LocationHint, { regionCode: code }: Place): boolean {
  const end = new RegExp(`(?:${code.slice(0, 2)})?(?:city)?$`, 'i')
  const isName = (key: string) => findRegionCodes(key.replace(end, '')).includes(code)
  return cityRegions.has(code) && [...cities].every(isName)
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

/** True for another town with the name: "Larkmoor, Bayern" is not in Sachsen. British counties may be those of the post. */
function isTownOfOtherRegion({ regions }: LocationHint, { cityKey, regionCode }: Place): boolean {
  if (regionCode === '' || regionCode.startsWith('GB-')) return false
  const toLargest = (code: string) => findLargerRegion(code) ?? code
  if ([...regions].some((code) => toLargest(code) === toLargest(regionCode))) return false
  // The name of the town itself may be that of a region: Lima.
  const ofTown = findRegionCodes(cityKey)
  const asked = [...regions].filter(
    (code) => code.startsWith(regionCode.slice(0, 3)) && !ofTown.includes(code),
  )
  return asked.length > 0
}

/** True if regions of the same country are given and none is a part of this one. */
function isOtherRegion(asked: ReadonlySet<string>, region: string): boolean {
  const inCountry = [...asked].filter((code) => code.startsWith(region.slice(0, 3)))
  return inCountry.length > 0 && !inCountry.some((code) => findLargerRegion(code) === region)
}

import { findLargerRegion, findRegionCodes, toPlaceKey } from '../normalize/places.js'
import { foldText, listTownBases } from '../normalize/normalize-name.js'
import { rateSound } from '../normalize/sounds.js'
import {
  isCutTown,
  isDistinctRegion,
  isInCity,
  isTheCity,
  type LocationHint,
  type Place,
} from './place-readings.js'
import { areWrittenAlike, getWritings } from './other-writings.js'
import placeNames from '../reference/place-names.json' with { type: 'json' }

/**
 * Agreement of a place with a hint, best first; `none` without a hint or comparable facts. `registered_there` and
 * `registered_elsewhere`: the address is unknown, only the country of the register is compared, which is weak
 * evidence: registers include foreign companies. `form_of_country`: another country's register, but the legal form is
 * one of the country in the hint.
 */
export type PlaceAgreement = keyof typeof placeRank

/** Higher ranks agree better. */
export const placeRank = {
  postal: 4,
  city: 3,
  region: 2,
  country: 1,
  none: 1,
  registered_there: 1,
  registered_elsewhere: 1,
  form_of_country: 1,
  town_abroad: 1,
  region_conflict: 0,
  country_conflict: 0,
} as const

/** True if the place contradicts the hint. */
export const isConflict = (place: PlaceAgreement): boolean =>
  /^(?:region_conflict|country_conflict|town_abroad)$/.test(place)

/** True if the company is or is registered in the country of the hint. */
export const isInCountry = (place: PlaceAgreement): boolean =>
  /^(?:postal|city|region|country|registered_there|region_conflict)$/.test(place)

/** Short words in front of a town, in languages that decline its name: "v Praze", "z Jihlavy", "w Łodzi". */
export const inFront = /^(?:vo?|ve|zo?|ze|we?|u|iz|od|из|во?|у|із?|з)\s+(?=\p{Lu})/u

/** A word that is cut has a point or few letters; a declined one may end otherwise. */
export const cutLettersMax = 2
const stemLettersMin = 4

/**
 * Returns what the key of a town looks like whose words a part of a place cuts or declines: "K. Vary", "Ústí n. L.", "v Českých
 * Budějovicích"; `null` for other parts.
 */
export function readCutTown(part: string): RegExp | null {
  const isDeclined = inFront.test(part)
  const words = (part.replace(inFront, '').match(/[\p{L}\p{M}]+\.?/gu) ?? []).map((word) => {
    const letters = foldText(word)
    return { letters, isCut: word.endsWith('.') || letters.length <= cutLettersMax }
  })
  const isNamed = words.some(({ letters, isCut }) => !isCut && letters.length >= stemLettersMin)
  const isShort = words.length > 1 && words.length < 5 && words.some(({ isCut }) => isCut)
  if (!isNamed || !(isShort || (isDeclined && words.length < 5)) || /\d/.test(part)) return null
  const shapes = words.map(({ letters, isCut }) => {
    if (isCut) return `${letters}[a-z]*`
    const stem = letters.slice(0, Math.max(stemLettersMin, letters.length - 3))
    return isDeclined ? `${stem}[a-z]{0,4}` : letters
  })
  return new RegExp(`^${shapes.join('')}$`)
}

/** Whether a key is short for a town: the consonants, "sby" of "surabaya", or two pieces, "jaksel" of "jakartaselatan". */
export function isShortTown(short: string, town: string): boolean {
  if (short.charAt(0) !== town.charAt(0) || short.length > 8 || short.length * 10 > town.length * 7)
    return false
  let found = 0
  for (const letter of town) if (letter === short[found]) found++
  const isInTwo = Array.from(short).some((_, at) => {
    const rest = short.slice(at)
    return at > 2 && rest.length > 2 && town.startsWith(short.slice(0, at)) && town.includes(rest, at + 1)
  })
  return found === short.length && (isInTwo || /^[a-z][^aeiouy]{1,3}y?$/.test(short))
}

/** Compares a place with a hint: the finest agreement wins; a conflict counts only if no reading agrees, also as short for its town. */
export function comparePlaceWithHint(hint: LocationHint | null, place: Place): PlaceAgreement {
  if (hint === null) return 'none'
  const found = comparePlaces(hint, place)
  const isShort = hint.shorts.some((word) => isShortTown(word, place.cityKey))
  // In some countries, people write codes of regions: "TX", "NSW".
  const isUsual = [...hint.regions].some((code) => /^(?:AU|BR|CA|CH|ES|IN|IT|MX|US)-/.test(code))
  if (isConflict(found)) return hint.isByCode && (isShort || !isUsual) ? 'none' : found
  if (found !== 'postal' && isCutTown(hint, place)) return 'city'
  return isShort && !hint.isByCode && /^(?:country|none)$/.test(found) ? 'region' : found
}

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
  if (hasTown(hint.cities, place, hint.isLatin) || isTheCity(hint, place))
    return isTownOfOtherRegion(hint, place) ? 'region_conflict' : 'city'
  if (hasMatchingOutward(hint, place)) return 'city'
  // Most US companies are registered in Delaware, and few are there.
  if (hint.isTownWithDe && place.countryCode === 'US' && !['', 'US-DE'].includes(place.regionCode))
    return 'country_conflict'
  if (isOfRegion) return isInCity(hint, place) ? 'city' : 'region'
  const isOther = regions[0] === place.regionCode && isOtherRegion(hint.regions, place.regionCode)
  if (isOther || hasOtherArea(hint, place)) return 'region_conflict'
  const isBare = [place.countryCode, place.jurisdictionRegion, place.cityKey].every((key) => key === '')
  if (countryFits) return isBare ? 'registered_there' : 'country'
  const isElsewhere = hint.regions.size > 0 && !countries.some((code) => hint.openCountries.has(code))
  if (hint.countries.size === 0 && isElsewhere && countries.length > 0) return 'country_conflict'
  return 'none'
}

/** Whether a town is among others. Next to Latin letters, other scripts are compared by sound: 苏州 is Suzhou, not 宿州, and "Купертіно" Cupertino, where Cyrillic is foreign. */
export function hasTown(keys: ReadonlySet<string>, place: Place, isGivenInLatin = true): boolean {
  const [town, country] = [place.cityKey, place.countryCode || place.jurisdictionCountry]
  if (town === '' || keys.has(town)) return town !== ''
  if (!isLatin(town)) return keys.has(toPlaceKey(town)) || (isGivenInLatin && hasSound(town, [...keys]))
  const writings = ['', ' towns'].flatMap((of) => getWritings(`${country}${of}`))
  const bases = listTownBases(town, country)
  const isForeign = !isGivenInLatin && writings.length === 0 && !ownScripts.has(country)
  return Array.from(keys).some((stated) => {
    const key = isLatin(stated) ? stated : toPlaceKey(stated)
    const isAlike = areWrittenAlike(key, town, writings) || (isForeign && hasSound(key, [town]))
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

const ownScripts = new Set(placeNames.own_scripts.split(' '))

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
  return [...regions].some((code) => code.startsWith(regionCode.slice(0, 3)) && !ofTown.includes(code))
}

/** True if regions of the same country are given and none is a part of this one. */
function isOtherRegion(asked: ReadonlySet<string>, region: string): boolean {
  const inCountry = [...asked].filter((code) => code.startsWith(region.slice(0, 3)))
  return inCountry.length > 0 && !inCountry.some((code) => findLargerRegion(code) === region)
}

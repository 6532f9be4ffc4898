import { countryCodes, findCountryCodes, findExactCodes } from '../../core/countries.js'
import countryNames from '../../core/country-names.json' with { type: 'json' }
import {
  codeCharsMax,
  findRegionCodes,
  getCountry,
  isLargeCity,
  listCityKeys,
  listHomonyms,
  toCityKey,
  toNameKey,
} from '../normalize/places.js'
import { foldText } from '../normalize/normalize-name.js'
import { streetLike } from '../normalize/streets.js'
import { isDependent, namesCountry } from '../normalize/unspaced-names.js'
import placeNames from '../reference/place-names.json' with { type: 'json' }
import { countryMatch, stateCodeMatch, type WordMatch } from './compare-words.js'

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
  /** Key of the last part if no part names a known country or region, else empty: a town, or a country that is not known. */
  readonly unreadEnd: string
  /** Towns that this part may mean: "Praha-Hostivař" is in Praha. */
  readonly endTowns: readonly string[]
  readonly isLatin: boolean
  /** Keys of words that may be short for a town: "Jaksel", "Sby". `isByCode`: the place is only the code of a region. */
  readonly shorts: readonly string[]
  /** Patterns for the keys of towns whose words are cut or declined. */
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

/** Whether the town is one whose words the place cuts or declines: "Ústí n. L.". */
export const isCutTown = ({ cut }: LocationHint, { cityKey }: Place): boolean =>
  cut.some((shape) => shape.test(cityKey))

const cityRegions = new Set(placeNames.city_regions.split(' '))

/** Whether a region is one large city, which the hint names alone: a company in one of its districts is in this town. */
export function isInCity({ cities }: LocationHint, { regionCode: code }: Place): boolean {
  return cityRegions.has(code) && [...cities].every((key) => isOfCity(key, code))
}

function isOfCity(key: string, code: string): boolean {
  const end = new RegExp(`(?:${code.slice(0, 2)})?(?:city)?$`, 'i')
  return findRegionCodes(key.replace(end, '')).includes(code)
}

/** Whether the hint names, also by a code, a region that is one large city, and the company is in it: "Đống Đa, HN". */
export const isTheCity = ({ regions }: LocationHint, { cityKey, countryCode }: Place): boolean =>
  [...regions].some(
    (code) => cityRegions.has(code) && code.startsWith(countryCode) && isOfCity(cityKey, code),
  )

/** Meanings of a name or code, as ISO codes. */
export interface Reading {
  readonly key: string
  /** `code`: "CA" may be Canada or California. `tail`: the end of a longer part, as in "London United Kingdom". */
  readonly kind: 'name' | 'code' | 'tail'
  readonly countries: readonly string[]
  readonly regions: readonly string[]
}

export interface HintBuilder {
  readonly postals: ReadonlySet<string>
  readonly cities: Set<string>
  readings: Reading[]
  namesTown: boolean
  /** Regions of each part that may be the town of that name instead. */
  readonly townRegions: (readonly string[])[]
}

type SettledKey = 'countries' | 'regions' | 'isTownWithDe' | 'isCountryOrState' | 'openCountries'
type Settled = Pick<LocationHint, SettledKey> & { isTownElsewhere: boolean }
/**
 * Settles readings that exclude each other. The last of several codes is the country ("San Jose, CA, US"), one with a country name is a
 * region, and a single one ("San Bruno, CA") may be either. A name that is a country and a region is the region if another part names its
 * country ("Georgia, USA"), and only a town if a later part is in another country ("Lebanon, NH"). Other regions do not count.
 */
export function settleReadings({ cities, readings, postals }: HintBuilder): Settled {
  const codes = readings.filter(({ kind }) => kind === 'code')
  const names = readings.filter(({ kind }) => kind === 'name')
  const settled = names.map((name) => {
    const isIn = (other: Reading) => listCountries(other).some((code) => name.countries.includes(code))
    const isNear = readings.some((other) => other.key !== name.key && isIn(other))
    const towns = listOfTown(name.key)
    if (isNear && towns.length > 0) cities.delete(toCityKey(name.key))
    return {
      ...name,
      countries: isOverruled(name, readings) ? [] : [...name.countries, ...(isNear ? [] : towns)],
      regions: isOfOtherRegion(name, names) ? [] : listRegions(name, readings),
    }
  })
  const isTownElsewhere = names.some((name) => name.regions.length > 0 && isOfOtherRegion(name, names))
  for (const { key } of names.filter((name) => isNamedTwice(name, readings)))
    cities.add(toCityKey(`${key} city`))
  const countries = new Set(settled.flatMap((name) => name.countries))
  const regions = new Set(settled.flatMap((name) => name.regions))
  const isRead = countries.size + regions.size + codes.length > 0
  for (const tail of readings.filter(({ kind }) => kind === 'tail')) {
    if (!isRead) for (const country of tail.countries) countries.add(country)
    for (const region of tail.regions) regions.add(region)
  }
  const [last, isAlone] = [codes.at(-1), codes.length === 1 && countries.size === 0]
  const key = last?.key ?? ''
  const isLow = withLowZips.test(key)
  const has = (form: RegExp) => [...postals].some((code) => form.test(code))
  const isZip = has(isLow ? /^\d{3,5}$|^\d{9}$/ : /^\d{5}$|^\d{9}$/) && has(zipsOfStates.get(key) ?? /^/)
  // "Buenos Aires, AR", "Pune, IN" and "560001, IN" are in the country, "Dover, DE", "46201, IN" and "02110, MA" in the state.
  const hasTownIn = (code: string) => [...cities].some((city) => townsOfCodes.get(code)?.has(city))
  const countriesOfRegions = new Set([...regions].map(getCountry))
  const isThere = (country: string) => hasTownIn(country) || countriesOfRegions.has(country)
  const isStateZip = has(isLow ? /^0[1-9]\d{3}(?:\d{4})?$/ : /^(?!0|969)\d{9}$/)
  const isUs = isStateZip || hasTownIn(`US-${key.toUpperCase()}`) || (isZip && zipsOfStates.has(key))
  const isTold = (postals.size > 0 && !isZip) || last?.countries.some(isThere) === true
  const isTownWithDe = isAlone && key === 'de' && cities.size > 0 && !isUs
  for (const code of codes) {
    const isCountry = code === last && code.countries.length > 0 && countries.size === 0 && !(isAlone && isUs)
    if (isCountry) for (const country of code.countries) countries.add(country)
    if (!isCountry || (isAlone && !isTold)) for (const region of code.regions) regions.add(region)
  }
  if (isAlone) {
    // "Derbyshire, AE" is in the Emirates, and "Kent, OH" in Ohio.
    const known = new Set([...countries, ...(last?.regions ?? []).map(getCountry)])
    for (const region of regions) if (!known.has(region.slice(0, 2))) regions.delete(region)
  }
  const openCountries = new Set<string>()
  if (countries.size === 0)
    for (const { key, regions: own } of settled)
      if (own.length > 0)
        for (const code of [...own.map(getCountry), ...listHomonyms(key)]) openCountries.add(code)
  const found = { countries, regions, openCountries, isTownWithDe, isTownElsewhere }
  if (countries.size === 0 || isAlone) return { ...found, isCountryOrState: false }
  // "Georgia" alone may be the state, and "Niger" that of Nigeria.
  const towns = names.flatMap((one) => one.regions.map(getCountry)).concat([...cities].flatMap(listHomonyms))
  const openNames = settled.filter(
    (name) => isOpenName(name, countries) && !name.countries.some((code) => towns.includes(code)),
  )
  const states = openNames.flatMap((name) => name.regions).filter((region) => /^(?:US-|NG-NI$)/.test(region))
  for (const region of regions)
    if (!countries.has(region.slice(0, 2)) && !states.includes(region)) regions.delete(region)
  return { ...found, isCountryOrState: states.some((region) => regions.has(region)) && !countries.has('US') }
}
const towns = Object.entries(placeNames.towns_of_codes)
const townsOfCodes = new Map(towns.map(([code, names]) => [code, new Set(names.split('|').map(toCityKey))]))
/** ZIP codes of states with codes of countries whose postal codes do not have five digits; states whose ZIP codes may lose a 0. */
const zips = Object.entries(placeNames.zips_of_states)
const zipsOfStates = new Map(zips.map(([state, starts]) => [state, new RegExp(`^(?:${starts})`)]))
const withLowZips = /^(?:ct|ma|me|nh|nj|pr|ri|vi|vt)$/
export const listCountries = (one: Reading): string[] => [...one.countries, ...one.regions.map(getCountry)]
/** Lists the other countries with a large city of a country's name: Jordan for عمان, which is Oman and Amman. */
export function listOfTown(name: string): string[] {
  const countries = name.length > codeCharsMax && isLargeCity(name) ? findCountryCodes(name) : []
  const towns = countries.length === 0 ? [] : findRegionCodes(name).map(getCountry)
  return towns.some((code) => countries.includes(code)) ? [] : towns
}

const isOpenName = (name: Reading, countries: ReadonlySet<string>): boolean =>
  name.countries.length > 0 && name.countries.length === countries.size

const isNamedTwice = ({ countries }: Reading, readings: readonly Reading[]): boolean =>
  readings.filter((other) => other.countries.some((code) => countries.includes(code))).length > 1

/** A country alone is not its department of that name; "Mexico, MX" is a town, in a region of another name. */
function listRegions(name: Reading, readings: readonly Reading[]): readonly string[] {
  const others = name.regions.filter((code) => !name.countries.includes(getCountry(code)))
  if (others.length === name.regions.length || !countryCodes.has(name.key)) return name.regions
  return isNamedTwice(name, readings) ? [...name.regions, ...findRegionCodes(`${name.key} city`)] : others
}

/** True if another part names a region of the town: "Paris, Texas" and "Cuenca, Azuay" name no part of France or Spain. */
function isOfOtherRegion(name: Reading, names: readonly Reading[]): boolean {
  const own = listCountries(name)
  const at = names.indexOf(name)
  return names.some((other, index) => {
    const theirs = other.countries.length > 0 ? [] : other.regions.map(getCountry)
    if (theirs.length === 0 || theirs.some((code) => own.includes(code))) return false
    if (listHomonyms(name.key).some((code) => theirs.includes(code))) return true
    return (
      index > at && !isLargeCity(other.key) && !listHomonyms(other.key).some((code) => own.includes(code))
    )
  })
}

/** True if another part decides that the name is no country. */
function isOverruled(name: Reading, readings: readonly Reading[]): boolean {
  const at = readings.findIndex(({ key, kind }) => key === name.key && kind === name.kind)
  return readings.some((other, index) => {
    if (index === at || other.key === name.key) return false
    const own = listCountries(other)
    if (name.countries.some((country) => own.includes(country) || isDependent(country, own))) return false
    const around = listOfTown(name.key).length > 0 ? own : other.countries
    const isItsRegion = name.regions.some((region) => around.includes(getCountry(region)))
    return own.length > 0 && (index > at || (isItsRegion && other.kind !== 'tail'))
  })
}

/** Lists the words of a text that name one of these countries, in any language: "Frankreich", "États-Unis". */
export function findCountryWords(text: string, countries: readonly string[]): string[] {
  if (countries.length === 0) return []
  const words = text.split(/[^\p{L}\p{M}]+/u)
  const isName = (name: string) =>
    name.length > 3 && findExactCodes(name).some((code) => countries.includes(code))
  const isBehind = (at: number) => isName(`${words[at - 1] ?? ''} ${words[at] ?? ''}`)
  return words
    .filter((word, at) => isName(word) || isBehind(at) || isBehind(at + 1))
    .map((word) => foldText(word))
}

/** Whether a state of the United States, Canada or Australia has a town of the name: "Reno NV". */
export const isTownOfState = (town: string, code: string): boolean =>
  ['US', 'CA', 'AU'].some((country) => townsOfCodes.get(`${country}-${code}`)?.has(toCityKey(town)))

/** Keys of the towns in the name of a court or office: the whole, and its parts, as in `RABAT-SALE` and `CASABLANCA-ANFA`. */
function listOfficeTowns(country: string, office: string): ReadonlySet<string> {
  const parts = [office, ...office.split('-')].map(toCityKey).filter((key) => key.length >= codeCharsMax)
  return listCityKeys({ cities: new Set(parts), readings: [] }, new Set([country.toUpperCase()]))
}

/** Whether courts or offices of a country (`ma`) are those of one town: `CASA` and `CASABLANCA-ANFA`. */
export function areOfOneTown(country: string, one: string, other: string): boolean {
  const towns = listOfficeTowns(country, one)
  return [...listOfficeTowns(country, other)].some((town) => towns.has(town))
}

/** Towns with several names in a country. */
const localTowns = new Set(
  Object.entries(placeNames.local_cities).flatMap(([country, groups]) =>
    groups.split(/[ |]/).map((name) => `${country} ${toNameKey(name)}`),
  ),
)

/** Whether a court or office has the name of a known town or region of its country (`ma`). Another one says no more than none. */
export function isKnownOffice(country: string, office: string): boolean {
  const isIn = (code: string) => getCountry(code).toLowerCase() === country
  const isTown = (name: string) =>
    isLargeCity(name) ||
    localTowns.has(`${country.toUpperCase()} ${toNameKey(name)}`) ||
    findRegionCodes(name).some(isIn)
  return [office, ...office.split('-')].some(isTown)
}

/** Whether two courts or offices of a country are known, and in different towns. */
export const areOfOtherTowns = (country: string, one: string | null, other: string | null): boolean =>
  one !== null &&
  other !== null &&
  [one, other].every((office) => isKnownOffice(country, office)) &&
  !areOfOneTown(country, one, other)

/**
 * Whether the number at the end of a place is no code of a country: behind a street, as in "вул. Миру, 276", in a place of
 * another country, and for "Nairobi, 254" with the dialling code of Kenya. Else it may be one: "Kelmor, 752", "Main Street 1, Uppsala, 752".
 */
export function isHouseNumber(parts: readonly string[], readings: readonly Reading[]): boolean {
  const [number = '', street = '', ...before] = parts.filter((part) => foldText(part) !== '').reverse()
  if (street === '' || !/^\d+$/.test(number)) return false
  const own = readings.flatMap(listCountries)
  const codes = findCountryCodes(number)
  if (codes.some((code) => own.includes(code))) return false
  const isDialled = own.some((code) => dialled.get(number)?.includes(code) === true)
  const isStreet = !/\d/.test(street) && streetLike.test(street)
  return isDialled || isStreet || (before.length > 0 && own.length > 0)
}
const dialled = new Map(countryNames.dialled.split('|').map((line) => [line.slice(0, 3), line.slice(4)]))

/** A country at the end of a name: its last words. */
export type CountryAtEnd = Readonly<{ end: number; count: number; codes: readonly string[] }>

/** Shorter words are codes of countries and words of names: "can", "per", "and". */
export const isCountryWord = (word: string): boolean =>
  areas.has(word) || (word.length >= 4 && namesCountry(word))
/** Groups name companies after parts of the world too. */
const areas = new Set(
  'uk us uae europe asia africa america emea apac latam eurasia scandinavia benelux'.split(' '),
)

const [countryWordsMax, shortCountries] = [3, new Set(['uk', 'uae', 'usa'])] as const

/** Finds the country before `end`, in any language or as a code: "VN", "Polska", "Ceska republika". A name needs another word. */
export function findCountryAtEnd(words: readonly string[], end = words.length): CountryAtEnd | null {
  for (let count = Math.min(countryWordsMax, end - 1); count >= 1; count--) {
    const text = words.slice(end - count, end).join(' ')
    // Shorter ones are also codes of sports and vehicles: "gas", "per". "Japan I" is no "Japani".
    if (count === 1 && text.length <= 3 && !shortCountries.has(text) && !namesCountry(text)) return null
    const codes = /\w{2} \w$/.test(text) ? [] : findExactCodes(text)
    if (codes.length > 0) return { end, count, codes }
  }
  return null
}

const states = new Set('al ar az ca co ga id il in la ma md me mn mo ms mt nc ne pa sc sd tn va'.split(' '))

/** Compares countries at the ends of two names; `null` if they differ. */
export function compareCountries(
  [text, words]: readonly [CountryAtEnd, readonly string[]],
  name: CountryAtEnd,
): WordMatch | null {
  if (!text.codes.some((code) => name.codes.includes(code))) return null
  return states.has(words[text.end - 1] ?? '') ? stateCodeMatch : countryMatch
}

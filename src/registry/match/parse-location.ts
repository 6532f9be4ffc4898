import { readKind } from '../normalize/streets.js'
import { foldText } from '../normalize/normalize-name.js'
import { matchLimits } from '../model/limits.js'
import { findCountryCode, findCountryCodes, findExactCodes } from '../../core/countries.js'
import { readIdentifiers } from '../../core/numbers/stated-identifiers.js'
import { parseForm } from '../normalize/parsed-name.js'
import {
  findRegionCodes,
  isBritishCounty,
  isLargeCity,
  isPartOfUnitedKingdom,
  isSubdivision,
  toCityKey,
  toPostalKey,
} from '../normalize/places.js'

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
  /** The country may be a state of the United States instead: "Georgia". */
  readonly isCountryOrState: boolean
  /**
   * Key of the last part if no part names a known country or region: it may be a town, or a country that is not known.
   * Empty text otherwise.
   */
  readonly unreadEnd: string
}

/** "England" is no more precise than the country, so it does not contradict Surrey. */
export const isDistinctRegion = (code: string): boolean => code !== '' && !isPartOfUnitedKingdom(code)

const postalShapes = [
  /\b[A-Z]{1,2}\d[A-Z\d]?\s*\d[A-Z]{2}\b/i, // GB
  /\b[A-Z]\d[A-Z]\s*\d[A-Z]\d\b/i, // CA
  /\b\d{4}\s?[A-Z]{2}\b/, // NL
  /\b\d{5}-\d{3,4}\b/, // US +4, BR
  /\b\d{3}-\d{4}\b/, // JP
  /\b\d{2}-\d{3}\b/, // PL
  /\b\d{3} \d{2}\b(?! ?\d)/, // SE, CZ, SK, GR
  /\b\d{4,6}\b/,
  /(?<=^|[,;|\n/()]\s*)[A-Z]{1,2}\d[A-Z\d]?(?=\s*(?:$|[,;|\n/()]))/i, // GB, outward code only
]

/** "東京都港区", "广东省深圳市": no spaces separate a region from its towns. */
const eastAsianRegion =
  /(?:東京都|北海道|京都府|大阪府|\p{Script=Han}{2,3}[県省市]|\p{Script=Han}{2,8}自治[区區])(?=\p{Script=Han})/gu

/** Parses a location text ("Stockport, SK6 6ND", "Austin TX", "Germany"). Returns `null` if it has no place. */
export function parseLocation(location: string | null): LocationHint | null {
  if (location === null) return null
  const postals = new Set<string>()
  let text = location.slice(0, matchLimits.locationCharsMax)
  for (const shape of postalShapes) {
    const found = shape.exec(text)
    if (!found) continue
    postals.add(toPostalKey(found[0]))
    text = text.replace(found[0], ' ')
    break
  }
  text = text.replace(eastAsianRegion, '$&,')
  const builder: HintBuilder = {
    cities: new Set(),
    readings: [],
    namesTown: postals.size > 0,
    isEndRead: false,
  }
  const parts = text.split(/[,;|\n/()（）、，،؛]+/).map((part) => part.trim().replace(/\s+/g, ' '))
  const last = parts.findLastIndex((part) => foldText(part) !== '')
  for (const [at, part] of parts.entries()) {
    const readingCount = builder.readings.length
    readPart(part, builder, { isLast: at === last, isAlone: last === 0 })
    if (at === last) builder.isEndRead = builder.readings.length > readingCount
    // "Luohu, Shenzhen" may be written as one city.
    const next = parts[at + 1] ?? ''
    if (part !== '' && next !== '') builder.cities.add(toCityKey(`${part} ${next}`))
  }
  const { countries, regions, ...open } = settleReadings(builder)
  // "Montevideo, Montevideo, Uruguay": of a town and a region with one name, one is the town.
  const keys = parts.map((part) => foldText(part)).filter((key) => /\p{L}{3}/u.test(key))
  const namesTown = builder.namesTown || (regions.size > 0 && new Set(keys).size < keys.length)
  const cities = new Set([...builder.cities].flatMap(listCityKeys))
  if (countries.size + regions.size + cities.size + postals.size === 0) return null
  const isRead = last < 0 || countries.size > 0 || builder.isEndRead
  const unreadEnd = isRead ? '' : toUnreadKey(parts[last] ?? '')
  return { countries, regions, cities, postals, namesTown, ...open, unreadEnd }
}

/** "Cabanatuan City" is also written "Cabanatuan". */
function listCityKeys(key: string): string[] {
  if (key.length < cityCharsMin) return [key]
  return key.endsWith('city') ? [key, key.slice(0, -4)] : [key, `${key}city`]
}
const cityCharsMin = 5

/**
 * Returns the country of a company: the one that a cell of its place names or ends with, that of its regions, that of
 * its number, or the only one with the legal form in its name; `null` if none tells.
 */
export function findCompanyCountry(
  { cells, name }: { readonly cells: readonly (string | null)[]; readonly name: string | null },
  numberCountry: string | null,
): string | null {
  const texts = cells.map((cell) => cell?.trim() ?? '').filter((cell) => cell !== '')
  for (const text of [...texts].reverse()) {
    const code = findCountryCode(text) ?? findCountryCode(text.split(',').at(-1)?.trim() ?? '')
    if (code !== null) return code
  }
  const place = parseLocation(texts.join(', ') || null)
  const [own, another] = [
    ...new Set([
      ...(place?.countries ?? []),
      ...[...(place?.regions ?? [])].map((region) => region.slice(0, 2)),
    ]),
  ]
  if (own !== undefined && another === undefined) return own
  const { name: bare, identifiers } = readIdentifiers(name ?? '')
  const stated = identifiers.find(({ kind }) => kind === 'registration_id')?.place?.slice(0, 2)
  const forms = bare === null ? [] : parseForm(bare).formCountries
  return stated ?? numberCountry ?? (forms.length === 1 ? (forms[0] ?? null) : null)
}

/** A street, a British county or a district is no country. */
const toUnreadKey = (part: string): string =>
  /\d/.test(part) || isBritishCounty(part) || readKind(part)?.kind === 'district' ? '' : toCityKey(part)

/** Meanings of a name or code, as ISO codes. */
interface Reading {
  readonly key: string
  /** `code`: "CA" may be Canada or California. `tail`: the end of a longer part, as in "London United Kingdom". */
  readonly kind: 'name' | 'code' | 'tail'
  readonly countries: readonly string[]
  readonly regions: readonly string[]
}

interface HintBuilder {
  readonly cities: Set<string>
  readonly readings: Reading[]
  namesTown: boolean
  /** The last part names a country or a region. */
  isEndRead: boolean
}

const codeCharsMax = 3

/** "D-80331 München", after its postal code was taken: the code of a vehicle precedes the postal code. */
const postalPrefix = /^([A-Z]{1,3})\s*[-–]\s+(?=\S)/

function readPart(
  part: string,
  builder: HintBuilder,
  at: { readonly isLast: boolean; readonly isAlone: boolean },
): void {
  const [prefix, code = ''] = postalPrefix.exec(part) ?? []
  if (prefix !== undefined && findCountryCodes(code).length === 1) {
    builder.readings.push({
      key: code.toLowerCase(),
      kind: 'name',
      countries: findCountryCodes(code),
      regions: [],
    })
    part = part.slice(prefix.length)
  }
  const words = part.split(' ').filter((word) => foldText(word) !== '')
  if (words.length === 0) return
  const whole = readName(part, at)
  if (whole !== null) {
    builder.readings.push(whole)
    // Some regions share a name or a code with a city: New York, Berlin; DF, HCM.
    const city = toCityKey(part)
    if (whole.kind === 'name' || city !== whole.key.replaceAll(' ', '')) builder.cities.add(city)
    // A state is named more often than New York and Washington.
    const isState = whole.regions.some((code) => code.startsWith('US-'))
    builder.namesTown ||= whole.countries.length === 0 && !isState && isLargeCity(part)
    return
  }
  builder.cities.add(toCityKey(part))
  builder.namesTown = true
  const titled = readKind(part)
  if (titled !== null && /\p{L}/u.test(titled.name)) {
    // Registers that were imported earlier hold the whole key.
    builder.cities.add(foldText(part).replaceAll(' ', ''))
    readTitled(titled.name, builder, at)
    return
  }
  // "Austin TX", "London UK": the end may be a region or a country, the rest is the city.
  for (let tail = Math.min(3, words.length - 1); tail >= 1; tail--) {
    const text = words.slice(-tail).join(' ')
    const read = readName(text, { isLast: false, isAlone: false })
    if (read === null || wordsOfTowns.has(read.key)) continue
    readPart(words.slice(0, -tail).join(' '), builder, { isLast: false, isAlone: false })
    builder.readings.push(read.kind === 'code' ? read : { ...read, kind: 'tail' })
    if (read.kind === 'name') builder.cities.add(toCityKey(text))
    return
  }
}

/** Reads the name next to a word for a town: "TP. HN" is no code of a country. */
function readTitled(
  name: string,
  builder: HintBuilder,
  at: { readonly isLast: boolean; readonly isAlone: boolean },
): void {
  const count = builder.readings.length
  readPart(name, builder, at)
  builder.readings.push(
    ...builder.readings
      .splice(count)
      .map((reading) => (reading.kind === 'code' ? { ...reading, countries: [] } : reading)),
  )
}

/** Words at the end of towns that are countries in other languages: "Long Island". */
const wordsOfTowns = new Set(['island', 'union', 'man', 'nga', 'tai', 'kina', 'palau'])

/** Reads a whole text as a country or region; `null` if it is neither. A number is a code only at the end. */
function readName(
  text: string,
  { isLast, isAlone }: { readonly isLast: boolean; readonly isAlone: boolean },
): Reading | null {
  const key = foldText(text)
  const code = text.toUpperCase()
  if (isSubdivision(code))
    return { key, kind: 'name', countries: [code.slice(0, 2)], regions: [code].filter(isDistinctRegion) }
  const isNumber = /^\d+$/.test(key)
  if (isNumber && !(isAlone || (isLast && key.length === codeCharsMax))) return null
  const found = findRegionCodes(text)
  if (isNumber && found.length > 0) return null
  const regions = found.filter(isDistinctRegion)
  const countries = isLast || isAlone ? findCountryCodes(text) : findExactCodes(text)
  if (countries.length === 0 && found.length === 0) return null
  return {
    key,
    kind: /^[A-Za-z.\s]+$/.test(text) && key.length <= codeCharsMax ? 'code' : 'name',
    countries,
    regions,
  }
}

/**
 * Settles readings that exclude each other. The last of several codes is the country ("San Jose, CA, US"), one with a
 * country name is a region, and a single one ("San Bruno, CA") may be either. A name that is a country and a region is
 * the region if another part names its country ("Georgia, USA"), and only a town if a later part is in another country
 * ("Lebanon, NH"). Regions of countries that are not named do not count.
 */
function settleReadings({
  cities,
  readings,
}: HintBuilder): Pick<LocationHint, 'countries' | 'regions' | 'isTownWithDe' | 'isCountryOrState'> {
  const codes = readings.filter(({ kind }) => kind === 'code')
  const names = readings.filter(({ kind }) => kind === 'name')
  const settled = names.map((name) => ({
    ...name,
    countries: isOverruled(name, readings) ? [] : name.countries,
  }))
  const countries = new Set(settled.flatMap((name) => name.countries))
  const regions = new Set(settled.flatMap((name) => name.regions))
  const isRead = countries.size + regions.size + codes.length > 0
  for (const tail of readings.filter(({ kind }) => kind === 'tail')) {
    if (!isRead) for (const country of tail.countries) countries.add(country)
    for (const region of tail.regions) regions.add(region)
  }
  const last = codes.at(-1)
  const isAlone = codes.length === 1 && countries.size === 0
  const isTownWithDe = isAlone && last?.key === 'de' && cities.size > 0
  const wasNamed = countries.size > 0
  for (const code of codes) {
    const isCountry = code === last && code.countries.length > 0 && !wasNamed
    if (isCountry) for (const country of code.countries) countries.add(country)
    if (!isCountry || isAlone) for (const region of code.regions) regions.add(region)
  }
  if (isAlone) {
    // "Derbyshire, AE" is in the Emirates, and "Kent, OH" in Ohio.
    const known = new Set([...countries, ...(last?.regions ?? []).map((region) => region.slice(0, 2))])
    for (const region of regions) if (!known.has(region.slice(0, 2))) regions.delete(region)
  }
  if (countries.size === 0 || isAlone) return { countries, regions, isTownWithDe, isCountryOrState: false }
  // "Georgia" alone may be the state.
  const openNames = settled.filter((name) => isOpenName(name, countries))
  const states = openNames.flatMap((name) => name.regions).filter((region) => region.startsWith('US-'))
  for (const region of regions)
    if (!countries.has(region.slice(0, 2)) && !states.includes(region)) regions.delete(region)
  const isCountryOrState = states.some((region) => regions.has(region)) && !countries.has('US')
  return { countries, regions, isTownWithDe, isCountryOrState }
}

const isOpenName = (name: Reading, countries: ReadonlySet<string>): boolean =>
  name.countries.length > 0 && name.countries.length === countries.size

/** True if another part decides that the name is no country. */
function isOverruled(name: Reading, readings: readonly Reading[]): boolean {
  const at = readings.findIndex(({ key, kind }) => key === name.key && kind === name.kind)
  return readings.some((other, index) => {
    if (index === at || other.key === name.key) return false
    const own = [...other.countries, ...other.regions.map((region) => region.slice(0, 2))]
    if (name.countries.some((country) => own.includes(country) || isDependent(country, own))) return false
    const isItsRegion = name.regions.some((region) => other.countries.includes(region.slice(0, 2)))
    return own.length > 0 && (index > at || (isItsRegion && other.kind !== 'tail'))
  })
}

/** "Jersey, UK", "Hong Kong, China": both names are right. */
const isDependent = (country: string, sovereigns: readonly string[]): boolean =>
  sovereigns.some((sovereign) => territories[sovereign]?.split(' ').includes(country) === true)

const territories: Readonly<Record<string, string>> = {
  AU: 'CC CX HM NF',
  CN: 'HK MO TW',
  DK: 'FO GL',
  FI: 'AX',
  FR: 'BL GF GP MF MQ NC PF PM RE TF WF YT',
  GB: 'AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG',
  NL: 'AW BQ CW SX',
  NO: 'BV SJ',
  NZ: 'CK NU TK',
  US: 'AS GU MP PR UM VI',
}

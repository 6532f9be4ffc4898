import { postalShapes, readKind } from '../normalize/streets.js'
import { listBehindTowns, type CompanyCountry, type CompanyPlace } from './around-name.js'
import { unifyLetters } from '../normalize/own-letters.js'
import { isDependent, splitPlace } from '../normalize/unspaced-names.js'
import { foldText } from '../normalize/normalize-name.js'
import { matchLimits } from '../model/limits.js'
import { countryCodes, findCountryCodes, findExactCodes } from '../../core/countries.js'
import { readIdentifiers } from '../../core/numbers/stated-identifiers.js'
import { isDistinctRegion, type LocationHint } from './place-agreement.js'
import { parseForm } from '../normalize/parsed-name.js'
import { hasOtherScript } from '../normalize/sounds.js'
import {
  codeCharsMax,
  findCertainCountry,
  findRegionCodes,
  getCountry,
  isBritishCounty,
  isLargeCity,
  listHomonyms,
  isSubdivision,
  listCityKeys,
  toCityKey,
  toNameKey,
  toPostalKey,
} from '../normalize/places.js'

/** Parses a location text ("Stockport, SK6 6ND", "Austin TX", "Germany"). Returns `null` if it has no place. */
export function parseLocation(location: string | null): LocationHint | null {
  if (location === null) return null
  const postals = new Set<string>()
  let text = location.slice(0, matchLimits.locationCharsMax).replace(slashedLetters, ' ')
  for (const shape of postalShapes) {
    const found = shape.exec(text)
    if (!found) continue
    postals.add(toPostalKey(found[0]))
    text = text.replace(found[0], ' ')
    break
  }
  const builder: HintBuilder = {
    cities: new Set(),
    readings: [],
    namesTown: postals.size > 0,
    isEndRead: false,
  }
  const parts = splitPlace(text)
  const last = parts.findLastIndex((part) => foldText(part) !== '')
  for (const [at, part] of parts.entries()) {
    const readingCount = builder.readings.length
    readPart(part, builder, { isLast: at === last, isAlone: last === 0 })
    if (at === last) builder.isEndRead = builder.readings.length > readingCount
    // "Luohu, Shenzhen" may be written as one city.
    const next = parts[at + 1] ?? ''
    if (part !== '' && next !== '') builder.cities.add(toCityKey(`${part} ${next}`))
  }
  const { countries, regions, isTownElsewhere, ...open } = settleReadings(builder)
  // "Montevideo, Montevideo, Uruguay": of a town and a region with one name, one is the town.
  const keys = parts.map((part) => foldText(part)).filter((key) => /\p{L}{3}/u.test(key))
  const namesTown =
    builder.namesTown || isTownElsewhere || (regions.size > 0 && new Set(keys).size < keys.length)
  const stated = builder.readings.filter(
    (one) => one.kind === 'name' && one.countries.some((code) => countries.has(code)),
  )
  for (const name of listBehindTowns(parts, stated))
    for (const city of [name, `${name} city`]) builder.cities.delete(toCityKey(city))
  const cities = listCityKeys(builder, countries)
  if (countries.size + regions.size + cities.size + postals.size === 0) return null
  const isUnread = last >= 0 && countries.size === 0 && !builder.isEndRead
  const [unreadEnd, isLatin] = [isUnread ? toUnreadKey(parts[last] ?? '') : '', !hasOtherScript(text)]
  const [filled, read] = [parts.filter((part) => foldText(part) !== ''), builder.readings]
  // A code of a region alone may be short for a town; that of a country is the country.
  const isCode = read.length > 0 && read.every(({ kind }) => kind === 'code')
  const isByCode = filled.length === 1 && countries.size === 0 && isCode
  const isShort = (part: string) => /^\p{L}{2,8}\.?$/u.test(part) && !isLargeCity(part)
  const isOpen = (part: string) => isByCode || readName(part, { isLast: false, isAlone: false }) === null
  const shorts = filled.filter((part) => isShort(part) && isOpen(part)).map(toCityKey)
  return { countries, regions, cities, postals, namesTown, ...open, unreadEnd, isLatin, shorts, isByCode }
}

/**
 * Finds the country of a company: the one in a column of countries or at the end of an address, the only one that all
 * cells of its place fit, that of its number, or the only one with the legal form in its name. `parts`: what the headers
 * say of the cells. A town alone, as `Cuenca`, tells less than a number or a form.
 */
export function readCompanyCountry(
  { cells, parts = [], name }: CompanyPlace,
  numberCountry: string | null,
): CompanyCountry {
  const filled = cells.flatMap((cell, at) => {
    const text = cell?.trim() ?? ''
    return text === '' ? [] : { text, part: parts[at] ?? null }
  })
  for (const { text, part } of [...filled].reverse()) {
    const isTown = part !== 'country' && (/^(?:city|region)$/.test(part ?? '') || listOfTown(text).length > 0)
    const [only, another] = isTown ? [] : findCountryCodes(text)
    const code = isTown || another !== undefined ? null : (only ?? findCertainCountry(text))
    if (code !== null) return { country: code, possible: [code] }
  }
  const whole = { text: filled.map(({ text }) => text).join(', '), part: null }
  const found = [...filled, whole].map(listPossible).filter((codes) => codes.length > 0)
  const [first = []] = found
  const shared = first.filter((code) => found.every((codes) => codes.includes(code)))
  const possible = shared.length > 0 ? shared : [...new Set(found.flat())]
  const { name: bare, identifiers } = readIdentifiers(name ?? '')
  const number =
    identifiers.find(({ kind }) => kind === 'registration_id')?.place?.slice(0, 2) ?? numberCountry
  const isOpen = found.length < 3 && filled.every(({ part }) => part === 'city')
  if (possible.length === 1 && (number === null || !isOpen)) return { country: possible[0] ?? null, possible }
  if (number !== null && (isOpen || possible.includes(number) || possible.length === 0))
    return { country: number, possible: [number] }
  const forms = bare === null ? [] : parseForm(bare).formCountries
  const [own, another] = possible.length === 0 ? forms : forms.filter((code) => possible.includes(code))
  return { country: own !== undefined && another === undefined ? own : null, possible }
}

/** Lists the countries of a cell, and those with a town of its name. */
function listPossible({ text, part }: { readonly text: string; readonly part: string | null }): string[] {
  const ofTown = part === 'city' || part === 'region' ? listOfTown(text) : []
  if (ofTown.length > 0) return ofTown
  const { countries = [], regions = [] } = parseLocation(text) ?? {}
  return [...new Set([...countries, ...[...regions].map(getCountry), ...listHomonyms(text)])]
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

/** "G/R" is Greater Accra Region, and "48 Mohakhali C/A" a commercial area: neither letter is a code. */
const slashedLetters = /(?<![\p{L}\p{N}/])\p{Lu}\/\p{Lu}(?![\p{L}\p{N}/])/gu

/** "D-80331 München", after its postal code was taken: the code of a vehicle precedes the postal code. */
const postalPrefix = /^([A-Z]{1,3})\s*[-–]\s+(?=\S)/

function readPart(part: string, builder: HintBuilder, at: PartPlace): void {
  const [prefix, code = ''] = postalPrefix.exec(part) ?? []
  const countries = prefix === undefined ? [] : findCountryCodes(code)
  if (countries.length > 0) {
    builder.readings.push({ key: code.toLowerCase(), kind: 'name', countries, regions: [] })
    part = part.slice(prefix?.length)
  }
  const words = part.split(' ').filter((word) => foldText(word) !== '')
  if (words.length === 0) return
  const [whole, titled, wasTown] = [readName(part, at), readKind(part), builder.namesTown]
  const isRegion = titled?.kind === 'region'
  if (whole !== null) {
    builder.readings.push(whole)
    // Some regions share a name or a code with a city: New York, Berlin; DF, HCM.
    const city = toCityKey(part)
    if (whole.kind === 'name' || city !== whole.key.replaceAll(' ', '')) builder.cities.add(city)
    // A state is named more often than New York and Washington.
    const isState = whole.regions.some((code) => code.startsWith('US-'))
    builder.namesTown ||= whole.countries.length === 0 && !isState && !isRegion && isLargeCity(part)
    return
  }
  builder.cities.add(toCityKey(part))
  builder.namesTown ||= !isRegion
  if (isLargeCity(part)) return
  if (titled !== null && /\p{L}/u.test(titled.name)) {
    // Registers that were imported earlier hold the whole key.
    builder.cities.add(toNameKey(part))
    readTitled(titled.name, builder, at)
    builder.namesTown = wasTown || !isRegion
    return
  }
  // "Austin TX", "London UK": the end may be a region or a country, the rest is the city.
  for (let tail = Math.min(3, words.length - 1); tail >= 1; tail--) {
    const [head, text] = [words.slice(0, -tail).join(' '), words.slice(-tail).join(' ')]
    const read = readName(text, { isLast: false, isAlone: false })
    // Towns of Poland have regions in their names: "Wysokie Mazowieckie".
    const isOfTown = !isLargeCity(head) && (read?.regions[0]?.startsWith('PL-') ?? false)
    if (read === null || isOfTown || wordsOfTowns.has(read.key)) continue
    readPart(head, builder, { isLast: false, isAlone: false })
    builder.readings.push(read.kind === 'code' ? read : { ...read, kind: 'tail' })
    if (read.kind === 'name') builder.cities.add(toCityKey(text))
    return
  }
}

/** Whether a part of a place is the last one, and the only one. */
type PartPlace = Readonly<{ isLast: boolean; isAlone: boolean }>

/** Reads the name next to a word for a town: "TP. HN" is no code of a country. */
function readTitled(name: string, builder: HintBuilder, at: PartPlace): void {
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
function readName(text: string, { isLast, isAlone }: PartPlace): Reading | null {
  const key = unifyLetters(text) ?? foldText(text)
  const code = text.toUpperCase()
  if (isSubdivision(code))
    return { key, kind: 'name', countries: [code.slice(0, 2)], regions: [code].filter(isDistinctRegion) }
  const isNumber = /^\d+$/.test(key)
  if (isNumber && !(isAlone || (isLast && key.length === codeCharsMax))) return null
  const found = findRegionCodes(text)
  if (isNumber && found.length > 0) return null
  const regions = found.filter(isDistinctRegion)
  const find = isLast || isAlone || key.length <= codeCharsMax ? findCountryCodes : findExactCodes
  const countries = find(text)
  if (countries.length === 0 && found.length === 0) return null
  const isCode = /^[A-Za-z.\s]+$/.test(text) && key.length <= codeCharsMax
  return { key, kind: isCode ? 'code' : 'name', countries, regions }
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
}: HintBuilder): Pick<
  LocationHint,
  'countries' | 'regions' | 'isTownWithDe' | 'isCountryOrState' | 'openCountries'
> & { isTownElsewhere: boolean } {
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
  const towns = [
    ...names.flatMap(({ regions: own }) => own.map(getCountry)),
    ...[...cities].flatMap(listHomonyms),
  ]
  const openNames = settled.filter(
    (name) => isOpenName(name, countries) && !name.countries.some((code) => towns.includes(code)),
  )
  const states = openNames.flatMap((name) => name.regions).filter((region) => /^(?:US-|NG-NI$)/.test(region))
  for (const region of regions)
    if (!countries.has(region.slice(0, 2)) && !states.includes(region)) regions.delete(region)
  const isCountryOrState = states.some((region) => regions.has(region)) && !countries.has('US')
  return { ...found, isCountryOrState }
}

const listCountries = (one: Reading): string[] => [...one.countries, ...one.regions.map(getCountry)]

/** Lists the other countries with a large city of a country's name: Jordan for عمان, which is Oman and Amman. */
function listOfTown(name: string): string[] {
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

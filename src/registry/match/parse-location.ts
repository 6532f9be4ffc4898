import { iso31662 } from 'iso-3166'
import { postalShapes, readKind } from '../normalize/streets.js'
import { hasTones, unifyLetters } from '../normalize/own-letters.js'
import { splitPlace } from '../normalize/unspaced-names.js'
import { foldText, getOrCompute } from '../normalize/normalize-name.js'
import { matchLimits } from '../model/limits.js'
import { findCountryCodes, findExactCodes } from '../../core/countries.js'
import { readIdentifiers } from '../../core/numbers/stated-identifiers.js'
import { cutLettersMax, inFront, readCutTown } from './place-agreement.js'
import {
  isDistinctRegion,
  isHouseNumber,
  listCountries,
  type LocationHint,
  listOfTown,
  settleReadings,
  type HintBuilder,
  type Reading,
} from './place-readings.js'
import { parseForm } from '../normalize/parsed-name.js'
import placeNames from '../reference/place-names.json' with { type: 'json' }
import { hasOtherScript } from '../normalize/sounds.js'
import {
  codeCharsMax,
  findCertainCountry,
  findRegionCodes,
  formatJurisdiction,
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

const numerals =
  '0 I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI XXII XXIII'.split(' ')
/** The number of a district: "Bp. VI.", "XI. kerület", "Gulberg III". */
const numeral =
  /(?<=^|[,;]\s*|\p{L}\.?\s)([IVX]{1,5})\.?\s*ker(?:ület\p{L}*|\.|(?=\s|$))|(?<=\p{L}{2}\.?\s)([IVX]{1,5})\.(?=\s*(?:$|[,;]))|(?<=\p{L}{2}\.?\s)(I{2,3}|IV|VI{2,3}|IX|X{1,2}(?:IX|IV|V?I{0,3}))(?![\p{L}\p{N}])/gu

/** Parses a location text ("Stockport, SK6 6ND", "Austin TX", "Germany"). Returns `null` if it has no place. */
export const parseLocation = (location: string | null): LocationHint | null =>
  location === null ? null : getOrCompute(knownHints, 500, location, parseNewLocation)
const knownHints = new Map<string, LocationHint | null>()
function parseNewLocation(location: string): LocationHint | null {
  const given = location
    .slice(0, matchLimits.locationCharsMax)
    .replace(numeral, (found, ...groups: readonly (string | undefined)[]) => {
      const number = numerals.indexOf(groups.slice(0, 3).join(''))
      return number < 0 ? found : `${number}`
    })
    .replace(slashedStart, '$1. ')
    .replace(slashedLetters, (pair) => (/\p{Ll}/u.test(pair) ? pair.replace('/', '. ') + '.' : ' '))
  const codes = postalShapes.flatMap((shape) => shape.exec(given)?.[0] ?? []).slice(0, 1)
  const [postals, hasCode] = [new Set(codes.map(toPostalKey)), codes.length > 0]
  const text = hasCode ? given.replace(codes[0] ?? '', ' ') : given
  const empty = { cities: new Set<string>(), readings: [], townRegions: [] }
  const builder: HintBuilder = { ...empty, postals, namesTown: hasCode }
  let isEndRead = false
  const parts = splitPlace(text)
  const last = parts.findLastIndex((part) => foldText(part) !== '')
  for (const [at, part] of parts.entries()) {
    const readingCount = builder.readings.length
    const isEnd = at === last && !isHouseNumber(parts.slice(0, at + 1), builder.readings)
    readPart(part, builder, { isLast: isEnd, isAlone: last === 0 })
    if (at === last) isEndRead = builder.readings.length > readingCount
    // "Luohu, Shenzhen" may be written as one city.
    const next = parts[at + 1] ?? ''
    if (part !== '' && next !== '') builder.cities.add(toCityKey(`${part} ${next}`))
  }
  if (hasTones(location)) builder.readings = builder.readings.map(toVietnamese)
  const { countries, regions, isTownElsewhere, ...open } = settleReadings(builder)
  // "Ho, Ghana" is a town: no region there has the code.
  const isThere = (one: Reading) => listCountries(one).some((code) => countries.has(code))
  const towns = builder.readings.filter((one) => one.kind === 'code' && countries.size > 0 && !isThere(one))
  for (const { key } of towns) builder.cities.add(toCityKey(key))
  const isOfCountry = (code: string) => countries.size === 0 || countries.has(getCountry(code))
  const isTown = builder.townRegions.some((codes) => areOfTowns(codes.filter(isOfCountry)))
  builder.namesTown ||= towns.length > 0 || isTown
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
  const isUnread = last >= 0 && countries.size === 0 && !isEndRead
  // Behind a dash is a district: "Praha 10 - Hostivař".
  const isDistrict = /\s[-–—]\s(?=[^,;|/\n]*$)/u.test(text)
  const end = parts[last] ?? ''
  const unreadEnd = isUnread && !isDistrict ? toUnreadKey(end) : ''
  const endTowns = unreadEnd === '' ? [] : listTownsIn(end)
  const cut = parts.flatMap((part) => readCutTown(part) ?? [])
  const [filled, readings] = [parts.filter((part) => foldText(part) !== ''), builder.readings]
  // A code of a region alone may be short for a town; that of a country is the country.
  const isCode = readings.length > 0 && readings.every(({ kind }) => kind === 'code')
  const isByCode = filled.length === 1 && countries.size === 0 && isCode
  const isShort = (part: string) => /^\p{L}{2,8}\.?$/u.test(part) && !isLargeCity(part)
  const isOpen = (part: string) => isByCode || readName(part, { isLast: false, isAlone: false }) === null
  const shorts = filled.filter((part) => isShort(part) && isOpen(part)).map(toCityKey)
  const read = { countries, regions, cities, postals, namesTown, unreadEnd, endTowns }
  return { ...read, ...open, isLatin: !hasOtherScript(text), shorts, cut, isByCode }
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
    const others = filled.filter((one) => one.text !== text).flatMap(listPossible)
    const isTown = part !== 'country' && (/^(?:city|region)$/.test(part ?? '') || listOfTown(text).length > 0)
    const isNumber = /\d$/.test(text) && (part !== 'country' || others.length > 0)
    const [only, another] = isTown ? [] : findCountryCodes(text)
    if (isNumber && !others.includes(only ?? '')) continue
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
  const stated = part === 'country' ? text : text.replace(/,\s*\d+$/, '')
  const { countries = [], regions = [] } = parseLocation(stated) ?? {}
  return [...new Set([...countries, ...[...regions].map(getCountry), ...listHomonyms(text)])]
}

/** A street, a British county or a district is no country. */
const toUnreadKey = (part: string): string =>
  /\d/.test(part) || isBritishCounty(part) || readKind(part)?.kind === 'district' ? '' : toCityKey(part)

/** "G/R" is Greater Accra Region, "48 Mohakhali C/A" a commercial area, and "Ústí n/L" Ústí nad Labem: neither letter is a code. */
const slashedStart = /(?<![\p{L}\p{N}/])(\p{Lu})\/(?=\p{Lu}\p{Ll})/gu
const slashedLetters = /(?<![\p{L}\p{N}/])\p{L}\/\p{Lu}(?![\p{L}\p{N}/])/gu

/** "D-80331 München", after its postal code was taken: the code of a vehicle precedes the postal code. */
const postalPrefix = /^([A-Z]{1,3})\s*[-–]\s+(?=\S)/

/** "Ciudad 11001", after its code was taken: the word names no town. */
const label = new RegExp(`^(?:${placeNames.place_labels})\\W*$`, 'iu')
/** An area of a town in front of it: "DHA Karachi", "Central London". */
const area = new RegExp(
  `^(?:${placeNames.areas})(?:\\s+(?:[Pp]hase|[Bb]lock|[Ss]ector|[Ss]tage))?(?:\\s*[\\dIVX-]+)?\\s+(?=\\p{Lu})`,
  'u',
)

function readPart(part: string, builder: HintBuilder, at: PartPlace): void {
  const [prefix, code = ''] = postalPrefix.exec(part) ?? []
  const countries = prefix === undefined ? [] : findCountryCodes(code)
  if (countries.length > 0) {
    builder.readings.push({ key: code.toLowerCase(), kind: 'name', countries, regions: [] })
    part = part.slice(prefix?.length)
  }
  const words = part.split(' ').filter((word) => foldText(word) !== '')
  if (words.length === 0 || (builder.postals.size > 0 && label.test(part))) return
  const [whole, titled, wasTown] = [readName(part, at), readKind(part), builder.namesTown]
  const isRegion = titled?.kind === 'region'
  if (whole !== null) {
    builder.readings.push(whole)
    // Some regions share a name or a code with a city: New York, Berlin; DF, HCM.
    const city = toCityKey(part)
    if (whole.kind === 'name' || city !== whole.key.replaceAll(' ', '')) builder.cities.add(city)
    // A state is named more often than New York and Washington.
    const isState = whole.regions.some((code) => code.startsWith('US-'))
    const isOpen = whole.countries.length === 0 && !isState && !isRegion
    builder.namesTown ||= isOpen && isLargeCity(part)
    if (isOpen && whole.kind === 'name' && !direction.test(whole.key)) builder.townRegions.push(whole.regions)
    return
  }
  for (const town of [toCityKey(part), ...listTownsIn(part)]) builder.cities.add(town)
  builder.namesTown ||= !isRegion
  if (isLargeCity(part)) return
  if (titled !== null && /\p{L}/u.test(titled.name)) {
    // Registers that were imported earlier hold the whole key.
    builder.cities.add(toNameKey(part))
    const before = builder.readings
    builder.readings = []
    readPart(titled.name, builder, at)
    builder.readings = [...before, ...builder.readings.flatMap((one) => toTitled(one, part))]
    builder.namesTown = wasTown || !isRegion
    return
  }
  // "Austin TX", "London UK": the end may be a region or a country, the rest is the city.
  for (let tail = Math.min(3, words.length - 1); tail >= 1; tail--) {
    const [head, text] = [words.slice(0, -tail).join(' '), words.slice(-tail).join(' ')]
    const read = readName(text, { isLast: false, isAlone: false })
    // Towns of Poland have regions in their names: "Wysokie Mazowieckie".
    const isOfTown = !isLargeCity(head) && (read?.regions[0]?.startsWith('PL-') ?? false)
    if (read === null || isOfTown || wordsOfTowns.has(read.key) || !isEnd(head, text, read)) continue
    readPart(head, builder, { isLast: false, isAlone: false })
    builder.readings.push(read.kind === 'code' ? read : { ...read, kind: 'tail' })
    if (read.kind === 'name') builder.cities.add(toCityKey(text))
    return
  }
}

/** Whether a part of a place is the last one, and the only one. */
type PartPlace = Readonly<{ isLast: boolean; isAlone: boolean }>

/** The meanings of a name next to a word for a place: "TP. HN" is no code of a country, and "Suffolk County" not that of England. */
function toTitled(one: Reading, part: string): Reading[] {
  const isOpen = (code: string) => !/\s(?:County|Region)$/i.test(part) || !/^(?:GB|IE|JM)-/.test(code)
  const [countries, regions] = [one.kind === 'code' ? [] : one.countries, one.regions.filter(isOpen)]
  return countries.length + regions.length === 0 ? [] : [{ ...one, countries, regions }]
}

/** Next to words that only Vietnamese has, "HN" and "HP" are Hà Nội and Hải Phòng. */
function toVietnamese(one: Reading): Reading {
  const regions = one.regions.filter((code) => code.startsWith('VN-'))
  return one.kind === 'code' && regions.length > 0 ? { ...one, countries: [], regions } : one
}

/** Words at the end of towns that are countries in other languages: "Long Island". */
const wordsOfTowns = new Set(['island', 'union', 'kina', 'palau'])
const ofUsualCode = /^(?:AU|BR|CA|CH|DE|IT|US)-/
/** Parts of towns and roads too: "Ring Road Central". */
const direction = new RegExp(`^(?:${placeNames.directions})$`)

/** Whether the end of a part may be a country or a region: "Austin TX", "Lima Peru". Codes are in capitals, and many words of towns are codes: "Gia Lâm", "Thủ Đức", "BA VI". */
function isEnd(head: string, text: string, { key, kind, countries, regions }: Reading): boolean {
  if (hasTones(`${head} ${text}`)) return [...countries, ...regions].some((code) => code.startsWith('VN'))
  if (direction.test(key)) return false
  const isUsual = regions.some((code) => ofUsualCode.test(code))
  if (key.length > codeCharsMax) return countries.length > 0 || isUsual || key.length > 5 || isLargeCity(head)
  if (/\p{M}/u.test(text.normalize('NFD')) || head.length < 3) return false
  if (isLargeCity(head) && (isUsual || countries.length > 0)) return isUsual || !/\p{Ll}/u.test(text)
  if (/\p{Ll}/u.test(head) && /\p{Lu}/u.test(head)) return !/\p{Ll}/u.test(text)
  return kind === 'code' && (isUsual || (key.length < 3 && countries.length > 0) || key === 'usa')
}

/** Reads a whole text as a country or region; `null` if it is neither. A number is a code only at the end. */
function readName(text: string, { isLast, isAlone }: PartPlace): Reading | null {
  const key = unifyLetters(text) ?? foldText(text)
  const code = text.toUpperCase()
  if (isSubdivision(code))
    return { key, kind: 'name', countries: [code.slice(0, 2)], regions: [code].filter(isDistinctRegion) }
  const isNumber = /^\d+$/.test(key)
  if (isNumber && !(isAlone || (isLast && key.length === codeCharsMax))) return null
  // "Hà Tây" is no "Hatay", and "York Region" not that of England.
  const isSplit = /^\p{L}{1,4}(?: \p{L}{1,4})+$/u.test(text)
  const isOwn = (code: string) =>
    isSplit ? / .*,/.test(formatJurisdiction(code)) : !(/\sRegion$/i.test(text) && code.startsWith('GB-'))
  const found = findRegionCodes(text).filter(isOwn)
  if (isNumber && found.length > 0) return null
  const regions = found.filter(isDistinctRegion)
  if (isCutWord(text)) {
    const own = found.filter((region) => /^\p{Lu}/u.test(text) && /^(?:US|CA|AU)-/.test(region))
    return own.length === 0 ? null : { key, kind: 'code', countries: [], regions: own }
  }
  const find = isLast || isAlone || key.length <= codeCharsMax ? findCountryCodes : findExactCodes
  const countries = find(text)
  if (countries.length === 0 && found.length === 0) return null
  const isCode = /^[A-Za-z.\s]+$/.test(text) && key.length <= codeCharsMax
  return { key, kind: isCode ? 'code' : 'name', countries, regions }
}

/** Lists the towns that a part of a place may mean, in addition to its own text: "Praha-Hostivař" is in Praha, "Kolín IV" in Kolín. */
function listTownsIn(part: string): string[] {
  if (isLargeCity(part)) return []
  const plain = part.replace(inFront, '')
  const bare = plain.replace(/\s+[IVX]{1,5}(?:\s*[-–].*)?$/u, '')
  const [front = ''] = /^\p{Lu}[\p{L}\p{M} ]{3,}?(?=\s?\d*[-–]\p{Lu})/u.exec(plain) ?? []
  const behind = plain.replace(area, '')
  const [head, town] = [front, behind].map((one) => (isLargeCity(one) ? one : ''))
  return [...new Set([plain, bare, head ?? '', town ?? ''])]
    .filter((one) => one !== part && one !== '')
    .map(toCityKey)
}

/** Codes of countries that are written with points; other letters with a point, a slash or a hyphen are words cut short. */
const pointedCodes = /^(?:u\W*s(?:\W*a)?|u\W*k|u\W*a\W*e|e\W*u|g\W*b|n\W*z|r\W*o\W*c|p\W*r\W*c)\W*$/i

/** Whether letters are short for words, and no code of a country: "n. L.", "F-M", "Kr.". */
const isCutWord = (text: string): boolean =>
  (/[/-]/.test(text) || /\p{Ll}.*\.|^\p{L}\.$/u.test(text)) &&
  !pointedCodes.test(text) &&
  text.replace(/\P{L}/gu, '').length <= cutLettersMax

const countriesOfTowns = new Set(placeNames.regions_of_towns.split(' '))
/** Regions of these countries that have other names, or contain regions: Navarra, Toscana. */
const withoutTowns = new Set([
  ...placeNames.regions_without_towns.split(' '),
  ...iso31662.map(({ parent }) => parent),
])
/** Whether regions are districts and provinces that have the names of their towns: Kolín, Braga, Mombasa. */
const areOfTowns = (regions: readonly string[]): boolean =>
  regions.some((region) => countriesOfTowns.has(region.slice(0, 2)) && !withoutTowns.has(region))

/** Lists the countries behind a town, which are not their capitals of that name: "Mazatenango, Guatemala". A city state is. */
function listBehindTowns(
  parts: readonly string[],
  countries: readonly { readonly key: string; readonly countries: readonly string[] }[],
): string[] {
  const keys = parts.map((part) => foldText(part))
  const isTown = (part: string) =>
    /\p{L}{3}/u.test(part) && !/\d/.test(part) && readKind(part)?.kind !== 'district'
  return countries.flatMap(({ key, countries: codes }) => {
    const at = keys.lastIndexOf(key)
    const isBehind = parts.some(
      (part, index) => index < at && !` ${keys[index] ?? ''} `.includes(` ${key} `) && isTown(part),
    )
    return isBehind && !codes.some((code) => placeNames.cityStates.split(' ').includes(code)) ? [key] : []
  })
}

/** The country of a company, or else the countries that have a place of the name that is stated. */
interface CompanyCountry {
  readonly country: string | null
  readonly possible: readonly string[]
}

/** Cells of the place of a company, and what their headers say of them. */
interface CompanyPlace {
  readonly cells: readonly (string | null)[]
  readonly parts?: readonly (string | null)[]
  readonly name: string | null
}

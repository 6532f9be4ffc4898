import { iso31662 } from 'iso-3166'
import { divideDescendingLine, unifyLetters } from './own-letters.js'
import { splitLine, splitTownCode } from './unspaced-names.js'
import { foldText } from './normalize-name.js'
import { readKind, streetLike, takePostcode, townsLikeStreets, type PlaceKind } from './streets.js'
import { findCountryCode, findCountryName } from '../../core/countries.js'
import placeNames from '../reference/place-names.json' with { type: 'json' }

/** Folds a name to Latin letters and digits, without spaces. */
export const toPlaceKey = (text: string): string => foldText(text).replaceAll(' ', '')
/** Letters of other scripts stay: folded, different names become the same. */
export const toNameKey = (text: string): string => unifyLetters(text) ?? toPlaceKey(text)
/** Names without vowels have no other key. */
const listNameKeys = (name: string): string[] =>
  /[\u0590-\u06ff]/.test(name) ? [toNameKey(name)] : [toNameKey(name), toPlaceKey(name)]

/** Writes words of towns out: "Ft. Worth", "St Louis", "Sankt Gallen". */
const writeOut = (town: string): string =>
  town.replace(shortTown, (word) => `${townWords.get(foldText(word)) ?? word} `)
const townWords = new Map(Object.entries(placeNames.town_words))
const shortWords = [...townWords.keys()].join('|').replaceAll(' ', String.raw`\.?-`)
const shortTown = new RegExp(String.raw`(?<!\p{L})(?:${shortWords})(?:[.\s-]+(?=\p{L})|\.?$)`, 'giu')

/** Keys of cities with several names, in several languages; the first name is used in comparisons. */
const cityKeys = new Map<string, string>()
for (const names of placeNames.cities.map((group) => group.split(' '))) {
  const first = toPlaceKey(names[0] ?? '')
  for (const key of [...names, ...names.map(writeOut)].flatMap(listNameKeys)) cityKeys.set(key, first)
}
/** Facts of ISO 3166-2 by code. */
const subdivisions = new Map(iso31662.map((one) => [one.code, one]))

const sameNamed = placeNames.same_named.split(' ')
/** Codes by key of the name and by short code. Built at the first use, because it takes 10 ms. */
let regionCodes: ReadonlyMap<string, readonly string[]> | null = null

/** Names of ISO 3166-2 are those in the country's own language; further names are listed in a file. */
function listRegionCodes(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  const add = (key: string, code: string) => found.set(key, [...new Set(found.get(key)).add(code)])
  const addName = (name: string, code: string, read = readKind(name.replace(/['’]/g, ''))) => {
    for (const key of [name, name.replace(article, '')].map(toNameKey)) add(key, code)
    if (read !== null) add(`${read.kind} ${toNameKey(read.name)}`, code)
    // An adjective is no town: "Полтавська", "Rostovskaya".
    if (read !== null && /sk(?:a|aya|i|iy|y)$/.test(foldText(read.name))) add(toNameKey(read.name), code)
  }
  for (const { code, name } of iso31662.filter((one) => !sameNamed.includes(one.code))) {
    addName(name, code)
    // "Harju maakond" is Harjumaa; longer codes are those of municipalities. "RI" is Indonesia, not its Riau.
    if (/^EE-\d\d$/.test(code)) add(`region ${toNameKey(name.replace(/maa$/, ''))}`, code)
    if (code !== 'ID-RI') add(code.slice(3).toLowerCase(), code)
  }
  for (const [code, names] of Object.entries(placeNames.regions))
    for (const name of names.split('|'))
      addName(name, code, /\p{sc=Cyrl}/u.test(name) ? readKind(name) : null)
  return found
}

/** The article in Arabic names. */
const article = /^(?:al|el|a[dnrstz]|ash|adh)[ -](?=\S{3})/i

/** Returns all ISO 3166-2 codes that a name or short code may mean ("WA": Washington, Western Australia, …). Quezon City is not in Quezon. */
export function findRegionCodes(text: string): readonly string[] {
  const codes = (regionCodes ??= listRegionCodes())
  const find = (name: string, charsMin: number, kind = '') =>
    listNameKeys(name)
      .filter((one) => one.length >= charsMin || !/^[a-z0-9]*$/.test(one))
      .map((one) => codes.get(kind + one))
      .find((found) => found !== undefined)
  // Only Latin letters are short codes.
  const whole = find(text, /[^\p{Script=Latin}\P{L}]/u.test(text) ? codeCharsMax + 1 : 1)
  if (whole !== undefined) return whole
  const read = readKind(text)
  const isCity = cityKeys.has(toNameKey(text)) && !cityKeys.has(toNameKey(read?.name ?? ''))
  const isOfKind = read !== null && !isCity && read.kind !== 'district' && read.kind !== 'village'
  const ofKind = isOfKind ? find(read.name, 1, `${read.kind} `) : undefined
  const isPlain = isOfKind && read.kind !== 'municipality' && !englishRegion.test(text)
  const name = isPlain ? read.name : text
  const bare = name.replace(article, '')
  return (
    ofKind ??
    (isPlain ? find(name, codeCharsMax + 1) : undefined) ??
    (bare === name ? [] : (find(bare, codeCharsMax + 1) ?? []))
  )
}

/** Returns the region that contains this one (ISO 3166-2): Lombardia for Milano; `null` for most. */
export const findLargerRegion = (code: string): string | null =>
  /^..-.+/.exec(subdivisions.get(code)?.parent ?? '')?.[0] ?? null
/** True for a code of ISO 3166-2. */
export const isSubdivision = (code: string): boolean => subdivisions.has(code)

/** Returns the name of a jurisdiction for texts: "India (IN)" for `in`, "Nevada, US" for `us_nv`. */
export function formatJurisdiction(jurisdiction: string): string {
  const code = jurisdiction.toUpperCase().replace('_', '-')
  const [region, country] = [subdivisions.get(code)?.name, findCountryName(code)]
  if (region !== undefined) return `${region}, ${code.slice(0, 2)}`
  return country === null ? code : `${country} (${code})`
}

/** Returns the country of a region (ISO 3166-2). */
export const getCountry = (region: string): string => region.slice(0, 2)
/** Countries whose addresses use two-letter region codes: "San Bruno, CA", "Bern, BE". */
const withRegionCodes: ReadonlySet<string> = new Set('AU BR CA CH DE IT US'.split(' '))
export const codeCharsMax = 3

/** Returns the country at the end of a location: "Leeds, GB". `null` if a region elsewhere has its name, or a town and no more is stated: "Atlanta, Georgia", "Lebanon". */
export function findCertainCountry(location: string | null): string | null {
  const last = location?.split(',').at(-1)?.trim() ?? ''
  const country = findCountryCode(last)
  if (country === null || (/^\d+$/.test(last) && last !== location?.trim())) return null
  const others = findRegionCodes(last).filter((code) => getCountry(code) !== country)
  const isOpen = others.some((code) => last.length > codeCharsMax || withRegionCodes.has(getCountry(code)))
  const isTown = last === location?.trim() && listHomonyms(last).length > 0
  return isOpen || isTown ? null : country
}

/** Returns the ISO 3166-2 code of a subdivision if it is unique in the country, otherwise `null`. "Dhaka" is the division; "Washington County" is in many states. */
export function findRegionCode(countryCode: string | null, text: string): string | null {
  if (countryCode === null) return null
  const name = text.replace(/^[A-Za-z]{2}-/, '')
  const find = (one: string) => findRegionCodes(one).filter((code) => code.startsWith(`${countryCode}-`))
  const words = countryCode === 'US' ? / state$/i : regionWords
  const codes = [name, name.replace(words, '')].map(find).find(({ length }) => length > 0) ?? []
  const largest = codes.filter((code) => !codes.includes(findLargerRegion(code) ?? ''))
  return largest.length === 1 ? (largest[0] ?? null) : null
}

/** Words next to the name of a region in a known country: "Osaka Prefecture", "Республика Коми". */
const regionWords = new RegExp(placeNames.region_words, 'iu')

/** Removes the words for a town or a region: the town of "Tartu linn" is Tartu. */
function toTownName(text: string): string {
  const read = readKind(text)
  const isTown = read !== null && (read.kind !== 'district' || read.isApart) && !englishRegion.test(text)
  return isTown ? toTownName(read.name) : text
}

/** "Kent County" is in the United States, and Kent is not. */
const englishRegion = / (?:county|province)$/i

/** "Riga 1010", "Praha 10"; "Ansan-si" of Korea. */
const townEnd = /(?:\s+|[-–—](?=\p{Nd}{4}))\p{Nd}+$|(?<=^\p{L}{2,})-(?:si|shi)$/iu
/** Returns the key of a city: folded in its script, without spaces and words of its kind, exonyms unified. */
export function toCityKey(city: string): string {
  const key = toNameKey(writeOut(toTownName(city).replace(townEnd, '')))
  return cityKeys.get(toNameKey(city)) ?? cityKeys.get(key) ?? key
}

/** "Cabanatuan City" is also written "Cabanatuan". Names of elsewhere, and codes, count next to their country: "Bergen, BE" is Mons, "JB, MY" Johor Bahru. */
export function listCityKeys(
  { cities, readings }: { cities: ReadonlySet<string>; readings: readonly { key: string; kind: string }[] },
  countries: ReadonlySet<string>,
): Set<string> {
  const long = [...cities].filter((key) => key.length >= 5)
  const others = long.map((key) => (key.endsWith('city') ? key.slice(0, -4) : `${key}city`))
  const all = [...cities, ...readings.flatMap(({ kind, key }) => (kind === 'code' ? [key] : []))]
  const local = [...countries].flatMap((code) => all.flatMap((key) => localKeys.get(`${code} ${key}`) ?? []))
  return new Set([...cities, ...others, ...local])
}
/** The last group of a country that has a name counts for it: a territory has several towns. */
const localKeys = new Map<string, readonly string[]>()
for (const [country, groups] of Object.entries(placeNames.local_cities))
  for (const keys of groups.split('|').map((group) => group.split(' ').map(toNameKey)))
    for (const key of keys) localKeys.set(`${country} ${key}`, keys)
/** Whether a name is that of a large city, which may also be that of a region. */
export const isLargeCity = (name: string): boolean =>
  [name, toTownName(name)].some((one) => cityKeys.has(toNameKey(one)))

/** Countries by key of a town, if a place elsewhere has its name: `Cuenca`, `Lebanon`. */
const homonyms = new Map<string, readonly string[]>()
for (const [country, names] of Object.entries(placeNames.homonyms))
  for (const key of names.split('|').map(toPlaceKey))
    homonyms.set(key, [...(homonyms.get(key) ?? []), country])

/** Returns countries that have a town of the name, apart from regions and countries of this name; none for most names. */
export const listHomonyms = (name: string): readonly string[] => homonyms.get(toPlaceKey(name)) ?? []
export const toPostalKey = (postalCode: string): string => toPlaceKey(postalCode)

/** Parts of an address; `street` includes localities, `region` may be a county. */
interface AddressParts {
  readonly street: string | null
  readonly city: string | null
  readonly region: string | null
  readonly postalCode: string | null
}
type TownParts = Omit<AddressParts, 'postalCode'>

const lineCharsMax = 1_000
const countries = new Set(placeNames.british_nations.split('|'))
/** Counties, unitary authorities that are no town, and regions, including historic and abbreviated names, folded. */
const counties = new Set(
  placeNames.british_counties
    .flatMap((line) => line.split('|'))
    .flatMap((county) => [county, county.replace(' and ', ' ')]),
)

/** True for a British county or region. */
export const isBritishCounty = (text: string): boolean => counties.has(foldText(text))

/**
 * Splits "2 Guy Close, Stapleford, Nottingham, England, NG9 7GZ" from the end: postcode, country, county, town,
 * street. Drops only the country and repeated parts. `null` for a single part and for other countries.
 */
export function readBritishLine(line: string): AddressParts | null {
  const parts = splitLine(line.slice(0, lineCharsMax))
  const postalCode = takePostcode(parts)
  while (parts.length > 1 && countries.has(foldText(parts.at(-1) ?? ''))) parts.pop()
  const late = postalCode ?? takePostcode(parts)
  if (![null, 'GB'].includes(findCountryCode(parts.at(-1) ?? ''))) return null
  const region = takeCounties(parts)
  const last = parts.at(-1)
  if (last === undefined && late !== null) return { street: null, city: null, region, postalCode: late }
  if (last === undefined || (parts.length === 1 && region === null && late === null)) return null
  const isTown = townsLikeStreets.has(foldText(last)) || !streetLike.test(last)
  const city = !isTown ? null : (parts.pop() ?? null)
  return { street: parts.length === 0 ? null : parts.join(', '), city, region, postalCode: late }
}

/**
 * Splits a line of another country: "Shop 4, Ghodbunder Road, Thane, Maharashtra, India, 400601", "大阪府大阪市北区1-1". `null` without a
 * country, region, postal code or large city behind a town, unless words say which part is the town, or it comes first.
 */
export function readForeignLine(line: string, countryCode: string): AddressParts | null {
  const descending = divideDescendingLine(line.slice(0, lineCharsMax), countryCode)
  if (descending !== undefined) {
    const { metro = null, region = metro, town = metro, street, code, end = code } = descending
    return { street: street || null, city: town, region, postalCode: end ?? null }
  }
  const [front = '', ...others] = splitLine(line.slice(0, lineCharsMax))
  const isFront = others.length > 1 && findCountryCode(front) === countryCode
  const parts = splitCodeBehind(isFront ? others : [front, ...others], countryCode)
  let [postalCode, region]: [string | null, string | null] = [null, null]
  const count = parts.length
  let whole = [...parts]
  for (let last = parts.at(-1) ?? ''; parts.length > 2; last = parts.at(-1) ?? '') {
    if (postalCode === null && wholeCode.test(last)) postalCode = last
    else if (isMainTown(parts, countryCode)) break
    else if (findRegionCode(countryCode, last) !== null) region ??= last
    else if (!isCountry(last, countryCode)) break
    parts.pop()
  }
  // "AZ1025, Bakı şəhəri", "101000, г. Москва", "1051 Budapest"
  const start = splitTownCode(whole[0] ?? '', false)
  if (townFirst.has(countryCode) && start.code !== null) whole.splice(0, 1, start.code, start.town)
  if (postalCode === null && wholeCode.test(whole[0] ?? '')) postalCode = whole[0] ?? null
  whole = whole.filter((part) => part !== postalCode)
  const isWorded = townFirst.has(countryCode) || whole.some((part) => readKind(part) !== null)
  const named = isWorded ? readTownParts(whole, countryCode) : null
  if (named !== null) return { ...named, postalCode }
  const { town: city, code } = splitTownCode(parts.pop() ?? '', false)
  const isBoxed = placeNames.boxes.includes(countryCode) && /(?:box|l\.?p\.?) \d+$/i.test(parts.at(-1) ?? '')
  const isEnd = count > parts.length + 1 || code !== null || isLargeCity(city) || isBoxed
  const isTown = city !== '' && !streetLike.test(city) && isEnd && parts.length > 0
  return isTown ? { street: parts.join(', '), city, region, postalCode: code ?? postalCode } : null
}

/** Separates the code behind the last part that is no region or country: "Dhaka-1100, Bangladesh". */
export function splitCodeBehind(parts: readonly string[], countryCode: string): string[] {
  const isLarger = (part: string) =>
    findRegionCode(countryCode, part) !== null || isCountry(part, countryCode)
  const at = codesBehind.has(countryCode) ? parts.findLastIndex((part) => !isLarger(part)) : -1
  const { town, code } = splitTownCode(parts[at] ?? '', true)
  return code === null ? [...parts] : [...parts.slice(0, at), town, code, ...parts.slice(at + 1)]
}
const codesBehind = new Set(placeNames.codes_behind.split(' '))
/** The numbers of ISO 3166 are those of houses here. */
const isCountry = (part: string, code: string) => /\D/.test(part) && findCountryCode(part) === code

/** "Nawabpur, Dhaka": of a part of a town and its region, the region has the name of the town. */
const isMainTown = (parts: readonly string[], countryCode: string): boolean =>
  codesBehind.has(countryCode) && isLargeCity(parts.at(-1) ?? '') && !isLargeCity(parts.at(-2) ?? '')

const wholeCode = /^(?:[A-Z]{1,2}-?)?(?:\d{4,6}|\d{3} \d{3}|(?<=[A-Z]{2})\d{3})(?:-\d{3,4})?$/

/** Countries whose registers write the town before the street. */
const townFirst = new Set('AM AZ BG BY EE GE HU KG KZ LT LV MD RU TJ TM UA UZ'.split(' '))

/**
 * Finds the town among parts with words of their kinds, in any order: "Kesklinna linnaosa, Tallinn, Harju maakond". A part without
 * such a word is a town next to others, then a village or a municipality is. `street` has all other parts. `null` if none is sure.
 */
function readTownParts(parts: readonly string[], countryCode: string | null): TownParts | null {
  const known = parts
    .filter((part) => countryCode === null || !isCountry(part, countryCode))
    .map((part) => ({ part, kind: classifyPart(part) }))
  const find = (kind: string) => known.filter((one) => one.kind === kind)
  const plain = find('plain')
  const isStart = known[0] === plain[0] && find('street').length > 0
  const isFirst = townFirst.has(countryCode ?? '') && isStart && !parts.slice(1).some(hasCode)
  // "Bakı şəhəri, Xətai rayonu": a part of the town.
  const ahead = known.filter((_, at) => known.slice(0, at).every(({ kind }) => kind !== 'town'))
  const isNamed = ({ part }: { part: string }) => findRegionCode(countryCode, part) !== null
  let region = find('region').find(isNamed) ?? ahead.find(({ kind }) => kind === 'region')
  const end = plain.at(-1)
  // "Toronto, Ontario"; "Desa Larkmoor, Kab. Norvane, Jawa Barat"
  const isAll = plain.length > 1 && plain.length === known.length && (end?.part.length ?? 0) > codeCharsMax
  const isByDistrict = districtTowns.has(countryCode ?? '')
  const isLarger = isAll || (isByDistrict && end === known.at(-1) && !isLargeCity(end?.part ?? ''))
  if (isLarger && findRegionCode(countryCode, end?.part ?? '') !== null) region = plain.pop()
  const isRead = isFirst || region !== undefined || known.some(({ kind }) => kind in placeNames.kinds)
  const isDescending = isFirst || (region !== undefined && known.indexOf(region) === 0)
  // "Tòa nhà Norvane, Phường Larkmoor, Tỉnh Phú Thọ": what is before a district there is a building.
  const from = known.findLastIndex(({ kind }) => isByDistrict && region && kind === 'district')
  const larger = plain.filter((one) => known.indexOf(one) > from).at(isDescending ? 0 : -1)
  const [named] = [...(from < 0 ? find('village') : []), ...find('municipality')]
  const town = find('town')[0] ?? larger ?? named ?? known[from]
  if (town === undefined || !(isRead || (plain.length === known.length && known.length < parts.length)))
    return null
  const others = known.filter((one) => one !== town && one !== region).map(({ part }) => part)
  // A word apart is removed, as in "г. Баку". What is part of the name stays: "四日市市", "Ciudad Real".
  const titled = /^(?:town|village)$/.test(town.kind) ? readKind(town.part) : null
  const city = titled?.isApart === true ? titled.name : town.part
  return { street: others.join(', ') || null, city, region: region?.part ?? null }
}

const hasCode = (part: string): boolean => splitTownCode(part, false).code !== null
/** Countries where a district, or else a ward, is the town of a place without one. */
const districtTowns = new Set(placeNames.district_towns.split(' '))

function classifyPart(part: string): PlaceKind | 'street' | 'plain' {
  const kind = readKind(part)?.kind
  const isStreet = kind === undefined ? streetLike.test(part) : /\d/.test(part) && kind !== 'district'
  return isStreet || /["“”„«»]/.test(part) ? 'street' : (kind ?? 'plain')
}

/** Reads a field with town and region, and maybe parts of a town: "Tartu linn, Tartu maakond". `street` has its other parts. */
export function readTown(city: string, countryCode: string | null): AddressParts {
  const { town, code } = splitTownCode(city.slice(0, lineCharsMax).replace(/\s+/g, ' '), true)
  const read = countryCode === 'GB' ? null : readTownParts(splitLine(town), countryCode)
  return { ...(read ?? { street: null, city: code === null ? city : town, region: null }), postalCode: code }
}

/** Removes the counties at the end and returns them; "Dartford Kent" is a town and a county. */
function takeCounties(parts: string[]): string | null {
  const found: string[] = []
  while (counties.has(foldText(parts.at(-1) ?? ''))) found.unshift(parts.pop() ?? '')
  const words = (parts.at(-1) ?? '').split(' ')
  const at = words.findIndex((_, index) => counties.has(foldText(words.slice(index).join(' '))))
  const hasTown =
    at > 0 && !streetLike.test(parts.at(-1) ?? '') && !direction.test(words.slice(0, at).join(' '))
  if (found.length === 0 && hasTown) {
    found.push(words.slice(at).join(' '))
    parts[parts.length - 1] = words.slice(0, at).join(' ')
  }
  return found.length === 0 ? null : found.join(', ')
}
/** "Mid Devon" and "City of Kent" are no towns. */
const direction =
  /^(?:north|south|east|west|[nsew]{1,2}\.?|mid|central|upper|lower|new|old|royal|nr|near|co|county|greater|city of)(?: |$)/i

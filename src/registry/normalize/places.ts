import { iso31662 } from 'iso-3166'
import { foldText } from './normalize-name.js'
import { findCountryCode, findCountryName } from '../../core/countries.js'
import placeNames from '../reference/place-names.json' with { type: 'json' }

/** Keys of cities with several names, in several languages; the first name is used in comparisons. */
const cityKeys = new Map<string, string>()
for (const group of placeNames.cities) {
  const names = group.split(' ').map(toPlaceKey)
  for (const name of names) cityKeys.set(name, names[0] ?? name)
}

/** The larger region of a region. */
const largerRegions = new Map<string, string>()
const subdivisions = new Map<string, string>()
for (const { code, name, parent } of iso31662) {
  subdivisions.set(code, name)
  if (parent.includes('-')) largerRegions.set(code, parent)
}

/** Codes by key of the name and by short code. Built at the first use, because it takes 10 ms. */
let regionCodes: ReadonlyMap<string, readonly string[]> | null = null

/** Names of ISO 3166-2 are those in the country's own language; further names are listed in a file. */
function listRegionCodes(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  const add = (key: string, code: string) => {
    const codes = found.get(key)
    if (codes === undefined) found.set(key, [code])
    else if (!codes.includes(code)) codes.push(code)
  }
  for (const { code, name } of iso31662) {
    add(toPlaceKey(name), code)
    add(code.slice(3).toLowerCase(), code)
  }
  for (const [code, names] of Object.entries(placeNames.regions))
    for (const name of names.split('|')) add(toPlaceKey(name), code)
  return found
}

function toPlaceKey(text: string): string {
  return foldText(text).replaceAll(' ', '')
}

/** Returns all ISO 3166-2 codes that a name or short code may mean ("WA": Washington, Western Australia, …). */
export function findRegionCodes(text: string): readonly string[] {
  regionCodes ??= listRegionCodes()
  return regionCodes.get(toPlaceKey(text)) ?? []
}

/** Returns the region that contains this one (ISO 3166-2): Lombardia for Milano; `null` for most. */
export const findLargerRegion = (code: string): string | null => largerRegions.get(code) ?? null

/** True for a code of ISO 3166-2. */
export const isSubdivision = (code: string): boolean => subdivisions.has(code)

/** Returns the name of a jurisdiction for texts: "India (IN)" for `in`, "Nevada, US" for `us_nv`. */
export function formatJurisdiction(jurisdiction: string): string {
  const code = jurisdiction.toUpperCase().replace('_', '-')
  const region = subdivisions.get(code)
  if (region !== undefined) return `${region}, ${code.slice(0, 2)}`
  const country = findCountryName(code)
  return country === null ? code : `${country} (${code})`
}

/** ISO 3166-2 lists the United Kingdom and its countries in addition to their counties. */
export const isPartOfUnitedKingdom = (code: string): boolean => nations.has(code)
const nations = new Set(['UKM', 'GBN', 'EAW', 'ENG', 'SCT', 'WLS', 'NIR'].map((nation) => `GB-${nation}`))

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

/** Returns the ISO 3166-2 code of a subdivision if it is unique in the country, otherwise `null`. */
export function findRegionCode(countryCode: string | null, text: string): string | null {
  if (countryCode === null) return null
  const codes = findRegionCodes(text.replace(/^[A-Za-z]{2}-/, '')).filter((code) =>
    code.startsWith(`${countryCode}-`),
  )
  return codes.length === 1 ? (codes[0] ?? null) : null
}

/** Returns the key of a city: folded, without spaces, exonyms unified. */
export function toCityKey(city: string): string {
  const key = toPlaceKey(city.replace(/\s+\d+$/, ''))
  return cityKeys.get(key) ?? key
}

export function toPostalKey(postalCode: string): string {
  return toPlaceKey(postalCode)
}

/** Parts of an address in the United Kingdom; `street` includes localities. */
interface AddressParts {
  readonly street: string | null
  readonly city: string | null
  /** The county. */
  readonly region: string | null
  readonly postalCode: string | null
}

const lineCharsMax = 1_000

const postcode = /(?:^|\s)([A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2})$/i

const countries = new Set([
  'united kingdom',
  'england and wales',
  'england',
  'scotland',
  'wales',
  'northern ireland',
  'great britain',
  'uk',
  'gb',
])

/** Counties, unitary authorities that are no town, and regions, including historic and abbreviated names, folded. */
const counties = new Set(
  `avon|bedfordshire|beds|berkshire|berks|buckinghamshire|bucks|cambridgeshire|cambs|cheshire|cleveland|cornwall|cumbria
county durham|co durham|derbyshire|devon|dorset|east sussex|east yorkshire|essex|gloucestershire|glos|greater london
greater manchester|hampshire|hants|hereford and worcester|herefordshire|hertfordshire|herts|humberside|isle of wight|kent
lancashire|lancs|leicestershire|leics|lincolnshire|lincs|merseyside|middlesex|middx|norfolk|north humberside
north yorkshire|northamptonshire|northants|northumberland|nottinghamshire|notts|oxfordshire|oxon|rutland|shropshire
somerset|south humberside|south yorkshire|staffordshire|staffs|suffolk|surrey|sussex|teesside|tyne and wear
warwickshire|west midlands|west sussex|west yorkshire|wiltshire|wilts|worcestershire|worcs|yorkshire|east lothian
midlothian|west lothian|lanarkshire|renfrewshire|ayrshire|fife|aberdeenshire|angus|argyll|berwickshire|caithness
dumfriesshire|dunbartonshire|inverness shire|kirkcudbrightshire|morayshire|perthshire|roxburghshire|stirlingshire
clwyd|dyfed|gwent|gwynedd|mid glamorgan|south glamorgan|west glamorgan|powys|pembrokeshire|carmarthenshire|ceredigion
conwy|denbighshire|flintshire|monmouthshire|vale of glamorgan|anglesey|county antrim|county armagh|county down
county fermanagh|county londonderry|county tyrone|co antrim|co armagh|co down|co fermanagh|co londonderry|co tyrone
bath and north east somerset|north somerset|n somerset|south gloucestershire|south glos|north lincolnshire
north east lincolnshire|north lincs|east riding of yorkshire|east riding|telford and wrekin|west berkshire
central bedfordshire|cheshire east|cheshire west and chester|redcar and cleveland|windsor and maidenhead|medway
kirklees|calderdale|sandwell|tameside|trafford|sefton|knowsley|north tyneside|south tyneside|west northamptonshire
north northamptonshire|westmorland and furness|north devon|west midland|n yorkshire|s yorkshire|w yorkshire|yorks
west yorks|north yorks|south yorks|salop|huntingdonshire|cambridgeshire and peterborough|blaenau gwent
neath port talbot|rhondda cynon taff|rhondda cynon taf|rct|torfaen|isle of anglesey|montgomeryshire|cardiganshire
caernarfonshire|breconshire|radnorshire|merionethshire|glamorgan|north wales|south wales|mid wales|west wales|s wales
north lanarkshire|south lanarkshire|north ayrshire|east ayrshire|south ayrshire|east renfrewshire|east dunbartonshire
west dunbartonshire|inverclyde|strathclyde|tayside|grampian|highlands|scottish borders|selkirkshire|peeblesshire
kincardineshire|banffshire|wigtownshire|clackmannanshire|dumfries and galloway|argyll and bute|perth and kinross`
    .split(/[|\n]/)
    .flatMap((county) => [county, county.replace(' and ', ' ')]),
)

/** True for a British county or region. */
export const isBritishCounty = (text: string): boolean => counties.has(foldText(text))

/** Towns whose names end like those of streets, folded. */
const towns = new Set(['street', 'chester le street', 'forest row', 'worcester park'])

/** A street or a building, not a town. */
const streetLike =
  /\d|\b(?:road|rd|street|st|lane|avenue|ave|way|drive|close|court|house|square|place|crescent|terrace|park|estate|floor|building|buildings|wharf|row|gardens|grove|hill road)$/i

/**
 * Splits "2 Guy Close, Stapleford, Nottingham, England, NG9 7GZ" from the end: postcode, country, county, town,
 * street. Drops only the country and repeated parts. `null` for a single part and for other countries.
 */
export function readBritishLine(line: string): AddressParts | null {
  const parts = splitLine(line.slice(0, lineCharsMax))
  const postalCode = takePostcode(parts)
  while (parts.length > 1 && countries.has(foldText(parts.at(-1) ?? ''))) parts.pop()
  const late = postalCode ?? takePostcode(parts)
  if (!isBritish(parts.at(-1))) return null
  const region = takeCounties(parts)
  const last = parts.at(-1)
  if (last === undefined && late !== null) return { street: null, city: null, region, postalCode: late }
  if (last === undefined || (parts.length === 1 && region === null && late === null)) return null
  const isTown = towns.has(foldText(last)) || !streetLike.test(last)
  const city = !isTown ? null : (parts.pop() ?? null)
  return { street: parts.length === 0 ? null : parts.join(', '), city, region, postalCode: late }
}

/**
 * Splits a line of another country from the end: "Shop 4, Ghodbunder Road, Thane, Maharashtra, India, 400601", "Weg 1, 80333
 * München, Germany". `null` for lines without a country, region or postal code at the end, and without a town before it.
 */
export function readForeignLine(line: string, countryCode: string): AddressParts | null {
  const parts = splitLine(line.slice(0, lineCharsMax))
  let [postalCode, region]: [string | null, string | null] = [null, null]
  const count = parts.length
  for (let last = parts.at(-1) ?? ''; parts.length > 2; last = parts.at(-1) ?? '') {
    if (postalCode === null && /^(?:[A-Z]{1,2}-?)?\d{4,6}(?:-\d{3,4})?$/.test(last)) postalCode = last
    else if (findRegionCode(countryCode, last) !== null) region ??= last
    else if (findCountryCode(last) !== countryCode) break
    parts.pop()
  }
  const [, code = postalCode, city = ''] =
    /^(?:([A-Z]{0,2}-?\d{4,6}|\d{2}-\d{3}|\d{3} \d{2}) )?(\D+)$/.exec(parts.pop() ?? '') ?? []
  const isTown = city !== '' && !streetLike.test(city) && (count > parts.length + 1 || code !== null)
  return isTown && parts.length > 0 ? { street: parts.join(', '), city, region, postalCode: code } : null
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

function isBritish(last: string | undefined): boolean {
  const countryCode = last === undefined ? null : findCountryCode(last)
  return countryCode === null || countryCode === 'GB'
}

/** Drops empty and repeated parts, ignoring case. */
function splitLine(line: string): string[] {
  const parts = line.split(',').map((part) => part.trim().replace(/\s+/g, ' '))
  return parts.filter((part, at) => part !== '' && part.toLowerCase() !== parts[at - 1]?.toLowerCase())
}

/** Removes the postcode from the last part and returns it. */
function takePostcode(parts: string[]): string | null {
  const last = parts.at(-1) ?? ''
  const found = postcode.exec(last)
  if (found?.[1] === undefined) return null
  const rest = last.slice(0, found.index).trim()
  if (rest === '') parts.pop()
  else parts[parts.length - 1] = rest
  return found[1].toUpperCase()
}

/** Details in a street line, as spelled there. */
interface StreetParts {
  readonly streetNumber: string | null
  readonly subPremise: string | null
}

const unknownParts: StreetParts = { streetNumber: null, subPremise: null }

const streetCharsMax = 500

/** "Suite 200", "Unit 7", "Flat B", "Floor 8", "#12" */
const named = String.raw`(?:suite|ste|unit|apt|apartment|flat|room|rm|floor|fl|level|bus|bte)\b\.?\s*#?\s*(?:\d[\w-]*|[a-z]\d*)\b|#\s*\d[\w-]*`
const ordinal = String.raw`(?:\d{1,3}(?:st|nd|rd|th)|ground|lower ground|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)`
const floors = String.raw`(?:${ordinal}(?:\s*(?:&|and|-)\s*${ordinal})?\s+(?:floors?|fl)\b\.?)`
const subPremise = `(?:${floors}|${named})`

const leadingSubPremise = new RegExp(`^(${subPremise})(?:\\s+(?![-–&+/])|$)`, 'i')
const trailingSubPremise = new RegExp(`\\s(${subPremise})$`, 'i')

/** The flag `i` makes patterns with `\p{L}` slow: the first use takes 10 ms. */
const anyCase = (words: string): string =>
  words.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
const st = anyCase('st')
const noStreetWords = anyCase('st (?:floors?|fl|street|st|ave|avenue|road|rd)|nd|rd|th|floors?|of|and')

/** "41-51 Freshwater Road", "1a Shepherdess Walk": the number precedes the street. */
const leadingNumber = new RegExp(
  String.raw`^(\d{1,6}[a-zA-Z]?(?:\s?[-–/&]\s?\d{1,6}[a-zA-Z]?)?)\s+(?=.*\p{L}{2})(?!(?:${st}(?! \p{L})|${noStreetWords})\b)`,
  'u',
)
/** "Caffamacherreihe 8", "Banská 1120/4" */
const trailingNumber = /^(?=.*\p{L}{2})[^\d].*?\s(\d{1,5}\s?[a-zA-Z]?(?:\s?[-–/+&]\s?\d{1,5}\s?[a-zA-Z]?)?)$/u
const bareNumber = /^\d{1,5}[a-z]?(?:\s?[-–/]\s?\d{1,5}[a-z]?)?$/i

/** "DK 2880", at the end of a line. */
const postalEnd = / [a-z]{2}[ -]?\d{3,6}$/i

/** Countries that write the number after the street. */
const numberBehind = new Set(
  'AT BE BG BR CH CL CZ DE DK EE ES FI GR HR HU IS IT LI LT LV MX NL NO PL PT RO RS SE SI SK TR'.split(' '),
)

/** Not a street: the number belongs to a box or to someone else. */
const noStreet =
  /\b(?:p\.?\s?o\.?\s+box|post office box|postfach|box|c\/o|building|bldg|km|hwy|highway|route)\b/i

/** Finds number and sub-premise in a street line if they are unambiguous: two possible numbers give none. */
export function parseStreet(street: string | null, countryCode: string | null): StreetParts {
  if (street === null || street.length > streetCharsMax) return unknownParts
  const numbers: string[] = []
  const subPremises: string[] = []
  const parts = street.split(',').map((part) => part.trim())
  for (const [at, part] of parts.entries()) {
    const rest = takeSubPremises(part, subPremises)
    const number = findStreetNumber(rest, { before: parts[at - 1], after: parts[at + 1] }, countryCode)
    if (number !== null) numbers.push(number)
  }
  return {
    streetNumber: numbers.length === 1 ? (numbers[0] ?? null) : null,
    subPremise: subPremises.length === 0 ? null : subPremises.join(', '),
  }
}

function takeSubPremises(part: string, found: string[]): string {
  let rest = part
  const leading = leadingSubPremise.exec(rest)
  if (leading?.[1] !== undefined) {
    found.push(leading[1])
    rest = rest.slice(leading[0].length)
  }
  const trailing = trailingSubPremise.exec(rest)
  if (trailing?.[1] !== undefined) {
    found.push(trailing[1])
    rest = rest.slice(0, trailing.index)
  }
  return rest.trim()
}

function findStreetNumber(
  part: string,
  { before, after }: { before: string | undefined; after: string | undefined },
  countryCode: string | null,
): string | null {
  if (noStreet.test(part)) return null
  const isBehind = countryCode !== null && numberBehind.has(countryCode)
  // "Novo Allé 1 DK 2880" ends with a postal code.
  if (countryCode !== null && postalEnd.test(part))
    part = part.replace(new RegExp(` ${countryCode}[ -]?\\d{3,6}$`, 'i'), '')
  // "5, rue Guillaume Kroll"; "Via Roma, 21"
  if (bareNumber.test(part)) return isStreet(after) || (isBehind && isStreet(before)) ? part : null
  const leading = leadingNumber.exec(part)?.[1]
  if (leading !== undefined) return leading
  return isBehind ? (trailingNumber.exec(part)?.[1] ?? null) : null
}

function isStreet(part: string | undefined): boolean {
  return part !== undefined && /^\p{L}\D*$/u.test(part) && !noStreet.test(part)
}

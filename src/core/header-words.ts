import { foldLetters, rankInHeaders, splitNumber, splitScripts, toHeaderKey, toHeaderKeys } from './text.js'
import { isInflected, listSplits, wordCharsMax } from './word-forms.js'
import { listWithoutNumberWord, numberWords, rememberHeaders, taxHeaders } from './identifiers.js'
// Each list has the best first, separated by bars. `added`: words that version 0.2.0 does not know; lists that it looked up are also read without them.
import headerWords from './headers.json' with { type: 'json' }

const { earlier, added } = headerWords
const { surelyNames, companyNames } = earlier
/** Headers that are accepted whatever their cells contain: names may consist of digits and signs. */
export const surelyNameHeaders: readonly string[] = toHeaderKeys(...surelyNames)

/** Headers of company names, best first. */
export const companyNameHeaders = toHeaderKeys(...surelyNames, ...companyNames, ...earlier.roles)

/** Headers of names; of a person if the table also has a first or last name. */
const plainNameHeaders: readonly string[] = toHeaderKeys(...earlier.plainNames, ...added.plainNames)

const lists = [surelyNames, added.legalNames, companyNames, earlier.roles, added.names]
const nameHeaders = toHeaderKeys(...lists.flat(), ...added.roles)
const plainNames = new Set([...plainNameHeaders, ...toHeaderKeys(added.legalWords)])
/** Words for the company of a row, as its list calls it. */
export const owners: ReadonlySet<string> = new Set(toHeaderKeys(...added.owners))
/** Words that name a company without a word for its name. */
const roles = new Set([...toHeaderKeys(...earlier.roles, ...added.roles), ...owners])
const partyHeaders = toHeaderKeys(...added.parties)
const [parties, allParties] = [new Set(partyHeaders), new Set([...partyHeaders, ...roles])]
const ofParties = new Set([...plainNames, ...toHeaderKeys(added.namesOfParties)])
const personHeaders: readonly string[] = toHeaderKeys(...added.persons, ...earlier.persons)
const thingNames = toHeaderKeys(added.thingNames)
const nameEndings = toHeaderKeys(added.nameEndings)

/**
 * Returns how well a header names company names, best 0; -1 if it does not. `Nazwa dłużnika`: a name with its owner.
 * `Company Name (EN)`: a name in a language, which fits worse than any without. `Nom ou raison sociale`: several words.
 */
export function rankNameHeader(header: string): number {
  const rank = /#\s*$/.test(header) ? -1 : rankInHeaders(header, nameHeaders)
  if (rank >= 0) return rank
  const isNamed = listWithoutOwner(toHeaderKey(header)).some((rest) => plainNames.has(rest))
  if (isNamed || isComposed(toHeaderKey(header), roles)) return nameHeaders.length * 100
  const plain = cutLanguage(header)
  const plainRank = plain === null ? -1 : rankNameHeader(plain)
  return plainRank < 0 ? rankJointNames(header) : nameHeaders.length * 1000 + plainRank
}

/** Whether a key is a word for a name with one for its owner, in any case: `alıcınınadı`, `nazwawykonawcy`, `業者名`. */
function isComposed(key: string, parties: ReadonlySet<string>): boolean {
  const cut = (word: string) =>
    key.startsWith(word) ? key.slice(word.length) : key.endsWith(word) ? key.slice(0, -word.length) : ''
  // English has no cases: "Accountant Name" names no account.
  const isCase = (word: string) => isInflected(cut(word), parties, word === 'name' ? 1 : 4)
  return (
    [...plainNames].some(isCase) ||
    nameEndings.some((word) => key.endsWith(word) && parties.has(key.slice(0, -word.length)))
  )
}

/** All parts must be words for names. Behind a word like "or", others are too: `Titular o razón social`, `거래처(상호)`. */
function rankJointNames(header: string): number {
  const whole = splitJoints(header)
  const parts = whole.length === 1 ? splitJoints(header.replace(/[([（［]/u, '/')) : whole
  if (parts.length < 2) return -1
  const named = parts.filter((part) => rankNameHeader(part) >= 0)
  const isNamed = named.some((part) => !roles.has(toHeaderKey(part)))
  const isSure = isNamed && wordJoint.test(header) && !/[\s_](?:in|a)[\s_]/i.test(header)
  const isOfNames = (part: string) => isPersonHeader(part) || nameRanks.some((rank) => rank(part) >= 0)
  const isFitting = (part: string) => isOfNames(part) || (isSure && !isKnownHeader(part))
  if (named.length > 0 && parts.every(isFitting))
    return nameHeaders.length * 10_000 + Math.min(...named.map(rankNameHeader))
  // `Name & Address of the Client`: a name comes first, and worse than without the address.
  const [first = '', ...others] = parts
  const areAddresses = others.every((part) => parsePlaceHeader(part)?.part === 'address')
  return isOfNames(first) && !isPersonHeader(first) && areAddresses ? nameHeaders.length * 100_000 : -1
}

const isParty = (word: string) => allParties.has(word.replace(/s$/, '')) || allParties.has(word)

/** Returns how well a header names a party of a deal, best 0; -1 if it does not: `Buyer`, `Name of the Exporter`. */
export function rankPartyHeader(header: string): number {
  const rests = listSplits(toHeaderKey(header), isParty).flatMap((split) => split.rests)
  const isNamed = rests.some((rest) => ofParties.has(rest)) || isComposed(toHeaderKey(header), parties)
  const rank = isNamed ? 0 : rankInHeaders(header, partyHeaders)
  const plain = rank < 0 ? cutLanguage(header) : null
  return plain === null ? rank : rankPartyHeader(plain)
}

/** Returns how well a header names names, of a company or a person, best 0; -1 if it does not: `Naziv ali ime`. */
export function rankPlainName(header: string): number {
  const rank = rankInHeaders(header, plainNameHeaders)
  if (rank >= 0) return rank
  const ranks = splitJoints(header).map((part) => rankInHeaders(part, plainNameHeaders))
  return ranks.length < 2 || ranks.includes(-1) ? -1 : plainNameHeaders.length * 100 + Math.min(...ranks)
}

export const nameRanks = [rankNameHeader, rankPlainName, rankPartyHeader]

/** Returns how well a header names names that no person has, best 0; -1 if it does not: `Nazwa`, `Наименование`. */
export const rankThingName = (header: string): number => rankInHeaders(header, thingNames)

/** Whether a header names a part of a person's name, also in several words: `Nombres y apellidos`. */
export function isPersonHeader(header: string): boolean {
  const isPersons = (part: string) => rankInHeaders(part, personHeaders) >= 0
  const isName = (part: string) => isPersons(part) || rankInHeaders(part, plainNameHeaders) >= 0
  const parts = splitJoints(header)
  return isPersons(header) || (parts.length > 1 && parts.every(isName) && parts.some(isPersons))
}

const jointWord = String.raw`[\s_](?:${headerWords.joints.words})(?:\s*/\s*(?:${headerWords.joints.words}))?[\s_]`
const wordJoint = new RegExp(jointWord, 'iu')
const joints = new RegExp(`${jointWord}|[/|,;&+–—-]|${headerWords.joints.signs}`, 'iu')

/** Splits a header of up to five parts: `Prov/State`, `Nom ou raison sociale`. */
const splitJoints = (header: string): string[] =>
  header
    .slice(0, 200)
    .split(joints)
    .filter((text) => /\p{L}/u.test(text))
    .slice(0, 5)

const languages = new Set(toHeaderKeys(...added.languages))
const notes = new Set(toHeaderKeys(added.notes))
const articles = new RegExp(headerWords.articles, 'iu')

/** Returns a header without the language or a note at its end, the article in front, or its half in another script: `City` for `City (EN)`, `The city`, `ከተማ / City`; `null` without one. */
function cutLanguage(header: string): string | null {
  const [note = '', noted = ''] = /\s*[([（［]([^()（）[\]［］]*)[)\]）］]\s*$/u.exec(header) ?? []
  const parts = splitJoints(noted).map(toHeaderKey)
  // The parts of an address: `(ulica, br., mjesto)`.
  const isPart = (key: string) => numberWords.has(key) || parsePlaceKey(key, false) !== null
  if (notes.has(toHeaderKey(noted)) || (parts.length > 1 && parts.every(isPart)))
    return header.slice(0, -note.length)
  const [end, text = ''] =
    /[\p{P}\p{S}\s]+([\p{L}\p{M}]+)[\p{P}\s]*$/u.exec(header.slice(-wordCharsMax)) ?? []
  if (end !== undefined && languages.has(toHeaderKey(text))) return header.slice(0, -end.length)
  if (articles.test(header)) return header.replace(articles, '')
  return splitScripts(header).find((half) => isListedHeader(half) && !roles.has(toHeaderKey(half))) ?? null
}

/** Lists a key without the word for an owner at its start or end: `website` for `supplierwebsite`. */
export const listWithoutOwner = (key: string): string[] =>
  listSplits(key, (word) => owners.has(word)).flatMap(({ rests }) => rests)

/** A part of a company's place. `address` is a street, or the whole address on one line. */
export type PlacePart = 'city' | 'region' | 'postal' | 'country' | 'address'

/** Kinds of addresses, in order of preference. */
export const placeSets = ['registered', 'headquarters', 'plain', 'billing', 'mailing', 'shipping'] as const
export type PlaceSet = (typeof placeSets)[number]

export const earlierWholePlaces = toHeaderKeys(...earlier.whole)
/** Headers of a whole place in one column. */
export const wholePlaceHeaders: readonly string[] = [...earlierWholePlaces, ...toHeaderKeys(...added.whole)]

/** Words by key; `isAdded`: version 0.2.0 does not know them. */
type Words<Value> = Map<string, { readonly value: Value; readonly isAdded: boolean }>

function addWords<Value>(words: Words<Value>, value: Value, lists: readonly string[], isAdded = false): void {
  for (const key of toHeaderKeys(...lists)) if (!words.has(key)) words.set(key, { value, isAdded })
}

/** The part that a column with several has, in the order of preference. */
const jointParts: readonly PlacePart[] = ['address', 'city', 'region', 'country', 'postal']
/** Short forms whose signs distinguish them: `DC` is another word than `Đ/c`. */
const placeSigns = new Map(Object.entries(headerWords.placeSigns)) as ReadonlyMap<string, PlacePart>
const parts: Words<PlacePart> = new Map()
const qualifiers: Words<PlaceSet> = new Map()
for (const [part, lists] of Object.entries(earlier.parts)) addWords(parts, part as PlacePart, lists)
// Headers of the lines of an address have the number of the line behind them.
for (const key of toHeaderKeys(...earlier.lines))
  for (const line of '123456') addWords(parts, 'address', [key + line])
for (const [set, lists] of Object.entries(earlier.sets)) addWords(qualifiers, set as PlaceSet, lists)
for (const [part, lists] of Object.entries(added.places)) addWords(parts, part as PlacePart, lists, true)
for (const [set, lists] of Object.entries(added.sets)) addWords(qualifiers, set as PlaceSet, lists, true)
addWords(qualifiers, 'plain', added.owners, true)
// Other parties have places, too: they come after all places of the company.
addWords(qualifiers, 'shipping', added.parties, true)

/** A part and kind of place, with the number at the end of its header; 0 without one. */
export interface PlaceHeader {
  readonly part: PlacePart
  readonly set: PlaceSet
  readonly number: number
}

type Place = Omit<PlaceHeader, 'number'>

/** Returns the place that a header names; null if none. The whole header must match. `isEarlier`: with the words of 0.2.0. */
export function parsePlaceHeader(header: string, isEarlier = false): PlaceHeader | null {
  const sign = isEarlier ? undefined : placeSigns.get(header.trim().toLowerCase())
  if (sign !== undefined) return { part: sign, set: 'plain', number: 0 }
  const key = toHeaderKey(header).replace(/^organi[sz]ation(?=.*ofaddress$)|ofaddress$/g, '')
  const whole = parsePlaceKey(key, isEarlier) ?? (isEarlier ? null : parseNamedPlace(key))
  const { base, number } = splitNumber(whole === null ? key : '')
  const readAdded = () => parseJointHeader(header) ?? parsePostalNumber(header) ?? parseJoinedParts(header)
  const place = whole ?? parsePlaceKey(base, isEarlier) ?? (isEarlier ? null : readAdded())
  const plain = place === null && !isEarlier ? cutLanguage(header) : null
  return plain === null ? place && { ...place, number } : parsePlaceHeader(plain)
}

function parsePlaceKey(key: string, isEarlier: boolean): Place | null {
  const find = <Value>(words: Words<Value>, text: string): Value | undefined => {
    const found = words.get(text)
    return isEarlier && found?.isAdded === true ? undefined : found?.value
  }
  const plain = find(parts, key)
  if (plain !== undefined) return { part: plain, set: key.startsWith('registered') ? 'registered' : 'plain' }
  for (const { word, rests } of listSplits(key, (text) => find(qualifiers, text) !== undefined)) {
    const known = isEarlier ? rests.slice(0, 2) : rests
    // Two letters after another word have another meaning: `Ship by`.
    const part = known.filter((rest) => !/^[a-z]{1,2}$/.test(rest)).map((rest) => find(parts, rest))
    const set = find(qualifiers, word)
    const [first] = part.filter((one) => one !== undefined)
    if (first !== undefined && set !== undefined) return { part: first, set }
  }
  return null
}

/** Reads the name of a part in East Asia: `市区町村名`. */
function parseNamedPlace(key: string): Place | null {
  const ending = nameEndings.find((word) => key.length > word.length && key.endsWith(word))
  return ending === undefined ? null : parsePlaceKey(key.slice(0, -ending.length), false)
}

/** Reads a header of several parts: `Prov/State`, `PLZ, Ort`. All must be parts of a place. */
function parseJointHeader(header: string): Place | null {
  const parts = splitJoints(header.replace(/(?<=\S)-(?=\S)/g, '')).map(
    (text) => parsePlaceKey(toHeaderKey(text), false) ?? parsePostalNumber(text) ?? parseJoinedParts(text),
  )
  return parts.length > 1 ? choosePart(parts) : null
}

/** Returns the part that the column has; `null` if one of the parts is no part of a place. */
function choosePart(places: readonly (Place | null)[]): Place | null {
  const [first] = places
  const part = jointParts.find((one) => places.some((place) => place?.part === one))
  return !first || !part || places.includes(null) ? null : { ...first, part }
}

/** Reads parts without a sign between them, one of which is a postal code: `C.P. Localité`, `PLZ Ort Land`, `郵便番号住所`. */
function parseJoinedParts(header: string): Place | null {
  const spaced = header.slice(0, 100).replace(/\p{sc=Han}/gu, '$& ')
  const split = (rest: readonly string[], count: number): Place[] | null => {
    if (rest.length === 0) return []
    for (let length = 1; length <= rest.length && count > 0; length++) {
      const found = parts.get(rest.slice(0, length).join(''))
      const others = found === undefined ? null : split(rest.slice(length), count - 1)
      if (found !== undefined && others !== null) return [{ part: found.value, set: 'plain' }, ...others]
    }
    return null
  }
  const places = split(foldLetters(spaced).match(/[\p{L}\p{N}]+/gu) ?? [], 3) ?? []
  const isMixed = places.some(({ part }) => part === 'postal') && places.some(({ part }) => part !== 'postal')
  return isMixed ? choosePart(places) : null
}

/** Reads a postal code with another word for a number: `Poštna št.` */
function parsePostalNumber(header: string): Place | null {
  const isWord = (base: string) => base.length > 3 || /^(?:plz|zip|psc|npa)$/.test(base)
  const bases = listWithoutNumberWord(header).filter(isWord)
  if (bases.length === 0) return null
  postalBases ??= new Set(
    [...earlier.parts.postal, ...added.places.postal]
      .flatMap((list) => list.split('|'))
      .flatMap((text) => [toHeaderKey(text), ...listWithoutNumberWord(text)]),
  )
  return bases.some((base) => postalBases?.has(base)) ? { part: 'postal', set: 'plain' } : null
}

const { identifiers } = earlier
const ofEarlier = Object.fromEntries(
  Object.entries(identifiers).map(([key, lists]) => [key, toHeaderKeys(...lists)]),
) as Record<keyof typeof identifiers, string[]>
const ofRegisters = toHeaderKeys(...earlier.anyNumbers, ...Object.values(earlier.numbers))
/** Headers of version 0.2.0. */
export const earlierIdentifiers = {
  ...ofEarlier,
  registration_id: [...ofRegisters, ...toHeaderKeys(...earlier.taxNumbers)],
}

const { 'number of a person': ofPersons, 'number of another list': ofLists } = headerWords.others
/** Headers of numbers of persons, and of other registers and lists than those of companies. */
export const otherNumberHeaders: ReadonlySet<string> = new Set(toHeaderKeys(...ofPersons, ...ofLists))

const ages = new RegExp(String.raw`(?<![\p{L}\p{M}])(?:${headerWords.ages})(?![\p{L}\p{M}])`, 'giu')
let postalBases: ReadonlySet<string> | null = null
let numbersByBase: ReadonlyMap<string, readonly string[]> | null = null
let knownHeaders: ReadonlySet<string> | null = null

/** Headers of identifiers, best first: numbers of registers before those of taxes. */
export const identifierHeaders = {
  ...earlierIdentifiers,
  registration_id: [
    ...ofRegisters,
    ...toHeaderKeys(...added.numbers, ...Object.values(added.countryNumbers), ...added.licences),
    ...taxHeaders,
  ],
  website: [...earlierIdentifiers.website, ...toHeaderKeys(...added.website)],
  email: [...earlierIdentifiers.email, ...toHeaderKeys(...added.email)],
  registration_country: [...earlierIdentifiers.registration_country, ...toHeaderKeys(...added.registries)],
  registration_court: [...earlierIdentifiers.registration_court, ...toHeaderKeys(...added.courts)],
  exchange: [...earlierIdentifiers.exchange, ...toHeaderKeys(...added.exchange)],
}

/** Keys of headers of numbers by their text without the word for a number; of bare names like `SIREN`, the name itself. */
function createNumbersByBase(): ReadonlyMap<string, readonly string[]> {
  const others = Object.entries(headerWords.others).flatMap(([kind, texts]) =>
    / name| digit| box/.test(kind) ? [] : texts,
  )
  const { any, ...tax } = added.taxNumbers
  const { lei, cik, ein, bic } = identifiers
  const general = [earlier.anyNumbers, earlier.taxNumbers, added.numbers, any, lei, cik, ein, bic]
  const ofCountry = [earlier.numbers, added.countryNumbers, tax]
  const byCountry = ofCountry.flatMap((one) => Object.values<string | string[]>({ ...one }).flat())
  const headers = [...general, others, byCountry].flat().flatMap((text) => text.split('|'))
  const found = new Map<string, string[]>()
  const add = (at: string, key: string) => found.set(at, [...(found.get(at) ?? []), key])
  for (const text of headers) for (const base of listWithoutNumberWord(text)) add(base, toHeaderKey(text))
  for (const key of headers.map(toHeaderKey)) if (!found.has(key)) add(key, key)
  // A word of any country is not one of a country that writes another word for a number behind it: `VAT numero`.
  const ofCountries = new Set(toHeaderKeys(...byCountry))
  for (const [base, keys] of found) {
    const free = keys.filter((key) => !ofCountries.has(key))
    found.set(base, free.length > 0 ? free : keys)
  }
  return found
}

/** Whether a header names the old or the new ones of two numbers. */
export const namesAge = (header: string): boolean => header.search(ages) >= 0

/** Lists the keys of known headers of numbers of which a header is another writing: `Ondernemingsnummer` for `Ondernemingsnr.` and `Old Ondernemingsnr.` */
export const listNumberKeys = rememberHeaders((header): readonly string[] => {
  const plain = header.replace(ages, ' ')
  const ofAge = plain === header ? [] : [toHeaderKey(plain), ...listWithoutNumberWord(plain)]
  const isListed = isListedHeader(header) && !header.includes('#')
  const bases = isListed ? [] : [...listWithoutNumberWord(header), ...ofAge]
  const found = new Set(bases.flatMap((base) => (numbersByBase ??= createNumbersByBase()).get(base) ?? []))
  return found.has(toHeaderKey(header)) ? [] : [...found]
})

/** Whether a text is a known name of a column, without a number: of names, persons, places or identifiers. */
export const isKnownHeader = (text: string): boolean =>
  isListedHeader(text) || listNumberKeys(text).length > 0

const isListedHeader = rememberHeaders((text): boolean => {
  const all = Object.values(identifierHeaders)
  knownHeaders ??= new Set([nameHeaders, plainNameHeaders, personHeaders, wholePlaceHeaders, ...all].flat())
  if (knownHeaders.has(toHeaderKey(text)) || rankPartyHeader(text) >= 0) return true
  return parsePlaceHeader(text)?.number === 0
})

import listed from './authorities.json' with { type: 'json' }
import { memoize, splitScripts, toPlainLetters, toHeaderKey, toHeaderKeys } from '../../core/text.js'
import { listNumberKeys } from '../../core/header-words.js'
import listWords from '../../core/headers.json' with { type: 'json' }
import { countriesOfAdded, countriesOfHeader, countriesOfTaxHeader } from '../../core/identifiers.js'
import {
  checkedCountries,
  isPlainCompanyNumber,
  toNationalNumber,
} from '../../core/numbers/national-numbers.js'
import legalForms from './legal-forms.json' with { type: 'json' }
import words from './register-words.json' with { type: 'json' }

/** A register of companies, by its code in the GLEIF list of registration authorities. */
export interface AuthorityFacts {
  readonly name: string
  readonly organization: string
  /** Lower case, `us_de` or `gb`. */
  readonly jurisdiction: string
  readonly countryCode: string
  readonly website: string
}

/** The registers of most well-known companies. */
const toFacts = (facts: Omit<AuthorityFacts, 'countryCode'>): AuthorityFacts => ({
  ...facts,
  countryCode: facts.jurisdiction.slice(0, 2).toUpperCase(),
})
const authorities = new Map(Object.entries(listed).map(([code, facts]) => [code, toFacts(facts)]))

/** Returns the register of companies of a state (`us_de`), or `null` for any other jurisdiction. */
export const findStateAuthority = memoize((jurisdiction: string): string | null => {
  const isOfState = jurisdiction.startsWith('us_')
  return [...authorities].findLast(([, one]) => isOfState && one.jurisdiction === jurisdiction)?.[0] ?? null
})

export const edgarAuthority = 'RA000665'
/** Returns the Companies House register of a company number by its letters; `null` for other numbers, such as those of mutual societies. */
export function findCompaniesHouseAuthority(companyNumber: string): string | null {
  if (!/^[A-Z0-9]{8}$/.test(companyNumber) || /^(?:IP|RS|SP|NP|NO)/.test(companyNumber)) return null
  if (companyNumber.startsWith('S')) return 'RA000587'
  return /^(?:N|R0)/.test(companyNumber) ? 'RA000586' : 'RA000585'
}

/** Returns the facts of a registration authority, or `null` for an unknown code. */
export const findAuthorityFacts = (code: string): AuthorityFacts | null => authorities.get(code) ?? null

/** The Albanian "in", which means "not" in other languages. */
const statusIn = new RegExp(String.raw`(?<!\p{L})(?:${words.statusIn})(?!\p{L})`, 'gu')
/** Folds the spelling of a status: `Dissolved (s. 210)` is `dissolved s 210`. */
const toStatusKey = (text: string): string =>
  toPlainLetters(text.toLowerCase().normalize('NFC').replace(statusIn, '').normalize('NFKD'))
    .replace(/[\p{M}\u200c\u200d]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(numberedArticle, ' ')
    .trim()
/** `TTK Geçici 7. Madde`: the article of a law is called provisional, not the status. */
const numberedArticle = new RegExp(String.raw`(?<!\S)(?:${words.numberedArticles})(?!\S)`, 'gu')

const toKeys = (list: string): string[] => list.split('|').map(toStatusKey).filter(Boolean)
const statuses = Object.entries(words.statuses).map(([status, list]) => ({ status, keys: toKeys(list) }))
const wholeStatuses = new Map(
  statuses.flatMap(({ status, keys }) => keys.map((key) => [key, status] as const)),
)
const codesByCountry: Readonly<Partial<Record<string, string>>> = words.statusCodes

const proceedings = 'liquidation bankruptcy administration restructuring'.split(' ')
/** A company of which these are denied is active. */
const processes: ReadonlySet<string> = new Set([...proceedings, 'strike-off in progress'])

/** Steps by which a longer text is read. A company whose liquidation has ended has ended; one in liquidation may be called active. */
const phraseSteps: readonly (readonly [status: string, isAtStart: boolean])[] = [
  ['inactive', true],
  ...proceedings.map((one) => [one, false] as const),
  ['active', true],
  ...['strike-off in progress', 'suspended', 'inactive'].map((one) => [one, false] as const),
]
const phraseCharsMin = 4 // Shorter words are parts of too many phrases.
const negation = new RegExp(` (?:${toKeys(words.statusStems.not).join('|')}) $`, 'u')

function findInPhrase(text: string, status: string, isAtStart: boolean): boolean {
  const keys = statuses.find((one) => one.status === status)?.keys ?? []
  return keys.some((key) => {
    if (key.length < phraseCharsMin && /\p{Script=Latin}/u.test(key)) return false
    const at = text.indexOf(` ${key} `)
    if (isAtStart) return at === 0 && !startsLonger(text, status, key.length)
    return at >= 0 && !negation.test(text.slice(0, at + 1))
  })
}

/** Whether longer words of another status are at the start: `cese temporal` is no `cese`. */
const startsLonger = (text: string, own: string, length: number) =>
  statuses.some(
    ({ status, keys }) =>
      status !== own && keys.some((key) => key.length > length && text.startsWith(` ${key} `)),
  )

const stemLists = Object.entries(words.statusStems).map(([key, list]) => [key, toKeys(list)] as const)
const joinedLinks = new RegExp(`^ ?(?:${words.processEnds.joinedLinks})? ?`, 'u')
const isSpaced =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Georgian}]/u
/** Orders stems: the liquidation of a company comes before its rescue, and the end before `in operation`. */
const stemOrder =
  'liquidation bankruptcy inactive ending administration restructuring suspended active'.split(' ')
const findStems = (text: string) =>
  stemLists.flatMap(([key, stems]) =>
    stems.flatMap((stem) => {
      const whole = key === 'not' ? `${stem} ` : stem
      const at = isSpaced.test(stem) ? text.indexOf(` ${whole}`) + 1 : text.indexOf(stem)
      return at > 0 ? [{ key, at, end: at + stem.length }] : []
    }),
  )

/** Reads words in any ending or abbreviation: `DISOLUC. LIQUIDAC. ANTIC.`. A denied end says nothing; a denied operation is an end. */
function findByStems(text: string): string | null {
  const found = findStems(text)
  const states = found.filter(
    ({ key, at, end }) =>
      stemOrder.includes(key) && !found.some((other) => other.at === at && other.end > end),
  )
  const isDenied = (at: number) =>
    found.some(({ key, at: start, end }) =>
      key === 'notAfter' ? start > at : key === 'not' && (end === at || (end < at && text[end] === ' ')),
    )
  const ordered = stemOrder.flatMap((key) => states.filter((one) => one.key === key))
  const stated = ordered.find(({ at }) => !isDenied(at))
  if (stated === undefined) return ordered.some(({ key }) => key === 'active') ? 'inactive' : null
  const ends = states.filter(({ key, at }) => (key === 'inactive' || key === 'ending') && !isDenied(at))
  if (!ends.includes(stated)) return stated.key
  if (found.some(({ key }) => key === 'temporary')) return 'suspended'
  const isPending = ends.every((end) => found.some(({ key, at }) => isStillAhead(end, key, at)))
  return isPending ? 'strike-off in progress' : 'inactive'
}

/** A noun (`strike off`) may be announced on either side and requested before it; `struck off` has happened unless it is pending. */
function isStillAhead(end: { key: string; at: number }, key: string, at: number): boolean {
  if (key === 'pending' && at < end.at) return true
  if (end.key !== 'ending') return false
  return key === 'pending' || key === 'announced' || (key === 'requested' && at < end.at)
}

/** Beginnings of the words for processes, also for those whose end is next to other words: `process of dissolution`. */
const starts = [
  ...statuses.flatMap(({ status, keys }) =>
    processes.has(status) ? keys.map((key) => `${key}(?!\\S)`) : [],
  ),
  ...stemLists.flatMap(([key, stems]) => (stemOrder.slice(0, -2).includes(key) ? stems : [])),
].join('|')
/** Denials by language. Between the word that denies and the process may be others: `не перебуває в процесі`. */
const denials = Object.entries(words.denials).flatMap(([side, lists]) =>
  Object.entries<string>(lists).map(([denying, between]) => {
    const [not = '', links = ''] = [denying, between].map((list) => `(?:${toKeys(list).join('|')})`)
    const [front, back] = [
      `${not} ((?:${links} )*(?:${starts}).*)`,
      `((?:${starts})\\S* (?:${links} )*)${not}`,
    ]
    const whole = new RegExp(`^(.* )?${side === 'before' ? front : back}$`, 'u')
    return { not: new RegExp(`(?<!\\S)${not}(?!\\S)`, 'u'), whole }
  }),
)

/** Removes a denied process from a part of a status: of `registered, not in liquidation`, the first part is left. */
function dropDenied(part: string): string {
  const key = toStatusKey(part)
  const found = denials.flatMap(({ not, whole }) => (not.test(key) ? [whole.exec(key)] : []))
  const denied = found.find((groups) => processes.has(readPhrase(` ${groups?.[2]?.trim()} `) ?? ''))
  return denied ? (denied[1] ?? '') : part
}

const { links, unless, kinds: endKinds } = words.processEnds
const [linkKeys, openKeys] = [new Set(toKeys(links)), toKeys(unless)]
const ends = endKinds.map((one) => ({ ...one, fronts: toKeys(one.before), backs: toKeys(one.after) }))
/** Reads the end of a process next to its name: by `closing of bankruptcy`, a company has ended; by `Tasfiyeden Dönme`, it continues. */
function findProcessEnd(part: string): string | null {
  const text = ` ${toStatusKey(part)} `
  const stems = findStems(text)
  const mark = (key: string) => (isSpaced.test(key) ? ` ${key}` : key)
  const dropLinks = (list: string[]) => list.slice(list.findIndex((word) => !linkKeys.has(word)))
  if (openKeys.some((key) => text.includes(mark(key).replace(/^ .*/, '$& ')))) return null
  const isOfEnd = ({ of, fronts, backs }: (typeof ends)[number]) =>
    stems.some(({ key, at, end }) => {
      const front = ` ${dropLinks(text.slice(0, at).trim().split(' ').reverse()).reverse().join(' ')}`
      const rest = text
        .slice(end)
        .replace(isSpaced.test(text.slice(at)) ? /^\S* / : joinedLinks, '')
        .trim()
      const back = dropLinks(rest.split(' ')).join(' ')
      const isNext =
        fronts.some((one) => front.endsWith(mark(one))) || backs.some((one) => back.startsWith(one))
      return of.split(' ').includes(key) && isNext
    })
  return ends.find(isOfEnd)?.status ?? null
}

/** Reads words and phrases in the order of their steps. */
function readPhrase(phrase: string): string | null {
  const step = phraseSteps.find(([status, isAtStart]) => findInPhrase(phrase, status, isAtStart))
  const worded = step === undefined || step[0] === 'inactive' ? findByStems(phrase) : null
  const isOpen = worded === 'strike-off in progress' || worded === 'suspended'
  return wholeStatuses.get(phrase.trim()) ?? (isOpen ? worded : (step?.[0] ?? worded))
}

/** Reads a status without the processes that it denies; denied processes alone are those of an active company. */
function readStatus(text: string): string | null {
  const parts = text.split(/[,;:()/|–—]|\s-\s/)
  const isKnown = wholeStatuses.has(toStatusKey(text))
  const found = parts.map((part) => (isKnown ? null : findProcessEnd(part)))
  if (found.includes('inactive')) return 'inactive'
  const others = parts.filter((_, at) => found[at] === null).join()
  if (found.includes('active')) return readStatus(others) ?? 'active'
  const left = parts.map(dropDenied).join()
  const isWhole = left === parts.join() || isKnown
  return isWhole ? readPhrase(` ${toStatusKey(text)} `) : (readStatus(left) ?? 'active')
}

/** Returns the status that words or a code mean: `active`, `inactive`, or a state in between such as `liquidation`; `null` if unknown. Short codes have a meaning only in their country (`FR`). */
export const findStatus = memoize((text: string, countryCode: string | null): string | null => {
  const codes = ` ${codesByCountry[countryCode ?? ''] ?? ''}`
  return codes.split(` ${toStatusKey(text)}=`)[1]?.split(' ')[0] ?? readStatus(text)
})

const classes = { ...words.words, number: listWords.added.numberWords.join('|') }
type WordClass = keyof typeof classes
const [headerWordCharsMax, headerCharsMax] = [40, 80]

/** Words that each field needs, and behind `|` those that it may have too, like `of`; the first field that fits counts. */
const headerRules = words.headerRules.map((rule) => {
  const [field = '', needs = '', may = ''] = rule.split(/: | \| /)
  return [field, needs.split(' '), may.split(' ').filter(Boolean)] as [string, WordClass[], WordClass[]]
})
const anyHeader: readonly WordClass[] = ['company', 'legal', 'other']

const wordClasses = Object.keys(classes) as WordClass[]
const toMask = (classes: readonly WordClass[]): number =>
  classes.reduce((mask, one) => mask | (1 << wordClasses.indexOf(one)), 0)

/** The classes of each word, as bits. */
const listHeaderWords = memoize((): ReadonlyMap<string, readonly number[]> => {
  const found = new Map<string, number[]>()
  for (const one of wordClasses)
    for (const key of new Set(toHeaderKeys(classes[one])))
      found.set(key, [...(found.get(key) ?? []), toMask([one])])
  return found
})

/** Returns the field that the words of a header mean: `status` for `estado_matricula`. All splits are tried: many languages join words. */
export function findHeaderField(header: string): string | null {
  const key = toHeaderKey(header)
  if (key.length > headerCharsMax) return null
  const known = listHeaderWords()
  const reached: Set<number>[] = [new Set([0])]
  for (let end = 1; end <= key.length; end++) {
    const masks = new Set<number>()
    for (let start = Math.max(0, end - headerWordCharsMax); start < end; start++)
      for (const mask of known.get(key.slice(start, end)) ?? [])
        for (const before of reached[start] ?? []) masks.add(before | mask)
    reached.push(masks)
  }
  const all = [...(reached[key.length] ?? [])]
  const rule = headerRules.find(([, needs, may]) => {
    const [needed, allowed] = [toMask(needs), toMask([...needs, ...may, ...anyHeader])]
    return all.some((mask) => (mask & needed) === needed && (mask & ~allowed) === 0)
  })
  const [inScript = null] = splitScripts(header).flatMap((half) => findHeaderField(half) ?? [])
  return rule?.[0] ?? inScript
}

const aloneForms = new Map(Object.entries(legalForms.alone))
/** True for a folded short form that is too often a word of names to be read in them. */
export const isFormAlone = (word: string): boolean => aloneForms.has(word)

/** Spells out a short form that is too often a word of names to be read in them, but is a form if it is the whole text. */
export const spellOutForm = (text: string): string =>
  aloneForms.get(text.toLowerCase().replace(/[^\p{L}]/gu, '')) ?? text

/** True for the ISO 20275 codes for "not listed" (8888) and "no form" (9999). */
export const isNoForm = (code: string): boolean => code === '8888' || code === '9999'

const publicLimited: ReadonlySet<string> = new Set(legalForms.public_limited.split(' '))

/** True for a country (ISO 3166-1) in which "Limited" without "Private" or "Proprietary" is a public or stock company. */
export const isPublicLimited = (country: string | null): boolean =>
  country !== null && publicLimited.has(country.toUpperCase())

const kindsByForm = new Map(
  legalForms.kinds.flatMap(({ countries, kinds, spellings }) =>
    countries
      .split(' ')
      .flatMap((country) =>
        spellings.split(', ').map((form) => [`${country} ${form}`, kinds.split(' ')] as const),
      ),
  ),
)

/** Returns the kinds of companies that have a form in a country, where these are not its class: an ASA is no AS. `ZZ` is any country. */
export function listKinds(country: string, formWords: readonly string[]): readonly string[] | null {
  // More words may follow the form ("S.C.A. SICAV"), and "& Co." in front says nothing of the kind.
  for (let count = formWords.length; count > 0; count--) {
    const kinds = kindsByForm.get(`${country || 'ZZ'} ${formWords.slice(0, count).join(' ')}`)
    if (kinds !== undefined) return kinds
  }
  return /^(?:co|cie|cia)$/.test(formWords[0] ?? '') ? listKinds(country, formWords.slice(1)) : null
}

/** True for the form of a private company: "Proprietary Limited", "Private company limited by shares", "pte". */
export const isPrivateForm = (text: string): boolean =>
  /\b(?:private|pvt|pte|pty|proprietary|edms|eiendoms|sendirian|sdn)\b/i.test(text)

/** True for the form of a public company in the words of a register: "Public company limited by shares". */
export const isPublicForm = (text: string): boolean => publicForm.test(text)
const publicForm =
  /^(?!.*(?:guarantee|unlimited|non?.?profit))(?:\s*public\s*$|.*\bpublic (?:limited|company|corporation)\b)/is

/** Minimum share of filled cells that must have the type of the column. */
export const shareMin = 0.95
export function isMostly(cells: readonly string[], isSound: (cell: string) => boolean, share = shareMin) {
  const filled = cells.filter((cell) => cell !== '')
  return filled.length > 0 && filled.filter(isSound).length >= filled.length * share
}
export const isStatus = (cells: readonly string[], share = shareMin): boolean =>
  isMostly(cells, (cell) => findStatus(cell, null) !== null, share)

/** Returns the only country whose companies have such numbers, by the header or by a form that no other country has. */
export function findNumberCountry(header: string, numbers: readonly string[]): string | null {
  const keys = [toHeaderKey(header), ...listNumberKeys(header)]
  const tables = [countriesOfHeader, countriesOfAdded]
  const named = [...new Set(keys.flatMap((key) => tables.flatMap((countries) => countries.get(key) ?? [])))]
  const filled = numbers.flatMap((number) => number.replace(/^0{3,}(?=[1-9]\d{8,}$)/, '') || [])
  const isPlain = (one: string) => (cell: string) => isPlainCompanyNumber(one.toLowerCase(), cell)
  const [first = '', ...more] = named
  // British numbers need more evidence: spreadsheets remove their zeros. Other countries have a NIT, too.
  const isOther = first in listWords.sharedNumbers && filled.filter(isPlain(first)).length * 2 < filled.length
  if (first !== '' && more.length === 0) return first === 'GB' || isOther ? null : first.toLowerCase()
  const ofTax = named.length > 0 ? [] : keys.flatMap((key) => countriesOfTaxHeader.get(key) ?? [])
  const own = ofTax.find((one) => isMostly(filled, isPlain(one)))
  if (own !== undefined) return own.toLowerCase()
  const fits = (country: string) =>
    letteredCountries.has(country)
      ? isMostly(filled, (cell) => /(?=.*[A-Z]).{9}/i.test(cell) && isPlainCompanyNumber(country, cell))
      : filled.length >= checkedMin &&
        isMostly(filled, (cell) => !/^\d{8}$/.test(cell) && toNationalNumber(country, cell) !== null)
  const among =
    named.length > 0 ? named.map((one) => one.toLowerCase()) : [...letteredCountries, ...checkedCountries]
  const found = among.filter(fits)
  return found.length === 1 ? (found[0] ?? null) : null
}

/** Countries whose numbers have letters in places where other numbers have none. */
const letteredCountries: ReadonlySet<string> = new Set(['cn', 'in', 'mx', 've'])
const checkedMin = 3 // Fewer numbers may have right check digits by chance.

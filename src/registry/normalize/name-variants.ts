import { calculateDistance } from '../../core/edit-distance.js'
import { isLightWord, toCanonicalWord, foldText, isNumberWord, splitWords } from './normalize-name.js'
import { matchLimits } from '../model/limits.js'
import { findCountryCode } from '../../core/countries.js'
import { removeRegistrySuffix } from '../../core/registry-suffix.js'
import { findRegionCode } from './places.js'
import { boundText, parseName, type ParsedName } from './parsed-name.js'
import { listReadings } from './name-readings.js'

/**
 * Reading of a query's text. `whole`: the name as given, or an alternative reading. `cut`: without a piece of a legal
 * form or a repetition at the end. `mended`: with a typing error in the legal form, or scan errors, corrected.
 * `security`: without the description of a share. `form`: up to a legal form with words after it. `registered`,
 * `alias`: before and after "d/b/a", "t/a", "formerly". `site`: without a site, department, street address, or the
 * town of the query. `bracket`: without a bracket at the end; `middle`: without one before further words; `inside`:
 * the text in it. `hyphen`: before a hyphen inside a word.
 */
export type VariantKind =
  | 'whole'
  | 'cut'
  | 'mended'
  | 'security'
  | 'form'
  | 'registered'
  | 'alias'
  | 'site'
  | 'bracket'
  | 'middle'
  | 'inside'
  | 'hyphen'

type ColumnCut = 'anywhere' | 'between_words' | 'nowhere'

export interface NameVariant extends ParsedName {
  readonly kind: VariantKind
  /** Position at which the column may have truncated the name. */
  readonly cut: ColumnCut
  /** Description of an alternative reading for a reason; `null` for a part of the text itself. */
  readonly how: string | null
  /** For a trade name and the whole text: a name with a legal form precedes it, as in "Norvane Ltd t/a Sunny Inn". */
  readonly isBesideForm: boolean
  /** A bracket has more than a country: "Norvane (Reno) Ltd" is a separate company. For `whole` and `middle`. */
  readonly isBracketTelling: boolean
}

type VariantDraft = Omit<NameVariant, 'cut' | 'how' | 'isBesideForm' | 'isBracketTelling'> & {
  readonly cut?: ColumnCut
  readonly how?: string
}

/**
 * Returns the readings of a query, the whole name first, then by reliability. `cities`: keys of towns in the query's
 * place (see places.ts), so that "Norvane Tulsa" in Tulsa is also read as "Norvane".
 */
export function listVariants(name: string, cities: ReadonlySet<string> = new Set()): NameVariant[] {
  const text = extractAddressee(boundText(name))
  const words = splitWords(foldText(removeRegistrySuffix(text)))
  const cut = detectColumnCut(name)
  const hasRate = text.includes('%') || (cut !== 'nowhere' && /\d\.\d*$/.test(text))
  const [registered = '', ...aliases] = text.split(tradingMarks)
  const [current = '', ...former] = text.split(formerMarks)
  const candidates: (VariantDraft | null)[] = [
    { ...parseName(text), kind: 'whole' },
    ...listReadings(text).map((reading) => ({
      ...parseName(reading.text),
      kind: reading.kind,
      how: reading.how,
      cut: reading.columnChars === null ? cut : detectColumnCut(reading.text, [reading.columnChars]),
    })),
    parseWordsVariant(cutRepetition(words, cut), 'cut'),
    parseWordsVariant(cutAtSecurity(words, hasRate), 'security'),
    parseTextVariant(cutAtPhrase(text, securityPhrase), 'security'),
    parseWordsVariant(cutFormPiece(words, cut), 'cut'),
    parseWordsVariant(repairForm(words), 'mended'),
    parseTextVariant(aliases.length > 0 ? removeOpenBracket(registered) : null, 'registered'),
    parseTextVariant(former.length > 0 ? current : null, 'registered'),
    parseWordsVariant(isRemark(words, cut) ? cutAfterForm(words) : null, 'cut'),
    parseTextVariant(text.replace(lastBracket, ''), 'bracket'),
    parseTextVariant(text.replace(allBrackets, ' '), 'middle'),
    ...listSiteHeads(registered).map((head) => parseTextVariant(head, 'site')),
    parseWordsVariant(cutAtCity(words, cities), 'site'),
    parseWordsVariant(cutAfterForm(words), 'form'),
    ...[...aliases, ...former].map((alias) => parseTextVariant(alias.replace(allBrackets, ' '), 'alias')),
    parseTextVariant(extractBracketText(text), 'inside'),
    parseTextVariant(cutAtHyphen(text), 'hyphen'),
  ]
  const isFormBefore = aliases.length > 0 && (parseName(registered).formClass ?? 'company') !== 'company'
  const endCountries = findLastFormCountries(text)
  const seen = new Set<string>()
  const variants: NameVariant[] = []
  for (const variant of candidates) {
    if (variant === null || variant.fullKey.length < 2 || variant.coreKey === '') continue
    // Words that a scan has joined are compared separately, although their joined text is the same.
    const spaced = variant.tokens.join(' ')
    if (seen.has(variant.kind === 'mended' ? spaced : variant.coreKey)) continue
    seen.add(spaced).add(variant.coreKey)
    variants.push({
      ...variant,
      formCountries: isHeadWithoutForm(variant) ? endCountries : variant.formCountries,
      cut: variant.cut ?? cut,
      how: variant.how ?? null,
      isBesideForm: isFormBefore && (variant.kind === 'alias' || variant.kind === 'whole'),
      isBracketTelling: (variant.kind === 'middle' || variant.kind === 'whole') && isBracketTelling(text),
    })
  }
  return variants.slice(0, matchLimits.variantsMax)
}

const isHeadWithoutForm = ({ kind, formClass }: VariantDraft): boolean =>
  (kind === 'site' || kind === 'hyphen') && formClass === null

/** Countries of the legal form that ends the text, which is its head's form too: "Norvane-Oval GmbH". "Reno, NV" is a state. */
function findLastFormCountries(text: string): readonly string[] {
  const { formWords, formCountries } = parseName(text)
  return isState(formWords) ? [] : formCountries
}

const isState = (formWords: readonly string[]): boolean =>
  ['US', 'CA', 'AU'].some((country) => findRegionCode(country, formWords.join(' ')) !== null)

function parseTextVariant(text: string | null, kind: VariantKind): VariantDraft | null {
  return text === null || text.trim() === '' ? null : { ...parseName(text), kind }
}

function parseWordsVariant(words: readonly string[] | null, kind: VariantKind): VariantDraft | null {
  return words === null || words.length === 0 ? null : { ...parseName(words.join(' ')), kind }
}

const tradingMarks =
  /[([,]?\s*\b(?:d\/?b\/?a|t\/a|trading as|trades as|doing business as|operating as)\b[:.]?/i
/** Followed by another name of the same company. */
const formerMarks =
  /[([,]?\s*\b(?:f\/?k\/?a|a\/?k\/?a|n\/?k\/?a|formerly(?: known as)?|previously|also known as|now known as)\b[:.]?/i
/** At the end of the text; a truncated bracket has no end. */
const lastBracket = /\s*[([][^)\]]*[)\]]?\s*$/
const allBrackets = /[([][^)\]]*[)\]]?/g

/** The text after "c/o" is the host of the address. */
function extractAddressee(text: string): string {
  const [addressee = '', ...hosts] = text.split(/[([,]?\s*\bc\/o\b[:.]?/i)
  return addressee.trim() === '' ? hosts.join(' ') : addressee
}

const removeOpenBracket = (text: string): string => text.replace(/[([]\s*$/, '')

function isBracketTelling(text: string): boolean {
  return [...text.matchAll(allBrackets)].some(([bracket]) => {
    const inside = bracket.replace(/[()[\]]/g, '').trim()
    return (
      inside !== '' && findCountryCode(inside) === null && !foldText(inside).split(' ').every(isLightWord)
    )
  })
}

/** A trade name or the owner's name after the name: "Sunny Inn (Brightlow LLC)". A single word is a remark. */
function extractBracketText(text: string): string | null {
  const inside = /[([]([^)\]]{4,})[)\]]?\s*$/.exec(text)?.[1] ?? null
  return inside !== null && /\S\s+\S/.test(inside.trim()) ? inside : null
}

/** Words at the beginning of a site or department, rare in registered names. */
const siteWords =
  'plant|store|facility|warehouse|branch|division|department|dept|headquarters|hq|head office|corporate office|terminal|campus|refinery|works|mill|distribution center|fulfillment center|service center|call center|data center|customer service center|center at|site|location|unit(?! trusts?\\b)|bldg|building|suite|accounts payable|payroll'
const siteMark = new RegExp(`(?<=\\S)[\\s,]+(?:the\\s+)?(?:${siteWords})\\b.*$`, 'i')
/** Division words at the end, missing in the registered name. */
const division = /(?<=\S)\s+(?:(?:research )?labs|research|worldwide|r ?& ?d)$/i
const streetWords =
  'street|st|road|rd|avenue|ave|av|boulevard|blvd|drive|dr|lane|ln|way|highway|hwy|route|rte|parkway|pkwy|place|pl|plaza|square|sq|court|ct|circle|cir|terrace|industrial|po box|p o box|po|close|crescent'
const address = new RegExp(
  `(?<=\\S)[\\s,]+(?:\\d{1,6}[a-z]?\\s+(?:\\S+\\s+){0,5}?(?:${streetWords})\\b|p\\.?\\s?o\\.?\\s+box\\b).*$`,
  'i',
)

/** Returns the text before a site. "Norvane - Plant 9 LLC" is a company of its own, unlike "Norvane Inc - Plant 9". */
function listSiteHeads(text: string): string[] {
  const { formClass, formWords } = parseName(text)
  const isCompany = formClass !== null && formClass !== 'company' && !isState(formWords)
  const marks = [
    /\s+[-\u2013\u2014]+\s+.*$|\s+[-\u2013\u2014].*$|[-\u2013\u2014]+\s+.*$/u,
    /\s*(?:#|\bno\.?\s?(?=\d)).*$/iu,
    address,
    siteMark,
    division,
    /[,;:@/|].*$/u,
  ]
  const heads: string[] = []
  let shortest = text
  for (const mark of marks) {
    const head = text.replace(mark, '').trim()
    if (head !== text.trim() && head.length >= 2) heads.push(head)
    const shorter = shortest.replace(mark, '').trim()
    if (shorter.length >= 2) shortest = shorter
  }
  if (shortest !== text) heads.push(shortest)
  return isCompany ? heads.filter((head) => parseName(head).formClass !== null) : heads
}

/** The name without the town that the query's place also has. */
function cutAtCity(words: readonly string[], cities: ReadonlySet<string>): string[] | null {
  for (let at = Math.max(1, words.length - 4); at < words.length; at++)
    if (cities.has(words.slice(at).join(''))) return words.slice(0, at)
  return null
}

/** "Larkmoor-Columbus", "Larkmoor Foods-HQ2". */
function cutAtHyphen(text: string): string | null {
  const [, town] = /^(.*\p{L}{4,})[-\u2013]\p{L}{4,}[^-]*$/u.exec(text) ?? []
  const [, code] = /^(\S.*\s\S*\p{L}{4,})[-\u2013][\p{Lu}\d]{2,6}$/u.exec(text) ?? []
  return town ?? code ?? null
}

/** A column that ends at a space loses the space too. */
function detectColumnCut(name: string, widths: readonly number[] = matchLimits.cutColumnChars): ColumnCut {
  const charCount = Array.from(name.trim()).length
  if (widths.includes(charCount)) return 'anywhere'
  return widths.includes(charCount + 1) ? 'between_words' : 'nowhere'
}

/** Forms that only end names: the words after them are not part of the name. */
const closingForms = new Set('inc incorporated ltd limited llc plc corp corporation gmbh lp nv'.split(' '))

/** Keeps the words up to a legal form with more words after it: a series, a plan, or a part of the company. */
function cutAfterForm(words: readonly string[]): string[] | null {
  const at = words.findIndex((word, index) => index > 0 && closingForms.has(word))
  if (at < 0 || at === words.length - 1 || words.slice(at + 1).some(isRomanNumeral)) return null
  return words.slice(0, at + 1)
}

/**
 * True if the legal form is followed by a state ("BRT Apartments Corp. (MD)") or, in a full column, by the start of a
 * remark ("Annaly Capital Management Inc 6").
 */
function isRemark(words: readonly string[], cut: ColumnCut): boolean {
  const rest = words.slice(cutAfterForm(words)?.length ?? words.length)
  const [only = ''] = rest
  if (rest.length === 1 && only.length === 2 && findRegionCode('US', only) !== null) return true
  return cut !== 'nowhere' && rest.join(' ').length <= remarkCharsMax
}

/** A longer text after the legal form is distinctive. */
const remarkCharsMax = 12

const formsMended = ['limited', 'corporation', 'incorporated', 'company', 'partnership', 'holdings']

/** "DCS Inc Limtied": a long form at the end with a typing error. */
function repairForm(words: readonly string[]): string[] | null {
  const last = words.at(-1) ?? ''
  if (words.length < 2 || last.length < 6 || formsMended.includes(last)) return null
  const form = formsMended.find(
    (known) => known.charAt(0) === last.charAt(0) && calculateDistance(known, last, 1) === 1,
  )
  return form === undefined ? null : [...words.slice(0, -1), form]
}

/** "Koppers Holdings Inc. Koppers H": the name, repeated until the column ended, possibly after one letter. */
function cutRepetition(words: readonly string[], cut: ColumnCut): string[] | null {
  const all = words.join('')
  for (let at = 2; at < words.length; at++) {
    const tail = words.slice(at).join('')
    const isStated = tail.length >= 3 || (cut === 'anywhere' && tail.length === 1)
    if (isStated && all.startsWith(tail)) return words.slice(0, at)
  }
  return null
}

/** Words of the description of a security after the company's name. */
const securityWords =
  'common stock preferred pfd series ser depositary depository shares share ordinary beneficial interest warrants warrant units unit notes cumulative redeemable perpetual trust class new of reit'.split(
    ' ',
  )
const securityMarks = new Set(
  'stock preferred pfd series ser depositary depository shares share warrants warrant units notes reit new'.split(
    ' ',
  ),
)

/** Regular expressions for the beginning of a security's description; any text may follow. */
const securityPhrases = [
  'common (?:stock|shares?|units?)',
  'cl(?:ass)?\\.? [a-e]\\b',
  '(?:american|global) deposit[ao]ry',
  'deposit[ao]ry (?:shares?|receipts?|units?)',
  '(?:sponsored )?adrs?\\b',
  'ads\\b',
  '(?:ordinary|registered|voting|subordinate voting|capital) (?:shares?|stock)',
  'pref(?:erred)?\\.? (?:stock|shares?|units?|securities|class|series|ser)\\b',
  'pfd\\b',
  '(?:series|ser)\\.? [a-z]\\b',
  '(?:redeemable )?warrants?\\b',
  'units?(?:,| (?:each|consisting|representing|repr|ben)|$)',
  '(?:senior|subordinated|junior|convertible|fixed|floating|guaranteed|secured) (?:\\S+ ){0,4}(?:notes?|debentures?|bonds?)\\b',
  '(?:notes?|bonds?|debentures?) due\\b',
  '\\d+(?:\\.\\d+)? ?%',
  '(?:cumulative|perpetual|redeemable|convertible) (?:\\S+ ){0,3}(?:preferred|pfd|shares?|stock)\\b',
  'shares? of beneficial',
  'contingent value',
  'rights?$',
  'limited (?:voting|partner (?:units?|interests?))',
].map((phrase) => phrase.replaceAll(' ', '\\s+'))
const securityPhrase = new RegExp(`[\\s,(-]+(?:${securityPhrases.join('|')}).*$`, 'i')

function cutAtPhrase(text: string, phrase: RegExp): string | null {
  const head = text.replace(phrase, '')
  return head === text ? null : head
}

/** Keeps the words before the description of a security, if only such words, numbers and letters follow. */
function cutAtSecurity(words: readonly string[], hasRate: boolean): string[] | null {
  for (let at = 1; at < words.length; at++) {
    const rest = words.slice(at)
    // A trust's name ends with "trust"; units or a repeated "trust" follow.
    const isSaidTwice = rest[0] === 'trust' && words[at - 1] === 'trust'
    if (rest[0] === 'trust' && !isSaidTwice) continue
    const isSecurity = rest.every((word, index) => isSecurityWord(word, index === rest.length - 1))
    if (!isSecurity) continue
    const isMarked =
      isSaidTwice ||
      rest.some((word) => securityMarks.has(word) || (hasRate && /^\d/.test(word))) ||
      isStem(rest[0] ?? '')
    return isMarked && !rest.some(isRomanNumeral) ? words.slice(0, at) : null
  }
  return null
}

function isSecurityWord(word: string, isLast: boolean): boolean {
  if (securityWords.includes(word) || /^\d+$/.test(word) || word.length === 1) return true
  return isLast && isStem(word)
}

/** "Preferr", "Deposi", "Shar", "Trus": a truncated security word. */
function isStem(word: string): boolean {
  return word.length >= 3 && securityWords.some((whole) => whole.length >= 5 && whole.startsWith(word))
}

const cutForms = ['corporation', 'incorporated', 'limited', 'company', 'partnership']
const cutNameCharsMin = 20

/** "Dynavax Technologies Corporatio" without the piece of a legal form at its end. */
function cutFormPiece(words: readonly string[], cut: ColumnCut): string[] | null {
  const last = words.at(-1) ?? ''
  if (words.length < 2 || toCanonicalWord(last) !== last || closingForms.has(last) || last === 'co')
    return null
  const isPiece = cutForms.some((form) => form !== last && form.startsWith(last))
  const isSure = last.length >= 5 || (last.length >= 2 && words.join(' ').length >= cutNameCharsMin)
  return isPiece && (isSure || cut === 'anywhere') ? words.slice(0, -1) : null
}

function isRomanNumeral(word: string): boolean {
  return isNumberWord(word) && !/\d/.test(word)
}

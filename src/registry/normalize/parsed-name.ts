import type { LegalForm } from '../../contract/enums.js'
import {
  canonicalWords,
  foldText,
  isNumberWord,
  withoutJoiningWords,
  wordsOf,
  isLightWord,
} from './normalize-name.js'
import { cutNativeForms, formEndingAt, formLeading, spellOutForms, type FormClass } from './legal-forms.js'
import { matchLimits } from '../model/limits.js'
import codes from '../reference/fund-and-trust-forms.json' with { type: 'json' }

/** A name as the registry compares it. Made once at import for each name held, once for each query. */
export interface ParsedName {
  /** The folded words without legal form and joining words, abbreviations spelled out. */
  readonly tokens: readonly string[]
  /** `tokens` closed up: "exxon mobil" and "ExxonMobil" share it. */
  readonly coreKey: string
  /** Every word, the legal form's too, closed up. */
  readonly fullKey: string
  /** `coreKey` with its abbreviations as they are written: "tech" and "technologies" differ. */
  readonly bareKey: string
  /** The words that were cut off as the legal form, a leading one first. */
  readonly formWords: readonly string[]
  readonly formClass: FormClass | null
  readonly legalForm: LegalForm | null
  /** Where the form is known, by ISO 3166-1 code; empty when it says nothing. */
  readonly formCountries: readonly string[]
  /** First letters of the words, legal form left out; empty under two words. */
  readonly acronym: string
}

/** SEC adds a state or a remark after a slash: "SEALED AIR CORP/DE", "AIR PRODUCTS INC /NEW/", "Lions Gate Corp /Cn/". */
export const registrarRemark = /\s*[/\\]\s*(?:[A-Z]{2,4}\s*[/\\]?|[A-Za-z]{2,4}\s*[/\\])\s*$/

/**
 * A name in the one form that patterns read. Bounded once more when it is normalized, which makes up to 18 letters of
 * one, and with no run of spaces: a pattern that may start at each of them takes the square of its length.
 */
export function boundedText(name: string): string {
  const { nameCharsMax } = matchLimits
  return name.slice(0, nameCharsMax).normalize('NFKC').replace(/\s+/g, ' ').slice(0, nameCharsMax)
}

/** Total: a name of no letters and digits has no tokens and an empty key. */
export function parseName(name: string): ParsedName {
  const native = cutNativeForms(boundedText(name).replace(registrarRemark, ''))
  const words = withoutJoiningWords(wordsOf(foldText(spellOutForms(native.rest))))
  const stripped = stripForms(words)
  const core = stripped.core.slice(0, matchLimits.tokensMax)
  const tokens = canonicalWords(core.map((word) => word.slice(0, matchLimits.tokenCharsMax)))
  return {
    tokens,
    coreKey: tokens.join(''),
    fullKey: words.join(''),
    bareKey: stripped.core.join(''),
    formWords: stripped.formWords,
    formClass: native.form?.formClass ?? stripped.formClass,
    legalForm: native.form?.legalForm ?? stripped.legalForm,
    formCountries: stripped.countries,
    acronym: acronymOf(tokens),
  }
}

interface Stripped {
  core: readonly string[]
  formWords: readonly string[]
  formClass: FormClass | null
  legalForm: LegalForm | null
  countries: readonly string[]
}

function stripForms(words: readonly string[]): Stripped {
  const leading = words.length > 1 ? formLeading(words) : null
  let start = leading ? leading.words.length : 0
  if (start >= words.length) start = 0
  let form = start > 0 ? leading : null
  let end = words.length
  for (let found = formEndingAt(words, end); found !== null; found = formEndingAt(words, end)) {
    if (end - found.words.length <= start) break
    end -= found.words.length
    // "Co." before "KG" adds nothing; a form that says more outweighs it wherever it stands.
    if (form === null || form.formClass === 'company') form = found
  }
  return {
    core: words.slice(start, end),
    formWords: [...words.slice(0, start), ...words.slice(end)],
    formClass: form?.formClass ?? null,
    legalForm: form?.legalForm ?? null,
    countries: form?.countries ?? [],
  }
}

/** Left out of initials: the Royal Bank of Scotland is RBS. */
const acronymSkips = new Set('of for in de du des del di da la le der die group holdings company'.split(' '))

function acronymOf(tokens: readonly string[]): string {
  const telling = tokens.filter((token) => !acronymSkips.has(token) && !isNumberWord(token))
  return telling.length < 2 ? '' : telling.map((token) => token.charAt(0)).join('')
}

/**
 * A name without legal form, case, accents and punctuation: what two spellings of one name share. Scripts other than Latin
 * stay as they are written, since transliterated many names of theirs are one.
 */
export function bareName(name: string): string {
  if (!/[^\p{Script=Latin}\P{L}]/u.test(name)) return parseName(name).bareKey
  return cutNativeForms(boundedText(name))
    .rest.toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}

/** Between two names of a list. */
const listMarks = /\s*[;|\\]\s*|\s+\/\s+|\s+\+\s+/
/** Between two names, and inside many a name too: only between two that each state a legal form. */
const joiningMarks = /\s*\/\s*|\s+(?:&|and|und|et|y|e)\s+|\s+[-\u2013\u2014]+\s+|\s*,\s*/i
/** What follows is a role of the same company, or whom it acts for. */
const roleMarks =
  /\b(?:d\/?b\/?a|t\/a|c\/o|f\/?k\/?a|a\/?k\/?a|n\/?k\/?a|o\/b\/o|trading as|trades as|doing business as|operating as|formerly|previously|on behalf of|for and on behalf|care of|known as)\b/i
/** "Smith Co. & Sons Ltd" is one company. */
const familyWords = new Set('sons son brothers bros daughters daughter associates partners'.split(' '))

/** Names in one text. */
interface SeveralNames {
  readonly names: readonly string[]
  /** Each is told by a legal form of its own; else only what is known of the names tells whether they are two. */
  readonly areStated: boolean
}

/** What a text that names several companies may name, as a cell of two does: "Norvane Inc. / Larkmoor Ltd"; null for one name. */
export function severalNames(name: string): SeveralNames | null {
  const text = boundedText(name).replace(registrarRemark, '')
  if (roleMarks.test(text)) return null
  const of = (parts: readonly string[], areStated: boolean) => ({
    names: parts.map((part) => part.trim()),
    areStated,
  })
  const listed = partsOf(text, listMarks)
  if (listed.length > 1) return of(listed, listed.filter(statesForm).length > 1)
  const joined = upToForms(partsOf(text, joiningMarks))
  const areStated = joined.length > 1 && joined.every(statesForm) && joined.some(isIncorporated)
  return areStated ? of(joined, true) : null
}

/** A part that is no name belongs to the one before: "Norvane, Inc.", "Norvane GmbH & Co. KG". */
function partsOf(text: string, marks: RegExp): string[] {
  const parts: string[] = []
  let mark = ''
  // The pattern in brackets gives the marks too, at every other place.
  for (const [at, piece] of text.split(new RegExp(`(${marks.source})`, marks.flags)).entries()) {
    if (at % 2 === 1) mark = piece
    else if (parts.length > 0 && !isName(piece)) parts.push(`${parts.pop() ?? ''}${mark}${piece}`)
    else parts.push(piece)
  }
  return parts
}

/** "Ernst" and "Young LLP" are one name. */
function upToForms(parts: readonly string[]): string[] {
  const names: string[] = []
  for (const part of parts) {
    const last = names.at(-1)
    if (last === undefined || statesForm(last)) names.push(part)
    else names.splice(-1, 1, `${last} & ${part}`)
  }
  return names
}

/** A word that tells a company. "Co. KG" and "a Delaware corporation" are of the name before. */
function isName(text: string): boolean {
  if (/^\s*(?:a|an|the|co|company|cie)\b/i.test(text)) return false
  const { tokens, formWords } = parseName(text)
  const isFormAlone = formWords.length === 0 && parseName(`x ${text}`).tokens.length === 1
  const isTelling = (word: string) => word.length > 1 && !isLightWord(word) && !familyWords.has(word)
  return !isFormAlone && tokens.some(isTelling)
}

const statesForm = (text: string): boolean => parseName(text).formClass !== null
const isIncorporated = (text: string): boolean => (parseName(text).formClass ?? 'company') !== 'company'

/** Codes of ISO 20275 whose legal form is a trust or a fund by its own name: trust companies are not. */
const trustCodes = new Set(codes.trust)
const fundCodes = new Set(codes.fund)

/** What a code of ISO 20275 makes of its bearer; null for a company, a partnership and all else. */
function fundOrTrustForm(code: string): 'fund' | 'trust' | null {
  if (trustCodes.has(code)) return 'trust'
  return fundCodes.has(code) ? 'fund' : null
}

interface Named {
  readonly legalName: string
  /** A code of ISO 20275, or as the source words it. */
  readonly legalForm: string | null
}

/**
 * Whether a registration is a fund's or a trust's rather than a company's, by its legal form or, where none is
 * stated, by its name: "Oak Income Fund II" and "Oak Royalty Trust" are, "Oak Fund, Inc." and "Oak Bank & Trust" are not.
 */
export function fundOrTrust({ legalName, legalForm }: Named): 'fund' | 'trust' | null {
  if (legalForm !== null && !isNoForm(legalForm)) {
    if (/^[A-Z0-9]{4}$/.test(legalForm)) return fundOrTrustForm(legalForm)
    return kindOfWord(foldText(legalForm).split(' ').at(-1))
  }
  return byName(legalName)
}

/** Codes of ISO 20275: 8888 and 9999 stand for "not listed" and "no form". */
export function isNoForm(code: string): boolean {
  return code === '8888' || code === '9999'
}

/** Most names hold none of these, and need no closer look. */
const mayBe = /trust|fund|\betfs?\b|\btr\b/i
/** Numbers of a series, its letter, its year: "II", "2019-1", "Series 33". */
const seriesWord = /^(?:\d+[a-z]?|[ivx]+|[a-z]|series|ser)$/
const unitTrust = /\b(?:invt|investment|unit|municipal) (?:tr|trust)\b.*\b(?:ser|series)\b|\btr fd\b/

function byName(legalName: string): 'fund' | 'trust' | null {
  if (!mayBe.test(legalName) || parseName(legalName).formClass !== null) return null
  const name = legalName.replace(registrarRemark, '')
  if (/\bbank|\bbanc|(?:&|\band)\s+trust\b/i.test(name)) return null
  const words = foldText(name).split(' ')
  while (words.length > 1 && seriesWord.test(words.at(-1) ?? '')) words.pop()
  if (words.length < 2) return null
  return kindOfWord(words.at(-1)) ?? (unitTrust.test(foldText(name)) ? 'trust' : null)
}

function kindOfWord(word: string | undefined): 'fund' | 'trust' | null {
  switch (word) {
    case 'trust':
    case 'trusts':
      return 'trust'
    case 'fund':
    case 'funds':
    case 'etf':
    case 'etfs':
      return 'fund'
    default:
      return null
  }
}

/** Codes of SIC under which money of others is held rather than a business run: funds, pools, trusts, shells. */
const holdingSics = new Set([
  '6189',
  '6211',
  '6221',
  '6722',
  '6726',
  '6732',
  '6733',
  '6770',
  '6792',
  '6794',
  '6795',
  '6799',
])

/**
 * Whether a code of SIC says that its bearer runs a business. A trust that does, like one that owns and lets houses
 * (6798), is a company in all but its form: it is listed, sells, employs and is asked for as one.
 */
export function runsBusiness(sic: string | null | undefined): boolean {
  return sic !== null && sic !== undefined && /^\d{4}$/.test(sic) && !holdingSics.has(sic)
}

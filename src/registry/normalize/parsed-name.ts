import type { LegalForm } from '../../contract/enums.js'
import { canonicalWords, foldText, isNumberWord, withoutJoiningWords, wordsOf } from './normalize-name.js'
import { cutNativeForms, formEndingAt, formLeading, spellOutForms, type FormClass } from './legal-forms.js'
import { matchLimits } from '../model/limits.js'

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

import type { LegalForm } from '../../contract/enums.js'
import { canonicalWord, foldText, isNumberWord, withoutJoiningWords, wordsOf } from './fold.js'
import { cutNativeForms, formEndingAt, formLeading, type FormClass } from './legal-forms.js'
import { matchLimits } from './limits.js'

/** A name as the registry compares it. Made once at import for each name held, once for each query. */
export interface ParsedName {
  /** The folded words without legal form and joining words, abbreviations spelled out. */
  readonly tokens: readonly string[]
  /** `tokens` closed up: "exxon mobil" and "ExxonMobil" share it. */
  readonly coreKey: string
  /** Every word, the legal form's too, closed up. */
  readonly fullKey: string
  readonly formClass: FormClass | null
  readonly legalForm: LegalForm | null
  /** Where the form is known, by ISO 3166-1 code; empty when it says nothing. */
  readonly formCountries: readonly string[]
  /** First letters of the words, legal form left out; empty under two words. */
  readonly acronym: string
}

/** SEC adds the state of incorporation or a remark between slashes: "SEALED AIR CORP/DE", "AIR PRODUCTS INC /NEW/". */
const registrarRemark = /\s*[/\\](?:[A-Za-z]{2,4}|[A-Za-z]{2,4}[/\\])\s*$/

/** Total: a name of no letters and digits has no tokens and an empty key. */
export function parseName(name: string): ParsedName {
  const bounded = name.slice(0, matchLimits.nameCharsMax)
  const native = cutNativeForms(bounded.normalize('NFKC').replace(registrarRemark, ''))
  const words = withoutJoiningWords(wordsOf(foldText(native.rest)))
  const stripped = stripForms(words)
  const tokens = stripped.core.slice(0, matchLimits.tokensMax).map(canonicalWord)
  return {
    tokens,
    coreKey: tokens.join(''),
    fullKey: words.join(''),
    formClass: native.form?.formClass ?? stripped.formClass,
    legalForm: native.form?.legalForm ?? stripped.legalForm,
    formCountries: stripped.countries,
    acronym: acronymOf(tokens),
  }
}

interface Stripped {
  core: readonly string[]
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
    // "Co." before "KG" adds nothing; a telling form outweighs it wherever it stands.
    if (form === null || form.formClass === 'company') form = found
  }
  return {
    core: words.slice(start, end),
    formClass: form?.formClass ?? null,
    legalForm: form?.legalForm ?? null,
    countries: form?.countries ?? [],
  }
}

function acronymOf(tokens: readonly string[]): string {
  if (tokens.length < 2) return ''
  return tokens.map((token) => (isNumberWord(token) ? '' : token.charAt(0))).join('')
}

/**
 * Readings of a query, the whole name first: what stands before or after "d/b/a", "formerly" and the like,
 * and the part up to a legal form that more words follow ("Cardlytics, Inc. Common Stock").
 */
export function readingsOf(name: string): ParsedName[] {
  const bounded = name.slice(0, matchLimits.nameCharsMax)
  const texts = [bounded]
  const aliases = bounded.split(
    /\b(?:d\/?b\/?a|t\/a|a\/?k\/?a|f\/?k\/?a|formerly(?: known as)?|trading as|doing business as|previously)\b/i,
  )
  if (aliases.length > 1) texts.push(...aliases)
  const outsideBrackets = bounded.replace(/[([][^)\]]*[)\]]?/g, ' ')
  if (outsideBrackets !== bounded) texts.push(outsideBrackets)
  const readings = texts.map(parseName)
  const head = headBeforeForm(bounded)
  if (head) readings.push(head)
  const seen = new Set<string>()
  return readings
    .filter(
      (reading) => reading.coreKey.length > 1 && !seen.has(reading.coreKey) && seen.add(reading.coreKey),
    )
    .slice(0, matchLimits.variantsMax)
}

/** Forms that no company name has in its middle, so that what follows them is not the name. */
const closingForms = new Set([
  'inc',
  'incorporated',
  'ltd',
  'limited',
  'llc',
  'plc',
  'corp',
  'gmbh',
  'lp',
  'nv',
])

function headBeforeForm(name: string): ParsedName | null {
  const words = foldText(name.normalize('NFKC').replace(registrarRemark, '')).split(' ')
  const at = words.findIndex((word, index) => index > 0 && closingForms.has(word))
  if (at < 0 || at === words.length - 1) return null
  return parseName(words.slice(0, at + 1).join(' '))
}

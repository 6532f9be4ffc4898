import type { LegalForm } from '../../contract/enums.js'
import {
  toCanonicalWords,
  foldText,
  isNumberWord,
  removeJoiningWords,
  foldWords,
  getOrCompute,
} from './normalize-name.js'
import {
  cutNativeForms,
  findFormAt,
  findTrailingForm,
  findLeadingForm,
  findNationalFrontForm,
  findPurpose,
  isInFrontOfQuoted,
  isInitialsBefore,
  expandForms,
  type FormClass,
  type LegalFormEntry,
  type NativeCut,
} from './legal-forms.js'
import { toHeaderKey, toHeaderKeys } from '../../core/text.js'
import { removeRegistrySuffix } from '../../core/numbers/registry-suffix.js'
import { cleanText, removeProcedure, spellOutShortForms } from './clean-text.js'
import { isNoForm, spellOutForm } from '../reference/registers.js'
import { matchLimits } from '../model/limits.js'
import { joinLatinLetters } from './unspaced-names.js'
import { isFormByChance, writeOut } from './own-letters.js'
import codes from '../reference/fund-and-trust-forms.json' with { type: 'json' }

/** A name prepared for comparison: once per stored name at import, once per query. */
export interface ParsedName {
  /** The folded words without legal form and joining words, abbreviations expanded. */
  readonly tokens: readonly string[]
  /** `tokens` without spaces: "exxon mobil" and "ExxonMobil" share it. */
  readonly coreKey: string
  /** All words, including the legal form, without spaces. */
  readonly fullKey: string
  /** `coreKey` with unexpanded abbreviations: "tech" and "technologies" differ. */
  readonly bareKey: string
  /** The words of the legal form, a leading one first. */
  readonly formWords: readonly string[]
  readonly formClass: FormClass | null
  readonly legalForm: LegalForm | null
  /** Countries of the form, as ISO 3166-1 codes; empty if not distinctive. */
  readonly formCountries: readonly string[]
  /** First letters of the words without the legal form; empty for fewer than two words. */
  readonly acronym: string
}

/**
 * Prepares a name for patterns: undoes damage by programs (`cleanText`). The length is limited again after NFKC, which makes up to 18 letters of one; runs of
 * spaces are removed because some patterns take quadratic time on them.
 */
export function boundText(name: string): string {
  const { nameCharsMax } = matchLimits
  const text = cleanText(name.slice(0, nameCharsMax).replace(addressLine, ', ')).normalize('NFKC')
  return writeInOneScript(text).replace(/\s+/g, ' ').slice(0, nameCharsMax)
}
const addressLine = /(?<=\S)[ \t]*[\r\n]+\s*(?=[^\r\n]*\d)/g // A line with a number is one of an address.

/** Letters of two scripts that look alike, in the order of each other. */
const lookAlikes = [
  ['Cyrillic', 'АВЕЅІЈКМНОРСТУХасеіјорѕух', 'ABESIJKMHOPCTYXaceijopsyx'],
  ['Greek', 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο', 'ABEZHIKMNOPTYXo'],
].map(([script = '', letters = '', latin = '']) => {
  const pairs = Array.from(letters, (letter, at) => [letter, latin.charAt(at)] as const)
  return {
    own: new RegExp(String.raw`\p{Script=${script}}`, 'u'),
    word: new RegExp(String.raw`[\p{Script=Latin}\p{Script=${script}}\p{M}]+`, 'gu'),
    toLatin: new Map(pairs),
    toOwn: new Map(pairs.map(([letter, other]) => [other, letter])),
  }
})

/** Writes words with a few letters of another script that look alike in their own one: "Larkmооr", typed on two keyboards. */
export function writeInOneScript(text: string): string {
  if (!/[\u0370-\u04ff]/.test(text) || !/[A-Za-z]/.test(text)) return joinLatinLetters(writeOut(text))
  const own = lookAlikes.reduce((written, { own, word, toLatin, toOwn }) => {
    const isLatinOnly = (one: string) => latinLetter.test(one) && !toOwn.has(one)
    const isOwnOnly = (one: string) => own.test(one) && !toLatin.has(one)
    const all = Array.from(written)
    // A word of look-alikes alone is in the script of the rest.
    const isMostlyOwn = all.filter(isOwnOnly).length > all.filter(isLatinOnly).length
    return written.replace(word, (found) => {
      if (!own.test(found) || !latinLetter.test(found)) return found
      const [hasLatin, hasOwn] = [isLatinOnly, isOwnOnly].map((is) => Array.from(found).some(is))
      if (hasLatin && hasOwn) return found
      const table = hasOwn || (!hasLatin && isMostlyOwn) ? toOwn : toLatin
      return Array.from(found, (one) => table.get(one) ?? one).join('')
    })
  }, text)
  return joinLatinLetters(writeOut(own))
}
const latinLetter = /\p{Script=Latin}/u
/** Readings of a query, and the names found for it, are mostly few texts. */
const parsedTextsMax = 500
const parsedTexts = new Map<string, ParsedName>()

/** Parses any text, of a country if it is known; without letters and digits there are no tokens and an empty key. */
export function parseName(name: string, country = ''): ParsedName {
  const seat = country === '' ? nowhere : { town: null, country }
  return getOrCompute(parsedTexts, parsedTextsMax, `${country}\n${name}`, () => parseNewName(name, seat))
}

/** Seat of a company, as far as its register states it. */
interface Seat {
  /** Serbia's register adds it to names. */
  readonly town: string | null
  /** ISO 3166-1 code. In some countries, names begin with short forms: "AS Norvane". */
  readonly country: string | null
}
const nowhere: Seat = { town: null, country: null }

/** Parses any text, without the cache: registers seldom repeat a name. */
export function parseNewName(name: string, seat: Seat = nowhere): ParsedName {
  const { words, native, stripped } = splitForm(name, seat)
  const core = stripped.core.slice(0, matchLimits.tokensMax)
  const tokens = toCanonicalWords(core.map((word) => word.slice(0, matchLimits.tokenCharsMax)))
  return {
    tokens,
    coreKey: tokens.join(''),
    fullKey: words.join(''),
    bareKey: stripped.core.join(''),
    formWords: [...(native.form?.words ?? []), ...stripped.formWords],
    formClass: native.form?.formClass ?? stripped.formClass,
    legalForm: native.form?.legalForm ?? stripped.legalForm,
    formCountries: native.form?.countries ?? stripped.countries,
    acronym: toAcronym(tokens),
  }
}

/** Most names: printable ASCII without damage, registry suffixes and runs of spaces. */
const isPlain = (name: string): boolean =>
  /^[ -$'-.0-;=>@-[\]-~]*$/.test(name) && name.length <= matchLimits.nameCharsMax && !name.includes('  ')

function splitForm(name: string, { town, country }: Seat = nowhere) {
  const bounded = isPlain(name) ? name : removeRegistrySuffix(boundText(name))
  const whole = spellOutShortForms(removeProcedure(bounded), country === null ? [] : [country])
  const native = isPlain(name) ? { rest: whole, form: null } : cutNativeForms(whole)
  const words = cutTown(removeJoiningWords(foldWords(expandForms(native.rest))), town, native)
  return { native, words, stripped: stripForms(cutPurpose(words, native.rest), native.rest, country) }
}

/** Cuts what a company does behind its form: "LARKMOOR d.o.o. za trgovinu i usluge", "LARKMOOR DOO uvoz-izvoz". */
function cutPurpose(words: readonly string[], written = ''): readonly string[] {
  const native = findPurpose(words, written)
  if (native > 0) return words.slice(0, native)
  const last = words.findLastIndex((word) => !/^(?:uvoz|izvoz|e(?:ks|x)port|import)$/.test(word)) + 1
  const isName = (end: number) => (findTrailingForm(words, end)?.words.length ?? end) < end
  return words.slice(0, [words.indexOf('za', 2), last].find(isName))
}

/** "SIEMENS DOO BEOGRAD", "JAVNO PREDUZEĆE POŠTA SRBIJE BEOGRAD": the town behind the legal form, or behind a name that begins with it. */
function cutTown(words: readonly string[], town: string | null, native: NativeCut): readonly string[] {
  const seat = town === null ? [] : foldWords(town)
  for (let count = Math.min(seat.length, 3); count > 0; count--) {
    const end = words.length - count
    if (end < 2 || !seat.slice(0, count).every((word, at) => word === words[end + at])) continue
    const isBehindForm = findTrailingForm(words, cutPurpose(words.slice(0, end)).length) !== null
    const form = isBehindForm || end < 3 ? null : (native.form ?? findFormInFront(words, native.rest))
    if (isBehindForm || form !== null) return words.slice(0, end)
  }
  return words
}

const brandBehind = /^(.*[^\s,;:(–-])[\s,;:(–-]+(\p{L}{4,12})\)?$/u

/** True for a brand of the first letters of words, at least two of each: "Lanas Norvane S.A. LANOSA". */
export function isOwnBrand(brand: string, words: readonly string[]): boolean {
  // The least number of words that make the first letters of the brand.
  const least: (number | undefined)[] = [0]
  for (let at = 0; at < brand.length; at++)
    for (let place = least[at] ?? words.length; place < words.length; place++)
      for (let end = at + 2; end <= brand.length && words[place]?.startsWith(brand.slice(at, end)); end++)
        if (at > 0 || end < brand.length) least[end] = Math.min(least[end] ?? words.length, place + 1)
  return brand.length > 3 && least[brand.length] !== undefined
}

/** Cuts a brand behind the legal form that is made of the name: "Lanas Norvane S.A. (LANOSA)". */
export function cutOwnBrand(name: string): string {
  const [, rest = '', brand = ''] = brandBehind.exec(name) ?? []
  return isOwnBrand(foldText(brand), foldWords(rest)) && parseForm(rest).formClass !== null ? rest : name
}

/** Reads a legal form on its own, as a register states it: "A/S", "SAS de droit privé", "CC". Some are only in front of a name. */
export function parseFormText(text: string): ParsedName {
  const form = spellOutForm(text.replaceAll('_', ' '))
  const read = [`qq ${form}`, `${form} qq`].map((name) => parseName(name))
  const isWhole = ({ formClass, tokens }: ParsedName) => formClass !== null && tokens.join() === 'qq'
  return read.find(isWhole) ?? read.find(({ legalForm }) => legalForm !== null) ?? parseName(`qq ${form}`)
}

/** Reads only the legal form of a name, in half of the time of `parseName`. */
export function parseForm(name: string): Pick<ParsedName, 'formClass' | 'formCountries'> {
  const { native, stripped } = splitForm(name)
  const { formClass, countries } = native.form ?? stripped
  return { formClass, formCountries: countries }
}

function stripForms(words: readonly string[], written: string, country: string | null) {
  const leading = findFormInFront(words, written) ?? findNationalFrontForm(country ?? '', words)
  let start = leading && !isFormByChance(leading.words, written) ? leading.words.length : 0
  if (start >= words.length) start = 0
  let form = start > 0 ? leading : null
  let end = words.length
  for (let found = findTrailingForm(words, end); found !== null; found = findTrailingForm(words, end)) {
    const isOther = form !== null && isInitialsBefore(found, form)
    if (end - found.words.length <= start || isOther || isFormByChance(found.words, written)) break
    end -= found.words.length
    // A more specific form than "Co." takes precedence at any position.
    if (form === null || form.formClass === 'company') form = found
  }
  return {
    core: words.slice(start, end),
    formWords: words.slice(0, start).concat(words.slice(end)),
    formClass: form?.formClass ?? null,
    legalForm: form?.legalForm ?? null,
    countries: form?.countries ?? [],
  }
}

function findFormInFront(words: readonly string[], written: string): LegalFormEntry | null {
  const leading = isInFrontOfQuoted(written) ? findFormAt(words, 0) : findLeadingForm(words)
  if (words.length < 2 || leading === null || (!leading.leading && leading.formClass === 'company'))
    return null
  const last = findTrailingForm(words, words.length)
  return isInitialsBefore(leading, last, { isFirst: true, written }) ? null : leading
}

/** Not part of initials: the Royal Bank of Scotland is RBS. */
const acronymSkips = new Set('of for in de du des del di da la le der die group holdings company'.split(' '))

function toAcronym(tokens: readonly string[]): string {
  const telling = tokens.filter((token) => !acronymSkips.has(token) && !isNumberWord(token))
  return telling.length < 2 ? '' : telling.map((token) => token.charAt(0)).join('')
}

/**
 * Returns a name without legal form, case, accents and punctuation, equal for its spellings: `toBareName('ACME GmbH')`
 * equals `toBareName('Acme, Inc.')`. Other scripts are not transliterated, which would make different names equal.
 */
export function toBareName(name: string): string {
  const isLatin = (text: string) => !/[^\p{Script=Latin}\P{L}]/u.test(text)
  const text = isLatin(name) ? name : boundText(name)
  if (isLatin(text)) return parseName(text).bareKey
  return cutNativeForms(text)
    .rest.toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}

/** ISO 20275 codes of forms that are trusts or funds; trust companies are not. */
const [trustCodes, fundCodes] = [new Set(codes.trust), new Set(codes.fund)]

const classifyFormCode = (code: string): 'fund' | 'trust' | null =>
  trustCodes.has(code) ? 'trust' : fundCodes.has(code) ? 'fund' : null

interface NamedRegistration {
  readonly legalName: string
  /** An ISO 20275 code, or the text of the source. */
  readonly legalForm: string | null
}

/**
 * Classifies a registration by its legal form or, without one, by its name: "Oak Income Fund II" and "Oak Royalty
 * Trust" are a fund and a trust; "Oak Fund, Inc." and "Oak Bank & Trust" are companies (`null`).
 */
export function classifyFundOrTrust({ legalName, legalForm }: NamedRegistration): 'fund' | 'trust' | null {
  if (legalForm !== null && !isNoForm(legalForm)) {
    if (/^[A-Z0-9]{4}$/.test(legalForm)) return classifyFormCode(legalForm)
    return classifyWords(foldText(legalForm))
  }
  return classifyName(legalName)
}

/** Words of registers for associations and foundations, folded; of other scripts as written. */
const nonprofitWords = codes.nonprofit.split('|')
/** Words of a business, unless it is expressly for no profit. */
const businessForm = /\b(?:coop|company|corporation|limited|mutual|national|partnership)/
const noProfit = /\bno(?:n|t for) ?profit\b/
/** True for the form of an association or a foundation, as a register states it: "Vereniging", "VZW". */
export function isNonprofitForm(legalForm: string): boolean {
  const key = foldText(legalForm)
  if (nonprofitWords.includes(key)) return true
  if (/^[A-Z0-9]{4}$/.test(legalForm)) return false
  const stated = parseFormText(legalForm).legalForm
  if (stated !== null) return stated === 'nonprofit_corp'
  const text = ` ${key} `
  if (businessForm.test(text) && !noProfit.test(text)) return false
  const isStated = (word: string) => !/^[ -~]/.test(word) && legalForm.toLowerCase().includes(word)
  return nonprofitWords.some((word) => text.includes(` ${word} `) || isStated(word))
}

const { nonprofitFirst: first, nonprofitStart: start, nonprofitLast: last, nonprofitEnd: end } = codes
const nonprofitName = new RegExp(
  String.raw`^(?:(?:${first})(?= \S)|${start})|\S (?:${last})$|(?:${end})$`,
  'u',
)
const businessAssociation = new RegExp(codes.businessAssociation)
/**
 * True for a name that begins or ends with the word for an association or a foundation, and has no form of a company:
 * "Fundación Larkmoor", "Larkmoor e.V."
 */
export function isNonprofitName(legalName: string): boolean {
  const texts = [foldText(legalName), legalName.normalize('NFKC').toLowerCase()]
  const isNamed =
    texts.some((text) => nonprofitName.test(text)) || /\S\s(?:e\.?\s?V|[rR]\.?y)\.?$/.test(legalName)
  if (!isNamed || texts.some((text) => businessAssociation.test(text))) return false
  const { formClass, legalForm } = parseName(legalName)
  return formClass === null || legalForm === 'nonprofit_corp'
}

const soleTraderForms = new Set(toHeaderKeys(codes.soleTrader, codes.soleTraderIn))
const soleTraderName = new RegExp(codes.soleTraderName, 'u')
/** True for a sole trader's form in a register, a short one with its country, except codes of ISO 20275; without a form, by the name. In Colombia, an "empresa unipersonal" is a company. */
export const isSoleTraderForm = (form: string, country: string | null, name = ''): boolean =>
  (form === '' && [foldText(name), name.toLowerCase()].some((text) => soleTraderName.test(text))) ||
  soleTraderForms.has(toHeaderKey(`${country ?? ''} ${form}`)) ||
  (!/^[A-Z0-9]{4}$/.test(form) &&
    !(country === 'CO' && /unipersonal$/i.test(form)) &&
    (soleTraderForms.has(toHeaderKey(form)) || parseFormText(form).legalForm === 'sole_proprietorship'))

/** Most names have none of these words. */
const mayBe = new RegExp(
  String.raw`trust|fund|fond|\bfcp\b|sonderverm|\betfs?\b|\btr\b|^(?:${codes.trustStart})`,
  'i',
)
/** Number, letter or year of a series: "II", "2019-1", "Series 33". */
const seriesWord = /^(?:\d+[a-z]?|[ivx]+|[a-z]|series|ser)$/
const unitTrust = /\b(?:invt|investment|unit|municipal) (?:tr|trust)\b.*\b(?:ser|series)\b|\btr fd\b/

function classifyName(legalName: string): 'fund' | 'trust' | null {
  if (!mayBe.test(legalName) || parseName(legalName).formClass !== null) return null
  const name = removeRegistrySuffix(legalName)
  if (/\bbank|\bbanc|(?:&|\band)\s+trust\b/i.test(name)) return null
  const words = foldText(name).split(' ')
  while (words.length > 1 && seriesWord.test(words.at(-1) ?? '')) words.pop()
  if (words.length < 2) return null
  return classifyWords(words.join(' ')) ?? (unitTrust.test(foldText(name)) ? 'trust' : null)
}

const trusts = new RegExp(String.raw`\btrusts?$|^(?:${codes.trustStart})\b`)
/** The company that manages funds is not a fund. */
const funds = new RegExp(
  String.raw`^(?!.*\b(?:gestion|gestione|gestora)\b).*\b(?:funds?|etfs?|${codes.fundForm})$`,
)
const classifyWords = (text: string): 'fund' | 'trust' | null =>
  trusts.test(text) ? 'trust' : funds.test(text) ? 'fund' : null

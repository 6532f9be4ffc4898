import { namesCountry } from '../../core/countries.js'
import { align, shareNumbers, totalWeight, getWordWeight } from './align.js'
import type { CandidateName } from './candidate.js'
import { compareForms, type FormAgreement } from './form-agreement.js'
import {
  isNumberWord,
  isGenericWord,
  isLightWord,
  isTradeWord,
  isInHouseName,
} from '../normalize/normalize-name.js'
import type { NameVariant } from '../normalize/name-variants.js'
import type { Vocabulary } from './vocabulary.js'

/**
 * How a variant matches a name. `exact`: the same core. `completed`: the text, or a column, ends inside the name.
 * `prefix`: the name begins with the variant. `extends`: the variant begins with the name. `acronym`: its initials.
 * `near`: similar.
 */
export type MatchType = 'exact' | 'completed' | 'prefix' | 'extends' | 'acronym' | 'near'

/** Numbers of words that one side lacks, by kind. */
export interface LeftoverWords {
  /** "Group", "Holdings": often added to a name or dropped. */
  readonly light: number
  /** Words of a trade or a shape: "Software", "Foods". */
  readonly soft: number
  readonly number: number
  /** Words of the place in the query, or of the company's place. */
  readonly place: number
  /** Countries that are not in the query; they are also counted in another field. */
  readonly country: number
  /** All other words. */
  readonly hard: number
  /** Weight of the hard ones. */
  readonly hardWeight: number
}

/** Facts about a variant and a name, without a verdict. */
export interface NameComparison {
  readonly variant: NameVariant
  readonly candidate: CandidateName
  readonly matchType: MatchType
  /** Weighted share of both names that is the same, 0 to 1. */
  readonly similarity: number
  readonly firstAgrees: boolean
  /** Words that differ by a typing error or an abbreviation only. */
  readonly looseCount: number
  /** Number of loose words that the query's word continues. */
  readonly shorterCount: number
  /** Words in common have another order. */
  readonly isReordered: boolean
  /** Distinctive words of the name before the first one in common. */
  readonly leadingCount: number
  /** They differ only by a plural. */
  readonly isPluralOnly: boolean
  /** Every distinctive word is spelled differently. */
  readonly isMisspelled: boolean
  /** Like `isMisspelled`, for words that are more specific than a trade. */
  readonly isBrandMisspelled: boolean
  readonly numbersAgree: boolean
  /** The name continues the query with a number: one of a series. */
  readonly isOneOfSeries: boolean
  /** The column that the query fills may have ended inside this name. */
  readonly isTruncated: boolean
  /** Missing share of a name that the query is the beginning of, 0 to 1. */
  readonly missingShare: number
  readonly queryLeftover: LeftoverWords
  readonly nameLeftover: LeftoverWords
  readonly form: FormAgreement
  /** The query states its legal form. */
  readonly isFormStated: boolean
  /** The query equals the name with its legal form. */
  readonly isFullName: boolean
  /** Weight of the words in common, and of the rarest of them. */
  readonly sharedWeight: number
  readonly rarestWeight: number
  /** The rarest word in common, as spelled in the name; `null` without words in common. */
  readonly rarestWord: string | null
  /** One says "bank" where the other says "bancorp" or "bancshares": a bank and its holding. */
  readonly isBankAndHolding: boolean
  /** The name continues the query with words for a company of its group: "Services (UK)". */
  readonly isInHouse: boolean
  /** Only generic words in common. */
  readonly isGeneric: boolean
}

const noWords: LeftoverWords = { light: 0, soft: 0, number: 0, place: 0, country: 0, hard: 0, hardWeight: 0 }

/** Least similarity for a comparison. */
const similarityMin = 0.35

/**
 * Rewrites "Muehlau" to "Muhlau" if the registry has only the latter. Some sources spell out German and Nordic
 * letters, others simplify them. Words that the registry has stay unchanged: "Bauer", "Neue".
 */
export function rewriteSpelling(variant: NameVariant, vocabulary: Vocabulary): NameVariant {
  let { fullKey } = variant
  const tokens = variant.tokens.map((token) => {
    if (!/[aou]e|aa/.test(token) || vocabulary.countNames(token) > 0) return token
    const closed = token.replace(/([aou])e/g, '$1').replace(/aa/g, 'a')
    if (vocabulary.countNames(closed) === 0) return token
    fullKey = fullKey.replace(token, closed)
    return closed
  })
  return fullKey === variant.fullKey ? variant : { ...variant, tokens, coreKey: tokens.join(''), fullKey }
}

/** Returns `null` if the two have too little in common. `placeWords`: words of the places in the query. */
export function compareNames(
  variant: NameVariant,
  candidate: CandidateName,
  vocabulary: Vocabulary,
  placeWords: ReadonlySet<string>,
): NameComparison | null {
  const matchType = classifyMatch(variant, candidate)
  const tokens = matchType === 'completed' ? completeTokens(variant, candidate) : variant.tokens
  const alignment = matchType === 'exact' ? null : align(tokens, candidate.tokens, vocabulary)
  if (matchType === 'near' && (alignment?.similarity ?? 1) < similarityMin) return null
  const isBankAndHolding = alignment !== null && isBankPair(alignment.queryExtra, alignment.candidateExtra)
  const toLeftover = (words: readonly string[]) => {
    const counted = isBankAndHolding
      ? words.filter((word) => word !== 'bank' && !bankHoldings.has(word))
      : words
    return countLeftover(counted, placeWords, vocabulary)
  }
  const shared = matchType === 'acronym' ? candidate.tokens : removeWords(tokens, alignment?.queryExtra)
  const sharedInName = removeWords(candidate.tokens, alignment?.candidateExtra)
  const series =
    matchType === 'completed' || matchType === 'prefix' ? checkMissingNumber(variant, candidate) : null
  const form = compareForms(variant, candidate)
  return {
    variant,
    candidate,
    matchType,
    similarity: alignment?.similarity ?? 1,
    firstAgrees: alignment?.firstAgrees ?? true,
    looseCount: alignment?.looseWords.length ?? 0,
    shorterCount: alignment?.shorterCount ?? 0,
    ...compareOrder(matchType === 'near' || matchType === 'extends' ? shared : [], candidate.tokens),
    isPluralOnly:
      alignment !== null &&
      alignment.pluralCount > 0 &&
      alignment.looseWords.length + alignment.queryExtra.length + alignment.candidateExtra.length === 0,
    isMisspelled: alignment !== null && isMisspelled(candidate.tokens, alignment.looseWords, isGenericWord),
    isBrandMisspelled:
      alignment !== null && isMisspelled(candidate.tokens, alignment.looseWords, isTradeWord),
    numbersAgree: series !== null || shareNumbers(variant.tokens, candidate.tokens),
    isOneOfSeries: series === true,
    isTruncated: matchType === 'completed' && isColumnCut(variant, candidate),
    missingShare: matchType === 'completed' ? 1 - variant.fullKey.length / candidate.fullKey.length : 0,
    queryLeftover: alignment === null || matchType === 'acronym' ? noWords : toLeftover(alignment.queryExtra),
    nameLeftover:
      alignment === null || matchType === 'acronym' || matchType === 'completed'
        ? noWords
        : toLeftover(alignment.candidateExtra),
    form,
    isFormStated: variant.formClass !== null && variant.formClass !== 'company',
    isFullName: form === 'same' && variant.fullKey === candidate.fullKey,
    sharedWeight: totalWeight(shared, vocabulary),
    rarestWeight: shared.reduce((most, word) => Math.max(most, getWordWeight(word, vocabulary)), 0),
    rarestWord: findRarest(sharedInName, vocabulary),
    isBankAndHolding,
    isInHouse: matchType === 'prefix' && isInHouseName(alignment?.candidateExtra ?? []),
    isGeneric: shared.every(isGenericWord),
  }
}

const removeWords = (words: readonly string[], removed: readonly string[] = []): readonly string[] =>
  removed.length === 0 ? words : words.filter((word) => !removed.includes(word))

const bankHoldings = new Set(['bancorp', 'bancshares', 'bankshares'])

function isBankPair(one: readonly string[], other: readonly string[]): boolean {
  const isPair = (a: readonly string[], b: readonly string[]) =>
    a.includes('bank') && b.some((word) => bankHoldings.has(word))
  return isPair(one, other) || isPair(other, one)
}

function findRarest(words: readonly string[], vocabulary: Vocabulary): string | null {
  let rarest: string | null = null
  let leastCount = Infinity
  for (const word of words) {
    const count = vocabulary.countNames(word)
    if (count < leastCount) [rarest, leastCount] = [word, count]
  }
  return rarest
}

function classifyMatch(variant: NameVariant, candidate: CandidateName): MatchType {
  if (variant.coreKey === candidate.coreKey) return 'exact'
  if (isCompletion(variant, candidate)) return 'completed'
  if (isWordPrefix(variant, candidate)) return 'prefix'
  if (isWordPrefix(candidate, variant)) return 'extends'
  return isInitials(variant, candidate) ? 'acronym' : 'near'
}

const inOrder = { isReordered: false, leadingCount: 0 } as const

/** Compares the order of words spelled alike in both. */
function compareOrder(shared: readonly string[], name: readonly string[]) {
  if (shared.length === 0) return inOrder
  const places = shared.map((word) => name.indexOf(word)).filter((place) => place >= 0)
  const first = Math.min(...places)
  return {
    isReordered: places.some((place, at) => at > 0 && place < (places[at - 1] ?? 0)),
    leadingCount: places.length === 0 ? 0 : name.slice(0, first).filter((word) => !isLightWord(word)).length,
  }
}

/**
 * Returns the words of a truncated text, with the last word completed from the name: in "Beach Brands Holding C", the "C"
 * begins the legal form, so it is not a word of the core.
 */
function completeTokens(variant: NameVariant, candidate: CandidateName): readonly string[] {
  const { tokens } = variant
  const formAt = findWordAfter(candidate, variant)
  if (formAt !== null) return tokens.slice(0, formAt)
  const last = tokens.at(-1) ?? ''
  const whole = candidate.tokens[tokens.length - 1] ?? ''
  return whole.startsWith(last) ? [...tokens.slice(0, -1), whole] : tokens
}

interface Words {
  readonly tokens: readonly string[]
  readonly coreKey: string
}

/** Compares whole words, ignoring spaces: "sun life" begins "sunlife assurance". */
const isWordPrefix = (head: Words, whole: Words): boolean => findWordAfter(head, whole) !== null

/** Returns the place of the first word after those that `head` has; `null` if `whole` does not continue `head`. */
function findWordAfter(head: Words, whole: Words): number | null {
  if (head.coreKey.length >= whole.coreKey.length || !whole.coreKey.startsWith(head.coreKey)) return null
  let length = 0
  for (const [at, token] of whole.tokens.entries()) {
    length += token.length
    if (length >= head.coreKey.length) return length === head.coreKey.length ? at + 1 : null
  }
  return null
}

function isInitials({ kind, tokens }: NameVariant, candidate: CandidateName): boolean {
  const [only] = tokens
  return kind !== 'form' && tokens.length === 1 && only !== undefined && only === candidate.acronym
}

function countLeftover(
  words: readonly string[],
  placeWords: ReadonlySet<string>,
  vocabulary: Vocabulary,
): LeftoverWords {
  const count = { light: 0, soft: 0, number: 0, place: 0, country: 0, hard: 0, hardWeight: 0 }
  for (const word of words) {
    if (isCountryWord(word) && !placeWords.has(word)) count.country++
    if (isNumberWord(word)) count.number++
    else if (isLightWord(word)) count.light++
    else if (placeWords.has(word)) count.place++
    else if (isTradeWord(word)) count.soft++
    else {
      count.hard++
      count.hardWeight += getWordWeight(word, vocabulary)
    }
  }
  return count
}

/** True if the query ends inside the name and is long enough: "Western New England Bancorp, In". */
function isCompletion(variant: NameVariant, candidate: CandidateName): boolean {
  // A form ends a name, unless the column ended first: "First Trust Enhanced Equity Inc" continues with "Income Fund".
  if (variant.kind !== 'whole' || (variant.formClass !== null && variant.cut === 'nowhere')) return false
  if (variant.coreKey.length < 14 || variant.tokens.length < 2) return false
  if (candidate.coreKey.length < 8 || !candidate.fullKey.startsWith(variant.fullKey)) return false
  return endsInsideWord(variant, candidate) || isColumnCut(variant, candidate)
}

/** A name that ends with a whole word may be truncated by a column; otherwise it is a part of the longer one. */
function isColumnCut(variant: NameVariant, candidate: CandidateName): boolean {
  if (variant.cut === 'nowhere' || variant.kind !== 'whole') return false
  return variant.cut === 'anywhere' || !endsInsideWord(variant, candidate)
}

/** "II" is not the beginning of "III": a truncated number is another number. */
function endsInsideWord(variant: NameVariant, candidate: CandidateName): boolean {
  const at = variant.tokens.length - 1
  const last = variant.tokens[at] ?? ''
  return candidate.tokens[at] !== last && !isNumberWord(last)
}

/** Returns `null` if the numbers in the query differ, otherwise whether the missing end starts with a number. */
function checkMissingNumber(variant: NameVariant, candidate: CandidateName): boolean | null {
  const last = variant.tokens.length - 1
  const stated = candidate.tokens.slice(0, last)
  if (!shareNumbers(variant.tokens.slice(0, last), stated)) return null
  const cutWord = variant.tokens[last] ?? ''
  const [same = '', ...rest] = candidate.tokens.slice(last)
  // "Khosla Ventures Acquisition Co. III": the form comes before the number.
  const next = rest.find((word) => !seriesForms.has(word)) ?? ''
  return isNumberWord(same) ? !same.startsWith(cutWord) : isNumberWord(next)
}

/** Shorter words are codes of countries and words of names: "can", "per", "and". */
const isCountryWord = (word: string): boolean =>
  (word.length >= 4 || shortCountries.has(word)) && namesCountry(word)
const shortCountries = new Set(['uk', 'us', 'uae'])

const seriesForms = new Set('co company companies corp corporation inc ltd limited llc lp plc'.split(' '))

function isMisspelled(
  tokens: readonly string[],
  looseWords: readonly string[],
  isCommon: (word: string) => boolean,
): boolean {
  if (looseWords.length === 0) return tokens.length === 0
  const distinctive = tokens.filter((word) => !isLightWord(word) && !isCommon(word))
  return (distinctive.length > 0 ? distinctive : tokens).every((word) => looseWords.includes(word))
}

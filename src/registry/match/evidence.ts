import { formWords } from '../normalize/legal-forms.js'
import { findExactCodes } from '../../core/countries.js'
import { namesCountry } from '../normalize/unspaced-names.js'
import { isShortTown, type PlaceAgreement } from './place-agreement.js'
import { type LocationHint, isCountryWord } from './place-readings.js'
import type { NameComparison } from './compare-names.js'
import type { LeftWord, Position } from './left-words.js'
import type { Separator } from './text-pieces.js'
import type { WordClass } from './word-classes.js'
import { findRegionCodes, isLargeCity, toCityKey } from '../normalize/places.js'
import type { RowAddress } from '../model/registry-rows.js'

/** Facts about the other companies found, on which the evidence of a name depends. */
export interface SiblingCounts {
  /** Companies with a name of the same core. */
  readonly exactCount: number
  /** Companies, not abroad, whose whole name are the words in common: "American Airlines" next to "… Group". */
  readonly namedSoCount: number
  /** Companies of the same core that agree better with the place. */
  readonly betterPlacedCount: number
  /** Companies of the same core with the legal form of the text, if this one has another. */
  readonly betterFormCount: number
  /** Companies with a name that begins with the words in common, including this one. */
  readonly prefixCount: number
  readonly listedPrefixCount: number
  /** How many of these agree with the place at least as well as this one. */
  readonly placedPrefixCount: number
  /** How many are in the town of the query. */
  readonly townPrefixCount: number
  /** Companies whose names the text may be truncated from. */
  readonly completedCount: number
  /** How many of these belong to a series, with the number cut off. */
  readonly seriesCount: number
  /**
   * Companies whose names begin with the first two words of the text: the more, the likelier a missing one is meant.
   */
  readonly familyCount: number
  /** No other company has the rarest word in common in its name. */
  readonly ownsRarestWord: boolean
}

/** The evidence for one company and one query. */
export interface Evidence {
  readonly comparison: NameComparison
  readonly place: PlaceAgreement
  readonly hint: LocationHint | null
  readonly siblings: SiblingCounts
  /** Number of context words that the company's facts contain, apart from its name. */
  readonly contextCount: number
  /** Rarity of a word in the registry. */
  readonly weigh: (word: string) => number
}

/**
 * The kind of evidence for an answer. `exact`: the text is the name. `within`: the text has more words. `part`: the name has more
 * words. `both`: each has more. `fuzzy`: words are spelled otherwise.
 */
const evidenceKinds = ['exact', 'within', 'part', 'both', 'fuzzy'] as const
export type EvidenceKind = (typeof evidenceKinds)[number]

export function classifyEvidence({
  comparison: { looseWords, queryLeftover: q, nameLeftover: n, matchType },
}: Pick<Evidence, 'comparison'>): EvidenceKind {
  if (looseWords.length > 0 && matchType !== 'completed') return 'fuzzy'
  const isMore = q.hard + q.soft + q.light + q.number + q.place > 0
  const isLess = n.hard + n.soft + n.light + n.number + n.place > 0
  if (isMore && isLess) return 'both'
  if (isMore) return 'within'
  return isLess || matchType !== 'exact' ? 'part' : 'exact'
}

/** A value of the evidence, as the model weighs it. */
export type Feature = (evidence: Evidence) => number | boolean

export const cap = (value: number, max: number): number => Math.min(value, max)
export const toTenths = (weight: number, max: number): number => cap(weight, max) / 10

/** Number of words left over, of some classes at some position. */
export function countLeft(position: Position, ...classes: WordClass[]): Feature {
  return ({ comparison: { left } }) => {
    let count = 0
    for (const word of left)
      if (word.position === position && word.role === null && classes.includes(word.word.wordClass)) count++
    return cap(count, 3)
  }
}
/** The telling words behind the name begin after a sign. */
export const isLeftAfter = (separator: Separator): Feature => {
  return ({ comparison: { left, text, alignment } }) =>
    text.words[alignment.end]?.separator === separator &&
    left.some(
      ({ word, position, role }) => position === 'behind' && role === null && word.wordClass === 'telling',
    )
}
/** Telling words between the name and the legal form: "Norvane Oval Ltd" is not Norvane Ltd. */
export const isTellingBeforeForm = ({
  comparison: { left, alignment, statedForm, isFormStated },
}: Evidence) =>
  isFormStated &&
  statedForm !== null &&
  left.some(
    ({ word, at, role }) =>
      role === null &&
      at >= alignment.end &&
      at < statedForm.at &&
      (word.wordClass === 'telling' || word.wordClass === 'body'),
  )
/**
 * A text with the legal form states the whole name, except for its trade: behind the name, or in front of one that has more words in the registry, as in
 * OOO Larkmoor and OOO Larkmoor Plus.
 */
export const statesWholeName: Feature = ({ comparison, place }) => {
  const { isFormStated, isFormNext, isTailMissing, statedForm, alignment, text } = comparison
  if (comparison.form === 'same' && comparison.lacksOnlyTrade) return false
  const formEnd = (statedForm?.at ?? 0) + (statedForm?.count ?? 0)
  const isWhole = formEnd === alignment.start && alignment.end === text.words.length && text.cut === 'nowhere'
  // Usual forms in front are written with short names too: at its postal code, the name may be one.
  return isFormStated && (isFormNext || (isTailMissing && isWhole && place !== 'postal'))
}
/** Lists the countries that words of the text name and the company's name does not, and whether each is the company's. */
const listCountriesLeft = ({ comparison: { left, candidate } }: Pick<Evidence, 'comparison'>) =>
  left.flatMap(({ word, at, role }, index) => {
    // A branch in another country is of the same company.
    const isName = word.wordClass !== 'site' && isCountryWord(word.text)
    const [next] = left.slice(index + 1).filter((one) => one.at === at + 1 && one.word.wordClass === 'place')
    const pair =
      word.wordClass === 'place' && next !== undefined ? `${word.written} ${next.word.written}` : ''
    const codes = findExactCodes(isName ? word.written : pair)
    const { countryCode, jurisdictionCountry } = candidate.place
    const isOwn = [countryCode, jurisdictionCountry].some((own) => codes.includes(own))
    return codes.length === 0 || role === 'repeated' ? [] : [{ word, isOwn }]
  })

/** The text has a country that is not the company's: "Larkmoor Mexico SA". */
export const isCountryLeft = (evidence: Pick<Evidence, 'comparison'>): boolean =>
  listCountriesLeft(evidence).some(({ isOwn }) => !isOwn)

/** The text has the company's country in its name: "Larkmoor Suisse" may be another company of the group, "Larkmoor (CH)" not. */
export const isOwnCountryLeft = (evidence: Evidence): boolean =>
  listCountriesLeft(evidence).some(({ word, isOwn }) => isOwn && !word.isApart)

/** A word of one of the classes is left over, at some position or anywhere. */
export const hasLeft = (classes: readonly WordClass[], at?: Position): Feature => {
  return ({ comparison: { left } }) =>
    left.some(
      ({ word, position, role }) =>
        role === null && classes.includes(word.wordClass) && (at === undefined || position === at),
    )
}
export const countRole = (role: LeftWord['role']): Feature => {
  return ({ comparison: { left } }) => cap(left.filter((word) => word.role === role).length, 3)
}
export const weighLeft = (position: Position): Feature => {
  return ({ comparison: { left }, weigh }) =>
    toTenths(
      left.reduce(
        (total, word) =>
          word.position === position && word.role === null && word.word.wordClass === 'telling'
            ? total + weigh(word.word.text)
            : total,
        0,
      ),
      25,
    )
}

/** The name found is that of a host, of an agent, or in words that describe the company: "Norvane owner Larkmoor". */
export const isGuest: Feature = (evidence) => {
  const { pairs } = evidence.comparison.alignment
  const getClass = (at: number) => evidence.comparison.text.words[at]?.wordClass
  const isDescribed = pairs.length > 0 && pairs.every(({ textAt }) => getClass(textAt) === 'description')
  return isDescribed || hasLeft(['host'], 'before')(evidence) || hasLeft(['agent'], 'behind')(evidence)
}

/** Whether the query states another town. A district is not one: "50 Katherine Street, Sandton", "Leipzig-Plagwitz"; nor is a postal code alone, or another short code: "KHI". */
export function isOtherTown(
  { namesTown, cities, postals, shorts }: LocationHint,
  { city, street, region }: Pick<RowAddress, 'city' | 'street' | 'region'>,
): boolean {
  const [own, larger] = [toCityKey(city ?? ''), toCityKey(region ?? '')]
  const parts = `${street ?? ''},${region ?? ''}`.split(',').map(toCityKey)
  const isCode = (key: string) => shorts.some((code) => code.length < 4 && key.includes(code))
  const isTown = (key: string) =>
    isLargeCity(key) || (/^\D+$/.test(key) && !namesCountry(key) && findRegionCodes(key).length === 0)
  const isIn = (key: string) => parts.includes(key) || (key.length > 3 && larger.startsWith(key))
  const isSame = (key: string) =>
    isIn(key) || key.startsWith(own) || own.startsWith(key) || isShortTown(key, own)
  const isStated = namesTown && [...cities].some((key) => !isCode(key) && (postals.size === 0 || isTown(key)))
  return own !== '' && isStated && ![...cities].some(isSame)
}

/** True if a text and a name have more in common than legal forms, and than a word of everyday language next to a name: "Norvane Services". */
export function isLikeName({ comparison }: Evidence): boolean {
  const { text, matchType, isGeneric, sharedCount, left } = comparison
  if (matchType === 'acronym') return !text.words.every(({ folded }) => formWords.has(folded))
  return !isGeneric || (sharedCount > 1 && !left.some(({ word }) => word.wordClass === 'telling'))
}

import { findFormEnd } from '../normalize/native-scripts.js'
import { isNumberWord } from '../normalize/normalize-name.js'
import { compareMarks } from '../normalize/own-letters.js'
import type { WordPair } from './align-name.js'
import type { CandidateName } from './candidate.js'
import type { NameComparison } from './compare-names.js'
import { isSurer } from './confidence-limit.js'
import { isCountryLeft, type Evidence, type SiblingCounts } from './evidence.js'
import type { ScoredCompany } from './model.js'
import { comparePurposes, isLivingNamesake, isNamedByTown, isWholeName } from './other-names.js'
import { isMarkedOtherwise } from './other-words.js'
import { hasTown, isConflict, placeRank } from './place-agreement.js'
import type { Vocabulary } from './vocabulary.js'

/** Evidence before the other companies were counted. */
export type EvidencePair = Omit<Evidence, 'siblings'>

/** Among companies of one name, a town next to it in the text is as good as one in a field: "Larkmoor Ltd, Leeds". */
export function withTownsOfText(pairs: readonly EvidencePair[]): readonly EvidencePair[] {
  const whole = pairs.flatMap(({ comparison: one }) => (one.matchType === 'exact' ? [one.candidate] : []))
  const hasNamesake = ({ coreKey: key, entityNumber: own }: CandidateName) =>
    whole.some((one) => one.coreKey === key && one.entityNumber !== own)
  const open = /^(?:none|region|country|registered_there)$/
  return pairs.map((pair) => {
    const { candidate, matchType, left } = pair.comparison
    const isOpen = pair.hint?.namesTown !== true && open.test(pair.place)
    const words = left.filter(({ role, position }) => role === 'place' && position !== 'inside')
    if (words.length === 0 || matchType !== 'exact' || !isOpen || !hasNamesake(candidate)) return pair
    const towns = [...words.map(({ word }) => word.text), words.map(({ word }) => word.text).join('')]
    return hasTown(new Set(towns), candidate.place) ? { ...pair, place: 'city' } : pair
  })
}

type PlacedCompany = Readonly<{ rank: number; isListed: boolean }>

/** Counts the companies with the same name, with a name that begins alike, and with a name the text may be truncated from. */
export function countSiblings(
  pairs: readonly EvidencePair[],
  vocabulary: Vocabulary,
): (pair: EvidencePair) => SiblingCounts {
  const exact = new Map<string, Map<number, number>>()
  const namedSo = new Map<string, Set<number>>()
  const formed = new Map<string, Set<number>>()
  const completed = new Set<number>()
  const series = new Set<number>()
  const beginnings = new Map<string, Map<number, PlacedCompany>>()
  for (const { comparison, place } of pairs) {
    const { matchType, candidate, isTruncated, isOneOfSeries, text, form, isFormStated } = comparison
    const { coreKey, entityNumber } = candidate
    if (matchType === 'exact') {
      // The registration with the best place counts for a company.
      const ranks = exact.get(coreKey) ?? new Map<number, number>()
      exact.set(coreKey, ranks.set(entityNumber, Math.max(ranks.get(entityNumber) ?? 0, placeRank[place])))
      const isAbroad = /^(?:registered_elsewhere|country_conflict|town_abroad)$/.test(place)
      if (!isAbroad) addTo(namedSo, coreKey, entityNumber)
      if (form === 'same' && isFormStated) addTo(formed, coreKey, entityNumber)
    }
    if (matchType === 'completed') completed.add(entityNumber)
    // A text that ends with a number identifies one member of the series.
    if (isTruncated && isOneOfSeries && !isNumberWord(text.words.at(-1)?.text ?? '')) series.add(entityNumber)
    const head = getHead(comparison)
    if (head === null) continue
    const companies = beginnings.get(head) ?? new Map<number, PlacedCompany>()
    const rank = Math.max(companies.get(entityNumber)?.rank ?? 0, placeRank[place])
    const isListed = candidate.prominence.tickers !== ''
    beginnings.set(head, companies.set(entityNumber, { rank, isListed }))
  }
  const ownsWord = createOwnershipCheck(pairs, vocabulary)
  const familyCount = countFamily(pairs)
  const headCounts = new Map([...beginnings].map(([head, companies]) => [head, countPlaced(companies)]))
  return ({ comparison, place }) => {
    const { candidate, rarestWord, form } = comparison
    const head = getHead(comparison)
    const headKey = head?.replaceAll(' ', '') ?? candidate.coreKey
    const ofHead = head === null ? undefined : headCounts.get(head)
    const sameForm = formed.get(candidate.coreKey)?.size ?? 0
    return {
      exactCount: exact.get(candidate.coreKey)?.size ?? 0,
      namedSoCount: candidate.coreKey === headKey ? 0 : (namedSo.get(headKey)?.size ?? 0),
      betterPlacedCount: countBetter(exact.get(candidate.coreKey), candidate),
      betterFormCount: form === 'same' ? 0 : sameForm,
      completedCount: completed.size,
      seriesCount: series.size,
      familyCount,
      prefixCount: Math.max(1, ofHead?.count ?? 0),
      listedPrefixCount: ofHead?.listedCount ?? 0,
      placedPrefixCount: ofHead?.countFrom[placeRank[place]] ?? 0,
      townPrefixCount: ofHead?.countFrom[placeRank.city] ?? 0,
      ownsRarestWord: rarestWord !== null && ownsWord(candidate.entityNumber, rarestWord),
    }
  }
}

/** The words of the name that the text has, if the name begins with them. */
function getHead({ alignment, candidate, isTailMissing }: NameComparison): string | null {
  if (alignment.missing.length > 0 && !isTailMissing) return null
  return candidate.tokens.slice(0, candidate.tokens.length - alignment.missing.length).join(' ')
}

/** Counts the companies, the listed ones, and those with at least each rank of place. */
function countPlaced(companies: ReadonlyMap<number, PlacedCompany>) {
  const placed = [...companies.values()]
  return {
    count: placed.length,
    listedCount: placed.filter(({ isListed }) => isListed).length,
    countFrom: Array.from(
      { length: placeRank.postal + 1 },
      (_, least) => placed.filter(({ rank }) => rank >= least).length,
    ),
  }
}

/** Counts companies with a better place than this one, at least in its region: sharing a country is not distinctive. */
function countBetter(
  ranks: ReadonlyMap<number, number> = new Map(),
  { entityNumber }: CandidateName,
): number {
  const own = ranks.get(entityNumber) ?? 0
  return [...ranks.values()].filter((rank) => rank >= placeRank.region && rank > own).length
}

/** Counts companies whose names begin with the first two words of the text, as in a family of funds. */
function countFamily(pairs: readonly EvidencePair[]): number {
  const [first, second] = (pairs[0]?.comparison.text.words ?? []).filter(
    ({ wordClass }) => wordClass !== 'stop',
  )
  if (first === undefined || second === undefined) return 0
  const members = pairs.filter(
    ({ comparison: { candidate } }) =>
      candidate.tokens[0] === first.text && candidate.tokens[1] === second.text,
  )
  return new Set(members.map(({ comparison }) => comparison.candidate.entityNumber)).size
}

/** Returns a check whether one company has all names with a word, as far as they were found. */
function createOwnershipCheck(
  pairs: readonly EvidencePair[],
  vocabulary: Vocabulary,
): (entityNumber: number, word: string) => boolean {
  const names = new Map<number, Set<CandidateName>>()
  for (const { comparison } of pairs) addTo(names, comparison.candidate.entityNumber, comparison.candidate)
  return (entityNumber, word) => {
    const total = vocabulary.countNames(word)
    if (vocabulary.estimateCount(word) > ownedNamesMax) return false
    const own = [...(names.get(entityNumber) ?? [])].filter(({ tokens }) => tokens.includes(word))
    return own.length >= total
  }
}

/** A word in more names belongs to several companies. */
const ownedNamesMax = 8

const addTo = <Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value) =>
  sets.set(key, (sets.get(key) ?? new Set<Value>()).add(value))

/**
 * Returns what a text with the name of a company states that is not the company's: a legal form, or a country. Then it may
 * name another company of the group. `null` if neither differs.
 */
export function findGroupDifference(comparison: NameComparison): 'form' | 'country' | null {
  if (isCountryLeft({ comparison })) return 'country'
  return comparison.isFormStated && /^(?:soft_conflict|hard_conflict|foreign)$/.test(comparison.form)
    ? 'form'
    : null
}

/** Companies keep one shape, with which the engine is fast: spreads would make many. */
const withScore = ({ evidence, features }: ScoredCompany, score: number) => ({ evidence, features, score })

/** True if a company has no word of the text that the better one lacks, agrees no better with the place, and has fewer of its words, lacks more of its own, or has not its form. */
export function isOutdone(
  { place, comparison: one }: Evidence,
  { place: bestPlace, comparison: best }: Evidence,
): boolean {
  const isFormer = best.candidate.kind === 'former' && one.candidate.kind !== 'former'
  if (placeRank[place] > placeRank[bestPlace] || isFormer || best.form.endsWith('conflict')) return false
  const had = new Set(best.alignment.pairs.flatMap(listTexts))
  const own = one.alignment.pairs.flatMap(listTexts)
  const fewer = one.alignment.missing.length - best.alignment.missing.length
  if (one.text.coreKey !== best.text.coreKey || fewer < 0 || own.some((at) => !had.has(at))) return false
  const isMore = [...had].some(
    (at) =>
      !own.includes(at) &&
      /^(?:telling|generic|light|number|body)$/.test(best.text.words[at]?.wordClass ?? ''),
  )
  const isWhole = best.alignment.missing.length === 0
  return isMore || (isWhole && (fewer > 0 || (best.form === 'same' && one.form !== 'same')))
}

const listTexts = ({ textAt, textCount }: WordPair) =>
  Array.from({ length: textCount }, (_, at) => textAt + at)

/** Raises and lowers the scores of companies that others give way to, or that give way to them. */
export function favorLikelier(companies: readonly ScoredCompany[]): ScoredCompany[] {
  return favorMeant(favorWhole(favorOrder(favorSpelled(favorParents(companies)))))
}

/** Chooses between two ways to read a text: the one in which the name is spelled as held represents the company. */
export function preferSpelled(one: ScoredCompany, known: ScoredCompany | undefined): ScoredCompany {
  if (known === undefined) return one
  const isBetter = (a: ScoredCompany, b: ScoredCompany) =>
    isSpelledIn(a, b) || isSurer(a.evidence, b.evidence)
  // A name without marks is not asked for, if the company has it with other ones.
  const isOther = [one, known].map(({ evidence }) => isMarkedOtherwise(evidence))
  if (isOther[0] !== isOther[1] && [one, known].some(hasNoMarks))
    return withScore(isOther[0] === true ? one : known, Math.max(one.score, known.score))
  const isFirst = isBetter(one, known) || (!isBetter(known, one) && one.score > known.score)
  return withScore(isFirst ? one : known, Math.max(one.score, known.score))
}

const hasNoMarks = ({ evidence: { comparison } }: ScoredCompany): boolean =>
  /^\p{ASCII}*$/u.test(comparison.candidate.name)

/** The text has a whole name where it has only a similar one otherwise. */
function isSpelledIn({ evidence: one }: ScoredCompany, { evidence: other }: ScoredCompany): boolean {
  const [{ alignment, matchType, sharedTelling }, loose] = [one.comparison, other.comparison]
  const isInside = alignment.start <= loose.alignment.start && alignment.end >= loose.alignment.end
  return matchType === 'exact' && loose.looseWords.length > 0 && isInside && sharedTelling > 0
}

/** How much higher the score of a company is than that of one that gives way to it. */
const leads = { parent: 1, whole: 0.5, order: 5, meant: 0.25 } as const

/**
 * A finance or service company whose name begins with the text gives way to its parent, whose initials the text is and which is
 * listed or in the same town: "IBM" is rather International Business Machines than IBM Credit LLC.
 */
function favorParents(companies: readonly ScoredCompany[]): ScoredCompany[] {
  const arms = companies.filter(({ evidence }) => evidence.comparison.isInHouse)
  return companies.map((company) => {
    const isOwn = (arm: ScoredCompany) =>
      arm.score >= company.score && isParent(company.evidence.comparison, arm.evidence.comparison)
    const scores = arms.filter(isOwn).map(({ score }) => score + leads.parent)
    return withScore(company, Math.max(company.score, ...scores))
  })
}

/**
 * A company whose whole name the text has is likelier than one with a similar name in its place. One whose name begins with the very
 * words is as likely: "Larkmor Foods" is no "Larkmoor Foods" next to "Larkmor Foods Service".
 */
function favorSpelled(companies: readonly ScoredCompany[]): ScoredCompany[] {
  const loose = companies.filter(({ evidence }) => evidence.comparison.looseWords.length > 0)
  return companies.map((company) => {
    const scores = loose.flatMap((other) => {
      if (isConflict(company.evidence.place) || other.score < company.score) return []
      if (isSpelledIn(company, other)) return [other.score + leads.parent]
      return hasVeryWords(company, other) ? [other.score] : []
    })
    return withScore(company, Math.max(company.score, ...scores))
  })
}

/** True if a name has words of the text as they are, and of these a telling one that another name has in another spelling. */
function hasVeryWords({ evidence: one }: ScoredCompany, { evidence: other }: ScoredCompany): boolean {
  const { looseWords, sharedCount, matchType, alignment, text, isPart } = one.comparison
  const [{ pairs, start }, { words }] = [other.comparison.alignment, other.comparison.text]
  if (looseWords.length > 0 || sharedCount < 2 || alignment.start > start) return false
  const held = alignment.pairs.map(({ textAt }) => text.words[textAt]?.text)
  const isChanged = ({ textAt, match }: WordPair) =>
    /^(?:mis|plural|related|abb)/.test(match.kind) && words[textAt]?.wordClass === 'telling'
  const changed = pairs.filter(isChanged)
  // Initials of a longer name explain fewer words: "RB Larkmoor" is Raiffeisenbank Larkmoor, and not R & B.
  const isInitials = isPart && changed.every(({ match: { kind } }) => kind === 'abbreviated')
  const asked = matchType === 'exact' && !isInitials ? changed : pairs
  return changed.length > 0 && asked.every(({ textAt }) => held.includes(words[textAt]?.text))
}

/** A company that has the text as its name, even one that is closed, is likelier than one whose name the text may be cut from. */
function favorWhole(companies: readonly ScoredCompany[]): ScoredCompany[] {
  const hasAll = ({ left, alignment: { missing } }: NameComparison) =>
    missing.length === 0 && left.every(({ word }) => /^(?:stop|form)$/.test(word.wordClass))
  const isNamedSo = ({ evidence: { comparison: own, place } }: ScoredCompany) =>
    (own.matchType === 'exact' ? !own.isPart : own.matchType === 'near' && hasAll(own)) && !isConflict(place)
  const whole = companies.filter(isNamedSo)
  const rateWords = ({ alignment }: NameComparison) => alignment.cost - alignment.missingCost
  return companies.map((company) => {
    const { place, comparison: cut } = company.evidence
    if (cut.matchType !== 'completed') return company
    const rivals = whole.filter(
      ({ evidence: { comparison: own, place: ownPlace } }) =>
        own.text.coreKey === cut.text.coreKey &&
        rateWords(own) < rateWords(cut) + 0.01 &&
        placeRank[ownPlace] >= placeRank[place] &&
        (own.candidate.prominence.tickers !== '' || cut.candidate.prominence.tickers === ''),
    )
    return withScore(company, Math.min(company.score, ...rivals.map(({ score }) => score - leads.whole)))
  })
}

/**
 * Where the legal form stands and how it is written is part of a registered name: 大和工業株式会社 is another company than 株式会社大和工業,
 * and "Larkmoor Company Limited" than "Larkmoor Limited". The company that is written as the text wins over one that fits the place no better.
 */
function favorOrder(companies: readonly ScoredCompany[]): ScoredCompany[] {
  const written = companies.filter(({ evidence }) => compareWriting(evidence) === 'same')
  if (written.length === 0) return [...companies]
  return companies.map((company) => {
    if (compareWriting(company.evidence) !== 'other') return company
    const { candidate, form } = company.evidence.comparison
    const isTwin = ({ evidence: { comparison: other, place } }: ScoredCompany) =>
      other.candidate.coreKey === candidate.coreKey &&
      other.form === form &&
      placeRank[place] >= placeRank[company.evidence.place]
    const scores = written.filter(isTwin).map(({ score }) => score - leads.order)
    return withScore(company, Math.min(company.score, ...scores))
  })
}

/** Raises a company to one that has the text as its name, where both may be meant: by the town in its name, its name of today, or its form. */
function favorMeant(companies: readonly ScoredCompany[]): ScoredCompany[] {
  const whole = companies.filter(({ evidence: { comparison: c } }) => c.matchType === 'exact' && !c.isPart)
  return companies.map((company) => {
    const scores = whole.flatMap(({ evidence: other, score }) => {
      if (isNamedByTown(company.evidence, other) || isOfStatedForm(company.evidence, other))
        return [score + leads.meant]
      return isLivingNamesake(company.evidence, other) ? [score - leads.meant] : []
    })
    return withScore(company, Math.max(company.score, ...scores))
  })
}

const isParent = ({ matchType, candidate: one }: NameComparison, { candidate: arm }: NameComparison) =>
  matchType === 'acronym' &&
  (one.prominence.tickers !== '' || (one.place.cityKey !== '' && one.place.cityKey === arm.place.cityKey))

/** Whether a text that is the name and its form has the marks of the name, and a form of its class at the same end; `null` if one of them does not show it. */
function compareWriting({ comparison }: Evidence): 'same' | 'other' | null {
  const { text, candidate, form, statedForm, isFormStated } = comparison
  if (!isWholeName(comparison)) return null
  const words = text.words.map(({ folded }) => folded)
  const marks = compareMarks(words, text.native, candidate.name)
  if (marks !== null && marks !== 'same') return 'other'
  if (!isFormStated) return marks
  const purposes = comparePurposes(statedForm, candidate)
  if (purposes !== null) return purposes
  const isOfClass = candidate.formClass === statedForm?.formClass
  if (form === 'same' && !isOfClass && !/^(?:company)?$/.test(candidate.formClass ?? '')) return 'other'
  const [asked, held] = [findFormEnd(text.native), findFormEnd(candidate.name)]
  if (asked === null || held === null) return form === 'same' && isOfClass ? 'same' : marks
  return asked === held ? 'same' : 'other'
}

/** True for a company with the form and the marks of the text, next to one of its name with others: "Company Limited" for "Limited". */
const isOfStatedForm = (one: Evidence, other: Evidence): boolean =>
  compareWriting(one) === 'same' &&
  compareWriting(other) === 'other' &&
  one.comparison.candidate.coreKey === other.comparison.candidate.coreKey &&
  one.comparison.form === other.comparison.form

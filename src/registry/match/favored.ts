import { findFormEnd } from '../normalize/native-scripts.js'
import { compareMarks } from '../normalize/own-letters.js'
import type { WordPair } from './align-name.js'
import type { NameComparison } from './compare-names.js'
import { isSurer } from './confidence-limit.js'
import type { Evidence } from './evidence.js'
import type { ScoredCompany } from './model.js'
import { isLivingNamesake, isNamedByTown, isWholeName } from './other-names.js'
import { isMarkedOtherwise } from './other-words.js'
import { isConflict } from './place-agreement.js'
import { placeRank } from './siblings.js'

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
  const asked = matchType === 'exact' && !isPart ? changed : pairs
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

const isParent = (
  { matchType, candidate: one }: NameComparison,
  { candidate: arm }: NameComparison,
): boolean =>
  matchType === 'acronym' &&
  (one.prominence.tickers !== '' || (one.place.cityKey !== '' && one.place.cityKey === arm.place.cityKey))

/** Whether a text that is the name and its form has the marks of the name, and a form of its class at the same end; `null` if one of them does not show it. */
function compareWriting({ comparison }: Evidence): 'same' | 'other' | null {
  const { text, candidate, form, statedForm, isFormStated } = comparison
  if (!isWholeName(comparison)) return null
  const marks = compareMarks(
    text.words.map(({ folded }) => folded),
    text.native,
    candidate.name,
  )
  if (marks !== null && marks !== 'same') return 'other'
  if (!isFormStated) return marks
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

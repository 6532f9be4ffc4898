import { foldWords } from '../normalize/normalize-name.js'
import { change, type Writings } from './other-writings.js'
import { matchedConfidenceMin } from '../../contract/result.js'
import type { CandidateName } from './candidate.js'
import { groupNames } from './around-name.js'
import { leaveOutAnd, placeBranch } from './left-words.js'
import type { LocationHint } from './place-readings.js'
import { prepareText } from './align-name.js'
import { compareNames } from './compare-names.js'
import { hasOtherScript } from '../normalize/sounds.js'
import type { StatedForm } from '../normalize/legal-forms.js'
import { findConfidenceLimit } from './confidence-limit.js'
import type { Evidence } from './evidence.js'
import { areAlike, comparePlace, isWholeName } from './other-names.js'
import {
  countSiblings,
  favorLikelier,
  isOutdone,
  preferSpelled,
  withTownsOfText,
  type EvidencePair,
} from './siblings.js'
import { computeFeatures } from './features.js'
import {
  boundLogOdds,
  computeDecisionFeatures,
  computeScore,
  fittedCoefficients,
  scoreUnseen,
  sumScores,
  toShare,
  type Coefficients,
  type ScoredCompany,
} from './model.js'
import type { QueryText } from './query-text.js'
import type { Vocabulary } from './vocabulary.js'

/** A query prepared for matching. */
export interface MatchQuery {
  /** The text as given, then other ways to read its script. */
  readonly texts: readonly QueryText[]
  readonly hint: LocationHint | null
  /** How registered names may write the letters of the texts. */
  readonly writings?: Writings
  /** Words of the place in the query. */
  readonly placeWords: ReadonlySet<string>
}

/** A company with the name that fits the text best. */
export interface RankedCompany extends ScoredCompany {
  /** Probability that this company is meant, including `alike`, 0 to 1. */
  readonly share: number
  /** Names of candidates that are most likely the same company in another register. */
  readonly alike: readonly CandidateName[]
}

export interface Ranking {
  /** Most likely first. */
  readonly ranked: readonly RankedCompany[]
  /** Probability that no company found is meant. */
  readonly noneShare: number
  /** Features of the first company, compared with the others; empty without one. */
  readonly decisionFeatures: readonly number[]
  /** How much companies that a small registry lacks lower the log-odds of the first, at most 0. */
  readonly unseenWeight: number
}
export const noRanking: Ranking = { ranked: [], noneShare: 1, decisionFeatures: [], unseenWeight: 0 }

/**
 * Compares each name with the text, keeps the best name of each company, and estimates how likely the first company is right.
 * `contextCount` returns the number of context words that a company's facts contain.
 */
export function rankCompanies(
  query: MatchQuery,
  names: readonly CandidateName[],
  vocabulary: Vocabulary,
  contextCount: (candidate: CandidateName) => number = () => 0,
  coefficients: Coefficients = fittedCoefficients,
): Ranking {
  const companies = joinAlike(scoreCompanies(query, names, vocabulary, contextCount, coefficients))
  const [best, ...others] = companies
  if (best === undefined) return noRanking
  const otherScores = others.map(({ score }) => score)
  const unseenScores = [scoreUnseen(best, vocabulary, coefficients)].filter((score) => score !== null)
  const decideAmong = (scores: readonly number[], one: ScoredCompany = best) => {
    const features = computeDecisionFeatures(one.features, one.score, scores)
    const logOdds = computeScore(features, coefficients.decision)
    return { features, logOdds: boundLogOdds(logOdds, { ...one, others: sumScores(scores) }) }
  }
  const { logOdds } = decideAmong([...otherScores, ...unseenScores])
  const share = toShare(logOdds)
  // Each of the others has its part by its score, as far as the first leaves it; the rest is the case that none is right.
  const told = otherScores.map((score) => share * Math.exp(Math.min(0, score - best.score)))
  const scale = Math.min(1, (1 - share) / told.reduce((sum, one) => sum + one, Number.MIN_VALUE))
  best.share = share
  for (const [at, one] of others.entries()) one.share = (told[at] ?? 0) * scale
  const noneShare = others.reduce((left, one) => left - one.share, 1 - share)
  const ranked = putSurestFirst(companies)
  const [first = best, ...rest] = ranked
  return {
    ranked,
    noneShare: Math.max(0, noneShare),
    decisionFeatures: decideAmong([...rest.map(({ score }) => score), ...unseenScores], first).features,
    unseenWeight: logOdds - decideAmong(otherScores).logOdds,
  }
}

/** Scores each company by its best name; the highest score first. */
export function scoreCompanies(
  query: MatchQuery,
  names: readonly CandidateName[],
  vocabulary: Vocabulary,
  contextCount: (candidate: CandidateName) => number,
  coefficients: Coefficients,
): ScoredCompany[] {
  const evidences = buildEvidences(query, names, vocabulary, contextCount)
  return favorLikelier(pickBestOfEach(evidences, coefficients)).sort(compareScores)
}

const compareScores = (a: ScoredCompany, b: ScoredCompany): number =>
  b.score - a.score ||
  Number(b.evidence.comparison.candidate.active) - Number(a.evidence.comparison.candidate.active) ||
  a.evidence.comparison.candidate.entityNumber - b.evidence.comparison.candidate.entityNumber

/** Builds the evidence for each name. */
export function buildEvidences(
  { texts, hint, placeWords }: MatchQuery,
  names: readonly CandidateName[],
  vocabulary: Vocabulary,
  contextCount: (candidate: CandidateName) => number,
): Evidence[] {
  const pairs: EvidencePair[] = []
  const getOthers = groupNames(names)
  const weigh = (word: string) => vocabulary.weight(word)
  const held = new Set(names.flatMap(({ fullKey, coreKey }) => [fullKey, `=${coreKey}`]))
  for (const text of texts) {
    const prepared = prepareText(text, vocabulary)
    for (const candidate of names) {
      const [read, name] = leaveOutAnd(text, cutAtDash(text, candidate, held), held)
      const asked = read === text ? prepared : prepareText(read, vocabulary)
      const comparison = compareNames(asked, name, { placeWords, getOthers })
      if (comparison === null) continue
      const place = placeBranch(comparison, comparePlace(hint, candidate), hint)
      pairs.push({ comparison, place, hint, contextCount: contextCount(candidate), weigh })
    }
  }
  const placed = withTownsOfText(pairs)
  const getSiblings = countSiblings(placed, vocabulary)
  // A name that may be that of a region is that of a town if a company is there.
  const isTown = hint !== null && !hint.namesTown && pairs.some(({ place }) => place === 'city')
  const asTown = isTown ? { ...hint, namesTown: true } : hint
  return placed.map((pair) => {
    const { comparison, place, contextCount: words } = pair
    const read = place === 'country' ? asTown : hint
    return { comparison, place, hint: read, contextCount: words, weigh, siblings: getSiblings(pair) }
  })
}

function pickBestOfEach(evidences: readonly Evidence[], { company }: Coefficients): ScoredCompany[] {
  const best = new Map<number, ScoredCompany>()
  for (const evidence of evidences) {
    const features = computeFeatures(evidence)
    const one = { evidence, features, score: computeScore(features, company) }
    const { entityNumber } = evidence.comparison.candidate
    best.set(entityNumber, preferSpelled(one, best.get(entityNumber)))
  }
  return [...best.values()]
}

/** Puts rows that are most likely one company in two registers with the better one. Shares are still 0. */
function joinAlike(
  sorted: readonly ScoredCompany[],
): (ScoredCompany & { share: number; alike: CandidateName[] })[] {
  const joined: ReturnType<typeof joinAlike> = []
  for (const { evidence, features, score } of sorted) {
    const { candidate } = evidence.comparison
    const isTwin = ({ alike, evidence: held }: RankedCompany) =>
      alike.length < alikeMax && areAlike(held.comparison.candidate, candidate)
    const twin = joined.find(isTwin)
    if (twin === undefined) joined.push({ evidence, features, score, alike: [], share: 0 })
    else twin.alike.push(candidate)
  }
  return joined
}

/** The result of matching names, before an answer is built from it. */
export type MatchDecision =
  /** `names`: those of several companies, none of which is found. */
  | { readonly kind: 'none'; readonly names?: readonly string[] }
  | {
      /** `candidate`: needs a review; never certain. */
      readonly kind: 'entity' | 'candidate'
      readonly best: RankedCompany
      /** Other likely companies, best first. */
      readonly rivals: readonly RankedCompany[]
      readonly noneShare: number
      /** Features of the best company, compared with the others. */
      readonly decisionFeatures: readonly number[]
      /** Expected precision of such answers, 0 to 100. */
      readonly confidence: number
      /** Names in the text, if it names several companies. */
      readonly names?: readonly string[]
    }

const alikeMax = 3
/** Below this confidence one company is not named; from here to `entityConfidenceMin` only as a candidate. */
const candidateConfidenceMin = 20
const entityConfidenceMin = 50
/** Least share of a company to count as a rival of the best one; and of one with the very name, such as one that has ended. */
const [rivalShareMin, namesakeShareMin] = [0.08, 0.01]

/**
 * Decides whether the best company is the answer, a candidate, or nothing. A body that is not a company is never the
 * answer (see the interface, "unsupported types"), nor is a company less likely than no match.
 */
export function decide({ ranked, noneShare, decisionFeatures }: Ranking): MatchDecision {
  const [best, ...others] = ranked
  if (best === undefined) return { kind: 'none' }
  const confidence = estimateCompanyConfidence(best.share, best.evidence)
  const rate = (other: RankedCompany) => (isOutdone(other.evidence, best.evidence) ? 0 : other.share)
  const likely = others.filter((other) => rate(other) >= rivalShareMin)
  const areNamed = (...all: readonly RankedCompany[]) =>
    all.every(({ evidence }) => isWholeName(evidence.comparison))
  const rivals = others.filter(
    (other) => likely.includes(other) || (areNamed(best, other) && rate(other) >= namesakeShareMin),
  )
  // Example: three companies named "First Bancorp". Each is unlikely, but the case that all are wrong is less likely.
  const rivalShare = likely.reduce((sum, { share }) => sum + share, 0)
  const isOneOfThese = likely.length > 0 && best.share + rivalShare > noneShare
  const { matchType, isPart } = best.evidence.comparison
  // The very name is worth a look, even if its form or its place says that it is another company's.
  const isVeryName = matchType === 'exact' && !isPart
  if (confidence < candidateConfidenceMin && !isOneOfThese && !isVeryName) return { kind: 'none' }
  const isOpen = confidence < matchedConfidenceMin && likely.length > 0
  const isGuess =
    confidence < entityConfidenceMin ||
    isOpen ||
    noneShare > best.share ||
    !best.evidence.comparison.candidate.supported
  const isNextToName =
    isInBrackets(best.evidence) || others.some(({ evidence }) => isNamedApart(evidence, best.evidence))
  return {
    kind: isGuess ? 'candidate' : 'entity',
    best,
    rivals,
    noneShare,
    decisionFeatures,
    // Two that fit as well share the confidence of both.
    confidence: Math.min(estimateCandidateConfidence(best, { ranked }), isNextToName ? nextToOtherMax : 100),
  }
}

const beforeDash =
  /^([\p{L}\p{N}.&'’ ]{2,30}?)\s+[-–—]\s+(?!.*(?:\d|fund|fon[dt]|series?|sub-|branch|sucursal|succursale|filial))\p{L}{3}/iu
/** Leaves out what a name says of its company behind a dash, if the text is the rest with a form: "Larkmoor, S.A." for "LARKMOOR - EQUIPAMENTOS NAVAIS, S.A.". */
function cutAtDash(text: QueryText, candidate: CandidateName, held: ReadonlySet<string>): CandidateName {
  if (text.forms.length === 0 || candidate.formClass === null || held.has(`=${text.coreKey}`))
    return candidate
  const count = foldWords(beforeDash.exec(candidate.name)?.[1] ?? '').length
  const tokens = candidate.tokens.slice(0, count)
  if (count === 0 || count > 2 || tokens.join('') !== text.coreKey) return candidate
  return change(candidate, { tokens, coreKey: text.coreKey, isDescribed: true })
}

/** Most confidence in a company whose name is next to that of another one. */
const nextToOtherMax = 78
/** True if a name with its form is in front of brackets with that of the company, perhaps its trustee or owner: "Norvane Ltd (Larkmoor)". */
function isInBrackets({ comparison: { alignment, text, left, candidate } }: Evidence): boolean {
  const before = left.filter(({ position, role }) => position === 'before' && role === null)
  const isMarked = before.some(({ word }) => /^(?:former|mark|host|agent)$/.test(word.wordClass))
  const isNamed = before.some(
    ({ word }) => word.wordClass === 'telling' && !candidate.tokens.includes(word.text),
  )
  const isForm = ({ at, count }: StatedForm) => count === 0 || at < alignment.start
  const isApart = text.words[alignment.start]?.separator.includes('(') === true
  return isApart && isNamed && !isMarked && text.forms.some(isForm)
}
/** True if the text has the name of a company of two words apart from that of the best one, not in brackets: "Larkmoor Ltd, Norvane Velsor". Behind a slash, the beginning of a name is enough: "Larkmoor / Velsor". */
function isNamedApart({ comparison: one }: Evidence, { comparison: best }: Evidence): boolean {
  const { alignment, text, matchType, sharedTelling, sharedCount, isApartBefore, isApartBehind } = one
  const { start, end, missing, pairs } = alignment
  const isBeside = start >= best.alignment.end || end <= best.alignment.start
  const isWhole = matchType === 'exact' && missing.length === 0 && sharedCount > 1
  const separator = text.words[start]?.separator ?? ''
  const isPlace = best.left.some(({ at, role }) => at === start && role !== null)
  const isShort = !hasOtherScript(text.native) && (text.words[start]?.folded.length ?? 0) < 5
  const isLast = end === text.words.length && !isShort && text.given.includes('/')
  const isBehindSlash =
    separator === '/' && isLast && !isPlace && pairs.every(({ match }) => match.kind === 'equal')
  const isNamed = sharedTelling > 0 && (isWhole || (isBehindSlash && /^(?:exact|prefix)$/.test(matchType)))
  return (
    text === best.text && isBeside && isNamed && isApartBefore && isApartBehind && !separator.includes('(')
  )
}

/** Divides the confidence of all companies by share, so that equal evidence gives equal confidence. */
export function estimateCandidateConfidence(
  { share, evidence }: Pick<RankedCompany, 'share' | 'evidence'>,
  ranking: Pick<Ranking, 'ranked'>,
): number {
  const [best, next] = ranking.ranked
  const total = best?.evidence === evidence && next?.share !== share ? share : sumShares(ranking)
  const part = total === 0 ? 0 : (estimateCompanyConfidence(total, evidence) * share) / total
  return Math.round(Math.min(part, estimateCompanyConfidence(share, evidence)))
}

export const sumShares = ({ ranked }: Pick<Ranking, 'ranked'>): number =>
  ranked.reduce((sum, { share }) => sum + share, 0)

type Decided = Ranking & { readonly decision: MatchDecision }
/** No company alone is right: the first becomes the candidate, the others its rivals. */
export function combineMatches(matches: readonly Decided[], names: readonly string[]): Decided {
  // A name that is not held has a closest one all the same.
  const found = matches.filter(({ decision: { kind } }) => kind !== 'none')
  const all = found.flatMap(({ ranked: [best] }) => (best === undefined ? [] : [best]))
  const numbers = all.map(({ evidence }) => evidence.comparison.candidate.entityNumber)
  const bests = all.filter((_, at) => numbers.indexOf(numbers[at] ?? -1) === at)
  const areNames = all.every(({ evidence }) => evidence.comparison.matchType === 'exact')
  const ranked = bests.map((best) => ({ ...best, share: best.share / bests.length }))
  const [first] = found
  const [best, ...rivals] = ranked
  if (first === undefined || best === undefined) return { decision: { kind: 'none', names }, ...noRanking }
  // One company by its present and a former name.
  if (rivals.length === 0 && areNames && all.length === matches.length) return first
  const shared = { noneShare: first.noneShare, decisionFeatures: first.decisionFeatures }
  // Just below an even chance of one of two.
  const decision = { kind: 'candidate', best, rivals, ...shared, confidence: 49, names } as const
  return { decision, ranked, ...shared, unseenWeight: first.unseenWeight }
}

/** Puts a company in front of likelier ones that are limited to less confidence. Expects the likeliest first. */
function putSurestFirst<Company extends { readonly share: number; readonly evidence: Evidence }>(
  companies: readonly Company[],
): readonly Company[] {
  const total = companies.reduce((sum, { share }) => sum + share, 0)
  const weigh = ({ share, evidence }: Company) =>
    share * Math.min(1, findConfidenceLimit(evidence) / 100 / total)
  // Initials have no word in common with the name.
  const [first] = companies.filter(({ evidence }) => evidence.comparison.matchType !== 'acronym')
  const least = first === companies[0] ? companies.slice(0, 1).map(weigh) : []
  const above = companies.filter(({ share }) => least.some((one) => share > one))
  const weights = new Map(above.map((company) => [company, weigh(company)]))
  return companies.toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0))
}

/** Returns the expected precision of answers with this share and evidence, 0 to 100. */
export const estimateCompanyConfidence = (share: number, evidence: Evidence): number =>
  Math.min(findConfidenceLimit(evidence), Math.round(share * 100))

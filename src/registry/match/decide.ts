import { matchedConfidenceMin } from '../../contract/result.js'
import type { ScoredName } from './score.js'

/** Why a match may not be called certain. Each holds the confidence below `matchedConfidenceMin`. */
export type Doubt =
  | 'several_companies'
  | 'several_completions'
  | 'generic_name'
  | 'subset_only'
  | 'numbers_differ'
  | 'acronym_without_place'
  | 'country_differs'
  | 'spelling_without_place'
  | 'longer_without_place'
  | 'form_differs'

/** What the names say, before it is dressed as an answer. */
export type MatchDecision =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'entity' | 'candidate'
      readonly best: ScoredName
      readonly confidence: number
      readonly doubts: readonly Doubt[]
      /** Other companies that fit as well; without `best`. */
      readonly rivals: readonly ScoredName[]
      readonly chosenByContext: boolean
    }

const doubtCaps: Readonly<Record<Doubt, number>> = {
  several_companies: 72,
  several_completions: 68,
  generic_name: 70,
  subset_only: 74,
  numbers_differ: 52,
  acronym_without_place: 66,
  country_differs: 62,
  spelling_without_place: 76,
  longer_without_place: 78,
  form_differs: 76,
}

/** A name in such a doubt, with no place to confirm it, is a guess and no known business. */
const guessDoubts: ReadonlySet<Doubt> = new Set([
  'generic_name',
  'subset_only',
  'numbers_differ',
  'acronym_without_place',
  'spelling_without_place',
  'country_differs',
])

/** Below this nothing is named; between this and `entityConfidenceMin` only a guess is. */
const candidateConfidenceMin = 45
const entityConfidenceMin = 60
/** A company this many points behind is no rival. */
const rivalMarginPoints = 4
const contextConfidenceMax = 86

/**
 * Decides between companies. `scored` holds the best name of each company; `contextFit` counts what a
 * company shares with the caller's context, and is asked only where names and places leave a tie.
 */
export function decide(
  scored: readonly ScoredName[],
  contextFit: (scored: ScoredName) => number,
): MatchDecision {
  const ranked = [...scored].sort(byPoints)
  const [first] = ranked
  if (first === undefined) return { kind: 'none' }
  // Among names that fit as well the place decides, before a point for the legal form does.
  let best = ranked.find((other) => isRival(first, other) && placeTellsApart(other, first)) ?? first
  let rivals = ranked.filter((other) => other !== best && isRival(best, other))
  const chosen = rivals.length > 0 ? chooseByContext([best, ...rivals], contextFit) : null
  if (chosen !== null) {
    best = chosen
    rivals = []
  }
  const doubts = doubtsOf(best, rivals)
  const cap = Math.min(
    99,
    ...doubts.map((doubt) => doubtCaps[doubt]),
    chosen === null ? 99 : contextConfidenceMax,
  )
  const confidence = Math.max(0, Math.min(cap, Math.round(best.points)))
  if (confidence < candidateConfidenceMin) return { kind: 'none' }
  const isGuess = !isPlaced(best) && doubts.some((doubt) => guessDoubts.has(doubt))
  const isOpen = rivals.length > 0 || !best.candidate.supported || confidence < entityConfidenceMin
  return {
    kind: isGuess || isOpen ? 'candidate' : 'entity',
    best,
    confidence: best.candidate.supported ? confidence : Math.min(confidence, matchedConfidenceMin - 1),
    doubts,
    rivals,
    chosenByContext: chosen !== null,
  }
}

/** Ties are settled the same way each time: active first, the current name first, then the older record. */
export function byPoints(a: ScoredName, b: ScoredName): number {
  return (
    b.points - a.points ||
    Number(b.candidate.active) - Number(a.candidate.active) ||
    a.candidate.entityNumber - b.candidate.entityNumber
  )
}

/** A company that a careful clerk could have meant just as well. */
function isRival(best: ScoredName, other: ScoredName): boolean {
  if (best.points - other.points > rivalMarginPoints) return false
  if (best.candidate.active && !other.candidate.active) return false
  if (best.manner === 'exact' && (other.manner !== 'exact' || isLesserReading(best, other))) return false
  // An alias that leaves the form out is no match for the registered name in full.
  if (best.isFullLegalName && other.candidate.kind === 'other' && other.form !== 'same') return false
  return !placeTellsApart(best, other)
}

function isLesserReading(best: ScoredName, other: ScoredName): boolean {
  return best.reading === 'whole' && other.reading !== 'whole'
}

const placeRank = {
  postal: 4,
  city: 3,
  region: 2,
  country: 1,
  none: 1,
  town_abroad: 1,
  region_conflict: 0,
  country_conflict: 0,
} as const

/** The place given is the one's and not the other's; sharing a country tells nobody apart. */
function placeTellsApart(best: ScoredName, other: ScoredName): boolean {
  const rank = placeRank[best.place]
  return rank >= 2 && placeRank[other.place] < Math.min(rank, placeRank.city)
}

function chooseByContext(
  tied: readonly ScoredName[],
  contextFit: (scored: ScoredName) => number,
): ScoredName | null {
  const fits = tied.map((scored) => ({ scored, fit: contextFit(scored) })).sort((a, b) => b.fit - a.fit)
  const [first, second] = fits
  if (first === undefined || first.fit === 0 || first.fit === second?.fit) return null
  return first.scored
}

function isPlaced({ place }: ScoredName): boolean {
  return place === 'postal' || place === 'city'
}

function doubtsOf(best: ScoredName, rivals: readonly ScoredName[]): Doubt[] {
  const doubts: Doubt[] = []
  const placed = isPlaced(best)
  if (rivals.length > 0)
    doubts.push(best.manner === 'completed' ? 'several_completions' : 'several_companies')
  if (best.isGeneric && best.candidate.tokens.length === 1 && !placed) doubts.push('generic_name')
  if (best.isSubset) doubts.push('subset_only')
  if (best.isLonger && !placed) doubts.push('longer_without_place')
  if (!best.numbersAgree) doubts.push('numbers_differ')
  if (best.manner === 'acronym' && !placed) doubts.push('acronym_without_place')
  if (best.place === 'country_conflict' && !best.isTelling) doubts.push('country_differs')
  if (best.isMisspelled && !placed) doubts.push('spelling_without_place')
  if (best.form === 'hard_conflict') doubts.push('form_differs')
  return doubts
}

import { matchedConfidenceMin } from '../../contract/result.js'
import { marginPointsMax, type MarginFeatures } from './features.js'
import { probabilityOf } from './probability.js'
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
  | 'place_differs'
  | 'spelling_without_place'
  | 'longer_name'
  | 'form_differs'

/** What the names say, before it is dressed as an answer. */
export type MatchDecision =
  | { readonly kind: 'none' }
  | (Weighed & { readonly kind: 'entity' | 'candidate'; readonly confidence: number })

/** However likely: what is in doubt is never called certain. */
const doubtConfidenceMax = matchedConfidenceMin - 1

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
const candidateConfidenceMin = 20
const entityConfidenceMin = 50
const confidenceMax = 99
/** A company this many points behind is no rival. */
const rivalMarginPoints = 4
const contextConfidenceMax = 86

/** The company that fits best, and what speaks against it; not yet how likely it is. */
export interface Weighed {
  readonly best: ScoredName
  readonly rivals: readonly ScoredName[]
  readonly doubts: readonly Doubt[]
  readonly margin: MarginFeatures
  readonly chosenByContext: boolean
}

/**
 * Chooses between companies. `scored` holds the best name of each company; `contextFit` counts what a
 * company shares with the caller's context, and is asked only where names and places leave a tie. Null for
 * no company.
 */
export function selectBest(
  scored: readonly ScoredName[],
  contextFit: (scored: ScoredName) => number,
): Weighed | null {
  const ranked = [...scored].sort(byPoints)
  const [first] = ranked
  if (first === undefined) return null
  // Among names that fit as well the place decides, before a point for the legal form does.
  const there = ranked.find(
    (other) => isRival(first, other) && !isNamesakeThere(first, other) && placeTellsApart(other, first),
  )
  let best = there ?? first
  const tied = ranked.filter((other) => other !== best && isRival(best, other))
  const chosen = tied.length > 0 ? chooseByContext([best, ...tied], contextFit) : null
  const others = ranked.filter((other) => other !== best && !tied.includes(other))
  best = chosen ?? best
  const rivals = chosen === null ? tied : []
  return {
    best,
    rivals,
    doubts: doubtsOf(best, rivals),
    margin: marginFeaturesOf(best, rivals, others),
    chosenByContext: chosen !== null,
  }
}

/** How certain the best company is. `probability` is an argument so that other coefficients can be tried. */
export function decide(
  weighed: Weighed | null,
  probability: (best: ScoredName, margin: MarginFeatures) => number = probabilityOf,
): MatchDecision {
  if (weighed === null) return { kind: 'none' }
  const { best, doubts, rivals, chosenByContext } = weighed
  // What kind of body it is says nothing of whether it is the one meant.
  const isHeld = doubts.length > 0
  const cap = isHeld ? doubtConfidenceMax : chosenByContext ? contextConfidenceMax : confidenceMax
  const confidence = Math.min(cap, Math.round(100 * probability(best, weighed.margin)))
  if (confidence < candidateConfidenceMin) return { kind: 'none' }
  const isGuess = !isPlaced(best) && doubts.some((doubt) => guessDoubts.has(doubt))
  const isOpen = rivals.length > 0 || !best.candidate.supported || confidence < entityConfidenceMin
  return { ...weighed, kind: isGuess || isOpen ? 'candidate' : 'entity', confidence }
}

/** `others` are those that do not fit as well: rivals are counted on their own. */
function marginFeaturesOf(
  best: ScoredName,
  rivals: readonly ScoredName[],
  others: readonly ScoredName[],
): MarginFeatures {
  const [next] = others
  const marginPoints = next === undefined ? marginPointsMax : Math.max(0, best.points - next.points)
  return { rivalCount: rivals.length, marginPoints }
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
  if (isLongerName(best, other) || isNamesakeThere(best, other)) return true
  if (best.points - other.points > rivalMarginPoints) return false
  if (best.candidate.active && !other.candidate.active) return false
  if (best.matchType === 'exact' && (other.matchType !== 'exact' || isLesserVariant(best, other)))
    return false
  // A name without the form, or with another one, is no match for the registered name in full.
  if (best.isFullLegalName && other.form !== 'same') return false
  return !placeTellsApart(best, other)
}

/**
 * The column may have ended before "Corp. II" did. One series sits at one address, so that a place that is
 * not known is no difference; a place that is known to be less fitting is one.
 */
function isLongerName(best: ScoredName, other: ScoredName): boolean {
  if (best.matchType !== 'exact' && best.matchType !== 'completed') return false
  if (!other.isTruncated || !other.candidate.active) return false
  if (placeTellsApart(other, best)) return true
  return other.isOneOfSeries && (isPlaceOpen(other) || placeRank[other.place] >= placeRank[best.place])
}

/** No place to compare, or no more of it known than the country. */
function isPlaceOpen({ place, candidate }: ScoredName): boolean {
  if (place === 'none') return true
  return place === 'country' && candidate.place.cityKey === '' && candidate.place.postalKey === ''
}

/** The name is borne elsewhere, and nearly so by a company in the very place. */
export function isNamesakeThere(best: ScoredName, other: ScoredName): boolean {
  if (!isElsewhere(best) || !isPlaced(other) || !other.candidate.active) return false
  return other.matchType === 'near' && !other.isSubset && !other.isMisspelled && other.numbersAgree
}

export function isElsewhere({ place }: ScoredName): boolean {
  return place === 'region_conflict' || place === 'country_conflict' || place === 'town_abroad'
}

function isLesserVariant(best: ScoredName, other: ScoredName): boolean {
  return best.variant === 'whole' && other.variant !== 'whole'
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

/** Less than one word tells that one name in five thousand holds: others may well be called so. */
const commonWeightMax = 8.5

function isPlaced({ place }: ScoredName): boolean {
  return place === 'postal' || place === 'city'
}

function doubtsOf(best: ScoredName, rivals: readonly ScoredName[]): Doubt[] {
  const doubts: Doubt[] = []
  const placed = isPlaced(best)
  if (rivals.length > 0)
    doubts.push(
      [best, ...rivals].some(({ matchType }) => matchType === 'completed')
        ? 'several_completions'
        : 'several_companies',
    )
  if (best.isOneOfSeries && !placed && best.place !== 'region') doubts.push('numbers_differ')
  const isCommon = best.tellingWeight < commonWeightMax
  if (best.isGeneric && isCommon && best.form !== 'same' && !placed) doubts.push('generic_name')
  if (isElsewhere(best) && isCommon) doubts.push('place_differs')
  if (best.isSubset) doubts.push('subset_only')
  // "Zuto Holdings Limited" is a name in full, and "Zuto Limited" at the same address is another company's.
  if (best.isLonger && (!placed || best.isFormStated)) doubts.push('longer_name')
  if (!best.numbersAgree) doubts.push('numbers_differ')
  if (best.matchType === 'acronym' && !placed) doubts.push('acronym_without_place')
  // A group's companies bear one distinctive name in many countries, each with the form of its own.
  const isSister = best.isFormStated && best.form !== 'same'
  if (best.place === 'country_conflict' && (!best.isDistinctive || isSister)) doubts.push('country_differs')
  if (best.isMisspelled && !placed) doubts.push('spelling_without_place')
  if (best.form === 'hard_conflict') doubts.push('form_differs')
  return doubts
}

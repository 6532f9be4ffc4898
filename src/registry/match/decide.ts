import { matchedConfidenceMin } from '../../contract/result.js'
import type { Evidence } from './evidence.js'
import type { RankedCompany, Ranking } from './rank.js'

/** The result of matching names, before an answer is built from it. */
export type MatchDecision =
  | { readonly kind: 'none' }
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

/** Below this confidence one company is not named; from here to `entityConfidenceMin` only as a candidate. */
const candidateConfidenceMin = 20
const entityConfidenceMin = 50
/** Without evidence for the place, the name may be that of a company of the stated country. */
const elsewhereConfidenceMax = 94
const confidenceMax = 99
/** Least share of a company to count as a rival of the best one. */
const rivalShareMin = 0.08

/**
 * Decides whether the best company is the answer, a candidate, or nothing. A body that is not a company is never the
 * answer (see the interface, "unsupported types"), nor is a company less likely than no match.
 */
export function decide({ ranked, noneShare, decisionFeatures }: Ranking): MatchDecision {
  const [best, ...others] = ranked
  if (best === undefined) return { kind: 'none' }
  const confidence = estimateCompanyConfidence(best.share, best.evidence)
  const rivals = others.filter(({ share }) => share >= rivalShareMin)
  // Example: three companies named "First Bancorp". Each is unlikely, but the case that all are wrong is less likely.
  const rivalShare = rivals.reduce((sum, { share }) => sum + share, 0)
  const isOneOfThese = rivals.length > 0 && best.share + rivalShare > noneShare
  const { matchType, isPart } = best.evidence.comparison
  // The very name is worth a look, even if its form or its place says that it is another company's.
  const isVeryName = matchType === 'exact' && !isPart
  if (confidence < candidateConfidenceMin && !isOneOfThese && !isVeryName) return { kind: 'none' }
  const isOpen = confidence < matchedConfidenceMin && rivals.length > 0
  const isGuess =
    confidence < entityConfidenceMin ||
    isOpen ||
    noneShare > best.share ||
    !best.evidence.comparison.candidate.supported
  return { kind: isGuess ? 'candidate' : 'entity', best, rivals, noneShare, decisionFeatures, confidence }
}

/** Returns the expected precision of answers with this share and evidence, 0 to 100. */
export function estimateCompanyConfidence(share: number, evidence: Evidence): number {
  const estimated = Math.min(confidenceMax, Math.round(share * 100))
  return isElsewhere(evidence) ? Math.min(estimated, elsewhereConfidenceMax) : estimated
}

/**
 * True if the company is known only in another country than the stated one, or if the stated place ends with a name that is
 * no known country or region and not the company's town: it may be a country in a language that is not known.
 */
function isElsewhere({ place, hint, contextCount, comparison }: Evidence): boolean {
  if (contextCount > 0) return false
  if (place === 'country_conflict') return true
  // Registers of listed companies have companies of other countries too.
  if (place === 'registered_elsewhere') return !comparison.candidate.prominence.isListed
  const unreadEnd = hint?.unreadEnd ?? ''
  return unreadEnd !== '' && place !== 'postal' && unreadEnd !== comparison.candidate.place.cityKey
}

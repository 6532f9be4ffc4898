import { matchedConfidenceMin } from '../../contract/result.js'
import { evidenceKindOf } from './evidence.js'
import { confidenceOf, fittedCoefficients, type Coefficients } from './model.js'
import type { RankedCompany, Ranking } from './rank.js'

/** What the names say, before it is dressed as an answer. */
export type MatchDecision =
  | { readonly kind: 'none' }
  | {
      /** `candidate`: to be looked at by somebody; never certain. */
      readonly kind: 'entity' | 'candidate'
      readonly best: RankedCompany
      /** Others that may be meant as well, the likeliest first. */
      readonly rivals: readonly RankedCompany[]
      readonly noneShare: number
      /** 0 to 100: how often such an answer is right. */
      readonly confidence: number
      /** Of a text that names several companies: their names. */
      readonly names?: readonly string[]
    }

/** Below this nothing is named; between this and `entityConfidenceMin` only a guess is. */
const candidateConfidenceMin = 20
const entityConfidenceMin = 50
/** A company this likely beside the best one is a rival. */
const rivalShareMin = 0.08

/**
 * How certain the likeliest company is, and what may be said of it: certain, likely, or only a guess. A body that
 * is no company is never an answer, however likely it is the one meant (see the interface, "unsupported types"), and
 * neither is one that is less likely meant than none of them.
 */
export function decide(
  { ranked, noneShare }: Pick<Ranking, 'ranked' | 'noneShare'>,
  coefficients: Coefficients = fittedCoefficients,
): MatchDecision {
  const [best, ...others] = ranked
  if (best === undefined) return { kind: 'none' }
  const confidence = confidenceOf(best.share, coefficients.confidence[evidenceKindOf(best.evidence)])
  if (confidence < candidateConfidenceMin) return { kind: 'none' }
  const rivals = others.filter(({ share }) => share >= rivalShareMin)
  const isOpen = confidence < matchedConfidenceMin && rivals.length > 0
  const isGuess =
    confidence < entityConfidenceMin ||
    isOpen ||
    noneShare > best.share ||
    !best.evidence.comparison.candidate.supported
  return { kind: isGuess ? 'candidate' : 'entity', best, rivals, noneShare, confidence }
}

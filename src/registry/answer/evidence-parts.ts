import { partOfFeatures, type FeaturePart } from '../match/features.js'
import { fittedCoefficients, type Coefficients } from '../match/model.js'
import type { RankedCompany, Ranking } from '../match/rank.js'

/**
 * What speaks for a company and against it, in so few parts that a person reads them. The first ones are what the
 * features of the model add to its score: each feature is in one part, so that these add up to the score.
 * `other registers`: what other companies add that are most likely the same one. `other candidates`: what companies take
 * that may be meant as well. `start`: where the model starts, by the text asked for alone.
 */
export type PartName = FeaturePart | 'other registers' | 'other candidates' | 'start'

export interface WeighedPart {
  readonly part: PartName
  /** In log-odds. */
  readonly weight: number
}

/** What each part adds to the score of a company: in all, the score. */
export function scoreParts(
  { features }: Pick<RankedCompany, 'features'>,
  { company }: Coefficients = fittedCoefficients,
): { readonly part: FeaturePart; readonly weight: number }[] {
  const weights = new Map<FeaturePart, number>()
  for (const [at, part] of partOfFeatures.entries())
    weights.set(part, (weights.get(part) ?? 0) + (features[at] ?? 0) * (company[at] ?? 0))
  return [...weights].map(([part, weight]) => ({ part, weight }))
}

/** The same with what follows from the text asked for and from the other companies: in all, the log-odds of the share. */
export function shareParts(
  company: Pick<RankedCompany, 'features' | 'score' | 'share'>,
  { ranked, noneShare, noneScore }: Ranking,
): WeighedPart[] {
  const otherShare = ranked.reduce((sum, { share }) => sum + share, 0) - company.share
  const alikeWeight = Math.log(company.share / noneShare) + noneScore - company.score
  return [
    ...scoreParts(company),
    { part: 'other registers', weight: alikeWeight },
    { part: 'other candidates', weight: Math.log(noneShare / (noneShare + Math.max(0, otherShare))) },
    { part: 'start', weight: -noneScore },
  ]
}

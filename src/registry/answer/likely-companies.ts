import {
  estimateCompanyConfidence,
  type MatchDecision,
  type RankedCompany,
  type Ranking,
} from '../match/rank.js'

const limits = {
  /** Less for all companies together is a confidence of 0. */
  totalMin: 0.005,
  shareMin: 0.001,
  /** Least share, as a part of that of the likeliest company. */
  partMin: 0.02,
} as const

/**
 * Returns the companies that a query may mean, best first: those of the decision, and others unless their confidence is 0
 * and no more than a part of the text is theirs.
 */
export function listLikelyCompanies(
  match: Pick<Ranking, 'ranked'> & { readonly decision: MatchDecision },
): readonly RankedCompany[] {
  const { decision, ranked } = match
  const best = decision.kind === 'none' ? null : decision.best
  const mostShare = ranked[0]?.share ?? 0
  // Hundreds of companies with one name have less each.
  const leastShare = Math.max(Math.min(limits.shareMin, mostShare / 2), mostShare * limits.partMin)
  const isAnyLikely = sumShares(match) >= limits.totalMin
  const isLikely = (company: RankedCompany) =>
    isAnyLikely &&
    company.share >= leastShare &&
    (isWholeName(company) || estimateCandidateConfidence(company, match) > 0)
  return ranked.filter((company) => company === best || isLikely(company))
}

/** The text is the company's name or the beginning of it: many companies may have it. */
const isWholeName = ({ evidence: { comparison } }: RankedCompany): boolean =>
  !comparison.isPart && ['exact', 'completed', 'prefix'].includes(comparison.matchType)

/**
 * Divides the confidence of all companies by share, so that equal evidence gives equal confidence and the sum stays
 * within that of the model. Never above the confidence of an answer.
 */
export function estimateCandidateConfidence(
  { share, evidence }: Pick<RankedCompany, 'share' | 'evidence'>,
  ranking: Pick<Ranking, 'ranked'>,
): number {
  const total = sumShares(ranking)
  const part = total === 0 ? 0 : (estimateCompanyConfidence(total, evidence) * share) / total
  return Math.round(Math.min(part, estimateCompanyConfidence(share, evidence)))
}

const sumShares = ({ ranked }: Pick<Ranking, 'ranked'>): number =>
  ranked.reduce((sum, { share }) => sum + share, 0)

import type { Candidate } from '../../core/decisions.js'
import { findRecordUrl } from './citations.js'
import { listIdentifiers, splitJurisdiction, getPrimary } from './entity-record.js'
import {
  describeOtherCandidates,
  describeOtherRegisters,
  describePart,
  armText,
  parentText,
  smallRegistryText,
  startText,
  type ComparedPair,
} from './evidence-texts.js'
import { isSupportedKind, describeUnsupported } from './factors.js'
import { formatAddress, findStanding } from './registration-facts.js'
import type { NameMatch, ResolveDeps } from './resolve.js'
import { estimateCompanyConfidence } from '../match/decide.js'
import { fittedCoefficients, type Coefficients } from '../match/model.js'
import type { RankedCompany, Ranking } from '../match/rank.js'
import { foldText } from '../normalize/normalize-name.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'
import { partOfFeatures, type FeaturePart } from '../match/features.js'

/**
 * Parts of the evidence, few enough to read. Each feature of the model is in one part, so the parts add up to the
 * score. `other registers`: contribution of probable duplicates in other registers. `group`: that of a parent or of its finance
 * company. `other candidates`: reduction by
 * other possible companies. `size of the registry`: reduction by companies that a small registry lacks. `start`: the model's start value for the query text.
 */
type PartName =
  FeaturePart | 'other registers' | 'group' | 'other candidates' | 'size of the registry' | 'start'

interface WeighedPart {
  readonly part: PartName
  /** In log-odds. */
  readonly weight: number
}

/** Returns the contribution of each part; the sum is the score. */
export function scoreParts(
  { features }: Pick<RankedCompany, 'features'>,
  { company }: Coefficients = fittedCoefficients,
): { readonly part: FeaturePart; readonly weight: number }[] {
  const weights = new Map<FeaturePart, number>()
  for (const [at, part] of partOfFeatures.entries())
    weights.set(part, (weights.get(part) ?? 0) + (features[at] ?? 0) * (company[at] ?? 0))
  return [...weights].map(([part, weight]) => ({ part, weight }))
}

/** Adds the contributions of the query text and of other companies; the sum is the log-odds of the share. */
export function shareParts(
  company: Pick<RankedCompany, 'features' | 'score' | 'share' | 'groupWeight'>,
  { ranked, noneShare, noneScore, unseenWeight }: Ranking,
): WeighedPart[] {
  const otherShare = ranked.reduce((sum, { share }) => sum + share, 0) - company.share
  const { groupWeight } = company
  const alikeWeight = Math.log(company.share / noneShare) + noneScore - company.score - groupWeight
  return [
    ...scoreParts(company),
    { part: 'other registers', weight: alikeWeight },
    { part: 'group', weight: groupWeight },
    { part: 'other candidates', weight: Math.log(noneShare / (noneShare + Math.max(0, otherShare))) },
    { part: 'size of the registry', weight: -unseenWeight },
    { part: 'start', weight: unseenWeight - noneScore },
  ]
}

/** A piece of evidence for or against a company; its weight is `null` if it is not part of the model. */
export type CompanyEvidence = Candidate['evidence'][number]

/** A company that a query may mean, by the compared registration. `confidence`: `null` if not estimated. */
export interface CompanyCandidate extends Candidate {
  readonly entityId: string
  readonly name: string
  readonly legalName: string
}

export const candidateLimits = {
  /** On labelled queries, no right company was less likely. */
  shareMin: 0.001,
  namesMax: 10,
  identifiersMax: 20,
  /** Parts with a smaller weight are not shown. */
  weightMin: 0.005,
} as const

/** Returns the likeliest companies, best first, except those in `without`. */
export function listCandidatesByName(
  name: string,
  match: NameMatch,
  deps: Pick<ResolveDeps, 'reader' | 'vocabulary'>,
  countMax: number,
  without: ReadonlySet<number> = new Set(),
): CompanyCandidate[] {
  const likely = match.ranked.filter(
    ({ share, evidence }) =>
      share >= candidateLimits.shareMin && !without.has(evidence.comparison.candidate.entityNumber),
  )
  const vocabulary = deps.vocabulary()
  return likely.slice(0, countMax).flatMap((company) => {
    const { entityNumber, legalEntityNumber } = company.evidence.comparison.candidate
    const stored = deps.reader.entityByNumber(entityNumber)
    const registration = stored?.legalEntities.find(({ number }) => number === legalEntityNumber)
    if (!stored || !registration) return []
    const evidence = buildEvidence(
      company,
      { name, evidence: company.evidence, registration, vocabulary },
      match,
    )
    return [
      toCompanyCandidate(stored, registration, {
        confidence: estimateCandidateConfidence(company, match),
        evidence,
      }),
    ]
  })
}

/**
 * Divides the confidence of all companies by share, so that equal evidence gives equal confidence and the sum stays
 * within that of the model. Never above the confidence of an answer.
 */
function estimateCandidateConfidence(
  { share, evidence }: Pick<RankedCompany, 'share' | 'evidence'>,
  { ranked }: Pick<Ranking, 'ranked'>,
): number {
  const total = ranked.reduce((sum, company) => sum + company.share, 0)
  const part = total === 0 ? 0 : (estimateCompanyConfidence(total, evidence) * share) / total
  return Math.round(Math.min(part, estimateCompanyConfidence(share, evidence)))
}

function buildEvidence(company: RankedCompany, pair: ComparedPair, ranking: Ranking): CompanyEvidence[] {
  const formatPart = (part: PartName) => {
    switch (part) {
      case 'other registers':
        return describeOtherRegisters(company)
      case 'group':
        return company.groupWeight > 0 ? parentText : armText
      case 'other candidates':
        return describeOtherCandidates(company, ranking)
      case 'size of the registry':
        return smallRegistryText
      case 'start':
        return startText
      default:
        return describePart(part, pair)
    }
  }
  return shareParts(company, ranking)
    .filter(({ weight }) => Math.abs(weight) >= candidateLimits.weightMin)
    .map(({ part, weight }) => ({
      label: part,
      text: formatPart(part),
      weight: Math.round(weight * 1000) / 1000,
    }))
}

/** Describes a company by the compared registration. */
export function toCompanyCandidate(
  stored: StoredEntity,
  registration: StoredLegalEntity,
  { confidence, evidence }: Pick<CompanyCandidate, 'confidence' | 'evidence'>,
): CompanyCandidate {
  const primary = getPrimary(stored)
  const { address, jurisdiction } = registration
  return {
    entityId: stored.id,
    legalEntityId: registration.id,
    name: primary.displayName,
    legalName: primary.legalName,
    otherNames: listOtherNames(stored, primary),
    status: findStanding(primary, stored).status,
    place: formatAddress(address),
    countryCode: address.countryCode ?? splitJurisdiction(jurisdiction).countryCode,
    jurisdiction,
    identifiers: listIdentifiers(stored)
      .slice(0, candidateLimits.identifiersMax)
      .map(({ type, value }) => ({ type, value })),
    confidence,
    evidence: isSupportedKind(registration) ? evidence : putKindFirst(evidence, registration),
    url: findRecordUrl(registration) ?? findRecordUrl(primary),
  }
}

/** Puts the reason why a likely candidate is not the answer first. */
function putKindFirst(
  evidence: readonly CompanyEvidence[],
  registration: StoredLegalEntity,
): CompanyEvidence[] {
  const label: PartName = 'kind of body'
  const weighed = evidence.find((part) => part.label === label)
  const others = evidence.filter((part) => part !== weighed)
  return [weighed ?? { label, text: describeUnsupported(registration), weight: null }, ...others]
}

/** Removes duplicates, ignoring spelling. */
function listOtherNames(
  { legalEntities }: StoredEntity,
  { displayName, legalName }: StoredLegalEntity,
): string[] {
  const told = new Set([foldText(displayName), foldText(legalName)])
  const names = legalEntities.flatMap((one) => [one.legalName, ...one.names.map(({ name }) => name)])
  return names
    .filter((name) => !told.has(foldText(name)) && told.add(foldText(name)))
    .slice(0, candidateLimits.namesMax)
}

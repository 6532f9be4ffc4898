import { recordUrl } from './basis.js'
import { identifiersOf, jurisdictionParts, primaryOf } from './entity-record.js'
import { otherCandidatesText, otherRegistersText, partText, startText, type Pair } from './evidence-texts.js'
import { isSupportedKind, unsupportedText } from './factors.js'
import { formattedAddress, standingOf } from './registration-facts.js'
import type { NameMatch, ResolveDeps } from './resolve.js'
import { evidenceKindOf } from '../match/evidence.js'
import { confidenceOf, fittedCoefficients, type Coefficients } from '../match/model.js'
import type { RankedCompany, Ranking } from '../match/rank.js'
import { foldText } from '../normalize/normalize-name.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'
import { partOfFeatures, type FeaturePart } from '../match/features.js'

/**
 * What speaks for a company and against it, in so few parts that a person reads them. The first ones are what the
 * features of the model add to its score: each feature is in one part, so that these add up to the score.
 * `other registers`: what other companies add that are most likely the same one. `other candidates`: what companies take
 * that may be meant as well. `start`: where the model starts, by the text asked for alone.
 */
type PartName = FeaturePart | 'other registers' | 'other candidates' | 'start'

interface WeighedPart {
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

/** One thing that speaks for a company or against it. */
export interface CompanyEvidence {
  readonly label: string
  readonly text: string
  /** In log-odds, to a thousandth; null of what is no part of the model. */
  readonly weight: number | null
}

/** A company that a query may mean. */
export interface CompanyCandidate {
  readonly entityId: string
  readonly legalEntityId: string
  /** In use. */
  readonly name: string
  readonly legalName: string
  readonly otherNames: readonly string[]
  readonly status: string | null
  /** Of the registration that was compared, on one line. */
  readonly place: string | null
  readonly countryCode: string | null
  readonly jurisdiction: string | null
  readonly identifiers: readonly { readonly type: string; readonly value: string }[]
  /** 0 to 100, that it is the one that is meant; null where nothing says. */
  readonly confidence: number | null
  readonly evidence: readonly CompanyEvidence[]
  /** Its public record. */
  readonly url: string | null
}

export const candidateLimits = {
  /** Less likely companies are none that is meant: on labelled queries no right one lay below. */
  shareMin: 0.001,
  namesMax: 10,
  identifiersMax: 20,
  /** Parts that add less are not shown. */
  weightMin: 0.005,
} as const

/** The likeliest companies first, those of `without` left out. */
export function candidatesByName(
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
    const evidence = evidenceOf(
      company,
      { name, evidence: company.evidence, registration, vocabulary },
      match,
    )
    return [candidateOf(stored, registration, { confidence: candidateConfidence(company, match), evidence })]
  })
}

/**
 * How likely the company is meant: of how often such shares are right the company's part, so that companies with equal
 * evidence are equal, and all of them together are no surer than the model is; never above what an answer would say.
 */
function candidateConfidence(
  { share, evidence }: Pick<RankedCompany, 'share' | 'evidence'>,
  { ranked }: Pick<Ranking, 'ranked'>,
): number {
  const confidence = fittedCoefficients.confidence[evidenceKindOf(evidence)]
  const total = ranked.reduce((sum, company) => sum + company.share, 0)
  const part = total === 0 ? 0 : (confidenceOf(total, confidence) * share) / total
  return Math.round(Math.min(part, confidenceOf(share, confidence)))
}

function evidenceOf(company: RankedCompany, pair: Pair, ranking: Ranking): CompanyEvidence[] {
  const textOf = (part: PartName) => {
    switch (part) {
      case 'other registers':
        return otherRegistersText(company)
      case 'other candidates':
        return otherCandidatesText(company, ranking)
      case 'start':
        return startText
      default:
        return partText(part, pair)
    }
  }
  return shareParts(company, ranking)
    .filter(({ weight }) => Math.abs(weight) >= candidateLimits.weightMin)
    .map(({ part, weight }) => ({
      label: part,
      text: textOf(part),
      weight: Math.round(weight * 1000) / 1000,
    }))
}

/** What is known of a company, by the registration that was compared. */
export function candidateOf(
  stored: StoredEntity,
  registration: StoredLegalEntity,
  { confidence, evidence }: Pick<CompanyCandidate, 'confidence' | 'evidence'>,
): CompanyCandidate {
  const primary = primaryOf(stored)
  const { address, jurisdiction } = registration
  return {
    entityId: stored.id,
    legalEntityId: registration.id,
    name: primary.displayName,
    legalName: primary.legalName,
    otherNames: otherNamesOf(stored, primary),
    status: standingOf(primary, stored).status,
    place: formattedAddress(address),
    countryCode: address.countryCode ?? jurisdictionParts(jurisdiction).countryCode,
    jurisdiction,
    identifiers: identifiersOf(stored)
      .slice(0, candidateLimits.identifiersMax)
      .map(({ type, value }) => ({ type, value })),
    confidence,
    evidence: isSupportedKind(registration) ? evidence : withKindFirst(evidence, registration),
    url: recordUrl(registration) ?? recordUrl(primary),
  }
}

/** The reason why a likely candidate is not the answer comes before all other evidence. */
function withKindFirst(
  evidence: readonly CompanyEvidence[],
  registration: StoredLegalEntity,
): CompanyEvidence[] {
  const label: PartName = 'kind of body'
  const weighed = evidence.find((part) => part.label === label)
  const others = evidence.filter((part) => part !== weighed)
  return [weighed ?? { label, text: unsupportedText(registration), weight: null }, ...others]
}

/** Each once, however it is written. */
function otherNamesOf(
  { legalEntities }: StoredEntity,
  { displayName, legalName }: StoredLegalEntity,
): string[] {
  const told = new Set([foldText(displayName), foldText(legalName)])
  const names = legalEntities.flatMap((one) => [one.legalName, ...one.names.map(({ name }) => name)])
  return names
    .filter((name) => !told.has(foldText(name)) && told.add(foldText(name)))
    .slice(0, candidateLimits.namesMax)
}

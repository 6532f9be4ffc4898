import type { Candidate } from '../../core/decisions.js'
import { checkedCountries, numberCountries } from '../../core/numbers/national-numbers.js'
import {
  readIdentifiers,
  toStatedIdentifier,
  type NameWithIdentifiers,
} from '../../core/numbers/stated-identifiers.js'
import { toPlainDigits } from '../../core/text.js'
import { findRecordUrl, formatAddress, findStanding } from './registration-facts.js'
import { listIdentifiers, listNames, splitJurisdiction, getPrimary } from './entity-record.js'
import {
  describeOtherCandidates,
  describePart,
  listLikelyCompanies,
  smallRegistryText,
  startText,
  type ComparedPair,
} from './evidence-texts.js'
import { isSupportedKind, describeUnsupported } from './factors.js'
import type { FoundIdentifier } from './identifier-decision.js'
import { findRegistration, type NameMatch, type ResolveDeps } from './resolve.js'
import { estimateCandidateConfidence, type RankedCompany, type Ranking } from '../match/rank.js'
import { computeDecisionFeatures, weighParts, type DecisionPart } from '../match/model.js'
import { isInOtherScript } from '../normalize/native-scripts.js'
import { foldText } from '../normalize/normalize-name.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'

/**
 * Parts of the evidence, few enough to read. Each feature of the model is in one part, so the parts add up to the log-odds
 * of the share. `other candidates`: reduction by other possible companies. `size of the registry`: by companies that a small
 * registry lacks. `start`: where the model starts.
 */
type PartName = DecisionPart | 'size of the registry'

interface WeighedPart {
  readonly part: PartName
  /** In log-odds. */
  readonly weight: number
}

/** Returns the contribution of each part; the sum is the log-odds of the share. */
export function shareParts(
  company: RankedCompany,
  { ranked, decisionFeatures, unseenWeight }: Ranking,
): WeighedPart[] {
  const weights = new Map<PartName, number>(
    weighParts(
      company.features,
      ranked[0] === company ? decisionFeatures : computeDecisionFeatures(company.features, company.score, []),
    ),
  )
  if (unseenWeight !== 0) weights.set('size of the registry', unseenWeight)
  const told = [...weights].reduce(
    (sum, [part, weight]) => (part === 'other candidates' ? sum : sum + weight),
    0,
  )
  const share = Math.min(1 - shareLeast, Math.max(shareLeast, company.share))
  weights.set('other candidates', Math.log(share / (1 - share)) - told)
  return [...weights].map(([part, weight]) => ({ part, weight }))
}

const shareLeast = 1e-6

/** A piece of evidence for or against a company; its weight is `null` if it is not part of the model. */
export type CompanyEvidence = Candidate['evidence'][number]

/** A company that a query may mean, by the compared registration. `confidence`: `null` if not estimated. */
export interface CompanyCandidate extends Candidate {
  readonly entityId: string
  readonly name: string
  readonly legalName: string
}

export const candidateLimits = {
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
  const likely = listLikelyCompanies(match).filter(
    ({ evidence }) => !without.has(evidence.comparison.candidate.entityNumber),
  )
  const vocabulary = deps.vocabulary()
  return likely.slice(0, countMax).flatMap((company) => {
    const found = findRegistration(deps.reader, company.evidence.comparison.candidate)
    if (found === null) return []
    const { stored, registration } = found
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

function buildEvidence(company: RankedCompany, pair: ComparedPair, ranking: Ranking): CompanyEvidence[] {
  const formatPart = (part: PartName) => {
    switch (part) {
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
  const weight = others.some((part) => part.weight !== null) ? 0 : null
  return [weighed ?? { label, text: describeUnsupported(registration), weight }, ...others]
}

/** Removes duplicates, ignoring spelling. */
function listOtherNames(stored: StoredEntity, { displayName, legalName }: StoredLegalEntity): string[] {
  const told = new Set([foldText(displayName), foldText(legalName)])
  return listNames(stored)
    .filter((name) => !told.has(foldText(name)) && told.add(foldText(name)))
    .slice(0, candidateLimits.namesMax)
}

/** Returns the only company of the numbers, if its names are in another script than the query's; otherwise `null`. */
export function findUnreadCompany(name: string, found: readonly FoundIdentifier[], { reader }: ResolveDeps) {
  const numbers = found.filter(({ identifier }) => identifier.kind !== 'website')
  const [only, ...others] = new Set(numbers.flatMap(({ entityNumbers }) => entityNumbers))
  const stored = only === undefined || others.length > 0 ? null : reader.entityByNumber(only)
  return stored !== null && isInOtherScript(name, listNames(stored)) ? getPrimary(stored) : null
}

/** A label or words in front of a number, "KRS", "NIP: ", "Level 1234", or the country of a VAT number. */
const label = /^(?![A-Z]{2} ?\d{1,7}$)(?:\p{L}[^\d:#№]{1,60}[\s:#№.]+(?=\S*\d)|[A-Z]{2}(?=\d{8}))/u
const places = [null, ...new Set([...numberCountries, ...checkedCountries])]
/** Reads the text of a search. A text with digits may be a number of any register, in each country's writing, and a name. */
export function readSearchText(text: string): NameWithIdentifiers {
  const read = readIdentifiers(text)
  const texts = new Set([/^/, label].map((front) => toPlainDigits(text.trim()).replace(front, '')))
  const numbers = [...(read.identifiers.length > 0 ? [] : texts)]
    .filter((one) => /^(?=(?:\D*\d){4}).{4,40}$/u.test(one))
    .flatMap((one) => places.flatMap((place) => toStatedIdentifier('registration_id', one, place) ?? []))
  return numbers.length === 0 ? read : { name: text, identifiers: numbers }
}

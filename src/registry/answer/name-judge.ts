import { matchedConfidenceMin } from '../../contract/result.js'
import type { NameGrade } from './decide-identified.js'
import { agreementWith, type NameAgreement } from './name-agreement.js'
import { matchName, type NameMatch, type NameQuery, type ResolveDeps } from './resolve.js'
import type { CandidateName } from '../match/candidate.js'
import type { NameComparison } from '../match/compare-names.js'
import { isConflict } from '../match/place.js'
import type { MatchQuery } from '../match/rank.js'

/** A query, and the name in it that is left without its identifiers. */
export interface AskedName {
  readonly query: NameQuery
  /** Null where nothing is left that could be looked for. */
  readonly name: string | null
  readonly match: MatchQuery | null
}

/** What the query's name is to companies, judged when it is asked for. */
export interface NameJudge {
  readonly gradeOf: (entityNumber: number) => NameGrade
  readonly agreementOf: (entityNumber: number) => NameAgreement
  readonly nameMatch: () => NameMatch
  /** The company that the name alone is certain of. */
  readonly certainName: () => CandidateName | null
  /** The likeliest company with this legal name and legal form, however that is written, where no other place is asked for. */
  readonly legalNameMatch: () => CandidateName | null
}

/** Word for word, and with a legal form of the same kind: "Norvane Public Limited Company" is Norvane plc. */
export const isLegalName = ({ matchType, form, isFormStated }: NameComparison): boolean =>
  matchType === 'exact' && form === 'same' && isFormStated

export function createNameJudge(
  { query, name, match }: AskedName,
  deps: ResolveDeps & { readonly namesOf: (entityNumber: number) => CandidateName[] },
): NameJudge {
  const agreements = new Map<number, NameAgreement>()
  let matched: NameMatch | null = null
  const nameMatch = () => (matched ??= matchName({ ...query, name: name ?? '' }, deps))
  const agreementWithCompany = (entityNumber: number): NameAgreement => {
    const known = agreements.get(entityNumber)
    if (known !== undefined || match === null) return known ?? { kind: 'foreign' }
    const agreement = agreementWith(match, deps.namesOf(entityNumber), deps.vocabulary())
    agreements.set(entityNumber, agreement)
    return agreement
  }
  const certainName = (): CandidateName | null => {
    const { decision } = nameMatch()
    const isCertain = decision.kind === 'entity' && decision.confidence >= matchedConfidenceMin
    return isCertain ? decision.best.evidence.comparison.candidate : null
  }
  const legalNameMatch = (): CandidateName | null => {
    const found = nameMatch().ranked.find(
      ({ evidence: { comparison, place } }) =>
        isLegalName(comparison) && comparison.candidate.kind === 'legal' && !isConflict(place),
    )
    return found?.evidence.comparison.candidate ?? null
  }
  return {
    nameMatch,
    certainName,
    legalNameMatch,
    agreementOf: agreementWithCompany,
    gradeOf: (entityNumber) => {
      const agreement = agreementWithCompany(entityNumber)
      if (agreement.kind === 'foreign') return 'foreign'
      if (agreement.kind === 'same') return agreement.comparison.matchType === 'exact' ? 'exact' : 'same'
      const certain = certainName()
      return certain === null || certain.entityNumber === entityNumber ? 'open' : 'foreign'
    },
  }
}

import { matchedConfidenceMin, type Candidate, type Resolution } from '../../contract/result.js'
import { basisOf } from './basis.js'
import { formattedAddress, statusOf } from './registration-facts.js'
import { primaryOf, resultEntityOf } from './entity-record.js'
import { actionsOf, factorsOf, limitation } from './factors.js'
import type { Match } from './reasons.js'
import { regionCodeIn } from '../normalize/place-names.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'

/**
 * Nothing found, or (`not_found`) nothing that could be looked for. `closest`: a name that is close to the one asked for,
 * and most likely another company's.
 */
export function emptyAnswer(status: 'no_match' | 'not_found', closest: string | null = null): Resolution {
  const isNamed = status === 'no_match'
  const nothing =
    closest === null
      ? 'No registration bears this name or one close to it.'
      : `The closest name held, "${closest}", is most likely that of another company.`
  return {
    status,
    match_confidence: 0,
    type: null,
    subtype: null,
    entity: null,
    candidate: null,
    factors: [
      isNamed
        ? limitation('no_legal_entity_confirmed', nothing, 'high')
        : limitation('name_too_generic', 'The name holds too few letters or digits to look for.', 'high'),
    ],
    actions: [
      { code: 'provide_full_legal_name', description: 'Give the full legal name as registered.' },
      ...(isNamed ? [{ code: 'verify_address', description: 'Check the place of the company.' }] : []),
    ],
    merged_into: null,
    basis: [],
    classification: null,
  }
}

/** Dresses a decision as the answer of the interface ("v3 job result"). */
export function answerOf(match: Match, stored: StoredEntity, registration: StoredLegalEntity): Resolution {
  const shared = {
    match_confidence: match.confidence,
    type: registration.type,
    subtype: registration.subtype,
    factors: factorsOf(match, stored, registration),
    actions: actionsOf(match, registration),
    merged_into: null,
    classification: classificationOf(match),
  }
  if (match.kind === 'candidate') {
    return {
      ...shared,
      status: 'inconclusive',
      entity: null,
      candidate: candidateOf(registration),
      basis: [],
    }
  }
  const entity = resultEntityOf(stored, registration)
  return {
    ...shared,
    status: match.confidence >= matchedConfidenceMin ? 'matched' : 'partial_match',
    entity,
    candidate: null,
    basis: basisOf(entity, primaryOf(stored), stored),
  }
}

export function candidateOf(registration: StoredLegalEntity): Candidate {
  const { address } = registration
  const line = formattedAddress(address)
  const stateCode = address.region === null ? null : regionCodeIn(address.countryCode, address.region)
  return {
    name: registration.displayName,
    legal_name: registration.legalName,
    jurisdiction: registration.jurisdiction,
    status: statusOf(registration),
    description: null,
    primary_address: { full_address: line, state_code: stateCode, country_code: address.countryCode },
  }
}

function classificationOf(match: Match): string {
  const { contextCount, siblings } = match.best.evidence
  // The name is several companies' all the same where only the context tells them apart.
  const isToldByContext = contextCount > 0 && siblings.exactCount > 1
  if (match.rivals.length > 0 || isToldByContext) return 'ambiguous'
  return match.best.evidence.comparison.isGeneric ? 'generic' : 'specific'
}

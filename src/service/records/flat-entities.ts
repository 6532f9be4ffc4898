import type { ResultEntity } from '../../contract/entity.js'
import type { OutcomeStatus } from '../../contract/enums.js'
import { matchedConfidenceMin } from '../../contract/limits.js'
import type { CandidateV2, EntityV2 } from '../../contract/earlier-versions.js'
import type { Candidate } from '../../contract/result.js'
import { assertNever } from '../../core/errors.js'

/** The common part of the entities of a job result, a record and a domain. */
type Company = Omit<ResultEntity, 'identifiers' | 'facets' | 'industry' | 'parent_entity'>

/** Converts a company to the flat form of v1 and v2, in the order of the interface ("v2 resolution result"). */
export function flattenEntity(entity: Company): EntityV2 {
  const { headquarters, matching_branch: branch, primary_legal_entity: primary } = entity
  return {
    id: entity.id,
    name: entity.display_name ?? entity.legal_name,
    status: toActivity(entity.status),
    website: entity.website,
    description: entity.description,
    headquarters: flattenAddress(headquarters.address),
    matching_branch: branch === null ? null : toBranch(branch),
    primary_legal_entity: {
      id: primary.id,
      name: entity.legal_name,
      state_code: primary.state_code,
      country_code: primary.country_code,
      jurisdiction: primary.jurisdiction,
    },
  }
}

export function flattenCandidate(candidate: Candidate): CandidateV2 {
  const { name, legal_name, jurisdiction, status, description, primary_address } = candidate
  return { name, legal_name, jurisdiction, status: toActivity(status), description, primary_address }
}

type Block<Key extends keyof ResultEntity> = NonNullable<ResultEntity[Key]>

/** Converts an address; `address` is the whole address in one line. */
function flattenAddress(address: Block<'headquarters'>['address']): EntityV2['headquarters'] {
  const { city, state, country, state_code, country_code } = address
  const line = address.formatted_address ?? address.street_address
  return { city, state, address: line, country, state_code, country_code }
}

function toBranch(branch: Block<'matching_branch'>): Block<'matching_branch'> {
  const { notes, address, state_code, country_code, jurisdiction } = branch
  return { notes, address, state_code, country_code, jurisdiction }
}

const endedWords = /inactive|dissol|closed|removed|struck|liquidat|ceased|deregist|annulled|merged|revoked/

/** Maps the status of a register to the two values of v1 and v2; `null` if it is clearly neither. */
function toActivity(status: string | null): EntityV2['status'] {
  const words = status?.trim().toLowerCase() ?? ''
  if (/^active\b/.test(words)) return 'active'
  return endedWords.test(words) ? 'inactive' : null
}

/**
 * Returns the status for responses without `merged` and `failed` (v2 and domains): a merge with its canonical company
 * counts as a match. Throws for failed research, which has no result there.
 */
export function toPlainStatus(outcome: {
  readonly status: OutcomeStatus
  readonly entity: object | null
  readonly match_confidence: number
}): Exclude<OutcomeStatus, 'merged' | 'failed'> {
  const { status, entity, match_confidence: confidence } = outcome
  switch (status) {
    case 'matched':
    case 'partial_match':
    case 'inconclusive':
    case 'no_match':
    case 'not_found':
      return status
    case 'merged':
      if (entity === null) return 'inconclusive'
      return confidence >= matchedConfidenceMin ? 'matched' : 'partial_match'
    case 'failed':
      throw new Error('research that failed has no result')
    default:
      return assertNever(status)
  }
}

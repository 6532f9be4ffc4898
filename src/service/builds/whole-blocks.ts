import type { DomainResult } from '../../contract/domain.js'
import type { EntityRecord } from '../../contract/entity.js'
import {
  unknownAddress,
  unknownAuthority,
  unknownClassification,
  unknownProfiles,
} from '../../contract/unknown.js'

type Stored<Block> = { readonly [Key in keyof Block]?: Block[Key] | null }

/**
 * Results that were stored when a block of which nothing is known was still left out or null: each has all of its
 * keys again, so that whatever a data folder holds can be answered with.
 */
export function wholeRecord(stored: EntityRecord): EntityRecord {
  const loose: Stored<EntityRecord> = stored
  return {
    ...wholeEntity(stored),
    facets: loose.facets ?? { sector: null, legal_form: null },
    industry: loose.industry ?? { schemes: {} },
    classification: loose.classification ?? unknownClassification,
    social_profiles: { ...unknownProfiles, ...loose.social_profiles },
  }
}

export function wholeDomainResult(stored: DomainResult): DomainResult {
  const facts: Stored<DomainResult['domain_intelligence']> = stored.domain_intelligence
  return {
    ...stored,
    entity: stored.entity === null ? null : wholeEntity(stored.entity),
    candidate: stored.candidate === null ? null : wholeCandidate(stored.candidate),
    domain_intelligence: {
      ...stored.domain_intelligence,
      industry: facts.industry ?? { schemes: {} },
      classification: facts.classification ?? unknownClassification,
      social_profiles: { ...unknownProfiles, twitter: { handle: null }, ...facts.social_profiles },
    },
  }
}

type Entity = Pick<EntityRecord, 'headquarters' | 'primary_legal_entity'>

function wholeEntity<Shown extends Entity>(stored: Shown): Shown {
  const loose: Stored<Entity> = stored
  const primary = stored.primary_legal_entity
  const authority: Stored<Entity['primary_legal_entity']>['registration_authority'] =
    primary.registration_authority
  return {
    ...stored,
    headquarters: loose.headquarters ?? { address: unknownAddress },
    primary_legal_entity: { ...primary, registration_authority: authority ?? unknownAuthority },
  }
}

type Candidate = NonNullable<DomainResult['candidate']>

function wholeCandidate(stored: Candidate): Candidate {
  const { primary_address: address }: Stored<Candidate> = stored
  return { ...stored, primary_address: address ?? { full_address: null, state_code: null, country_code: null } }
}

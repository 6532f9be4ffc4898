import type { DomainResult } from '../../../contract/domain.js'
import type { EntityRecord } from '../../../contract/entity.js'
import {
  unknownAddress,
  unknownAuthority,
  unknownClassification,
  unknownProfiles,
} from '../../../contract/unknown.js'

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
type Primary = Entity['primary_legal_entity']

function wholeEntity<Shown extends Entity>(stored: Shown): Shown {
  const loose: Stored<Entity> = stored
  const primary: Stored<Primary> = stored.primary_legal_entity
  return {
    ...stored,
    headquarters: orElse(loose.headquarters, { address: unknownAddress }),
    primary_legal_entity: {
      ...stored.primary_legal_entity,
      registration_authority: orElse(primary.registration_authority, unknownAuthority),
    },
  }
}

type Candidate = NonNullable<DomainResult['candidate']>

const unknownPlace: Candidate['primary_address'] = {
  full_address: null,
  state_code: null,
  country_code: null,
}

function wholeCandidate(stored: Candidate): Candidate {
  const loose: Stored<Candidate> = stored
  return { ...stored, primary_address: orElse(loose.primary_address, unknownPlace) }
}

/** Narrowing remembers what was assigned, and would take the default for one that is never needed. */
function orElse<Block>(stored: Block | null | undefined, unknown: Block): Block {
  return stored ?? unknown
}

import { entityRecord, type EntityRecord, type EntityReply } from '../../../contract/entity.js'
import { entityId, type CallId } from '../../../contract/enums.js'
import {
  unknownClassification,
  unknownProfiles,
  unknownAddress,
  unknownAuthority,
} from '../../../contract/unknown.js'
import type { Knowledge } from '../../knowledge.js'
import { BuildFailure, toIsoTime, type StoredBuild, type Compiler, type EventData } from './build.js'
import type { DomainResult } from '../../../contract/domain.js'

type Stored<Block> = { readonly [Key in keyof Block]?: Block[Key] | null }

/** Restores the keys of blocks that older versions stored as absent or `null`. */
function fillRecord(stored: EntityRecord): EntityRecord {
  const loose: Stored<EntityRecord> = stored
  return {
    ...fillEntity(stored),
    facets: loose.facets ?? { sector: null, legal_form: null },
    industry: loose.industry ?? { schemes: {} },
    classification: loose.classification ?? unknownClassification,
    social_profiles: { ...unknownProfiles, ...loose.social_profiles },
  }
}

export function fillDomainResult(stored: DomainResult): DomainResult {
  const facts: Stored<DomainResult['domain_intelligence']> = stored.domain_intelligence
  return {
    ...stored,
    entity: stored.entity === null ? null : fillEntity(stored.entity),
    candidate: stored.candidate === null ? null : fillCandidate(stored.candidate),
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

function fillEntity<Shown extends Entity>(stored: Shown): Shown {
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

function fillCandidate(stored: Candidate): Candidate {
  const loose: Stored<Candidate> = stored
  return { ...stored, primary_address: orElse(loose.primary_address, unknownPlace) }
}

/** A plain `??` would not do: the compiler narrows to the stored type and drops the default. */
function orElse<Block>(stored: Block | null | undefined, unknown: Block): Block {
  return stored ?? unknown
}

/** Compiles the record of an entity. Throws if the record breaks the interface, so that it is never stored. */
export function createEntityCompiler(knowledge: Knowledge): Compiler {
  return (id) => {
    const found = knowledge.entity(entityId.parse(id))
    if (found === null) throw new BuildFailure('the company is no longer known')
    return JSON.stringify(entityRecord.parse(found.record))
  }
}

/** Parses a result of the compiler, also one stored by an older version without unknown blocks. */
export function parseEntityRecord(result: string): EntityRecord {
  return fillRecord(JSON.parse(result) as EntityRecord)
}

/** Returns the record before its build: identity only, with every attribute and block present but `null`. */
export function stripEnrichment(record: EntityRecord): EntityRecord {
  const nothing = Object.fromEntries(Object.keys(record.attributes).map((key) => [key, null]))
  return {
    ...record,
    attributes: nothing as EntityRecord['attributes'],
    classification: unknownClassification,
    operational_presence: [],
    social_profiles: unknownProfiles,
  }
}

/**
 * Returns the `enrichment` of v3. It has no status for a record that is being refreshed: the record exists, so it is
 * `complete` (interface: "v3 entity enrichment").
 */
export function toEnrichment(build: StoredBuild): NonNullable<EntityReply['enrichment']> {
  const status = build.state === 'refreshing' ? 'complete' : build.state
  return { status, updated_at: toIsoTime(build.updatedAtMs) }
}

/** Returns the reply to the read at the end of the build; after a failure, with the known part of the record. */
export function createEntityEventData(knowledge: Knowledge): EventData {
  return (build, { callId }) => ({
    status: 'matched',
    merged_into: null,
    entity: build.result === null ? findKnownPart(knowledge, build.subject) : parseEntityRecord(build.result),
    enrichment: toEnrichment(build),
    request_id: callId satisfies CallId,
  })
}

/** The event must not fail for the same reason as its build. */
function findKnownPart(knowledge: Knowledge, id: string): EntityRecord | null {
  try {
    const found = knowledge.entity(entityId.parse(id))
    return found === null ? null : stripEnrichment(entityRecord.parse(found.record))
  } catch {
    return null
  }
}

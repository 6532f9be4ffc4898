import { entityRecord, type EntityRecord, type EntityReply } from '../../../contract/entity.js'
import { entityId, type CallId } from '../../../contract/ids.js'
import { unknownClassification, unknownProfiles } from '../../../contract/unknown.js'
import type { Knowledge } from '../../knowledge.js'
import { BuildFailure, isoOf, type StoredBuild } from './build.js'
import type { Compiler, EventData } from './build.js'
import { wholeRecord } from './whole-blocks.js'

/** The record as it is known; one that breaks the interface throws, and is never stored. */
export function entityCompiler(knowledge: Knowledge): Compiler {
  return (id) => {
    const found = knowledge.entity(entityId.parse(id))
    if (found === null) throw new BuildFailure('the company is not known any more')
    return JSON.stringify(entityRecord.parse(found.record))
  }
}

/** A result of the compiler, also of one that left out blocks of which nothing is known. */
export function entityRecordIn(result: string): EntityRecord {
  return wholeRecord(JSON.parse(result) as EntityRecord)
}

/** What a record is before its build: who the company is. Every attribute and block is there, and null inside. */
export function unenriched(record: EntityRecord): EntityRecord {
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
 * `enrichment` of v3, which has no word for a record that is being refreshed: it is held, and complete
 * (interface: "v3 entity enrichment").
 */
export function enrichmentOf(build: StoredBuild): NonNullable<EntityReply['enrichment']> {
  const status = build.state === 'refreshing' ? 'complete' : build.state
  return { status, updated_at: isoOf(build.updatedAtMs) }
}

/** What the read would have answered at the end of the build; after a failure as much as is known. */
export function entityEventData(knowledge: Knowledge): EventData {
  return (build, { callId }) => ({
    status: 'matched',
    merged_into: null,
    entity: build.result === null ? knownPart(knowledge, build.subject) : entityRecordIn(build.result),
    enrichment: enrichmentOf(build),
    request_id: callId satisfies CallId,
  })
}

/** The event must not fail by what failed its build. */
function knownPart(knowledge: Knowledge, id: string): EntityRecord | null {
  try {
    const found = knowledge.entity(entityId.parse(id))
    return found === null ? null : unenriched(entityRecord.parse(found.record))
  } catch {
    return null
  }
}

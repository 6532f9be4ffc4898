import { at, booleanOf, integerOf, listOf, textOf } from '../../core/lenient.js'
import { answerLineVersion } from './answer-line.js'
import type { LookupKind } from './lookup-kind.js'

/** Raised when a line gains or changes a column: lines of an older version are made again from the body. */
export const lineVersions: Readonly<Record<LookupKind, number>> = {
  resolution: answerLineVersion,
  domain: 1,
  entity: 1,
  hierarchy: 1,
}

/**
 * The line of each kind of stage: JSON of its columns, without a prefix. `body` is the run-like object as it is stored;
 * its `data` is what the service sent. None of them throws.
 */
export function renderEntityLine(body: unknown): string {
  const data = at(body, 'data')
  const entity = at(data, 'entity')
  const attributes = at(entity, 'attributes')
  return JSON.stringify({
    entity_record_status: textOf(at(data, 'enrichment', 'status')) ?? 'complete',
    entity_current_id: textOf(at(data, 'merged_into')) ?? textOf(at(entity, 'id')),
    entity_employee_count: integerOf(at(attributes, 'employee_count')),
    entity_revenue: integerOf(at(attributes, 'revenue')),
    entity_is_public: booleanOf(at(attributes, 'is_public')),
  })
}

export function renderHierarchyLine(body: unknown): string {
  const data = at(body, 'data')
  return JSON.stringify({
    hierarchy_status: textOf(at(data, 'status')),
    ultimate_parent_name: textOf(at(data, 'data', 'ultimate_parent', 'name')),
    ownership_chain: listOf(at(data, 'data', 'ownership_chain')),
  })
}

export function renderDomainLine(body: unknown): string {
  const data = at(body, 'data')
  return JSON.stringify({
    domain_status: textOf(at(data, 'data', 'status')),
    domain_name: textOf(at(data, 'domain')),
    domain_entity_id: textOf(at(data, 'data', 'entity', 'id')),
    domain_confidence: integerOf(at(data, 'data', 'confidence')),
  })
}

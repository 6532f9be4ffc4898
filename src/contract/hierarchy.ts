import * as z from 'zod'
import { callId, entityId } from './enums.js'

const text = z.string().nullable()
const percentage = z.number().min(0).max(100).nullable()

export const relationshipType = z.enum([
  'owns',
  'majority_owns',
  'minority_owns',
  'holding_company',
  'government_owns',
  'parent_of',
  'subsidiary_of',
])
export type RelationshipType = z.infer<typeof relationshipType>

/**
 * The other ids of the result refer to `id` (interface: "Hierarchy research"). It is valid inside that result only,
 * unless it begins with `siq_`: then it is the company's id.
 */
export const hierarchyEntity = z.strictObject({
  id: z.string(),
  name: z.string(),
  country_code: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .nullable(),
  jurisdiction: text,
  organization_type: z.enum(['business', 'government', 'nonprofit', 'individual']),
  is_publicly_traded: z.boolean().nullable(),
})

export const hierarchyRelationship = z.strictObject({
  id: z.string(),
  from: z.string(),
  to: z.string(),
  relationship_type: relationshipType,
  ownership_percentage: percentage,
  established_date: z
    .string()
    .regex(/^\d{4}(-\d{2}(-\d{2})?)?$/)
    .nullable(),
})

const named = z.strictObject({ id: z.string(), name: z.string() })

/** `data` of a completed hierarchy. The chain leads from the target upward and contains no cycle. */
export const hierarchyData = z.strictObject({
  entities: z.array(hierarchyEntity),
  relationships: z.array(hierarchyRelationship),
  ownership_chain: z.array(
    z.strictObject({
      entity_id: z.string(),
      parent_id: z.string(),
      relationship_type: relationshipType,
      ownership_percentage: percentage,
    }),
  ),
  evidence: z.array(z.string()),
  summary_short: z.string(),
  summary_long: z.string(),
  mermaid_diagram: z.string(),
  target_entity: named,
  ultimate_parent: named.nullable(),
})
export type HierarchyData = z.infer<typeof hierarchyData>

/** The envelope of hierarchy and ultimate parent, in every state (interface: "Hierarchy"). */
export const hierarchyReply = z.strictObject({
  entity_id: entityId,
  status: z.enum(['not_started', 'in_progress', 'completed', 'failed']),
  data: hierarchyData.nullable(),
  last_researched_at: z.iso.datetime().nullable(),
  request_id: callId,
  message: text,
})
export type HierarchyReply = z.infer<typeof hierarchyReply>

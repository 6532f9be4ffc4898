import { z } from 'zod'
import { eventId } from './ids.js'
import { recordRunObject } from './record-run.js'
import { runObject } from './resolution.js'

/** Exactly one event per request per terminal state (interface: "Event types"). */
export const eventType = z.enum([
  'entity_resolution.completed',
  'entity_resolution.failed',
  'domain_intelligence.completed',
  'domain_intelligence.failed',
  'entity.completed',
  'entity.failed',
])
export type EventType = z.infer<typeof eventType>

/** Body of a delivery (interface: "Delivery request"). `created` is Unix time in seconds. */
export const event = z.strictObject({
  id: eventId,
  object: z.literal('event'),
  type: eventType,
  api_version: z.literal('v3'),
  created: z.int(),
  data: z.strictObject({ object: z.union([runObject, recordRunObject]) }),
  data_truncated: z.literal(true).optional(),
})

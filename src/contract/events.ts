import * as z from 'zod'
import { domainReply } from './domain.js'
import { entityReply } from './entity.js'
import { eventId, runId } from './ids.js'
import { runObject } from './resolution.js'

/**
 * The run object of a read whose record was still being built: `data.object` of its event, and the reply to a poll of
 * its `run_id` (interface: "Events"). `data` is the reply to the read at the end of the build, so that the event
 * names its entity or domain; `null` during the build.
 */
export const recordRunObject = z.strictObject({
  run_id: runId,
  status: z.enum(['PENDING', 'COMPLETED', 'FAILED']),
  data: z.union([entityReply, domainReply]).nullable(),
})

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

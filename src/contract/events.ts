import * as z from 'zod'
import { domainReply } from './domain.js'
import { entityReply } from './entity.js'
import { customId, eventId, runId } from './enums.js'
import { runObject, jobResult } from './result.js'

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

/** `entity` never occurs: it lets typed clients read `data.entity` of every completed run. */
export const domainRunData = domainReply.extend({ entity: z.null().optional() })

const pending = { run_id: runId, custom_id: customId.optional() }
export const pendingRun = z.strictObject({ ...pending, status: z.literal('PENDING'), data: z.null() })
export const completedRun = z.strictObject({
  ...pending,
  status: z.literal('COMPLETED'),
  data: z.union([jobResult, entityReply, domainRunData]),
})
/** A failed resolution has no data; a failed build has the known part of its record. */
export const failedRun = z.strictObject({
  ...pending,
  status: z.literal('FAILED'),
  data: z.union([entityReply, domainReply]).nullable(),
})

/** The run poll returns the run of a resolution, or of a read whose record was still being built. */
export const run = z.discriminatedUnion('status', [pendingRun, completedRun, failedRun])

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

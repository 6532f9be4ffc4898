import * as z from 'zod'

/**
 * Identifier kinds (interface: "Identifier kinds"). Branded, so that a `RunId` cannot be passed as a `RequestId`: the
 * interface says the two are never interchangeable.
 */
const createPrefixedId = (prefix: string) => z.string().regex(new RegExp(`^${prefix}[A-Za-z0-9_-]{1,120}$`))

/** A master entity, `siq_…`. */
export const entityId = createPrefixedId('siq_').brand<'EntityId'>()
export type EntityId = z.infer<typeof entityId>

/** One government registration, `le_…`. */
export const legalEntityId = createPrefixedId('le_').brand<'LegalEntityId'>()
export type LegalEntityId = z.infer<typeof legalEntityId>

/** Presence in one country, `op_…`. */
export const presenceId = createPrefixedId('op_').brand<'PresenceId'>()

/** One HTTP call, `req_…`; each call has a new one. */
export const callId = createPrefixedId('req_').brand<'CallId'>()
export type CallId = z.infer<typeof callId>

/** The alternate id of a v3 job, `reqa_…`. */
export const requestId = createPrefixedId('reqa_').brand<'RequestId'>()
export type RequestId = z.infer<typeof requestId>

/** One streaming resolution, `reqs_…`. */
export const streamId = createPrefixedId('reqs_').brand<'StreamId'>()
export type StreamId = z.infer<typeof streamId>

/** A v3 unit of work started by POST, `run_…`. */
export const runId = createPrefixedId('run_').brand<'RunId'>()
export type RunId = z.infer<typeof runId>

/** One webhook event, `evt_…`. */
export const eventId = createPrefixedId('evt_').brand<'EventId'>()
export type EventId = z.infer<typeof eventId>

/** Opaque: a client must neither parse nor validate it. */
export const jobId = z.string().min(1).brand<'JobId'>()
export type JobId = z.infer<typeof jobId>

/** At most 200 characters of printable ASCII (space included); need not be unique (interface: "v3 entity resolution"). */
export const customId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x20-\x7e]+$/, 'printable ASCII only')
  .brand<'CustomId'>()
export type CustomId = z.infer<typeof customId>

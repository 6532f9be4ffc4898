import * as z from 'zod'
import { customId, jobId, requestId, runId } from './ids.js'
import { fieldLimits } from './limits.js'
import { jobResult } from './result.js'

/** Length is judged in code points after trimming. */
export const lookupName = z
  .string()
  .refine((name) => Array.from(name.trim()).length >= fieldLimits.nameCharsMin, {
    error: `name must have at least ${fieldLimits.nameCharsMin} characters`,
  })
  .meta({ minLength: fieldLimits.nameCharsMin })

export const include = z.enum(['basis'])

const kickoffFields = {
  name: lookupName,
  location: z.string().optional(),
  context: z.string().optional(),
  include: include.optional(),
  webhook_url: z.string().optional(),
}

/** Body of `POST /v3/entity-resolution/async`; unknown keys are ignored (interface: "v3 entity resolution"). */
export const kickoffBody = z.object({ ...kickoffFields, custom_id: customId.optional() })
export type KickoffBody = z.infer<typeof kickoffBody>

/** Query of `GET /v3/entity-resolution/async`; `custom_id` is documented on POST alone. */
export const kickoffQuery = z.object(kickoffFields)

/** 202 of the POST kickoff; `custom_id` is absent if none was sent. */
export const runAccepted = z.strictObject({
  status: z.literal('pending'),
  run_id: runId,
  custom_id: customId.optional(),
})
export type RunAccepted = z.infer<typeof runAccepted>

/** 202 of the GET kickoff, and of a job poll while it runs. */
export const jobPending = z.strictObject({
  status: z.literal('pending'),
  job_id: jobId,
  request_id: requestId,
})
export type JobPending = z.infer<typeof jobPending>

/** Query of the polls: the basis comes only if it was asked for at kickoff and is asked for again. */
export const pollQuery = z.object({ include: include.optional() })

/** What the run poll returns at top level and a webhook carries in `data.object`. */
export const runObject = z.strictObject({
  run_id: runId,
  custom_id: customId.optional(),
  status: z.enum(['PENDING', 'COMPLETED', 'FAILED']),
  data: jobResult.nullable(),
})
export type RunObject = z.infer<typeof runObject>

/**
 * What a client may rely on in a run object: everything else is kept as it came. The status is free text:
 * compare it upper-cased, and take an unknown one for "not finished".
 */
export const runObjectLenient = z.looseObject({
  run_id: z.string().min(1),
  custom_id: z.string().nullish(),
  status: z.string(),
  data: z.record(z.string(), z.unknown()).nullish(),
})
export type RunObjectLenient = z.infer<typeof runObjectLenient>

/** What a client may rely on in the 202 of a POST kickoff. */
export const runAcceptedLenient = z.looseObject({ run_id: z.string().min(1) })

import * as z from 'zod'
import { customId, jobId, requestId, runId } from './enums.js'
import { fieldLimits } from './limits.js'
import { jobResult } from './result.js'

/** The length is counted in code points after trimming. */
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

/** Query of `GET /v3/entity-resolution/async`; `custom_id` is documented on POST only. */
export const kickoffQuery = z.object(kickoffFields)

/** 202 of the POST kickoff; `custom_id` is absent if none was sent. */
export const runAccepted = z.strictObject({
  status: z.literal('pending'),
  run_id: runId,
  custom_id: customId.optional(),
})
export type RunAccepted = z.infer<typeof runAccepted>

/** 202 of the GET kickoff, and of a job poll while the job runs. */
export const jobPending = z.strictObject({
  status: z.literal('pending'),
  job_id: jobId,
  request_id: requestId,
})
export type JobPending = z.infer<typeof jobPending>

/** Query of the polls: the basis is returned only if both the kickoff and the poll request it. */
export const pollQuery = z.object({ include: include.optional() })

/** The run of a resolution. A webhook sends it in `data.object`; for the run poll see `run`. */
export const runObject = z.strictObject({
  run_id: runId,
  custom_id: customId.optional(),
  status: z.enum(['PENDING', 'COMPLETED', 'FAILED']),
  data: jobResult.nullable(),
})
export type RunObject = z.infer<typeof runObject>

/**
 * The fields of a run object that a client may rely on; other fields are kept unchanged. The status is free text:
 * compare it in upper case, and treat an unknown one as "not finished".
 */
export const runObjectLenient = z.looseObject({
  run_id: z.string().min(1),
  custom_id: z.string().nullish(),
  status: z.string(),
  data: z.record(z.string(), z.unknown()).nullish(),
})
export type RunObjectLenient = z.infer<typeof runObjectLenient>

/** The fields of the 202 of a POST kickoff that a client may rely on. */
export const runAcceptedLenient = z.looseObject({ run_id: z.string().min(1) })

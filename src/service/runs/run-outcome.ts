import { type Resolution, resolution as resolutionSchema } from '../../contract/result.js'
import type { Awaitable } from '../../core/awaitable.js'
import { getErrorText } from '../../core/errors.js'
import { nothingFound } from '../../contract/unknown.js'
import type { Knowledge, Query, ResolutionText } from '../knowledge.js'

/**
 * The outcome of a run as stored. `result` is a job result without its `request_id` and `basis`; `basis` is `null` if
 * the kickoff did not request it.
 */
export interface RunOutcome {
  readonly status: 'COMPLETED' | 'FAILED'
  readonly result: string
  readonly basis: string | null
  /** The reason for a failure, for the log; `null` after a success. */
  readonly fault: string | null
}

/**
 * Resolves the query and converts the answer to the stored outcome; synchronous if the knowledge is. Never throws and
 * never rejects: an error, or an answer that breaks the interface, ends the run as failed.
 */
export function decideRun(
  knowledge: Pick<Knowledge, 'resolve'>,
  query: Query,
  withBasis: boolean,
  nowMs: number,
): Awaitable<RunOutcome> {
  const toOutcome = (answer: Resolution | ResolutionText) =>
    buildRunOutcome('outcome' in answer ? answer : toResolutionText(answer), {
      query,
      withBasis,
      nowMs,
      fault: null,
    })
  const toFailedOutcome = (error: unknown) =>
    buildRunOutcome(toResolutionText(failed), { query, withBasis, nowMs, fault: getErrorText(error) })
  try {
    const answer = knowledge.resolve(query)
    return answer instanceof Promise ? answer.then(toOutcome).catch(toFailedOutcome) : toOutcome(answer)
  } catch (error) {
    return toFailedOutcome(error)
  }
}

/** Converts a resolution to text. Throws if it breaks the interface. */
export function toResolutionText(resolution: Resolution): ResolutionText {
  const parsed = resolutionSchema.safeParse(resolution)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim())
    throw new Error(`the answer breaks the interface: ${faults.join('; ')}`)
  }
  const { basis, classification, ...outcome } = parsed.data
  return {
    status: outcome.status,
    classification,
    outcome: JSON.stringify(outcome),
    basis: JSON.stringify(basis),
  }
}

interface Ending {
  readonly query: Query
  readonly withBasis: boolean
  readonly nowMs: number
  readonly fault: string | null
}

function buildRunOutcome(text: ResolutionText, { query, withBasis, nowMs, fault }: Ending): RunOutcome {
  const { name, location, context } = query
  const atIso = new Date(nowMs).toISOString()
  const metadata = {
    query: { name, location, context, classification: text.classification, mode: 'standard' },
    resolved_at: atIso,
    updated_at: atIso,
    from_cache: false,
    cache_hit_type: null,
  }
  return {
    status: text.status === 'failed' ? 'FAILED' : 'COMPLETED',
    result: `${text.outcome.slice(0, -1)},"metadata":${JSON.stringify(metadata)}}`,
    basis: withBasis ? text.basis : null,
    fault,
  }
}

const failed: Resolution = { status: 'failed', ...nothingFound }

import type { Resolution } from '../../contract/result.js'
import { resolution as resolutionSchema } from '../../contract/result.js'
import { errorText } from '../../core/error-text.js'
import type { Clock } from '../../platform/clock.js'
import { nothingFound } from '../../contract/unknown.js'
import type { Answered, Knowledge, Query } from '../knowledge.js'

/**
 * How a run ended, as it is stored. `result` is a job result without its `request_id` and `basis`; `basis` is
 * null where the kickoff did not ask for it.
 */
export interface RunOutcome {
  readonly status: 'COMPLETED' | 'FAILED'
  readonly result: string
  readonly basis: string | null
  /** Why a run failed, for the log. */
  readonly fault: string | null
}

/**
 * Asks the knowledge and makes of its answer what is stored. Never throws or rejects: an answer that breaks the
 * interface, or none, ends the run as failed.
 */
export function decideRun(
  knowledge: Pick<Knowledge, 'resolve'>,
  query: Query,
  withBasis: boolean,
  clock: Pick<Clock, 'nowMs'>,
): Answered<RunOutcome> {
  const ended = (found: Found) => outcomeOf(found, query, withBasis, clock.nowMs())
  try {
    const answer = knowledge.resolve(query)
    if (!(answer instanceof Promise)) return ended(checked(answer))
    return answer
      .then((resolution) => ended(checked(resolution)))
      .catch((error: unknown) => ended(none(error)))
  } catch (error) {
    return ended(none(error))
  }
}

interface Found {
  readonly resolution: Resolution
  readonly fault: string | null
}

function outcomeOf(
  { resolution, fault }: Found,
  query: Query,
  withBasis: boolean,
  nowMs: number,
): RunOutcome {
  const { basis, classification, ...outcome } = resolution
  const atIso = new Date(nowMs).toISOString()
  const result = {
    ...outcome,
    metadata: {
      query: {
        name: query.name,
        location: query.location,
        context: query.context,
        classification,
        mode: 'standard',
      },
      resolved_at: atIso,
      updated_at: atIso,
      from_cache: false,
      cache_hit_type: null,
    },
  }
  return {
    status: outcome.status === 'failed' ? 'FAILED' : 'COMPLETED',
    result: JSON.stringify(result),
    basis: withBasis ? JSON.stringify(basis) : null,
    fault,
  }
}

function checked(answer: Resolution): Found {
  const parsed = resolutionSchema.safeParse(answer)
  if (parsed.success) return { resolution: parsed.data, fault: null }
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim())
  return { resolution: failed, fault: `the answer breaks the interface: ${faults.join('; ')}` }
}

const none = (error: unknown): Found => ({ resolution: failed, fault: errorText(error) })

const failed: Resolution = { status: 'failed', ...nothingFound }

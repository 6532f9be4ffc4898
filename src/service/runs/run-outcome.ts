import type { Resolution } from '../../contract/result.js'
import { resolution as resolutionSchema } from '../../contract/result.js'
import { errorText } from '../../core/error-text.js'
import { nothingFound } from '../../contract/unknown.js'
import type { Knowledge, Query } from '../knowledge.js'

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
 * Asks the knowledge and makes of its answer what is stored. Never throws: an answer that breaks the
 * interface, or none, ends the run as failed.
 */
export function decideRun(knowledge: Knowledge, query: Query, withBasis: boolean, nowMs: number): RunOutcome {
  const { resolution, fault } = ask(knowledge, query)
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

function ask(knowledge: Knowledge, query: Query): { resolution: Resolution; fault: string | null } {
  try {
    const parsed = resolutionSchema.safeParse(knowledge.resolve(query))
    if (parsed.success) return { resolution: parsed.data, fault: null }
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim())
    return { resolution: failed, fault: `the answer breaks the interface: ${faults.join('; ')}` }
  } catch (error) {
    return { resolution: failed, fault: errorText(error) }
  }
}

const failed: Resolution = { status: 'failed', ...nothingFound }

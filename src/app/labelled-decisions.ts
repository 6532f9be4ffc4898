import { appendIdentifiers } from '../core/stated-identifiers.js'
import { findDecidedKind } from '../pipeline/decisions/decision-sync.js'
import { getDecisionService, type Decision } from '../core/decisions.js'
import type { LabelledQuery } from '../registry/evaluate/evaluation.js'

export interface LabelledDecisions {
  /** Queries with the accepted id, or without an id; `id` is the key of the lookup. */
  readonly queries: readonly LabelledQuery[]
  /** Number of decisions with ids of another service. */
  readonly otherServiceCount: number
  /** Number of decisions whose lookup had more than a decisions file has, like a context. */
  readonly furtherAskedCount: number
}

/** Turns decisions into labelled queries; decisions of hosted services are omitted. */
export function toLabelledDecisions(decisions: readonly Decision[]): LabelledDecisions {
  const embedded = getDecisionService(null)
  const own = new Map<string, Decision>()
  for (const decision of decisions) {
    if (decision.service === null && !own.has(decision.lookup)) own.set(decision.lookup, decision)
    // A decision with a service applies only to that service.
    if (decision.service === embedded) own.set(decision.lookup, decision)
  }
  return {
    queries: [...own.values()].map(toLabelledQuery),
    otherServiceCount: decisions.filter(({ service }) => service !== null && service !== embedded).length,
    furtherAskedCount: [...own.values()].filter((decision) => findDecidedKind(decision) === null).length,
  }
}

function toLabelledQuery(decision: Decision): LabelledQuery {
  const { lookup, name, location, entityId } = decision
  const website = { kind: 'website', value: name, place: null } as const
  return {
    id: lookup,
    name: findDecidedKind(decision) === 'domain' ? appendIdentifiers(null, [website]) : name,
    location,
    context: null,
    stratum: 'all',
    expected: entityId === null ? [] : [{ type: 'entity', value: entityId, jurisdiction: null }],
  }
}

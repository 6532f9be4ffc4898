import { nameWithIdentifiers } from '../core/stated-identifiers.js'
import { resolutionKey, stageLookup } from '../pipeline/checkpoint/lookup-key.js'
import { decisionService, type Decision } from '../pipeline/lookups/decision.js'
import type { LabelledQuery } from '../registry/evaluate/labelled-query.js'

export interface LabelledDecisions {
  /** Each with the id that was accepted, or with none; its own id is the key of the lookup. */
  readonly queries: readonly LabelledQuery[]
  /** Their ids are those of another service. */
  readonly otherServiceCount: number
  /** More was asked than a decisions file has: a context, or the row itself. */
  readonly furtherAskedCount: number
}

/** What people decided, as queries whose answers are known; decisions of hosted services are left out. */
export function labelledDecisions(decisions: readonly Decision[]): LabelledDecisions {
  const embedded = decisionService(null)
  const own = new Map<string, Decision>()
  for (const decision of decisions) {
    if (decision.service === null && !own.has(decision.lookup)) own.set(decision.lookup, decision)
    // What names its service is about no other.
    if (decision.service === embedded) own.set(decision.lookup, decision)
  }
  return {
    queries: [...own.values()].map(labelled),
    otherServiceCount: decisions.filter(({ service }) => service !== null && service !== embedded).length,
    furtherAskedCount: [...own.values()].filter(
      (decision) => !isOfDomain(decision) && decision.lookup !== keyOf(decision),
    ).length,
  }
}

function labelled(decision: Decision): LabelledQuery {
  const { lookup, name, location, entityId } = decision
  const website = { kind: 'website', value: name, place: null } as const
  return {
    id: lookup,
    name: isOfDomain(decision) ? nameWithIdentifiers(null, [website]) : name,
    location,
    context: null,
    stratum: 'all',
    expected: entityId === null ? [] : [{ type: 'entity', value: entityId, jurisdiction: null }],
  }
}

/** A row without a name was decided by its domain. */
const isOfDomain = ({ lookup, name }: Decision): boolean =>
  lookup === Buffer.from(stageLookup('domain', name).key).toString('hex')

const keyOf = ({ name, location }: Decision): string =>
  Buffer.from(resolutionKey({ name, location, context: null })).toString('hex')

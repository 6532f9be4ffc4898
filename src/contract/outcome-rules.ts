import type { z } from 'zod'
import type { EntitySubtype, EntityType, OutcomeStatus } from './enums.js'

/** The lowest confidence of a `matched` outcome (interface: "Resolution outcome meanings"). */
export const matchedConfidenceMin = 80

/** The parts of an outcome that must be consistent. */
export interface OutcomeFields {
  readonly status: OutcomeStatus
  readonly match_confidence: number
  readonly type: EntityType | null
  readonly subtype: EntitySubtype | null
  readonly entity: object | null
  readonly candidate: object | null
  readonly merged_into: string | null
  readonly factors: readonly { readonly code: string }[]
  readonly basis?: readonly { readonly field: string }[] | undefined
}

/** Returns a message for each broken rule of "Resolution outcome meanings" and of the basis. */
function findOutcomeFaults(outcome: OutcomeFields): string[] {
  const { status, match_confidence: confidence, entity, candidate } = outcome
  const isKnown = entity !== null
  const isUnresolved = status === 'no_match' || status === 'not_found'
  const isSupported = outcome.type === 'business' && outcome.subtype === 'incorporated_entity'
  const faults: [isFault: boolean, message: string][] = [
    [isKnown && candidate !== null, 'entity and candidate are never both populated'],
    [
      status === 'matched' && !(isKnown && confidence >= matchedConfidenceMin),
      'matched requires a confidence of 80 or above and an entity',
    ],
    [
      status === 'partial_match' && !(isKnown && confidence < matchedConfidenceMin),
      'partial_match requires a confidence below 80 and an entity',
    ],
    [status === 'inconclusive' && isKnown, 'inconclusive has no entity'],
    [isUnresolved && (isKnown || candidate !== null), `${status} has neither entity nor candidate`],
    [isKnown && !isSupported, 'only an incorporated business may be an entity'],
    [
      (status === 'merged') !== (outcome.merged_into !== null),
      'merged_into is set if and only if the status is merged',
    ],
  ]
  const isFactor = (wanted: string) => outcome.factors.some(({ code }) => code === wanted)
  const isConfirmed = isFactor('legal_entity_confirmed')
  faults.push([
    isConfirmed && isFactor('no_legal_entity_confirmed'),
    'a legal entity is either confirmed or not confirmed',
  ])
  for (const { field } of outcome.basis ?? []) {
    faults.push([!hasPath(entity, field), `basis names ${field}, which is not in the entity`])
  }
  return faults.filter(([isFault]) => isFault).map(([, message]) => message)
}

/** Checks own properties only, so that `constructor` is not a field. */
function hasPath(value: unknown, path: string): boolean {
  let inner = value
  for (const part of path.split('.')) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, part)) return false
    inner = (inner as Record<string, unknown>)[part]
  }
  return true
}

/** Adds an issue for each broken rule; for a schema's `superRefine`. */
export function checkOutcome(outcome: OutcomeFields, context: z.RefinementCtx): void {
  for (const message of findOutcomeFaults(outcome)) context.addIssue({ code: 'custom', message })
}

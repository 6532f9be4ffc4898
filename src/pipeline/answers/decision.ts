import { foldText } from '../../core/lookup-identity.js'
import { at, toObject, toText } from '../../core/json.js'

/** `accepted`: the company is `entityId`; `none`: no known company matches. */
export const verdicts = ['accepted', 'none'] as const
export type Verdict = (typeof verdicts)[number]

/** A reviewer's decision about a lookup. */
export interface Decision {
  /** The lookup's key in hex, as in decisions files. */
  readonly lookup: string
  /** The submitted name, for readers of the file. */
  readonly name: string
  readonly location: string | null
  readonly verdict: Verdict
  /** The company (`siq_…`); null for `none`. */
  readonly entityId: string | null
  /**
   * The company's name at the time of the decision; null if unknown. After a change of name, the lookup is doubtful
   * again.
   */
  readonly entityName: string | null
  readonly decidedBy: string
  readonly decidedAtMs: number
  readonly note: string | null
  /** The service of the ids: `embedded`, or the base URL of a hosted service; null: any service. */
  readonly service: string | null
}

/** A stored decision. */
export interface KeptDecision extends Decision {
  /** Increases with every decision in this store. */
  readonly sequence: number
  /** Whether it is in the decisions file. */
  readonly isInFile: boolean
}

/** Returns the service of decisions. */
export const getDecisionService = (hostedBaseUrl: string | null): string => hostedBaseUrl ?? 'embedded'

/** The present state of the company that a reviewer chose. */
export type DecisionStanding =
  | { readonly kind: 'stands' }
  /** Its record was not read yet. */
  | { readonly kind: 'unread' }
  | { readonly kind: 'merged'; readonly into: string }
  /** The service no longer knows it. */
  | { readonly kind: 'gone' }
  /** The company has another name now. */
  | { readonly kind: 'renamed'; readonly name: string }

/**
 * Compares a decision with the record of its company (interface: "v3 entity record", its envelope; null: not read). A
 * `none` decision always stands.
 */
export function judgeDecision(
  { verdict, entityId, entityName }: Pick<Decision, 'verdict' | 'entityId' | 'entityName'>,
  record: unknown,
): DecisionStanding {
  if (verdict === 'none') return { kind: 'stands' }
  if (record === null || record === undefined) return { kind: 'unread' }
  const entity = at(record, 'entity')
  const into = readCurrentId(record)
  if (into !== null && into !== entityId) return { kind: 'merged', into }
  if (toObject(entity) === null) return { kind: 'gone' }
  const names = [at(entity, 'legal_name'), at(entity, 'display_name')].flatMap((name) => toText(name) ?? [])
  const folded = foldText(entityName)
  const [name] = names
  if (name === undefined || folded === '' || names.some((one) => foldText(one) === folded))
    return { kind: 'stands' }
  return { kind: 'renamed', name }
}

/** Returns the company's current id, if the record has one. */
function readCurrentId(record: unknown): string | null {
  const merged = toText(at(record, 'merged_into'))
  if (merged !== null && merged !== '') return merged
  const own = toText(at(record, 'entity', 'id'))
  return own?.startsWith('siq_') === true ? own : null
}

/** Returns the reason why a decided lookup is doubtful again; null if it is not. */
export function explainDoubt(
  { entityName, entityId }: Pick<Decision, 'entityName' | 'entityId'>,
  standing: DecisionStanding,
): string | null {
  const called = entityName ?? entityId ?? 'the company'
  switch (standing.kind) {
    case 'stands':
    case 'unread':
      return null
    case 'merged':
      return `${called} was merged into ${standing.into} after the decision`
    case 'gone':
      return `the service no longer knows ${called}`
    case 'renamed':
      return `${called} is now called ${standing.name}`
  }
}

/** Lookups in the review queue: doubtful answers without a decision, and decisions in doubt again. */
export interface ReviewCounts {
  readonly lookupCount: number
  readonly rowCount: number
  readonly rowsByStatus: Readonly<Record<string, number>>
}

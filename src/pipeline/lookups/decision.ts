import { foldText } from '../../core/lookup-identity.js'
import { at, objectOf, textOf } from '../../core/json.js'

/** `accepted`: it is the company of `entityId`; `none`: it is none that is known. */
export const verdicts = ['accepted', 'none'] as const
export type Verdict = (typeof verdicts)[number]

/** What a person decided of a lookup. */
export interface Decision {
  /** The lookup's key in hexadecimal digits, as decisions files have it. */
  readonly lookup: string
  /** As it was asked: for people who read the file. */
  readonly name: string
  readonly location: string | null
  readonly verdict: Verdict
  /** The company (`siq_…`); null with `none`. */
  readonly entityId: string | null
  /** What the company was called then; null where it is not known. A company that is called otherwise by now is doubtful again. */
  readonly entityName: string | null
  readonly decidedBy: string
  readonly decidedAtMs: number
  readonly note: string | null
  /** Whose ids these are: `embedded`, or the base URL of a hosted service; null: of whichever is asked. */
  readonly service: string | null
}

/** A decision as the store has it. */
export interface KeptDecision extends Decision {
  /** Grows with every decision of this store. */
  readonly sequence: number
  /** Whether it was written to the decisions file. */
  readonly isInFile: boolean
}

/** The service that decisions are of, by a connection's scope. */
export const decisionService = (hostedBaseUrl: string | null): string => hostedBaseUrl ?? 'embedded'

/** What became of the company that a person decided for. */
export type DecisionStanding =
  | { readonly kind: 'stands' }
  /** Its record was not read yet. */
  | { readonly kind: 'unread' }
  | { readonly kind: 'merged'; readonly into: string }
  /** The service knows it no more. */
  | { readonly kind: 'gone' }
  /** It is still the company, and called otherwise. */
  | { readonly kind: 'renamed'; readonly name: string }

/**
 * Judges a verdict by the record of its company (interface: "v3 entity record", its envelope; null: not read). Verdicts
 * that there is no company stand for good.
 */
export function decisionStanding(
  { verdict, entityId, entityName }: Pick<Decision, 'verdict' | 'entityId' | 'entityName'>,
  record: unknown,
): DecisionStanding {
  if (verdict === 'none') return { kind: 'stands' }
  if (record === null || record === undefined) return { kind: 'unread' }
  const entity = at(record, 'entity')
  const into = currentIdOf(record)
  if (into !== null && into !== entityId) return { kind: 'merged', into }
  if (objectOf(entity) === null) return { kind: 'gone' }
  const names = [at(entity, 'legal_name'), at(entity, 'display_name')].flatMap((name) => textOf(name) ?? [])
  const folded = foldText(entityName)
  const [name] = names
  if (name === undefined || folded === '' || names.some((one) => foldText(one) === folded))
    return { kind: 'stands' }
  return { kind: 'renamed', name }
}

/** The id under which the company goes on, where the service says one. */
function currentIdOf(record: unknown): string | null {
  const merged = textOf(at(record, 'merged_into'))
  if (merged !== null && merged !== '') return merged
  const own = textOf(at(record, 'entity', 'id'))
  return own?.startsWith('siq_') === true ? own : null
}

/** Why a lookup that was decided is doubtful again, for people; null where it is not. */
export function doubtOfDecision(
  { entityName, entityId }: Pick<Decision, 'entityName' | 'entityId'>,
  standing: DecisionStanding,
): string | null {
  const called = entityName ?? entityId ?? 'the company'
  switch (standing.kind) {
    case 'stands':
    case 'unread':
      return null
    case 'merged':
      return `${called} was merged into ${standing.into} since it was decided`
    case 'gone':
      return `the service knows ${called} no more`
    case 'renamed':
      return `${called} is called ${standing.name} now`
  }
}

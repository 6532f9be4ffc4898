import type { EntityType } from '../../contract/enums.js'

/** A category of companies, as the Reconciliation Service API has it (v0.2, "Types"). */
export interface ReconciliationType {
  readonly id: string
  readonly name: string
  readonly broader?: readonly ReconciliationType[]
}

/** What all that is held is; asked for, it leaves nothing out. */
export const organization: ReconciliationType = { id: 'organization', name: 'Organization' }

const narrower = (id: string, name: string): ReconciliationType => ({ id, name, broader: [organization] })

/** By what a record says that it is; of `unknown` nothing more is known than that it is an organization. */
const typesOfRecords = {
  business: narrower('business', 'Company'),
  nonprofit: narrower('nonprofit', 'Nonprofit organization'),
  government: narrower('government', 'Government body'),
  person: narrower('person', 'Person in business'),
  other: narrower('other', 'Other body'),
  unknown: null,
} as const satisfies Record<EntityType, ReconciliationType | null>

/** Every type that there is. */
export const reconciliationTypes: readonly ReconciliationType[] = [
  organization,
  ...Object.values(typesOfRecords).filter((type) => type !== null),
]

const knownIds = new Set(reconciliationTypes.map(({ id }) => id))
export const isKnownType = (id: string): boolean => knownIds.has(id)

/** The widest first: a client that proposes a type proposes the first. */
export function typesOf(type: EntityType): readonly ReconciliationType[] {
  const own = typesOfRecords[type]
  return own === null ? [organization] : [organization, own]
}

/** How the types of a query count (`type_strict`): not at all but for the match, one of them, or each of them. */
export type TypeStrictness = 'should' | 'any' | 'all'

/** Whether a company of this type is of the types asked for. One of which no type is known may be of any. */
export function isOfTypes(type: EntityType, wanted: readonly string[], strictness: TypeStrictness): boolean {
  if (wanted.length === 0 || type === 'unknown') return true
  const own = new Set(typesOf(type).map(({ id }) => id))
  const isOwn = (id: string) => own.has(id)
  return strictness === 'all' ? wanted.every(isOwn) : wanted.some(isOwn)
}

/** What a lookup asks the service for; each kind has routes, a pace and a scope of its own. */
export const lookupKinds = ['resolution', 'domain', 'entity', 'hierarchy'] as const

export type LookupKind = (typeof lookupKinds)[number]

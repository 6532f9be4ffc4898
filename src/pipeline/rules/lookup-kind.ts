/**
 * What is asked of the service. `resolution`: whose name this is; `domain`: whose domain it is, and what is known of
 * the domain; `entity`: the record of a company; `hierarchy`: who owns it.
 */
export const lookupKinds = ['resolution', 'domain', 'entity', 'hierarchy'] as const
export type LookupKind = (typeof lookupKinds)[number]

/** What may be asked after the answer to a row's first question: each distinct company, or domain, once. */
export type StageKind = Exclude<LookupKind, 'resolution'>

/** Every kind has a scope of its own in the checkpoint; a resolution that of the service itself. */
export const scopeOf = (base: string, kind: LookupKind): string =>
  kind === 'resolution' ? base : `${base} ${kind}`

/**
 * What the key of a lookup is made of, where it is no resolution: its domain, or the id of its company. The leading
 * number is the version of this rule: it may only change together with a migration.
 */
export const keyTextOf = (kind: StageKind, name: string): string => JSON.stringify([1, kind, name])

/**
 * What is asked of the service. `resolution`: whose name this is; `domain`: whose domain it is, and what is known of
 * the domain; `entity`: the record of a company; `hierarchy`: who owns it.
 */
export const lookupKinds = ['resolution', 'domain', 'entity', 'hierarchy'] as const
export type LookupKind = (typeof lookupKinds)[number]

/** What rows ask themselves. Each is billed, and its end can be sent: one whose answer was lost may be named by that. */
export const firstKinds = ['resolution', 'domain'] as const satisfies readonly LookupKind[]

/** What may be asked after the answer to a row's first question: each distinct company, or domain, once. */
export const stageKinds = ['entity', 'hierarchy', 'domain'] as const satisfies readonly LookupKind[]
export type StageKind = (typeof stageKinds)[number]

/** Every kind has a scope of its own in the checkpoint; a resolution that of the service itself. */
export const scopeOf = (base: string, kind: LookupKind): string =>
  kind === 'resolution' ? base : `${base} ${kind}`

/** The service and the kind that a scope is of. No base URL and no edition of a registry holds a space. */
export function readScope(scope: string): { base: string; kind: LookupKind } {
  const [, base = scope, suffix = ''] = /^(.*) ([a-z]+)$/s.exec(scope) ?? []
  const kind = stageKinds.find((one) => one === suffix)
  return kind === undefined ? { base: scope, kind: 'resolution' } : { base, kind }
}

/**
 * What the key of a lookup is made of, where it is no resolution: its domain, or the id of its company. The leading
 * number is the version of this rule: it may only change together with a migration.
 */
export const keyTextOf = (kind: StageKind, name: string): string => JSON.stringify([1, kind, name])

/** Lookups that the service makes no run for are known by what they ask. Stored, and never sent. */
export const runIdOf = (kind: StageKind, name: string): string => `${kind}:${name}`

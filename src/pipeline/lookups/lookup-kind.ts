/**
 * Kinds of lookups. `resolution`: the company of a name; `domain`: the company of a domain, and facts about the domain;
 * `entity`: the record of a company; `hierarchy`: its owners.
 */
export const lookupKinds = ['resolution', 'domain', 'entity', 'hierarchy'] as const
export type LookupKind = (typeof lookupKinds)[number]

/**
 * Kinds of a row's first lookup. Each is billed, and a webhook reports its end, also if the response to the submission
 * was lost.
 */
export const firstKinds = ['resolution', 'domain'] as const satisfies readonly LookupKind[]

/** Kinds that may follow from the answer to a first lookup, once for each company or domain. */
export const stageKinds = ['entity', 'hierarchy', 'domain'] as const satisfies readonly LookupKind[]
export type StageKind = (typeof stageKinds)[number]

/** Returns the scope of a kind in the checkpoint; resolutions use the scope of the service. */
export const toScope = (base: string, kind: LookupKind): string =>
  kind === 'resolution' ? base : `${base} ${kind}`

/** Splits a scope into service and kind. No base URL and no edition of a registry contains a space. */
export function readScope(scope: string): { base: string; kind: LookupKind } {
  const [, base = scope, suffix = ''] = /^(.*) ([a-z]+)$/s.exec(scope) ?? []
  const kind = stageKinds.find((one) => one === suffix)
  return kind === undefined ? { base: scope, kind: 'resolution' } : { base, kind }
}

/**
 * Returns the text whose hash is the key of a follow-up lookup, by domain or company id. The leading number is the
 * version of this format: it may only change together with a migration.
 */
export const toKeyText = (kind: StageKind, name: string): string => JSON.stringify([1, kind, name])

/** Returns the run id of a lookup for which the service creates no run. Stored, but never sent. */
export const toRunId = (kind: StageKind, name: string): string => `${kind}:${name}`

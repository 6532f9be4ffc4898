/**
 * Kinds of lookups. `resolution`: the company of a name; `domain`: the company of a domain, and facts about the domain;
 * `entity`: the record of a company; `hierarchy`: its owners.
 */
export const lookupKinds = ['resolution', 'domain', 'entity', 'hierarchy'] as const

export type LookupKind = (typeof lookupKinds)[number]

/** Kinds of a row's first lookup: each is billed, and a webhook reports its end, even if it was lost. */
export const firstKinds = ['resolution', 'domain'] as const satisfies readonly LookupKind[]

/** Kinds that may follow from the answer to a first lookup, once for each company or domain. */
export const stageKinds = ['entity', 'hierarchy', 'domain'] as const satisfies readonly LookupKind[]

export type StageKind = (typeof stageKinds)[number]

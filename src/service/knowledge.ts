import type { EntityRecord } from '../contract/entity.js'
import type { HierarchyData } from '../contract/hierarchy.js'
import type { EntityId } from '../contract/ids.js'
import type { Resolution } from '../contract/result.js'
import type { SearchResult } from '../contract/search.js'
import type { Awaitable } from '../core/awaitable.js'

export interface Query {
  readonly name: string
  readonly location: string | null
  readonly context: string | null
}

export interface SearchRequest {
  readonly name: string
  /** ISO 3166-1, two or three letters, any case. */
  readonly countryCode: string | null
  /** ISO 3166-2, with or without the country, any case. */
  readonly regionCode: string | null
  readonly limit: number
}

export interface SearchResults {
  readonly results: SearchResult[]
  readonly totalCount: number
}

export interface Ownership {
  readonly entities: HierarchyData['entities']
  /** From the owner to the owned; there may be circles, and relationships that lead nowhere near the target. */
  readonly relationships: HierarchyData['relationships']
  /** The company asked for; this and every id here is that of one of `entities`. */
  readonly targetId: string
  /** Whom a register names as ultimate parent, also where the way up is not known. */
  readonly ultimateParentId: string | null
  /** Addresses of public records: of relationships, and of the companies in the chain. */
  readonly evidence: readonly string[]
}

/** A company that a query may mean. */
export interface LikelyCompany {
  readonly id: EntityId
  /** 0 to 100, that it is the one that is meant. */
  readonly confidence: number
  /** What speaks for it and against it, in log-odds: each label once. */
  readonly evidence: readonly { readonly label: string; readonly weight: number }[]
}

export interface LikelyCompanies {
  /** The likeliest first. */
  readonly companies: readonly LikelyCompany[]
  /** The query is answered with the first, as `matched`. */
  readonly isMatched: boolean
}

/** A company that somebody who types may mean. */
interface SuggestedCompany {
  readonly id: EntityId
  /** The name that was found; null where it was not found by one. */
  readonly name: string | null
}

/** What is known of a domain without asking it. */
export interface DomainFacts {
  readonly trancoRank: number | null
  readonly isDisposable: boolean | null
  /** Other domains of the same company. */
  readonly aliases: readonly string[]
}

/**
 * A resolution as the text that a run stores, checked against the interface where it was made: nobody has to read
 * it again.
 */
export interface ResolutionText {
  readonly status: Resolution['status']
  readonly classification: string | null
  /** JSON of all the rest but the basis. */
  readonly outcome: string
  /** JSON. */
  readonly basis: string
}

/**
 * What the service answers from. A name may take long, so it may be matched in another thread; everything else is
 * a few index lookups, and read in the transactions of its callers.
 */
export interface Knowledge {
  resolve(query: Query): Awaitable<Resolution | ResolutionText>
  /** A merged id gives the record it was merged into, at the end of the chain. Null for an unknown id. */
  entity(id: EntityId): { record: EntityRecord; mergedInto: EntityId | null } | null
  /** The best first; `totalCount` counts what was found before the limit. */
  search(request: SearchRequest): Awaitable<SearchResults>
  /** The companies that a query may mean, at most `countMax`, with what `resolve` would say of the first. */
  likelyCompanies(query: Query, countMax: number): Awaitable<LikelyCompanies>
  /** Companies whose id or identifier `prefix` is, or one of whose names begins so. */
  suggest(prefix: string, countMax: number): readonly SuggestedCompany[]
  /** Null for an unknown id; without relationships where none are known. */
  ownership(id: EntityId): Ownership | null
  /** Whose registrable domain this is. */
  resolveDomain(domain: string): Resolution
  domainFacts(domain: string): DomainFacts
  /** Names what is known now: another name, and what was built before is old. Cheap: every read asks. */
  edition?(): string
}

import type { z } from 'zod'
import type { EntityRecord } from '../contract/entity.js'
import type { cacheHitType, CallId, CustomId, EntityId, RunId } from '../contract/enums.js'
import type { HierarchyData } from '../contract/hierarchy.js'
import type { Resolution } from '../contract/result.js'
import type { SearchResult } from '../contract/search.js'
import type { Awaitable } from '../platform/sql-program.js'

export interface Query {
  readonly name: string
  readonly location: string | null
  readonly context: string | null
}

/** The run that a query is resolved for: with it, the body of the run's poll can be made where the answer is made. */
export interface ResolvedRun {
  readonly runId: RunId
  readonly customId: CustomId | null
  readonly callId: CallId
  readonly withBasis: boolean
  /** Time of the resolution. */
  readonly nowMs: number
}

export interface SearchRequest {
  readonly name: string
  /** ISO 3166-1, two or three letters, in any case. */
  readonly countryCode: string | null
  /** ISO 3166-2, with or without the country, in any case. */
  readonly regionCode: string | null
  readonly limit: number
}

export interface SearchResults {
  readonly results: SearchResult[]
  readonly totalCount: number
}

export interface Ownership {
  readonly entities: HierarchyData['entities']
  /** Relationships from owner to owned. They may contain cycles and companies that do not lead to the target. */
  readonly relationships: HierarchyData['relationships']
  /** The requested company. All ids here refer to `entities`. */
  readonly targetId: string
  /** The ultimate parent named by a register, even if the chain to it is unknown. */
  readonly ultimateParentId: string | null
  /** Addresses of public records about the relationships and the companies in the chain. */
  readonly evidence: readonly string[]
}

export interface LikelyCompany {
  readonly id: EntityId
  /** 0 to 100: certainty that the query means this company. */
  readonly confidence: number
  /** Evidence for and against the company, in log-odds; each label occurs once. */
  readonly evidence: readonly { readonly label: string; readonly weight: number }[]
}

export interface LikelyCompanies {
  /** The most likely first. */
  readonly companies: readonly LikelyCompany[]
  /** Whether the first company is the answer to the query, as `matched`. */
  readonly isMatched: boolean
}

/** A company suggested while a user types. */
interface SuggestedCompany {
  readonly id: EntityId
  /** The name that matched; `null` if it was found by an id or identifier. */
  readonly name: string | null
}

/** Facts about a domain that are known without a request to it. */
export interface DomainFacts {
  readonly trancoRank: number | null
  readonly isDisposable: boolean | null
  /** Other domains of the same company. */
  readonly aliases: readonly string[]
}

/** An answer that an earlier query or lookup of a domain gave. */
interface CacheHit {
  readonly type: z.infer<typeof cacheHitType>
  /** Time of the research. */
  readonly resolvedAtMs: number
}

/** A resolution as the text that a run stores, validated against the interface when it was made. */
export interface ResolutionText {
  /** Absent after fresh research. */
  readonly hit?: CacheHit
  readonly status: Resolution['status']
  readonly classification: string | null
  /** JSON of all fields except the basis. */
  readonly outcome: string
  readonly basis: string
}

/**
 * The data that the service answers from. Matching a name may take long, so it may run in another thread; everything
 * else takes a few index lookups, and runs in the transactions of its callers.
 */
export interface Knowledge {
  /** `run` is absent if the run is stored elsewhere. */
  resolve(query: Query, run?: ResolvedRun): Awaitable<Resolution | ResolutionText>
  /** Returns the record of an id; for a merged id, the record at the end of the chain. `null` for an unknown id. */
  entity(id: EntityId): { record: EntityRecord; mergedInto: EntityId | null } | null
  /** Returns the best results first; `totalCount` is the count before the limit. */
  search(request: SearchRequest): Awaitable<SearchResults>
  /** Returns at most `countMax` companies that a query may mean, and whether `resolve` would match the first. */
  likelyCompanies(query: Query, countMax: number): Awaitable<LikelyCompanies>
  /** Returns companies with this id or identifier, or with a name that starts with `prefix`. */
  suggest(prefix: string, countMax: number): readonly SuggestedCompany[]
  /** Returns `null` for an unknown id, and no relationships if none are known. */
  ownership(id: EntityId): Ownership | null
  /** Resolves the company of a registrable domain. */
  resolveDomain(domain: string): Resolution
  domainFacts(domain: string): DomainFacts
  /** Names the current edition; builds of other editions are outdated. Cheap, because every read calls it. */
  edition?(): string
}

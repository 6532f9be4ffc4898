import type { EntityRecord } from '../contract/entity.js'
import type { HierarchyData } from '../contract/hierarchy.js'
import type { EntityId } from '../contract/ids.js'
import type { Resolution } from '../contract/result.js'
import type { SearchResult } from '../contract/search.js'

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

export interface Ownership {
  readonly entities: HierarchyData['entities']
  /** From the owner to the owned; there may be circles, and relationships that lead nowhere near the target. */
  readonly relationships: HierarchyData['relationships']
  /** The local id of the company asked for. */
  readonly targetId: string
  /** The local id of whom a register names as ultimate parent, also where the way up is not known. */
  readonly ultimateParentId: string | null
  /** Addresses of public records: of relationships, and of the companies in the chain. */
  readonly evidence: readonly string[]
}

/** What is known of a domain without asking it. */
export interface DomainFacts {
  readonly trancoRank: number | null
  readonly isDisposable: boolean | null
  /** Other domains of the same company. */
  readonly aliases: readonly string[]
}

/** At once, or later: from another thread. */
export type Answered<Answer> = Answer | Promise<Answer>

/**
 * What the service answers from. Many resolutions may be asked for at a time; they may come back in any order.
 * The rest is synchronous: a few index lookups a call.
 */
export interface Knowledge {
  resolve(query: Query): Answered<Resolution>
  /** A merged id gives the record it was merged into, at the end of the chain. Null for an unknown id. */
  entity(id: EntityId): { record: EntityRecord; mergedInto: EntityId | null } | null
  /** The best first; `totalCount` counts what was found before the limit. */
  search(request: SearchRequest): { results: SearchResult[]; totalCount: number }
  /** Null for an unknown id; without relationships where none are known. */
  ownership(id: EntityId): Ownership | null
  /** Whose registrable domain this is. */
  resolveDomain(domain: string): Resolution
  domainFacts(domain: string): DomainFacts
  /** Names what is known now: another name, and what was built before is old. Cheap: every read asks. */
  edition?(): string
}

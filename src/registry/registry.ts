import type { EntityRecord } from '../contract/entity.js'
import { type EntityId, entityId } from '../contract/ids.js'
import type { Resolution } from '../contract/result.js'
import { sqliteCode, type Sqlite } from '../platform/sqlite.js'
import { editionOf, readSources } from './edition.js'
import { aliasesOf, resolveDomain } from './answer/domains.js'
import { entityRecordOf, primaryOf } from './answer/entity-record.js'
import { linkageReport, type LinkageReport } from './linkage/linkage-report.js'
import type { Vocabulary } from './match/vocabulary.js'
import { ownershipOf, type CompanyOwnership } from './answer/ownership.js'
import { ask, type AskedQuery } from './answer/match-query.js'
import { candidateOf, type CompanyCandidate } from './answer/candidates.js'
import type { IdentifiedDeps } from './answer/identified.js'
import type { NameQuery, ResolveDeps } from './answer/resolve.js'
import {
  searchCompanies,
  searchNames,
  type SearchPage,
  type SearchQuery,
  suggestCompanies,
  type SuggestedCompany,
} from './answer/search.js'
import { createCandidateFinder, createCompanyNames } from './store/blocking.js'
import { createIdentifierFinder } from './store/identifier-index.js'
import { createNameBeginningFinder, createWordWeight, readVocabulary } from './store/name-index.js'
import { createHolderFinder, createStoreReader } from './store/reader.js'
import { openStore } from './store/open-store.js'
import { createOwnershipReader } from './store/relationships.js'

export type { LinkageReport } from './linkage/linkage-report.js'
export type { CompanyOwnership, OwnershipLink } from './answer/ownership.js'
export type { AskedQuery } from './answer/match-query.js'
export type { CompanyCandidate } from './answer/candidates.js'
export type { SearchHit, SearchQuery } from './answer/search.js'

interface RegistrySource {
  readonly name: string
  readonly format: string
  readonly rowCount: number
  readonly rejectedCount: number
  readonly importedAt: string
  readonly fileSha256: string
}

export interface RegistryInfo {
  readonly path: string
  /** Companies that a search can find. */
  readonly entityCount: number
  /** Changes whenever the content does; equal for equal content, on any machine. */
  readonly edition: string
  readonly sources: readonly RegistrySource[]
}

/** Open registry data, read-only to all but importers. Synchronous: every answer is a few index lookups. */
export interface Registry {
  /**
   * All that is read within it is of one state of the file, whoever imports meanwhile; and the file is locked and looked
   * at once, where each statement by itself does both: a question makes some twenty.
   */
  atOnce<Result>(read: () => Result): Result
  info(): RegistryInfo
  /** Which registrations were found to be one company's, by what; which of one name were not, and why. */
  linkage(): LinkageReport
  /** `info().edition` alone, which costs no counting. */
  edition(): string
  search(query: SearchQuery): SearchPage
  /** What a search finds, each company once, with what is known of it. */
  searchCompanies(query: SearchQuery): CompanyCandidate[]
  /** Companies that somebody who types `prefix` may mean: whose id or identifier it is, or whose names begin so. */
  suggest(prefix: string, countMax: number): readonly SuggestedCompany[]
  /** What is known of a company; of a merged id, of the one it was merged into. Null for an unknown id. */
  company(id: string): CompanyCandidate | null
  /**
   * Never throws for any text and never invents: what is not held is `no_match`. A name that states identifiers is
   * answered by whose they are.
   */
  resolve(query: NameQuery): Resolution
  /**
   * The companies that a query may mean, at most so many, the likeliest first: also where nothing is answered, and
   * something is near.
   */
  candidates(query: NameQuery, countMax: number): CompanyCandidate[]
  /** Both of one query, which is matched once. */
  ask(query: NameQuery): AskedQuery
  /** The record of a company; a merged id gives the one it was merged into. Null for an unknown id. */
  entity(id: EntityId): { record: EntityRecord; mergedInto: EntityId | null } | null
  /** Who owns a company and whom it owns, for a merged id those of the canonical one. Null for an unknown id. */
  ownership(id: EntityId): CompanyOwnership | null
  /** Whose website has this registrable domain. */
  resolveDomain(domain: string): Resolution
  /** Other domains of the company that a domain resolves to. */
  domainAliases(domain: string): string[]
  close(): void
}

/** What importers need besides; made by `openRegistry` alone. */
export interface WritableRegistry extends Registry {
  readonly path: string
  readonly database: Sqlite
  /** For measurements of the matcher. */
  readonly resolveDeps: ResolveDeps
  /** Forgets what was read into memory; an import calls it when it has committed. */
  contentChanged(): void
}

export interface OpenRegistryOptions {
  readonly readonly?: boolean
  /** See `StoreMode`: quicker, for a file that is published when it is complete. */
  readonly staging?: boolean
  /** Of a file that is only read: what its pages may take in memory. */
  readonly cacheKibibytes?: number
}

/**
 * Opens the registry at `path` (":memory:" for one that lasts as long as the process); without `readonly`
 * a missing file is made. Errors: REGISTRY_NOT_FOUND, REGISTRY_INVALID.
 */
export function openRegistry(path: string, options: OpenRegistryOptions = {}): WritableRegistry {
  const mode = options.readonly ? 'readonly' : options.staging ? 'staging' : 'shared'
  const database = openStore(path, mode, options.cacheKibibytes)
  const reader = createStoreReader(database)
  const finder = createCandidateFinder(database)
  const vocabulary = createVocabularyCache(database)
  const ownerships = createOwnershipReader(database)
  const entityByNumber = (number: number) => reader.entityByNumber(number)
  const resolveDeps = {
    find: finder.find,
    vocabulary: vocabulary.current,
    reader,
    isBranch: (number: number) => ownerships.isBranch(number),
  }
  const domainDeps = { holdersOf: createHolderFinder(database), ownerships, entityByNumber }
  const identifiedDeps: IdentifiedDeps = {
    ...resolveDeps,
    bearersOf: createIdentifierFinder(database),
    namesOf: createCompanyNames(database),
    domains: domainDeps,
  }
  const suggestDeps = { ...identifiedDeps, beginningsOf: createNameBeginningFinder(database) }

  return {
    path,
    database,
    resolveDeps,
    atOnce: createReadTransactions(database),
    contentChanged: vocabulary.forget,
    info: () => ({ path, ...readInfo(database) }),
    linkage: () => linkageReport(database, createWordWeight(database)),
    edition: () => editionOf(readSources(database)),
    search: (query) => searchNames(query, { ...resolveDeps, ...identifiedDeps }),
    searchCompanies: (query) => searchCompanies(query, { ...resolveDeps, ...identifiedDeps }),
    suggest: (prefix, countMax) => suggestCompanies(prefix, countMax, suggestDeps),
    company(id) {
      const stored = reader.entityById(reader.mergedInto(id) ?? id)
      return stored === null
        ? null
        : candidateOf(stored, primaryOf(stored), { confidence: null, evidence: [] })
    },
    ask: (query) => ask(query, identifiedDeps),
    resolve: (query) => ask(query, identifiedDeps).answer(),
    candidates: (query, countMax) => ask(query, identifiedDeps).candidates(countMax),
    entity(id) {
      const mergedInto = reader.mergedInto(id)
      const stored = reader.entityById(mergedInto ?? id)
      if (stored === null) return null
      return {
        record: entityRecordOf(stored),
        mergedInto: mergedInto === null ? null : entityId.parse(mergedInto),
      }
    },
    ownership(id) {
      const number = reader.entityNumber(reader.mergedInto(id) ?? id)
      return number === null ? null : ownershipOf(number, { ownerships, entityByNumber })
    },
    resolveDomain: (domain) => resolveDomain(domain, domainDeps),
    domainAliases: (domain) => aliasesOf(domain, domainDeps),
    close: () => {
      if (!database.readonly) settleIntoOneFile(database)
      database.close()
    },
  }
}

/** So that the file can be copied, and read where nothing may be written. While others read it, it stays as it is. */
function settleIntoOneFile(database: Sqlite): void {
  try {
    database.pragma('journal_mode = DELETE')
  } catch (error) {
    if (sqliteCode(error) === null) throw error
  }
}

function createReadTransactions(database: Sqlite): Registry['atOnce'] {
  const inTransaction = database.transaction((read: () => unknown) => read())
  return <Result>(read: () => Result) =>
    database.inTransaction ? read() : (inTransaction.deferred(read) as Result)
}

/** The vocabulary is read once and again after an import, be it this process's or another's. */
function createVocabularyCache(database: Sqlite): { current: () => Vocabulary; forget: () => void } {
  const version = database.prepare<[], { data_version: number }>('PRAGMA data_version')
  let cached: { vocabulary: Vocabulary; dataVersion: number | undefined } | null = null
  return {
    current() {
      const dataVersion = version.get()?.data_version
      if (cached === null || cached.dataVersion !== dataVersion) {
        cached = { vocabulary: readVocabulary(database), dataVersion }
      }
      return cached.vocabulary
    },
    forget() {
      cached = null
    },
  }
}

function readInfo(database: Sqlite): Omit<RegistryInfo, 'path'> {
  const sources = readSources(database)
  const counted = database
    .prepare<[], { total: number }>(
      'SELECT count(DISTINCT entity_number) AS total FROM legal_entities WHERE removed_from_source = 0',
    )
    .get()
  return {
    entityCount: counted?.total ?? 0,
    edition: editionOf(sources),
    sources: sources.map((source) => ({
      name: source.name,
      format: source.format,
      rowCount: source.row_count,
      rejectedCount: source.rejected_count,
      importedAt: source.imported_at,
      fileSha256: source.file_sha256,
    })),
  }
}

import type { EntityRecord } from '../contract/entity.js'
import { type EntityId, entityId } from '../contract/enums.js'
import type { Factor, Resolution } from '../contract/result.js'
import { getSqliteCode, type Sqlite } from '../platform/sqlite.js'
import { computeEdition, listWholeRegisters, readSources } from './edition.js'
import { listDomainAliases } from './answer/domains.js'
import { answerDomain } from './answer/name-with-identifiers.js'
import { buildEntityRecord, getPrimary } from './answer/entity-record.js'
import { buildLinkageReport, type LinkageReport } from './linkage/join-registrations.js'
import { listEndFactors } from './answer/factors.js'
import { readOwnership, type CompanyOwnership } from './answer/ownership.js'
import { ask, type MatchedQuery } from './answer/match-query.js'
import { toCompanyCandidate, type CompanyCandidate } from './answer/candidates.js'
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
import { searchLimits } from './model/limits.js'
import { createCandidateFinder, createCompanyNames } from './store/blocking.js'
import { createCandidateNames } from './store/candidate-names.js'
import { createIdentifierFinder } from './store/identifier-index.js'
import {
  createNameBeginningFinder,
  createWordSearch,
  createWordWeight,
  readVocabulary,
} from './store/name-index.js'
import { createStoreReader } from './store/reader.js'
import { openStore, requireCompanies } from './store/open-store.js'
import { createHolderFinder, createOwnershipReader } from './store/relationships.js'

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
  /** Number of companies that a search can find. */
  readonly entityCount: number
  /** The country of all registrations that were looked at, spread over the file; `null` for several. */
  readonly onlyCountry: string | null
  /** Changes if the content changes; equal content gives an equal edition on every machine. */
  readonly edition: string
  readonly sources: readonly RegistrySource[]
}

/** Open registry data, read-only except for importers. Synchronous: every answer takes a few index lookups. */
export interface Registry {
  /**
   * Runs `read` in one read transaction: it sees one state of the file, even during an import. The file is also locked
   * and checked once instead of at every statement; one query executes about twenty.
   */
  atOnce<Result>(read: () => Result): Result
  info(): RegistryInfo
  /** Throws REGISTRY_EMPTY if it never had a company. Companies that left their registers count. */
  requireCompanies(): void
  /** Reports which registrations were joined, by which evidence, and which of the same name were not. */
  linkage(): LinkageReport
  /** Same value as `info().edition`, without the cost of counting companies. */
  edition(): string
  search(query: SearchQuery): SearchPage
  /** Returns the companies that a search finds, each once, with their known facts. */
  searchCompanies(query: SearchQuery): CompanyCandidate[]
  /** Suggests companies for a prefix that a user types: by id, by identifier, or by the beginning of a name. */
  suggest(prefix: string, countMax: number): readonly SuggestedCompany[]
  /** Returns a company; for a merged id, the company it was merged into. `null` for an unknown id. */
  company(id: string): CompanyCandidate | null
  /**
   * Resolves a name; a name that contains identifiers is resolved by them. Returns `no_match` if the registry has no
   * such company. Never throws, for any text.
   */
  resolve(query: NameQuery): Resolution
  /** Returns at most `countMax` companies that the query may mean, best first, even if no company is matched. */
  candidates(query: NameQuery, countMax: number): CompanyCandidate[]
  /** Returns the answer and the candidates of a query, which is matched once. */
  ask(query: NameQuery): MatchedQuery
  /** Returns the record of a company; for a merged id, of the company it was merged into. `null` for an unknown id. */
  entity(id: EntityId): { record: EntityRecord; mergedInto: EntityId | null } | null
  /** Returns the factors of an answer about the end of a company: it is inactive, or a register no longer lists it. */
  endFactors(id: EntityId): readonly Factor[]
  /** Returns parents and subsidiaries; for a merged id, of the canonical company. `null` for an unknown id. */
  ownership(id: EntityId): CompanyOwnership | null
  /** Finds the company whose website has this registrable domain. */
  resolveDomain(domain: string): Resolution
  /** Returns the other domains of the company to which a domain resolves. */
  domainAliases(domain: string): string[]
  close(): void
}

/** A registry with the additional members that importers need. Only `openRegistry` creates it. */
export interface WritableRegistry extends Registry {
  readonly path: string
  readonly database: Sqlite
  /** For measurements of the matcher. */
  readonly resolveDeps: ResolveDeps
  /** Drops cached data. An import calls it after its commit. */
  contentChanged(): void
}

export interface OpenRegistryOptions {
  readonly readonly?: boolean
  /** Faster mode for a file that is published only when complete; see `StoreMode`. */
  readonly staging?: boolean
  /** Page cache of a read-only file, in KiB. */
  readonly cacheKibibytes?: number
}

/**
 * Opens the registry at `path` (":memory:" for one in memory only). Creates a missing file unless `readonly` is set.
 * Errors: REGISTRY_NOT_FOUND, REGISTRY_INVALID.
 */
export function openRegistry(path: string, options: OpenRegistryOptions = {}): WritableRegistry {
  const mode = options.readonly ? 'readonly' : options.staging ? 'staging' : 'shared'
  const database = openStore(path, mode, options.cacheKibibytes)
  const reader = createStoreReader(database)
  const caches = new ContentCaches(database)
  const vocabulary = caches.create(readVocabulary)
  const edition = caches.create(() => computeEdition(readSources(database)))
  const registers = caches.create(listWholeRegisters)
  const ownerships = createOwnershipReader(database)
  const findEntityByNumber = (number: number) => reader.entityByNumber(number)
  const getNames = createCandidateNames(database)
  const resolveDeps = {
    find: createCandidateFinder(database, getNames).find,
    vocabulary: vocabulary.current,
    reader,
    isBranch: (number: number) => ownerships.isBranch(number),
  }
  const domainDeps = {
    findByDomain: createHolderFinder(database),
    ownerships,
    entityByNumber: findEntityByNumber,
  }
  const identifiedDeps: IdentifiedDeps = {
    ...resolveDeps,
    findByIdentifier: createIdentifierFinder(database),
    namesOf: createCompanyNames(database),
    registers: registers.current,
    domains: domainDeps,
  }
  const searchDeps = {
    ...resolveDeps,
    ...identifiedDeps,
    find: createCandidateFinder(database, getNames, searchLimits).find,
    findByWords: createWordSearch(database, getNames),
  }
  const suggestDeps = { ...identifiedDeps, findBeginnings: createNameBeginningFinder(database) }

  return {
    path,
    database,
    resolveDeps,
    atOnce: (read) => caches.atOnce(read),
    contentChanged: () => {
      vocabulary.forget()
      edition.forget()
      registers.forget()
    },
    info: () => ({ path, ...readInfo(database) }),
    requireCompanies: () => {
      requireCompanies(database, path)
    },
    linkage: () => buildLinkageReport(database, createWordWeight(database)),
    edition: edition.current,
    search: (query) => searchNames(query, searchDeps),
    searchCompanies: (query) => searchCompanies(query, searchDeps),
    suggest: (prefix, countMax) => suggestCompanies(prefix, countMax, suggestDeps),
    company(id) {
      const stored = reader.entityById(reader.findMergeTarget(id) ?? id)
      return stored === null
        ? null
        : toCompanyCandidate(stored, getPrimary(stored), { confidence: null, evidence: [] })
    },
    ask: (query) => ask(query, identifiedDeps),
    resolve: (query) => ask(query, identifiedDeps).answer(),
    candidates: (query, countMax) => ask(query, identifiedDeps).candidates(countMax),
    entity(id) {
      const mergedInto = reader.findMergeTarget(id)
      const stored = reader.entityById(mergedInto ?? id)
      if (stored === null) return null
      return {
        record: buildEntityRecord(stored),
        mergedInto: mergedInto === null ? null : entityId.parse(mergedInto),
      }
    },
    endFactors(id) {
      const stored = reader.entityById(reader.findMergeTarget(id) ?? id)
      return stored === null ? [] : listEndFactors(stored, getPrimary(stored))
    },
    ownership(id) {
      const number = reader.entityNumber(reader.findMergeTarget(id) ?? id)
      return number === null
        ? null
        : readOwnership(number, { ownerships, entityByNumber: findEntityByNumber })
    },
    resolveDomain: (name) => answerDomain({ name, location: null, context: null }, identifiedDeps),
    domainAliases: (domain) => listDomainAliases(domain, domainDeps),
    close: () => {
      if (!database.readonly) convertToSingleFile(database)
      database.close()
    },
  }
}

/** Makes the file a single one that can be copied and read from read-only media. Does nothing while others read it. */
function convertToSingleFile(database: Sqlite): void {
  try {
    database.pragma('journal_mode = DELETE')
  } catch (error) {
    if (getSqliteCode(error) === null) throw error
  }
}

/** Caches content of a database until an import by this process or another one changes the file. */
class ContentCaches {
  readonly #database: Sqlite
  readonly #version: { get(): { data_version: number } | undefined }
  readonly #inTransaction: { deferred(read: () => unknown): unknown }
  /** Identifies the snapshot that `atOnce` reads, in which nothing changes; `null` outside. */
  #snapshot: object | null = null

  constructor(database: Sqlite) {
    this.#database = database
    this.#version = database.prepare<[], { data_version: number }>('PRAGMA data_version')
    this.#inTransaction = database.transaction((read: () => unknown) => read())
  }

  /** Runs reads on one snapshot of the database. */
  atOnce<Result>(read: () => Result): Result {
    if (this.#database.inTransaction) return read()
    this.#snapshot = {}
    try {
      return this.#inTransaction.deferred(read) as Result
    } finally {
      this.#snapshot = null
    }
  }

  /** Caches what `read` returns. */
  create<Content>(read: (database: Sqlite) => Content): { current: () => Content; forget: () => void } {
    let cached: { content: Content; dataVersion: number | undefined; snapshot: object | null } | null = null
    return {
      current: () => {
        if (cached !== null && cached.snapshot !== null && cached.snapshot === this.#snapshot)
          return cached.content
        const dataVersion = this.#version.get()?.data_version
        const content =
          cached?.dataVersion === dataVersion && cached !== null ? cached.content : read(this.#database)
        cached = { content, dataVersion, snapshot: this.#snapshot }
        return content
      },
      forget: () => {
        cached = null
      },
    }
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
    onlyCountry: findOnlyCountry(database),
    edition: computeEdition(sources),
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

const countriesLookedAt = 200

/** Looks at some registrations only: all of a large registry would take seconds. */
function findOnlyCountry(database: Sqlite): string | null {
  const { last } = database
    .prepare<[], { last: number | null }>('SELECT max(number) AS last FROM legal_entities')
    .get() ?? { last: null }
  const next = database.prepare<[{ at: number }], { jurisdiction: string | null }>(
    'SELECT jurisdiction FROM legal_entities WHERE number >= @at AND removed_from_source = 0 LIMIT 1',
  )
  const found = Array.from({ length: countriesLookedAt }, (_, at) =>
    next.get({ at: Math.ceil(((last ?? 0) * at) / countriesLookedAt) }),
  ).flatMap((row) => (row === undefined ? [] : [(row.jurisdiction ?? '').slice(0, 2).toUpperCase()]))
  const [only, ...others] = new Set(found)
  return others.length > 0 || only === undefined || only === '' ? null : only
}

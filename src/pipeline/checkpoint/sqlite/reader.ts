import { readScope, toScope, type LookupKind } from '../../../core/lookup-state.js'
import { runProgram } from '../../../platform/sql-program.js'
import { readSchemaVersion, type Sqlite } from '../../../platform/sqlite.js'
import {
  readConfidence,
  outcomesSql,
  wholeAnswerSql,
  type FoundOutcome,
  addJobs,
  countRows,
  readNames,
  readSpentOfJob,
  readUncertain,
} from './reader-queries.js'
import type {
  AnsweredLine,
  AnsweredOutcome,
  CheckpointReader,
  KnownAnswer,
  LineVersions,
  ReaderQueries,
  StoredLookup,
} from '../lookup.js'
import type { LookupId } from '../../../core/lookup-identity.js'
import { createDamagedError, createHeadError } from '../checkpoint-errors.js'
import { withExplainedErrors, openToRead } from './open-database.js'
import {
  packedColumns,
  unpackBody,
  UnpackableError,
  unpackLine,
  unpackLineBytes,
  type PackedAnswer,
} from '../packed-answer.js'
import { buildChecksumSql, provenAnswers } from '../tables.js'
import { findLookupSql, type FoundLookup } from './queries.js'
import { readHeadComparison } from './verify.js'

/**
 * Opens a checkpoint read-only, while a run may be writing it. `scope` limits `find`. Returns `null` if there is no
 * checkpoint yet. Throws CHECKPOINT_*.
 */
export function openCheckpointReader(path: string, scope: string | null): CheckpointReader | null {
  const database = openToRead(path)
  if (database === null) {
    const error = createHeadError(path, readHeadComparison(path).standing)
    if (error !== null) throw error
    return null
  }
  return createReader(database, path, scope)
}

/**
 * Opens a checkpoint before a run, which may create it: also returns `null` if its creation was interrupted, or it was
 * lost. Opening it for writing decides whether the run may continue. `fetching` copies lookups from a server.
 */
export function peekAtCheckpoint(
  path: string,
  scope: string | null,
  fetching?: Fetching,
): CheckpointReader | null {
  const database = openToRead(path, 'unfinished')
  if (database === null) return null
  if (readSchemaVersion(database) > 0) return createReader(database, path, scope, fetching)
  database.close()
  return null
}

function createReader(
  database: Sqlite,
  path: string,
  scope: string | null,
  fetching?: Fetching,
): CheckpointReader {
  // Reads are spread over a file larger than any cache: the operating system's cache is enough.
  database.pragma(`cache_size = -${cacheKibibytes}`)
  return withExplainedErrors(path, () => new SqliteReader(database, path, scope, fetching))
}

const cacheKibibytes = 2_048

/** Copies lookups from a server. */
type Fetching = CheckpointReader['fetch']

interface Proof {
  isSound: 0 | 1
}

type KnownRow = Omit<KnownAnswer, 'kind' | 'line' | 'body'> & { scopeId: number }
type MaybePacked = PackedAnswer | Record<keyof PackedAnswer, null>

class SqliteReader implements CheckpointReader {
  readonly fetch: Fetching
  /** Has lookups of a server, as far as they were fetched. */
  readonly #isCopy: boolean
  readonly #database: Sqlite
  readonly #path: string
  /** `null` if no service is selected. */
  readonly #scope: string | null
  readonly #reads: Reads
  /** Kinds of the scopes read so far, by scope id: they never change. */
  readonly #kinds = new Map<number, LookupKind>()

  constructor(database: Sqlite, path: string, scope: string | null, fetching: Fetching | undefined) {
    this.fetch = fetching ?? (() => Promise.resolve())
    this.#isCopy = fetching !== undefined
    this.#database = database
    this.#path = path
    this.#scope = scope
    this.#reads = prepareReads(database)
  }

  find(lookups: Parameters<CheckpointReader['find']>[0]): LookupId[] {
    const scope = this.#scope
    if (scope === null) return lookups.map(() => 0)
    return this.#withTransaction(({ find, scopeId }) => {
      const kinds = new Set(lookups.map(({ kind }) => kind))
      const ids = new Map([...kinds].map((kind) => [kind, scopeId.get(toScope(scope, kind))]))
      return lookups.map(({ kind, key }) => {
        const id = ids.get(kind)
        const found = id === undefined ? undefined : find.get(id, key)
        if (found?.isSound === 0)
          throw createDamagedError(this.#path, undefined, 'an index points to the wrong lookup')
        return found?.lookupId ?? 0
      })
    })
  }

  readAnswers(lookupIds: readonly LookupId[]): (KnownAnswer | null)[] {
    return this.#withTransaction(({ known }) =>
      lookupIds.map((id) => {
        const row = known.get(id)
        if (row === undefined) return null
        const { packing, lineBytes, bodyBytes, packed, scopeId, ...rest } = this.#assertProven(row)
        const facts = { kind: this.#readKind(scopeId), ...rest }
        if (packing === null) return { ...facts, line: null, body: () => 'null' }
        const answer = { packing, lineBytes, bodyBytes, packed }
        const line = () => this.#unpack(() => unpackLine(answer))
        return {
          ...facts,
          get line() {
            return line()
          },
          body: () => this.#unpack(() => unpackBody(answer)),
        }
      }),
    )
  }

  readLines(lookupIds: readonly LookupId[], lineVersions: LineVersions): (AnsweredLine | null)[] {
    return this.#withTransaction(({ answered }) =>
      lookupIds.map((id) => {
        const row = answered.get(id)
        if (row === undefined) return null
        const { outcome, scopeId, lineVersion, mark } = this.#assertProven(row)
        const kind = this.#readKind(scopeId)
        if (lineVersion !== lineVersions[kind]) return null
        return { kind, outcome, line: this.#unpack(() => unpackLineBytes(row)), mark }
      }),
    )
  }

  readOutcomes(
    lookupIds: readonly LookupId[],
    isRead: (outcome: string) => boolean,
  ): (AnsweredOutcome | null)[] {
    return this.#withTransaction(({ answeredOutcomes, whole }) => {
      const found = new Map(answeredOutcomes.all(JSON.stringify(lookupIds)).map((row) => [row.lookupId, row]))
      return lookupIds.map((id) => {
        const row = found.get(id)
        if (row === undefined) return null
        const { outcome, scopeId } = row
        const read = () => this.#unpack(() => readConfidence(row, () => whole.get(id)))
        return { kind: this.#readKind(scopeId), outcome, confidence: isRead(outcome) ? read() : null }
      })
    })
  }

  readLookups(lookupIds: readonly LookupId[]): (StoredLookup | null)[] {
    return this.#withTransaction(({ lookup }) =>
      lookupIds.map((id) => {
        const row = lookup.get(id)
        return row === undefined ? null : { ...row, isSubmitted: row.isSubmitted === 1 }
      }),
    )
  }

  #readKind(scopeId: number): LookupKind {
    const known = this.#kinds.get(scopeId)
    if (known !== undefined) return known
    const scope = this.#reads.scopeOf.get(scopeId)
    const { kind } = readScope(scope ?? '')
    this.#kinds.set(scopeId, kind)
    return kind
  }

  /** A single transaction: separate ones would each lock the file and clear the cache. */
  #withTransaction<Result>(read: (reads: Reads) => Result): Result {
    return withExplainedErrors(
      this.#path,
      this.#database.transaction(() => read(this.#reads)),
    )
  }

  /** Throws if the row does not match its checksum. */
  #assertProven<Row extends Proof>(row: Row): Row {
    if (row.isSound === 0)
      throw createDamagedError(this.#path, undefined, 'an answer does not match its checksum')
    return row
  }

  #unpack<Unpacked>(unpack: () => Unpacked): Unpacked {
    try {
      return unpack()
    } catch (error) {
      if (error instanceof UnpackableError) throw createDamagedError(this.#path, error, error.message)
      throw error
    }
  }

  read<Name extends keyof ReaderQueries>(
    name: Name,
    ...[given]: undefined extends ReaderQueries[Name]['given'] ? [] : [ReaderQueries[Name]['given']]
  ): ReaderQueries[Name]['found'] {
    return withExplainedErrors(this.#path, () => this.#queries[name](given))
  }

  get #queries(): {
    [Name in keyof ReaderQueries]: (given: ReaderQueries[Name]['given']) => ReaderQueries[Name]['found']
  } {
    const database = this.#database
    return {
      counts: () => runProgram(database, addJobs(runProgram(database, countRows()))),
      spent_of_job: (job) => readSpentOfJob(database, this.#scope, job),
      names: (given) => !this.#isCopy && readNames(database, toScope(this.#scope ?? '', 'resolution'), given),
      uncertain: ({ limit }) => runProgram(database, readUncertain(limit)),
      version: () => database.pragma('data_version', { simple: true }) as number,
    }
  }

  close(): void {
    this.#database.close()
  }
}

type Reads = ReturnType<typeof prepareReads>

/** A killed process reopened the lookup and did not submit it: the next run restores this state. */
const knownState = `CASE WHEN l.state <> 'new' OR a.outcome IS NULL THEN l.state
  WHEN a.outcome = 'failed' THEN 'failed' ELSE 'answered' END`

function prepareReads(database: Sqlite) {
  const isLookupSound = `l.checksum IS ${buildChecksumSql('lookups', 'l.')}`
  return {
    scopeId: database.prepare<[string], number>('SELECT scope_id FROM scopes WHERE scope = ?').pluck(),
    scopeOf: database.prepare<[number], string>('SELECT scope FROM scopes WHERE scope_id = ?').pluck(),
    find: database.prepare<[number, Uint8Array], FoundLookup>(findLookupSql),
    answeredOutcomes: database.prepare<[string], FoundOutcome>(outcomesSql),
    whole: database.prepare<[number], PackedAnswer>(wholeAnswerSql),
    lookup: database.prepare<[number], Omit<StoredLookup, 'isSubmitted'> & { isSubmitted: 0 | 1 }>(
      `SELECT key, name, location, context, state <> 'new' AS isSubmitted FROM lookups WHERE lookup_id = ?`,
    ),
    known: database.prepare<[number], KnownRow & MaybePacked & Proof>(
      `SELECT l.scope_id AS scopeId, ${knownState} AS state, l.answered_at_ms AS answeredAtMs, l.run_id AS runId, l.failure, a.outcome,
         a.line_version AS lineVersion, ${packedColumns},
         ${isLookupSound} AND coalesce(a.is_sound, 1) AS isSound
       FROM lookups l LEFT JOIN ${provenAnswers} a USING (lookup_id) WHERE lookup_id = ?`,
    ),
    answered: database.prepare<
      [number],
      { outcome: string; scopeId: number; lineVersion: number; mark: Buffer | null } & PackedAnswer & Proof
    >(
      `SELECT a.outcome, l.scope_id AS scopeId, a.line_version AS lineVersion, a.mark, ${packedColumns},
         ${isLookupSound} AND a.is_sound AS isSound
       FROM lookups l JOIN ${provenAnswers} a USING (lookup_id)
       WHERE lookup_id = ? AND l.state IN ('answered', 'failed')`,
    ),
  }
}

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder } from '../../../platform/files.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import { makeCheckpointFile, withExplainedErrors } from '../sqlite/open-database.js'
import { buildAnswerChecksumSql, buildChecksumSql, getColumns, listCoveredColumns } from '../tables.js'
import { toScope } from '../../../core/lookup-state.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { CheckpointReader, KeyedLookup } from '../lookup.js'
import type { LookupId } from '../../../core/lookup-identity.js'
import type { SharedStore } from './store.js'
import type { CloseLater } from '../../../platform/close-stack.js'
import { peekAtCheckpoint } from '../sqlite/reader.js'
import {
  openSharedToRead,
  type OpenSharedDeps,
  type SharedDatabase,
  type SharedToRead,
} from './open-database.js'
import { withRetries, type RetryDeps } from '../../../platform/postgres/retry.js'

const lookupColumns = Object.keys(getColumns('lookups', 'columns'))
const answerColumns = Object.keys(getColumns('answers', 'columns')).filter((column) => column !== 'lookup_id')

/** Columns of lookups `l`, their scope `sc` and answer `a` for the copy. */
const copiedColumns = [
  'sc.scope',
  ...lookupColumns.map((column) => `l.${column}`),
  ...answerColumns.map((column) => `a.${column} AS answer_${column}`),
].join(', ')

interface CopiedLookup extends Readonly<Record<string, unknown>> {
  readonly scope: string
  /** `null` if it has no answer. */
  readonly answer_run_id: string | null
}

/**
 * Local copy of a checkpoint on a server, for readers: an ordinary checkpoint with the same ids in a private folder,
 * removed with the run. Throws CHECKPOINT_UNWRITABLE and DISK_FULL.
 */
export class LocalCopy {
  readonly path: string
  readonly #folder: string
  readonly #database: Sqlite
  readonly #write: Writes

  /** Removes copies that killed runs left in `folder`. */
  constructor(folder: string) {
    this.#folder = withExplainedErrors(join(folder, 'checkpoint.sqlite'), () => createTemporaryFolder(folder))
    this.path = join(this.#folder, 'checkpoint.sqlite')
    try {
      this.#database = withExplainedErrors(this.path, () => makeCheckpointFile(this.path))
      this.#write = prepareWrites(this.#database)
    } catch (error) {
      rmSync(this.#folder, { recursive: true, force: true })
      throw error
    }
  }

  /** Overwrites earlier copies of these lookups. */
  put(lookups: readonly CopiedLookup[]): void {
    withExplainedErrors(
      this.path,
      this.#database.transaction(() => {
        for (const lookup of lookups) this.#write(lookup)
      }),
    )
  }

  close(): void {
    try {
      this.#database.close()
    } finally {
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }
}

type Writes = (lookup: CopiedLookup) => void

function prepareWrites(database: Sqlite): Writes {
  const putLookup = database.prepare<[object]>(
    `INSERT INTO lookups (${lookupColumns.join(', ')}, checksum)
     VALUES (${lookupColumns.map((column) => `@${column}`).join(', ')}, ${buildChecksumSql('lookups', '@')})
     ON CONFLICT (lookup_id) DO UPDATE SET ${listCoveredColumns('lookups')
       .map((column) => `${column} = excluded.${column}`)
       .join(', ')}`,
  )
  const putAnswer = database.prepare<[object]>(
    `INSERT OR REPLACE INTO answers (lookup_id, ${answerColumns.join(', ')}, checksum)
     VALUES (@lookup_id, ${answerColumns.map((column) => `@answer_${column}`).join(', ')},
       ${buildAnswerChecksumSql('@answer_', '@key')})`,
  )
  const scopeId = database.prepare<[string], number>('SELECT scope_id FROM scopes WHERE scope = ?').pluck()
  const insertScope = database.prepare<[string]>('INSERT INTO scopes (scope) VALUES (?)')
  const scopeIds = new Map<string, number>()
  const ensureScopeId = (scope: string) => {
    const known = scopeIds.get(scope) ?? scopeId.get(scope) ?? Number(insertScope.run(scope).lastInsertRowid)
    scopeIds.set(scope, known)
    return known
  }
  return (lookup) => {
    putLookup.run({ ...lookup, scope_id: ensureScopeId(lookup.scope) })
    if (lookup.answer_run_id !== null) putAnswer.run(lookup)
  }
}

/** Answers take some kilobytes each. */
const copiedAtOnce = 2_000

/** Copies all lookups of this worker's run, a page at a time. */
export async function copyWanted(store: SharedStore, copy: LocalCopy): Promise<void> {
  let [scopeId, position] = [0, 0]
  for (;;) {
    const page = await store.query<CopiedLookup & { wanted_scope_id: number; position: number }>(
      `SELECT w.scope_id AS wanted_scope_id, w.position, ${copiedColumns}
       FROM enrich.wanted w JOIN enrich.lookups l ON l.lookup_id = w.lookup_id
       JOIN enrich.scopes sc ON sc.scope_id = l.scope_id LEFT JOIN enrich.answers a ON a.lookup_id = l.lookup_id
       WHERE w.worker_id = $1 AND (w.scope_id, w.position) > ($2, $3)
       ORDER BY w.scope_id, w.position LIMIT $4`,
      [store.workerId, scopeId, position, copiedAtOnce],
    )
    if (page.length > 0) copy.put(page)
    const last = page.at(-1)
    if (last === undefined || page.length < copiedAtOnce) return store.assertRemembered()
    scopeId = last.wanted_scope_id
    position = last.position
  }
}

async function copyLookups(
  statements: PostgresStatements,
  copy: LocalCopy,
  lookupIds: readonly LookupId[],
): Promise<void> {
  for (let start = 0; start < lookupIds.length; start += copiedAtOnce) {
    const page = await statements.query<CopiedLookup>(
      `SELECT ${copiedColumns} FROM enrich.lookups l JOIN enrich.scopes sc ON sc.scope_id = l.scope_id
       LEFT JOIN enrich.answers a ON a.lookup_id = l.lookup_id WHERE l.lookup_id = ANY($1::bigint[])`,
      [lookupIds.slice(start, start + copiedAtOnce)],
    )
    if (page.length > 0) copy.put(page)
  }
}

async function copyKnown(
  statements: PostgresStatements,
  copy: LocalCopy,
  base: string,
  lookups: readonly Pick<KeyedLookup, 'kind' | 'key'>[],
): Promise<void> {
  for (let start = 0; start < lookups.length; start += copiedAtOnce) {
    const some = lookups.slice(start, start + copiedAtOnce)
    const page = await statements.query<CopiedLookup>(
      `SELECT ${copiedColumns} FROM unnest($1::text[], $2::text[]) AS wanted (scope, key)
       JOIN enrich.scopes sc ON sc.scope = wanted.scope
       JOIN enrich.lookups l ON l.scope_id = sc.scope_id AND l.key = decode(wanted.key, 'hex')
       LEFT JOIN enrich.answers a ON a.lookup_id = l.lookup_id`,
      [some.map(({ kind }) => toScope(base, kind)), some.map(({ key }) => Buffer.from(key).toString('hex'))],
    )
    if (page.length > 0) copy.put(page)
  }
}

/** Opens a reader of a scope; lookups are in the copy once they were fetched. */
export type Peek = (scope: string) => CheckpointReader | null

export function createPeek(
  { postgres, explain }: Pick<SharedDatabase, 'postgres' | 'explain'>,
  copy: LocalCopy,
  deps: RetryDeps,
): Peek {
  const copyWithRetries = (work: () => Promise<void>) =>
    withRetries(deps, work).catch((error: unknown) => {
      throw explain(error)
    })
  return (scope) =>
    peekAtCheckpoint(copy.path, scope, (lookups) =>
      copyWithRetries(() =>
        'ids' in lookups
          ? copyLookups(postgres, copy, lookups.ids)
          : copyKnown(postgres, copy, scope, lookups),
      ),
    )
}

/** A checkpoint for read-only commands. */
interface SharedView {
  /** Path of the copy; removed when this is closed. */
  readonly path: string
  readonly peek: Peek
  /** Closed with it. */
  readonly server: Pick<SharedDatabase, 'postgres' | 'explain'>
  /** The error that would stop a run, or `null`. */
  readonly problem: () => SharedToRead['problem']
}

interface SharedViewDeps extends RetryDeps, Pick<OpenSharedDeps, 'environment'> {
  readonly url: string
  readonly folder: string
}

/** Changes nothing on the server; `null` if the server has no checkpoint yet. Throws CHECKPOINT_*. */
export async function openSharedView(
  deps: SharedViewDeps,
  closeLater: CloseLater,
): Promise<SharedView | null> {
  const shared = await openSharedToRead(deps.url, deps)
  if (shared === null) return null
  closeLater(() => shared.close())
  const copy = new LocalCopy(deps.folder)
  closeLater(() => {
    copy.close()
  })
  return {
    path: copy.path,
    problem: () => shared.problem,
    server: shared,
    peek: createPeek(shared, copy, deps),
  }
}

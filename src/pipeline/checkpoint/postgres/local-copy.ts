import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder } from '../../../platform/files.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import { makeCheckpointFile, withExplainedErrors } from '../sqlite/open-database.js'
import { buildAnswerChecksumSql, buildChecksumSql, getColumns, listCoveredColumns } from '../tables.js'
import { toScope } from '../../../core/lookup-state.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { CheckpointReader } from '../lookup.js'
import type { SharedStore } from './store.js'
import type { CloseLater } from '../../../platform/close-stack.js'
import { peekAtCheckpoint } from '../sqlite/reader.js'
import {
  openSharedToRead,
  type OpenSharedDeps,
  type SharedDatabase,
  type SharedToRead,
} from './open-database.js'
import {
  RetryingStatements,
  type ExplainedDatabase,
  type RetryDeps,
} from '../../../platform/postgres/retry.js'

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
  const putScope = database.prepare<[object]>(
    'INSERT OR IGNORE INTO scopes (scope_id, scope) VALUES (@scope_id, @scope)',
  )
  return (lookup) => {
    putScope.run(lookup)
    putLookup.run(lookup)
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
      [store.worker.id, scopeId, position, copiedAtOnce],
    )
    if (page.length > 0) copy.put(page)
    const last = page.at(-1)
    if (last === undefined || page.length < copiedAtOnce) return
    scopeId = last.wanted_scope_id
    position = last.position
  }
}

/** Copies lookups and their answers, some at once. `from`: a query's tables, in which the lookup is `l`. */
async function copyPages<Given>(
  { query }: PostgresStatements,
  copy: LocalCopy,
  given: readonly Given[],
  from: string,
  toValues: (some: readonly Given[]) => readonly unknown[],
): Promise<void> {
  for (let start = 0; start < given.length; start += copiedAtOnce) {
    const page = await query<CopiedLookup>(
      `SELECT ${copiedColumns} FROM ${from} LEFT JOIN enrich.answers a ON a.lookup_id = l.lookup_id`,
      toValues(given.slice(start, start + copiedAtOnce)),
    )
    if (page.length > 0) copy.put(page)
  }
}

const byIdSql = `unnest($1::bigint[]) AS wanted (lookup_id) JOIN enrich.lookups l ON l.lookup_id = wanted.lookup_id
  JOIN enrich.scopes sc ON sc.scope_id = l.scope_id`

const byKeySql = `unnest($1::text[], $2::text[]) AS wanted (scope, key)
  JOIN enrich.scopes sc ON sc.scope = wanted.scope
  JOIN enrich.lookups l ON l.scope_id = sc.scope_id AND l.key = decode(wanted.key, 'hex')`

/** Opens a reader of a scope; lookups are in the copy once they were fetched. */
export type Peek = (scope: string) => CheckpointReader | null

export function createPeek(database: ExplainedDatabase, copy: LocalCopy, deps: RetryDeps): Peek {
  const statements = new RetryingStatements(database, deps)
  return (scope) =>
    peekAtCheckpoint(copy.path, scope, (lookups) =>
      'ids' in lookups
        ? copyPages(statements, copy, lookups.ids, byIdSql, (ids) => [ids])
        : copyPages(statements, copy, lookups, byKeySql, (some) => [
            some.map(({ kind }) => toScope(scope, kind)),
            some.map(({ key }) => Buffer.from(key).toString('hex')),
          ]),
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

/** Changes nothing on the server; `null` if the server has no checkpoint yet. Throws CHECKPOINT_*. */
export async function openSharedView(
  deps: RetryDeps & Pick<OpenSharedDeps, 'environment'> & { readonly url: string; readonly folder: string },
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

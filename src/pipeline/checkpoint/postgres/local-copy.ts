import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { removeStaleTemporaries, temporaryPath } from '../../../platform/durable-files.js'
import type { Random } from '../../../platform/random.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import { explained } from '../open.js'
import { answerChecksumSql, checksumSql } from '../row-checksums.js'
import { openCheckpoint, type OwnCheckpoint } from '../sqlite-checkpoint.js'
import { columnsOf, coveredColumns } from '../tables.js'

const lookupColumns = Object.keys(columnsOf('lookups', 'columns'))
const answerColumns = Object.keys(columnsOf('answers', 'columns')).filter((column) => column !== 'lookup_id')

/** Selects lookups `l` with their scope `sc` and answer `a`, as they are copied. */
export const copiedColumns = [
  'sc.scope',
  ...lookupColumns.map((column) => `l.${column}`),
  ...answerColumns.map((column) => `a.${column} AS answer_${column}`),
].join(', ')

export interface CopiedLookup extends Readonly<Record<string, unknown>> {
  readonly scope: string
  /** `null` if it has no answer. */
  readonly answer_run_id: string | null
}

/**
 * What readers read of a checkpoint on a server: an ordinary checkpoint in a folder of its own that nobody else may read,
 * under the same ids, thrown away with the run. Throws CHECKPOINT_UNWRITABLE and DISK_FULL.
 */
export class LocalCopy {
  readonly path: string
  readonly #folder: string
  readonly #file: OwnCheckpoint
  #writes: Writes | null = null

  /** Removes what killed runs left in `folder`. */
  constructor(folder: string, deps: { scope: string; job: string; nowMs: number; random: Random }) {
    const beside = join(folder, 'enrich-answers')
    removeStaleTemporaries(beside)
    this.#folder = temporaryPath(beside)
    this.path = join(this.#folder, 'checkpoint.sqlite')
    explained(this.path, () => {
      mkdirSync(this.#folder, { mode: 0o700 })
    })
    try {
      this.#file = openCheckpoint({ ...deps, path: this.path, isBilled: false })
    } catch (error) {
      rmSync(this.#folder, { recursive: true, force: true })
      throw error
    }
  }

  /** Durable when it resolves. */
  remember<Result>(change: (database: Sqlite) => Result): Promise<Result> {
    return this.#file.remember(change)
  }

  /** Written over what was copied of these before. */
  put(lookups: readonly CopiedLookup[]): Promise<void> {
    return this.#file.remember((database) => {
      this.#writes ??= prepareWrites(database)
      for (const lookup of lookups) this.#writes(lookup)
    })
  }

  close(): void {
    try {
      this.#file.close()
    } finally {
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }
}

type Writes = (lookup: CopiedLookup) => void

function prepareWrites(database: Sqlite): Writes {
  const putLookup = database.prepare<[object]>(
    `INSERT INTO lookups (${lookupColumns.join(', ')}, checksum)
     VALUES (${lookupColumns.map((column) => `@${column}`).join(', ')}, ${checksumSql('lookups', '@')})
     ON CONFLICT (lookup_id) DO UPDATE SET ${coveredColumns('lookups')
       .map((column) => `${column} = excluded.${column}`)
       .join(', ')}`,
  )
  const putAnswer = database.prepare<[object]>(
    `INSERT OR REPLACE INTO answers (lookup_id, ${answerColumns.join(', ')}, checksum)
     VALUES (@lookup_id, ${answerColumns.map((column) => `@answer_${column}`).join(', ')},
       ${answerChecksumSql('@answer_', '@key')})`,
  )
  const scopeId = database.prepare<[string], number>('SELECT scope_id FROM scopes WHERE scope = ?').pluck()
  const insertScope = database.prepare<[string]>('INSERT INTO scopes (scope) VALUES (?)')
  const scopeIds = new Map<string, number>()
  const scopeIdOf = (scope: string) => {
    const known = scopeIds.get(scope) ?? scopeId.get(scope) ?? Number(insertScope.run(scope).lastInsertRowid)
    scopeIds.set(scope, known)
    return known
  }
  return (lookup) => {
    putLookup.run({ ...lookup, scope_id: scopeIdOf(lookup.scope) })
    if (lookup.answer_run_id !== null) putAnswer.run(lookup)
  }
}

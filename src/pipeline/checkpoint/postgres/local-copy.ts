import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { removeStaleTemporaries, temporaryPath } from '../../../platform/durable-files.js'
import type { Random } from '../../../platform/random.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import type { LookupState } from '../../rules/lookup-state.js'
import type { LookupId } from '../checkpoint.js'
import { explained } from '../open.js'
import type { PackedAnswer } from '../packed-answer.js'
import { prepareQueries, type Queries } from '../queries.js'
import { checksumSql } from '../row-checksums.js'
import { openCheckpoint, type OwnCheckpoint } from '../sqlite-checkpoint.js'

/** A lookup with its answer, as it is copied. */
export interface CopiedLookup extends Partial<PackedAnswer> {
  lookupId: LookupId
  scope: string
  key: Buffer
  name: string
  location: string | null
  context: string | null
  state: LookupState
  attempt: number
  customId: string | null
  runId: string | null
  failure: string | null
  submittedAtMs: number | null
  answeredAtMs: number | null
  /** Of the last answer; null where there is none. */
  answerRunId: string | null
  outcome: string | null
  lineVersion: number | null
  answerAtMs: number | null
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

const lookupColumns = [
  ...['scope_id', 'key', 'name', 'location', 'context', 'state', 'attempt', 'custom_id', 'run_id', 'failure'],
  ...['submitted_at_ms', 'answered_at_ms'],
] as const

function prepareWrites(database: Sqlite): Writes {
  const { insertAnswer }: Queries = prepareQueries(database)
  const putLookup = database.prepare(
    `INSERT INTO lookups (lookup_id, ${lookupColumns.join(', ')}, checksum)
     VALUES (@lookup_id, ${lookupColumns.map((column) => `@${column}`).join(', ')}, ${checksumSql('lookups', '@')})
     ON CONFLICT (lookup_id) DO UPDATE SET ${lookupColumns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
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
    const { lookupId, key, name, location, context, state, attempt, failure } = lookup
    putLookup.run({
      ...{
        lookup_id: lookupId,
        scope_id: scopeIdOf(lookup.scope),
        key,
        name,
        location,
        context,
        state,
        attempt,
      },
      ...{ custom_id: lookup.customId, run_id: lookup.runId, failure },
      ...{ submitted_at_ms: lookup.submittedAtMs, answered_at_ms: lookup.answeredAtMs },
    })
    const { answerRunId, outcome, lineVersion, answerAtMs, packing, lineBytes, bodyBytes, packed } = lookup
    if (answerRunId === null || outcome === null || lineVersion === null || answerAtMs === null) return
    if (packing === undefined || lineBytes === undefined || bodyBytes === undefined || packed === undefined)
      return
    insertAnswer.run({
      ...{ lookupId, runId: answerRunId, state: 'answered', outcome, lineVersion, answeredAtMs: answerAtMs },
      ...{ packing, lineBytes, bodyBytes, packed },
    })
  }
}

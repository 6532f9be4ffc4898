import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { UserError } from '../../../core/errors.js'
import { withCleanup, type CloseLater } from '../../../platform/close-stack.js'
import type { ProcessLock } from '../../../platform/file-locks.js'
import { publishFile, resolveFinalPath, syncPath } from '../../../platform/files.js'
import { openSqlite, prepare, type Sqlite } from '../../../platform/sqlite.js'
import { createDamagedError } from '../checkpoint-errors.js'
import { getInboxPath, getReviewStorePath, isCheckpointAt } from '../paths.js'
import { recoverIntended } from './checkpoint-file.js'
import {
  assertCheckpointPath,
  explainCheckpointError,
  lockCheckpoint,
  makeCheckpointFile,
  markMoved,
  openToWrite,
  readMoveTarget,
  removeMovedMark,
} from './open-database.js'
import { describeDamage, findDamage, findProblem, isBilledFile, isHarmless } from './verify.js'
import { buildAnswerChecksumSql, buildChecksumSql, calculateNextChain } from '../tables.js'
import { makeInboxFile, openInboxFile, sealInbox, unsealInbox } from './inbox-rows.js'
import { readScope, type LookupKind } from '../../../core/lookup-state.js'
import {
  buildPageSql,
  copyRows,
  getSharedColumns,
  serverColumns,
  type End,
  type Forms,
  type HeldCheckpoint,
  type Row,
  type RowStore,
  type Value,
} from '../copy-rows.js'

export interface FileEndDeps {
  readonly nowMs: number
  /** Price of one lookup of a kind, in millionths: a file does not store it for open jobs. */
  readonly priceMicrosOf: (kind: LookupKind) => number
}

/** A checkpoint in a file. Locked from its first use until `closeLater` runs. */
export function createFileEnd(path: string, deps: FileEndDeps, closeLater: CloseLater): End {
  /** The inbox first, so that a visible checkpoint is complete. */
  const files = [getInboxPath(path), path]
  let held: ProcessLock | null = null
  const lock = () => {
    held ??= lockCheckpoint(path, deps.nowMs)
  }
  closeLater(() => held?.release())
  return {
    place: path,
    hold: (work) =>
      withCleanup(async (closeHeld) => {
        if (!existsSync(path)) throw createNotFoundError(path)
        lock()
        return work(holdFile(path, deps, closeHeld))
      }),
    async fill(source, _, onProgress) {
      const taken = files.find((file) => existsSync(file)) ?? (isCheckpointAt(path) ? path : null)
      if (taken !== null) throw createNotEmptyError(taken)
      lock()
      for (const file of files)
        for (const end of ['', '-wal', '-shm', '-journal'])
          rmSync(getArrivingPath(file) + end, { force: true })
      try {
        const counts = await withCleanup(async (closeFilled) => {
          const database = makeCheckpointFile(getArrivingPath(path))
          closeFilled(() => void database.close())
          createServerTables(database, 'main')
          prepare(database, 'INSERT INTO checkpoint (id, created_at_ms, generation) VALUES (?, ?, ?)').run(
            source.checkpointId,
            source.createdAtMs,
            source.generation + 1,
          )
          const makeInbox = () => {
            const inbox = makeInboxFile(getArrivingPath(getInboxPath(path)))
            closeFilled(() => void inbox.close())
            return inbox
          }
          return copyRows(source, openRows(database, null, { ...deps, makeInbox }), onProgress)
        })
        // Before the source is marked as moved.
        for (const file of files.map(getArrivingPath)) if (existsSync(file)) syncPath(file)
        syncPath(dirname(getArrivingPath(path)))
        return counts
      } catch (error) {
        throw explainCheckpointError(path, error)
      }
    },
    publish() {
      lock()
      const arriving = files.filter((file) => existsSync(getArrivingPath(file)))
      if (arriving.length === 0 && !existsSync(path)) throw createNotFoundError(path)
      for (const file of arriving) publishFile(getArrivingPath(file), file)
      return Promise.resolve(arriving.length > 0)
    },
  }
}

/** Next to the target of a link, so that it is on the same disk. */
const getArrivingPath = (path: string): string => `${resolveFinalPath(path)}.arriving`

const createNotFoundError = (path: string) =>
  new UserError('CHECKPOINT_NOT_FOUND', `there is no checkpoint at ${path}`, {
    hint: 'pass the checkpoint to move, then the target',
  })

const createNotEmptyError = (path: string) =>
  new UserError('CHECKPOINT_NOT_EMPTY', `${path} already exists`, {
    hint: 'pass a path without a checkpoint, inbox or head file',
  })

/** Receivers refuse deliveries from here on; after a failure they accept them again. */
function holdFile(
  path: string,
  { nowMs, priceMicrosOf }: FileEndDeps,
  closeLater: CloseLater,
): HeldCheckpoint {
  const movedTo = readMoveTarget(path)
  const isBilled = movedTo === null && isBilledFile(path)
  const database =
    movedTo === null ? openSound(path, isBilled) : openSqlite(path, { synchronous: 'NORMAL', readonly: true })
  closeLater(() => void database.close())
  const inbox = existsSync(getInboxPath(path)) ? openInboxFile(path) : null
  closeLater(() => void inbox?.close())
  if (movedTo === null) recoverIntended(database)
  if (inbox !== null) sealInbox(inbox)
  closeLater(() => {
    if (inbox !== null && readMoveTarget(path) === null) unsealInbox(inbox)
  })
  const head = prepare<[], Pick<HeldCheckpoint, 'checkpointId' | 'createdAtMs' | 'generation'>>(
    database,
    'SELECT id AS checkpointId, created_at_ms AS createdAtMs, generation FROM checkpoint',
  ).get() ?? { checkpointId: '', createdAtMs: 0, generation: 0 }
  const reviewPath = getReviewStorePath(path)
  return {
    ...head,
    ...openRows(database, inbox, { priceMicrosOf }),
    movedTo,
    staysBehind: existsSync(reviewPath)
      ? [`the review state in ${reviewPath}; decisions are in the decisions file`]
      : [],
    markMoved: (to) => {
      markMoved(database, { path, isBilled }, to, nowMs)
    },
    restore: () => {
      database.close()
      removeMovedMark(path)
    },
  }
}

/** Throws CHECKPOINT_* if a run would stop, or anything except the history is damaged. */
function openSound(path: string, isBilled: boolean): Sqlite {
  assertCheckpointPath(path)
  const problem = findProblem(path, isBilled)
  if (problem !== null) throw problem
  const database = openToWrite(path)
  const wrong = findDamage(database, 'all').filter((damage) => !isHarmless(damage))
  if (wrong.length === 0) return database
  database.close()
  throw createDamagedError(path, undefined, describeDamage(wrong))
}

/** `position` is the number of a job, or of a submission in send order. */
function createServerTables(database: Sqlite, schema: 'main' | 'temp'): void {
  for (const [table, columns] of Object.entries(serverColumns))
    database.exec(
      `CREATE TABLE ${schema}.server_${table} (position INTEGER PRIMARY KEY, ${columns.join(', ')})`,
    )
}

const forms: Forms = {
  jobs: {
    from: 'jobs LEFT JOIN server_jobs ON position = job_id',
    columns: { reserved_before: 'coalesce(reserved_before, 0)' },
  },
  outputs: { from: 'server_outputs', key: 'position' },
  submissions: {
    from: `submissions s LEFT JOIN server_submissions ON position = s.rowid
      JOIN jobs USING (job_id) JOIN scopes USING (scope_id)`,
    key: 's.rowid',
    columns: {
      is_first: `coalesce(is_first, kind_of(scope) = 'resolution')`,
      price_micros: 'coalesce(price_micros, iif(ended_at_ms IS NULL, price_of(kind_of(scope)), 0))',
    },
  },
}

/** Triggers of the connection maintain the other checksums. */
const computedColumns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  lookups: { checksum: buildChecksumSql('lookups', '@') },
  submissions: { chain: 'next_chain(@custom_id, @attempt, @intended_at_ms)' },
  answers: {
    checksum: buildAnswerChecksumSql('@', '(SELECT key FROM lookups WHERE lookup_id = @lookup_id)'),
  },
  history_runs: { checksum: buildChecksumSql('history_runs', '@') },
}

interface RowsDeps extends Pick<FileEndDeps, 'priceMicrosOf'> {
  /** Creates the inbox for the first delivery. */
  readonly makeInbox?: () => Sqlite
}

/** `database` must have the functions of checksums. */
function openRows(database: Sqlite, inbox: Sqlite | null, { priceMicrosOf, makeInbox }: RowsDeps): RowStore {
  let chain = ''
  const positions = new Map<string, number>()
  database.function('kind_of', (scope) => readScope(String(scope)).kind)
  database.function('price_of', (kind) => priceMicrosOf(kind as LookupKind))
  database.function('next_chain', (id: unknown, attempt: unknown, atMs: unknown) => {
    const submission = { customId: String(id), attempt: Number(attempt), intendedAtMs: Number(atMs) }
    return (chain = calculateNextChain(chain, submission))
  })
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'server_jobs'").get() === undefined)
    createServerTables(database, 'temp')
  return {
    read(table, after, count) {
      const from = table === 'deliveries' ? inbox : database
      if (from === null) return []
      const sql = buildPageSql(table, forms[table]).replace('$1', '?').replace('$2', '?')
      return prepare<[Value, number], Row>(from, sql).all(after, count)
    },
    write(table, rows) {
      if (table === 'deliveries') inbox ??= makeInbox?.() ?? null
      const to = table === 'deliveries' ? (inbox ?? database) : database
      const extra = serverColumns[table] ?? []
      const insert = createInsert(to, table, getSharedColumns(table), computedColumns[table])
      const insertExtra = createInsert(to, `server_${table}`, extra.length > 0 ? ['position', ...extra] : [])
      to.transaction(() => {
        for (const row of rows) {
          const position = table === 'jobs' ? Number(row['job_id']) : (positions.get(table) ?? 0) + 1
          positions.set(table, position)
          insert(row)
          insertExtra({ ...row, position })
        }
      })()
    },
  }
}

/** Without columns, the insert does nothing. `computed`: expressions of other columns. */
function createInsert(
  database: Sqlite,
  table: string,
  columns: readonly string[],
  computed: Readonly<Record<string, string>> = {},
): (row: Row) => void {
  if (columns.length === 0) return () => undefined
  const names = [...columns, ...Object.keys(computed)].join(', ')
  const values = [...columns.map((column) => `@${column}`), ...Object.values(computed)].join(', ')
  const statement = prepare<Row>(database, `INSERT INTO ${table} (${names}) VALUES (${values})`)
  return (row) => void statement.run(row)
}

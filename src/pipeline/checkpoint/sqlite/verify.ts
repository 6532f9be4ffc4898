import { existsSync, statSync } from 'node:fs'
import { UserError } from '../../../core/errors.js'
import { judgeStanding, type FoundHead, type Standing } from '../checkpoint-standing.js'
import { createDamagedError, createHeadError } from '../checkpoint-errors.js'
import { readFacts, readHead } from './head-file.js'
import { explainCheckpointError, openToRead } from './open-database.js'
import {
  type Sqlite,
  describeSqliteError,
  getSqliteCode,
  readSchemaVersion,
} from '../../../platform/sqlite.js'
import { formatCount } from '../../../core/text.js'
import { countDamagedHistory } from './history-proof.js'
import {
  buildChecksumSql,
  calculateNextChain,
  provenAnswers,
  summedTables,
  type SummedTable,
} from '../tables.js'

/** A difference from the data as written. */
export interface Damage {
  /** A table, or the consistency of several tables. */
  where: SummedTable | 'answers' | 'database' | 'chain' | 'history'
  /** Description of the damage. */
  what: string
  count: number
  /** Some company names or custom ids, if known. */
  examples: string[]
}

const examplesMax = 10

/** The answers to check: all, or those of this run, listed in `temp.wanted`. */
type AnswersChecked = 'all' | 'wanted'

/**
 * Finds all damage in a checkpoint with SQLite's own check, the checksums and the chain. SQLite's check ends its
 * transaction when it fails: a caller that wants to commit passes a second connection to the file as `second`.
 */
export function findDamage(database: Sqlite, answers: AnswersChecked, second: Sqlite = database): Damage[] {
  const found: Damage[] = []
  const look = (where: Damage['where'], search: () => Omit<Damage, 'where'> | null) => {
    try {
      const damage = search()
      if (damage !== null) found.push({ where, ...damage })
    } catch (error) {
      if (getSqliteCode(error) === null) throw error
      found.push({
        where,
        what: `cannot be read (${describeSqliteError(error as Error)})`,
        count: 1,
        examples: [],
      })
    }
  }
  const lookAtAll = database.transaction(() => {
    look('database', () => checkIntegrity(second))
    // The creation of the file was interrupted: it has no tables.
    if (readSchemaVersion(database) === 0) return
    for (const table of summedTables) look(table, () => findDamagedRows(database, table))
    look('answers', () => findDamagedAnswers(database, answers))
    look('chain', () => findBrokenChain(database))
    look('lookups', () => findMissingAttempts(database))
    // No decision of a run depends on it.
    if (answers === 'all') look('history', () => findDamagedHistory(database))
  })
  try {
    lookAtAll()
  } catch (error) {
    // Some damage also ends the transaction; the findings so far are kept.
    if (getSqliteCode(error) === null || found.length === 0) throw error
  }
  return isHistoryOnly(second, found)
    ? found.map((damage) => ({ ...damage, where: 'history' as const }))
    : found
}

/** Damage that stops no run: the history decides nothing. */
export const isHarmless = ({ where }: Damage): boolean => where === 'history'

/** Whether SQLite finds all tables intact except those of the history, including the list of free pages. */
function isHistoryOnly(database: Sqlite, found: readonly Damage[]): boolean {
  if (!found.some(({ where }) => where === 'database')) return false
  if (found.some((damage) => damage.where !== 'database' && !isHarmless(damage))) return false
  try {
    const tables = database
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'history!_%' ESCAPE '!'",
      )
      .pluck()
      .all()
    const isSound = (table: string) =>
      database.pragma(`integrity_check(${table})`, { simple: true }) === 'ok' &&
      (database.pragma(`foreign_key_check(${table})`) as unknown[]).length === 0
    return ['sqlite_schema', ...tables].every(isSound)
  } catch (error) {
    if (getSqliteCode(error) === null) throw error
    return false
  }
}

function findDamagedHistory(database: Sqlite): Omit<Damage, 'where'> | null {
  const unsound = countDamagedHistory(database)
  const count = unsound.reduce((sum, table) => sum + table.count, 0)
  const examples = unsound.map((table) => `${table.table}: ${table.count}`)
  return count === 0
    ? null
    : { what: 'rows of the run history do not match their checksums', count, examples }
}

function checkIntegrity(database: Sqlite): Omit<Damage, 'where'> | null {
  const lines = database.pragma('integrity_check') as { integrity_check: string }[]
  const texts = lines.flatMap(({ integrity_check: text }) => text.split('\n')).filter((text) => text !== 'ok')
  const orphans = (database.pragma('foreign_key_check') as unknown[]).length
  if (orphans > 0) texts.push(`${orphans} rows refer to missing rows`)
  if (texts.length === 0) return null
  return { what: 'the file is damaged', count: texts.length, examples: texts.slice(0, examplesMax) }
}

const nameOfRow: Record<SummedTable, string> = {
  checkpoint: 'id',
  scopes: 'scope',
  jobs: 'input',
  lookups: 'name',
  submissions: 'custom_id',
}

function findDamagedRows(database: Sqlite, table: SummedTable): Omit<Damage, 'where'> | null {
  const names = database
    .prepare<[], string | null>(
      `SELECT CAST(${nameOfRow[table]} AS TEXT) FROM ${table} WHERE checksum IS NOT ${buildChecksumSql(table)}`,
    )
    .pluck()
    .all()
  if (table === 'checkpoint' && names.length === 0) return checkCheckpointRow(database)
  return names.length === 0 ? null : buildDamage('rows do not match their checksums', names)
}

function checkCheckpointRow(database: Sqlite): Omit<Damage, 'where'> | null {
  const count = database.prepare<[], number>('SELECT count(*) FROM checkpoint').pluck().get()
  const isBegun = database.prepare('SELECT 1 FROM scopes').get() !== undefined
  return count === 1 || (count === 0 && !isBegun)
    ? null
    : { what: `${count ?? 0} rows instead of one`, count: 1, examples: [] }
}

/** Answers that match their checksum but cannot be unpacked were not written by this program; checked with `all`. */
function findDamagedAnswers(database: Sqlite, which: AnswersChecked): Omit<Damage, 'where'> | null {
  const found =
    which === 'all'
      ? `${provenAnswers} a LEFT JOIN lookups l USING (lookup_id)
         WHERE NOT is_sound OR NOT unpacks(packing, line_bytes, body_bytes, packed)`
      : `temp.wanted JOIN ${provenAnswers} a USING (lookup_id) LEFT JOIN lookups l USING (lookup_id) WHERE NOT is_sound`
  const names = database.prepare<[], string | null>(`SELECT l.name FROM ${found}`).pluck().all()
  return names.length === 0 ? null : buildDamage('answers do not match their checksums', names)
}

function findBrokenChain(database: Sqlite): Omit<Damage, 'where'> | null {
  const rows = database
    .prepare<
      [],
      { position: number; customId: string; attempt: number; intendedAtMs: number; chain: string }
    >(
      `SELECT rowid AS position, custom_id AS customId, attempt, intended_at_ms AS intendedAtMs, chain
       FROM submissions ORDER BY rowid`,
    )
    .iterate()
  let chain = ''
  let position = 0
  for (const row of rows) {
    position++
    if (row.position === position && row.chain === calculateNextChain(chain, row)) {
      chain = row.chain
      continue
    }
    const what = `the chain of submissions is broken at submission ${formatCount(position)}`
    return { what, count: 1, examples: [row.customId] }
  }
  return null
}

/** Submissions missing from their lookup, which would be submitted as new. */
function findMissingAttempts(database: Sqlite): Omit<Damage, 'where'> | null {
  const names = database
    .prepare<[], string>(
      `SELECT l.name FROM lookups l JOIN submissions s USING (lookup_id) WHERE s.attempt > l.attempt GROUP BY l.lookup_id`,
    )
    .pluck()
    .all()
  return names.length === 0 ? null : buildDamage('lookups have fewer attempts than their submissions', names)
}

function buildDamage(what: string, names: readonly (string | null)[]): Omit<Damage, 'where'> {
  const known = names.filter((name) => name !== null && name !== '')
  return { what, count: names.length, examples: known.slice(0, examplesMax) as string[] }
}

/** Returns a short description for an error. */
export function describeDamage(found: readonly Damage[]): string {
  return found
    .slice(0, 3)
    .map(({ where, what, count }) =>
      where === 'database' || where === 'chain' ? what : `${formatCount(count)} ${what} (${where})`,
    )
    .join('; ')
}

/** Compares a checkpoint with its head, read-only; a run may be writing it. */
export function readHeadComparison(path: string, isBilled = true): { standing: Standing; found: FoundHead } {
  // Read the head first: it is written after the commit it describes.
  const found = readHead(path, isBilled)
  if (!existsSync(path) || statSync(path).size === 0) return { standing: judgeStanding(found, null), found }
  const database = openToRead(path, 'unfinished')
  if (database === null) return { standing: judgeStanding(found, null), found }
  try {
    const version = database.pragma('user_version', { simple: true }) as number
    const facts = version === 0 ? null : readFacts(database, path, found)
    return { standing: judgeStanding(found, facts), found }
  } finally {
    database.close()
  }
}

/** Returns the error that a run with this checkpoint would stop with, or `null`. An unbilled copy is accepted. */
export function findProblem(path: string, isBilled: boolean): UserError | null {
  return toProblem(path, readHeadComparison(path).standing, isBilled)
}

function toProblem(path: string, standing: Standing, isBilled: boolean): UserError | null {
  return standing.kind === 'copied' && !isBilled ? null : createHeadError(path, standing)
}

/** Result of `enrich checkpoint verify`; the checkpoint is intact if `damage` is empty and `problem` is `null`. */
export interface Verification {
  path: string
  damage: readonly Damage[]
  /** Mismatch with its head, or `null`. */
  problem: { code: string; message: string; hint: string | null } | null
}

/** Checks everything read-only, without a lock. Returns `null` if there is neither a checkpoint nor a head. */
export function verifyFile(path: string): Verification | null {
  const damage: Damage[] = []
  const look = <Result>(action: () => Result): Result | null => {
    try {
      return action()
    } catch (fault) {
      const error = explainCheckpointError(path, fault)
      if (!(error instanceof UserError)) throw error
      if (error.code !== 'CHECKPOINT_DAMAGED') throw error
      const { cause } = error
      const isOfSqlite = getSqliteCode(cause) !== null
      const what = isOfSqlite
        ? `cannot be opened (${describeSqliteError(cause as Error)})`
        : 'cannot be opened'
      damage.push({ where: 'database', what, count: 1, examples: [] })
      return null
    }
  }
  const database = look(() => openToRead(path, 'unfinished'))
  let isBilled = true
  if (database !== null) {
    try {
      isBilled = look(() => hasHostedAnswers(database)) ?? true
      damage.push(...(look(() => findDamage(database, 'all')) ?? []))
    } finally {
      database.close()
    }
  }
  const found = damage.length > 0 && database === null ? null : look(() => readHeadComparison(path))
  if (database === null && damage.length === 0 && found?.found.kind === 'missing') return null
  const error = found === null ? null : toProblem(path, found.standing, isBilled)
  return {
    path,
    damage,
    problem: error === null ? null : { code: error.code, message: error.message, hint: error.hint ?? null },
  }
}

/** Whether a checkpoint has answers of a service at a URL; true if that cannot be read. */
export function isBilledFile(path: string): boolean {
  try {
    const database = openToRead(path, 'unfinished')
    try {
      return database !== null && hasHostedAnswers(database)
    } finally {
      database?.close()
    }
  } catch {
    return true
  }
}

/** Whether it has answers of a service at a URL: those were billed. */
function hasHostedAnswers(database: Sqlite): boolean {
  const scopes = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'scopes'").get()
  return (
    scopes !== undefined &&
    database.prepare("SELECT 1 FROM scopes WHERE scope LIKE 'http%'").get() !== undefined
  )
}

/** Returns the error of an action on a checkpoint, or that of its damage if the error is unexpected. */
export function explainByDamage(path: string, error: unknown): unknown {
  const isForeseen = error instanceof UserError || (error instanceof Error && error.name === 'AbortError')
  if (isForeseen) return error
  try {
    const database = openToRead(path, 'unfinished')
    if (database === null) return error
    try {
      const found = findDamage(database, 'all').filter((damage) => !isHarmless(damage))
      return found.length === 0 ? error : createDamagedError(path, error, describeDamage(found))
    } finally {
      database.close()
    }
  } catch (fault) {
    const explained = explainCheckpointError(path, fault)
    return explained instanceof UserError ? explained : error
  }
}

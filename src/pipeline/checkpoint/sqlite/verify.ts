import { existsSync, statSync } from 'node:fs'
import { errorText, UserError } from '../../../core/errors.js'
import { judgeStanding, type FoundHead, type Standing } from '../../figures/checkpoint-standing.js'
import { damaged, standingError } from '../checkpoint-errors.js'
import { readFacts, readHead } from './head-file.js'
import { explainCheckpointError, openToRead } from './open-database.js'
import { type Sqlite, sqliteCode, versionOf } from '../../../platform/sqlite.js'
import { formatCount } from '../../../core/text.js'
import { unsoundHistory } from './history-proof.js'
import { checksumSql, nextChain, provenAnswers, summedTables, type SummedTable } from '../tables.js'

/** Something that is not as it was written. */
export interface Damage {
  /** What it is about: a table, or how tables hang together. */
  where: SummedTable | 'answers' | 'database' | 'chain' | 'history'
  /** What is wrong, in words. */
  what: string
  count: number
  /** Names of companies, or custom ids, where they can be told: a few. */
  examples: string[]
}

const examplesMax = 10

/** The answers looked at: all, or those that this run wants, which `temp.wanted` lists. */
type AnswersChecked = 'all' | 'wanted'

/**
 * Everything in a checkpoint that is not sound, by SQLite's own check, the checksums and the chain. Within a transaction
 * that is to be committed, SQLite's check needs another connection to the same file: where it fails, it ends its
 * transaction.
 */
export function findDamage(database: Sqlite, answers: AnswersChecked, beside: Sqlite = database): Damage[] {
  const found: Damage[] = []
  const look = (where: Damage['where'], search: () => Omit<Damage, 'where'> | null) => {
    try {
      const damage = search()
      if (damage !== null) found.push({ where, ...damage })
    } catch (error) {
      if (sqliteCode(error) === null) throw error
      found.push({ where, what: `cannot be read (${(error as Error).message})`, count: 1, examples: [] })
    }
  }
  const lookAtAll = database.transaction(() => {
    look('database', () => integrity(beside))
    // A file that was never finished being made holds nothing more.
    if (versionOf(database) === 0) return
    for (const table of summedTables) look(table, () => unsoundRows(database, table))
    look('answers', () => unsoundAnswers(database, answers))
    look('chain', () => brokenChain(database))
    look('lookups', () => forgottenAttempts(database))
    // Nothing that a run decides depends on it.
    if (answers === 'all') look('history', () => forgottenRuns(database))
  })
  try {
    lookAtAll()
  } catch (error) {
    // Some damage ends the transaction, too; what was found of it stands.
    if (sqliteCode(error) === null || found.length === 0) throw error
  }
  return isOfHistoryAlone(beside, found)
    ? found.map((damage) => ({ ...damage, where: 'history' as const }))
    : found
}

/** Damage that stops no run: what is remembered of earlier ones decides nothing. */
export const isHarmless = ({ where }: Damage): boolean => where === 'history'

/** Whether SQLite finds every table sound but those of history, and the list of free pages too. */
function isOfHistoryAlone(database: Sqlite, found: readonly Damage[]): boolean {
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
    if (sqliteCode(error) === null) throw error
    return false
  }
}

function forgottenRuns(database: Sqlite): Omit<Damage, 'where'> | null {
  const unsound = unsoundHistory(database)
  const count = unsound.reduce((sum, table) => sum + table.count, 0)
  const examples = unsound.map((table) => `${table.table}: ${table.count}`)
  return count === 0
    ? null
    : { what: 'rows of what is remembered of runs do not agree with their checksums', count, examples }
}

function integrity(database: Sqlite): Omit<Damage, 'where'> | null {
  const lines = database.pragma('integrity_check') as { integrity_check: string }[]
  const texts = lines.flatMap(({ integrity_check: text }) => text.split('\n')).filter((text) => text !== 'ok')
  const orphans = (database.pragma('foreign_key_check') as unknown[]).length
  if (orphans > 0) texts.push(`${orphans} rows refer to rows that are gone`)
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

function unsoundRows(database: Sqlite, table: SummedTable): Omit<Damage, 'where'> | null {
  const names = database
    .prepare<[], string | null>(
      `SELECT CAST(${nameOfRow[table]} AS TEXT) FROM ${table} WHERE checksum IS NOT ${checksumSql(table)}`,
    )
    .pluck()
    .all()
  if (table === 'checkpoint' && names.length === 0) return checkpointRow(database)
  return names.length === 0 ? null : listed('rows do not agree with their checksums', names)
}

function checkpointRow(database: Sqlite): Omit<Damage, 'where'> | null {
  const count = database.prepare<[], number>('SELECT count(*) FROM checkpoint').pluck().get()
  const isBegun = database.prepare('SELECT 1 FROM scopes').get() !== undefined
  return count === 1 || (count === 0 && !isBegun)
    ? null
    : { what: `${count ?? 0} rows where one belongs`, count: 1, examples: [] }
}

/** What agrees with its checksum and cannot be unpacked was written by nobody; looked for where all are. */
function unsoundAnswers(database: Sqlite, which: AnswersChecked): Omit<Damage, 'where'> | null {
  const found =
    which === 'all'
      ? `${provenAnswers} a LEFT JOIN lookups l USING (lookup_id)
         WHERE NOT is_sound OR NOT unpacks(packing, line_bytes, body_bytes, packed)`
      : `temp.wanted JOIN ${provenAnswers} a USING (lookup_id) LEFT JOIN lookups l USING (lookup_id) WHERE NOT is_sound`
  const names = database.prepare<[], string | null>(`SELECT l.name FROM ${found}`).pluck().all()
  return names.length === 0 ? null : listed('answers do not agree with their checksums', names)
}

function brokenChain(database: Sqlite): Omit<Damage, 'where'> | null {
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
    if (row.position === position && row.chain === nextChain(chain, row)) {
      chain = row.chain
      continue
    }
    const what = `the chain of submissions breaks at the ${formatCount(position)}th`
    return { what, count: 1, examples: [row.customId] }
  }
  return null
}

/** A submission that its lookup knows nothing of: the lookup would be submitted as if it were new. */
function forgottenAttempts(database: Sqlite): Omit<Damage, 'where'> | null {
  const names = database
    .prepare<[], string>(
      `SELECT l.name FROM lookups l JOIN submissions s USING (lookup_id) WHERE s.attempt > l.attempt GROUP BY l.lookup_id`,
    )
    .pluck()
    .all()
  return names.length === 0 ? null : listed('lookups know less than their submissions', names)
}

function listed(what: string, names: readonly (string | null)[]): Omit<Damage, 'where'> {
  const known = names.filter((name) => name !== null && name !== '')
  return { what, count: names.length, examples: known.slice(0, examplesMax) as string[] }
}

/** In a few words, for an error. */
export function damageText(found: readonly Damage[]): string {
  return found
    .slice(0, 3)
    .map(({ where, what, count }) =>
      where === 'database' || where === 'chain' ? what : `${formatCount(count)} ${what} (${where})`,
    )
    .join('; ')
}

/** How a checkpoint stands to its head, looked at from beside; a run may be writing it. */
export function standingOf(path: string): { standing: Standing; found: FoundHead } {
  // The head first: it is written after what it tells of.
  const found = readHead(path)
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

/** What a run with this checkpoint would stop for, or null. A copy is of no matter where nothing is billed. */
export function problemOf(path: string, isBilled: boolean): UserError | null {
  return problemIn(path, standingOf(path).standing, isBilled)
}

function problemIn(path: string, standing: Standing, isBilled: boolean): UserError | null {
  return standing.kind === 'copied' && !isBilled ? null : standingError(path, standing)
}

/** What `enrich checkpoint verify` finds; a checkpoint is sound where both lists are empty. */
export interface Verification {
  path: string
  damage: readonly Damage[]
  /** How it stands to its head: null where nothing is wrong. */
  problem: { code: string; message: string; hint: string | null } | null
}

/** Looks at everything and changes nothing; takes no lock. Null where there is neither a checkpoint nor a head. */
export function verifyCheckpoint(path: string): Verification | null {
  const damage: Damage[] = []
  const look = <Result>(action: () => Result): Result | null => {
    try {
      return action()
    } catch (fault) {
      const error = explainCheckpointError(path, fault)
      if (!(error instanceof UserError)) throw error
      if (error.code !== 'CHECKPOINT_DAMAGED') throw error
      const what = `cannot be opened (${errorText(error.cause ?? error)})`
      damage.push({ where: 'database', what, count: 1, examples: [] })
      return null
    }
  }
  const database = look(() => openToRead(path, 'unfinished'))
  let isBilled = true
  if (database !== null) {
    try {
      isBilled = look(() => isOfHosted(database)) ?? true
      damage.push(...(look(() => findDamage(database, 'all')) ?? []))
    } finally {
      database.close()
    }
  }
  const found = damage.length > 0 && database === null ? null : look(() => standingOf(path))
  if (database === null && damage.length === 0 && found?.found.kind === 'missing') return null
  const error = found === null ? null : problemIn(path, found.standing, isBilled)
  return {
    path,
    damage,
    problem: error === null ? null : { code: error.code, message: error.message, hint: error.hint ?? null },
  }
}

/** Whether it holds answers of a service at an address: those were billed. */
function isOfHosted(database: Sqlite): boolean {
  const scopes = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'scopes'").get()
  return (
    scopes !== undefined &&
    database.prepare("SELECT 1 FROM scopes WHERE scope LIKE 'http%'").get() !== undefined
  )
}

/**
 * Runs what depends on a checkpoint. A failure that nobody foresaw is a bug, unless the checkpoint is damaged: then
 * that is why, whatever it looks like. Throws CHECKPOINT_DAMAGED in its place.
 */
export async function blamingDamage<Result>(path: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action()
  } catch (error) {
    throw damageBehind(path, error)
  }
}

function damageBehind(path: string, error: unknown): unknown {
  const isForeseen = error instanceof UserError || (error instanceof Error && error.name === 'AbortError')
  if (isForeseen) return error
  try {
    const database = openToRead(path, 'unfinished')
    if (database === null) return error
    try {
      const found = findDamage(database, 'all').filter((damage) => !isHarmless(damage))
      return found.length === 0 ? error : damaged(path, error, damageText(found))
    } finally {
      database.close()
    }
  } catch (fault) {
    const explained = explainCheckpointError(path, fault)
    return explained instanceof UserError ? explained : error
  }
}

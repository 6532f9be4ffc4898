import { existsSync, statSync } from 'node:fs'
import { errorText } from '../../core/error-text.js'
import { UserError } from '../../core/errors.js'
import { judgeStanding, type FoundHead, type Standing } from '../rules/checkpoint-standing.js'
import { damaged, standingError } from './damage-error.js'
import { readFacts } from './facts.js'
import { damageText, findDamage, isHarmless, type Damage } from './find-damage.js'
import { readHead } from './head-file.js'
import { explainCheckpointError, openToRead } from './open.js'
import type { Sqlite } from '../../platform/sqlite.js'

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

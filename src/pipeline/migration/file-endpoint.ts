import { existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { UserError } from '../../core/errors.js'
import type { CloseLater } from '../../platform/close-stack.js'
import { publishFile, resolveFinalPath } from '../../platform/files.js'
import { openSqlite, type Sqlite } from '../../platform/sqlite.js'
import { createDamagedError } from '../checkpoint/checkpoint-errors.js'
import { describeDamage, findDamage, isHarmless, findProblem } from '../checkpoint/sqlite/verify.js'
import {
  markMoved,
  readMoveTarget,
  removeMovedMark,
  assertCheckpointPath,
  withExplainedErrors,
  lockCheckpoint,
  makeCheckpointFile,
  openToWrite,
} from '../checkpoint/sqlite/open-database.js'
import { isCheckpointAt, getReviewStorePath } from '../checkpoint/paths.js'
import { registerChecksums } from '../checkpoint/tables.js'
import { getInboxPath, makeInboxFile, openInboxFile, sealInbox, unsealInbox } from '../inbox/inbox.js'
import { FileRowSource, type FileRowSourceDeps, FileRowTarget } from './file-rows.js'
import type { RowSource, MigrationSource, MigrationTarget } from './transferred-rows.js'

export interface FileEndpointDeps extends Pick<FileRowSourceDeps, 'priceMicrosOf'> {
  readonly nowMs: number
  readonly notice: (text: string) => void
}

const suffixes = ['', '-wal', '-shm', '-journal'] as const

/** Locks the checkpoint until it is closed. Throws CHECKPOINT_*. */
export function openFileSource(
  given: string,
  deps: FileEndpointDeps,
  closeLater: CloseLater,
): MigrationSource {
  const path = resolve(given)
  if (!existsSync(path)) throw createNotFoundError(path)
  const lock = lockCheckpoint(path, deps.nowMs)
  closeLater(() => {
    lock.release()
  })
  const went = readMoveTarget(path)
  if (went === null) assertCheckpointPath(path)
  const isBilled = went === null && hasHostedAnswers(path)
  const database = went === null ? openSound(path, isBilled) : openSqlite(path, readOnly)
  closeLater(() => void database.close())
  const inbox = existsSync(getInboxPath(path)) ? openInboxFile(path) : null
  closeLater(() => void inbox?.close())
  const facts = new FileRowSource({ place: path, database, inbox, priceMicrosOf: deps.priceMicrosOf })
  if (went !== null) {
    return {
      place: path,
      facts,
      movedTo: went,
      undo: () => {
        database.close()
        inbox?.close()
        restoreFile(path)
        return Promise.resolve()
      },
    }
  }
  return {
    place: path,
    facts,
    movedTo: null,
    staysBehind: staysBehind(path),
    isHeld: () => true,
    seal: () => {
      if (inbox !== null) sealInbox(inbox)
      return Promise.resolve()
    },
    markMoved: (to) => {
      withExplainedErrors(path, () => {
        markMoved(database, { path, isBilled }, to, deps.nowMs)
      })
      return Promise.resolve()
    },
    giveUp: () => {
      if (inbox !== null) unsealInbox(inbox)
      return Promise.resolve()
    },
  }
}

const readOnly = { synchronous: 'NORMAL', readonly: true } as const

/** Throws CHECKPOINT_* if a run would stop, or anything except the history is damaged. */
function openSound(path: string, isBilled: boolean): Sqlite {
  const problem = findProblem(path, isBilled)
  if (problem !== null) throw problem
  const database = openToWrite(path)
  const wrong = findDamage(database, 'all').filter((damage) => !isHarmless(damage))
  if (wrong.length === 0) return database
  database.close()
  throw createDamagedError(path, undefined, describeDamage(wrong))
}

function hasHostedAnswers(path: string): boolean {
  const database = openSqlite(path, readOnly)
  try {
    return database.prepare("SELECT 1 FROM scopes WHERE scope LIKE 'http%'").get() !== undefined
  } catch {
    return true
  } finally {
    database.close()
  }
}

function staysBehind(path: string): string[] {
  const reviewPath = getReviewStorePath(path)
  return existsSync(reviewPath)
    ? [`the review state in ${reviewPath}; decisions are in the decisions file`]
    : []
}

/** Next to the target of a link, so that it is on the same disk. */
const getArrivingPath = (path: string): string => `${resolveFinalPath(path)}.arriving`

/** Creates the new file under a temporary name; the path must be free. Throws CHECKPOINT_*. */
export function openFileTarget(
  given: string,
  source: RowSource,
  deps: Pick<FileEndpointDeps, 'nowMs'>,
  closeLater: CloseLater,
): MigrationTarget {
  const path = resolve(given)
  assertFree(path)
  const lock = lockCheckpoint(path, deps.nowMs)
  closeLater(() => {
    lock.release()
  })
  // Files of an earlier attempt are incomplete, because the source has not moved.
  for (const file of [getArrivingPath(path), getArrivingPath(getInboxPath(path))])
    for (const suffix of suffixes) rmSync(file + suffix, { force: true })
  return withExplainedErrors(path, () => {
    const database = makeCheckpointFile(getArrivingPath(path))
    let inbox: Sqlite | null = null
    const close = () => {
      database.close()
      inbox?.close()
    }
    closeLater(close)
    const makeInbox = () => (inbox ??= makeInboxFile(getArrivingPath(getInboxPath(path))))
    const target = new FileRowTarget({ place: path, database, makeInbox }, source)
    return {
      target,
      isHeld: () => true,
      publish: () => {
        close()
        publishArrived(path)
        return Promise.resolve()
      },
    }
  })
}

/** Completes a migration that was killed after the source had moved; false if nothing was left to do. */
export function finishFileTarget(given: string): boolean {
  const path = resolve(given)
  if (existsSync(getArrivingPath(path))) {
    publishArrived(path)
    return true
  }
  if (!existsSync(path)) throw createNotFoundError(path)
  return false
}

/** The inbox first, so that a visible checkpoint is complete. */
function publishArrived(path: string): void {
  withExplainedErrors(path, () => {
    for (const file of [getInboxPath(path), path]) {
      if (existsSync(getArrivingPath(file))) publishFile(getArrivingPath(file), file)
    }
  })
}

function assertFree(path: string): void {
  const taken = [path, getInboxPath(path)].find((file) => existsSync(file))
  if (taken === undefined && !isCheckpointAt(path)) return
  throw new UserError('CHECKPOINT_NOT_EMPTY', `${taken ?? path} already exists`, {
    hint: 'pass a path without a checkpoint, inbox or head file',
  })
}

function restoreFile(path: string): void {
  withExplainedErrors(path, () => {
    const database = openSqlite(path, { synchronous: 'FULL' })
    try {
      registerChecksums(database)
      removeMovedMark(database)
    } finally {
      database.close()
    }
    if (!existsSync(getInboxPath(path))) return
    const inbox = openInboxFile(path)
    unsealInbox(inbox)
    inbox.close()
  })
}

const createNotFoundError = (path: string) =>
  new UserError('CHECKPOINT_NOT_FOUND', `there is no checkpoint at ${path}`, {
    hint: 'pass the checkpoint to move, then the target',
  })

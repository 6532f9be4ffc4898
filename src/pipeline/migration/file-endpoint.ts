import { existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { UserError } from '../../core/errors.js'
import type { CloseLater } from '../../platform/close-stack.js'
import { publishFile } from '../../platform/files.js'
import { openSqlite, type Sqlite } from '../../platform/sqlite.js'
import { damaged } from '../checkpoint/checkpoint-errors.js'
import { damageText, findDamage, isHarmless, problemOf } from '../checkpoint/sqlite/verify.js'
import {
  markMoved,
  movedTo,
  unmarkMoved,
  assertCheckpointPath,
  explained,
  lockCheckpoint,
  makeCheckpointFile,
  openToWrite,
} from '../checkpoint/sqlite/open-database.js'
import { isAnythingAt, reviewStorePath } from '../checkpoint/paths.js'
import { registerChecksums } from '../checkpoint/tables.js'
import { inboxPath, makeInboxFile, openInboxFile, sealInbox, unsealInbox } from '../inbox/inbox.js'
import { FileFacts, type FileFactsDeps, FileTarget } from './file-rows.js'
import type { FactSource, SourceSide, TargetSide } from './transferred-rows.js'

export interface FileSideDeps extends Pick<FileFactsDeps, 'priceMicrosOf'> {
  readonly nowMs: number
  readonly notice: (text: string) => void
}

const suffixes = ['', '-wal', '-shm', '-journal'] as const

/** Locks the checkpoint until it is closed. Throws CHECKPOINT_*. */
export function fileSource(given: string, deps: FileSideDeps, closeLater: CloseLater): SourceSide {
  const path = resolve(given)
  if (!existsSync(path)) throw notFound(path)
  const lock = lockCheckpoint(path, deps.nowMs)
  closeLater(() => {
    lock.release()
  })
  const went = movedTo(path)
  if (went === null) assertCheckpointPath(path)
  const isBilled = went === null && isOfHosted(path)
  const database = went === null ? openSound(path, isBilled) : openSqlite(path, readOnly)
  closeLater(() => void database.close())
  const inbox = existsSync(inboxPath(path)) ? openInboxFile(path) : null
  closeLater(() => void inbox?.close())
  const facts = new FileFacts({ place: path, database, inbox, priceMicrosOf: deps.priceMicrosOf })
  if (went !== null) {
    return {
      place: path,
      facts,
      movedTo: went,
      undo: () => {
        database.close()
        inbox?.close()
        undoFile(path)
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
      explained(path, () => {
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
  const problem = problemOf(path, isBilled)
  if (problem !== null) throw problem
  const database = openToWrite(path)
  const wrong = findDamage(database, 'all').filter((damage) => !isHarmless(damage))
  if (wrong.length === 0) return database
  database.close()
  throw damaged(path, undefined, damageText(wrong))
}

function isOfHosted(path: string): boolean {
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
  const reviewPath = reviewStorePath(path)
  return existsSync(reviewPath)
    ? [`the review state in ${reviewPath}; decisions are in the decisions file`]
    : []
}

const arrivingPath = (path: string): string => `${path}.arriving`

/** Creates the new file under a temporary name; the path must be free. Throws CHECKPOINT_*. */
export function fileTarget(
  given: string,
  source: FactSource,
  deps: Pick<FileSideDeps, 'nowMs'>,
  closeLater: CloseLater,
): TargetSide {
  const path = resolve(given)
  assertFree(path)
  const lock = lockCheckpoint(path, deps.nowMs)
  closeLater(() => {
    lock.release()
  })
  // Files of an earlier attempt are incomplete, because the source has not moved.
  for (const file of [arrivingPath(path), arrivingPath(inboxPath(path))])
    for (const suffix of suffixes) rmSync(file + suffix, { force: true })
  return explained(path, () => {
    const database = makeCheckpointFile(arrivingPath(path))
    let inbox: Sqlite | null = null
    const close = () => {
      database.close()
      inbox?.close()
    }
    closeLater(close)
    const makeInbox = () => (inbox ??= makeInboxFile(arrivingPath(inboxPath(path))))
    const target = new FileTarget({ place: path, database, makeInbox }, source)
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
  if (existsSync(arrivingPath(path))) {
    publishArrived(path)
    return true
  }
  if (!existsSync(path)) throw notFound(path)
  return false
}

/** The inbox first, so that a visible checkpoint is complete. */
function publishArrived(path: string): void {
  explained(path, () => {
    for (const file of [inboxPath(path), path]) {
      if (existsSync(arrivingPath(file))) publishFile(arrivingPath(file), file)
    }
  })
}

function assertFree(path: string): void {
  const taken = [path, inboxPath(path)].find((file) => existsSync(file))
  if (taken === undefined && !isAnythingAt(path)) return
  throw new UserError('CHECKPOINT_NOT_EMPTY', `${taken ?? path} already exists`, {
    hint: 'pass a path without a checkpoint, inbox or head file',
  })
}

function undoFile(path: string): void {
  explained(path, () => {
    const database = openSqlite(path, { synchronous: 'FULL' })
    try {
      registerChecksums(database)
      unmarkMoved(database)
    } finally {
      database.close()
    }
    if (!existsSync(inboxPath(path))) return
    const inbox = openInboxFile(path)
    unsealInbox(inbox)
    inbox.close()
  })
}

const notFound = (path: string) =>
  new UserError('CHECKPOINT_NOT_FOUND', `there is no checkpoint at ${path}`, {
    hint: 'pass the checkpoint to move, then the target',
  })

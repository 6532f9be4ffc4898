import { buildStageLookup, calculateResolutionKey } from '../checkpoint/lookup.js'
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { UserError } from '../../core/errors.js'
import {
  makeFolder,
  publishFile,
  removeStaleTemporaries,
  buildTemporaryPath,
  resolveFinalPath,
} from '../../platform/files.js'
import { FileLockedError, withFileLock } from '../../platform/file-locks.js'
import type { Decision } from '../../core/decisions.js'
import type { firstKinds } from '../../core/lookup-state.js'
import { formatDecisionLine, decisionsHeader } from './decision-lines.js'
import { createInvalidFileError, readDecisions, type ReadDecisions } from './read-decisions.js'

const limits = {
  fileBytesMax: 256 * 1024 * 1024,
  /** A file that changes during reading is read again, up to `readsMax` times, after `rereadAfterMs`. */
  readsMax: 20,
  rereadAfterMs: 50,
  lockWaitMsMax: 10_000,
} as const

/** Shows whether a file has changed. */
interface Stamp {
  readonly inode: bigint
  readonly bytes: bigint
  readonly modifiedNs: bigint
}

/** The content of a decisions file at one moment. */
export interface DecisionsFile extends ReadDecisions {
  readonly stamp: Stamp
}

/**
 * Reads a consistent state of a decisions file, or `null`. `unwritten`: see `readDecisions`. Throws
 * DECISIONS_INVALID, DECISIONS_CONFLICT and DECISIONS_CHANGED.
 */
export async function readDecisionsFile(
  path: string,
  unwritten: readonly Decision[] = [],
): Promise<DecisionsFile | null> {
  for (let reads = 0; reads < limits.readsMax; reads++) {
    if (reads > 0) await setTimeout(limits.rereadAfterMs)
    const stamp = readStamp(path)
    if (stamp === null) return null
    const bytes = withReadErrors(path, () => readFileSync(path))
    if (!isSame(stamp, readStamp(path)) || BigInt(bytes.length) !== stamp.bytes) continue
    return { ...(await readDecisions(path, bytes, unwritten)), stamp }
  }
  throw new UserError('DECISIONS_CHANGED', `the decisions file ${path} kept changing while they were read`, {
    hint: 'wait until other programs stop writing the file, and run the same command again',
  })
}

/** Returns whether the file has not changed since it was read. */
export const isUnchanged = (path: string, file: DecisionsFile | null): boolean => {
  const stamp = readStamp(path)
  return file === null ? stamp === null : isSame(file.stamp, stamp)
}

/** Changes to a file. `drop` contains the decision objects that were read. */
export interface DecisionsChange {
  readonly add: readonly Decision[]
  readonly drop: ReadonlySet<Decision>
}

/**
 * Changes the file, or creates it: appends lines, or replaces the file if any are dropped. Durable when it returns; the
 * caller holds `withDecisionsLock`. Returns `null` and does nothing if the file changed since it was read. Throws
 * DECISIONS_UNWRITABLE and DISK_FULL.
 */
export function changeDecisionsFile(
  path: string,
  file: DecisionsFile | null,
  { add, drop }: DecisionsChange,
): DecisionsFile | null {
  const target = resolveFinalPath(path)
  return withWriteErrors(path, () => {
    if (!isUnchanged(path, file)) return null
    const kept = file === null ? [] : file.decisions.filter((decision) => !drop.has(decision))
    const decisions = [...kept, ...add]
    if (file?.isPlain === true && drop.size === 0) append(target, file, add.map(formatDecisionLine).join(''))
    else if (!replace(path, target, file, decisions)) return null
    const stamp = readStamp(path)
    return stamp === null ? null : { decisions, notices: [], isPlain: true, stamp }
  })
}

function append(target: string, { stamp }: DecisionsFile, lines: string): void {
  const descriptor = openSync(target, 'a')
  try {
    writeFileSync(descriptor, lines)
    fsyncSync(descriptor)
  } catch (error) {
    // A partial line, from a full disk, would be read as invalid.
    ftruncateSync(descriptor, Number(stamp.bytes))
    throw error
  } finally {
    closeSync(descriptor)
  }
}

function replace(
  path: string,
  target: string,
  file: DecisionsFile | null,
  decisions: readonly Decision[],
): boolean {
  makeFolder(dirname(target))
  removeStaleTemporaries(target)
  const temporary = buildTemporaryPath(target)
  try {
    writeFileSync(temporary, decisionsHeader + decisions.map(formatDecisionLine).join(''), { flag: 'wx' })
    // Keeps edits made without the lock up to this moment.
    if (!isUnchanged(path, file)) return false
    publishFile(temporary, target)
    return true
  } finally {
    rmSync(temporary, { force: true })
  }
}

/**
 * Runs `act` while no other process on this machine changes the decisions file. Reading needs no lock. Throws
 * DECISIONS_UNWRITABLE and the errors of `act`.
 */
export async function withDecisionsLock<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
  const target = resolveFinalPath(path)
  const lock = join(dirname(target), `.${basename(target)}.lock`)
  try {
    withWriteErrors(path, () => {
      makeFolder(dirname(target))
    })
    return await withFileLock(lock, limits.lockWaitMsMax, act)
  } catch (error) {
    throw explainWrite(path, error)
  }
}

function readStamp(path: string): Stamp | null {
  return withReadErrors(path, () => {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined) return null
    if (!stats.isFile()) throw createInvalidFileError(path, 'it is not a file', 'name a CSV file')
    if (stats.size > limits.fileBytesMax)
      throw createInvalidFileError(
        path,
        `it has more than ${limits.fileBytesMax / 1024 / 1024} MiB`,
        'check that it is the right file',
      )
    return { inode: stats.ino, bytes: stats.size, modifiedNs: stats.mtimeNs }
  })
}

const isSame = (one: Stamp, other: Stamp | null): boolean =>
  other !== null &&
  one.inode === other.inode &&
  one.bytes === other.bytes &&
  one.modifiedNs === other.modifiedNs

function withReadErrors<Result>(path: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    if (error instanceof UserError || !(error instanceof Error) || !('code' in error)) throw error
    throw createInvalidFileError(path, 'it cannot be read', 'check the path and its permissions', error)
  }
}

function withWriteErrors<Result>(path: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    throw explainWrite(path, error)
  }
}

function explainWrite(path: string, error: unknown): unknown {
  if (error instanceof UserError) return error
  if (error instanceof FileLockedError)
    return createUnwritableError(path, 'another process keeps it locked', error)
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') {
    return new UserError('DISK_FULL', `no space left for the decisions file ${path}`, {
      hint: 'free some space; the decisions are kept in the review store',
      cause: error,
    })
  }
  return /^(E[A-Z]+|SQLITE_.*)$/.test(code)
    ? createUnwritableError(path, 'check its folder and permissions', error)
    : error
}

function createUnwritableError(path: string, why: string, cause: unknown): UserError {
  return new UserError('DECISIONS_UNWRITABLE', `the decisions file ${path} cannot be written`, {
    hint: `${why}; the decisions are kept in the review store`,
    cause,
  })
}

/**
 * Returns the kind of the lookup that a decision is about: `domain` if its row has no name. Null if the lookup had more
 * than a decisions file has, like a context.
 */
export function findDecidedKind({ lookup, name, location }: Decision): (typeof firstKinds)[number] | null {
  const isKey = (key: Uint8Array) => lookup === Buffer.from(key).toString('hex')
  if (isKey(buildStageLookup('domain', name).key)) return 'domain'
  return isKey(calculateResolutionKey({ name, location, context: null })) ? 'resolution' : null
}

import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  readlinkSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import {
  isSameFile,
  type FilePlace,
  type FoundHead,
  type Head,
  type DatabaseFacts,
} from '../checkpoint-standing.js'
import { keepToOwner } from '../../../platform/files.js'
import { getHeadPath, getHeadCopyPath, getPathMark } from '../paths.js'
import { hashRow } from '../tables.js'
import type { Sqlite } from '../../../platform/sqlite.js'

/** Two slots are written alternately: a torn write leaves the other one intact. */
const slotBytes = 1_024
/** Syncing the head after each commit would halve the disk's throughput. */
const syncEveryMs = 100

/** The real clock, even if a simulation replaces `Date`: file times come from the system's clock. */
const { now: systemNow } = Date

/** Created on first use. */
function buildHeadSchema(): z.ZodType<Head> {
  const text = z.string()
  const whole = z.int().min(0)
  return z.object({
    version: whole,
    checkpointId: text,
    generation: whole,
    sequence: whole,
    submissionCount: whole,
    chain: text,
    submittedAtMs: z.number().nullable(),
    expectedChangeMs: z.number().nullable().default(null),
    place: z.object({ host: text, device: text, inode: text, bornNs: text.nullable() }),
  })
}

/**
 * Reads the head of a checkpoint, and the user's copy of it; changes nothing. The copy is used if it belongs to the
 * same database file and is newer: then the head was restored from a backup, or could not be written. If checkpoint and
 * head are both missing, and `isBilled`, the copy of the last checkpoint at this path shows that they were lost.
 */
export function readHead(checkpointPath: string, isBilled = true): FoundHead {
  const found = readHeadFile(getHeadPath(checkpointPath))
  if (found.kind !== 'found') {
    const lost = isBilled && !existsSync(checkpointPath) ? readLostHead(checkpointPath) : null
    return lost === null || found.kind === 'unreadable'
      ? found
      : { kind: 'found', head: lost, changedNs: '0' }
  }
  const headCopy = readHeadCopy(found.head.checkpointId)
  const isNewer =
    headCopy !== null && headCopy.sequence > found.head.sequence && isOfFile(headCopy, checkpointPath)
  return isNewer ? { ...found, head: headCopy } : found
}

function readHeadFile(path: string): FoundHead {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
    throw error
  }
  try {
    if (!fstatSync(file).isFile()) return { kind: 'unreadable' }
    const bytes = Buffer.alloc(2 * slotBytes)
    const byteCount = readSync(file, bytes, 0, bytes.length, 0)
    const slots = [0, 1].map((slot) => parseSlot(bytes.subarray(slot * slotBytes, byteCount)))
    const [head] = slots.filter((slot) => slot !== null).sort((a, b) => b.sequence - a.sequence)
    if (head === undefined) return { kind: 'unreadable' }
    return { kind: 'found', head, changedNs: readChangeTime(file).toString() }
  } finally {
    closeSync(file)
  }
}

/** Returns `null` if there is no readable copy: it is optional. */
function readHeadCopy(checkpointId: string): Head | null {
  try {
    const found = readHeadFile(getHeadCopyPath(checkpointId))
    return found.kind === 'found' && found.head.checkpointId === checkpointId ? found.head : null
  } catch {
    return null
  }
}

/** The head of the checkpoint that was last at this path, unless it has been used at another path since. */
function readLostHead(checkpointPath: string): Head | null {
  try {
    const id = readFileSync(getPathMark(checkpointPath), 'utf8')
    const last = readFileSync(getHeadCopyPath(id)).subarray(2 * slotBytes)
    return last.toString() === resolve(checkpointPath) ? readHeadCopy(id) : null
  } catch {
    return null
  }
}

/** Whether a path leads to this file; if that cannot be read, it is supposed to. */
export function isAtPath(checkpointPath: string, place: FilePlace): boolean {
  try {
    return isSameFile(place, readPlace(checkpointPath))
  } catch (error) {
    return !/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')
  }
}

/** Where a file is that this process has open. Without `/proc`, it counts as removed. */
export function findOpenFile(place: FilePlace): { readonly isMoved: boolean; readonly path: string } {
  const folder = '/proc/self/fd'
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const stat = statSync(join(folder, name), { bigint: true, throwIfNoEntry: false })
    if (stat?.ino.toString() !== place.inode || stat.dev.toString() !== place.device) continue
    return stat.nlink > 0n
      ? { isMoved: true, path: readlinkSync(join(folder, name)) }
      : { isMoved: false, path: '' }
  }
  return { isMoved: false, path: '' }
}

function isOfFile(head: Head, checkpointPath: string): boolean {
  return existsSync(checkpointPath) && isSameFile(head.place, readPlace(checkpointPath))
}

/** Parses a line of padded JSON with its checksum. Returns `null` if it is torn or damaged. */
function parseSlot(bytes: Buffer): Head | null {
  const [, json = '', checksum] = /^(\{.*\}) ([0-9a-f]{32}) *\n/.exec(bytes.toString('utf8')) ?? []
  if (checksum === undefined || hashRow([json]).toString('hex') !== checksum) return null
  const parsed = buildHeadSchema().safeParse(JSON.parse(json))
  return parsed.success ? parsed.data : null
}

/** Change time of an open file, in nanoseconds. */
const readChangeTime = (file: number): bigint => fstatSync(file, { bigint: true }).ctimeNs

/** Identifies the checkpoint's database file. */
export function readPlace(checkpointPath: string): FilePlace {
  const { dev, ino, birthtimeNs, ctimeNs } = statSync(checkpointPath, { bigint: true })
  // File systems without a birth time report none, or the last change time.
  const isKnown = birthtimeNs > 0n && birthtimeNs !== ctimeNs
  return {
    host: hostname(),
    device: dev.toString(),
    inode: ino.toString(),
    bornNs: isKnown ? birthtimeNs.toString() : null,
  }
}

/** A head as its writer knows it; the file adds the times. */
export type HeadState = Omit<Head, 'expectedChangeMs'>

/**
 * Records the latest commit of a checkpoint in a file next to it. `write` returns once the operating system has the
 * data, so a killed process loses none; it reaches the disk within moments. After a power failure the head may lag,
 * which is harmless.
 */
export class HeadFile {
  readonly #file: number
  readonly #copy: number | null
  /** Difference between the file system's clock and this machine's; not 0 on network drives. */
  #clockAheadMs = 0
  #isSyncing = false
  #isClosed = false
  #syncedAtMs = -Infinity

  /** Creates the file if missing and writes `head` durably. Creates the user's copy if `isBilled`. */
  constructor(checkpointPath: string, head: HeadState, isBilled = false) {
    const path = getHeadPath(checkpointPath)
    keepToOwner(path)
    this.#file = openSync(path, constants.O_RDWR)
    this.#copy = openHeadCopy(head.checkpointId, isBilled)
    if (this.#copy !== null) markPath(checkpointPath, head.checkpointId, this.#copy)
    try {
      // Both slots, so that none keeps the content of an earlier file of this name.
      for (const slot of [1, 0]) this.#writeSlot(slot, head)
      fsyncSync(this.#file)
      syncFolder(dirname(path))
    } catch (error) {
      this.#closeFiles()
      throw error
    }
  }

  write(head: HeadState): void {
    this.#writeSlot(head.sequence % 2, head)
    this.#syncSoon()
  }

  /** Syncs the file and returns its change time in nanoseconds, which stays until it is opened again. */
  close(): string {
    fdatasyncSync(this.#file)
    const changedNs = readChangeTime(this.#file).toString()
    this.#isClosed = true
    // A sync in progress still needs the file.
    if (!this.#isSyncing) this.#closeFiles()
    return changedNs
  }

  #closeFiles(): void {
    closeSync(this.#file)
    if (this.#copy !== null) closeSync(this.#copy)
  }

  #writeSlot(slot: number, head: HeadState): void {
    const nowMs = systemNow()
    const json = JSON.stringify({ ...head, expectedChangeMs: nowMs + this.#clockAheadMs } satisfies Head)
    const line = `${json} ${hashRow([json]).toString('hex')}`
    const bytes = Buffer.alloc(slotBytes, ' ')
    bytes.write(line)
    bytes.write('\n', slotBytes - 1)
    writeSync(this.#file, bytes, 0, slotBytes, slot * slotBytes)
    this.#clockAheadMs = Number(readChangeTime(this.#file)) / 1e6 - nowMs
    try {
      if (this.#copy !== null) writeSync(this.#copy, bytes, 0, slotBytes, slot * slotBytes)
    } catch {
      // The copy is optional, so errors are ignored.
    }
  }

  /** Syncs in the background, one at a time, at limited frequency. */
  #syncSoon(): void {
    const nowMs = performance.now()
    if (this.#isSyncing || nowMs - this.#syncedAtMs < syncEveryMs) return
    this.#isSyncing = true
    this.#syncedAtMs = nowMs
    fdatasync(this.#file, () => {
      this.#isSyncing = false
      if (this.#isClosed) this.#closeFiles()
    })
  }
}

/** Returns `null` if there is no copy to maintain, or the user's state folder is not writable. */
function openHeadCopy(checkpointId: string, isBilled: boolean): number | null {
  const path = getHeadCopyPath(checkpointId)
  try {
    if (isBilled) mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    else if (!existsSync(path)) return null
    return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  } catch {
    return null
  }
}

/** Notes in the state folder which checkpoint is at a path; like the copy, this is optional. */
function markPath(checkpointPath: string, checkpointId: string, copy: number): void {
  try {
    ftruncateSync(copy, 2 * slotBytes)
    writeSync(copy, resolve(checkpointPath), 2 * slotBytes)
    writeFileSync(getPathMark(checkpointPath), checkpointId, { mode: 0o600 })
  } catch {
    // Without the note, a lost checkpoint is not recognized.
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

type OwnRow = Pick<DatabaseFacts, 'checkpointId' | 'generation' | 'sequence' | 'closedHeadNs'> & {
  hasHadHead: 0 | 1
}

/** Reads the facts to compare with the head; `null` before the database has an id. */
export function readFacts(database: Sqlite, path: string, found: FoundHead): DatabaseFacts | null {
  return database.transaction(() => {
    const row = database
      .prepare<[], OwnRow>(
        `SELECT id AS checkpointId, generation, sequence, had_head AS hasHadHead,
           closed_head_ns AS closedHeadNs FROM checkpoint`,
      )
      .get()
    if (row === undefined) return null
    const last = database
      .prepare<[], { submissionCount: number; submittedAtMs: number }>(
        'SELECT rowid AS submissionCount, intended_at_ms AS submittedAtMs FROM submissions ORDER BY rowid DESC LIMIT 1',
      )
      .get()
    const chainAt = database
      .prepare<[number], string>('SELECT chain FROM submissions WHERE rowid = ?')
      .pluck()
    return {
      ...row,
      hasHadHead: row.hasHadHead === 1,
      submissionCount: last?.submissionCount ?? 0,
      submittedAtMs: last?.submittedAtMs ?? null,
      chainAtHead: (found.kind === 'found' && chainAt.get(found.head.submissionCount)) || null,
      place: readPlace(path),
    }
  })()
}

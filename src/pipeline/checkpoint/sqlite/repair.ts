import { tryRead } from './history-proof.js'
import { type RebuildResult, rebuild } from './rebuild.js'
import { lockCheckpoint, withExplainedErrors, makeCheckpointFile, openToWrite } from './open-database.js'
import { verifyFile, findDamage, describeDamage } from './verify.js'
import { readHead, HeadFile, readPlace } from './head-file.js'
import { buildTemporaryPath, resolveFinalPath, keepToOwner, publishFile } from '../../../platform/files.js'
import { rmSync, existsSync, copyFileSync, statSync } from 'node:fs'
import type { FoundHead } from '../checkpoint-standing.js'
import { type Sqlite, openSqlite } from '../../../platform/sqlite.js'
import { schemaVersion } from './schema.js'
import { createDamagedError } from '../checkpoint-errors.js'

export interface Repair extends RebuildResult {
  /** New path of the damaged file. */
  damagedPath: string
}

/**
 * Replaces a damaged checkpoint by a new file with all intact rows; keeps the damaged file next to it. Returns `null`
 * if nothing is damaged. If submissions are permanently lost, the head stays ahead, so that the next run stops until
 * the user has settled them. Throws CHECKPOINT_*.
 */
export function repairFile(path: string, nowMs: number): Repair | null {
  const lock = lockCheckpoint(path, nowMs)
  try {
    return withExplainedErrors(path, () => {
      if ((verifyFile(path)?.damage.length ?? 0) === 0) return null
      const found = readHead(path)
      const fresh = buildTemporaryPath(path)
      try {
        // SQLite's log is next to the target of a link.
        const target = resolveFinalPath(path)
        const rebuilt = rebuildInto(fresh, target, found)
        const damagedPath = putInPlace(fresh, target, nowMs)
        writeHead(path, rebuilt, found)
        return { ...rebuilt, damagedPath }
      } finally {
        for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(fresh + suffix, { force: true })
      }
    })
  } finally {
    lock.release()
  }
}

function rebuildInto(fresh: string, path: string, found: FoundHead): RebuildResult {
  const copy = buildTemporaryPath(path)
  try {
    const to = makeCheckpointFile(fresh)
    try {
      const from = openCopy(copy, path)
      try {
        return beginGeneration(to, rebuild(from, to, found))
      } finally {
        from.close()
      }
    } finally {
      to.close()
    }
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
  }
}

/** Starts a new generation if nothing is lost: the head is then written again. */
function beginGeneration(database: Sqlite, rebuilt: RebuildResult): RebuildResult {
  if (rebuilt.lostSubmissionCount > 0) return rebuilt
  const next = { ...rebuilt, generation: rebuilt.generation + 1, sequence: rebuilt.sequence + 1 }
  database.prepare('UPDATE checkpoint SET generation = ?, sequence = ?').run(next.generation, next.sequence)
  return next
}

/** Works on a copy, because opening a damaged file would change it. A file that SQLite cannot open has no rows. */
function openCopy(copy: string, path: string): Sqlite {
  for (const suffix of ['', '-wal']) {
    if (!existsSync(path + suffix)) continue
    keepToOwner(copy + suffix)
    copyFileSync(path + suffix, copy + suffix)
  }
  const open = () => {
    const database = openSqlite(copy, { synchronous: 'OFF' })
    // Detects misplaced cells instead of reading them.
    database.pragma('cell_size_check = ON')
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    return database
  }
  const database = tryRead(open)
  if (database !== null) return database
  for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
  return open()
}

/** If killed, leaves the damaged file or the new one; the damaged one without its log is behind its head. */
function putInPlace(fresh: string, path: string, nowMs: number): string {
  const time = new Date(nowMs)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  let damagedPath = `${path}.damaged-${time}`
  for (let number = 2; existsSync(damagedPath); number++) damagedPath = `${path}.damaged-${time}-${number}`
  for (const suffix of ['', '-wal']) {
    if (!existsSync(path + suffix)) continue
    keepToOwner(damagedPath + suffix)
    copyFileSync(path + suffix, damagedPath + suffix)
  }
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  publishFile(fresh, path)
  return damagedPath
}

function writeHead(path: string, rebuilt: RebuildResult, found: FoundHead): void {
  // Without a head, newer commits may be missing: the next run stops and asks.
  if (found.kind !== 'found') return
  const { checkpointId, generation, sequence, lostSubmissionCount } = rebuilt
  const isLost = lostSubmissionCount > 0
  const chain = isLost ? found.head.chain : readChain(path)
  const submissionCount = rebuilt.submissionCount + lostSubmissionCount
  new HeadFile(path, {
    ...found.head,
    version: schemaVersion,
    checkpointId,
    generation,
    sequence: isLost ? sequence + 1 : sequence,
    submissionCount,
    chain,
    place: readPlace(path),
  }).close()
}

function readChain(path: string): string {
  const database = openSqlite(path, { synchronous: 'FULL', readonly: true })
  try {
    return (
      database
        .prepare<[], string>('SELECT chain FROM submissions ORDER BY rowid DESC LIMIT 1')
        .pluck()
        .get() ?? ''
    )
  } finally {
    database.close()
  }
}

/** Disk usage of a checkpoint with its log. */
export interface Compaction {
  path: string
  bytesBefore: number
  bytesAfter: number
  /** Another process reads it: the freed space is returned when it stops. */
  isRead: boolean
}

/**
 * Rewrites the checkpoint without free pages, in place, in one transaction: unchanged if killed, or if the disk is
 * full. The file stays the same, so its head remains valid. Throws CHECKPOINT_* and DISK_FULL.
 */
export function compactFile(path: string, nowMs: number): Compaction {
  const lock = lockCheckpoint(path, nowMs)
  try {
    return withExplainedErrors(path, () => {
      const bytesBefore = measureBytes(path)
      const database = openToWrite(path)
      try {
        const wrong = findDamage(database, 'all')
        if (wrong.length > 0) throw createDamagedError(path, undefined, describeDamage(wrong))
        database.exec('VACUUM')
        const isRead = !moveLog(database)
        return { path, bytesBefore, bytesAfter: measureBytes(path), isRead }
      } finally {
        database.close()
      }
    })
  } finally {
    lock.release()
  }
}

/** Moves the log into the file, which sets its new size. False if another process reads the old content. */
function moveLog(database: Sqlite): boolean {
  const [moved] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
  return moved?.busy === 0
}

const measureBytes = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0)

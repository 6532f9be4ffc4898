import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  readlinkSync,
  realpathSync,
  readSync,
} from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'

/** What this process has given out. Its id alone says little: a container gives every run the same one. */
const givenMarks = new Set<string>()

/**
 * The process id and a few random characters, to go into the name of a temporary file: what a killed process
 * left can be told from what a living one writes.
 */
export function temporaryMark(): string {
  const mark = `${process.pid}-${randomBytes(4).toString('hex')}`
  givenMarks.add(mark)
  return mark
}

/** A name beside `path` for what is being written. */
export function temporaryPath(path: string, suffix = ''): string {
  return join(dirname(path), `.${basename(path)}.${temporaryMark()}.tmp${suffix}`)
}

/** Makes a folder, and those above it. Of a read-only disk Node says only that there is no such folder: EROFS is thrown. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    let standing = path
    while (!existsSync(standing) && dirname(standing) !== standing) standing = dirname(standing)
    accessSync(standing, constants.W_OK)
    throw error
  }
}

/** Removes what killed processes left beside `path`; what living ones write stays. */
export function removeStaleTemporaries(path: string): void {
  removeStale(dirname(path), `.${basename(path)}.`, '.tmp')
}

/** Removes from a folder what begins with the prefix, a mark and the end, and was left by a killed process. */
export function removeStale(folder: string, prefix: string, end: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue
    const [mark, processId] = /^(\d+)-[0-9a-f]{8}/.exec(name.slice(prefix.length)) ?? []
    if (mark === undefined || !name.startsWith(prefix + mark + end)) continue
    if (isStale(mark, Number(processId))) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

function isStale(mark: string, processId: number): boolean {
  return processId === process.pid ? !givenMarks.has(mark) : !processLives(processId)
}

/** Whether a process of this id runs on this machine (also one of another user). */
function processLives(processId: number): boolean {
  if (processId === process.pid) return true
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Readers see the old file or the whole new one, never half of it, also after a power cut. */
export function publishFile(temporary: string, path: string): void {
  syncPath(temporary)
  renameSync(temporary, path)
  syncPath(dirname(path))
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const ownerOnlyMode = 0o600

/**
 * Makes the SQLite file if it is missing, and keeps it, and what SQLite has beside it, from everybody but its
 * owner; files that SQLite makes beside it later take this over. Where there are no such permissions
 * (Windows), or the file is another's who let us write it, nothing changes.
 */
export function keepToOwner(path: string): void {
  // One that is there is not opened: closing it would end the locks that this process has on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', ownerOnlyMode))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file) && (statSync(file).mode & 0o077) !== 0) restrict(file)
  }
}

function restrict(file: string): void {
  try {
    chmodSync(file, ownerOnlyMode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}

const linksMax = 40

/** The path that opening `path` leads to, also where nothing stands there yet: links are followed, dangling ones too. */
export function finalPath(path: string): string {
  let at = resolve(path)
  for (let links = 0; links < linksMax; links++) {
    try {
      return realpathSync(at)
    } catch {
      try {
        at = resolve(dirname(at), readlinkSync(at))
      } catch {
        const folder = dirname(at)
        return folder === at ? at : join(finalPath(folder), basename(at))
      }
    }
  }
  return at
}

/** Where a path leads, looked at once: on a network every look is a round trip. */
interface Place {
  /** In letters of one case, which some file systems do not tell apart. */
  readonly path: string
  /** Of what stands there; null where nothing does. */
  readonly file: string | null
}

export function placeOf(path: string): Place {
  return { path: folded(finalPath(path)), file: fileAt(path) }
}

/**
 * Whether two lead to one file: by path, by a link of either kind, or in letters of another case. Files that differ in
 * case alone count as one everywhere.
 */
export const isSamePlace = (one: Place, other: Place): boolean =>
  one.path === other.path || (one.file !== null && one.file === other.file)

/** Whether it is a folder, or in it. */
export const isPlaceIn = ({ path }: Place, { path: folder }: Place): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

export const isSameFile = (one: string, other: string): boolean => isSamePlace(placeOf(one), placeOf(other))

const folded = (path: string): string => path.normalize('NFC').toLowerCase()

function fileAt(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev} ${ino}`
  } catch {
    return null
  }
}

const sqliteMark = 'SQLite format 3\0'

/** Whether a regular file begins as every SQLite database does; false where it cannot be read. */
export function isSqliteFile(path: string): boolean {
  try {
    // Opening a pipe would wait for its other end.
    if (!statSync(path).isFile()) return false
    const file = openSync(path, 'r')
    try {
      const start = Buffer.alloc(sqliteMark.length)
      readSync(file, start)
      return start.toString('latin1') === sqliteMark
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}

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

/** Marks used by this process. The process id is not enough: containers give every run the same one. */
const givenMarks = new Set<string>()

/** Returns process id and random characters for a temporary file name, to recognize files of killed processes. */
export function createTemporaryMark(): string {
  const mark = `${process.pid}-${randomBytes(4).toString('hex')}`
  givenMarks.add(mark)
  return mark
}

/** Returns a temporary path next to `path`. */
export function buildTemporaryPath(path: string, suffix = ''): string {
  return join(dirname(path), `.${basename(path)}.${createTemporaryMark()}.tmp${suffix}`)
}

/** Creates a folder and its parents. On a read-only disk Node.js reports a missing folder: throws EROFS instead. */
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

/** Removes temporaries of killed processes next to `path`; keeps those of live ones. */
export function removeStaleTemporaries(path: string): void {
  removeStale(dirname(path), `.${basename(path)}.`, '.tmp')
}

/** Removes entries of a folder named prefix, mark and end that a killed process left. */
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
  return processId === process.pid ? !givenMarks.has(mark) : !isProcessAlive(processId)
}

/** Whether a process with this id runs on this machine (also of another user). */
function isProcessAlive(processId: number): boolean {
  if (processId === process.pid) return true
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Replaces a file atomically: readers see the old or the complete new one, also after a power failure. */
export function publishFile(temporary: string, path: string): void {
  syncPath(temporary)
  renameSync(temporary, path)
  syncPath(dirname(path))
}

/** Makes the content of a file, or the names in a folder, durable. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const ownerOnlyMode = 0o600

/**
 * Creates the SQLite file if missing, and restricts it and its existing side files to the owner; SQLite creates later
 * side files with the same mode. Does nothing without such permissions (Windows), or if another user owns the file.
 */
export function keepToOwner(path: string): void {
  // An existing file is not opened: closing it would release this process's locks on it.
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

/** Resolves a path to its final target, even if it does not exist; follows links, also dangling ones. */
export function resolveFinalPath(path: string): string {
  let at = resolve(path)
  for (let links = 0; links < linksMax; links++) {
    try {
      return realpathSync(at)
    } catch {
      try {
        at = resolve(dirname(at), readlinkSync(at))
      } catch {
        const folder = dirname(at)
        return folder === at ? at : join(resolveFinalPath(folder), basename(at))
      }
    }
  }
  return at
}

/** The target of a path, resolved once because each access is a round trip on a network drive. */
interface Place {
  /** In lower case, because some file systems ignore case. */
  readonly path: string
  /** Device and inode; `null` if there is no file. */
  readonly file: string | null
}

export function readPlace(path: string): Place {
  return { path: foldPath(resolveFinalPath(path)), file: identifyFile(path) }
}

/** Whether two paths lead to the same file, also by a link. Paths that differ in case only count as the same. */
export const isSamePlace = (one: Place, other: Place): boolean =>
  one.path === other.path || (one.file !== null && one.file === other.file)

/** Whether the place is the folder itself, or in it. */
export const isPlaceIn = ({ path }: Place, { path: folder }: Place): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

export const isSameFile = (one: string, other: string): boolean =>
  isSamePlace(readPlace(one), readPlace(other))

const foldPath = (path: string): string => path.normalize('NFC').toLowerCase()

function identifyFile(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev} ${ino}`
  } catch {
    return null
  }
}

const sqliteMark = 'SQLite format 3\0'

/** Whether a regular file starts like an SQLite database; false if it cannot be read. */
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

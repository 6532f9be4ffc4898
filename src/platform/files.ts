import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  chownSync,
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
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'

/** Marks used by this process. The process id is not enough: containers give every run the same one. */
const givenMarks = new Set<string>()

/** Returns process id and random characters for a temporary file name, to recognize files of killed processes. */
export function createTemporaryMark(): string {
  const mark = `${process.pid}-${randomBytes(4).toString('hex')}`
  givenMarks.add(mark)
  return mark
}

/** Returns a temporary path next to the file that `path` leads to, also by a link to a file that is not there yet. */
export function buildTemporaryPath(path: string, suffix = ''): string {
  const target = resolveFinalPath(path)
  return join(dirname(target), `.${basename(target)}.${createTemporaryMark()}.tmp${suffix}`)
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
  const target = resolveFinalPath(path)
  removeStale(dirname(target), `.${basename(target)}.`, '.tmp')
}

/** Removes entries of a folder named prefix, mark and end that a killed process left. Those of other users stay. */
export function removeStale(folder: string, prefix: string, end: string): void {
  for (const name of listNames(folder)) {
    if (!name.startsWith(prefix)) continue
    const [mark, processId] = /^(\d+)-[0-9a-f]{8}/.exec(name.slice(prefix.length)) ?? []
    if (mark === undefined || !name.startsWith(prefix + mark + end)) continue
    if (!isStale(mark, Number(processId))) continue
    try {
      rmSync(join(folder, name), { recursive: true, force: true })
    } catch {
      // Not ours to remove.
    }
  }
}

/** Empty if the folder is missing or cannot be listed. */
function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * Creates a folder that only this user can read; the caller removes it. Removes those of killed processes. Throws a system
 * error.
 */
export function createTemporaryFolder(parent = tmpdir(), prefix = 'enrich-'): string {
  removeStaleFolders(parent, prefix)
  const folder = join(parent, prefix + createTemporaryMark())
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** Removes the temporary folders of killed processes. */
export function removeStaleFolders(parent = tmpdir(), prefix = 'enrich-'): void {
  removeStale(parent, prefix, '')
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

/**
 * Replaces a file atomically: readers see the old or the complete new one, also after a power failure. Links stay, also
 * those to a file that is not there yet. The new file gets the permissions, the group and the owner of the old one.
 * `temporary`: a path of `buildTemporaryPath`.
 */
export function publishFile(temporary: string, path: string): void {
  const target = resolveFinalPath(path)
  copyAccess(target, temporary)
  syncPath(temporary)
  renameSync(temporary, target)
  syncPath(dirname(target))
}

/** Gives a file the permissions, the group and the owner of another one, as far as this user may; none if it is missing. */
export function copyAccess(from: string, to: string): void {
  const old = statSync(from, { throwIfNoEntry: false })
  if (old === undefined) return
  const { uid, gid } = statSync(to)
  const isSameOwner = old.uid === uid && old.gid === gid
  if (!isSameOwner && !tryChown(to, old.uid, old.gid)) tryChown(to, uid, old.gid)
  const mode = old.mode & 0o777
  // Another group gets only what everyone may do.
  const groupMode = statSync(to).gid === old.gid ? mode : (mode & 0o007) << 3
  chmodSync(to, (mode & 0o707) | (mode & groupMode & 0o070))
}

function tryChown(path: string, uid: number, gid: number): boolean {
  try {
    chownSync(path, uid, gid)
    return true
  } catch (error) {
    if (!/^(EPERM|EINVAL|ENOSYS|ENOTSUP)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    return false
  }
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

/** Names of the place of a file, for comparison with other places: its identity, and its path without links. */
export function listFilePlaces(path: string): readonly string[] {
  const file = identifyFile(path)
  return [`path ${resolveFinalPath(path)}`, ...(file === null ? [] : [`file ${file}`])]
}

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

/** Suffixes of SQLite's files next to a database. */
export const sqliteSuffixes = ['-wal', '-shm', '-journal'] as const

/** Returns a database and the files that SQLite creates next to it, with their descriptions. */
export const listSqliteFiles = (path: string, what: string): { path: string; what: string }[] => [
  { path, what },
  ...sqliteSuffixes.map((suffix) => ({ path: path + suffix, what: `a file of ${what}` })),
]

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

const fileErrors: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its links form a circle',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EIO: 'the disk reports an error',
  EBUSY: 'another program uses it',
  ESTALE: 'the network drive has lost it',
  ENXIO: 'it is not a file',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
}

/** Describes an error code of the file system; DuckDB gives none. */
export const describeFileError = (code: string): string =>
  code === '' ? 'permission denied' : `${fileErrors[code] ?? 'the system refuses it'} (${code})`

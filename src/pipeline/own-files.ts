import { UserError } from '../core/errors.js'
import { finalPath, isPlaceIn, isSamePlace, placeOf, isSqliteFile } from '../platform/files.js'
import { reviewStorePath } from './checkpoint/paths.js'
import { inboxPath } from './inbox/inbox.js'

/** A file that must not be overwritten, and what it is, for people. */
export interface OwnFile {
  readonly path: string
  readonly what: string
  /** With all that is in it. */
  readonly isFolder?: boolean
}

/** What SQLite keeps beside a database. */
const sqliteSuffixes = ['-wal', '-shm', '-journal'] as const
/** What may stand beside a database of ours. */
const besideSuffixes = [...sqliteSuffixes, '.lock', '.lock.json', '.reserve', '.head'] as const

const sqliteFiles = (path: string, what: string): OwnFile[] => [
  { path, what },
  ...sqliteSuffixes.map((suffix) => ({ path: path + suffix, what: `a file of ${what}` })),
]

/** Every file that a checkpoint has, its inbox and its review store. SQLite puts its own beside the file that a link leads to. */
export function checkpointFiles(checkpointPath: string): readonly OwnFile[] {
  return [...new Set([checkpointPath, finalPath(checkpointPath)])].flatMap((path) => [
    ...sqliteFiles(path, 'the checkpoint'),
    ...sqliteFiles(`${path}.lock`, "the checkpoint's lock"),
    { path: `${path}.lock.json`, what: "the checkpoint's lock" },
    { path: `${path}.reserve`, what: "the checkpoint's reserve" },
    { path: `${path}.head`, what: "the checkpoint's head" },
    ...sqliteFiles(inboxPath(path), 'the inbox of webhooks'),
    ...sqliteFiles(reviewStorePath(path), 'the review store'),
  ])
}

/** A registry and what SQLite has beside it. */
export function registryFiles(registryPath: string): readonly OwnFile[] {
  return [...new Set([registryPath, finalPath(registryPath)])].flatMap((path) =>
    sqliteFiles(path, 'the registry'),
  )
}

/**
 * Throws OUTPUT_IS_OURS where something would be written over a file of ours: one of these, or any database, since
 * what another checkpoint or registry holds was paid for too. `-` is none.
 */
export function assertNotOurs(outputPaths: readonly string[], ownFiles: readonly OwnFile[]): void {
  const find = createFinder(ownFiles)
  for (const path of outputPaths) {
    if (path === '-') continue
    const own = find(path) ?? databaseAt(path)
    if (own === undefined) continue
    throw new UserError('OUTPUT_IS_OURS', `the output ${path} would overwrite ${own.what} ${own.path}`, {
      hint: 'name another output: what was asked and paid for stands in files of our own',
    })
  }
}

/** The database that stands there, or that the file standing there belongs to. */
function databaseAt(path: string): OwnFile | undefined {
  if (isSqliteFile(path)) return { path, what: 'the database' }
  const target = finalPath(path)
  const suffix = besideSuffixes.find((ending) => target.endsWith(ending))
  const database = suffix === undefined ? undefined : target.slice(0, -suffix.length)
  if (database === undefined || !isSqliteFile(database)) return undefined
  return { path: database, what: 'a file of the database' }
}

/**
 * Throws CHECKPOINT_INVALID where a checkpoint, or a file it keeps beside it, is one of these others: an input, the
 * config, the registry. Looked at before anything is opened to write.
 */
export function assertCheckpointApart(checkpointPath: string, others: readonly OwnFile[]): void {
  const find = createFinder(others)
  for (const file of checkpointFiles(checkpointPath)) {
    const other = find(file.path)
    if (other === undefined) continue
    const named = file.path === checkpointPath ? 'is' : `would keep ${file.what} in`
    throw new UserError(
      'CHECKPOINT_INVALID',
      `the checkpoint ${checkpointPath} ${named} ${other.what} ${other.path}`,
      {
        hint: 'pass --checkpoint with another path; nothing was touched',
      },
    )
  }
}

/** Which of these a path leads to, or into. */
function createFinder(files: readonly OwnFile[]): (path: string) => OwnFile | undefined {
  const placed = files.map((file) => ({ file, place: placeOf(file.path) }))
  return (path) => {
    const place = placeOf(path)
    const isMet = ({ file, place: own }: (typeof placed)[number]) =>
      file.isFolder === true ? isPlaceIn(place, own) : isSamePlace(place, own)
    return placed.find(isMet)?.file
  }
}

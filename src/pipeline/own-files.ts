import { extname } from 'node:path'
import { UserError } from '../core/errors.js'
import {
  isPlaceIn,
  isSamePlace,
  isSqliteFile,
  listSqliteFiles,
  readPlace,
  resolveFinalPath,
  sqliteSuffixes,
} from '../platform/files.js'
import { listCheckpointFiles } from './checkpoint/open.js'

export { listCheckpointFiles }

/** A file that must not be overwritten; `what` describes it to the user. */
export interface OwnFile {
  readonly path: string
  readonly what: string
  /** Includes its contents. */
  readonly isFolder?: boolean
}

/** Suffixes of all files next to a database of enrich. */
const databaseSuffixes = [...sqliteSuffixes, '.lock', '.lock.json', '.reserve', '.head'] as const

export function listRegistryFiles(registryPath: string): readonly OwnFile[] {
  return [...new Set([registryPath, resolveFinalPath(registryPath)])].flatMap((path) =>
    listSqliteFiles(path, 'the registry'),
  )
}

/**
 * Throws OUTPUT_IS_OURS if an output would overwrite one of these files or any database, since other checkpoints and
 * registries are valuable too. `-` is allowed.
 */
export function assertNotOurs(outputPaths: readonly string[], ownFiles: readonly OwnFile[]): void {
  const find = createFinder(ownFiles)
  for (const path of outputPaths) {
    if (path === '-') continue
    const own = find(path) ?? findDatabase(path)
    if (own === undefined) continue
    throw new UserError('OUTPUT_IS_OURS', `the output ${path} would overwrite ${own.what} ${own.path}`, {
      hint: 'name another output: these files contain data that was paid for',
    })
  }
}

/** Returns the database at a path, or the one to which the file belongs. */
function findDatabase(path: string): OwnFile | undefined {
  if (isSqliteFile(path)) return { path, what: 'the database' }
  const target = resolveFinalPath(path)
  const suffix = databaseSuffixes.find((ending) => target.endsWith(ending))
  const database = suffix === undefined ? undefined : target.slice(0, -suffix.length)
  if (database === undefined || !isSqliteFile(database)) return undefined
  return { path: database, what: 'a file of the database' }
}

/**
 * Throws CHECKPOINT_INVALID if the checkpoint or a file next to it is an input, the config or the registry. Called
 * before anything is opened for writing.
 */
export function assertCheckpointApart(checkpointPath: string, others: readonly OwnFile[]): void {
  const find = createFinder(others)
  for (const file of listCheckpointFiles(checkpointPath)) {
    const other = find(file.path)
    if (other === undefined) continue
    const named = file.path === checkpointPath ? 'is' : `would keep ${file.what} in`
    throw new UserError(
      'CHECKPOINT_INVALID',
      `the checkpoint ${checkpointPath} ${named} ${other.what} ${other.path}`,
      { hint: 'pass --checkpoint with another path; nothing was changed' },
    )
  }
}

/** Returns a function that finds the file or folder to which a path leads. */
function createFinder(files: readonly OwnFile[]): (path: string) => OwnFile | undefined {
  const placed = files.map((file) => ({ file, place: readPlace(file.path) }))
  return (path) => {
    const place = readPlace(path)
    const isMet = ({ file, place: own }: (typeof placed)[number]) =>
      file.isFolder === true ? isPlaceIn(place, own) : isSamePlace(place, own)
    return placed.find(isMet)?.file
  }
}

/** Returns the path of the proposals next to a decisions file: `enrich.decisions.proposed.csv`. */
export function getProposalsPath(decisionsPath: string): string {
  const extension = extname(decisionsPath)
  return `${decisionsPath.slice(0, decisionsPath.length - extension.length)}.proposed${extension}`
}

import {
  findDatabaseFile,
  isAddress,
  isSamePlace,
  isTableAddress,
  type Connectors,
  type Place,
  type WriteMode,
} from '../../connectors/connectors.js'
import { UserError } from '../../core/errors.js'
import {
  isPlaceIn,
  isSamePlace as isSameFilePlace,
  isSqliteFile,
  listFilePlaces,
  readPlace,
  resolveFinalPath,
} from '../../platform/files.js'
import { getInboxPath, getReviewStorePath } from '../checkpoint/open.js'
import type { SourceFile } from '../input/input.js'
import { createIsInputError, createTwiceError } from './output-path.js'

/** A file that must not be overwritten; `what` describes it to the user. */
export interface OwnFile {
  readonly path: string
  readonly what: string
  /** Includes its contents. */
  readonly isFolder?: boolean
}

/** Suffixes of SQLite's files next to a database. */
const sqliteSuffixes = ['-wal', '-shm', '-journal'] as const
/** Suffixes of all files next to a database of enrich. */
const databaseSuffixes = [...sqliteSuffixes, '.lock', '.lock.json', '.reserve', '.head'] as const

const listSqliteFiles = (path: string, what: string): OwnFile[] => [
  { path, what },
  ...sqliteSuffixes.map((suffix) => ({ path: path + suffix, what: `a file of ${what}` })),
]

/**
 * Returns all files of a checkpoint, its inbox and its review store. SQLite creates its files next to the target of a
 * link.
 */
export function listCheckpointFiles(checkpointPath: string): readonly OwnFile[] {
  return [...new Set([checkpointPath, resolveFinalPath(checkpointPath)])].flatMap((path) => [
    ...listSqliteFiles(path, 'the checkpoint'),
    ...listSqliteFiles(`${path}.lock`, "the checkpoint's lock"),
    { path: `${path}.lock.json`, what: "the checkpoint's lock" },
    { path: `${path}.reserve`, what: "the checkpoint's reserve" },
    { path: `${path}.head`, what: "the checkpoint's head" },
    ...listSqliteFiles(getInboxPath(path), 'the inbox of webhooks'),
    ...listSqliteFiles(getReviewStorePath(path), 'the review store'),
  ])
}

/** Returns the files of a registry. */
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
      {
        hint: 'pass --checkpoint with another path; nothing was changed',
      },
    )
  }
}

/** Returns a function that finds the file or folder to which a path leads. */
function createFinder(files: readonly OwnFile[]): (path: string) => OwnFile | undefined {
  const placed = files.map((file) => ({ file, place: readPlace(file.path) }))
  return (path) => {
    const place = readPlace(path)
    const isMet = ({ file, place: own }: (typeof placed)[number]) =>
      file.isFolder === true ? isPlaceIn(place, own) : isSameFilePlace(place, own)
    return placed.find(isMet)?.file
  }
}

/** The outputs of a run. */
interface WrittenOutputs {
  /** Paths and addresses; `-` for standard output. */
  readonly paths: readonly string[]
  /** The same, to which rows are appended if they are tables. */
  readonly appendedPaths?: readonly string[]
  /** How rows are put into the tables of `paths`. */
  readonly mode: WriteMode
  readonly connectors: Connectors
}

/**
 * Asks the places of inputs and outputs who they are, before anything is submitted. Throws OUTPUT_IS_INPUT if an output
 * is a table, a file or an object that an input reads, under whatever name, and OUTPUT_IS_OURS if two outputs are the
 * same. A query may read a table that rows are added to. Throws the errors of a target.
 */
export async function assertOutputsApart(
  inputFiles: readonly SourceFile[],
  { paths, appendedPaths = [], mode, connectors }: WrittenOutputs,
): Promise<void> {
  const written = [...paths, ...appendedPaths].filter((path) => path !== '-')
  const addressCount = [...inputFiles.map(({ label }) => label), ...written].filter(isAddress).length
  const seen: { readonly path: string; readonly places: readonly Place[] }[] = []
  for (const path of written) {
    // A server need not be asked if there is nothing to compare.
    if (isAddress(path) && addressCount === 1 && findDatabaseFile(path) === null) continue
    const places = isAddress(path) ? await listTargetPlaces(path, connectors) : listFilePlaces(path)
    const isReplaced = !isTableAddress(path) || (mode === 'replace' && !appendedPaths.includes(path))
    const input = inputFiles.find((file) => (isReplaced || !file.isQuery) && isSamePlace(file.places, places))
    if (input !== undefined) throw createIsInputError(path, input)
    // Two files, and one address twice, are refused where the second output is checked.
    const isOther = (one: string) => one !== path && (isAddress(one) || isAddress(path))
    const other = seen.find((one) => isOther(one.path) && isSamePlace(one.places, places))
    if (other !== undefined) throw createTwiceError(`${other.path} and ${path}`)
    seen.push({ path, places })
  }
}

async function listTargetPlaces(path: string, connectors: Connectors): Promise<readonly Place[]> {
  const target = await connectors.openTarget(path, { mode: 'replace', keyColumn: null })
  try {
    return await target.listPlaces()
  } finally {
    await target.close()
  }
}

import {
  createWriteStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  type BigIntStats,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  isAddress,
  isTableAddress,
  noConnectors,
  type Connectors,
  type Place,
} from '../../connectors/connectors.js'
import { UserError } from '../../core/errors.js'
import { makeFolder, removeStale, createTemporaryMark, listFilePlaces } from '../../platform/files.js'
import { toFileError } from '../../tables/limits-and-errors.js'
import { formatOfPath, type InputFormat } from '../../core/file-formats.js'
import { formatNames } from './file-content.js'
import { standardInputLabel } from '../../core/local-path.js'

const filesMax = 10_000

/** A file to read: `path` is opened, `label` is shown to the user. */
export interface SourceFile {
  readonly path: string
  readonly label: string
  readonly bytes: number
  readonly stat: BigIntStats
  /** Where the rows are stored: those of a copy come from elsewhere. */
  readonly places: readonly Place[]
  /** Whether the rows are those of a query. */
  readonly isQuery: boolean
  /** Format of the copy of a table; undefined: given by the extension of the label. */
  readonly format?: InputFormat | undefined
}

/**
 * Finds the files that `paths` name, in order. An existing path is taken literally; others are globs with sorted
 * matches. Tables and objects are copied first. Throws INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE and the errors
 * of a source.
 */
async function resolveFiles(paths: readonly string[], remote: RemoteInput): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = []
  for (const path of paths) {
    files.push(...(isAddress(path) ? await fetchFiles(path, remote) : await findFiles(path)))
    if (files.length > filesMax) {
      throw new UserError('INPUT_NOT_FOUND', `more than ${filesMax} input files`, {
        hint: 'name fewer files, or join them first',
      })
    }
  }
  return files
}

/** Finds the files of a path or a glob. Throws INPUT_NOT_FOUND, INPUT_IS_FOLDER and INPUT_UNREADABLE. */
export const findFiles = async (path: string): Promise<readonly SourceFile[]> =>
  (hasFile(path) ? [path] : await findMatches(path)).map((name) => createSourceFile(name))

/** Access to tables and objects. */
interface RemoteInput {
  readonly connectors: Connectors
  /** The text of a query that is read instead of a table. */
  readonly query: string | null
  /** Folder for the local copies, which the caller removes. Created for the first one. */
  readonly folder: string
}

/** Copies a table or objects to this machine: inputs are read several times, and must not change meanwhile. */
async function fetchFiles(
  address: string,
  { connectors, query, folder }: RemoteInput,
): Promise<readonly SourceFile[]> {
  const source = await connectors.openSource(address, isTableAddress(address) ? query : null)
  try {
    makeFolder(folder)
    const copies = await source.fetch(mkdtempSync(join(folder, 'copy-')))
    return copies.map(({ path, label, format, places, isQuery }) => ({
      ...createSourceFile(path, label, format ?? undefined),
      places,
      isQuery,
    }))
  } catch (error) {
    throw toSpoolError(error, folder, address)
  } finally {
    await source.close()
  }
}

async function findMatches(pattern: string): Promise<string[]> {
  const { glob, isDynamicPattern } = await import('tinyglobby')
  if (!isDynamicPattern(pattern)) {
    throw new UserError('INPUT_NOT_FOUND', `there is no file ${pattern}`, { hint: 'check the path' })
  }
  const found = await glob(pattern, { onlyFiles: true, expandDirectories: false, dot: false })
  if (found.length === 0) {
    throw new UserError('INPUT_NOT_FOUND', `no file matches ${pattern}`, {
      hint: 'check the pattern and the folder',
    })
  }
  return found.sort()
}

function hasFile(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return false
    throw toFileError(error, path)
  }
}

function createSourceFile(path: string, label = path, format?: InputFormat): SourceFile {
  let stat: BigIntStats
  try {
    stat = statSync(path, { bigint: true })
  } catch (error) {
    throw toFileError(error, label)
  }
  if (stat.isDirectory()) {
    throw new UserError('INPUT_IS_FOLDER', `${label} is a folder`, {
      hint: proposeGlob(path, label),
    })
  }
  if (!stat.isFile()) {
    throw new UserError('INPUT_UNREADABLE', `${label} is not a regular file`, {
      hint: 'the input is read twice: pipe it in and pass - instead',
    })
  }
  return { path, label, bytes: Number(stat.size), stat, places: listFilePlaces(path), isQuery: false, format }
}

/** Proposes the pattern of the most frequent kind of file in a folder, or in its folders. */
function proposeGlob(folder: string, label: string): string {
  for (const depth of [[], ['**']]) {
    const names = readdirSync(folder, { recursive: depth.length > 0, encoding: 'utf8' })
    const visible = names.filter((name) => !/(?:^|[/\\])[._]/.test(name) && formatOfPath(name) !== null)
    const endings = visible.map((name) => /\.[a-z]+(?:\.gz|\.zst)?$/i.exec(name)?.[0] ?? '')
    const count = (ending: string) => endings.filter((one) => one === ending).length
    const [best = ''] = [...new Set(endings)].sort((one, other) => count(other) - count(one))
    const format = formatOfPath(best)
    if (format !== null)
      return `to read every ${formatNames[format]} file in it, pass "${join(label, ...depth, `*${best}`)}"`
  }
  return 'it has no CSV, Parquet, NDJSON, JSON or Excel file; name the files to read'
}

/** Copies standard input to disk, so that it can be read twice. `remove` deletes the copy. */
export async function spool(
  stdin: NodeJS.ReadableStream,
  folder: string,
): Promise<{ file: SourceFile; remove: () => void }> {
  const path = join(folder, `stdin.${createTemporaryMark()}.spool`)
  const remove = () => {
    rmSync(path, { force: true })
  }
  try {
    removeStale(folder, 'stdin.', '.spool')
    makeFolder(folder)
    await pipeline(stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    return { file: createSourceFile(path, standardInputLabel), remove }
  } catch (error) {
    remove()
    throw toSpoolError(error, folder, standardInputLabel)
  }
}

/** Explains why an input could not be copied to the folder of the checkpoint. */
function toSpoolError(error: unknown, folder: string, label: string): unknown {
  if (error instanceof UserError) return error
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new UserError('DISK_FULL', `no space left in ${folder} to store ${label}`, { cause: error })
  if (/^(EROFS|EACCES|EPERM|ENOENT|ENOTDIR|EEXIST)$/.test(code ?? '')) {
    return new UserError('CHECKPOINT_UNWRITABLE', `the checkpoint's folder ${folder} cannot be written`, {
      hint: `${label} is stored there during the run: pass --checkpoint with another path`,
      cause: error,
    })
  }
  return toFileError(error, label)
}

/** The files, tables and objects of an input, as the user named them. */
export interface FileRequest {
  /** Files, globs and addresses of tables and objects, or only `-` for standard input. */
  readonly paths: readonly string[]
  /** Required for standard input and for names without a known extension. */
  readonly format?: InputFormat | undefined
  /** Folder for the copies of standard input, tables and objects, and for the data that DuckDB moves out of memory. */
  readonly spoolFolder: string
  /** File with the SQL query that is read from a database instead of a table. */
  readonly queryPath?: string | undefined
}

/** Where the input comes from if it is not a file. */
export interface FileAccess {
  /** Defaults to standard input of the process. */
  readonly stdin?: NodeJS.ReadableStream | undefined
  /** Access to tables and objects; without it, only files are read. */
  readonly connectors?: Connectors | undefined
}

/**
 * Opens the files of an input; `removeSpool` deletes the copies of standard input, tables and objects. Throws the errors of
 * finding and copying them.
 */
export async function openFiles(
  options: FileRequest,
  { stdin = process.stdin, connectors = noConnectors }: FileAccess,
): Promise<{ files: readonly SourceFile[]; removeSpool: () => void }> {
  if (!options.paths.includes('-')) {
    const folder = join(options.spoolFolder, `input.${createTemporaryMark()}.spool`)
    const hasCopies = options.paths.some(isAddress)
    const removeSpool = () => {
      if (hasCopies) rmSync(folder, { recursive: true, force: true })
    }
    if (hasCopies) removeStale(options.spoolFolder, 'input.', '.spool')
    try {
      const files = await resolveFiles(options.paths, { connectors, query: readQuery(options), folder })
      if (files.length === 0)
        throw new UserError('INPUT_NOT_FOUND', 'no input file was named', { hint: 'name a file' })
      return { files, removeSpool }
    } catch (error) {
      removeSpool()
      throw error
    }
  }
  if (options.paths.length > 1) {
    throw new UserError('USAGE_INVALID', 'standard input (-) cannot be combined with files', {
      hint: 'pass - or files, not both',
    })
  }
  if (options.format === undefined) {
    throw new UserError('INPUT_FORMAT_UNKNOWN', 'the format of standard input is unknown', {
      hint: 'pass --input-format csv, parquet, ndjson, json or xlsx',
    })
  }
  const { file, remove } = await spool(stdin, options.spoolFolder)
  return { files: [file], removeSpool: remove }
}

/** Returns the text of the query, or null. Throws INPUT_NOT_FOUND, and USAGE_INVALID if no database is the input. */
function readQuery({ queryPath, paths }: FileRequest): string | null {
  if (queryPath === undefined) return null
  if (!paths.some(isTableAddress)) {
    throw new UserError('USAGE_INVALID', '--query needs a database as input', {
      hint: 'name the database: enrich postgres://user@host/database --query companies.sql -o out.parquet',
    })
  }
  try {
    return readFileSync(queryPath, 'utf8')
  } catch (error) {
    throw toFileError(error, queryPath)
  }
}

/** Describes files that are read more than once: by two names, a link or a pattern. */
export function describeRepeatedFiles(files: readonly SourceFile[]): string[] {
  const first = new Map<string, SourceFile>()
  return files.flatMap((file) => {
    const { dev, ino } = file.stat
    const same = first.get(`${dev}:${ino}`)
    if (same === undefined || ino === 0n) {
      first.set(`${dev}:${ino}`, file)
      return []
    }
    const names = same.label === file.label ? 'is named twice' : `is the same file as ${same.label}`
    return [`${file.label} ${names}: each of its rows is read twice`]
  })
}

/** Throws INPUT_WITHOUT_SHEETS if a sheet is named for a format that has no sheets. */
export function assertSheets(
  format: InputFormat,
  { paths, sheet }: Pick<FileRequest, 'paths'> & { readonly sheet?: string | undefined },
): void {
  if (sheet === undefined || format === 'xlsx') return
  const input = paths.length === 1 && paths[0] === '-' ? standardInputLabel : paths.join(', ')
  throw new UserError(
    'INPUT_WITHOUT_SHEETS',
    `${input} is ${format}, and has no sheet ${JSON.stringify(sheet)}`,
    {
      hint: 'only Excel files have sheets: name one, or remove --sheet (input.sheet in a config)',
    },
  )
}

/** Throws USAGE_INVALID if a format always has column names. */
export function assertHeaderless(
  format: InputFormat,
  { hasHeader = true }: { readonly hasHeader?: boolean | undefined },
): void {
  if (hasHeader || format === 'csv' || format === 'xlsx') return
  throw new UserError('USAGE_INVALID', `--no-header does not apply to ${format}: its columns have names`, {
    hint: 'remove --no-header (input.header in a config)',
  })
}

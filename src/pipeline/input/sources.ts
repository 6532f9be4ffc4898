import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, rmSync, statSync, type BigIntStats } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { UserError } from '../../core/errors.js'
import { makeFolder, removeStale, temporaryMark } from '../../platform/files.js'
import { fileError } from '../../tables/file-error.js'

const filesMax = 10_000

export type InputFormat = 'csv' | 'parquet' | 'ndjson' | 'json' | 'xlsx'

/** A file to read: `path` is what is opened, `label` what the user calls it. */
export interface SourceFile {
  readonly path: string
  readonly label: string
  readonly bytes: number
  readonly stat: BigIntStats
}

const extensions: Readonly<Record<string, InputFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  parquet: 'parquet',
  pq: 'parquet',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  // By what is in them they are told apart, and refused by name.
  xls: 'xlsx',
  xlsb: 'xlsx',
  ods: 'xlsx',
  numbers: 'xlsx',
}

/** Formats of which a file may be compressed as a whole (.gz, .zst). */
const textFormats: ReadonlySet<InputFormat> = new Set(['csv', 'ndjson', 'json'])

/** The format a name stands for, or null. */
export function formatOfPath(path: string): InputFormat | null {
  const match = /\.([a-z]+)(\.gz|\.zst)?$/.exec(path.toLowerCase())
  const format = extensions[match?.[1] ?? ''] ?? null
  return match?.[2] === undefined || (format !== null && textFormats.has(format)) ? format : null
}

/**
 * The files that `paths` name, in order: a path that exists is taken literally, else it is a glob whose
 * matches are sorted. Throws INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE.
 */
export async function resolveFiles(paths: readonly string[]): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = []
  for (const path of paths) {
    const names = exists(path) ? [path] : await matches(path)
    files.push(...names.map((name) => sourceFile(name)))
    if (files.length > filesMax) {
      throw new UserError('INPUT_NOT_FOUND', `more than ${filesMax} input files`, {
        hint: 'name fewer files, or join them first',
      })
    }
  }
  return files
}

async function matches(pattern: string): Promise<string[]> {
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

function exists(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return false
    throw fileError(error, path)
  }
}

function sourceFile(path: string, label = path): SourceFile {
  let stat: BigIntStats
  try {
    stat = statSync(path, { bigint: true })
  } catch (error) {
    throw fileError(error, label)
  }
  if (stat.isDirectory()) {
    throw new UserError('INPUT_IS_FOLDER', `${label} is a folder`, {
      hint: `to read every CSV file in it, pass "${join(label, '*.csv')}"`,
    })
  }
  if (!stat.isFile()) {
    throw new UserError('INPUT_UNREADABLE', `${label} is not a regular file`, {
      hint: 'the input is read twice: pipe it in and pass - instead',
    })
  }
  return { path, label, bytes: Number(stat.size), stat }
}

/** Whether the file is still the one that was opened: same inode, size and time of change. */
export function isUnchanged(file: SourceFile): boolean {
  try {
    const now = statSync(file.path, { bigint: true })
    const then = file.stat
    return (
      now.ino === then.ino && now.dev === then.dev && now.size === then.size && now.mtimeNs === then.mtimeNs
    )
  } catch {
    return false
  }
}

/** SHA-256 over sizes and bytes, in order. Names and times are left out: a copy of the input is the same input. */
export async function hashFiles(files: readonly SourceFile[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) {
    hash.update(`${file.bytes}\n`)
    try {
      for await (const chunk of createReadStream(file.path, { highWaterMark: 1024 * 1024 })) {
        hash.update(chunk as Buffer)
      }
    } catch (error) {
      throw fileError(error, file.label)
    }
  }
  return hash.digest('hex')
}

/** SHA-256 over names, without their folders, and sizes, in order: what machines that mount them elsewhere agree on. */
export function hashList(files: readonly SourceFile[]): string {
  const list = files.map(({ path, bytes }) => [basename(path), bytes])
  return createHash('sha256').update(JSON.stringify(list)).digest('hex')
}

/** Standard input on disk, so that it can be read twice. `remove` deletes the copy. */
export async function spool(
  stdin: NodeJS.ReadableStream,
  folder: string,
): Promise<{ file: SourceFile; remove: () => void }> {
  const path = join(folder, `stdin.${temporaryMark()}.spool`)
  const remove = () => {
    rmSync(path, { force: true })
  }
  try {
    removeStale(folder, 'stdin.', '.spool')
    makeFolder(folder)
    await pipeline(stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    return { file: sourceFile(path, 'standard input'), remove }
  } catch (error) {
    remove()
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new UserError('DISK_FULL', `no room in ${folder} to keep standard input`, { cause: error })
    }
    if (/^(EROFS|EACCES|EPERM|ENOENT|ENOTDIR|EEXIST)$/.test(code ?? '')) {
      throw new UserError('CHECKPOINT_UNWRITABLE', `the checkpoint's folder ${folder} cannot be written`, {
        hint: 'standard input is kept there while it is needed: pass --checkpoint with another path',
        cause: error,
      })
    }
    throw fileError(error, 'standard input')
  }
}

import { createHash } from 'node:crypto'
import { createReadStream, statSync, type BigIntStats } from 'node:fs'
import { basename } from 'node:path'
import { isAddress } from '../../connectors/connectors.js'
import { UserError } from '../../core/errors.js'
import type { InputFormat } from '../../core/file-formats.js'
import { contentKinds, detectContent, toFileError } from '../../tables/limits-and-errors.js'
import { openFileBytes } from '../../tables/text-tables.js'

type ContentKind = keyof typeof contentKinds

/** A file of the input, with its facts from the opening. */
interface OpenedFile {
  readonly path: string
  readonly label: string
  readonly bytes: number
  readonly stat: BigIntStats
}

export const formatNames: Readonly<Record<InputFormat, string>> = {
  csv: 'CSV',
  parquet: 'Parquet',
  ndjson: 'NDJSON',
  json: 'JSON',
  xlsx: 'Excel',
}

/** Kinds that the reader of a format accepts, or refuses with more detail. */
const ownKinds: Readonly<Partial<Record<InputFormat, readonly ContentKind[]>>> = {
  parquet: ['parquet'],
  xlsx: ['xlsx', 'zip', 'ods', 'oldWorkbook'],
}

const findKind = async ({ path, label, bytes }: OpenedFile): Promise<ContentKind | null> =>
  bytes === 0 ? null : await detectContent(openFileBytes(path, label))

/** Throws INPUT_FORMAT_WRONG if the content of a file is of another kind than its format, such as a page of HTML. */
export async function assertContent(file: OpenedFile, format: InputFormat): Promise<void> {
  const kind = await findKind(file)
  if (kind === null || ownKinds[format]?.includes(kind) === true) return
  const { text, hint } = contentKinds[kind]
  throw new UserError('INPUT_FORMAT_WRONG', `${file.label} is ${text}, not ${formatNames[format]}`, { hint })
}

/** Explains a file whose name has no known extension, by its content. */
export async function createUnknownFormatError(file: OpenedFile): Promise<UserError> {
  const kind = await findKind(file)
  const isArchive = /\.(?:tar|tgz|tar\.gz|7z|rar|bz2|xz)$/i.test(file.label)
  const { text, hint } = contentKinds[kind ?? (isArchive ? 'archive' : 'unknown')]
  return new UserError('INPUT_FORMAT_UNKNOWN', `${file.label} is ${text}`, { hint })
}

/** Returns whether the file is still the one that was opened: same inode, size and modification time. */
export function isUnchanged(file: OpenedFile): boolean {
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

/** Returns the name of a file with the folders right above it that give columns, such as `country=GB/part.csv`. */
const getContentName = (label: string): string => /(?:[^/=]+=[^/]*\/)*[^/]*$/.exec(label)?.[0] ?? label

/** Returns the SHA-256 of sizes and bytes, in order. Times do not count, and names only of folders that give columns. */
export async function hashFiles(files: readonly OpenedFile[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) {
    hash.update(`${file.bytes}\n${getContentName(file.label).slice(0, -basename(file.label).length)}`)
    try {
      for await (const chunk of createReadStream(file.path, { highWaterMark: 1024 * 1024 })) {
        hash.update(chunk as Buffer)
      }
    } catch (error) {
      throw toFileError(error, file.label)
    }
  }
  return hash.digest('hex')
}

/** Returns the SHA-256 of names and sizes, in order, without folders that give no columns, which is the same on machines with different mount points. */
export function hashList(files: readonly OpenedFile[]): string {
  const list = files.map(({ label, bytes }) => [getContentName(label), bytes])
  return createHash('sha256').update(JSON.stringify(list)).digest('hex')
}

/** A cell that the names of its folders give to every row of a file. */
export interface FolderCell {
  readonly name: string
  /** `null` for Hive's null, and for a file in another folder. */
  readonly value: string | null
  /** The same for all files: `integer` and `date` only if the texts of all values stay the same. */
  readonly type: 'text' | 'integer' | 'date'
}

const hiveNull = '__HIVE_DEFAULT_PARTITION__'

interface LabelledFile {
  readonly label: string
  /** Defined for the copy of a table, whose label is the address of its database. */
  readonly format?: unknown
}

/**
 * Returns the cells that each file gets from the names of the folders right above it, as Hive and Spark write them:
 * `country=GB/part.parquet`. `own`: the columns of each file,
 * which have priority. Names that differ only in letter case are one column. The notices tell what is read.
 */
export function readFolderCells(
  files: readonly LabelledFile[],
  own: readonly (readonly string[] | ReadonlySet<string>)[],
): { readonly cells: readonly (readonly FolderCell[])[]; readonly notices: readonly string[] } {
  const names = new Map<string, string>()
  const parsed = files.map((file) => new Map(parseFolders(file).map((pair) => [pair[0].toLowerCase(), pair])))
  for (const folders of parsed) for (const [key, [name]] of folders) if (!names.has(key)) names.set(key, name)
  if (names.size === 0) return { cells: files.map(() => []), notices: [] }
  const ownKeys = own.map((columns) => new Set(Array.from(columns, (name) => name.toLowerCase())))
  for (const name of own.flatMap((columns) => [...columns]))
    if (names.has(name.toLowerCase())) names.set(name.toLowerCase(), name)
  const columns = [...names].map(([key, name]) => {
    const values = parsed.map((folders) => folders.get(key)?.[1] ?? null)
    return { key, name, values, type: getFolderType(values) }
  })
  const cells = files.map((_file, index) =>
    columns.flatMap(({ key, name, values, type }) =>
      ownKeys[index]?.has(key) === true ? [] : [{ name, type, value: values[index] ?? null }],
    ),
  )
  const list = (some: typeof columns) => some.map(({ name }) => JSON.stringify(name)).join(', ')
  const read = columns.filter(({ key }) => !ownKeys.every((keys) => keys.has(key)))
  const both = columns.filter(({ key }) => ownKeys.some((keys) => keys.has(key)))
  const notices = [
    ...(read.length === 0 ? [] : [`read from the names of folders: ${list(read)}`]),
    ...(both.length === 0
      ? []
      : [`in files and in the names of their folders: ${list(both)}; the values in the files are used`]),
  ]
  return { cells, notices }
}

function parseFolders({ label, format }: LabelledFile): (readonly [name: string, value: string | null])[] {
  if (format !== undefined) return []
  const isUrl = /^https:/i.test(label)
  const path = isAddress(label) ? label.replace(/^\w+:\/\/[^/]*/, '') : label
  const folders = (
    isUrl
      ? path
          .replace(/[?#].*$/s, '')
          .split('/')
          .map(decode)
      : path.split('/')
  ).slice(0, -1)
  return folders.slice(folders.findLastIndex((folder) => !/^[^=]+=/.test(folder)) + 1).map((folder) => {
    const end = folder.indexOf('=')
    const value = folder.slice(end + 1)
    return [decode(folder.slice(0, end)), value === hiveNull ? null : decode(value)]
  })
}

/** Decodes `%3A`; returns other texts unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function getFolderType(values: readonly (string | null)[]): FolderCell['type'] {
  const texts = values.filter((value) => value !== null)
  if (texts.length === 0) return 'text'
  if (texts.every((text) => /^(?:0|-?[1-9]\d{0,17})$/.test(text))) return 'integer'
  return texts.every(isDay) ? 'date' : 'text'
}

function isDay(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  if (year === undefined || year === '0000') return false
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day))
  return Number(year) >= 100 && new Date(ms).toISOString().startsWith(text)
}

import { createHash } from 'node:crypto'
import { createReadStream, statSync, type BigIntStats } from 'node:fs'
import { basename } from 'node:path'
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

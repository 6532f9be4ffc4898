import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { UserError } from '../core/errors.js'
import { tableLimits } from './limits.js'
import { fileBytes, packingOf, type ByteSource } from './bytes.js'

/** A file inside a zip. */
export interface ZipMember {
  readonly name: string
  /** Its bytes, as long as it is the current one. Errors: INPUT_COMPRESSION_CORRUPT. */
  read(): AsyncGenerator<Buffer>
}

/**
 * The files of a zip, in its order; folders and what macOS adds are none. Members must be read before the
 * next one is asked for. Errors: INPUT_COMPRESSION_CORRUPT (no sound zip, encrypted, or one that unpacks to
 * more than any register does).
 */
export async function* zipMembers(path: string): AsyncGenerator<ZipMember> {
  const zip = await openZipFile(path)
  try {
    if (zip.entryCount > tableLimits.zipMembersMax) throw unsound(path, 'it holds too many files')
    for await (const entry of zip.eachEntry()) {
      if (isFile(entry)) yield { name: entry.fileName, read: () => readMember(path, zip, entry) }
    }
  } catch (error) {
    throw error instanceof UserError ? error : unsound(path, 'it is not a sound zip', error)
  } finally {
    zip.close()
  }
}

/** A zip whose files are read in any order. */
export interface OpenZip {
  readonly names: readonly string[]
  /** Errors: INPUT_COMPRESSION_CORRUPT. */
  read(name: string): AsyncGenerator<Buffer>
  close(): void
}

/** Errors: INPUT_COMPRESSION_CORRUPT. */
export async function openZip(path: string, label: string): Promise<OpenZip> {
  const zip = await openZipFile(path, label)
  const entries = new Map<string, Entry>()
  try {
    if (zip.entryCount > tableLimits.zipPartsMax) throw unsound(label, 'it holds too many files')
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
  } catch (error) {
    zip.close()
    throw error instanceof UserError ? error : unsound(label, 'it is not a sound zip', error)
  }
  return {
    names: [...entries.keys()],
    read: (name) => {
      const entry = entries.get(name)
      if (entry === undefined) throw new Error(`${name} is not in ${label}`)
      return readMember(label, zip, entry)
    },
    close: () => {
      zip.close()
    },
  }
}

async function openZipFile(path: string, label = path): Promise<ZipFile> {
  try {
    return await openPromise(path, { lazyEntries: true, autoClose: false })
  } catch (error) {
    throw unsound(label, 'it is not a sound zip', error)
  }
}

function isFile({ fileName }: Entry): boolean {
  return !fileName.endsWith('/') && !fileName.startsWith('__MACOSX/') && !/(?:^|\/)\./.test(fileName)
}

async function* readMember(path: string, zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  if (entry.isEncrypted()) {
    throw unsound(path, `${entry.fileName} is encrypted`, undefined, 'unpack it with its password first')
  }
  if (!entry.canDecodeFileData()) {
    throw unsound(path, `${entry.fileName} is packed in a way that cannot be read`)
  }
  checkRatio(path, entry, entry.uncompressedSize)
  const unpacked = await zip.openReadStreamPromise(entry).catch((error: unknown) => {
    throw unsound(path, `${entry.fileName} cannot be unpacked`, error)
  })
  try {
    yield* checked(path, entry, unpacked)
  } catch (error) {
    throw error instanceof UserError ? error : unsound(path, `${entry.fileName} is damaged`, error)
  } finally {
    unpacked.destroy()
  }
}

/** yauzl compares sizes and leaves the checksum to its callers. */
async function* checked(path: string, entry: Entry, unpacked: Readable): AsyncGenerator<Buffer> {
  let unpackedBytes = 0
  let checksum = 0
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    unpackedBytes += chunk.length
    checksum = crc32(chunk, checksum)
    checkRatio(path, entry, unpackedBytes)
    yield chunk
  }
  if (checksum !== entry.crc32) throw unsound(path, `${entry.fileName} is damaged: its checksum is wrong`)
}

function checkRatio(path: string, entry: Entry, unpackedBytes: number): void {
  const bytesMax = Math.max(tableLimits.zipSmallBytes, entry.compressedSize * tableLimits.zipRatioMax)
  if (unpackedBytes <= bytesMax) return
  throw unsound(path, `${entry.fileName} unpacks to more than ${tableLimits.zipRatioMax} times its size`)
}

function unsound(path: string, reason: string, cause?: unknown, hint = 'fetch the file again'): UserError {
  return new UserError('INPUT_COMPRESSION_CORRUPT', `${path} cannot be read: ${reason}`, { hint, cause })
}

/**
 * The one file that a path means: itself, plain, `.gz` or `.zst`, or the one in a zip that `wanted` names (any
 * data file where it is null). The bytes say how it is packed, not the name.
 * Errors: INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE, INPUT_COMPRESSION_CORRUPT,
 * REGISTRY_IMPORT_INVALID (a zip without such a file, or with several).
 */
export async function openOneFile(path: string, wanted: RegExp | null): Promise<ByteSource> {
  if ((await packingOf(path, path)) !== 'zip') return fileBytes(path, path)
  const name = await theMember(path, wanted ?? dataFile)
  return { label: `${path}:${name}`, bytes: () => memberBytes(path, name) }
}

const dataFile = /\.(?:csv|tsv|txt|json)$/i

/** The files a path means: all of a zip that `wanted` names, or the path itself. Each is read before the next. */
export async function* openFiles(path: string, wanted: RegExp): AsyncGenerator<ByteSource> {
  if ((await packingOf(path, path)) !== 'zip') {
    yield fileBytes(path, path)
    return
  }
  for await (const member of zipMembers(path)) {
    if (wanted.test(member.name)) yield { label: `${path}:${member.name}`, bytes: () => member.read() }
  }
}

async function* memberBytes(path: string, name: string): AsyncGenerator<Buffer> {
  for await (const member of zipMembers(path)) {
    if (member.name !== name) continue
    yield* member.read()
    return
  }
  throw new Error(`${name} was in ${path} and no longer is`)
}

async function theMember(path: string, wanted: RegExp): Promise<string> {
  const found: string[] = []
  const others: string[] = []
  for await (const { name } of zipMembers(path)) {
    const list = wanted.test(name) ? found : others
    if (list.length < tableLimits.zipMembersNamedMax) list.push(name)
  }
  const [only, another] = found
  if (only !== undefined && another === undefined) return only
  const names = (only === undefined ? others : found).join(', ')
  throw new UserError(
    'REGISTRY_IMPORT_INVALID',
    only === undefined ? `${path} holds no file of this format` : `${path} holds several files`,
    { hint: `it holds ${names === '' ? 'nothing' : names}; unpack it and import the one that is meant` },
  )
}

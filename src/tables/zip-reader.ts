import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { UserError } from '../core/errors.js'
import { tableLimits } from './limits-and-errors.js'
import type { ByteSource } from './bytes.js'

/** A file inside a zip. */
export interface ZipMember {
  readonly name: string
  /** Reads its bytes; only valid for the current member. Throws INPUT_COMPRESSION_CORRUPT. */
  read(): AsyncGenerator<Buffer>
}

/**
 * Yields the files of a zip in order, without folders and macOS metadata. Read each member before the next one. Throws
 * INPUT_COMPRESSION_CORRUPT for zips that are damaged, encrypted or too large when unpacked.
 */
export async function* readZipMembers(path: string): AsyncGenerator<ZipMember> {
  const zip = await openZipFile(path)
  try {
    if (zip.entryCount > tableLimits.zipMembersMax) throw createZipError(path, 'it holds too many files')
    for await (const entry of zip.eachEntry()) {
      if (isFile(entry)) yield { name: entry.fileName, read: () => readMember(path, zip, entry) }
    }
  } catch (error) {
    throw error instanceof UserError ? error : createZipError(path, 'it is not a valid zip', error)
  } finally {
    zip.close()
  }
}

/** A zip with random access to its files. */
export interface OpenZip {
  readonly names: readonly string[]
  /** Throws INPUT_COMPRESSION_CORRUPT. */
  read(name: string): AsyncGenerator<Buffer>
  close(): void
}

/** Throws INPUT_COMPRESSION_CORRUPT. */
export async function openZip(path: string, label: string): Promise<OpenZip> {
  const zip = await openZipFile(path, label)
  const entries = new Map<string, Entry>()
  try {
    if (zip.entryCount > tableLimits.zipPartsMax) throw createZipError(label, 'it holds too many files')
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
  } catch (error) {
    zip.close()
    throw error instanceof UserError ? error : createZipError(label, 'it is not a valid zip', error)
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
    throw createZipError(label, 'it is not a valid zip', error)
  }
}

function isFile({ fileName }: Entry): boolean {
  return !fileName.endsWith('/') && !fileName.startsWith('__MACOSX/') && !/(?:^|\/)\./.test(fileName)
}

async function* readMember(path: string, zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  if (entry.isEncrypted()) {
    throw createZipError(
      path,
      `${entry.fileName} is encrypted`,
      undefined,
      'unpack it with its password first',
    )
  }
  if (!entry.canDecodeFileData()) {
    throw createZipError(path, `${entry.fileName} has an unsupported compression`)
  }
  checkRatio(path, entry, entry.uncompressedSize)
  const unpacked = await zip.openReadStreamPromise(entry).catch((error: unknown) => {
    throw createZipError(path, `${entry.fileName} cannot be unpacked`, error)
  })
  try {
    yield* readVerified(path, entry, unpacked)
  } catch (error) {
    throw error instanceof UserError ? error : createZipError(path, `${entry.fileName} is damaged`, error)
  } finally {
    unpacked.destroy()
  }
}

/** yauzl checks sizes, but not checksums. */
async function* readVerified(path: string, entry: Entry, unpacked: Readable): AsyncGenerator<Buffer> {
  let unpackedBytes = 0
  let checksum = 0
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    unpackedBytes += chunk.length
    checksum = crc32(chunk, checksum)
    checkRatio(path, entry, unpackedBytes)
    yield chunk
  }
  if (checksum !== entry.crc32)
    throw createZipError(path, `${entry.fileName} is damaged: its checksum is wrong`)
}

function checkRatio(path: string, entry: Entry, unpackedBytes: number): void {
  const bytesMax = Math.max(tableLimits.zipSmallBytes, entry.compressedSize * tableLimits.zipRatioMax)
  if (unpackedBytes <= bytesMax) return
  throw createZipError(
    path,
    `${entry.fileName} unpacks to more than ${tableLimits.zipRatioMax} times its size`,
  )
}

function createZipError(
  path: string,
  reason: string,
  cause?: unknown,
  hint = 'download the file again',
): UserError {
  return new UserError('INPUT_COMPRESSION_CORRUPT', `${path} cannot be read: ${reason}`, { hint, cause })
}

/** Opens the only member of a zip that matches `wanted`. Throws REGISTRY_IMPORT_INVALID if none or several match. */
export async function openOnlyMember(path: string, wanted: RegExp): Promise<ByteSource> {
  const name = await findOnlyMember(path, wanted)
  return { label: `${path}:${name}`, bytes: () => readMemberBytes(path, name) }
}

async function* readMemberBytes(path: string, name: string): AsyncGenerator<Buffer> {
  for await (const member of readZipMembers(path)) {
    if (member.name !== name) continue
    yield* member.read()
    return
  }
  throw new Error(`${name} disappeared from ${path}`)
}

async function findOnlyMember(path: string, wanted: RegExp): Promise<string> {
  const found: string[] = []
  const others: string[] = []
  for await (const { name } of readZipMembers(path)) {
    const list = wanted.test(name) ? found : others
    if (list.length < tableLimits.zipMembersNamedMax) list.push(name)
  }
  const [only, another] = found
  if (only !== undefined && another === undefined) return only
  const names = (only === undefined ? others : found).join(', ')
  throw new UserError(
    'REGISTRY_IMPORT_INVALID',
    only === undefined ? `${path} contains no file of this format` : `${path} contains several files`,
    {
      hint: others.includes('xl/workbook.xml')
        ? 'it is an Excel file: save its table as CSV'
        : `it contains ${names === '' ? 'no files' : names}; unpack it and import the file you need`,
    },
  )
}

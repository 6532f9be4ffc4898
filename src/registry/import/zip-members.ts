import type { Readable } from 'node:stream'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { UserError } from '../../core/errors.js'
import { importLimits } from './limits.js'

/** A file inside a zip. */
export interface ZipMember {
  readonly name: string
  /** Errors while it is read: INPUT_COMPRESSION_CORRUPT. */
  open(): Promise<AsyncIterable<Buffer>>
}

/**
 * The files of a zip, in its order; folders and what macOS adds are none. Members must be opened before the
 * next one is asked for. Errors: INPUT_COMPRESSION_CORRUPT (no sound zip, encrypted, or one that unpacks to
 * more than any register does).
 */
export async function* zipMembers(path: string): AsyncGenerator<ZipMember> {
  const zip = await openZip(path)
  try {
    if (zip.entryCount > importLimits.zipMembersMax) throw unsound(path, 'it holds too many files')
    for await (const entry of zip.eachEntry()) {
      if (isFile(entry)) yield { name: entry.fileName, open: () => openMember(path, zip, entry) }
    }
  } catch (error) {
    throw error instanceof UserError ? error : unsound(path, 'it is not a sound zip', error)
  } finally {
    zip.close()
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { lazyEntries: true, autoClose: false })
  } catch (error) {
    throw unsound(path, 'it is not a sound zip', error)
  }
}

function isFile({ fileName }: Entry): boolean {
  return !fileName.endsWith('/') && !fileName.startsWith('__MACOSX/') && !/(?:^|\/)\./.test(fileName)
}

async function openMember(path: string, zip: ZipFile, entry: Entry): Promise<AsyncIterable<Buffer>> {
  if (entry.isEncrypted()) {
    throw unsound(path, `${entry.fileName} is encrypted`, undefined, 'unpack it with its password first')
  }
  if (!entry.canDecodeFileData()) {
    throw unsound(path, `${entry.fileName} is packed in a way that cannot be read`)
  }
  checkRatio(path, entry, entry.uncompressedSize)
  const packed = await zip.openReadStreamPromise(entry).catch((error: unknown) => {
    throw unsound(path, `${entry.fileName} cannot be unpacked`, error)
  })
  return bounded(path, entry, packed)
}

async function* bounded(path: string, entry: Entry, packed: Readable): AsyncGenerator<Buffer> {
  let unpackedBytes = 0
  try {
    for await (const chunk of packed) {
      unpackedBytes += (chunk as Buffer).length
      checkRatio(path, entry, unpackedBytes)
      yield chunk as Buffer
    }
  } catch (error) {
    throw error instanceof UserError ? error : unsound(path, `${entry.fileName} is damaged`, error)
  }
}

function checkRatio(path: string, entry: Entry, unpackedBytes: number): void {
  const bytesMax = Math.max(importLimits.zipSmallBytes, entry.compressedSize * importLimits.zipRatioMax)
  if (unpackedBytes <= bytesMax) return
  throw unsound(path, `${entry.fileName} unpacks to more than ${importLimits.zipRatioMax} times its size`)
}

function unsound(path: string, reason: string, cause?: unknown, hint = 'fetch the file again'): UserError {
  return new UserError('INPUT_COMPRESSION_CORRUPT', `${path} cannot be read: ${reason}`, { hint, cause })
}

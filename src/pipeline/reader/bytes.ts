import { createReadStream, openSync, readSync, closeSync } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { UserError } from '../../core/errors.js'
import { readerBounds } from './bounds.js'
import { unreadable, type SourceFile } from './sources.js'
import { CompressionError, unzstd } from './zstd.js'

type Compression = 'none' | 'gzip' | 'zstd'

/**
 * The bytes of a file, decompressed. A consumer that stops early closes the file.
 * Throws INPUT_COMPRESSION_CORRUPT and INPUT_UNREADABLE.
 */
export async function* readBytes(file: SourceFile): AsyncGenerator<Buffer> {
  const compression = compressionOf(file)
  const raw = createReadStream(file.path, { highWaterMark: readerBounds.chunkBytes })
  try {
    switch (compression) {
      case 'none':
        yield* raw as AsyncIterable<Buffer>
        break
      case 'gzip':
        yield* gunzip(raw)
        break
      case 'zstd':
        yield* unzstd(raw as AsyncIterable<Buffer>)
        break
    }
  } catch (error) {
    throw isCorruption(error) ? corrupt(file, error) : unreadable(file.label, error)
  } finally {
    raw.destroy()
  }
}

async function* gunzip(raw: NodeJS.ReadableStream): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: readerBounds.chunkBytes })
  raw.on('error', (error: Error) => gunzip.destroy(error))
  raw.pipe(gunzip)
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } finally {
    gunzip.destroy()
  }
}

/** By the first bytes; a name that promises compression and bytes that are none is an error. */
function compressionOf(file: SourceFile): Compression {
  const start = firstBytes(file)
  if (start.length >= 2 && start.readUInt16BE(0) === 0x1f8b) return 'gzip'
  if (start.length >= 4) {
    const magic = start.readUInt32LE(0)
    if (magic === 0xfd2fb528 || magic >>> 4 === 0x184d2a5) return 'zstd'
  }
  if (start.length > 0 && /\.(gz|zst)$/i.test(file.path)) {
    throw corrupt(file, new CompressionError('its first bytes are not those of a compressed file'))
  }
  return 'none'
}

function firstBytes(file: SourceFile): Buffer {
  try {
    const descriptor = openSync(file.path, 'r')
    try {
      const start = Buffer.alloc(4)
      return start.subarray(0, readSync(descriptor, start, 0, 4, 0))
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    throw unreadable(file.label, error)
  }
}

function isCorruption(error: unknown): error is Error {
  if (error instanceof CompressionError) return true
  const code = (error as NodeJS.ErrnoException).code
  return typeof code === 'string' && code.startsWith('Z_')
}

function corrupt(file: SourceFile, cause: Error): UserError {
  return new UserError(
    'INPUT_COMPRESSION_CORRUPT',
    `${file.label} cannot be decompressed: ${cause.message}`,
    {
      hint: 'it was cut short or damaged on its way: make or fetch it again',
      cause,
    },
  )
}

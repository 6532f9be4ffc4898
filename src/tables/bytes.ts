import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createGunzip, type DeflateRaw, type Gzip } from 'node:zlib'
import { assertNever } from '../core/errors.js'
import { CompressionError, toFileError, tableLimits } from './limits-and-errors.js'

/** Converts chunks of valid UTF-8, which end with whole characters, to strings. */
export async function* readTextPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk.toString('utf8')
}

/** Returns the different words, of ASCII letters and bytes beyond ASCII, in which a pattern of bytes is found. */
export function listWordBytes(text: Buffer, pattern: RegExp): Buffer[] {
  const bytes = text.toString('latin1')
  const words = new Set<string>()
  let end = 0
  for (const { index } of bytes.matchAll(pattern)) {
    if (index < end) continue
    const before = /[A-Za-z\x80-\xff]*$/.exec(bytes.slice(Math.max(end, index - 50), index))?.[0] ?? ''
    const behind = /^[A-Za-z\x80-\xff]*/.exec(bytes.slice(index, index + 100))?.[0] ?? ''
    end = index + behind.length
    words.add(before + behind)
  }
  return [...words].map((word) => Buffer.from(word, 'latin1'))
}

/** Text as chunks of valid UTF-8, read from the start at each call. */
export interface TextChunks {
  readonly label: string
  chunks(): AsyncIterable<Buffer>
}

/** A record of a table: the chosen cells, or the reason why it is invalid. */
export interface TableRecord {
  readonly cells: readonly string[]
  /** First line of the record, counted from 1. `null` for records from csv-parse with as many cells as the header. */
  readonly line: number | null
  readonly reason: string | null
}

/** A record from a reader that counts all lines. */
export interface LocatedRecord extends TableRecord {
  readonly line: number
}

/** Returns the indexes of the required columns of a header, or `null` for all columns. May throw. */
export type ChooseColumns = (header: readonly string[]) => readonly number[] | null

/** The text of a delimited file, from the header on. */
export interface RecordSource extends TextChunks {
  readonly delimiter: string
  /** Number of lines of the file above the first given one. */
  readonly linesAbove: number
  /** Receives the number of lines that end with a single carriage return if others end with a line feed. */
  onMixedLineEnds?(returnCount: number, firstLine: number): void
  /** Receives the line of the first quote that encloses no cell. `isDoubtful`: a cell begins with one. */
  onStrayQuotes?(firstLine: number, isDoubtful: boolean): void
}

/** Compression of a file, detected by its first bytes and not by its name. */
export type Packing = 'plain' | 'gzip' | 'zstd' | 'zip'

export interface ByteSource {
  /** Shown in errors: the path, with the member's name inside a zip. */
  readonly label: string
  /**
   * Reads from the start at each call. Closes the file if the consumer stops early. Throws INPUT_COMPRESSION_CORRUPT,
   * INPUT_NOT_FOUND, INPUT_IS_FOLDER and INPUT_UNREADABLE.
   */
  readonly bytes: () => AsyncIterable<Buffer>
}

/** Returns a file on disk, plain or compressed as a whole. `path` is opened, `label` is shown to the user. */
export function openFileBytes(path: string, label: string): ByteSource {
  return { label, bytes: () => readBytes(path, label) }
}

async function* readBytes(path: string, label: string): AsyncGenerator<Buffer> {
  const packing = await detectPacking(path, label)
  const raw = createReadStream(path, { highWaterMark: tableLimits.chunkBytes })
  try {
    switch (packing) {
      case 'plain':
      case 'zip':
        yield* raw as AsyncIterable<Buffer>
        break
      case 'gzip':
        yield* gunzip(raw)
        break
      case 'zstd':
        yield* (await import('./zstd.js')).decompressZstd(raw as AsyncIterable<Buffer>)
        break
      default:
        assertNever(packing)
    }
  } catch (error) {
    throw toFileError(error, label)
  } finally {
    raw.destroy()
  }
}

async function* gunzip(raw: NodeJS.ReadableStream): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: tableLimits.chunkBytes })
  raw.on('error', (error: Error) => gunzip.destroy(error))
  raw.pipe(gunzip)
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } finally {
    gunzip.destroy()
  }
}

/** "PK" and the mark of a first file, or of the end of an empty zip. */
const zipBeginnings = new Set([0x504b0304, 0x504b0506])

/** Detects the compression of a file by its first bytes. Throws if a file named .gz or .zst is not compressed. */
export async function detectPacking(path: string, label: string): Promise<Packing> {
  const start = await readFirstBytes(path, label)
  if (start.length >= 2 && start.readUInt16BE(0) === 0x1f8b) return 'gzip'
  if (start.length >= 4) {
    const magic = start.readUInt32LE(0)
    if (magic === 0xfd2fb528 || magic >>> 4 === 0x184d2a5) return 'zstd'
    if (zipBeginnings.has(start.readUInt32BE(0))) return 'zip'
  }
  if (start.length > 0 && /\.(gz|zst)$/i.test(path)) {
    throw toFileError(new CompressionError('its content is not compressed'), label)
  }
  return 'plain'
}

async function readFirstBytes(path: string, label: string): Promise<Buffer> {
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw toFileError(error, label)
  }
}

/** Compresses content in order and waits until each result is taken, so that only one piece is in memory. */
export class Packer {
  private packed: Buffer[] = []
  private failure: Error | null = null

  constructor(
    private readonly stream: Gzip | DeflateRaw,
    private readonly take: (packed: Uint8Array) => Promise<void>,
  ) {
    stream.on('data', (chunk: Buffer) => this.packed.push(chunk))
    stream.on('error', (error: Error) => {
      this.failure = error
    })
  }

  async write(content: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.stream.write(content, (error) => {
        if (error) reject(error)
        else resolve()
      })
    })
    await this.deliver()
  }

  /** Ends the compression and waits until all results are taken. */
  async end(): Promise<void> {
    const ended = once(this.stream, 'end')
    this.stream.end()
    await ended
    await this.deliver()
  }

  close(): void {
    this.stream.destroy()
  }

  private async deliver(): Promise<void> {
    if (this.failure !== null) throw this.failure
    const packed = this.packed
    this.packed = []
    if (packed.length > 0) await this.take(Buffer.concat(packed))
  }
}

/** Returns the records with the cells at these indexes; all cells for `null`. */
export function pickCells(
  records: readonly TableRecord[],
  indexes: readonly number[] | null,
): readonly TableRecord[] {
  if (indexes === null) return records
  return records.map((record) => ({ ...record, cells: indexes.map((index) => record.cells[index] ?? '') }))
}

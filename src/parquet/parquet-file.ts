import { createReadStream, renameSync, rmSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import {
  footerAround,
  haveSameRest,
  parquetEnd,
  parquetMagic,
  partOf,
  type ParquetFooter,
  type ParquetPart,
} from './row-group-files.js'

const tailBytes = 8

/**
 * One Parquet file put together from whole ones, row group by row group, in the order they come: the first becomes
 * the file, and what holds the others is put behind its row groups. A file of one part is that part as it was.
 */
export class ParquetFile {
  /** Where row groups end. */
  #bytes: number = parquetMagic.length
  #rowCount = 0
  #rowGroupCount = 0
  #fileCount = 0
  #first: ParquetPart | null = null
  readonly #rowGroups: Buffer[] = []
  #handle: FileHandle | null = null
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  get isEmpty(): boolean {
    return this.#first === null
  }

  /** Takes a part, whose slices hold its columns in order, and removes them. Throws where it has not so many rows, or other columns than the first. */
  async append(slicePaths: readonly string[], rowCount: number): Promise<void> {
    const slices = await Promise.all(slicePaths.map(readFooter))
    const taken = partOf(slices, this.#bytes)
    if (taken.rowCount !== rowCount)
      throw new Error(`a part has ${taken.rowCount} rows in place of ${rowCount}`)
    this.#first ??= taken
    if (!haveSameRest(this.#first, taken)) throw new Error('the parts of the output differ in their columns')
    for (const [index, path] of slicePaths.entries()) await this.#take(path, slices[index]?.bodyBytes ?? 0)
    this.#rowGroups.push(taken.rowGroups)
    this.#rowCount += rowCount
    this.#rowGroupCount += taken.rowGroupCount
  }

  /** Writes the footer. */
  async end(): Promise<void> {
    if (this.#first === null) throw new Error('an output has no parts')
    if (this.#fileCount === 1) return
    const { before, after } = footerAround(this.#first, this.#rowCount, this.#rowGroupCount)
    const footer = Buffer.concat([before, ...this.#rowGroups, after])
    await this.#write(Buffer.concat([footer, parquetEnd(footer.length)]))
  }

  async close(): Promise<void> {
    await this.#handle?.close()
    this.#handle = null
  }

  async #take(path: string, bodyBytes: number): Promise<void> {
    if (this.#fileCount++ === 0) {
      renameSync(path, this.#path)
      this.#bytes += bodyBytes
      return
    }
    if (this.#handle === null) {
      this.#handle = await open(this.#path, 'a')
      await this.#handle.truncate(this.#bytes)
    }
    const range = { start: parquetMagic.length, end: parquetMagic.length + bodyBytes - 1 }
    if (bodyBytes > 0)
      for await (const bytes of createReadStream(path, { ...range, highWaterMark: 1024 * 1024 }))
        await this.#write(bytes as Buffer)
    rmSync(path)
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#handle?.writeFile(bytes)
    this.#bytes += bytes.length
  }
}

/** Throws on a file that is no whole Parquet. */
async function readFooter(path: string): Promise<ParquetFooter> {
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    const read = async (start: number, length: number) =>
      (await handle.read(Buffer.alloc(length), 0, length, start)).buffer
    const tail = await read(Math.max(0, size - tailBytes), tailBytes)
    if (!tail.subarray(4).equals(parquetMagic)) throw new Error('a part of the output is no Parquet file')
    const footerBytes = tail.readUInt32LE(0)
    const bodyEnd = size - tailBytes - footerBytes
    return { footer: await read(bodyEnd, footerBytes), bodyBytes: bodyEnd - parquetMagic.length }
  } finally {
    await handle.close()
  }
}

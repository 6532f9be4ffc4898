import { open, type FileHandle } from 'node:fs/promises'
import { parquetLimits } from './limits.js'
import {
  footerAround,
  haveSameRest,
  parquetEnd,
  parquetStart,
  partOf,
  type ParquetPart,
} from './row-group-files.js'

export interface ParquetSink {
  write(bytes: Uint8Array): Promise<void>
}

/**
 * One Parquet file put together from whole ones, row group by row group, in the order they come. What is known of
 * the groups waits in a file of its own: it goes behind the last of them, and memory stays flat.
 */
export class ParquetFile {
  private bytes = 0
  private rowCount = 0
  private rowGroupCount = 0
  private first: ParquetPart | null = null
  private groups: FileHandle | null = null

  constructor(
    private readonly sink: ParquetSink,
    private readonly groupsPath: string,
  ) {}

  /** Takes a part, whose slices hold its columns in order. Throws where it has not so many rows, or other columns than the first. */
  async append(slices: readonly Buffer[], rowCount: number): Promise<void> {
    if (this.first === null) await this.write(parquetStart())
    const taken = partOf(slices, this.bytes)
    if (taken.rowCount !== rowCount)
      throw new Error(`a part has ${taken.rowCount} rows in place of ${rowCount}`)
    this.first ??= { ...taken, bodies: [], rowGroups: Buffer.alloc(0) }
    if (!haveSameRest(this.first, taken)) throw new Error('the parts of the output differ in their columns')
    for (const body of taken.bodies) await this.write(body)
    this.groups ??= await open(this.groupsPath, 'wx+')
    await this.groups.writeFile(taken.rowGroups)
    this.rowCount += rowCount
    this.rowGroupCount += taken.rowGroupCount
  }

  /** Writes the footer. */
  async end(): Promise<void> {
    if (this.first === null || this.groups === null) throw new Error('an output has no parts')
    const footerStart = this.bytes
    const { before, after } = footerAround(this.first, this.rowCount, this.rowGroupCount)
    await this.write(before)
    const chunk = Buffer.allocUnsafe(parquetLimits.writeBytes)
    for (let position = 0; ;) {
      const { bytesRead } = await this.groups.read(chunk, 0, chunk.length, position)
      if (bytesRead === 0) break
      await this.write(chunk.subarray(0, bytesRead))
      position += bytesRead
    }
    await this.write(after)
    await this.write(parquetEnd(this.bytes - footerStart))
  }

  async close(): Promise<void> {
    await this.groups?.close()
    this.groups = null
  }

  private async write(bytes: Buffer): Promise<void> {
    await this.sink.write(bytes)
    this.bytes += bytes.length
  }
}

import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { parquetLimits } from './limits.js'

export interface LineFile {
  readonly path: string
  readonly rowCount: number
  readonly byteCount: number
  readonly lineBytesMax: number
}

/**
 * Writes lines to one file after the other. They are gathered as bytes in one buffer: as texts they would be
 * hundreds of megabytes of garbage.
 */
export class LineWriter {
  /** Of the file that is being written. */
  rowCount = 0
  byteCount = 0
  private lineBytesMax = 0
  private buffer = Buffer.allocUnsafe(2 * parquetLimits.writeBytes)
  private length = 0
  private fileCount = 0
  private handle: FileHandle | null = null

  constructor(
    private readonly folder: string,
    private readonly prefix: string,
  ) {}

  /** Adds a line made of texts, which may be UTF-8 already; `flush` where it is due. */
  add(...texts: readonly (string | Buffer)[]): void {
    let bytesMax = 1
    // A UTF-16 unit is at most three bytes of UTF-8.
    for (const text of texts) bytesMax += 3 * text.length
    if (this.length + bytesMax > this.buffer.length) this.grow(bytesMax)
    const start = this.length
    for (const text of texts)
      this.length +=
        typeof text === 'string' ? this.buffer.write(text, this.length) : text.copy(this.buffer, this.length)
    this.buffer[this.length++] = 0x0a
    const lineBytes = this.length - start
    this.rowCount++
    this.byteCount += lineBytes
    this.lineBytesMax = Math.max(this.lineBytesMax, lineBytes)
  }

  get isFlushDue(): boolean {
    return this.length >= parquetLimits.writeBytes
  }

  /** Whether the file is to be cut here. */
  get isFull(): boolean {
    return this.rowCount >= parquetLimits.fileRowsMax || this.byteCount >= parquetLimits.fileBytesMax
  }

  async flush(): Promise<void> {
    this.handle ??= await open(this.path, 'wx', 0o600)
    const bytes = this.buffer.subarray(0, this.length)
    this.length = 0
    await this.handle.writeFile(bytes)
  }

  /** Ends the file; what is added from here on goes to the next. */
  async cut(): Promise<LineFile> {
    await this.flush()
    await this.close()
    const { path, rowCount, byteCount, lineBytesMax } = this
    this.fileCount++
    this.rowCount = this.byteCount = this.lineBytesMax = 0
    return { path, rowCount, byteCount, lineBytesMax }
  }

  async close(): Promise<void> {
    const { handle } = this
    this.handle = null
    await handle?.close()
  }

  private get path(): string {
    return join(this.folder, `${this.prefix}${this.fileCount}.ndjson`)
  }

  private grow(bytes: number): void {
    const larger = Buffer.allocUnsafe(2 * (this.length + bytes))
    this.buffer.copy(larger, 0, 0, this.length)
    this.buffer = larger
  }
}

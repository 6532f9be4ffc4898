import { once } from 'node:events'
import type { DeflateRaw, Gzip } from 'node:zlib'

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

import { rmSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { createGzip } from 'node:zlib'
import { publishFile, removeStaleTemporaries, temporaryPath } from '../../platform/files.js'
import { Packer } from '../../tables/zip-writer.js'
import { assertRegular, targetOf, writeFailure } from './output-path.js'

/**
 * A file that is written under a temporary name beside its place, and put there whole or not at all. Making
 * and publishing one throws OUTPUT_UNWRITABLE where its place holds anything but a regular file.
 */
export class StagedFile {
  readonly temporary: string
  private readonly target: string
  private handle: FileHandle | null = null

  constructor(readonly path: string) {
    this.target = targetOf(path)
    assertRegular(this.target)
    this.temporary = temporaryPath(this.target)
    removeStaleTemporaries(this.target)
  }

  /** Text is written as UTF-8. */
  async write(content: string | Uint8Array): Promise<void> {
    this.handle ??= await open(this.temporary, 'wx')
    await this.handle.writeFile(content, 'utf8')
  }

  /** Ends the writing; the file keeps its temporary name. */
  async close(): Promise<void> {
    const { handle } = this
    this.handle = null
    await handle?.close()
  }

  /** Puts the file in its place, durably. */
  publish(): void {
    assertRegular(this.target)
    publishFile(this.temporary, this.target)
  }

  /** Removes what was written, if it was not published. */
  async discard(): Promise<void> {
    await this.close().catch(() => undefined)
    try {
      rmSync(this.temporary, { force: true, recursive: true })
    } catch (error) {
      // Under a name that is too long nothing was written.
      if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') throw error
    }
  }
}

/** Puts a text in its place as a file, whole. Throws OUTPUT_UNWRITABLE, DISK_FULL. */
export async function publishText(path: string, text: string): Promise<void> {
  let file: StagedFile | null = null
  try {
    file = new StagedFile(path)
    await file.write(text)
    await file.close()
    file.publish()
  } catch (error) {
    throw writeFailure(path, error)
  } finally {
    await file?.discard()
  }
}

/** Where an output is written, piece by piece. */
export interface OutputSink {
  /** Text is written as UTF-8. */
  write(content: string | Uint8Array): Promise<void>
  /** Everything was written. */
  end(): Promise<void>
}

/** A file as it is written, or gzipped as a whole. */
export function sinkOf(file: StagedFile, isPacked: boolean): OutputSink {
  if (!isPacked) return { write: (content) => file.write(content), end: () => Promise.resolve() }
  return new Packer(createGzip(), (packed) => file.write(packed))
}

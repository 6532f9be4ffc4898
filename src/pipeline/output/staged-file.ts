import { rmSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { createGzip } from 'node:zlib'
import { publishFile, removeStaleTemporaries, buildTemporaryPath } from '../../platform/files.js'
import { Packer } from '../../tables/zip-writer.js'
import { assertRegular, resolveTarget, toWriteError } from './output-path.js'

/**
 * A file that is written under a temporary name next to its target, and published as a whole or not at all. The
 * constructor and `publish` throw OUTPUT_UNWRITABLE if the target is not a regular file.
 */
export class StagedFile {
  readonly temporary: string
  private readonly target: string
  private handle: FileHandle | null = null

  constructor(readonly path: string) {
    this.target = resolveTarget(path)
    assertRegular(this.target)
    this.temporary = buildTemporaryPath(this.target)
    removeStaleTemporaries(this.target)
  }

  /** Writes bytes, or text as UTF-8. */
  async write(content: string | Uint8Array): Promise<void> {
    this.handle ??= await open(this.temporary, 'wx')
    await this.handle.writeFile(content, 'utf8')
  }

  /** Ends the writing. The file keeps its temporary name. */
  async close(): Promise<void> {
    const { handle } = this
    this.handle = null
    await handle?.close()
  }

  /** Moves the file to its target, durably. */
  publish(): void {
    assertRegular(this.target)
    publishFile(this.temporary, this.target)
  }

  /** Removes the temporary file if it was not published. */
  async discard(): Promise<void> {
    await this.close().catch(() => undefined)
    try {
      rmSync(this.temporary, { force: true, recursive: true })
    } catch (error) {
      // If the name is too long, nothing was written.
      if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') throw error
    }
  }
}

/** Publishes a text as a file. Throws OUTPUT_UNWRITABLE and DISK_FULL. */
export async function publishText(path: string, text: string): Promise<void> {
  let file: StagedFile | null = null
  try {
    file = new StagedFile(path)
    await file.write(text)
    await file.close()
    file.publish()
  } catch (error) {
    throw toWriteError(path, error)
  } finally {
    await file?.discard()
  }
}

/** Destination for the pieces of an output. */
export interface OutputSink {
  /** Writes bytes, or text as UTF-8. */
  write(content: string | Uint8Array): Promise<void>
  end(): Promise<void>
}

/** Returns a sink for the file, with gzip if `isPacked`. */
export function createSink(file: StagedFile, isPacked: boolean): OutputSink {
  if (!isPacked) return { write: (content) => file.write(content), end: () => Promise.resolve() }
  return new Packer(createGzip(), (packed) => file.write(packed))
}

import { createGzip } from 'node:zlib'
import { Packer } from '../../tables/packer.js'
import type { StagedFile } from './staged-file.js'

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

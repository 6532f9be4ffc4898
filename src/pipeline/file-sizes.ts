import { statSync } from 'node:fs'
import { parquetLimits } from '../parquet/limits.js'
import { fileBytesMax } from '../platform/process-limits.js'
import { fileTooLarge } from '../platform/system-failure.js'
import type { Input } from './input/input.js'
import type { ResolvedOutput } from './output/resolve-output.js'

/** What an answer takes in the checkpoint, with what SQLite has of it beside the database. */
const checkpointBytesPerLookup = 16 * 1024

/**
 * Where a file of this process may not grow for ever (`ulimit -f`), what is certain to be too large for it is found
 * before anything is paid for: the checkpoint with all answers, and an output of text, which holds its whole input.
 * Throws FILE_TOO_LARGE.
 */
export function assertFilesMayGrow(
  checkpointPath: string,
  submitCount: number,
  input: Input,
  output: ResolvedOutput,
): void {
  const bytesMax = fileBytesMax()
  if (bytesMax === null) return
  const checkpointBytes = statSync(checkpointPath, { throwIfNoEntry: false })?.size ?? 0
  assertBelow(
    bytesMax,
    checkpointBytes + submitCount * checkpointBytesPerLookup,
    `the checkpoint ${checkpointPath}`,
  )
  if (input.format === 'parquet') return
  const plain = input.files.filter(({ path }) => !/\.(gz|zst)$/i.test(path))
  const textBytes = plain.reduce((sum, { bytes }) => sum + bytes, 0)
  if (output.format === 'parquet')
    assertBelow(bytesMax, Math.min(textBytes, 2 * parquetLimits.partBytesMax), `a part of ${output.path}`)
  else if (output.format === input.format && output.path !== '-')
    assertBelow(bytesMax, textBytes, `the output ${output.path}`)
}

function assertBelow(bytesMax: number, bytes: number, what: string): void {
  if (bytes > bytesMax) throw fileTooLarge(undefined, `; ${what} needs about ${Math.ceil(bytes / 1024)}`)
}

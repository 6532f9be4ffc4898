import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertNamesFitParquet, assertNoClash } from '../answers/columns.js'
import { renderUnanswered } from '../answers/answer-line.js'
import type { Input } from '../input/input.js'
import { writerLimits } from './output-format.js'
import type { AnswerLines } from './answer-lines.js'
import type { WriteOptions } from './joined-rows.js'
import { basisPathOf, writeFailure } from './output-path.js'
import { withSample } from './sample.js'
import { StagedFile } from './staged-file.js'
import { writeFormat } from './write-format.js'

export interface PublishOptions extends WriteOptions {
  readonly input: Input
  readonly rowCount: number
  readonly stdout?: NodeJS.WritableStream | undefined
}

export interface PublishReport {
  /** What was put in place, the output first; empty for standard output. */
  readonly paths: readonly string[]
  readonly rowCount: number
  /** Lines of the basis file below its header. */
  readonly basisLineCount: number
}

/**
 * Writes every input row with its answer, in order, and puts the output in place whole; the basis file, if
 * there is one, just before it. On any failure, and on abort, what stood there before still stands there.
 * Throws INPUT_CHANGED, OUTPUT_COLUMN_TAKEN, INPUT_COLUMNS_DUPLICATE, OUTPUT_UNWRITABLE, DISK_FULL, and the
 * signal's reason.
 */
export async function publish(options: PublishOptions): Promise<PublishReport> {
  const { input } = options
  input.assertUnchanged()
  return stageAndWrite(options, async (main, basis, folder, basisLineCount) => {
    input.assertUnchanged()
    options.signal?.throwIfAborted()
    basis?.publish()
    await publishMain(main, folder, options.stdout)
    const paths = folder === null ? [main, ...(basis === null ? [] : [basis])].map((file) => file.path) : []
    return { paths, rowCount: options.rowCount, basisLineCount }
  })
}

/**
 * Writes the first rows with empty answers where the output is to be written, and removes them: what would make
 * publishing fail for the format, the width, the types or the place of the output is thrown before anything is paid
 * for. Throws what `publish` throws.
 */
export async function tryPublishing(
  options: Omit<PublishOptions, 'answers' | 'rowFiles' | 'stdout' | 'signal'>,
): Promise<void> {
  const empty = renderUnanswered({ status: 'pending' })
  const answers: AnswerLines = {
    read: (_first, count) => new Array<string>(count).fill(empty),
    numbers: (_first, count) => new Uint32Array(count),
    distinct: () => ({ numbers: Uint32Array.of(0), lines: () => [empty] }),
  }
  const { input, output, rowCount } = options
  await withSample(input, output.format, rowCount, (sample) =>
    stageAndWrite({ ...options, ...sample, answers }, () => Promise.resolve()),
  )
}

/** Puts an output in its place; from its folder, if it has one, it goes to standard output. */
export async function publishMain(
  main: StagedFile,
  folder: string | null,
  stdout: NodeJS.WritableStream = process.stdout,
): Promise<void> {
  if (folder === null) main.publish()
  else await copyTo(stdout, main.temporary)
}

/** `use` is given what was written under temporary names, and the folder of it where it goes to standard output. */
export async function stageAndWrite<Result>(
  options: WriteOptions,
  use: (
    main: StagedFile,
    basis: StagedFile | null,
    folder: string | null,
    basisLineCount: number,
  ) => Promise<Result>,
): Promise<Result> {
  const { input, output } = options
  assertNoClash(input.columns, options.columns)
  if (output.format === 'parquet') assertNamesFitParquet(input.columns)
  const folder = output.path === '-' ? gatheringFolder() : null
  const staged: StagedFile[] = []
  try {
    const main = new StagedFile(folder === null ? output.path : join(folder, 'output'))
    staged.push(main)
    const basis =
      options.basis === 'file' && folder === null ? new StagedFile(basisPathOf(output.path)) : null
    if (basis !== null) staged.push(basis)
    return await use(main, basis, folder, await writeFormat(options, main, basis))
  } catch (error) {
    options.signal?.throwIfAborted()
    throw writeFailure(output.path, error)
  } finally {
    for (const file of staged) await file.discard()
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
}

/** Where what goes to standard output is put together. */
function gatheringFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'enrich-'))
  } catch (error) {
    throw writeFailure(join(tmpdir(), 'enrich-output'), error)
  }
}

/** Waits for each chunk to be taken, so that a slow reader holds the writing up and not the memory. */
async function copyTo(stdout: NodeJS.WritableStream, path: string): Promise<void> {
  // A failed write is reported to its callback; without a listener it would also end the process.
  const ignore = () => undefined
  stdout.on('error', ignore)
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: writerLimits.stdoutChunkBytes })) {
      await new Promise<void>((resolve, reject) => {
        stdout.write(chunk as Buffer, (error) => {
          if (error) reject(error)
          else resolve()
        })
      })
    }
  } finally {
    stdout.off('error', ignore)
  }
}

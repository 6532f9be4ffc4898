import { createTemporaryFolder } from '../../platform/files.js'
import { createReadStream, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getDatabaseName } from '../../connectors/connectors.js'
import { assertNamesFitParquet, assertNoClash } from '../answers/columns.js'
import { renderUnanswered } from '../answers/answer-line.js'
import { assertNever } from '../../core/errors.js'
import type { Input, RelationRows } from '../input/input.js'
import { getBasisPath, writerLimits, type OutputFormat } from './output-format.js'
import type { AnswerLines } from './answer-lines.js'
import type { WriteOptions, WrittenInput } from './joined-rows.js'
import { toWriteError } from './output-path.js'
import { stage, type StagedFile } from './staged-file.js'
import { writeFormat } from './write-format.js'

export interface PublishOptions extends WriteOptions {
  readonly input: Input
  readonly rowCount: number
  readonly stdout?: NodeJS.WritableStream | undefined
}

export interface PublishReport {
  /** Published files, the output first; empty for standard output. */
  readonly paths: readonly string[]
  readonly rowCount: number
  /** Lines of the basis file, without its header. */
  readonly basisLineCount: number
}

/**
 * Writes every input row with its answer, in order, and publishes the output as a whole, just after its basis file. On
 * failure and on abort, existing files are left unchanged. Throws INPUT_CHANGED, OUTPUT_COLUMN_TAKEN,
 * INPUT_COLUMNS_DUPLICATE, OUTPUT_UNWRITABLE, DISK_FULL and the signal's reason.
 */
export async function publish(options: PublishOptions): Promise<PublishReport> {
  const { input } = options
  input.identity.assertUnchanged()
  return stageAndWrite(options, async (main, basis, folder, basisLineCount) => {
    input.identity.assertUnchanged()
    options.signal?.throwIfAborted()
    await basis?.publish()
    await publishMain(main, folder, options.stdout)
    const paths = folder === null ? [main, ...(basis === null ? [] : [basis])].map((file) => file.path) : []
    return { paths, rowCount: options.rowCount, basisLineCount }
  })
}

/**
 * Writes the first rows with empty answers to the place of the output, and removes them, to find problems of format,
 * width, types or path before any cost. Throws the same errors as `publish`.
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
    stageAndWrite({ ...options, ...sample, answers }, async (main, basis) => {
      await main.tryPublishing(input.format === 'parquet' ? input.files.map(({ path }) => path) : [])
      await basis?.tryPublishing()
    }),
  )
}

/** Moves an output into place, or copies it from `folder` to standard output. */
export async function publishMain(
  main: StagedFile,
  folder: string | null,
  stdout: NodeJS.WritableStream = process.stdout,
): Promise<void> {
  if (folder === null) await main.publish()
  else await copyTo(stdout, main.temporary)
}

/** Writes under temporary names and passes the files to `use`; `folder` is only given for standard output. */
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
  assertNoClash(input.columns, output.columns)
  if (output.format === 'parquet') assertNamesFitParquet(input.columns, getDatabaseName(output.path))
  const folder = output.path === '-' ? createStdoutFolder() : null
  const staged: StagedFile[] = []
  try {
    const { remote = null } = output
    const main = await stage(folder === null ? output.path : join(folder, 'output'), remote)
    staged.push(main)
    const basis =
      output.basis === 'file' && folder === null ? await stage(getBasisPath(output.path), remote) : null
    if (basis !== null) staged.push(basis)
    return await use(main, basis, folder, await writeFormat(options, main, basis))
  } catch (error) {
    options.signal?.throwIfAborted()
    throw toWriteError(output.path, error)
  } finally {
    for (const file of staged) await file.discard()
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
}

/** Creates the temporary folder for standard output. */
function createStdoutFolder(): string {
  try {
    return createTemporaryFolder()
  } catch (error) {
    throw toWriteError(join(tmpdir(), 'enrich-output'), error)
  }
}

/** Waits for each chunk, so that a slow reader delays the writing instead of filling the memory. */
async function copyTo(stdout: NodeJS.WritableStream, path: string): Promise<void> {
  // The write callback receives the error; without a listener, it would also end the process.
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

/** The first rows of an input. Supports the row methods that its output format uses. */
interface Sample {
  readonly input: WrittenInput
  readonly rowCount: number
}

/** Passes the first rows to `use`. Does not call it for an empty input. */
async function withSample(
  input: Input,
  format: OutputFormat,
  rowCount: number,
  use: (sample: Sample) => Promise<unknown>,
): Promise<void> {
  const rowsMax = sampleRowsMax(input.columns.length)
  const withFirst = async <Row>(
    batches: AsyncIterable<readonly Row[]>,
    getReaders: (rows: () => AsyncIterable<readonly Row[]>) => Partial<WrittenInput['rows']>,
  ) => {
    for await (const batch of batches) {
      const rows = batch.slice(0, rowsMax)
      await use({
        rowCount: rows.length,
        input: createSample(
          input,
          rows.length,
          getReaders(() => yieldOnce(rows)),
        ),
      })
      return
    }
  }
  switch (format) {
    case 'csv':
      return withFirst(input.rows.texts(), (texts) => ({ texts }))
    case 'ndjson':
      return withFirst(input.rows.objects(), (objects) => ({ objects }))
    case 'xlsx':
      return withFirst(input.rows.cells(), (cells) => ({ cells }))
    case 'parquet': {
      const source = input.rows.parquet()
      if (source.kind === 'members')
        return withFirst(source.readMembers(), (rows) => ({
          parquet: () => ({ ...source, readMembers: rows }),
        }))
      const count = Math.min(rowsMax, rowCount)
      const first: RelationRows = {
        ...source,
        bytesEstimate: (source.bytesEstimate * count) / Math.max(1, rowCount),
        relation: `(SELECT * FROM ${source.relation} LIMIT ${count})`,
        countRows: () => Promise.resolve(count),
      }
      await use({ rowCount: count, input: createSample(input, count, { parquet: () => first }) })
      return
    }
    default:
      return assertNever(format)
  }
}

const sampleRowsMax = (columnCount: number): number =>
  Math.max(1, Math.min(writerLimits.answerRows, Math.floor(writerLimits.sampleCells / columnCount)))

function createSample(input: Input, rowCount: number, own: Partial<WrittenInput['rows']>): WrittenInput {
  const { columns, files, layout, rows } = input
  const { texts } = own
  return {
    columns,
    files,
    layout,
    rows: {
      ...rows,
      ...own,
      // The basis file reads the names in a separate pass.
      texts: (named) =>
        named === undefined && texts !== undefined ? texts() : limitRows(rows.texts(named), rowCount),
    },
  }
}

async function* yieldOnce<Item>(item: Item): AsyncGenerator<Item> {
  await Promise.resolve()
  yield item
}

async function* limitRows<Row>(
  batches: AsyncIterable<readonly Row[]>,
  rowsMax: number,
): AsyncGenerator<readonly Row[]> {
  let left = rowsMax
  for await (const batch of batches) {
    yield batch.slice(0, left)
    left -= batch.length
    if (left <= 0) return
  }
}

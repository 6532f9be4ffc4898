import {
  createNulError,
  findDatabaseFile,
  getDatabaseName,
  isAddress,
  isSamePlace,
  isTableAddress,
  type Connectors,
  type Place,
} from '../../connectors/connectors.js'
import { UserError } from '../../core/errors.js'
import type { ReviewCounts } from '../../core/decisions.js'
import { assertNamesFitParquet, assertNoClash } from '../answers/columns.js'
import type { Partition } from '../../core/partition.js'
import type { Input } from '../input/input.js'
import { createAnswerLines, type LineSources, type RowCounts } from './answer-lines.js'
import type { Collected, CollectOptions } from './collect.js'
import type { ResolvedOutput } from './output-format.js'
import { assertOutputUsable, createIsInputError, createTwiceError } from './output-path.js'
import { listFilePlaces } from '../../platform/files.js'
import { assertWithoutParts, openPart, type OpenPart, type OpenPartDeps } from './partitioned-job.js'
import { publish, tryPublishing, type PublishOptions, type PublishReport } from './publish.js'
import { RowSpool } from './write-format.js'
import { assertCellsFit } from './xlsx.js'
import type { LineObserver } from '../answers/joined-line.js'
import type { PartDatabase } from './part-ledger.js'

export { resolveOutput, type OutputRequest, type ResolvedOutput } from './output-format.js'
export { findAppended, markAppended, removeMark } from './staged-file.js'

/** Sets the column with the key of a row, by which rows of a table are replaced. Throws USAGE_INVALID without one. */
export function withKeyColumn(output: ResolvedOutput, keyColumn: string | null): ResolvedOutput {
  if (output.remote?.mode !== 'upsert') return output
  if (keyColumn === null) {
    throw new UserError('USAGE_INVALID', '--mode upsert needs the key of each row', {
      hint: 'name its column: --row-key supplier_id',
    })
  }
  return { ...output, remote: { ...output.remote, keyColumn } }
}

/** Further files and tables of the same run. */
interface OtherOutputs {
  readonly changesPath?: string | null | undefined
  readonly reportPath?: string | null
  readonly connectors: Connectors
}

/**
 * Asks the places of inputs and outputs who they are, before anything is submitted. Throws OUTPUT_IS_INPUT if an output
 * is a table, a file or an object that an input reads, under whatever name, and OUTPUT_IS_OURS if two outputs are the
 * same. A query may read a table that rows are added to. Throws the errors of a target.
 */
export async function assertOutputApart(
  input: Pick<Input, 'files'>,
  { paths, remote }: ResolvedOutput,
  { changesPath = null, reportPath = null, connectors }: OtherOutputs,
): Promise<void> {
  const written = [...paths, reportPath, changesPath]
    .filter((path) => path !== null)
    .filter((path) => path !== '-')
  const addressCount = [...input.files.map(({ label }) => label), ...written].filter(isAddress).length
  const seen: { readonly path: string; readonly places: readonly Place[] }[] = []
  for (const path of written) {
    // A server need not be asked if there is nothing to compare.
    if (isAddress(path) && addressCount === 1 && findDatabaseFile(path) === null) continue
    const places = isAddress(path) ? await listTargetPlaces(path, connectors) : listFilePlaces(path)
    const isReplaced =
      !isTableAddress(path) || ((remote?.mode ?? 'replace') === 'replace' && path !== changesPath)
    const same = input.files.find((file) => (isReplaced || !file.isQuery) && isSamePlace(file.places, places))
    if (same !== undefined) throw createIsInputError(path, same)
    // Two files, and one address twice, are refused where the second output is checked.
    const isOther = (one: string) => one !== path && (isAddress(one) || isAddress(path))
    const other = seen.find((one) => isOther(one.path) && isSamePlace(one.places, places))
    if (other !== undefined) throw createTwiceError(`${other.path} and ${path}`)
    seen.push({ path, places })
  }
}

async function listTargetPlaces(path: string, connectors: Connectors): Promise<readonly Place[]> {
  const target = await connectors.openTarget(path, { mode: 'replace', keyColumn: null })
  try {
    return await target.listPlaces()
  } finally {
    await target.close()
  }
}

/** Checks the place and the columns of an output. Throws OUTPUT_*, DISK_FULL, INPUT_COLUMNS_DUPLICATE. */
export function assertOutputFits(input: Input, output: ResolvedOutput, rowCount: number): void {
  assertOutputUsable(input.files, output.path, output.format, rowCount, input.bytes)
  assertNoClash(input.columns, output.columns)
  if (output.format !== 'parquet') return
  assertNamesFitParquet(input.columns, getDatabaseName(output.path))
  // Throws if a type is not supported.
  input.rows.parquet()
}

interface TrialOptions extends Pick<PublishOptions, 'nameColumn' | 'rowCount' | 'metadata'> {
  readonly signal: AbortSignal
}

/** Writes the first rows to the place of the output and removes them. Throws the same errors as `AnsweredRows.publish`. */
export async function tryOutput(
  input: Input,
  output: ResolvedOutput,
  { signal, ...options }: TrialOptions,
): Promise<void> {
  await tryPublishing({ ...options, input, output })
  if (output.format === 'xlsx') await assertCellsFit(input, signal)
  if (input.format !== 'parquet' && getDatabaseName(output.path) === 'PostgreSQL')
    await assertNoNul(input, signal)
}

/** Throws OUTPUT_UNWRITABLE for a text with a NUL: PostgreSQL would refuse it after the lookups were billed. */
async function assertNoNul(input: Input, signal: AbortSignal): Promise<void> {
  for await (const rows of input.rows.texts()) {
    signal.throwIfAborted()
    for (const row of rows) {
      const index = row.findIndex((cell) => cell?.includes('\0') === true || nulEscape.test(cell ?? ''))
      if (index >= 0) throw createNulError(input.columns[index] ?? '')
    }
  }
}

/** A NUL in the JSON text of a nested value. */
const nulEscape = /^[[{].*(?:^|[^\\])(?:\\\\)*\\u0000/s

/**
 * Creates the store of rows between reading and writing; the caller removes it. Null if the input is read again: parsing
 * text takes longer than storing the rows, but DuckDB reads Parquet again quickly. `folder`: for outputs that are no
 * files.
 */
export const openRowSpool = (input: Input, output: ResolvedOutput, folder: string): RowSpool | null =>
  output.format !== 'parquet' || input.format === 'parquet' ? null : new RowSpool(output.path, folder)

/** The answer line of each row of an input. */
export interface AnsweredRows {
  /** Number of rows read so far, by outcome. */
  readonly rowCounts: RowCounts
  /** Counts the doubtful rows among them. */
  review(): ReviewCounts
  /** Reads each line for the observer, without an output. */
  readAll(): void
  /**
   * Writes every input row with its answer, in order, and publishes the output as a whole. On failure and on abort,
   * existing files are left unchanged. Throws INPUT_CHANGED, OUTPUT_*, INPUT_COLUMNS_DUPLICATE, DISK_FULL and the
   * signal's reason.
   */
  publish(options: Omit<PublishOptions, 'answers'>): Promise<PublishReport>
}

/**
 * Joins rows with their answers. `observer` receives the line of every lookup. Everything that can be wrong with an
 * output is found before anything is billed:
 *
 * @example
 * const output = resolveOutput(request, { stages: [], hasSides: false })
 * await assertOutputApart(input, output, { connectors })
 * assertOutputFits(input, output, index.rowCount)
 * await tryOutput(input, output, { nameColumn, rowCount, metadata, signal })
 * const { paths } = await answerRows(sources).publish({ input, output, nameColumn, rowCount, metadata })
 */
export function answerRows(sources: LineSources, observer: LineObserver | null = null): AnsweredRows {
  const answers = createAnswerLines(sources, observer)
  return {
    rowCounts: answers.rowCounts,
    review: answers.review,
    readAll: () => {
      const lines = answers.distinct().lines()[Symbol.iterator]()
      while (lines.next().done !== true);
    },
    publish: (options) => publish({ ...options, answers }),
  }
}

interface JobToJoin extends Omit<OpenPartDeps, 'name' | 'partition' | 'database'> {
  /** The part of the job that this process runs; null if it runs all rows. */
  readonly part: { readonly job: string; readonly partition: Partition } | null
  /** The user's name of the job; null if derived from the input. */
  readonly job: string | null
  /** Null for a checkpoint in a file. */
  readonly database: PartDatabase | null
}

/**
 * Joins a job with its part; null for a run over all rows. Throws JOB_PARTS_DIFFER, JOB_INPUT_DIFFERS, and JOB_NAME_TAKEN
 * if a run over all rows names a job with parts.
 */
export async function joinPart({ part, job, database, ...deps }: JobToJoin): Promise<OpenPart | null> {
  if (part === null) {
    if (database !== null && job !== null)
      await assertWithoutParts(database.postgres, job, deps.scope).catch((error: unknown) => {
        throw database.explain(error)
      })
    return null
  }
  if (database === null) throw new Error('a part without a database to publish it in')
  return openPart({ ...deps, name: part.job, partition: part.partition, database })
}

interface JobToCollect extends Omit<CollectOptions, 'database'> {
  /** Address of the checkpoint on PostgreSQL, whose password is in `environment`. */
  readonly url: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * Collects the parts of a job in a shared checkpoint: see `collectParts`. Throws CHECKPOINT_NOT_FOUND and other
 * CHECKPOINT_* too.
 *
 * @example
 * const { partCount, outputPaths } = await collectJob({ url, job: 'monthly', baseUrl: null, output: null, ...system })
 */
export async function collectJob({ url, environment, ...options }: JobToCollect): Promise<Collected> {
  // Runs do not need them.
  const { openSharedToRead } = await import('../checkpoint/open.js')
  const { collectParts } = await import('./collect.js')
  const database = await openSharedToRead(url, { environment })
  if (database === null) {
    throw new UserError('CHECKPOINT_NOT_FOUND', 'the database contains no checkpoint', {
      hint: 'a run with --partition creates it',
    })
  }
  try {
    return await collectParts({ ...options, database })
  } finally {
    await database.close()
  }
}

import type { Change } from '../../core/alarms.js'
import type { ChangesRequest, ChangesTarget } from './changes-file.js'
import { createNoCheckpointError } from '../../core/errors.js'
import { isPostgresUrl } from '../../core/server-addresses.js'
import { diagnoseDamage, openStoredHistory } from '../checkpoint/open.js'
import {
  type HistoryReader,
  runRecordVersion,
  type RunRecord,
  type OpenHistory,
  type PublishedEntry,
  type PublishedOutput,
  type RememberedRun,
  type ScopeSubmissions,
  withSubmissions,
} from './run-record.js'
import { withCleanup, type CloseLater } from '../../platform/close-stack.js'
import { systemClock, systemRandom } from '../../platform/clock.js'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { readIdentifiers } from '../../core/numbers/stated-identifiers.js'
import { isHolderAlive } from '../../platform/file-locks.js'
import type { HistoryRows } from '../checkpoint/checkpoint.js'

export { needsReview, parsePublishedState } from '../answers/published-state.js'
export { isNamedJob } from '../../core/partition.js'
export { formatFirst, formatSample } from '../answers/first-rule.js'
export type { ChangesRequest } from './changes-file.js'
export { readAnswerChanges, readChanges, toChangeRecord, type AnswerChanges } from './compare-outputs.js'
export { chooseRuns, sumRuns } from './remembered-runs.js'
export {
  findRunOfLookups,
  getBilled,
  getSubmissions,
  listRunFiles,
  type GroupFigures,
  type HistoryReader,
  type OutputFigures,
  type PublishedEntry,
  type PublishedOutput,
  type RememberedRun,
  type RunRecord,
  type ScopeSubmissions,
} from './run-record.js'

/** Reads the runs of a checkpoint from its stored history. Its methods reject with CHECKPOINT_*. */
export class RecordedRuns implements HistoryReader {
  readonly #rows: HistoryRows

  constructor(rows: HistoryRows) {
    this.#rows = rows
  }

  async runs(): Promise<readonly RememberedRun[]> {
    const rows = await this.#rows.readRuns(null)
    const runs: RememberedRun[] = []
    for (const row of rows) {
      const run = toRememberedRun(row)
      const { number, record } = run
      runs.push(
        record === null || record.summary !== null
          ? run
          : { ...run, record: withSubmissions(record, await this.#rows.countSubmissions(number)) },
      )
    }
    return runs
  }

  submissions(): Promise<readonly ScopeSubmissions[]> {
    return this.#rows.countSubmissions(null)
  }

  async published(run: number): Promise<PublishedOutput | null> {
    const row = (await this.#rows.readRuns(null)).find(({ run_id: number }) => number === run)
    if (row === undefined || row.output_id === null) return null
    const rows = await this.#rows.readOutput(row.output_id)
    if (rows === null) throw this.#rows.createDamageError(`the output of run ${run}`)
    return {
      run,
      rows,
      entries: (numbers) => this.#readEntries(numbers),
      numbersOf: (isWanted) => this.#rows.findEntries(rows, isWanted),
    }
  }

  async *#readEntries(numbers: Iterable<number>): AsyncGenerator<readonly [number, PublishedEntry]> {
    for (const page of listPages(numbers))
      for (const entry of await this.#rows.readEntries(page)) {
        const { number, address, rowKey, name, state } = entry
        // Identifiers that the lookup carried are not part of the name in the input.
        const plain = name === null ? null : (readIdentifiers(name).name ?? name)
        yield [number, { address, rowKey, name: plain, state }]
      }
  }
}

const entriesAtOnce = 1_000

function* listPages(numbers: Iterable<number>): Generator<readonly number[]> {
  let page: number[] = []
  for (const number of numbers) {
    if (page.push(number) < entriesAtOnce) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** Opens the history of a checkpoint: see `openStoredHistory`. Methods reject with CHECKPOINT_DAMAGED. */
export async function openHistory(
  ...place: Parameters<typeof openStoredHistory>
): Promise<OpenHistory | null> {
  const rows = await openStoredHistory(...place)
  return rows === null ? null : Object.assign(new RecordedRuns(rows), { close: () => rows.close() })
}

/** Returns whether a run is writing the checkpoint file, without locking it. Rejects with CHECKPOINT_*. */
export async function isRunGoingOn(checkpointPath: string): Promise<boolean> {
  if (!isHolderAlive(`${checkpointPath}.lock`)) return false
  const rows = await openStoredHistory(checkpointPath)
  try {
    // The newest run decides, because a process may outlive its run.
    const [newest] = (await rows?.readRuns(null)) ?? []
    return newest !== undefined && newest.ended_at_ms === null
  } finally {
    await rows?.close()
  }
}

export const packRecord = (record: RunRecord): Buffer => deflateRawSync(JSON.stringify(record))

const recordBytesMax = 16 * 2 ** 20

/** Returns `null` for records of an unknown version. */
function unpackRecord(packed: Buffer): RunRecord | null {
  const text = inflateRawSync(packed, { maxOutputLength: recordBytesMax }).toString()
  const record = JSON.parse(text) as RunRecord
  return (record.version as number) === runRecordVersion ? record : null
}

/** Removes the timeline, which takes most of the space and is only needed for charts. */
export function removeTimeline(packed: Buffer): Buffer {
  const record = unpackRecord(packed)
  return record === null ? packed : packRecord({ ...record, timeline: [] })
}

type StoredRun = Awaited<ReturnType<HistoryRows['readRuns']>>[number]

export function toRememberedRun({ isGoingOn = null, ...row }: StoredRun): RememberedRun {
  return {
    number: row.run_id,
    series: row.series,
    startedAtMs: row.started_at_ms,
    endedAtMs: row.ended_at_ms,
    exitCode: row.exit_code,
    isPublished: row.is_published === 1 && row.output_id !== null,
    baseline: row.baseline,
    record: unpackRecord(row.record),
    ...(isGoingOn === null ? {} : { isGoingOn }),
  }
}

/**
 * Calls `use` with the runs recorded in a checkpoint, and closes it afterwards. `environment` has the password of a
 * server. Throws CHECKPOINT_NOT_FOUND and other CHECKPOINT_*.
 *
 * @example
 * const runs = await withKnownHistory('companies.sqlite', process.env, (history) => history.runs())
 */
export function withKnownHistory<Result>(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
  use: (history: HistoryReader) => Result | Promise<Result>,
): Promise<Result> {
  const useHistory = async (closeLater: CloseLater) => {
    const history = await openHistory(path, { clock: systemClock, random: systemRandom, environment })
    closeLater(() => history?.close())
    if (history === null) throw createNoCheckpointError(path)
    return use(history)
  }
  if (isPostgresUrl(path)) return withCleanup(useHistory)
  return diagnoseDamage(path, () => withCleanup(useHistory))
}

/**
 * Writes changes to a file, a table or standard output, as a whole. Throws OUTPUT_FORMAT_UNKNOWN, MEMORY_SHORT,
 * OUTPUT_UNWRITABLE, DISK_FULL and the signal's reason.
 */
export async function writeChanges(
  { stdout, signal, ...request }: ChangesRequest & Pick<ChangesTarget, 'stdout' | 'signal'>,
  changes: AsyncIterable<readonly Change[]>,
): Promise<void> {
  // A list of runs needs no writers.
  const { createChangesTarget, publishChanges } = await import('./changes-file.js')
  await publishChanges({ ...createChangesTarget(request), stdout, signal }, changes)
}

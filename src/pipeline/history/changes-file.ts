import { UserError, type ErrorCode } from '../../core/errors.js'
import { findAppended } from '../output/output.js'
import { compareOutputs, listColumns, readChanges } from './compare-outputs.js'
import { readSettledOutput } from './remembered-runs.js'
import type { HistoryReader, PublishedOutput } from './run-record.js'
import { publishTable, resolveTable, tryTable } from '../output/plain-table.js'
import type { Change, ChangeTally } from '../../core/alarms.js'

const createTable = ({ hasSides }: ChangesTarget) => ({
  name: 'changes',
  columns: listColumns(hasSides),
})

/** The user's settings for a changes file. */
export interface ChangesRequest extends Omit<Parameters<typeof resolveTable>[0], 'mode'> {
  /** Whether the columns of the sides are written; defaults to false. */
  readonly hasSides?: boolean
}

export type ChangesTarget = ReturnType<typeof resolveTable> & { readonly hasSides: boolean }

/** Throws OUTPUT_FORMAT_UNKNOWN, MEMORY_SHORT. */
export const createChangesTarget = ({ hasSides = false, ...request }: ChangesRequest): ChangesTarget => ({
  ...resolveTable({ ...request, mode: 'append' }),
  hasSides,
})

/** Writes a file without changes and removes it. Throws the same errors as `publishChanges`. */
export function tryChanges(target: ChangesTarget): Promise<void> {
  return tryTable(createTable(target), target)
}

/** Writes changes and publishes the file as a whole. Throws OUTPUT_UNWRITABLE and DISK_FULL. */
export function publishChanges(
  target: ChangesTarget,
  changes: AsyncIterable<readonly Change[]>,
): Promise<void> {
  return publishTable({ ...createTable(target), rows: changes }, target)
}

/** Changes since an earlier output. */
export interface KnownChanges extends ChangeTally {
  /** The run that published it. */
  readonly baseline: number
  readonly rowCountBefore: number
}

interface ChangesToReport {
  readonly history: HistoryReader
  /** Null if no changes file is written. */
  readonly target: ChangesTarget | null
  /** The stored output; null if it could not be stored. */
  readonly stored: { readonly run: number; readonly baseline: number | null } | null
  readonly notify: (text: string, isWarning: boolean) => void
}

/**
 * Counts the changes since the baseline output, and writes them if requested. Returns null, with a notice, if there is
 * no baseline; the changes file is then empty. Throws OUTPUT_UNWRITABLE, DISK_FULL: the next run is then compared with
 * the same output.
 */
export async function reportChanges({
  history,
  target,
  stored,
  notify,
}: ChangesToReport): Promise<KnownChanges | null> {
  try {
    const baseline = stored?.baseline ?? null
    if (stored !== null && baseline !== null) {
      const changes = await writeChangesSince({ history, target }, baseline, stored.run)
      if (target !== null) notify(describeChanges(target, changes), false)
      return changes
    }
    if (target !== null) notify(describeFirstOutput(target, stored !== null), true)
  } catch (error) {
    if (!(error instanceof UserError) || !incomparable.has(error.code)) throw error
    notify(`This output is not compared with an earlier one: ${error.message}.`, true)
  }
  if (target !== null) await publishChanges(target, noChanges())
  return null
}

async function* noChanges(): AsyncGenerator<never> {}

/** A problem with an earlier output does not stop the run. */
const incomparable: ReadonlySet<ErrorCode> = new Set([
  'HISTORY_VERSION',
  'RUNS_NOT_COMPARABLE',
  'RUN_OUTPUT_UNKNOWN',
  'CHECKPOINT_DAMAGED',
])

async function writeChangesSince(
  { history, target }: Pick<ChangesToReport, 'history' | 'target'>,
  baseline: number,
  run: number,
): Promise<KnownChanges> {
  const appended = target === null ? null : await findAppended(target)
  const changes = await readChanges(history, baseline, run)
  const { rowCountBefore, after, batches } = changes
  // A run that was killed may have appended its changes: only those since then are missing.
  const since = await readAppended(history, appended, baseline)
  if (target !== null) await publishChanges(target, since === null ? batches : compareOutputs(since, after))
  while ((await batches.next()).done !== true);
  return { baseline, rowCountBefore, ...changes.tally }
}

/** Returns the output of the run whose changes a table has; null if it is not stored here. */
async function readAppended(
  history: HistoryReader,
  appended: Awaited<ReturnType<typeof findAppended>>,
  baseline: number,
): Promise<PublishedOutput | null> {
  const run = (await history.runs()).find(({ number }) => number === appended?.run)
  if (run === undefined || run.startedAtMs !== appended?.startedAtMs) return null
  return readSettledOutput(history, run.number, baseline)
}

function describeFirstOutput({ path }: ChangesTarget, isStored: boolean): string {
  const why = isStored
    ? 'This is the first run of this input'
    : 'The output of this run is not in the history'
  return `${why}: it cannot be compared, and ${path} has no changes.`
}

function describeChanges({ path }: ChangesTarget, { baseline, counts }: KnownChanges): string {
  const kinds = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`)
  return `Since run ${baseline}: ${kinds.length === 0 ? 'no changes' : kinds.join(' · ')}, in ${path}.`
}

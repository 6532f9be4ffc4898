import { UserError, type ErrorCode } from '../core/errors.js'
import type { OpenRun } from './deps.js'
import { ChangeCounter, changesBetween } from './history/changes-between.js'
import { publishChanges } from './history/changes-file.js'
import type { PublishedOutput } from './history/history.js'
import { openHistory } from './history/reader.js'
import type { StoredOutput } from './history/run-history.js'
import { settledOutput } from './history/settled-output.js'
import type { ChangeCounts } from './rules/change-kinds.js'

/** What changed since an output before. */
export interface KnownChanges {
  /** The run that published it. */
  readonly baseline: number
  readonly rowCountBefore: number
  readonly counts: ChangeCounts
}

/**
 * What changed since the output that a run is compared with: counted, and written where that was asked. Null where there
 * is nothing to compare with, which is said; the file then has no changes.
 * Throws OUTPUT_UNWRITABLE, DISK_FULL: the next run is then compared with the same output.
 */
export async function writeChanges(run: OpenRun, stored: StoredOutput | null): Promise<KnownChanges | null> {
  const baseline = stored?.baseline ?? null
  try {
    if (stored !== null && baseline !== null) {
      const changes = await compareWith(run, baseline, stored.run)
      tellCounts(run, changes)
      return changes
    }
    tellFirst(run, stored)
  } catch (error) {
    if (!(error instanceof UserError) || !incomparable.has(error.code)) throw error
    tell(run, `This output is compared with none: ${error.message}.`)
  }
  if (run.changes !== null) await publishChanges(run.changes, [])
  return null
}

/** What is wrong with an output that was published before stops no run. */
const incomparable: ReadonlySet<ErrorCode> = new Set([
  'HISTORY_VERSION',
  'RUNS_NOT_COMPARABLE',
  'RUN_OUTPUT_UNKNOWN',
  'CHECKPOINT_DAMAGED',
])

async function compareWith(
  { backend, changes, history: remembered }: OpenRun,
  baseline: number,
  number: number,
): Promise<KnownChanges> {
  await remembered.copyForReading({ newer: number, older: baseline })
  const history = openHistory(backend.path)
  try {
    const counter = new ChangeCounter()
    const before = known(history === null ? null : settledOutput(history, baseline), baseline)
    const after = known(history?.published(number) ?? null, number)
    const batches = counter.counting(changesBetween(before, after))
    if (changes !== null) await publishChanges(changes, batches)
    while (batches.next().done !== true);
    return { baseline, rowCountBefore: before.rows.length, counts: counter.counts }
  } finally {
    history?.close()
  }
}

function known(output: PublishedOutput | null, run: number): PublishedOutput {
  if (output !== null) return output
  throw new UserError('RUN_OUTPUT_UNKNOWN', `what run ${run} wrote is no longer remembered`)
}

function tellFirst(run: OpenRun, stored: StoredOutput | null): void {
  if (run.changes === null) return
  const why =
    stored === null ? 'What this run wrote is not remembered' : 'This is the first output of its input'
  tell(run, `${why}: there is nothing to compare it with, and ${run.changes.path} has no changes.`)
}

function tellCounts({ deps, changes }: OpenRun, { baseline, counts }: KnownChanges): void {
  if (changes === null) return
  const kinds = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`)
  const text = `Since run ${baseline}: ${kinds.length === 0 ? 'no changes' : kinds.join(' · ')}, in ${changes.path}.`
  deps.observe({ type: 'notice', text })
}

function tell({ deps }: OpenRun, text: string): void {
  deps.observe({ type: 'notice', text, isWarning: true })
}

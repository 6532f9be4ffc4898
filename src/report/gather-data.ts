import { UserError } from '../core/errors.js'
import {
  getFigures,
  reportLimits,
  type ReportAttention,
  type ReportChanges,
  type ReportData,
  type ReportChange,
  isUnanswered,
  type AttentionEntry,
} from './report-data.js'
import { rarelyHasCandidates } from '../core/lookup-state.js'
import { changeKinds, type Change, type ChangeKind } from '../core/alarms.js'
import {
  readChanges,
  type OutputFigures,
  type HistoryReader,
  type PublishedOutput,
  type RememberedRun,
  type PublishedEntry,
  needsReview,
  parsePublishedState,
} from '../pipeline/history/read-history.js'
import type { ReviewCounts } from '../core/decisions.js'

interface CountedEntry {
  readonly number: number
  readonly rowCount: number
}

/** Returns the rows of an output that need review. Throws HISTORY_VERSION. */
export async function findRowsToReview(
  output: PublishedOutput,
  { rowCount, rowsByStatus }: ReviewCounts,
  figures: OutputFigures | null,
): Promise<ReportAttention> {
  const counted = await countAmong(output, (status) => Object.hasOwn(rowsByStatus, status))
  const statuses = Object.keys(rowsByStatus)
  const allOfThem = statuses.reduce((sum, status) => sum + (figures?.rowsByStatus[status] ?? 0), 0)
  // States are unpacked only if some rows with these statuses are decided or have enough confidence.
  return findLargestEntries(output, allOfThem === rowCount ? counted : await filterReviewed(output, counted))
}

/** Returns rows that have no answer and are not waiting for one. Throws HISTORY_VERSION. */
export const findUnansweredRows = async (output: PublishedOutput): Promise<ReportAttention> =>
  findLargestEntries(output, await countAmong(output, isUnanswered))

async function filterReviewed(
  output: PublishedOutput,
  counted: readonly CountedEntry[],
): Promise<CountedEntry[]> {
  const reviewed = new Set<number>()
  for await (const [number, { state }] of output.entries(counted.map((one) => one.number)))
    if (needsReview(state)) reviewed.add(number)
  return counted.filter(({ number }) => reviewed.has(number))
}

async function findLargestEntries(
  output: PublishedOutput,
  counted: CountedEntry[],
): Promise<ReportAttention> {
  const rowCount = counted.reduce((sum, one) => sum + one.rowCount, 0)
  const last = new Set(await output.numbersOf(rarelyHasCandidates))
  const largest = counted.sort(
    (one, other) =>
      Number(last.has(one.number)) - Number(last.has(other.number)) ||
      other.rowCount - one.rowCount ||
      one.number - other.number,
  )
  return { rowCount, entries: await listEntries(output, largest.slice(0, reportLimits.attentionMax)) }
}

async function countAmong(
  output: PublishedOutput,
  isWanted: (status: string) => boolean,
): Promise<CountedEntry[]> {
  const wanted = new Set(await output.numbersOf(isWanted))
  const counts = new Map<number, number>()
  for (const number of output.rows) if (wanted.has(number)) counts.set(number, (counts.get(number) ?? 0) + 1)
  return [...counts].map(([number, rowCount]) => ({ number, rowCount }))
}

/** Sorted like the review queue: answers without candidates last, then by number of rows, then by first row. */
async function listEntries(
  output: PublishedOutput,
  largest: readonly CountedEntry[],
): Promise<AttentionEntry[]> {
  const firstRows = new Map(largest.map(({ number }) => [number, 0]))
  for (const [index, number] of output.rows.entries())
    if (firstRows.get(number) === 0) firstRows.set(number, index + 1)
  const counts = new Map(largest.map(({ number, rowCount }) => [number, rowCount]))
  const entries: AttentionEntry[] = []
  for await (const [number, entry] of output.entries(counts.keys())) {
    const place = { rowNumber: firstRows.get(number) ?? 0, rowCount: counts.get(number) ?? 0 }
    entries.push(toAttentionEntry(entry, place))
  }
  return entries.sort(
    (one, other) =>
      Number(rarelyHasCandidates(one.status)) - Number(rarelyHasCandidates(other.status)) ||
      other.rowCount - one.rowCount ||
      one.rowNumber - other.rowNumber,
  )
}

function toAttentionEntry(
  { rowKey, name, state }: PublishedEntry,
  place: Pick<AttentionEntry, 'rowNumber' | 'rowCount'>,
): AttentionEntry {
  const fields = parsePublishedState(state)
  const confidence = fields.get('confidence')
  const found = fields.get('display_name') ?? fields.get('legal_name') ?? fields.get('entity_id')
  const status = fields.get('status')
  const isReason = status?.source !== undefined && status.source !== null && !isAddress(status.source)
  return {
    ...place,
    rowKey,
    name,
    status: status?.value ?? '',
    confidence: confidence === undefined ? null : Number(confidence.value),
    found: found?.value ?? null,
    reason: isReason ? status.source : null,
    source: (isReason ? null : status?.source) ?? fields.get('entity_id')?.source ?? found?.source ?? null,
  }
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text)

export interface GatherOptions {
  readonly reader: HistoryReader
  /** `null`: the last run that published an output. */
  readonly number: number | null
  readonly nowMs: number
  /** Overrides for a run at its last step, whose end is not stored yet. */
  readonly end?: Pick<RememberedRun, 'endedAtMs' | 'exitCode' | 'record'>
}

/** Collects the data of a run's report from the history. Throws RUN_NOT_FOUND. */
export async function gatherReport({ reader, number, nowMs, end }: GatherOptions): Promise<ReportData> {
  const runs = await reader.runs()
  const run = { ...findChosenRun(runs, number), ...end }
  const output = await reader.published(run.number)
  return {
    run,
    earlier: listEarlierRuns(runs, run),
    paid: [run, ...listPaidRuns(runs, run)],
    changes: await findChanges(reader, run),
    review: output === null ? null : await reviewOfRun(run, output),
    unanswered: output === null ? null : await readOrNull(() => findUnansweredRows(output)),
    madeAtMs: nowMs,
  }
}

async function reviewOfRun(run: RememberedRun, output: PublishedOutput): Promise<ReportAttention | null> {
  const counts = run.record?.summary?.review ?? null
  if (counts === null) return null
  return readOrNull(() => findRowsToReview(output, counts, getFigures(run)))
}

function findChosenRun(runs: readonly RememberedRun[], number: number | null): RememberedRun {
  const chosen =
    number === null
      ? (runs.find(({ isPublished }) => isPublished) ?? runs[0])
      : runs.find((run) => run.number === number)
  if (chosen !== undefined) return chosen
  const what = number === null ? 'no run is stored' : `run ${number} is not stored`
  throw new UserError('RUN_NOT_FOUND', what, {
    hint: number === null ? 'start a run first' : 'list the stored runs with enrich runs',
  })
}

/** Returns earlier runs of the same series that published an output, newest first. */
export function listEarlierRuns(
  runs: readonly RememberedRun[],
  { number, series }: Pick<RememberedRun, 'number' | 'series'>,
): RememberedRun[] {
  return runs
    .filter((run) => run.series === series && run.number < number && (run.record?.figures ?? null) !== null)
    .slice(0, reportLimits.earlierRunsMax)
}

/** Returns earlier runs of the same series that cost anything or published an output, newest first. */
export function listPaidRuns(
  runs: readonly RememberedRun[],
  { number, series }: Pick<RememberedRun, 'number' | 'series'>,
): RememberedRun[] {
  return runs.filter((run) => {
    const { money = null, figures = null } = run.record ?? {}
    if (run.series !== series || run.number >= number || money === null) return false
    return figures !== null || money.cost + money.uncertainCost > 0
  })
}

async function findChanges(
  reader: HistoryReader,
  { number, record }: RememberedRun,
): Promise<ReportChanges | null> {
  const changes = record?.changes ?? null
  if (changes === null) return null
  const largest = await readOrNull(async () => {
    const found = new LargestChanges()
    const { batches } = await readChanges(reader, changes.baseline, number)
    for await (const some of batches) found.add(some)
    return found.list()
  })
  return { ...changes, largest }
}

/** Data that another version or another format stored, or that is no longer stored. The record still has its counts. */
const unreadable: readonly string[] = ['HISTORY_VERSION', 'RUNS_NOT_COMPARABLE', 'RUN_OUTPUT_UNKNOWN']

/** Returns `null` for unreadable data. */
async function readOrNull<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof UserError && unreadable.includes(error.code)) return null
    throw error
  }
}

/** Maximum number of distinct changes of one kind in memory. Beyond it, those with the fewest rows are dropped. */
const countedMax = 20_000

interface CountedChange {
  readonly change: Change
  rowCount: number
}

/** Collects the changes that affect the most rows, per kind. Equal changes of several rows are counted as one. */
export class LargestChanges {
  readonly #byKind = new Map<ChangeKind, Map<string, CountedChange>>()

  add(changes: readonly Change[]): void {
    for (const change of changes) {
      const kept = this.#byKind.get(change.kind) ?? new Map<string, CountedChange>()
      this.#byKind.set(change.kind, kept)
      const key = toChangeKey(change)
      const known = kept.get(key)
      if (known !== undefined) known.rowCount++
      else kept.set(key, { change, rowCount: 1 })
      if (kept.size > countedMax) this.#byKind.set(change.kind, new Map(takeLargest(kept, countedMax / 2)))
    }
  }

  /** Returns changes in the order of `changeKinds`, within a kind those with the most rows first. */
  list(): readonly ReportChange[] {
    return changeKinds.flatMap((kind) =>
      takeLargest(
        this.#byKind.get(kind) ?? new Map<string, CountedChange>(),
        reportLimits.changesPerKindMax,
      ).map(([, { change, rowCount }]) => ({ ...change, rowCount })),
    )
  }
}

/** Changes of different rows with the same key are equal. */
const toChangeKey = ({ name, field, old, new: now, oldEntityId, newEntityId }: Change): string =>
  JSON.stringify([name, field, old, now, oldEntityId, newEntityId])

const takeLargest = (kept: ReadonlyMap<string, CountedChange>, countMax: number): [string, CountedChange][] =>
  [...kept].sort(([, one], [, other]) => other.rowCount - one.rowCount).slice(0, countMax)

import type {
  HistoryStore,
  KeyedEntry,
  Marks,
  NewEntry,
  RemovedRows,
  RunChange,
} from '../checkpoint/history-store.js'
import type { RowGroups } from '../input/row-index.js'
import { packRecord, removeTimeline, RecordedRuns, toRememberedRun } from './history-reader.js'
import { chooseBaseline, selectRunsToPrune } from './remembered-runs.js'
import { calculateFigures, type GroupFigures, type OutputFigures, type RunRecord } from './run-record.js'

/** Facts known at the start of a run. */
export interface RunStart {
  readonly series: string
  readonly startedAtMs: number
  readonly record: RunRecord
}

/** The last stored output of a series. */
export interface LastOutput {
  readonly rows: Uint32Array
  /** `null` if they have another form. */
  readonly marks: Marks | null
}

/** Deleted items; `outputCount`: runs whose outputs were deleted. */
export interface PruneResult extends RemovedRows {
  readonly outputCount: number
}

/** Writes a run's history. A resolved step is durable. Rejects with CHECKPOINT_* and DISK_FULL. */
export class HistoryWriter {
  readonly #store: HistoryStore
  /** Reads the same history. */
  readonly reader: RecordedRuns

  constructor(store: HistoryStore) {
    this.#store = store
    this.reader = new RecordedRuns(store.rows)
  }

  /** Returns the number of the run. */
  begin({ series, startedAtMs, record }: RunStart): Promise<number> {
    return this.#store.beginRun({ series, started_at_ms: startedAtMs, record: packRecord(record) })
  }

  /** Resolves to `null` if the series has no output, or its last one is damaged. */
  async readLast(series: string, form: string): Promise<LastOutput | null> {
    const last = await this.#store.rows.readMarks(series)
    const rows = last === null ? null : await this.#store.rows.readOutput(last.outputId)
    return rows === null ? null : { rows, marks: last?.form === form ? last.marks : null }
  }

  /** See `HistoryStore.addEntries`. */
  addEntries(entries: readonly (NewEntry | KeyedEntry)[]): Promise<number[]> {
    return this.#store.addEntries(entries)
  }

  /** Stores the entry of each row and the marks for the next run. Returns the figures of the output. */
  async storeOutput(
    run: { readonly number: number; readonly series: string },
    rows: Uint32Array,
    form: string,
    marks: Marks,
    groups: RowGroups | null = null,
  ): Promise<OutputFigures> {
    const outputId = await this.#store.storeOutput({ run: run.number, rows, form, marks })
    const figures = await this.#readFigures(run.series, outputId, rows)
    if (groups === null) return figures
    const matched = await this.#store.rows.findEntries(rows, (status) => status === 'matched')
    return { ...figures, byColumn: groupFigures(rows, groups, matched) }
  }

  /** Returns the run to compare with, or `null`. Among concurrent runs, it is one that began earlier and has ended. */
  async baseline(run: number, series: string): Promise<number | null> {
    const runs = await this.#store.rows.readRuns(series)
    return chooseBaseline(runs.map(toRememberedRun), { number: run, series })
  }

  /** Records that the output is in place and its changes are reported. */
  publish(run: number, baseline: number | null, record: RunRecord): Promise<void> {
    const change = { is_published: 1, baseline, record: packRecord(record) }
    return this.#store.changeRuns([{ run, change }])
  }

  end(run: number, endedAtMs: number, exitCode: number, record: RunRecord): Promise<void> {
    const change = { ended_at_ms: endedAtMs, exit_code: exitCode, record: packRecord(record) }
    return this.#store.changeRuns([{ run, change }])
  }

  /**
   * Deletes all outputs of a series except the newest `runsMax`, its oldest runs, and everything no longer referenced.
   */
  async prune(series: string, runsMax: number): Promise<PruneResult> {
    const all = await this.#store.rows.readRuns(series)
    const runs = all.filter(
      ({ ended_at_ms: endedAtMs, isGoingOn }) => endedAtMs !== null || isGoingOn !== true,
    )
    const { withoutOutput, gone } = selectRunsToPrune(
      runs.map((run) => ({
        number: run.run_id,
        hasOutput: run.output_id !== null,
        isPublished: run.is_published === 1,
      })),
      runsMax,
    )
    if (withoutOutput.size + gone.size === 0) return { outputCount: 0, entryCount: 0, stateCount: 0 }
    await this.#store.changeRuns(
      runs.flatMap(({ run_id: run, record }): RunChange[] => {
        if (gone.has(run)) return [{ run, change: null }]
        return withoutOutput.has(run)
          ? [{ run, change: { output_id: null, record: removeTimeline(record) } }]
          : []
      }),
    )
    return { outputCount: withoutOutput.size, ...(await this.#store.removeUnused()) }
  }

  /** Returns an output's figures: those of an earlier equal output of the series, else new counts. */
  async #readFigures(series: string, outputId: number, rows: Uint32Array): Promise<OutputFigures> {
    for (const run of await this.#store.rows.readRuns(series)) {
      const figures = run.output_id === outputId ? toRememberedRun(run).record?.figures : null
      if (figures) return { ...figures, byColumn: null }
    }
    return calculateFigures(await this.#store.rows.countRows(rows))
  }
}

/** Number of groups stored for a column, largest first. */
const keptMax = 200

/** Counts rows and matched rows by their value in a column. `rows` and `matched` are entries. */
function groupFigures(
  rows: Uint32Array,
  groups: RowGroups,
  matched: Iterable<number>,
): NonNullable<OutputFigures['byColumn']> {
  const isMatched = new Uint8Array(rows.reduce((highest, entry) => Math.max(highest, entry), 0) + 1)
  for (const entry of matched) if (entry < isMatched.length) isMatched[entry] = 1
  const rowCounts = new Uint32Array(groups.values.length)
  const matchedCounts = new Uint32Array(groups.values.length)
  for (const [row, entry] of rows.entries()) {
    const group = groups.getGroup(row)
    rowCounts[group] = (rowCounts[group] ?? 0) + 1
    matchedCounts[group] = (matchedCounts[group] ?? 0) + (isMatched[entry] ?? 0)
  }
  const figures = groups.values.map((value, group): GroupFigures => ({
    value: value === '' ? null : value,
    rowCount: rowCounts[group] ?? 0,
    matchedCount: matchedCounts[group] ?? 0,
  }))
  figures.sort((one, other) => other.rowCount - one.rowCount)
  return { column: groups.column, groups: figures.slice(0, keptMax) }
}

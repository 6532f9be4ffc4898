import { UserError, getErrorText } from '../../core/errors.js'
import { getSqliteCode } from '../../platform/sqlite.js'
import type { RowGroups, RowIndex } from '../input/ingest.js'
import {
  type OutputFigures,
  type RunRecord,
  calculateFigures,
  runRecordVersion,
  type GroupFigures,
  type HistoryReader,
} from './run-record.js'
import {
  OutputRecorder,
  getRecordedForm,
  type RecordedOutput,
  type RecorderDeps,
  type LastOutput,
} from './output-recorder.js'
import { chooseBaseline, selectRunsToPrune } from './remembered-runs.js'
import type { HistoryStore, Marks } from '../checkpoint/checkpoint.js'
import { reportChanges, type ChangesTarget, type KnownChanges } from './changes-file.js'
import { packRecord, removeTimeline, RecordedRuns, toRememberedRun } from './read-history.js'

export { createChangesTarget, tryChanges, type ChangesTarget } from './changes-file.js'
export { getErrorEnd, openEnding, type Ending, type EndingOptions } from './ending.js'
export { assertMetricsReplaceable } from './metrics-file.js'
export type { RecordedOutput } from './output-recorder.js'

/** Facts known at the start of a run. */
export interface RunStart {
  readonly series: string
  readonly startedAtMs: number
  readonly record: RunRecord
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

  begin({ series, startedAtMs, record }: RunStart): Promise<number> {
    return this.#store.beginRun({ series, started_at_ms: startedAtMs, record: packRecord(record) })
  }

  /** Resolves to `null` if the series has no output, or its last one is damaged. */
  async readLast(series: string, form: string): Promise<LastOutput | null> {
    const last = await this.#store.rows.readMarks(series)
    const rows = last === null ? null : await this.#store.rows.readOutput(last.outputId)
    return rows === null ? null : { rows, marks: last?.form === form ? last.marks : null }
  }

  readonly addEntries: HistoryStore['addEntries'] = (entries) => this.#store.addEntries(entries)

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
   * Returns the numbers of deleted items; `outputCount`: runs whose outputs were deleted.
   */
  async prune(series: string, runsMax: number) {
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
      runs
        .filter(({ run_id: run }) => gone.has(run) || withoutOutput.has(run))
        .map(({ run_id: run, record }) => ({
          run,
          change: gone.has(run) ? null : { output_id: null, record: removeTimeline(record) },
        })),
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

/** The facts of a run that are known at its start. */
type RunFacts = Pick<RunRecord, 'program' | 'command' | 'service' | 'scope' | 'input' | 'settings' | 'money'>

export interface RunHistoryDeps {
  readonly store: HistoryStore
  /** Only outputs of one series are compared. */
  readonly series: string
  /** Number of runs whose outputs are kept. */
  readonly runsMax: number
  readonly nowMs: () => number
  /** Answers with a lower confidence are doubtful. */
  readonly doubtThreshold: number
  /** Facts known at the start of the run. */
  readonly record: RunFacts
  readonly notify: (text: string, isWarning: boolean) => void
}

/** An output that is stored and not yet published. */
interface StoredOutput {
  readonly run: number
  /** The run to compare it with, or `null`. */
  readonly baseline: number | null
  readonly figures: OutputFigures
}

/**
 * Records a run in the history. A failure does not stop the run, but ends the recording with one warning.
 *
 * @example
 * const history = await RunHistory.begin(deps)
 * const recorder = await history.recorder(index, { identitiesOf, rowKeys }) // observes the lines of the output
 * await history.publishOutput(await history.finish(recorder), null, null)
 * await history.end(0)
 */
export class RunHistory {
  readonly #deps: RunHistoryDeps
  readonly #store: HistoryWriter
  #record: RunRecord
  /** `null` if the run is not recorded. */
  #run: number | null = null
  #startedAtMs = 0
  #isGivenUp = false

  private constructor(deps: RunHistoryDeps) {
    this.#deps = deps
    this.#store = new HistoryWriter(deps.store)
    const { money, ...facts } = deps.record
    this.#record = {
      version: runRecordVersion,
      ...facts,
      summary: null,
      error: null,
      money,
      figures: null,
      timeline: [],
      changes: null,
      alarms: [],
    }
  }

  /** Starts recording. The run is listed from then on. */
  static async begin(deps: RunHistoryDeps): Promise<RunHistory> {
    const history = new RunHistory(deps)
    const { series, nowMs } = deps
    const store = history.#store
    const record = history.#record
    const startedAtMs = nowMs()
    history.#startedAtMs = startedAtMs
    history.#run = await history.#runUnlessDamaged(() => store.begin({ series, startedAtMs, record }))
    return history
  }

  get #form(): string {
    return getRecordedForm(this.#deps.doubtThreshold)
  }

  /** Identifies the run across checkpoints; `null` if it is not recorded. */
  get identity(): { readonly run: number; readonly startedAtMs: number } | null {
    return this.#run === null ? null : { run: this.#run, startedAtMs: this.#startedAtMs }
  }

  get record(): RunRecord {
    return this.#record
  }

  /** Updates the record, which is written with the next step. */
  note(change: Partial<RunRecord>): void {
    this.#record = { ...this.#record, ...change }
  }

  /** Creates the recorder of the output's lines; `null` if the run is not recorded. */
  async recorder(
    index: RowIndex,
    deps: Pick<RecorderDeps, 'identitiesOf' | 'rowKeys'>,
  ): Promise<OutputRecorder | null> {
    if (this.#run === null) return null
    const last = await this.#runUnlessDamaged(() => this.#store.readLast(this.#deps.series, this.#form))
    return this.#isGivenUp ? null : new OutputRecorder({ ...deps, index, store: this.#store, last })
  }

  /** Call after the last line, while the lookups' identities can be read. */
  finish(recorder: OutputRecorder | null): Promise<RecordedOutput | null> {
    return recorder === null ? Promise.resolve(null) : this.#runUnlessDamaged(() => recorder.finish())
  }

  /**
   * Call after the output is in place: stores its rows, then reports their changes, then marks them as published. Returns
   * the changes; `null` if there was no baseline. Throws OUTPUT_UNWRITABLE and DISK_FULL.
   */
  async publishOutput(
    recorded: RecordedOutput | null,
    groups: RowGroups | null,
    target: ChangesTarget | null,
  ): Promise<KnownChanges | null> {
    const stored = await this.#storeOutput(recorded, groups)
    const { notify } = this.#deps
    const known = await reportChanges({ history: this.reader, target, stored, notify })
    if (stored === null) return known
    const { baseline = null, counts = {} } = known ?? {}
    this.note({ figures: stored.figures, changes: baseline === null ? null : { baseline, counts } })
    await this.#runUnlessDamaged(() => this.#store.publish(stored.run, baseline, this.#record))
    return known
  }

  /** Stores the rows of a run without an output for its report; no run is compared with them. */
  async noteKnownRows(recorded: RecordedOutput | null, groups: RowGroups | null): Promise<void> {
    const stored = await this.#storeOutput(recorded, groups)
    if (stored !== null) this.note({ knownFigures: stored.figures })
  }

  #storeOutput(recorded: RecordedOutput | null, groups: RowGroups | null): Promise<StoredOutput | null> {
    const run = this.#run
    if (run === null || recorded === null) return Promise.resolve(null)
    return this.#runUnlessDamaged(async () => {
      const { rows, marks } = recorded
      const { series } = this.#deps
      const figures = await this.#store.storeOutput({ number: run, series }, rows, this.#form, marks, groups)
      return { run, baseline: await this.#store.baseline(run, series), figures }
    })
  }

  /** Reads the stored runs, while the checkpoint is open. */
  get reader(): HistoryReader {
    return this.#store.reader
  }

  /** The last step of a run, also if it failed. Deletes older outputs of the series. */
  async end(exitCode: number): Promise<void> {
    const run = this.#run
    if (run === null) return
    const { series, runsMax, nowMs } = this.#deps
    await this.#runUnlessDamaged(() => this.#store.end(run, nowMs(), exitCode, this.#record))
    if (!this.#isGivenUp) await this.#runUnlessDamaged(() => this.#store.prune(series, runsMax))
  }

  /** Runs an action on the history. Returns `null` and stops recording if the history is damaged. */
  async #runUnlessDamaged<Result>(action: () => Promise<Result>): Promise<Result | null> {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof UserError) && getSqliteCode(error) === null) throw error
      this.#giveUp(getErrorText(error))
      return null
    }
  }

  #giveUp(why: string): void {
    this.#run = null
    this.#isGivenUp = true
    this.#deps.notify(`This run is not recorded in the history: ${why}.`, true)
  }
}

import { UserError, getErrorText } from '../../core/errors.js'
import { getSqliteCode } from '../../platform/sqlite.js'
import type { RowGroups, RowIndex } from '../input/row-index.js'
import type { OutputFigures, RunRecord } from './run-record.js'
import { OutputRecorder, getRecordedForm, type RecordedOutput, type RecorderDeps } from './output-recorder.js'
import type { HistoryReader } from './remembered-runs.js'
import type { HistoryStore } from '../checkpoint/history-store.js'
import { HistoryWriter } from './history-writer.js'

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
  readonly record: RunRecord
  readonly warn: (text: string) => void
}

/** An output that is stored and not yet published. */
export interface StoredOutput {
  readonly run: number
  /** The run to compare it with, or `null`. */
  readonly baseline: number | null
  readonly figures: OutputFigures
}

/** Records a run in the history. A failure does not stop the run, but ends the recording with one warning. */
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
    this.#record = deps.record
  }

  /** Starts recording. The run is listed from then on. */
  static async begin(deps: RunHistoryDeps): Promise<RunHistory> {
    const history = new RunHistory(deps)
    const { series, nowMs, record } = deps
    const store = history.#store
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

  /** Call after the output is published. */
  storeOutput(recorded: RecordedOutput | null, groups: RowGroups | null): Promise<StoredOutput | null> {
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

  /** Call after the changes since the baseline are written. */
  async publish({ baseline }: StoredOutput): Promise<void> {
    const run = this.#run
    if (run !== null) await this.#runUnlessDamaged(() => this.#store.publish(run, baseline, this.#record))
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
    this.#deps.warn(`This run is not recorded in the history: ${why}.`)
  }
}

import { UserError, errorText } from '../../core/errors.js'
import { sqliteCode } from '../../platform/sqlite.js'
import type { RowGroups } from '../input/row-groups.js'
import type { RowIndex } from '../input/row-index.js'
import type { OutputFigures, RunRecord } from '../figures/run-record.js'
import { OutputRecorder, recordedForm, type RecordedOutput, type RecorderDeps } from './output-recorder.js'
import type { WantedOutputs } from './remembered-runs.js'
import type { HistoryWriter } from './history-writer.js'
import { canWriteHistory } from './reader.js'

export interface RunHistoryDeps {
  readonly store: HistoryWriter
  /** Of the checkpoint that readers read. */
  readonly path: string
  /** Outputs of one series are compared. */
  readonly series: string
  /** Whose outputs are kept. */
  readonly runsMax: number
  readonly nowMs: () => number
  /** An answer that is less sure is doubtful. */
  readonly doubtThreshold: number
  /** What is known of the run at its beginning. */
  readonly record: RunRecord
  readonly warn: (text: string) => void
}

/** An output that is stored, and not said to be published yet. */
export interface StoredOutput {
  readonly run: number
  /** The run to compare it with; null where there is none. */
  readonly baseline: number | null
  readonly figures: OutputFigures
}

/**
 * What a run writes down of itself while it goes on. Nothing of it stops a run: where it cannot be written, or is
 * damaged, that is said once, and from there on nothing is remembered of the run.
 */
export class RunHistory {
  readonly #deps: RunHistoryDeps
  readonly #store: HistoryWriter
  #record: RunRecord
  /** Null: nothing is remembered of this run. */
  #run: number | null = null
  #isGivenUp = false

  private constructor(deps: RunHistoryDeps) {
    this.#deps = deps
    this.#store = deps.store
    this.#record = deps.record
  }

  /** The run is listed from here on, whatever becomes of it. */
  static async begin(deps: RunHistoryDeps): Promise<RunHistory> {
    const history = new RunHistory(deps)
    const { path, series, nowMs, record } = deps
    const store = history.#store
    history.#run = await history.unlessDamaged(async () => {
      if (canWriteHistory(path)) return store.begin({ series, startedAtMs: nowMs(), record })
      history.#giveUp('the history is damaged; enrich checkpoint repair keeps what is sound')
      return null
    })
    return history
  }

  get #form(): string {
    return recordedForm(this.#deps.doubtThreshold)
  }

  /** The number of the run; null where nothing is remembered of it. */
  get run(): number | null {
    return this.#run
  }

  get record(): RunRecord {
    return this.#record
  }

  /** What is known by now; written with the next step. */
  note(change: Partial<RunRecord>): void {
    this.#record = { ...this.#record, ...change }
  }

  /** What sees the lines of the output; null where nothing is remembered. */
  async recorder(
    index: RowIndex,
    deps: Pick<RecorderDeps, 'identitiesOf' | 'rowKeys'>,
  ): Promise<OutputRecorder | null> {
    if (this.#run === null) return null
    const last = await this.unlessDamaged(() => this.#store.last(this.#deps.series, this.#form))
    return this.#isGivenUp ? null : new OutputRecorder({ ...deps, index, store: this.#store, last })
  }

  /** Once every line was seen, and while what lookups are known by can still be asked. */
  finish(recorder: OutputRecorder | null): Promise<RecordedOutput | null> {
    return recorder === null ? Promise.resolve(null) : this.unlessDamaged(() => recorder.finish())
  }

  /** Once the output is in place. */
  storeOutput(recorded: RecordedOutput | null, groups: RowGroups | null): Promise<StoredOutput | null> {
    const run = this.#run
    if (run === null || recorded === null) return Promise.resolve(null)
    return this.unlessDamaged(async () => {
      const { rows, marks } = recorded
      const figures = await this.#store.storeOutput(run, rows, this.#form, marks, groups)
      return { run, baseline: await this.#store.baseline(run, this.#deps.series), figures }
    })
  }

  /** What runs published can be read from the path of the checkpoint once it resolves. Rejects with CHECKPOINT_*. */
  copyForReading(wanted: WantedOutputs): Promise<void> {
    return this.#store.copyForReading(wanted)
  }

  /** Once what changed since the baseline is written, too. */
  async publish({ baseline }: StoredOutput): Promise<void> {
    const run = this.#run
    if (run !== null) await this.unlessDamaged(() => this.#store.publish(run, baseline, this.#record))
  }

  /** The last step of a run, which may have failed; older runs of the series thin out. */
  async end(exitCode: number): Promise<void> {
    const run = this.#run
    if (run === null) return
    const { series, runsMax, nowMs } = this.#deps
    await this.unlessDamaged(() => this.#store.end(run, nowMs(), exitCode, this.#record))
    if (!this.#isGivenUp) await this.unlessDamaged(() => this.#store.thin(series, runsMax))
  }

  /** What depends on history, which may be damaged: null where nothing is remembered of the run from here on. */
  async unlessDamaged<Result>(action: () => Promise<Result>): Promise<Result | null> {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof UserError) && sqliteCode(error) === null) throw error
      this.#giveUp(errorText(error))
      return null
    }
  }

  #giveUp(why: string): void {
    this.#run = null
    this.#isGivenUp = true
    this.#deps.warn(`What this run does is not remembered for later runs: ${why}.`)
  }
}

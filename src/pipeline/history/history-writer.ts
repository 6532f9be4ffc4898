import type { EntryFacts, StateFacts } from '../checkpoint/history-tables.js'
import type { RowGroups } from '../input/row-groups.js'
import type { OutputFigures, RunRecord } from '../rules/run-record.js'
import type { WantedOutputs } from './history.js'
import type { Marks } from './marks.js'

/** An entry as it is to be kept: what was asked, what became of it, and what is counted of it. */
export interface NewEntry extends EntryFacts, StateFacts {
  /** As `publishedStateOf` gives it. */
  readonly state: string
}

/** What an entry is like, but for the key of its row. */
export interface KeyedEntry {
  readonly address: Uint8Array
  readonly rowKey: string
  /** The number of an entry. */
  readonly like: number
}

/** What is known of a run from its beginning. */
export interface BegunRun {
  readonly series: string
  readonly startedAtMs: number
  readonly record: RunRecord
}

/** The last output of a series that is remembered. */
export interface LastOutput {
  readonly rows: Uint32Array
  readonly marks: Marks | null
}

/** What was forgotten. */
export interface Thinned {
  /** Runs whose outputs are not remembered any more. */
  readonly outputCount: number
  readonly entryCount: number
  readonly stateCount: number
}

/**
 * What a run writes down of itself, each durable when it resolves. Rejects with CHECKPOINT_* and DISK_FULL: what was
 * written before stands.
 */
export interface HistoryWriter {
  /** The number of the run. */
  begin(run: BegunRun): Promise<number>
  /** Null where the series has none, or the last one is not as it was written. */
  last(series: string, form: string): Promise<LastOutput | null>
  /** Their numbers, aligned: equal ones have one number, also over runs. Until an output has them, they are of none. */
  addEntries(entries: readonly NewEntry[]): Promise<number[]>
  /** Entries like others, of rows with keys of their own; as `addEntries`. */
  addKeyedEntries(entries: readonly KeyedEntry[]): Promise<number[]>
  /**
   * The entry of each row, and by which marks the next run of the series sees what is as it was. Returns what is
   * counted of the rows.
   */
  storeOutput(
    run: number,
    rows: Uint32Array,
    form: string,
    marks: Marks,
    groups?: RowGroups | null,
  ): Promise<OutputFigures>
  /** The run whose output this one is compared with; null where there is none. */
  baseline(run: number, series: string): Promise<number | null>
  /** `openHistory` of the checkpoint that readers read finds what these published, as far as they differ. */
  copyForReading(wanted: WantedOutputs): Promise<void>
  /** The output stands where users see it, and what changed is said. */
  publish(run: number, baseline: number | null, record: RunRecord): Promise<void>
  end(run: number, endedAtMs: number, exitCode: number, record: RunRecord): Promise<void>
  /** Forgets what runs of a series published, all but the newest `runsMax`. */
  thin(series: string, runsMax: number): Promise<Thinned>
}

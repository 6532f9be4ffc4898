import type { KindSubmissions } from '../../core/money.js'

/** A run, by column name. */
export interface RunRow {
  /** From 1, across all runs of the checkpoint. */
  run_id: number
  series: string
  started_at_ms: number
  /** `null` if the run is active or was killed. */
  ended_at_ms: number | null
  exit_code: number | null
  is_published: number
  /** Number of the run it was compared with. */
  baseline: number | null
  /** `null` if no output was written, or it was pruned. */
  output_id: number | null
  /** The packed record of the run, which a store does not read. */
  record: Buffer
}

/** A run, and whether its process is alive; `null` or absent if unknown. */
export interface KnownRun extends RunRow {
  readonly isGoingOn?: boolean | null
}

/** New values of a run; `null` deletes it. */
export interface RunChange {
  readonly run: number
  readonly change: Partial<Omit<RunRow, 'run_id' | 'series' | 'started_at_ms'>> | null
}

/** The values of a row's result that are counted. */
export interface StateFacts {
  readonly status: string
  readonly confidence: number | null
  /** Country code in upper case. */
  readonly country: string | null
}

/** The input of a row. */
export interface EntryFacts {
  /** Identifies the row across runs, in 16 bytes. */
  readonly address: Uint8Array
  readonly rowKey: string | null
  readonly name: string | null
}

/** An entry to store: the lookup's input, its result, and the values that are counted. */
export interface NewEntry extends EntryFacts, StateFacts {
  /** The result as text. */
  readonly state: string
}

/** An entry that differs from another one only in its row key. */
export interface KeyedEntry {
  readonly address: Uint8Array
  readonly rowKey: string
  /** Number of the other entry. */
  readonly like: number
}

export interface StoredEntry extends EntryFacts {
  readonly number: number
  readonly state: string
}

/** Results of the lookups of an output; the arrays are aligned. */
export interface Marks {
  /** Ascending, without duplicates. */
  readonly lookups: Uint32Array
  /** Entry of each lookup's rows; for rows with keys, the entry that theirs are derived from. */
  readonly values: Uint32Array
  /** Eight bytes for each lookup, which change with its answer. */
  readonly marks: Buffer
  /** Digest of row keys and row entries, in 16 bytes. */
  readonly rowsDigest: Buffer
}

export interface LastMarks {
  readonly outputId: number
  /** Version of the marks. */
  readonly form: string
  readonly marks: Marks
}

/** Submissions of one kind at one service: accepted, or lost and possibly billed. */
export interface StoredSubmissions extends KindSubmissions {
  /** The base URL of the service, or the edition of the registry. */
  readonly scope: string
}

/** The stored history, read without a lock. Rejects with CHECKPOINT_*. */
export interface HistoryRows {
  /** The runs of a series, or of all series, newest first. A file omits damaged ones. */
  readRuns(series: string | null): Promise<KnownRun[]>
  /** Submissions of a run that were, or may have been, billed; `null`: of all runs. */
  countSubmissions(run: number | null): Promise<StoredSubmissions[]>
  /** The entry of each row of an output; `null` if it is missing or damaged. */
  readOutput(outputId: number): Promise<Uint32Array | null>
  /** `null` if the series has no marks, or they are damaged. */
  readMarks(series: string): Promise<LastMarks | null>
  /** Entries in the given order. Rejects with RUN_OUTPUT_UNKNOWN if one was deleted meanwhile. */
  readEntries(numbers: readonly number[]): Promise<StoredEntry[]>
  /** The entries of these rows whose status is wanted; may have others of the checkpoint in addition. */
  findEntries(rows: Uint32Array, isWanted: (status: string) => boolean): Promise<Iterable<number>>
  /** Counts rows by the facts of their entries. */
  countRows(rows: Uint32Array): Promise<(StateFacts & { readonly rowCount: number })[]>
  /** An error for damage in the history; `what` names the place. */
  createDamageError(what: string): Error
}

/** The stored history of a checkpoint that was opened to read it. */
export interface OpenHistoryRows extends HistoryRows {
  close(): void | Promise<void>
}

/** An output to store, with the marks for the next run of its series. */
export interface NewOutput {
  readonly run: number
  readonly rows: Uint32Array
  readonly form: string
  readonly marks: Marks
}

/** Numbers of deleted items. */
export interface RemovedRows {
  readonly entryCount: number
  readonly stateCount: number
}

/**
 * Rows of the run history, in a file or on a server. A store knows no rule: it writes what it is given. Each change is
 * durable when it resolves. Rejects with CHECKPOINT_* and DISK_FULL.
 *
 *     const [number = 0] = await history.addEntries([{ address, rowKey: null, name, state, status, confidence, country }])
 *     const outputId = await history.storeOutput({ run, rows: Uint32Array.of(number), form, marks })
 *     await history.changeRuns([{ run, change: { is_published: 1 } }])
 */
export interface HistoryStore {
  readonly rows: HistoryRows
  /** Returns the number of the new run. On a server a process has one run: a repeated call returns the same one. */
  beginRun(run: Pick<RunRow, 'series' | 'started_at_ms' | 'record'>): Promise<number>
  /** Changes or deletes runs, in one transaction. */
  changeRuns(changes: readonly RunChange[]): Promise<void>
  /**
   * Returns the entries' numbers, aligned. Equal entries share a number, also across runs. They may be deleted until an
   * output has them.
   */
  addEntries(entries: readonly (NewEntry | KeyedEntry)[]): Promise<number[]>
  /**
   * Stores the output of a run: shares an equal output of the series, else stores the difference to its last full
   * output, or all rows. Replaces the marks of the series. Returns the output's number.
   */
  storeOutput(output: NewOutput): Promise<number>
  /**
   * Deletes the outputs that no run has, and all entries and states that no output and no marks have. On a server,
   * entries are only deleted while no other run is active, because it may be about to use them; a later run deletes them.
   */
  removeUnused(): Promise<RemovedRows>
}

import {
  type EntryFacts,
  type StateFacts,
  calculateMarksChecksum,
  packNumbers,
  unpackNumbers,
} from '../checkpoint/history-tables.js'
import type { RowGroups } from '../input/row-index.js'
import type { OutputFigures, RunRecord } from './run-record.js'
import type { WantedOutputs } from './remembered-runs.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { isSoundMarks, type StoredMarks } from '../checkpoint/sqlite/history-proof.js'

/** Bytes stored for each answer to detect changes. */
export const markBytes = 8

export const noDigest: Buffer = Buffer.alloc(16)

/** Results of the lookups of an output; the arrays are aligned. */
export interface Marks {
  /** Ascending, without duplicates. */
  readonly lookups: Uint32Array
  /** Entry of each lookup's rows; for rows with keys, the entry that theirs are derived from. */
  readonly values: Uint32Array
  /** `markBytes` for each lookup. */
  readonly marks: Buffer
  /** Digest of row keys and row entries; `noDigest` without row keys. */
  readonly rowsDigest: Buffer
}

export interface MarksKey {
  readonly series: string
  readonly outputId: number
  /** Version of the marks; see `MarksRow`. */
  readonly form: string
}

/** Returns the marks of a series' last output; `marks` is `null` if they have another form or are damaged. */
export function readLastMarks(
  database: Sqlite,
  series: string,
  form: string,
): { outputId: number; marks: Marks | null } | null {
  const row = database
    .prepare<[string], StoredMarks>('SELECT * FROM history_marks WHERE series = ?')
    .get(series)
  if (row === undefined || !isSoundMarks(row)) return null
  return { outputId: row.output_id, marks: row.form === form ? unpackMarks(row.packed) : null }
}

/** Replaces the marks of the previous output. Does not write if they are equal. */
export function writeMarks(database: Sqlite, { series, outputId, form }: MarksKey, marks: Marks): void {
  const row = { series, output_id: outputId, form, packed: packMarks(marks) }
  const checksum = calculateMarksChecksum(row)
  const known = database
    .prepare<[string], Buffer>('SELECT checksum FROM history_marks WHERE series = ?')
    .pluck()
    .get(series)
  if (known?.equals(checksum) === true) return
  database
    .prepare('INSERT OR REPLACE INTO history_marks VALUES (@series, @output_id, @form, @packed, @checksum)')
    .run({ ...row, checksum })
}

export function packMarks({ lookups, values, marks, rowsDigest }: Marks): Buffer {
  const packedLookups = packNumbers(lookups)
  const packedValues = packNumbers(values)
  const sizes = Uint32Array.of(lookups.length, packedLookups.length, packedValues.length)
  return Buffer.concat([Buffer.from(sizes.buffer), rowsDigest, packedLookups, packedValues, marks])
}

export function unpackMarks(packed: Buffer): Marks {
  const count = packed.readUInt32LE(0)
  const lookupsFrom = 12 + noDigest.length
  const lookupsEnd = lookupsFrom + packed.readUInt32LE(4)
  const valuesEnd = lookupsEnd + packed.readUInt32LE(8)
  return {
    lookups: unpackNumbers(packed.subarray(lookupsFrom, lookupsEnd), count),
    values: unpackNumbers(packed.subarray(lookupsEnd, valuesEnd), count),
    marks: packed.subarray(valuesEnd),
    rowsDigest: packed.subarray(12, lookupsFrom),
  }
}

/** Returns the entries in the marks of all series. */
export function listMarkedEntries(database: Sqlite): Uint32Array[] {
  const rows = database.prepare<[], StoredMarks>('SELECT * FROM history_marks').all()
  return rows.filter(isSoundMarks).map(({ packed }) => unpackMarks(packed).values)
}

/** An entry to store: the lookup's input, its result, and the values that are counted. */
export interface NewEntry extends EntryFacts, StateFacts {
  /** See `renderPublishedState`. */
  readonly state: string
}

/** An entry that differs from another one only in its row key. */
export interface KeyedEntry {
  readonly address: Uint8Array
  readonly rowKey: string
  /** Number of the other entry. */
  readonly like: number
}

/** Facts known at the start of a run. */
export interface RunStart {
  readonly series: string
  readonly startedAtMs: number
  readonly record: RunRecord
}

/** The last stored output of a series. */
export interface LastOutput {
  readonly rows: Uint32Array
  readonly marks: Marks | null
}

/** Numbers of deleted items. */
export interface PruneResult {
  /** Runs whose outputs were deleted. */
  readonly outputCount: number
  readonly entryCount: number
  readonly stateCount: number
}

/** Writes a run's history. A resolved step is durable. Rejects with CHECKPOINT_* and DISK_FULL. */
export interface HistoryWriter {
  /** Returns the number of the run. */
  begin(run: RunStart): Promise<number>
  /** Resolves to `null` if the series has no output, or its last one is damaged. */
  readLast(series: string, form: string): Promise<LastOutput | null>
  /**
   * Returns the entries' numbers, aligned. Equal entries share a number, also across runs. They may be deleted until an
   * output has them.
   */
  addEntries(entries: readonly NewEntry[]): Promise<number[]>
  /** Adds entries of rows with keys; like `addEntries`. */
  addKeyedEntries(entries: readonly KeyedEntry[]): Promise<number[]>
  /** Stores the entry of each row and the marks for the next run. Returns the figures of the output. */
  storeOutput(
    run: number,
    rows: Uint32Array,
    form: string,
    marks: Marks,
    groups?: RowGroups | null,
  ): Promise<OutputFigures>
  /** Returns the run to compare with, or `null`. */
  baseline(run: number, series: string): Promise<number | null>
  /** Makes these outputs, as far as they differ, available to `openHistory` on the local checkpoint. */
  copyForReading(wanted: WantedOutputs): Promise<void>
  /** Records that the output is in place and its changes are reported. */
  publish(run: number, baseline: number | null, record: RunRecord): Promise<void>
  end(run: number, endedAtMs: number, exitCode: number, record: RunRecord): Promise<void>
  /** Deletes the outputs of a series except the newest `runsMax`. */
  prune(series: string, runsMax: number): Promise<PruneResult>
}

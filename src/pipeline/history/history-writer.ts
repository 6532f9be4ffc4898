import {
  type EntryFacts,
  type StateFacts,
  marksChecksum,
  packNumbers,
  unpackNumbers,
} from '../checkpoint/history-tables.js'
import type { RowGroups } from '../input/row-groups.js'
import type { OutputFigures, RunRecord } from '../figures/run-record.js'
import type { WantedOutputs } from './remembered-runs.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { isSoundMarks, type StoredMarks } from '../checkpoint/sqlite/history-proof.js'

/** Of each answer eight bytes, by which it is seen to be as it was. */
export const markBytes = 8

export const noDigest: Buffer = Buffer.alloc(16)

/** What the lookups of an output came to; aligned. */
export interface Marks {
  /** Ascending, each once. */
  readonly lookups: Uint32Array
  /** The entry that rows of a lookup have; where rows have keys of their own, what their entries are like. */
  readonly values: Uint32Array
  /** `markBytes` each. */
  readonly marks: Buffer
  /** Over the keys of rows and what the rows came to; `noDigest` where they have none of their own. */
  readonly rowsDigest: Buffer
}

export interface MarksOf {
  readonly series: string
  readonly outputId: number
  /** How they were made; see `MarksRow`. */
  readonly form: string
}

/** Of the last output of a series; `marks` is null where they were made in another form, or are not sound. */
export function lastMarks(
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

/** In place of those of the output before; those of an output that is as it was are left. */
export function writeMarks(database: Sqlite, { series, outputId, form }: MarksOf, marks: Marks): void {
  const row = { series, output_id: outputId, form, packed: packMarks(marks) }
  const checksum = marksChecksum(row)
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

/** The entries that the marks of every series name. */
export function markedEntries(database: Sqlite): Uint32Array[] {
  const rows = database.prepare<[], StoredMarks>('SELECT * FROM history_marks').all()
  return rows.filter(isSoundMarks).map(({ packed }) => unpackMarks(packed).values)
}

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

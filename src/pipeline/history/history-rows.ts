import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Sqlite } from '../../platform/sqlite.js'
import {
  isSoundRun,
  type StoredRun,
  createOutputFinder,
  unpackValidOutput,
} from '../checkpoint/sqlite/history-proof.js'
import {
  calculateRunChecksum,
  type RunRow,
  calculateOutputDigest,
  packChanges,
  packNumbers,
} from '../checkpoint/history-tables.js'
import { runRecordVersion, type RunRecord, type GroupFigures, type OutputFigures } from './run-record.js'
import type { RememberedRun } from './remembered-runs.js'
import type { RowGroups } from '../input/row-index.js'

/** Returns the sound runs of a series, or of all series, newest first. */
export function readRunRows(database: Sqlite, series: string | null): StoredRun[] {
  return database
    .prepare<{ series: string | null }, StoredRun>(
      'SELECT * FROM history_runs WHERE @series IS NULL OR series = @series ORDER BY run_id DESC',
    )
    .all({ series })
    .filter(isSoundRun)
}

/** Throws if the run is missing or damaged. */
export function readRunRow(database: Sqlite, run: number): StoredRun {
  const row = database.prepare<[number], StoredRun>('SELECT * FROM history_runs WHERE run_id = ?').get(run)
  if (row === undefined || !isSoundRun(row)) throw new Error(`the record of run ${run} is missing or damaged`)
  return row
}

export function writeRun(database: Sqlite, row: RunRow): void {
  database
    .prepare(
      `INSERT OR REPLACE INTO history_runs VALUES (@run_id, @series, @started_at_ms, @ended_at_ms, @exit_code,
         @is_published, @baseline, @output_id, @record, @checksum)`,
    )
    .run({ ...row, checksum: calculateRunChecksum(row) })
}

export function packRecord(record: RunRecord): Buffer {
  return deflateRawSync(JSON.stringify(record))
}

const recordBytesMax = 16 * 2 ** 20

/** Returns `null` for records of an unknown version. */
export function unpackRecord(packed: Buffer): RunRecord | null {
  const record = JSON.parse(
    inflateRawSync(packed, { maxOutputLength: recordBytesMax }).toString(),
  ) as RunRecord
  return (record.version as number) === runRecordVersion ? record : null
}

/** Removes the timeline, which takes most of the space and is only needed for charts. */
export function removeTimeline(packed: Buffer): Buffer {
  const record = unpackRecord(packed)
  return record === null ? packed : packRecord({ ...record, timeline: [] })
}

export function toRememberedRun(row: RunRow): RememberedRun {
  return {
    number: row.run_id,
    series: row.series,
    startedAtMs: row.started_at_ms,
    endedAtMs: row.ended_at_ms,
    exitCode: row.exit_code,
    isPublished: row.is_published === 1 && row.output_id !== null,
    baseline: row.baseline,
    record: unpackRecord(row.record),
  }
}

/** Returns the entry of each row, or `null` if the output is missing or damaged. */
export function readOutput(database: Sqlite, outputId: number): Uint32Array | null {
  const outputOf = createOutputFinder(database)
  const row = outputOf(outputId)
  return row === undefined ? null : unpackValidOutput(row, outputOf)
}

/** An output whose difference exceeds this share of its base's size is stored in full. */
const changesShareMax = 1 / 4

/**
 * Stores the entries of rows, in order. Reuses an equal output of the series, else stores the difference to its last
 * full output, or the full output. Returns the output's number.
 */
export function writeOutputRows(database: Sqlite, series: string, rows: Uint32Array): number {
  const digest = calculateOutputDigest(rows)
  const earlier = database
    .prepare<[string], { outputId: number; digest: Buffer; baseId: number | null }>(
      `SELECT o.output_id AS outputId, o.digest, o.base_id AS baseId
       FROM history_runs r JOIN history_outputs o USING (output_id) WHERE r.series = ? ORDER BY r.run_id DESC`,
    )
    .all(series)
  const same = earlier.find((output) => output.digest.equals(digest))
  if (same !== undefined && readOutput(database, same.outputId) !== null) return same.outputId
  const newest = earlier[0]
  const baseId = newest === undefined ? null : (newest.baseId ?? newest.outputId)
  const base = baseId === null ? null : createOutputFinder(database)(baseId)
  const below = baseId === null ? null : readOutput(database, baseId)
  const { isOnBase, packed } = packOutput(rows, below, base?.packed.length ?? 0)
  const insert = database.prepare('INSERT INTO history_outputs VALUES (NULL, ?, ?, ?, ?)')
  return Number(insert.run(isOnBase ? baseId : null, rows.length, packed, digest).lastInsertRowid)
}

/** Packs the difference to `below`, whose packed size is `belowBytes`, if it is small, else all rows. */
export function packOutput(
  rows: Uint32Array,
  below: Uint32Array | null,
  belowBytes: number,
): { readonly isOnBase: boolean; readonly packed: Buffer } {
  const changes = below === null ? null : packChanges(rows, below)
  const isOnBase = changes !== null && changes.length <= belowBytes * changesShareMax
  return { isOnBase, packed: isOnBase ? changes : packNumbers(rows) }
}

/** Number of groups stored for a column, largest first. */
const keptMax = 200

/** Counts rows by their value in a column. `rows` are stored entries. */
export const readGroupFigures = (
  database: Sqlite,
  rows: Uint32Array,
  groups: RowGroups,
): NonNullable<OutputFigures['byColumn']> => groupFigures(rows, groups, findMatchedEntries(database))

/** Counts rows and matched rows by group. `isMatched`: 1 for matched entries, by entry number. */
export function groupFigures(
  rows: Uint32Array,
  groups: RowGroups,
  isMatched: Uint8Array,
): NonNullable<OutputFigures['byColumn']> {
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

/** Returns 1 for matched entries, by entry number. */
function findMatchedEntries(database: Sqlite): Uint8Array {
  const last = database.prepare<[], number | null>('SELECT max(entry_id) FROM history_entries').pluck().get()
  const matched = new Uint8Array((last ?? 0) + 1)
  const numbers = database
    .prepare<[], number>(
      `SELECT entry_id FROM history_entries JOIN history_states USING (state_id) WHERE status = 'matched'`,
    )
    .pluck()
  for (const number of numbers.iterate()) matched[number] = 1
  return matched
}

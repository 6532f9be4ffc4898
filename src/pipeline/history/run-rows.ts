import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Sqlite } from '../../platform/sqlite.js'
import { isSoundRun, type StoredRun } from '../checkpoint/history-proof.js'
import { runChecksum, type RunRow } from '../checkpoint/history-tables.js'
import { runRecordVersion, type RunRecord } from '../rules/run-record.js'
import type { RememberedRun } from './history.js'

/** Those that are as they were written, of a series or of all, the newest first. */
export function runRowsOf(database: Sqlite, series: string | null): StoredRun[] {
  return database
    .prepare<{ series: string | null }, StoredRun>(
      'SELECT * FROM history_runs WHERE @series IS NULL OR series = @series ORDER BY run_id DESC',
    )
    .all({ series })
    .filter(isSoundRun)
}

/** Throws where it is not there, or not as it was written. */
export function runRowOf(database: Sqlite, run: number): StoredRun {
  const row = database.prepare<[number], StoredRun>('SELECT * FROM history_runs WHERE run_id = ?').get(run)
  if (row === undefined || !isSoundRun(row)) throw new Error(`run ${run} was begun, and is not there`)
  return row
}

export function writeRun(database: Sqlite, row: RunRow): void {
  database
    .prepare(
      `INSERT OR REPLACE INTO history_runs VALUES (@run_id, @series, @started_at_ms, @ended_at_ms, @exit_code,
         @is_published, @baseline, @output_id, @record, @checksum)`,
    )
    .run({ ...row, checksum: runChecksum(row) })
}

export function packRecord(record: RunRecord): Buffer {
  return deflateRawSync(JSON.stringify(record))
}

const recordBytesMax = 16 * 2 ** 20

/** Null where a version that is not known wrote it. */
export function unpackRecord(packed: Buffer): RunRecord | null {
  const record = JSON.parse(
    inflateRawSync(packed, { maxOutputLength: recordBytesMax }).toString(),
  ) as RunRecord
  return (record.version as number) === runRecordVersion ? record : null
}

/** What only a picture of the run needs, and takes most of the room. */
export function withoutTimeline(packed: Buffer): Buffer {
  const record = unpackRecord(packed)
  return record === null ? packed : packRecord({ ...record, timeline: [] })
}

export function rememberedOf(row: RunRow): RememberedRun {
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

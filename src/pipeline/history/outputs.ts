import type { Sqlite } from '../../platform/sqlite.js'
import { outputDigest } from '../checkpoint/history-tables.js'
import { outputsOf, soundOutput } from '../checkpoint/history-proof.js'
import { packChanges, packNumbers } from '../checkpoint/packed-rows.js'

/** The entry of each row; null where the output is not as it was written, or not there. */
export function readOutput(database: Sqlite, outputId: number): Uint32Array | null {
  const outputOf = outputsOf(database)
  const row = outputOf(outputId)
  return row === undefined ? null : soundOutput(row, outputOf)
}

/** An output that differs from another in more than this part of what that one takes is kept by itself. */
const changesShareMax = 1 / 4

/**
 * Keeps the entries of rows, in order: once where the series has published just these, and otherwise as they differ
 * from its last output that is kept by itself, or by themselves. Returns the number of the output.
 */
export function writeOutputRows(database: Sqlite, series: string, rows: Uint32Array): number {
  const digest = outputDigest(rows)
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
  const base = baseId === null ? null : outputsOf(database)(baseId)
  const below = baseId === null ? null : readOutput(database, baseId)
  const { isOnBase, packed } = packOutput(rows, below, base?.packed.length ?? 0)
  const insert = database.prepare('INSERT INTO history_outputs VALUES (NULL, ?, ?, ?, ?)')
  return Number(insert.run(isOnBase ? baseId : null, rows.length, packed, digest).lastInsertRowid)
}

/** As it differs from `below`, which takes `belowBytes` packed, where that is little; otherwise by itself. */
export function packOutput(
  rows: Uint32Array,
  below: Uint32Array | null,
  belowBytes: number,
): { readonly isOnBase: boolean; readonly packed: Buffer } {
  const changes = below === null ? null : packChanges(rows, below)
  const isOnBase = changes !== null && changes.length <= belowBytes * changesShareMax
  return { isOnBase, packed: isOnBase ? changes : packNumbers(rows) }
}

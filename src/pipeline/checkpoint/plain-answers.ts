import type { Sqlite } from '../../platform/sqlite.js'
import { historyVersion } from './history-tables.js'
import { packAnswer } from './packed-answer.js'
import { answerChecksumOf, answerChecksumSql, digest, rowChecksum } from './row-checksums.js'

/** From this version on, each row can be proven. */
export const provenVersion = 4
/** Between these two, answers are on their way from `plain_answers`, two texts each, to `answers`. */
const packingBegunVersion = 5
const packingEndedVersion = 7

export const beginPacking = `ALTER TABLE answers RENAME TO plain_answers;
  CREATE TABLE answers (
    lookup_id INTEGER PRIMARY KEY REFERENCES lookups,
    run_id TEXT NOT NULL,
    outcome TEXT NOT NULL,
    line_version INTEGER NOT NULL,
    answered_at_ms INTEGER NOT NULL,
    packing INTEGER NOT NULL,
    line_bytes INTEGER NOT NULL,
    body_bytes INTEGER NOT NULL,
    packed BLOB NOT NULL,
    checksum BLOB
  ) STRICT;`

export const endPacking = 'DROP TABLE plain_answers'

/** Whether the tables are those of the version that the file bears: it may be the version that is damaged. */
export function fitsVersion(database: Sqlite, version: number): boolean {
  const has = (sql: string) => database.prepare(sql).get() !== undefined
  return database.transaction(() => {
    const isPacked = has("SELECT 1 FROM pragma_table_info('answers') WHERE name = 'packed'")
    const hasPlain = has("SELECT 1 FROM sqlite_schema WHERE name = 'plain_answers'")
    const hasHistory = has("SELECT 1 FROM sqlite_schema WHERE name = 'history_runs'")
    const isBegun = version >= packingBegunVersion
    return (
      isPacked === isBegun &&
      hasPlain === (isBegun && version < packingEndedVersion) &&
      hasHistory === version >= historyVersion
    )
  })()
}

/** An answer as it was kept before: its line and its body as texts. */
export interface PlainAnswerRow {
  lookup_id: number
  run_id: string
  outcome: string
  line: string
  line_version: number
  body: string
  answered_at_ms: number
  body_digest: Buffer | null
  checksum: Buffer | null
}

const plainColumns = ['run_id', 'outcome', 'line', 'line_version', 'answered_at_ms', 'body_digest'] as const

/** The body is covered by its digest. */
export const plainChecksumSql = (answer: string, key: string): string =>
  `row_checksum('answers', ${key}, ${plainColumns.map((column) => answer + column).join(', ')})`

const plainProof = `p.checksum IS ${plainChecksumSql('p.', 'l.key')} AND p.body_digest IS digest(CAST(p.body AS BLOB))`

export function isPlainSound(row: PlainAnswerRow, key: Buffer): boolean {
  const { body, body_digest: bodyDigest, checksum } = row
  if (typeof body !== 'string' || bodyDigest === null || checksum === null) return false
  const sum = rowChecksum(['answers', key, ...plainColumns.map((column) => row[column])])
  return sum.equals(checksum) && digest(body).equals(bodyDigest)
}

/** The row as it is kept now, of one that was kept before. */
export function packedRow({ line, body, ...row }: PlainAnswerRow, key: Buffer) {
  const { lookup_id, run_id, outcome, line_version, answered_at_ms } = row
  const { packing, lineBytes: line_bytes, bodyBytes: body_bytes, packed } = packAnswer(line, body)
  const kept = {
    lookup_id,
    run_id,
    outcome,
    line_version,
    answered_at_ms,
    packing,
    line_bytes,
    body_bytes,
    packed,
  }
  return { ...kept, checksum: answerChecksumOf(kept, key) }
}

/** A transaction for so many: killed, the others are done. */
const batchRows = 500

/** One by one: the file is never in memory, and the room that one gave up is the next one's. */
export function packAnswers(database: Sqlite): void {
  const first = database.prepare<[], PlainAnswerRow & { key: Buffer | null; isSound: 0 | 1 }>(
    `SELECT p.*, l.key, ${plainProof} AS isSound
     FROM plain_answers p LEFT JOIN lookups l USING (lookup_id) ORDER BY p.lookup_id LIMIT 1`,
  )
  const insert = database.prepare(
    `INSERT INTO answers VALUES (@lookup_id, @run_id, @outcome, @line_version, @answered_at_ms, @packing, @line_bytes,
       @body_bytes, @packed, @checksum)`,
  )
  const remove = database.prepare('DELETE FROM plain_answers WHERE lookup_id = ?')
  const batch = database.transaction(() => {
    for (let count = 0; count < batchRows; count++) {
      const row = first.get()
      if (row === undefined) return false
      const packed = packedRow(row, row.key ?? Buffer.alloc(0))
      // What was damaged stays so: no checksum proves it.
      insert.run(row.isSound === 1 ? packed : { ...packed, checksum: null })
      remove.run(row.lookup_id)
    }
    return true
  })
  while (batch.immediate());
}

/** The answers in a file of any version, as rows of today's, each with whether it is sound. */
export function answersIn(version: number): string {
  const before = `SELECT p.lookup_id, p.run_id, p.outcome, p.line_version, p.answered_at_ms, 0 AS packing,
      length(CAST(p.line AS BLOB)) AS line_bytes, length(CAST(p.body AS BLOB)) AS body_bytes,
      CAST(p.line || p.body AS BLOB) AS packed, NULL AS mark, ${version < provenVersion ? '1' : plainProof} AS is_sound
    FROM ${version < packingBegunVersion ? 'answers' : 'plain_answers'} p LEFT JOIN lookups l USING (lookup_id)`
  const now = `SELECT a.lookup_id, a.run_id, a.outcome, a.line_version, a.answered_at_ms, a.packing,
      a.line_bytes, a.body_bytes, a.packed, a.checksum AS mark, a.checksum IS ${answerChecksumSql('a.', 'l.key')} AS is_sound
    FROM answers a LEFT JOIN lookups l USING (lookup_id)`
  if (version < packingBegunVersion) return `(${before})`
  return version < packingEndedVersion ? `(${now} UNION ALL ${before})` : `(${now})`
}

import { createHash, hash } from 'node:crypto'
import type { Sqlite } from '../../platform/sqlite.js'
import { unpacks, type PackedAnswer } from './packed-answer.js'

/** 128 bits: beyond any accident, and half the room. */
const checksumBytes = 16

/** What a checksum of a row is over. `answers` has one of its own, below. */
const columnsOf = {
  checkpoint: ['id', 'created_at_ms', 'generation', 'sequence', 'had_head', 'closed_head_ns'],
  scopes: ['scope_id', 'scope'],
  jobs: ['job_id', 'scope_id', 'input', 'started_at_ms', 'ended_at_ms'],
  lookups: [
    'scope_id',
    'key',
    'name',
    'location',
    'context',
    'state',
    'attempt',
    'custom_id',
    'run_id',
    'failure',
    'submitted_at_ms',
    'answered_at_ms',
  ],
  submissions: [
    'custom_id',
    'lookup_id',
    'job_id',
    'attempt',
    'verdict',
    'run_id',
    'reason',
    'intended_at_ms',
    'accepted_at_ms',
    'chain',
  ],
} as const
export type SummedTable = keyof typeof columnsOf
export const summedTables = Object.keys(columnsOf) as SummedTable[]

/** The columns of a table whose rows bear a checksum. */
export const summedColumns = (table: SummedTable): readonly string[] => columnsOf[table]

/** A checksum of one row, as SQL; `row` stands before each column (`NEW.`, `l.`, `@`). */
export function checksumSql(table: SummedTable, row = ''): string {
  return `row_checksum('${table}', ${columnsOf[table].map((column) => row + column).join(', ')})`
}

/** What a checksum of an answer is over, after the key of its lookup, which says whose answer it is. */
const answerColumns = [
  'run_id',
  'outcome',
  'line_version',
  'answered_at_ms',
  'packing',
  'line_bytes',
  'body_bytes',
  'packed',
] as const

/** Of an answer as it is packed: what does not agree with it is never unpacked. */
export function answerChecksumSql(answer: string, key: string): string {
  return `answer_checksum(${key}, ${answerColumns.map((column) => answer + column).join(', ')})`
}

/** The answers, each with its checksum as `mark` and whether it is sound. */
export const provenAnswers = `(SELECT a.lookup_id, a.run_id, a.outcome, a.line_version, a.answered_at_ms, a.packing,
    a.line_bytes, a.body_bytes, a.packed, a.checksum AS mark, a.checksum IS ${answerChecksumSql('a.', 'l.key')} AS is_sound
  FROM answers a LEFT JOIN lookups l USING (lookup_id))`

/** The same of a row that was read: `row` by the names of its columns. */
export function answerChecksumOf(row: Readonly<Record<string, unknown>>, key: Buffer): Buffer {
  return answerChecksum([key, ...answerColumns.map((column) => row[column])])
}

/** Large, so its bytes are summed as they are. */
function answerChecksum(values: readonly unknown[]): Buffer {
  const packed = values.at(-1)
  const json = jsonOf(['answers', ...values.slice(0, -1)])
  return createHash('sha256')
    .update(json)
    .update(Buffer.isBuffer(packed) ? packed : '')
    .digest()
    .subarray(0, checksumBytes)
}

/** Gives a connection the functions that the statements above call. */
export function registerChecksums(database: Sqlite): void {
  const options = { deterministic: true }
  database.function('row_checksum', { ...options, varargs: true }, (...values: unknown[]) =>
    rowChecksum(values),
  )
  database.function('answer_checksum', { ...options, varargs: true }, (...values: unknown[]) =>
    answerChecksum(values),
  )
  const unpacksRow = (packing: unknown, lineBytes: unknown, bodyBytes: unknown, packed: unknown) =>
    Number(unpacks({ packing, lineBytes, bodyBytes, packed } as PackedAnswer))
  database.function('unpacks', options, unpacksRow)
}

export function rowChecksum(values: readonly unknown[]): Buffer {
  return digest(jsonOf(values))
}

function jsonOf(values: readonly unknown[]): string {
  return JSON.stringify(values.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : value)))
}

export function digest(content: Buffer | string): Buffer {
  return hash('sha256', content, 'buffer').subarray(0, checksumBytes)
}

/** The chain over submissions: each value proves the row and all before it. */
export function nextChain(
  previous: string,
  submission: { customId: string; attempt: number; intendedAtMs: number },
): string {
  const { customId, attempt, intendedAtMs } = submission
  return rowChecksum([previous, customId, attempt, intendedAtMs]).toString('hex')
}

/** Keeps the checksums right whatever statement of this connection changes a row, in bulk too. */
export function keepChecksums(database: Sqlite): void {
  for (const table of summedTables) {
    const update = `UPDATE ${table} SET checksum = ${checksumSql(table, 'NEW.')} WHERE rowid = NEW.rowid;`
    // A lookup is inserted with its checksum: there may be millions at once.
    if (table !== 'lookups') {
      database.exec(`CREATE TEMP TRIGGER ${table}_inserted AFTER INSERT ON main.${table} BEGIN ${update} END`)
    }
    database.exec(
      `CREATE TEMP TRIGGER ${table}_updated AFTER UPDATE OF ${columnsOf[table].join(', ')} ON main.${table}
       BEGIN ${update} END`,
    )
  }
}

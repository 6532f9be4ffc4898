import { createHash, hash } from 'node:crypto'
import type { Sqlite } from '../../platform/sqlite.js'
import { unpacks, type PackedAnswer } from './packed-answer.js'
import { coveredColumns, type TableName } from './tables.js'

/** 128 bits: beyond any accident, and half the room. */
const checksumBytes = 16

/** The tables whose rows triggers keep checksums of. */
export const summedTables = ['checkpoint', 'scopes', 'jobs', 'lookups', 'submissions'] as const
export type SummedTable = (typeof summedTables)[number]

/** A checksum of one row, as SQL; `row` stands before each column (`NEW.`, `l.`, `@`). */
export function checksumSql(table: SummedTable, row = ''): string {
  return `row_checksum('${table}', ${coveredColumns(table)
    .map((column) => row + column)
    .join(', ')})`
}

/** The checksum of an answer is over these, after the key of its lookup, which says whose answer it is. */
const answerColumns = coveredColumns('answers')

/** Of an answer as it is packed: what does not agree with it is never unpacked. */
export function answerChecksumSql(answer: string, key: string): string {
  return `answer_checksum(${key}, ${answerColumns.map((column) => answer + column).join(', ')})`
}

/** The answers, each with its checksum as `mark` and whether it is sound. */
export const provenAnswers = `(SELECT a.lookup_id, ${answerColumns.map((column) => `a.${column}`).join(', ')},
    a.checksum AS mark, a.checksum IS ${answerChecksumSql('a.', 'l.key')} AS is_sound
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

/** The checksum of a row that was read: `row` by the names of its columns. */
export function checksumOfRow(table: TableName, row: Readonly<Record<string, unknown>>): Buffer {
  return rowChecksum([table, ...coveredColumns(table).map((column) => row[column])])
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
      `CREATE TEMP TRIGGER ${table}_updated AFTER UPDATE OF ${coveredColumns(table).join(', ')} ON main.${table}
       BEGIN ${update} END`,
    )
  }
}

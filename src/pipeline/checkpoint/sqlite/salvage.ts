import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { getSqliteCode, loadDriver, type Sqlite } from '../../../platform/sqlite.js'
import { canUnpack, type PackedAnswer } from '../packed-answer.js'
import { calculateAnswerChecksum, calculateRowChecksum, type SummedTable } from '../tables.js'
import { applicationId, schemaVersion } from './schema.js'

export type Row = Record<string, unknown> & { position: number }

/** How many row numbers to probe beyond the last readable row. */
const probedMax = 1_000_000
const pageRows = 500

/**
 * Yields all readable rows of a table by number: in pages, then one by one beyond unreadable ones. `upTo` is the
 * highest row number known from other tables.
 */
export function* scanReadableRows(database: Sqlite, table: string, upTo: number): Generator<Row> {
  const select = (where: string) =>
    tryRead(() =>
      database.prepare<[number], Row>(`SELECT rowid AS position, * FROM ${table} NOT INDEXED ${where}`),
    )
  const next = select(`WHERE rowid > ? ORDER BY rowid LIMIT ${pageRows}`)
  const one = select('WHERE rowid = ?')
  let after = -1
  for (;;) {
    const page = tryRead(() => next?.all(after) ?? [])
    if (page === null) break
    yield* page
    after = page.at(-1)?.position ?? after
    if (page.length < pageRows) return
  }
  const last = Math.max(upTo, tryRead(() => readLastRow(database, table)) ?? 0, after + pageRows)
  for (let position = after + 1; position <= Math.min(last, after + probedMax); position++) {
    const row = tryRead(() => one?.get(position))
    if (row !== null && row !== undefined) yield row
  }
}

function readLastRow(database: Sqlite, table: string): number {
  return database.prepare<[], number | null>(`SELECT max(rowid) FROM ${table}`).pluck().get() ?? 0
}

/** Returns `null` if SQLite cannot read it. */
export function tryRead<Result>(action: () => Result): Result | null {
  try {
    return action()
  } catch (error) {
    if (getSqliteCode(error) === null && !(error instanceof TypeError)) throw error
    return null
  }
}

/** Whether a row matches its checksum. */
export function isSound(table: SummedTable, row: Row): boolean {
  return Buffer.isBuffer(row['checksum']) && calculateRowChecksum(table, row).equals(row['checksum'])
}

/** Returns an answer row; `null` if it does not match its checksum or cannot be unpacked. */
export function readValidAnswer({ position, ...row }: Row, key: Buffer): Row | null {
  const { checksum, packing, line_bytes: lineBytes, body_bytes: bodyBytes, packed } = row
  const isProven = Buffer.isBuffer(checksum) && calculateAnswerChecksum(row, key).equals(checksum)
  const isWhole = canUnpack({ packing, lineBytes, bodyBytes, packed } as PackedAnswer)
  return isProven && isWhole ? { position, ...row } : null
}

/**
 * Restores the constant parts of the first 100 bytes, so that SQLite opens a file with damage only there. Keeps fields
 * that depend on the content; the page count follows from the file size.
 */
export function repairHeader(path: string): void {
  const file = openSync(path, 'r+')
  try {
    const header = Buffer.alloc(100)
    if (readSync(file, header, 0, header.length, 0) < header.length) return
    header.write('SQLite format 3\0', 0, 'latin1')
    header.writeUInt16BE(pageBytes, 16)
    Buffer.from([2, 2, 0, 64, 32, 32]).copy(header, 18)
    header.writeUInt32BE(Math.floor(fstatSync(file).size / pageBytes), 28)
    header.fill(0, 32, 40)
    header.writeUInt32BE(4, 44)
    header.fill(0, 48, 56)
    header.writeUInt32BE(1, 56)
    header.writeUInt32BE(schemaVersion, 60)
    header.writeUInt32BE(applicationId, 68)
    header.fill(0, 64, 68)
    header.fill(0, 72, 92)
    // SQLite uses the page count only if these two fields agree.
    header.copy(header, 92, 24, 28)
    writeSync(file, header, 0, header.length, 0)
  } finally {
    closeSync(file)
  }
}

const pageBytes = 4_096

interface SchemaRow {
  readonly rowid: number
  readonly type: string
  readonly name: string
  readonly tableName: string
  readonly sql: string | null
}

/**
 * Restores the definitions of tables and indexes from a sound database of the same version: with damage in their text,
 * SQLite reads nothing, or columns of another name. Their pages stay as they are.
 */
export function repairSchema(path: string, sound: Sqlite): void {
  const rows = sound
    .prepare<[], SchemaRow>('SELECT rowid, type, name, tbl_name AS tableName, sql FROM sqlite_schema')
    .all()
  const database = new (loadDriver())(path)
  try {
    database.unsafeMode(true)
    database.pragma('writable_schema = ON')
    const restore = database.prepare<[SchemaRow]>(
      `UPDATE sqlite_schema SET type = @type, name = @name, tbl_name = @tableName, sql = @sql
       WHERE rowid = @rowid AND (type, name, tbl_name, sql) IS NOT (@type, @name, @tableName, @sql)`,
    )
    for (const row of rows) tryRead(() => restore.run(row))
  } finally {
    database.close()
  }
}

/** Inserts the row under its number. */
export function insertRow(database: Sqlite, table: string, { position, ...row }: Row): void {
  const columns = Object.keys(row)
  database
    .prepare(
      `INSERT OR IGNORE INTO ${table} (rowid, ${columns.join(', ')}) VALUES (${['?', ...columns.map(() => '?')].join(', ')})`,
    )
    .run(table === 'answers' ? row['lookup_id'] : position, ...Object.values(row))
}

/** Result of a rebuild. */
export interface RebuildResult {
  checkpointId: string
  generation: number
  sequence: number
  hadHead: boolean
  lookupCount: number
  submissionCount: number
  answerCount: number
  /** Names, or custom ids if the names are lost too. */
  uncertain: string[]
  /** Billed lookups with a damaged answer: fetched again at no cost. */
  fetchedAgain: string[]
  /** Submissions known to be lost; their lookups are unknown. */
  lostSubmissionCount: number
}

/** The lookup state that follows from an intact submission. */
export const stateByVerdict: Readonly<Record<string, string>> = {
  accepted: 'running',
  not_created: 'new',
  rejected: 'invalid',
}

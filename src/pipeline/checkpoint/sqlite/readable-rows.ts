import { getSqliteCode, type Sqlite } from '../../../platform/sqlite.js'

export type Row = Record<string, unknown> & { position: number }

/** Row numbers that are tried after an unreadable page, if the last number is unknown. */
const probedMax = 1_000_000
const pageRows = 500

/** Yields all readable rows of a table by number: in pages, then one by one from an unreadable page on. */
export function* scanReadableRows(database: Sqlite, table: string): Generator<Row> {
  const select = (where: string) =>
    tryRead(() =>
      database.prepare<[number], Row>(`SELECT rowid AS position, * FROM ${table} NOT INDEXED ${where}`),
    )
  const next = select(`WHERE rowid > ? ORDER BY rowid LIMIT ${pageRows}`)
  const one = select('WHERE rowid = ?')
  if (next === null || one === null) return
  let after = -1
  for (let page = tryRead(() => next.all(after)); page !== null; page = tryRead(() => next.all(after))) {
    yield* page
    after = page.at(-1)?.position ?? after
    if (page.length < pageRows) return
  }
  const max = database.prepare<[], number | null>(`SELECT max(rowid) FROM ${table}`).pluck()
  const last = Math.min(tryRead(() => max.get()) ?? Infinity, after + probedMax)
  for (let position = after + 1; position <= last; position++) {
    const row = tryRead(() => one.get(position))
    if (row !== null && row !== undefined) yield row
  }
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

/** Inserts a row under its number; returns false if the table has other columns, or does not take it. */
export function insertRow(database: Sqlite, table: string, { position, ...row }: Row): boolean {
  const columns = Object.keys(row)
  const values = columns.map(() => '?').join(', ')
  try {
    const insert = database.prepare(
      `INSERT OR IGNORE INTO ${table} (rowid, ${columns.join(', ')}) VALUES (?, ${values})`,
    )
    return insert.run(position, ...Object.values(row)).changes > 0
  } catch (error) {
    if (!/^SQLITE_(ERROR|CONSTRAINT)/.test(getSqliteCode(error) ?? '')) throw error
    return false
  }
}

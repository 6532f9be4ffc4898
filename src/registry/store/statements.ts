import type { Sqlite } from '../../platform/sqlite.js'
import { derivedId } from '../derived-id.js'
import { addedUp, compose, type Statement } from '../compose.js'
import type { RegistryRow, StatedRow } from '../registry-row.js'
import { createReadBack } from './read-back.js'
import type { RowOrigin, RowWriter } from './row-writer.js'

/** `waiting`: the registration it adds to is not held yet. */
export type StatementOutcome = 'imported' | 'updated' | 'waiting'

export interface StatementOptions {
  /** The day it was stated: an older statement of the same source does not replace a newer one. */
  readonly statedOn: string | null
  /** Adds to what this import stated of the registration before, instead of taking its place. */
  readonly addsUp: boolean
}

/**
 * Writes what a source states. Where it is the only one to tell of a registration, that is the row; where
 * others do, or no source has named it yet, all statements are kept and the registration is composed of them,
 * so that the order of imports does not matter. The caller holds the transaction.
 */
export interface StatementWriter {
  state(row: StatedRow, options: StatementOptions): StatementOutcome
  /** Composes the registrations that this import told of, `isWhole` also those that it no longer names. */
  finish(isWhole: boolean): void
  /** How many of the source's statements wait for a registration to add to. */
  waitingCount(): number
}

export function createStatementWriter(database: Sqlite, writer: RowWriter, own: RowOrigin): StatementWriter {
  const ownership = createOwnershipCheck(database, own)
  const kept = createKeptStatements(database, own)
  const readBack = createReadBack(database)
  return {
    state(row, options) {
      const id = derivedId('le_', row.sourceKey)
      const isPlain = !options.addsUp && options.statedOn === null
      if (isPlain && isNamed(row) && ownership.isOwn(id)) return writer.write(row)
      const isHeld = ownership.isHeld(id)
      if (isHeld && !kept.hasAny(id)) {
        const stated = readBack(id)
        if (stated !== null && stated.sourceNumber !== own.sourceNumber) kept.add(id, stated.row, stated)
      }
      ownership.noteKept()
      const isFirst = kept.put(id, row, options)
      if (isHeld || !isFirst) return 'updated'
      return row.legalName === null ? 'waiting' : 'imported'
    },
    finish(isWhole) {
      if (isWhole) kept.removeUnseen()
      kept.eachTouched((id) => {
        composeInto(id)
      })
      if (isWhole) kept.confirmSeen()
    },
    waitingCount: () => kept.waitingCount(),
  }

  function composeInto(id: string): void {
    const composed = compose(kept.of(id))
    if (composed === null) database.prepare('UPDATE legal_entities SET vanished = 1 WHERE id = ?').run(id)
    else writer.write(composed.row, originOf(composed.origin))
  }
}

function isNamed(row: StatedRow): row is RegistryRow {
  return row.legalName !== null
}

/** Whether a registration is told of by this source alone, without a look where there is no other source. */
function createOwnershipCheck(database: Sqlite, own: RowOrigin) {
  const holder = database.prepare<[string], { source_number: number; vanished: number }>(
    'SELECT source_number, vanished FROM legal_entities WHERE id = ?',
  )
  const statement = database.prepare<[string]>('SELECT 1 FROM statements WHERE registration_id = ? LIMIT 1')
  const others = database.prepare<[number]>('SELECT 1 FROM sources WHERE number <> ? LIMIT 1')
  let mayBeShared = others.get(own.sourceNumber) !== undefined || hasStatements(database)
  return {
    isHeld: (id: string) => holder.get(id)?.vanished === 0,
    isOwn(id: string): boolean {
      if (!mayBeShared) return true
      const found = holder.get(id)
      const isFree = found === undefined || found.vanished === 1 || found.source_number === own.sourceNumber
      return isFree && statement.get(id) === undefined
    },
    noteKept() {
      mayBeShared = true
    },
  }
}

function hasStatements(database: Sqlite): boolean {
  return database.prepare('SELECT 1 FROM statements LIMIT 1').get() !== undefined
}

type KeptStatement = Statement & RowOrigin

function originOf({ sourceNumber, importSequence }: KeptStatement): RowOrigin {
  return { sourceNumber, importSequence }
}

interface StatementRow {
  source_number: number
  import_sequence: number
  row_json: string
  format: string
  name: string
  file_date: string
}

const touchedPageRows = 1_000

function createKeptStatements(database: Sqlite, own: RowOrigin) {
  database.exec('CREATE TEMP TABLE IF NOT EXISTS touched (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID')
  database.exec('DELETE FROM temp.touched')
  const any = database.prepare<[string]>('SELECT 1 FROM statements WHERE registration_id = ? LIMIT 1')
  const all = database.prepare<[string], StatementRow>(
    `SELECT t.source_number, t.import_sequence, t.row_json, s.format, s.name, s.file_date
     FROM statements t JOIN sources s ON s.number = t.source_number WHERE t.registration_id = ?`,
  )
  const find = database.prepare<
    [string, number],
    { import_sequence: number; stated_on: string | null; row_json: string }
  >(
    'SELECT import_sequence, stated_on, row_json FROM statements WHERE registration_id = ? AND source_number = ?',
  )
  const put = database.prepare(
    `INSERT INTO statements (registration_id, source_number, import_sequence, stated_on, row_json)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT (registration_id, source_number) DO UPDATE SET
       import_sequence = excluded.import_sequence, stated_on = excluded.stated_on, row_json = excluded.row_json`,
  )
  const see = database.prepare(
    'UPDATE statements SET import_sequence = ? WHERE registration_id = ? AND source_number = ?',
  )
  const touch = database.prepare('INSERT OR IGNORE INTO temp.touched VALUES (?)')
  const touchedAfter = database
    .prepare<[string], string>(
      `SELECT id FROM temp.touched WHERE id > ? ORDER BY id LIMIT ${touchedPageRows}`,
    )
    .pluck()
  const { sourceNumber, importSequence } = own

  return {
    hasAny: (id: string) => any.get(id) !== undefined,
    of: (id: string): KeptStatement[] =>
      all.all(id).map((row) => ({
        sourceNumber: row.source_number,
        importSequence: row.import_sequence,
        format: row.format,
        sourceName: row.name,
        fileDate: row.file_date,
        row: JSON.parse(row.row_json) as StatedRow,
      })),
    add(id: string, row: StatedRow, origin: RowOrigin): void {
      put.run(id, origin.sourceNumber, origin.importSequence, null, JSON.stringify(row))
    },
    /** Whether it is the first that this source states of the registration. */
    put(id: string, row: StatedRow, { statedOn, addsUp }: StatementOptions): boolean {
      const known = find.get(id, sourceNumber)
      const isOlder = isBefore(statedOn, known?.stated_on ?? null)
      const isAgain = addsUp && known?.import_sequence === importSequence
      const stated = isAgain ? addedUp(JSON.parse(known.row_json) as StatedRow, row) : row
      const json = JSON.stringify(stated)
      if (isOlder || known?.row_json === json) see.run(importSequence, id, sourceNumber)
      else {
        put.run(id, sourceNumber, importSequence, statedOn, json)
        touch.run(id)
      }
      return known === undefined
    },
    removeUnseen(): void {
      const unseen = 'FROM statements WHERE source_number = ? AND import_sequence < ?'
      database
        .prepare(`INSERT OR IGNORE INTO temp.touched SELECT registration_id ${unseen}`)
        .run(sourceNumber, importSequence)
      database.prepare(`DELETE ${unseen}`).run(sourceNumber, importSequence)
    },
    eachTouched(visit: (id: string) => void): void {
      for (let page = touchedAfter.all(''); page.length > 0; page = touchedAfter.all(page.at(-1) ?? '')) {
        for (const id of page) visit(id)
      }
    },
    /** Registrations whose first statement is this source's, unchanged, were seen by this import too. */
    confirmSeen(): void {
      database
        .prepare(
          `UPDATE legal_entities SET import_sequence = ? WHERE source_number = ? AND id IN
             (SELECT registration_id FROM statements WHERE source_number = ? AND import_sequence = ?)`,
        )
        .run(importSequence, sourceNumber, sourceNumber, importSequence)
    },
    waitingCount(): number {
      const waiting = database
        .prepare<[number], number>(
          `SELECT count(*) FROM statements t WHERE t.source_number = ? AND NOT EXISTS
             (SELECT 1 FROM legal_entities l WHERE l.id = t.registration_id AND l.vanished = 0)`,
        )
        .pluck()
      return waiting.get(sourceNumber) ?? 0
    },
  }
}

function isBefore(day: string | null, known: string | null): boolean {
  return day !== null && known !== null && day < known
}

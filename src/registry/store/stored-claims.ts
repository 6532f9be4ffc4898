import type { Sqlite } from '../../platform/sqlite.js'
import {
  mergeStatedRows,
  type Claim,
  isSameName,
  findFormerNames,
  type RememberedName,
} from '../linkage/survivorship.js'
import { findOtherCompany } from '../linkage/entity-clusters.js'
import type { StatedRow, RowName } from '../model/registry-rows.js'
import { type DerivedRow, type ImportOrigin, toKeySql, type RowOrigin } from './registration-columns.js'

/** Former names in sources. The caller opens the transaction. */
export interface NameHistoryStore {
  remember(id: string, sourceNumber: number, name: RememberedName): void
  /** Records the former and other names that a source listed, unless it lists them still. */
  rememberListed(
    id: string,
    sourceNumber: number,
    listed: readonly RowName[],
    still: readonly RowName[],
  ): void
  /** Records the names of a source's claims that are about to be removed. */
  rememberUnseen(sourceNumber: number, sequence: number): void
  /** Returns the former names of a registration, including those in use again. `next`: origin of its new row. */
  listFormerNames(id: string, next?: RowOrigin): RowName[]
  /** Registrations with another name in the source before. */
  listIds(sourceNumber: number): string[]
  isEmpty(): boolean
}

interface HistoryRow {
  source_number: number
  source_name: string
  coverage: 'whole' | 'part'
  name: string
  first_on: string
  last_on: string
}

const putSql = `INSERT INTO stated_names (registration_id, source_number, name, first_on, last_on)`
/** The days on which a name was in use come before those of a list of former names, which are `listedOn`. */
const onConflict = `ON CONFLICT (registration_id, source_number, name) DO UPDATE SET
  first_on = iif(first_on = '', excluded.first_on, min(first_on, excluded.first_on)),
  last_on = iif(first_on = '', excluded.last_on, max(last_on, excluded.last_on))`
/** A name that a source only listed as former has no first day; its last one is the stated end, or empty. */
const listedOn = ''
const onListedConflict = `ON CONFLICT (registration_id, source_number, name) DO UPDATE SET
  last_on = max(last_on, excluded.last_on) WHERE first_on = '${listedOn}'`

export function createNameHistory(database: Sqlite): NameHistoryStore {
  const put = database.prepare(`${putSql} VALUES (?, ?, ?, ?, ?) ${onConflict}`)
  const putListed = database.prepare(`${putSql} VALUES (?, ?, ?, '${listedOn}', ?) ${onListedConflict}`)
  const rows = database.prepare<[string], HistoryRow>(
    `SELECT n.source_number, s.name AS source_name, s.coverage, n.name, n.first_on, n.last_on
     FROM stated_names n JOIN sources s ON s.number = n.source_number
     WHERE n.registration_id = ? ORDER BY s.name, n.name`,
  )
  const fileDays = database
    .prepare<[number], string>('SELECT DISTINCT file_date FROM source_files WHERE source_number = ?')
    .pluck()
  const namedSince = database
    .prepare<[string, number, string, number], string | null>(
      `SELECT named_on FROM claims WHERE registration_id = ? AND source_number = ?
       UNION SELECT named_on FROM legal_entities WHERE key = ${toKeySql('?')} AND source_number = ?`,
    )
    .pluck()
  const daysBySource = new Map<number, string[]>()
  let isEmpty = database.prepare('SELECT 1 FROM stated_names LIMIT 1').get() === undefined

  const otherDays = (id: string, { source_number, coverage }: HistoryRow) => {
    if (coverage === 'part')
      return namedSince.all(id, source_number, id, source_number).filter((day) => day !== null)
    const days = daysBySource.get(source_number) ?? fileDays.all(source_number)
    daysBySource.set(source_number, days)
    return days
  }
  return {
    remember(id, sourceNumber, { name, firstOn, lastOn }) {
      put.run(id, sourceNumber, name, firstOn, lastOn)
      isEmpty = false
    },
    rememberListed(id, sourceNumber, listed, still) {
      const isGone = ({ kind, name }: RowName) =>
        kind !== 'legal' && !still.some((other) => isSameName(other.name, name))
      for (const { name, endedOn = '' } of listed.filter(isGone)) {
        putListed.run(id, sourceNumber, name, endedOn)
        isEmpty = false
      }
    },
    rememberUnseen(sourceNumber, sequence) {
      const { changes } = database
        .prepare(
          `${putSql} SELECT registration_id, source_number, row_json ->> '$.legalName',
             coalesce(named_on, stated_on), stated_on FROM claims
           WHERE source_number = ? AND import_sequence < ? AND row_json ->> '$.legalName' IS NOT NULL
             AND stated_on IS NOT NULL ${onConflict}`,
        )
        .run(sourceNumber, sequence)
      const listed = database
        .prepare(
          `${putSql} SELECT registration_id, source_number, n.value ->> '$.name', '${listedOn}',
             coalesce(n.value ->> '$.endedOn', '') FROM claims, json_each(row_json, '$.names') n
           WHERE source_number = ? AND import_sequence < ? AND n.value ->> '$.kind' = 'former'
           ${onListedConflict}`,
        )
        .run(sourceNumber, sequence)
      if (changes + listed.changes > 0) isEmpty = false
    },
    listFormerNames(id, next) {
      if (isEmpty) return []
      const found = rows.all(id)
      if (found.length === 0) return []
      const isListed = ({ first_on }: HistoryRow) => first_on === listedOn
      const inUse = found.filter((row) => !isListed(row))
      const sources = new Map(inUse.map((row) => [row.source_number, row]))
      const listed = found.filter(isListed).map(({ name, last_on, source_name }): RowName => ({
        kind: 'former',
        name,
        endedSource: source_name,
        ...(last_on === '' ? {} : { endedOn: last_on }),
      }))
      const former = findFormerNames(
        [...sources.values()].map((source) => ({
          sourceName: source.source_name,
          names: inUse
            .filter(({ source_number }) => source_number === source.source_number)
            .map(({ name, first_on, last_on }) => ({ name, firstOn: first_on, lastOn: last_on })),
          otherDays: [
            ...otherDays(id, source),
            ...(next?.sourceNumber === source.source_number ? [next.namedOn] : []),
          ],
        })),
      )
      return [...former, ...listed]
    },
    listIds: (sourceNumber) =>
      isEmpty
        ? []
        : database
            .prepare<[number], string>(
              'SELECT DISTINCT registration_id FROM stated_names WHERE source_number = ?',
            )
            .pluck()
            .all(sourceNumber),
    isEmpty: () => isEmpty,
  }
}

export type KeptClaim = Claim & RowOrigin

interface ClaimRow {
  source_number: number
  import_sequence: number
  stated_on: string | null
  named_on: string | null
  row_json: string
  format: string
  name: string
  file_date: string
}

type KnownRow = Pick<ClaimRow, 'import_sequence' | 'stated_on' | 'named_on' | 'row_json'>

const touchedPageRows = 1_000

/** Claims on registrations that several sources state, or that no source has named yet. */
export function createKeptClaims(database: Sqlite, history: NameHistoryStore, own: ImportOrigin) {
  const queries = prepareQueries(database)
  const { sourceNumber, importSequence, newestSequence } = own
  const isOlderFile = importSequence !== newestSequence

  return {
    hasAny: (id: string) => queries.any.get(id) !== undefined,
    of: (id: string): KeptClaim[] => queries.all.all(id).map(toKeptClaim),
    add(id: string, row: StatedRow, { sourceNumber: number, importSequence: sequence, ...days }: RowOrigin) {
      queries.put.run(id, number, sequence, days.statedOn, days.namedOn, JSON.stringify(row))
    },
    /** `first`: the source's first statement about the registration. */
    put(id: string, row: StatedRow, { statedOn, addsUp }: ClaimOptions): ClaimOutcome | 'first' {
      const on = statedOn ?? own.fileDate
      const known = queries.find.get(id, sourceNumber)
      if (known === undefined) {
        // The source's newer whole file lacks the row, so only its name is kept.
        if (isOlderFile && row.legalName === null) return 'superseded'
        queries.put.run(id, sourceNumber, importSequence, on, on, JSON.stringify(row))
        queries.touch.run(id)
        return 'first'
      }
      const isAgain = known.import_sequence === importSequence
      if (isAgain && addsUp) return putAgain(id, row, known)
      const isSame = isAgain && statedOn === null
      const reason = isSame ? findOtherCompany(JSON.parse(known.row_json) as StatedRow, row) : null
      if (reason !== null) return { reason }
      return isBefore(on, known.stated_on) ? putOlder(id, row, on, known) : putNewer(id, row, on, known)
    },
    removeUnseen(): void {
      const unseen = 'FROM claims WHERE source_number = ? AND import_sequence < ?'
      history.rememberUnseen(sourceNumber, newestSequence)
      database
        .prepare(`INSERT OR IGNORE INTO temp.touched SELECT registration_id ${unseen}`)
        .run(sourceNumber, newestSequence)
      database.prepare(`DELETE ${unseen}`).run(sourceNumber, newestSequence)
    },
    forEachTouched(visit: (id: string) => void): void {
      const { touchedAfter } = queries
      for (let page = touchedAfter.all(''); page.length > 0; page = touchedAfter.all(page.at(-1) ?? '')) {
        for (const id of page) visit(id)
      }
    },
    /** Marks registrations whose first claim is an unchanged one of this source as seen by this import. */
    confirmSeen(): void {
      database
        .prepare(
          `UPDATE legal_entities SET import_sequence = t.import_sequence, packed_stated_on = t.stated_on FROM claims t
           WHERE t.source_number = ? AND t.import_sequence = ?
             AND legal_entities.key = ${toKeySql('t.registration_id')}
             AND legal_entities.source_number = t.source_number`,
        )
        .run(sourceNumber, importSequence)
    },
    countWaiting(): number {
      const waiting = database
        .prepare<[number], number>(
          `SELECT count(*) FROM claims t WHERE t.source_number = ? AND NOT EXISTS
             (SELECT 1 FROM legal_entities l WHERE l.key = ${toKeySql('t.registration_id')} AND l.removed_from_source = 0)`,
        )
        .pluck()
      return waiting.get(sourceNumber) ?? 0
    },
  }

  function putAgain(id: string, row: StatedRow, known: KnownRow): ClaimOutcome {
    const json = JSON.stringify(mergeStatedRows(JSON.parse(known.row_json) as StatedRow, row))
    queries.put.run(id, sourceNumber, importSequence, known.stated_on, known.named_on, json)
    queries.touch.run(id)
    return 'together'
  }

  function putOlder(id: string, row: StatedRow, on: string, known: KnownRow): ClaimOutcome {
    const { legalName: current, names } = JSON.parse(known.row_json) as StatedRow
    const isRenamed = current !== null && row.legalName !== null && !isSameName(current, row.legalName)
    history.rememberListed(id, sourceNumber, row.names, names)
    if (row.names.some(({ kind }) => kind === 'former')) queries.touch.run(id)
    if (isRenamed) {
      history.remember(id, sourceNumber, { name: row.legalName, firstOn: on, lastOn: on })
      queries.touch.run(id)
    } else if (isBefore(on, known.named_on)) {
      queries.nameSince.run(on, id, sourceNumber)
      if (!history.isEmpty()) queries.touch.run(id)
    }
    if (!isOlderFile) queries.see.run(importSequence, known.stated_on, id, sourceNumber)
    return 'superseded'
  }

  function putNewer(id: string, row: StatedRow, on: string, known: KnownRow): ClaimOutcome {
    const json = JSON.stringify(row)
    if (known.row_json === json) {
      queries.see.run(importSequence, on, id, sourceNumber)
      return 'updated'
    }
    const { legalName: current, names } = JSON.parse(known.row_json) as StatedRow
    const isRenamed = current !== null && row.legalName !== null && !isSameName(current, row.legalName)
    history.rememberListed(id, sourceNumber, names, row.names)
    const namedOn = known.named_on ?? known.stated_on ?? on
    if (isRenamed) {
      history.remember(id, sourceNumber, {
        name: current,
        firstOn: namedOn,
        lastOn: known.stated_on ?? namedOn,
      })
    }
    queries.put.run(id, sourceNumber, importSequence, on, isRenamed ? on : namedOn, json)
    queries.touch.run(id)
    return isRenamed ? 'renamed' : 'updated'
  }
}

function prepareQueries(database: Sqlite) {
  database.exec('CREATE TEMP TABLE IF NOT EXISTS touched (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID')
  database.exec('DELETE FROM temp.touched')
  return {
    any: database.prepare<[string]>('SELECT 1 FROM claims WHERE registration_id = ? LIMIT 1'),
    all: database.prepare<[string], ClaimRow>(
      `SELECT t.source_number, t.import_sequence, t.stated_on, t.named_on, t.row_json, s.format, s.name, s.file_date
       FROM claims t JOIN sources s ON s.number = t.source_number WHERE t.registration_id = ?`,
    ),
    find: database.prepare<[string, number], KnownRow>(
      `SELECT import_sequence, stated_on, named_on, row_json FROM claims
       WHERE registration_id = ? AND source_number = ?`,
    ),
    put: database.prepare(
      `INSERT INTO claims (registration_id, source_number, import_sequence, stated_on, named_on, row_json)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (registration_id, source_number) DO UPDATE SET
         import_sequence = excluded.import_sequence, stated_on = excluded.stated_on,
         named_on = excluded.named_on, row_json = excluded.row_json`,
    ),
    see: database.prepare(
      'UPDATE claims SET import_sequence = ?, stated_on = ? WHERE registration_id = ? AND source_number = ?',
    ),
    nameSince: database.prepare(
      'UPDATE claims SET named_on = ? WHERE registration_id = ? AND source_number = ?',
    ),
    touch: database.prepare('INSERT OR IGNORE INTO temp.touched VALUES (?)'),
    touchedAfter: database
      .prepare<[string], string>(
        `SELECT id FROM temp.touched WHERE id > ? ORDER BY id LIMIT ${touchedPageRows}`,
      )
      .pluck(),
  }
}

function toKeptClaim(row: ClaimRow): KeptClaim {
  const statedOn = row.stated_on ?? row.file_date
  return {
    sourceNumber: row.source_number,
    importSequence: row.import_sequence,
    statedOn,
    namedOn: row.named_on ?? statedOn,
    format: row.format,
    sourceName: row.name,
    fileDate: row.file_date,
    row: JSON.parse(row.row_json) as StatedRow,
  }
}

function isBefore(day: string, known: string | null): boolean {
  return known !== null && day < known
}

/**
 * `waiting`: the registration does not exist yet. `renamed`: updated, with another name. `together`: an earlier row of
 * this file stated the registration. `superseded`: the source has a later statement.
 */
export type ClaimOutcome =
  'imported' | 'updated' | 'renamed' | 'together' | 'waiting' | 'superseded' | RefusedRow

/** A row that is not stored: an earlier row of the file has its id, and is that of another company. */
interface RefusedRow {
  readonly reason: string
}

export interface ClaimOptions {
  /** Date of the statement, if the file has one; otherwise the date of the file is used. */
  readonly statedOn: string | null
  /** Adds to an earlier row of this import instead of replacing it. */
  readonly addsUp: boolean
  /** Computed before, in a thread. */
  readonly derived?: DerivedRow | undefined
}

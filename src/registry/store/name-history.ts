import type { Sqlite } from '../../platform/sqlite.js'
import { formerNamesOf, type RememberedName } from '../linkage/former-names.js'
import type { RowName } from '../model/registry-row.js'
import type { RowOrigin } from './registration-columns.js'

/** The names that sources gave registrations before. The caller holds the transaction. */
export interface NameHistoryStore {
  remember(id: string, sourceNumber: number, name: RememberedName): void
  /** Remembers the names of a source's claims that are about to be removed. */
  rememberUnseen(sourceNumber: number, sequence: number): void
  /** Former names of a registration, among them any that is in use again. `next`: where its row is to come from. */
  of(id: string, next?: RowOrigin): RowName[]
  /** Registrations of which the source bore another name. */
  idsOf(sourceNumber: number): string[]
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
const onConflict = `ON CONFLICT (registration_id, source_number, name) DO UPDATE SET
  first_on = min(first_on, excluded.first_on), last_on = max(last_on, excluded.last_on)`

export function createNameHistory(database: Sqlite): NameHistoryStore {
  const put = database.prepare(`${putSql} VALUES (?, ?, ?, ?, ?) ${onConflict}`)
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
       UNION SELECT named_on FROM legal_entities WHERE id = ? AND source_number = ?`,
    )
    .pluck()
  const daysOfSource = new Map<number, string[]>()
  let isEmpty = database.prepare('SELECT 1 FROM stated_names LIMIT 1').get() === undefined

  const otherDays = (id: string, { source_number, coverage }: HistoryRow) => {
    if (coverage === 'part')
      return namedSince.all(id, source_number, id, source_number).filter((day) => day !== null)
    const days = daysOfSource.get(source_number) ?? fileDays.all(source_number)
    daysOfSource.set(source_number, days)
    return days
  }
  return {
    remember(id, sourceNumber, { name, firstOn, lastOn }) {
      put.run(id, sourceNumber, name, firstOn, lastOn)
      isEmpty = false
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
      if (changes > 0) isEmpty = false
    },
    of(id, next) {
      if (isEmpty) return []
      const found = rows.all(id)
      if (found.length === 0) return []
      const sources = new Map(found.map((row) => [row.source_number, row]))
      return formerNamesOf(
        [...sources.values()].map((source) => ({
          sourceName: source.source_name,
          names: found
            .filter(({ source_number }) => source_number === source.source_number)
            .map(({ name, first_on, last_on }) => ({ name, firstOn: first_on, lastOn: last_on })),
          otherDays: [
            ...otherDays(id, source),
            ...(next?.sourceNumber === source.source_number ? [next.namedOn] : []),
          ],
        })),
      )
    },
    idsOf: (sourceNumber) =>
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

import type { Sqlite } from '../../platform/sqlite.js'
import type { NameKind } from '../model/registry-row.js'

/** A company one of whose names begins with what was typed. */
export interface NameBeginning {
  readonly entityNumber: number
  readonly name: string
  readonly kind: NameKind
  /** All words of the name, closed up. */
  readonly fullKey: string
  readonly isActive: boolean
  readonly isListed: boolean
  readonly hasLei: boolean
}

export type NameBeginningFinder = (fullKey: string, countMax: number) => NameBeginning[]

interface BeginningRow {
  entity_number: number
  name: string
  kind: string
  full_key: string
  is_active: number
  is_listed: number
  has_lei: number
}

/** Names by the beginning of all their words closed up, the legal form's too, in the order of the alphabet. */
export function createNameBeginningFinder(database: Sqlite): NameBeginningFinder {
  const bears = (type: string) =>
    `EXISTS (SELECT 1 FROM identifiers i WHERE i.legal_entity_number = l.number AND i.type = '${type}')`
  const byBeginning = database.prepare<[string, string, number], BeginningRow>(
    `SELECT l.entity_number, n.name, n.kind, n.full_key,
       l.removed_from_source = 0 AND coalesce(l.status, 'active') = 'active' AS is_active,
       ${bears('ticker')} AS is_listed, ${bears('lei')} AS has_lei
     FROM names n JOIN legal_entities l ON l.number = n.legal_entity_number
     WHERE n.full_key >= ? AND n.full_key < ? ORDER BY n.full_key, n.number LIMIT ?`,
  )
  return (fullKey, countMax) =>
    // Keys are of letters and digits: whatever begins with one stands before it and this.
    byBeginning.all(fullKey, `${fullKey}\u{10ffff}`, countMax).map((row) => ({
      entityNumber: row.entity_number,
      name: row.name,
      kind: row.kind as NameKind,
      fullKey: row.full_key,
      isActive: row.is_active === 1,
      isListed: row.is_listed === 1,
      hasLei: row.has_lei === 1,
    }))
}

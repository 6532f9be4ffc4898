import type { Sqlite } from '../../platform/sqlite.js'
import { ownershipTypes, type OwnershipType, type RelationshipType } from '../model/import-item.js'

/**
 * Makes relationships of the parents that the rows of a source name, in place of those it named before.
 * A parent that is no row of the same source is none. The caller holds the transaction.
 */
export function recordParents(database: Sqlite, sourceNumber: number): void {
  database.prepare('DELETE FROM relationships WHERE source_number = ?').run(sourceNumber)
  const type: RelationshipType = 'IS_CONTROLLED_BY'
  database
    .prepare(
      `INSERT INTO relationships (source_number, child_number, parent_number, type)
       SELECT c.source_number, c.number, p.number, ?
       FROM legal_entities c INDEXED BY legal_entities_with_parent
       CROSS JOIN legal_entities p ON p.source_number = c.source_number AND p.source_key = c.parent_key
       WHERE c.source_number = ? AND c.parent_key IS NOT NULL AND c.removed_from_source = 0 AND p.removed_from_source = 0
         AND p.number <> c.number
       ORDER BY c.number`,
    )
    .run(type, sourceNumber)
}

/** One company over another, as one of their registrations has it. Companies go by their numbers. */
export interface StoredOwnership {
  readonly ownerNumber: number
  readonly ownedNumber: number
  readonly type: OwnershipType
  readonly percentage: number | null
  /** As exact as it is known: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. */
  readonly fromDate: string | null
  readonly sourceUrl: string | null
}

/** Relationships that hold today; those that ended are kept, and not read. */
export interface OwnershipReader {
  /** Direct owners before ultimate ones. */
  ownersOf(entityNumber: number, countMax: number): StoredOwnership[]
  ownedBy(entityNumber: number, countMax: number): StoredOwnership[]
  /** Whether a registration is the branch of one in another country. */
  isBranch(legalEntityNumber: number): boolean
}

export function createOwnershipReader(database: Sqlite): OwnershipReader {
  const prepare = (side: 'c' | 'p') =>
    database.prepare<[number, number], OwnershipRow>(
      `SELECT p.entity_number AS owner_number, c.entity_number AS owned_number, r.type, r.percentage,
         r.from_date, r.source_url
       FROM legal_entities ${side}
       JOIN relationships r ON r.${side === 'c' ? 'child' : 'parent'}_number = ${side}.number
       ${side === 'c' ? 'JOIN legal_entities p ON p.number = r.parent_number' : 'JOIN legal_entities c ON c.number = r.child_number'}
       WHERE ${side}.entity_number = ? AND c.removed_from_source = 0 AND p.removed_from_source = 0 AND r.to_date IS NULL
         AND r.type IN (${ownershipTypes.map((type) => `'${type}'`).join(', ')})
         AND p.entity_number <> c.entity_number
       ORDER BY r.type = 'IS_ULTIMATELY_CONSOLIDATED_BY', r.number LIMIT ?`,
    )
  const owners = prepare('c')
  const owned = prepare('p')
  const branch = database.prepare<[number, RelationshipType], { found: 1 }>(
    'SELECT 1 AS found FROM relationships WHERE child_number = ? AND type = ? AND to_date IS NULL LIMIT 1',
  )
  return {
    ownersOf: (entityNumber, countMax) => owners.all(entityNumber, countMax).map(ownershipOf),
    ownedBy: (entityNumber, countMax) => owned.all(entityNumber, countMax).map(ownershipOf),
    isBranch: (legalEntityNumber) =>
      branch.get(legalEntityNumber, 'IS_INTERNATIONAL_BRANCH_OF') !== undefined,
  }
}

interface OwnershipRow {
  owner_number: number
  owned_number: number
  type: OwnershipType
  percentage: number | null
  from_date: string | null
  source_url: string | null
}

function ownershipOf(row: OwnershipRow): StoredOwnership {
  return {
    ownerNumber: row.owner_number,
    ownedNumber: row.owned_number,
    type: row.type,
    percentage: row.percentage,
    fromDate: row.from_date,
    sourceUrl: row.source_url,
  }
}

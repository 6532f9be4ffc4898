import type { Sqlite } from '../../platform/sqlite.js'
import {
  ownershipTypes,
  type OwnershipType,
  type RelationshipType,
  type CodeItem,
  type RelationshipItem,
  type SecurityItem,
} from '../model/registry-rows.js'
import { deriveId, toStoredKey, type DomainHolder } from '../model/identifiers.js'
import { toKeySql } from './registration-columns.js'
import type { ImportOrigin } from './registration-columns.js'

/** Replaces a source's relationships with the parents in its rows. The caller opens the transaction. */
export function recordParents(database: Sqlite, sourceNumber: number): void {
  database.prepare('DELETE FROM relationships WHERE source_number = ?').run(sourceNumber)
  const type: RelationshipType = 'IS_CONTROLLED_BY'
  database.function('registration_key', { deterministic: true }, (sourceKey) =>
    toStoredKey('le_', deriveId('le_', String(sourceKey))),
  )
  database
    .prepare(
      `INSERT INTO relationships (source_number, child_number, parent_number, type)
       SELECT c.source_number, c.number, p.number, ?
       FROM legal_entities c INDEXED BY legal_entities_with_parent
       CROSS JOIN legal_entities p ON p.key = registration_key(c.parent_key) AND p.source_number = c.source_number
       WHERE c.source_number = ? AND c.parent_key IS NOT NULL AND c.removed_from_source = 0 AND p.removed_from_source = 0
         AND p.number <> c.number
       ORDER BY c.number`,
    )
    .run(type, sourceNumber)
}

/** An ownership between two companies, by number, as one of their registrations states it. */
export interface StoredOwnership {
  readonly ownerNumber: number
  readonly ownedNumber: number
  readonly type: OwnershipType
  readonly percentage: number | null
  /** In the known precision: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. */
  readonly fromDate: string | null
  readonly sourceUrl: string | null
}

/** Reads present relationships; ended ones are stored, but not read. */
export interface OwnershipReader {
  /** Direct owners before ultimate ones. */
  findOwners(entityNumber: number, countMax: number): StoredOwnership[]
  findOwned(entityNumber: number, countMax: number): StoredOwnership[]
  /** True if the registration is a branch of one in another country. */
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
    findOwners: (entityNumber, countMax) => owners.all(entityNumber, countMax).map(toOwnership),
    findOwned: (entityNumber, countMax) => owned.all(entityNumber, countMax).map(toOwnership),
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

function toOwnership(row: OwnershipRow): StoredOwnership {
  return {
    ownerNumber: row.owner_number,
    ownedNumber: row.owned_number,
    type: row.type,
    percentage: row.percentage,
    fromDate: row.from_date,
    sourceUrl: row.source_url,
  }
}

/** Writes relationships, codes and securities. */
interface ReferenceWriter {
  write(item: RelationshipItem | CodeItem | SecurityItem): 'imported' | 'updated' | 'repeated'
  /** Removes rows that the source no longer states. Returns their number. */
  removeUnseen(): number
  /** Counts relationships and securities of registrations that are not stored. */
  countWaitingReferences(): number
}

const tables = ['stated_relationships', 'listed_codes', 'securities'] as const

export function createReferenceWriter(database: Sqlite, own: ImportOrigin): ReferenceWriter {
  const relationships = createRelationshipWriter(database, own)
  const codes = createCodeWriter(database, own)
  const securities = createSecurityWriter(database, own)
  return {
    write(item) {
      // An older file adds nothing: the newest one is complete.
      if (own.isWhole && own.importSequence !== own.newestSequence) return 'repeated'
      switch (item.kind) {
        case 'relationship':
          return relationships(item)
        case 'code':
          return codes(item)
        case 'security':
          return securities(item)
      }
    },
    removeUnseen() {
      const counts = tables.map(
        (table) =>
          database
            .prepare(`DELETE FROM ${table} WHERE source_number = ? AND import_sequence < ?`)
            .run(own.sourceNumber, own.newestSequence).changes,
      )
      return counts.reduce((sum, count) => sum + count, 0)
    },
    countWaitingReferences() {
      const formatMissing = (column: string) =>
        `NOT EXISTS (SELECT 1 FROM legal_entities l WHERE l.key = ${toKeySql(column)} AND l.removed_from_source = 0)`
      const count = (sql: string) =>
        database.prepare<[number], number>(sql).pluck().get(own.sourceNumber) ?? 0
      return (
        count(
          `SELECT count(*) FROM stated_relationships
           WHERE source_number = ? AND (${formatMissing('child_id')} OR ${formatMissing('parent_id')})`,
        ) +
        count(
          `SELECT count(*) FROM securities WHERE source_number = ? AND ${formatMissing('registration_id')}`,
        )
      )
    },
  }
}

/** Tells whether a row is new, known from an earlier import, or repeated in this one. */
function classifyOutcome(known: { import_sequence: number } | undefined, own: ImportOrigin) {
  if (known === undefined) return 'imported'
  return known.import_sequence === own.importSequence ? 'repeated' : 'updated'
}

function createRelationshipWriter(database: Sqlite, own: ImportOrigin) {
  const find = database.prepare<[number, string, string, string], { import_sequence: number }>(
    `SELECT import_sequence FROM stated_relationships
     WHERE source_number = ? AND child_id = ? AND parent_id = ? AND type = ?`,
  )
  const put = database.prepare(
    `INSERT OR REPLACE INTO stated_relationships (source_number, child_id, parent_id, type, percentage, from_date,
       to_date, source_url, import_sequence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (item: RelationshipItem) => {
    const childId = deriveId('le_', item.childKey)
    const parentId = deriveId('le_', item.parentKey)
    const outcome = classifyOutcome(find.get(own.sourceNumber, childId, parentId, item.type), own)
    put.run(
      own.sourceNumber,
      childId,
      parentId,
      item.type,
      item.percentage,
      item.fromDate,
      item.toDate,
      item.sourceUrl,
      own.importSequence,
    )
    return outcome
  }
}

function createCodeWriter(database: Sqlite, own: ImportOrigin) {
  const find = database.prepare<[string, string], { import_sequence: number }>(
    'SELECT import_sequence FROM listed_codes WHERE scheme = ? AND code = ?',
  )
  const put = database.prepare(
    `INSERT OR REPLACE INTO listed_codes (source_number, scheme, code, facts_json, import_sequence)
     VALUES (?, ?, ?, ?, ?)`,
  )
  return (item: CodeItem) => {
    const outcome = classifyOutcome(find.get(item.scheme, item.code), own)
    // A legal form has a line per language: the first one is kept.
    if (outcome !== 'repeated') {
      put.run(own.sourceNumber, item.scheme, item.code, JSON.stringify(item.facts), own.importSequence)
    }
    return outcome
  }
}

function createSecurityWriter(database: Sqlite, own: ImportOrigin) {
  const find = database.prepare<[string, string], { import_sequence: number }>(
    'SELECT import_sequence FROM securities WHERE isin = ? AND registration_id = ?',
  )
  const put = database.prepare(
    `INSERT OR REPLACE INTO securities (isin, registration_id, source_number, import_sequence)
     VALUES (?, ?, ?, ?)`,
  )
  return (item: SecurityItem) => {
    const issuerId = deriveId('le_', item.issuerKey)
    const outcome = classifyOutcome(find.get(item.isin, issuerId), own)
    if (outcome !== 'repeated') put.run(item.isin, issuerId, own.sourceNumber, own.importSequence)
    return outcome
  }
}

/** Creates the stated relationships whose two registrations exist, in any order of imports. */
export function linkStatedRelationships(database: Sqlite): void {
  database.exec(
    `INSERT OR IGNORE INTO relationships (source_number, child_number, parent_number, type, percentage,
       from_date, to_date, source_url)
     SELECT r.source_number, c.number, p.number, r.type, r.percentage, r.from_date, r.to_date, r.source_url
     FROM stated_relationships r
     JOIN legal_entities c ON c.key = ${toKeySql('r.child_id')}
     JOIN legal_entities p ON p.key = ${toKeySql('r.parent_id')}
     WHERE c.number <> p.number ORDER BY r.source_number, c.number, p.number, r.type`,
  )
}

/** SQL for the name of a source `s`, with its publisher and licence if it was loaded by its name. */
export const creditedName = `s.name || coalesce(' (' || (s.settings_json ->> '$.credit') || ')', '')`

/** The direct parent of a registration. */
export const selectParent = (
  child: string,
) => `FROM relationships r JOIN legal_entities p ON p.number = r.parent_number
  JOIN sources s ON s.number = r.source_number
  WHERE r.child_number = ${child} AND r.type IN ('IS_DIRECTLY_CONSOLIDATED_BY', 'IS_CONTROLLED_BY')
    AND r.to_date IS NULL ORDER BY r.number LIMIT 1`

/** Thousands of companies have a page on a social network; the site of the domain itself is among the shortest. */
const domainHoldersMax = 200

interface SiteRow {
  number: number
  entity_number: number
  website: string
  status: string | null
}

/** Finds registrations with a website or a listed domain in a registrable domain, shortest website first. */
export function createHolderFinder(database: Sqlite): (rootDomain: string) => DomainHolder[] {
  const byDomain = database.prepare<[{ domain: string }], SiteRow>(
    `SELECT * FROM (SELECT number, entity_number, website, status FROM legal_entities
     WHERE domain = @domain AND domain IS NOT NULL AND removed_from_source = 0
     UNION ALL SELECT l.number, l.entity_number, i.value, l.status FROM identifiers i
       JOIN legal_entities l ON l.number = i.legal_entity_number AND l.removed_from_source = 0
     WHERE i.search_key = @domain AND i.type = 'domain')
     ORDER BY length(website), number LIMIT ${domainHoldersMax}`,
  )
  return (rootDomain) =>
    byDomain.all({ domain: rootDomain }).map((row) => ({
      entityNumber: row.entity_number,
      legalEntityNumber: row.number,
      website: row.website,
      isActive: row.status === null || row.status === 'active',
    }))
}

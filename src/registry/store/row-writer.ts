import type { Sqlite } from '../../platform/sqlite.js'
import { deriveId } from '../model/identifiers.js'
import { normalizeRegistrationNumber } from '../linkage/entity-clusters.js'
import type { RegistryRow } from '../model/registry-rows.js'
import { parseName, type ParsedName } from '../normalize/parsed-name.js'
import { createNameWriter } from './name-index.js'
import {
  listAddressValues,
  computeContentHash,
  registrationColumns,
  listRegistrationValues,
  type RowOrigin,
} from './registration-columns.js'

export interface RowWriter {
  /** Adds a registration unless its id exists. Returns whether it was added. */
  add(id: string, row: RegistryRow, origin: RowOrigin): boolean
  /** Updates an existing registration. Ids never change. */
  replace(row: RegistryRow, origin: RowOrigin, removedFromSource?: boolean): void
  /** Marks registrations missing from the source's newest import (`sequence`). Returns their number. */
  markRemovedFromSource(sequence: number): number
  /** Counts the replaced registrations that had another content. */
  countChanged(): number
  /** Does deferred work, so that details can be read. */
  endBulk(): void
  /** Completes the indexes; before this only the methods above may be used. */
  finish(): void
}

/** Parsed once for the columns and the index. */
const parseNames = ({ names }: RegistryRow): ParsedName[] => names.map(({ name }) => parseName(name))

const joinColumns = (columns: readonly string[]) => columns.join(', ')
const joinPlaceholders = (columns: readonly string[]) => columns.map(() => '?').join(', ')

const insertRegistration = `INSERT INTO legal_entities (id, entity_number, ${joinColumns(registrationColumns)})
  VALUES (?, ?, ${joinPlaceholders(registrationColumns)}) ON CONFLICT (id) DO NOTHING`

const updateRegistration = `UPDATE legal_entities SET removed_from_source = ?, ${joinColumns(
  registrationColumns.map((column) => `${column} = ?`),
)} WHERE number = ?`

/** Writes the rows of one import, each as a company, in the caller's transaction. `joinRegistrations` merges later. */
export function createRowWriter(database: Sqlite, sourceNumber: number): RowWriter {
  const bulk = createBulk(database)
  const { names } = bulk
  const insertEntity = database.prepare('INSERT INTO entities (id) VALUES (?) ON CONFLICT (id) DO NOTHING')
  const insert = database.prepare(insertRegistration)
  const existing = createRegistrationUpdater(database)
  const insertIdentifier = database.prepare('INSERT OR IGNORE INTO identifiers VALUES (?, ?, ?, ?, ?, ?)')
  const insertAddress = database.prepare(
    'INSERT INTO addresses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )

  let changedCount = 0
  const addDetails = (number: number, row: RegistryRow, parsedNames: readonly ParsedName[]) => {
    names.add(number, row.names, parsedNames)
    for (const [position, { type, value, jurisdiction, exchange }] of row.identifiers.entries()) {
      const isNumber = type === 'registration_id'
      const held = isNumber
        ? normalizeRegistrationNumber(value, jurisdiction, row.registrationAuthority)
        : value
      insertIdentifier.run(type, held, jurisdiction ?? '', number, position, exchange ?? null)
    }
    insertAddress.run(number, 'headquarters', ...listAddressValues(row))
  }

  return {
    add(id, row, origin) {
      const entityId = deriveId('siq_', row.sourceKey)
      const entity = insertEntity.run(entityId)
      if (entity.changes === 0) return false
      const parsedNames = parseNames(row)
      const values = listRegistrationValues(row, parsedNames, origin, computeContentHash(row))
      const added = insert.run(id, entity.lastInsertRowid, ...values)
      if (added.changes === 1) addDetails(Number(added.lastInsertRowid), row, parsedNames)
      else existing.linkEntity(entityId, id)
      return added.changes === 1
    },
    replace(row, origin, removedFromSource = false) {
      const id = deriveId('le_', row.sourceKey)
      const hash = computeContentHash(row)
      if (existing.keepUnchanged(id, row, origin, hash, removedFromSource)) return
      changedCount++
      bulk.end()
      const number = existing.clearDetails(id, names)
      const parsedNames = parseNames(row)
      existing.update(number, listRegistrationValues(row, parsedNames, origin, hash), removedFromSource)
      addDetails(number, row, parsedNames)
    },
    markRemovedFromSource(sequence) {
      if (bulk.wasFirst) return 0
      return database
        .prepare(
          'UPDATE legal_entities SET removed_from_source = 1 WHERE source_number = ? AND import_sequence < ? AND removed_from_source = 0',
        )
        .run(sourceNumber, sequence).changes
    },
    countChanged: () => changedCount,
    endBulk: () => {
      bulk.end()
    },
    finish: () => {
      bulk.end()
      names.settle()
    },
  }
}

/** Defers index work while the registry is empty and until a row repeats. */
function createBulk(database: Sqlite) {
  const isFirst = database.prepare('SELECT 1 FROM legal_entities LIMIT 1').get() === undefined
  let restoreIndexes = isFirst ? deferIndexes(database) : null
  const names = createNameWriter(database, isFirst)
  return {
    names,
    wasFirst: isFirst,
    end() {
      restoreIndexes?.()
      restoreIndexes = null
      names.indexAll()
    },
  }
}

function createRegistrationUpdater(database: Sqlite) {
  const find = database.prepare<[string], { number: number }>(
    'SELECT number FROM legal_entities WHERE id = ?',
  )
  const update = database.prepare(updateRegistration)
  const keep = database.prepare(
    `UPDATE legal_entities SET removed_from_source = ?, source_number = ?, source_line = ?, import_sequence = ?,
       stated_on = ?, named_on = ? WHERE id = ? AND content_hash = ?`,
  )
  const removeIdentifiers = database.prepare('DELETE FROM identifiers WHERE legal_entity_number = ?')
  const removeAddresses = database.prepare('DELETE FROM addresses WHERE legal_entity_number = ?')
  const adopt = database.prepare(
    `UPDATE entities SET merged_into = (SELECT e.id FROM legal_entities l JOIN entities e
       ON e.number = coalesce(l.joined_from_number, l.entity_number) WHERE l.id = ?) WHERE id = ?`,
  )
  return {
    /** Returns whether the registration already has the content of the row. */
    keepUnchanged(
      id: string,
      row: RegistryRow,
      origin: RowOrigin,
      hash: string,
      removedFromSource: boolean,
    ): boolean {
      const { sourceNumber, importSequence, statedOn, namedOn } = origin
      const stated = [sourceNumber, row.sourceLine, importSequence, statedOn, namedOn]
      return keep.run(Number(removedFromSource), ...stated, id, hash).changes === 1
    },
    clearDetails(id: string, names: { removeAll(number: number): void }): number {
      const found = find.get(id)
      if (found === undefined) throw new Error(`the registration ${id} has a company and no row`)
      names.removeAll(found.number)
      removeIdentifiers.run(found.number)
      removeAddresses.run(found.number)
      return found.number
    },
    update(
      number: number,
      values: ReturnType<typeof listRegistrationValues>,
      removedFromSource: boolean,
    ): void {
      update.run(Number(removedFromSource), ...values, number)
    },
    /** Older registries did not give a joined registration the id of a company. */
    linkEntity(entityId: string, legalEntityId: string): void {
      adopt.run(legalEntityId, entityId)
    },
  }
}

/** Tables that an import may fill with millions of rows. */
const filledTables = ['legal_entities', 'names', 'identifiers']

/**
 * Drops the indexes of empty tables and returns a function that restores them: building an index at the end takes a
 * fraction of the time. Unique indexes stay.
 */
function deferIndexes(database: Sqlite): () => void {
  const indexes = database
    .prepare<string[], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_master
       WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN (${filledTables.map(() => '?').join(', ')})`,
    )
    .all(...filledTables)
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`)
  return () => {
    for (const { sql } of indexes) database.exec(sql)
  }
}

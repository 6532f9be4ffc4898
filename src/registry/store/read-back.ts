import type { Sqlite } from '../../platform/sqlite.js'
import type { RegistryRow } from '../model/registry-row.js'
import {
  bodyOf,
  createIdentifierReader,
  createNameReader,
  rowAddressOf,
  tradeOf,
  type AddressColumns,
  type FactColumns,
  type RowOrigin,
} from './registration-columns.js'

interface HeldRow extends FactColumns, AddressColumns {
  number: number
  source_number: number
  import_sequence: number
  stated_on: string | null
  named_on: string | null
  removed_from_source: number
  source_key: string
  source_line: number
  legal_name: string
  parent_key: string | null
  successor_key: string | null
  source_url: string | null
  identifiers_omitted: number
}

/** What a source stated of a registration. */
export interface HeldClaim extends RowOrigin {
  readonly row: RegistryRow
  readonly removedFromSource: boolean
}

/**
 * The row that a registration was written from, as it was stated: without the names that older files bore. Its keys
 * have the order in which importers write them: rows are compared as JSON. Null for an id that is not held.
 */
export function createReadBack(database: Sqlite): (id: string) => HeldClaim | null {
  const held = database.prepare<[string], HeldRow>(
    `SELECT l.*, a.* FROM legal_entities l
     LEFT JOIN addresses a ON a.legal_entity_number = l.number AND a.kind = 'headquarters' WHERE l.id = ?`,
  )
  const namesOf = createNameReader(database, 'stated')
  const identifiersOf = createIdentifierReader(database)
  return (id) => {
    const found = held.get(id)
    if (found === undefined) return null
    const row: RegistryRow = {
      sourceKey: found.source_key,
      sourceLine: found.source_line,
      legalName: found.legal_name,
      names: namesOf(found.number),
      ...bodyOf(found),
      identifiers: identifiersOf(found.number),
      ...(found.identifiers_omitted === 0 ? {} : { identifiersOmitted: found.identifiers_omitted }),
      address: rowAddressOf(found),
      ...tradeOf(found),
      parentKey: found.parent_key,
      successorKey: found.successor_key,
      sourceUrl: found.source_url,
    }
    const statedOn = found.stated_on ?? ''
    return {
      sourceNumber: found.source_number,
      importSequence: found.import_sequence,
      statedOn,
      namedOn: found.named_on ?? statedOn,
      removedFromSource: found.removed_from_source === 1,
      row,
    }
  }
}

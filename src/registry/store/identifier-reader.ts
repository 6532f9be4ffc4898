import type { Sqlite } from '../../platform/sqlite.js'
import type { IdentifierType } from '../../contract/enums.js'
import type { RowIdentifier } from '../model/registry-row.js'

interface IdentifierRow {
  type: IdentifierType
  value: string
  jurisdiction: string
  exchange: string | null
}

/** The identifiers of a registration, in the order in which its sources state them. */
export function createIdentifierReader(database: Sqlite): (legalEntityNumber: number) => RowIdentifier[] {
  const identifiers = database.prepare<[number], IdentifierRow>(
    `SELECT type, value, jurisdiction, exchange FROM identifiers WHERE legal_entity_number = ? ORDER BY position`,
  )
  return (legalEntityNumber) =>
    identifiers.all(legalEntityNumber).map(({ type, value, jurisdiction, exchange }) => ({
      type,
      value,
      jurisdiction: jurisdiction === '' ? null : jurisdiction,
      ...(exchange === null ? {} : { exchange }),
    }))
}

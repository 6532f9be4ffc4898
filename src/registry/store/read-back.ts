import type { Sqlite } from '../../platform/sqlite.js'
import type { EntitySubtype, EntityType } from '../../contract/enums.js'
import type { NameKind } from '../model/registry-row.js'
import type { RegistryRow, RowAddress, RowName } from '../model/registry-row.js'
import { createIdentifierReader } from './identifier-reader.js'
import type { RowOrigin } from './row-writer.js'

interface HeldRow {
  number: number
  source_number: number
  import_sequence: number
  stated_on: string | null
  named_on: string | null
  removed_from_source: number
  source_key: string
  source_line: number
  legal_name: string
  type: EntityType
  subtype: EntitySubtype
  status: string | null
  legal_form: string | null
  jurisdiction: string | null
  registration_authority: string | null
  website: string | null
  sic: string | null
  naics: string | null
  industry_codes: string | null
  formed_on: string | null
  parent_key: string | null
  successor_key: string | null
  source_url: string | null
  identifiers_omitted: number
}

interface AddressRow {
  street_address: string | null
  city: string | null
  region: string | null
  postal_code: string | null
  country_code: string | null
  formatted_address: string | null
  street_number: string | null
  sub_premise: string | null
}

/** What a source stated of a registration. */
export interface HeldClaim extends RowOrigin {
  readonly row: RegistryRow
  readonly removedFromSource: boolean
}

/**
 * The row that a registration was written from, as it was stated: without the names that older files bore.
 * Null for an id that is not held.
 */
export function createReadBack(database: Sqlite): (id: string) => HeldClaim | null {
  const held = database.prepare<[string], HeldRow>('SELECT * FROM legal_entities WHERE id = ?')
  const names = database.prepare<[number], { kind: NameKind; name: string; ended_on: string | null }>(
    `SELECT kind, name, ended_on FROM names WHERE legal_entity_number = ? AND ended_source IS NULL
     ORDER BY number`,
  )
  const identifiersOf = createIdentifierReader(database)
  const address = database.prepare<[number], AddressRow>(
    "SELECT * FROM addresses WHERE legal_entity_number = ? AND kind = 'headquarters'",
  )
  return (id) => {
    const found = held.get(id)
    if (found === undefined) return null
    const row: RegistryRow = {
      sourceKey: found.source_key,
      sourceLine: found.source_line,
      legalName: found.legal_name,
      names: names.all(found.number).map(nameOf),
      type: found.type,
      subtype: found.subtype,
      status: found.status,
      legalForm: found.legal_form,
      jurisdiction: found.jurisdiction,
      registrationAuthority: found.registration_authority,
      identifiers: identifiersOf(found.number),
      ...(found.identifiers_omitted === 0 ? {} : { identifiersOmitted: found.identifiers_omitted }),
      address: addressOf(address.get(found.number)),
      website: found.website,
      sic: found.sic,
      naics: found.naics,
      industryCodes: found.industry_codes,
      formedOn: found.formed_on,
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

function nameOf({
  kind,
  name,
  ended_on,
}: {
  kind: NameKind
  name: string
  ended_on: string | null
}): RowName {
  return ended_on === null ? { kind, name } : { kind, name, endedOn: ended_on }
}

function addressOf(found: AddressRow | undefined): RowAddress {
  return {
    street: found?.street_address ?? null,
    streetNumber: found?.street_number ?? null,
    subPremise: found?.sub_premise ?? null,
    city: found?.city ?? null,
    region: found?.region ?? null,
    postalCode: found?.postal_code ?? null,
    countryCode: found?.country_code ?? null,
    formatted: found?.formatted_address ?? null,
  }
}

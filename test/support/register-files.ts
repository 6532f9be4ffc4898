import { stringify } from 'csv-stringify/sync'
import { importCsv, type ImportCsvOptions } from '../../src/registry/import/import-csv.js'
import { importFile, type FormatName } from '../../src/registry/import/file-formats.js'
import type { ImportResult } from '../../src/registry/import/session.js'
import type { WritableRegistry } from '../../src/registry/registry.js'
import { writeContent, type Row } from './registry.js'

/** Files in the shapes that registers publish, with a few companies that they hold. */

export const lei = {
  ford: '20S05OYHG0MQM4VUIC57',
  ball: '0BGI85ALH27ZJP15DY16',
  aecom: '0EEB8GF0W0NPCIHZX097',
  hershey: '21X2CX66SU2BR6QTAD08',
  marriott: '225YDZ14ZO8E1TXUSU86',
} as const

/** Columns of the golden copy that are read; the file has hundreds more. */
const levelOneColumns = [
  'LEI',
  'Entity.LegalName',
  'Entity.LegalName.xmllang',
  'Entity.OtherEntityNames.OtherEntityName.1',
  'Entity.OtherEntityNames.OtherEntityName.1.xmllang',
  'Entity.OtherEntityNames.OtherEntityName.1.type',
  'Entity.OtherEntityNames.OtherEntityName.2',
  'Entity.OtherEntityNames.OtherEntityName.2.type',
  'Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.1',
  'Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.1.type',
  ...['LegalAddress', 'HeadquartersAddress'].flatMap((block) =>
    [
      'FirstAddressLine',
      'AddressNumber',
      'AddressNumberWithinBuilding',
      'AdditionalAddressLine.1',
      'City',
      'Region',
      'Country',
      'PostalCode',
    ].map((part) => `Entity.${block}.${part}`),
  ),
  'Entity.RegistrationAuthority.RegistrationAuthorityID',
  'Entity.RegistrationAuthority.RegistrationAuthorityEntityID',
  'Entity.LegalJurisdiction',
  'Entity.EntityCategory',
  'Entity.LegalForm.EntityLegalFormCode',
  'Entity.EntityStatus',
  'Entity.EntityCreationDate',
  'Entity.SuccessorEntity.1.SuccessorLEI',
  'Registration.RegistrationStatus',
]

export const levelOne = {
  ford: {
    LEI: lei.ford,
    'Entity.LegalName': 'Ford Motor Company',
    'Entity.LegalAddress.City': 'Wilmington',
    'Entity.LegalAddress.Country': 'US',
    'Entity.HeadquartersAddress.FirstAddressLine': 'One American Road',
    'Entity.HeadquartersAddress.AdditionalAddressLine.1': 'Suite 1026',
    'Entity.HeadquartersAddress.City': 'Dearborn',
    'Entity.HeadquartersAddress.Region': 'US-MI',
    'Entity.HeadquartersAddress.Country': 'US',
    'Entity.HeadquartersAddress.PostalCode': '48126',
    'Entity.RegistrationAuthority.RegistrationAuthorityID': 'RA000602',
    'Entity.RegistrationAuthority.RegistrationAuthorityEntityID': '152404',
    'Entity.LegalJurisdiction': 'US-DE',
    'Entity.EntityCategory': 'GENERAL',
    'Entity.LegalForm.EntityLegalFormCode': 'XTIQ',
    'Entity.EntityStatus': 'ACTIVE',
    'Entity.EntityCreationDate': '1919-07-09T00:00:00-05:00',
    'Registration.RegistrationStatus': 'ISSUED',
  },
  ball: {
    LEI: lei.ball,
    'Entity.LegalName': 'Ball Corporation',
    'Entity.OtherEntityNames.OtherEntityName.1': 'Ball Brothers Company',
    'Entity.OtherEntityNames.OtherEntityName.1.type': 'PREVIOUS_LEGAL_NAME',
    'Entity.OtherEntityNames.OtherEntityName.2': 'Ball Packaging',
    'Entity.OtherEntityNames.OtherEntityName.2.type': 'TRADING_OR_OPERATING_NAME',
    'Entity.HeadquartersAddress.City': 'Westminster',
    'Entity.HeadquartersAddress.Region': 'US-CO',
    'Entity.HeadquartersAddress.Country': 'US',
    'Entity.LegalJurisdiction': 'US-IN',
    'Entity.EntityStatus': 'ACTIVE',
  },
  aecom: {
    LEI: lei.aecom,
    'Entity.LegalName': 'AECOM',
    'Entity.HeadquartersAddress.City': 'Dallas',
    'Entity.HeadquartersAddress.Region': 'US-TX',
    'Entity.HeadquartersAddress.Country': 'US',
    'Entity.LegalJurisdiction': 'US-DE',
    'Entity.EntityStatus': 'ACTIVE',
  },
} as const satisfies Record<string, Row>

export function levelOneCsv(rows: readonly Row[]): string {
  return stringify([...rows], { header: true, columns: levelOneColumns, quoted: true })
}

/** The same records as GLEIF has them in JSON. */
export function levelOneJson(rows: readonly Row[]): string {
  return JSON.stringify({ records: rows.map(recordOf) }, null, 2)
}

function recordOf(row: Row): unknown {
  const value = (text: string | undefined) => (text === undefined ? undefined : { $: text })
  const at = (column: string) => value(row[column])
  const address = (block: string) => ({
    FirstAddressLine: at(`Entity.${block}.FirstAddressLine`),
    AddressNumber: at(`Entity.${block}.AddressNumber`),
    AddressNumberWithinBuilding: at(`Entity.${block}.AddressNumberWithinBuilding`),
    ...(row[`Entity.${block}.AdditionalAddressLine.1`] === undefined
      ? {}
      : { AdditionalAddressLine: [at(`Entity.${block}.AdditionalAddressLine.1`)] }),
    City: at(`Entity.${block}.City`),
    Region: at(`Entity.${block}.Region`),
    Country: at(`Entity.${block}.Country`),
    PostalCode: at(`Entity.${block}.PostalCode`),
  })
  const names = [1, 2].flatMap((number) => {
    const column = `Entity.OtherEntityNames.OtherEntityName.${number}`
    const text = row[column]
    return text === undefined ? [] : [{ '@xml:lang': 'en', '@type': row[`${column}.type`], $: text }]
  })
  return {
    LEI: at('LEI'),
    Entity: {
      LegalName: { '@xml:lang': 'en', $: row['Entity.LegalName'] },
      ...(names.length === 0 ? {} : { OtherEntityNames: { OtherEntityName: names } }),
      LegalAddress: address('LegalAddress'),
      HeadquartersAddress: address('HeadquartersAddress'),
      RegistrationAuthority: {
        RegistrationAuthorityID: at('Entity.RegistrationAuthority.RegistrationAuthorityID'),
        RegistrationAuthorityEntityID: at('Entity.RegistrationAuthority.RegistrationAuthorityEntityID'),
      },
      LegalJurisdiction: at('Entity.LegalJurisdiction'),
      EntityCategory: at('Entity.EntityCategory'),
      LegalForm: { EntityLegalFormCode: at('Entity.LegalForm.EntityLegalFormCode') },
      EntityStatus: at('Entity.EntityStatus'),
      EntityCreationDate: at('Entity.EntityCreationDate'),
    },
    Registration: { RegistrationStatus: at('Registration.RegistrationStatus') },
  }
}

export interface RelationshipRow {
  readonly child: string
  readonly parent: string
  readonly type?: string
  readonly status?: string
  readonly percentage?: string
  readonly from?: string
}

export function levelTwoCsv(rows: readonly RelationshipRow[]): string {
  const records = rows.map((row) => ({
    'Relationship.StartNode.NodeID': row.child,
    'Relationship.StartNode.NodeIDType': 'LEI',
    'Relationship.EndNode.NodeID': row.parent,
    'Relationship.EndNode.NodeIDType': 'LEI',
    'Relationship.RelationshipType': row.type ?? 'IS_DIRECTLY_CONSOLIDATED_BY',
    'Relationship.RelationshipStatus': row.status ?? 'ACTIVE',
    'Relationship.Period.1.startDate': '2023-01-01T00:00:00Z',
    'Relationship.Period.1.endDate': '2023-12-31T00:00:00Z',
    'Relationship.Period.1.periodType': 'ACCOUNTING_PERIOD',
    'Relationship.Period.2.startDate': row.from ?? '',
    'Relationship.Period.2.endDate': '',
    'Relationship.Period.2.periodType': row.from === undefined ? '' : 'RELATIONSHIP_PERIOD',
    'Relationship.Quantifiers.1.MeasurementMethod':
      row.percentage === undefined ? '' : 'ACCOUNTING_CONSOLIDATION',
    'Relationship.Quantifiers.1.QuantifierAmount': row.percentage ?? '',
    'Relationship.Quantifiers.1.QuantifierUnits': row.percentage === undefined ? '' : 'PERCENTAGE',
    'Registration.LastUpdateDate': '2024-05-01T00:00:00Z',
    'Registration.RegistrationStatus': 'PUBLISHED',
  }))
  return stringify(records, { header: true })
}

export function tickersJson(rows: readonly (readonly [number, string, string, string | null])[]): string {
  return JSON.stringify({ fields: ['cik', 'name', 'ticker', 'exchange'], data: rows })
}

const subColumns =
  'adsh,cik,name,sic,countryba,stprba,cityba,zipba,bas1,bas2,baph,countryinc,stprinc,ein,former,changed,form,filed'

/** `tab` as the SEC publishes it: no quotes, whatever stands in a cell. */
export function subTable(rows: readonly Row[], as: 'tab' | 'csv' = 'tab'): string {
  const columns = subColumns.split(',')
  if (as === 'csv') return stringify([...rows], { header: true, columns })
  return [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
    .map((cells) => `${cells.join('\t')}\n`)
    .join('')
}

const companyColumns = [
  'CompanyName',
  ' CompanyNumber',
  'RegAddress.CareOf',
  'RegAddress.POBox',
  'RegAddress.AddressLine1',
  ' RegAddress.AddressLine2',
  'RegAddress.PostTown',
  'RegAddress.County',
  'RegAddress.Country',
  'RegAddress.PostCode',
  'CompanyCategory',
  'CompanyStatus',
  'CountryOfOrigin',
  'DissolutionDate',
  'IncorporationDate',
  'SICCode.SicText_1',
  'SICCode.SicText_2',
  'URI',
  'PreviousName_1.CONDATE',
  ' PreviousName_1.CompanyName',
  ' PreviousName_2.CONDATE',
  ' PreviousName_2.CompanyName',
]

/** BasicCompanyData: some of its headers begin with a space. Rows go by the names without it. */
export function companyData(rows: readonly Row[]): string {
  const columns = companyColumns.map((header) => ({ key: header.trim(), header }))
  return stringify([...rows], { header: true, columns, quoted: true })
}

/** Writes a file into a folder that is gone when the test is over, and imports it. */
export function importContent(
  registry: WritableRegistry,
  format: 'csv' | FormatName,
  content: string | Buffer,
  { fileName = 'file', ...options }: Partial<ImportCsvOptions> & { fileName?: string } = {},
): Promise<ImportResult> {
  const path = writeContent(fileName, content)
  return format === 'csv'
    ? importCsv(registry, { ...options, path })
    : importFile(registry, { ...options, format, path })
}

/** The registrations held, by key, as a reader could tell them apart; `all` with those that are no longer named. */
export function registrationsOf(
  { database }: WritableRegistry,
  which: 'named' | 'all' = 'named',
): Record<string, unknown> {
  const rows = database
    .prepare<[], { number: number; source_key: string }>(
      `SELECT l.number, l.source_key, l.id, l.legal_name, l.type, l.subtype, l.status, l.legal_form, l.jurisdiction,
         l.registration_authority, l.sic, l.industry_codes, l.formed_on, l.successor_key, l.source_url,${which === 'all' ? ' l.removed_from_source, l.stated_on,' : ''}
         a.street_address, a.city, a.region, a.postal_code, a.country_code, a.region_code
       FROM legal_entities l JOIN addresses a ON a.legal_entity_number = l.number
       WHERE l.removed_from_source = 0 OR ${which === 'all' ? '1' : '0'} ORDER BY l.source_key`,
    )
    .all()
  const names = database.prepare<[number], { kind: string; name: string; ended_on: string | null }>(
    'SELECT kind, name, ended_on FROM names WHERE legal_entity_number = ? ORDER BY number',
  )
  const identifiers = database.prepare<[number], { type: string; value: string; jurisdiction: string }>(
    'SELECT type, value, jurisdiction FROM identifiers WHERE legal_entity_number = ? ORDER BY position',
  )
  return Object.fromEntries(
    rows.map(({ number, source_key, ...row }) => [
      source_key,
      {
        ...row,
        names: names
          .all(number)
          .map(
            ({ kind, name, ended_on }) =>
              `${kind}: ${name}${ended_on === null || which === 'named' ? '' : ` (${ended_on})`}`,
          ),
        identifiers: identifiers
          .all(number)
          .map(({ type, value, jurisdiction }) => [type, value, jurisdiction].filter(Boolean).join(' ')),
      },
    ]),
  )
}

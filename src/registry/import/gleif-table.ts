import type { LeiAddress, LeiName, LeiRecord } from './gleif-record.js'
import type { Table, TableRow } from './table.js'

const numbered = [1, 2, 3, 4, 5]
const otherNameColumns = [
  ...numbered.map((number) => `Entity.OtherEntityNames.OtherEntityName.${number}`),
  ...numbered.map(
    (number) => `Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.${number}`,
  ),
].map((column) => ({ name: column, type: `${column}.type` }))

interface AddressColumns {
  readonly lines: readonly string[]
  readonly number: string
  readonly numberWithinBuilding: string
  readonly city: string
  readonly region: string
  readonly country: string
  readonly postalCode: string
}

const headquartersColumns = addressColumns('Entity.HeadquartersAddress')
const legalAddressColumns = addressColumns('Entity.LegalAddress')

function addressColumns(block: string): AddressColumns {
  return {
    lines: [
      `${block}.FirstAddressLine`,
      ...[1, 2, 3].map((number) => `${block}.AdditionalAddressLine.${number}`),
    ],
    number: `${block}.AddressNumber`,
    numberWithinBuilding: `${block}.AddressNumberWithinBuilding`,
    city: `${block}.City`,
    region: `${block}.Region`,
    country: `${block}.Country`,
    postalCode: `${block}.PostalCode`,
  }
}

const successorColumns = ['Entity.SuccessorEntity.1.SuccessorLEI', 'Entity.SuccessorEntity.SuccessorLEI']

const columns = {
  lei: 'LEI',
  legalName: 'Entity.LegalName',
  authority: 'Entity.RegistrationAuthority.RegistrationAuthorityID',
  authorityNumber: 'Entity.RegistrationAuthority.RegistrationAuthorityEntityID',
  jurisdiction: 'Entity.LegalJurisdiction',
  category: 'Entity.EntityCategory',
  formCode: 'Entity.LegalForm.EntityLegalFormCode',
  formText: 'Entity.LegalForm.OtherLegalForm',
  status: 'Entity.EntityStatus',
  createdOn: 'Entity.EntityCreationDate',
  registrationStatus: 'Registration.RegistrationStatus',
} as const

/** The columns of the golden copy as CSV that are read, of some 340. */
export const leiTable: Pick<Table, 'required' | 'wanted'> = {
  required: [columns.lei, columns.legalName],
  wanted: [
    ...Object.values(columns).slice(2),
    ...successorColumns,
    ...otherNameColumns.flatMap(({ name, type }) => [name, type]),
    ...[headquartersColumns, legalAddressColumns].flatMap(({ lines, ...parts }) => [
      ...lines,
      ...Object.values(parts),
    ]),
  ],
}

export function leiOfRow(row: TableRow): LeiRecord {
  const [successor = '', formerSuccessor = ''] = successorColumns
  return {
    lei: row.text(columns.lei),
    legalName: row.text(columns.legalName),
    otherNames: namesOf(row),
    headquarters: addressOf(row, headquartersColumns),
    legalAddress: addressOf(row, legalAddressColumns),
    authority: row.text(columns.authority),
    authorityNumber: row.text(columns.authorityNumber),
    jurisdiction: row.text(columns.jurisdiction),
    category: row.text(columns.category),
    formCode: row.text(columns.formCode),
    formText: row.text(columns.formText),
    status: row.text(columns.status),
    createdOn: row.text(columns.createdOn),
    successorLei: row.text(successor) ?? row.text(formerSuccessor),
    registrationStatus: row.text(columns.registrationStatus),
  }
}

function namesOf(row: TableRow): LeiName[] {
  const names: LeiName[] = []
  for (const { name, type } of otherNameColumns) {
    const text = row.text(name)
    if (text !== null) names.push({ name: text, type: row.text(type) })
  }
  return names
}

function addressOf(row: TableRow, block: AddressColumns): LeiAddress {
  const lines: string[] = []
  for (const column of block.lines) {
    const text = row.text(column)
    if (text !== null) lines.push(text)
  }
  return {
    lines,
    number: row.text(block.number),
    numberWithinBuilding: row.text(block.numberWithinBuilding),
    city: row.text(block.city),
    region: row.text(block.region),
    country: row.text(block.country),
    postalCode: row.text(block.postalCode),
  }
}

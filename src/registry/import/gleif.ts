import type { FileFormat } from '../model/registry-rows.js'
import { leiItem, type LeiAddress, type LeiName, type LeiRecord } from './gleif-record.js'
import { isJson, jsonItems, listOf, member, parseJson, textOf } from './json-elements.js'
import { openOneFile } from '../../tables/zip-reader.js'
import { otherKind, tableItems, type TableRow, type Table } from './table.js'

/** `gleif`: the Level 1 golden copy, as CSV or JSON, plain or compressed. */
export const gleif: FileFormat = {
  coverage: 'whole',
  addsUp: false,
  async *read(path, options) {
    const file = await openOneFile(path, null)
    if (await isJson(file)) {
      yield* jsonItems(
        file,
        ({ key, text, line }) => {
          if (key !== 'records' && key !== null) throw otherKind(file, goldenCopy, `it has "${key}"`)
          const record = leiOfJson(text)
          return record === null
            ? { kind: 'rejected', line, reason: 'it is not an LEI record in JSON' }
            : leiItem(record, line)
        },
        options,
      )
    } else yield* tableItems(file, leiTable, options)
  },
}

const goldenCopy = { what: 'Level 1 golden copy of GLEIF' }

/** Parses a record of the golden copy in JSON, with every text under "$"; `null` if it is not a record. */
function leiOfJson(text: string): LeiRecord | null {
  const record = parseJson(text)
  const entity = member(record, 'Entity')
  if (typeof entity !== 'object' || entity === null) return null
  const authority = member(entity, 'RegistrationAuthority')
  const form = member(entity, 'LegalForm')
  return {
    lei: valueOf(record, 'LEI'),
    legalName: valueOf(entity, 'LegalName'),
    otherNames: [
      ...namesInJson(entity, 'OtherEntityNames', 'OtherEntityName'),
      ...namesInJson(entity, 'TransliteratedOtherEntityNames', 'TransliteratedOtherEntityName'),
    ],
    headquarters: addressInJson(member(entity, 'HeadquartersAddress')),
    legalAddress: addressInJson(member(entity, 'LegalAddress')),
    authority: valueOf(authority, 'RegistrationAuthorityID'),
    authorityNumber: valueOf(authority, 'RegistrationAuthorityEntityID'),
    jurisdiction: valueOf(entity, 'LegalJurisdiction'),
    category: valueOf(entity, 'EntityCategory'),
    formCode: valueOf(form, 'EntityLegalFormCode'),
    formText: valueOf(form, 'OtherLegalForm'),
    status: valueOf(entity, 'EntityStatus'),
    createdOn: valueOf(entity, 'EntityCreationDate'),
    successorLei: successorOf(entity),
    registrationStatus: valueOf(member(record, 'Registration'), 'RegistrationStatus'),
  }
}

function valueOf(block: unknown, key: string): string | null {
  return textOf(member(member(block, key), '$'))
}

function successorOf(entity: unknown): string | null {
  const found = member(entity, 'SuccessorEntity')
  const [first] = Array.isArray(found) ? (found as unknown[]) : [found]
  return valueOf(first, 'SuccessorLEI')
}

function namesInJson(entity: unknown, listKey: string, key: string): LeiName[] {
  return listOf(member(member(entity, listKey), key)).flatMap((entry) => {
    const name = textOf(member(entry, '$'))
    return name === null ? [] : [{ name, type: textOf(member(entry, '@type')) }]
  })
}

function addressInJson(block: unknown): LeiAddress {
  const more = listOf(member(block, 'AdditionalAddressLine')).map((line) => textOf(member(line, '$')))
  return {
    lines: [valueOf(block, 'FirstAddressLine'), ...more].filter((line) => line !== null),
    number: valueOf(block, 'AddressNumber'),
    numberWithinBuilding: valueOf(block, 'AddressNumberWithinBuilding'),
    city: valueOf(block, 'City'),
    region: valueOf(block, 'Region'),
    country: valueOf(block, 'Country'),
    postalCode: valueOf(block, 'PostalCode'),
  }
}

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

/** The columns of the golden copy as CSV that are read, out of about 340. */
const leiTable: Table = {
  ...goldenCopy,
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
  read: (row, line) => leiItem(leiOfRow(row), line),
}

function leiOfRow(row: TableRow): LeiRecord {
  const [successor = '', formerSuccessor = ''] = successorColumns
  return {
    lei: row.text(columns.lei),
    legalName: row.text(columns.legalName),
    otherNames: namesInRow(row),
    headquarters: addressInRow(row, headquartersColumns),
    legalAddress: addressInRow(row, legalAddressColumns),
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

function namesInRow(row: TableRow): LeiName[] {
  const names: LeiName[] = []
  for (const { name, type } of otherNameColumns) {
    const text = row.text(name)
    if (text !== null) names.push({ name: text, type: row.text(type) })
  }
  return names
}

function addressInRow(row: TableRow, block: AddressColumns): LeiAddress {
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

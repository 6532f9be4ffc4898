import { at as getMember, toList } from '../../core/json.js'
import type { FileFormat } from '../model/registry-rows.js'
import {
  buildLeiItem,
  listAddressColumns,
  type LeiAddress,
  type LeiName,
  type LeiRecord,
} from './gleif-record.js'
import {
  isJson,
  readJsonItems,
  parseJson,
  toText,
  createOtherKindError,
  readTableItems,
  type TableRow,
  type Table,
} from './table.js'
import { openOneFile } from '../../tables/text-tables.js'

/** `gleif`: the Level 1 golden copy, as CSV or JSON, plain or compressed. */
export const gleif: FileFormat = {
  coverage: 'whole',
  addsUp: false,
  async *read(path, options) {
    const file = await openOneFile(path, null)
    if (await isJson(file)) {
      yield* readJsonItems(
        file,
        ({ key, text, line }) => {
          if (key !== 'records' && key !== null)
            throw createOtherKindError(file, goldenCopy, `it has "${key}"`)
          const record = parseLeiRecord(text)
          return record === null
            ? { kind: 'rejected', line, reason: 'it is not an LEI record in JSON' }
            : buildLeiItem(record, line)
        },
        options,
      )
    } else yield* readTableItems(file, leiTable, options)
  },
}

const goldenCopy = { what: 'Level 1 golden copy of GLEIF' }

/** Parses a record of the golden copy in JSON, with every text under "$"; `null` if it is not a record. */
function parseLeiRecord(text: string): LeiRecord | null {
  const record = parseJson(text)
  const entity = getMember(record, 'Entity')
  if (typeof entity !== 'object' || entity === null) return null
  const authority = getMember(entity, 'RegistrationAuthority')
  const form = getMember(entity, 'LegalForm')
  return {
    lei: readValue(record, 'LEI'),
    legalName: readValue(entity, 'LegalName'),
    otherNames: [
      ...readJsonNames(entity, 'OtherEntityNames', 'OtherEntityName'),
      ...readJsonNames(entity, 'TransliteratedOtherEntityNames', 'TransliteratedOtherEntityName'),
    ],
    headquarters: readJsonAddress(getMember(entity, 'HeadquartersAddress')),
    legalAddress: readJsonAddress(getMember(entity, 'LegalAddress')),
    authority: readValue(authority, 'RegistrationAuthorityID'),
    authorityNumber: readValue(authority, 'RegistrationAuthorityEntityID'),
    jurisdiction: readValue(entity, 'LegalJurisdiction'),
    category: readValue(entity, 'EntityCategory'),
    formCode: readValue(form, 'EntityLegalFormCode'),
    formText: readValue(form, 'OtherLegalForm'),
    status: readValue(entity, 'EntityStatus'),
    createdOn: readValue(entity, 'EntityCreationDate'),
    successorLei: readSuccessor(entity),
    registrationStatus: readValue(getMember(record, 'Registration'), 'RegistrationStatus'),
  }
}

function readValue(block: unknown, key: string): string | null {
  return toText(getMember(getMember(block, key), '$'))
}

function readSuccessor(entity: unknown): string | null {
  const found = getMember(entity, 'SuccessorEntity')
  const [first] = Array.isArray(found) ? (found as unknown[]) : [found]
  return readValue(first, 'SuccessorLEI')
}

function readJsonNames(entity: unknown, listKey: string, key: string): LeiName[] {
  return toList(getMember(getMember(entity, listKey), key)).flatMap((entry) => {
    const name = toText(getMember(entry, '$'))
    return name === null ? [] : [{ name, type: toText(getMember(entry, '@type')) }]
  })
}

function readJsonAddress(block: unknown): LeiAddress {
  const more = toList(getMember(block, 'AdditionalAddressLine')).map((line) => toText(getMember(line, '$')))
  return {
    lines: [readValue(block, 'FirstAddressLine'), ...more].filter((line) => line !== null),
    number: readValue(block, 'AddressNumber'),
    numberWithinBuilding: readValue(block, 'AddressNumberWithinBuilding'),
    city: readValue(block, 'City'),
    region: readValue(block, 'Region'),
    country: readValue(block, 'Country'),
    postalCode: readValue(block, 'PostalCode'),
  }
}

const numbered = [1, 2, 3, 4, 5]
const otherNameColumns = [
  ...numbered.map((number) => `Entity.OtherEntityNames.OtherEntityName.${number}`),
  ...numbered.map(
    (number) => `Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.${number}`,
  ),
].map((column) => ({ name: column, type: `${column}.type` }))

type AddressColumns = ReturnType<typeof listAddressColumns>

const headquartersColumns = listAddressColumns('Entity.HeadquartersAddress')
const legalAddressColumns = listAddressColumns('Entity.LegalAddress')

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
  read: (row, line) => buildLeiItem(readLeiRecord(row), line),
}

function readLeiRecord(row: TableRow): LeiRecord {
  const [successor = '', formerSuccessor = ''] = successorColumns
  return {
    lei: row.getText(columns.lei),
    legalName: row.getText(columns.legalName),
    otherNames: readRowNames(row),
    headquarters: readRowAddress(row, headquartersColumns),
    legalAddress: readRowAddress(row, legalAddressColumns),
    authority: row.getText(columns.authority),
    authorityNumber: row.getText(columns.authorityNumber),
    jurisdiction: row.getText(columns.jurisdiction),
    category: row.getText(columns.category),
    formCode: row.getText(columns.formCode),
    formText: row.getText(columns.formText),
    status: row.getText(columns.status),
    createdOn: row.getText(columns.createdOn),
    successorLei: row.getText(successor) ?? row.getText(formerSuccessor),
    registrationStatus: row.getText(columns.registrationStatus),
  }
}

function readRowNames(row: TableRow): LeiName[] {
  const names: LeiName[] = []
  for (const { name, type } of otherNameColumns) {
    const text = row.getText(name)
    if (text !== null) names.push({ name: text, type: row.getText(type) })
  }
  return names
}

function readRowAddress(row: TableRow, block: AddressColumns): LeiAddress {
  const lines: string[] = []
  for (const column of block.lines) {
    const text = row.getText(column)
    if (text !== null) lines.push(text)
  }
  return {
    lines,
    number: row.getText(block.number),
    numberWithinBuilding: row.getText(block.numberWithinBuilding),
    city: row.getText(block.city),
    region: row.getText(block.region),
    country: row.getText(block.country),
    postalCode: row.getText(block.postalCode),
  }
}

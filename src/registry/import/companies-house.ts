import type { EntitySubtype, EntityType } from '../../contract/enums.js'
import { recordUrls } from '../model/identifiers.js'
import { findCompaniesHouseAuthority } from '../reference/registers.js'
import { checkDraft } from './draft.js'
import { formatCompanyNumber } from './gleif-record.js'
import type { ImportItem } from '../model/registry-rows.js'
import { createTableFormat, type TableRow } from './table.js'

const columns = {
  name: 'CompanyName',
  number: 'CompanyNumber',
  careOf: 'RegAddress.CareOf',
  box: 'RegAddress.POBox',
  line1: 'RegAddress.AddressLine1',
  line2: 'RegAddress.AddressLine2',
  town: 'RegAddress.PostTown',
  county: 'RegAddress.County',
  country: 'RegAddress.Country',
  postCode: 'RegAddress.PostCode',
  category: 'CompanyCategory',
  status: 'CompanyStatus',
  formedOn: 'IncorporationDate',
} as const
const sicColumns = [1, 2, 3, 4].map((number) => `SICCode.SicText_${number}`)
const previousNameColumns = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => ({
  name: `PreviousName_${number}.CompanyName`,
  endedOn: `PreviousName_${number}.CONDATE`,
}))

/** `companies-house`: BasicCompanyData of the United Kingdom, as CSV, plain or in its zip. */
export const companiesHouse = createTableFormat({
  what: 'BasicCompanyData file of Companies House',
  required: [columns.name, columns.number],
  wanted: [
    ...Object.values(columns).slice(2),
    ...sicColumns,
    ...previousNameColumns.flatMap((column) => Object.values(column)),
  ],
  read: readCompany,
})

function readCompany(row: TableRow, line: number): ImportItem {
  const number = row.getText(columns.number)
  if (number === null || !/^[A-Z0-9]{1,8}$/i.test(number)) {
    return {
      kind: 'rejected',
      line,
      reason: `its company number "${number ?? ''}" does not have the form of one`,
    }
  }
  const id = formatCompanyNumber(number)
  const category = row.getText(columns.category)
  const read = checkDraft(
    {
      idType: 'registration_id',
      id,
      name: row.getText(columns.name),
      formerNames: previousNameColumns.map(({ name, endedOn }) => ({
        name: row.getText(name) ?? '',
        endedOn: row.getText(endedOn),
      })),
      ...classifyType(category),
      status: row.getText(columns.status),
      legalForm: category,
      country: toCountry(row.getText(columns.country)),
      jurisdiction: 'gb',
      registrationAuthority: findCompaniesHouseAuthority(id),
      address: readAddress(row),
      industryCodes: readIndustryCodes(row),
      formedOn: row.getText(columns.formedOn),
      sourceUrl: recordUrls.companiesHouse(id),
    },
    line,
  )
  return { kind: 'registration', line, read, statedOn: null }
}

function readTexts(row: TableRow, names: readonly string[]): string[] {
  const texts: string[] = []
  for (const name of names) {
    const text = row.getText(name)
    if (text !== null) texts.push(text)
  }
  return texts
}

/** The office is in the United Kingdom unless the file states another country. */
function toCountry(text: string | null): string {
  return text === null || /^(?:great britain|gb-?\w*|not specified)$/i.test(text) ? 'GB' : text
}

function readAddress(row: TableRow) {
  const box = row.getText(columns.box)
  const street = [
    row.getText(columns.careOf),
    box === null ? null : `PO Box ${box.replace(/^(?:p\.?o\.?\s*)?box\s*/i, '')}`,
    row.getText(columns.line1),
    row.getText(columns.line2),
  ].filter((part) => part !== null)
  return {
    street: street.length === 0 ? null : street.join(', '),
    city: row.getText(columns.town),
    region: row.getText(columns.county),
    postalCode: row.getText(columns.postCode),
  }
}

/** Charities have a category; everything else is a company. */
function classifyType(category: string | null): { type: EntityType; subtype: EntitySubtype } {
  if (category !== null && /charitable incorporated/i.test(category)) {
    return { type: 'nonprofit', subtype: 'nonprofit_entity' }
  }
  return { type: 'business', subtype: 'incorporated_entity' }
}

/** "46730 - Agents involved in …" is UK SIC 2007, not the American scheme of the same name. */
function readIndustryCodes(row: TableRow): string | null {
  const codes = readTexts(row, sicColumns).flatMap((text) => /^\d{5}/.exec(text)?.[0] ?? [])
  return codes.length === 0 ? null : `uk_sic_2007:${codes.join(' ')}`
}

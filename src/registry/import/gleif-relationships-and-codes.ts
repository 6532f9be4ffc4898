import { toCanonicalIdentifier } from '../../core/identifiers.js'
import { recordUrls } from '../model/identifiers.js'
import type { ImportItem, RelationshipType, FileFormat } from '../model/registry-rows.js'
import { parseDate } from '../../core/file-formats.js'
import { createTableFormat, type TableRow, type Table } from './table.js'
import { findCountryCode } from '../../core/countries.js'

const types: ReadonlySet<string> = new Set<RelationshipType>([
  'IS_DIRECTLY_CONSOLIDATED_BY',
  'IS_ULTIMATELY_CONSOLIDATED_BY',
  'IS_INTERNATIONAL_BRANCH_OF',
  'IS_FUND-MANAGED_BY',
  'IS_SUBFUND_OF',
  'IS_FEEDER_TO',
])

function isType(text: string): text is RelationshipType {
  return types.has(text)
}

const columns = {
  child: 'Relationship.StartNode.NodeID',
  childType: 'Relationship.StartNode.NodeIDType',
  parent: 'Relationship.EndNode.NodeID',
  parentType: 'Relationship.EndNode.NodeIDType',
  type: 'Relationship.RelationshipType',
  status: 'Relationship.RelationshipStatus',
  registrationStatus: 'Registration.RegistrationStatus',
  updatedOn: 'Registration.LastUpdateDate',
} as const

const numbered = [1, 2, 3, 4, 5]

const periods = numbered.map((number) => ({
  start: `Relationship.Period.${number}.startDate`,
  end: `Relationship.Period.${number}.endDate`,
  type: `Relationship.Period.${number}.periodType`,
}))

const quantifiers = numbered.map((number) => ({
  amount: `Relationship.Quantifiers.${number}.QuantifierAmount`,
  units: `Relationship.Quantifiers.${number}.QuantifierUnits`,
}))

/** `gleif-relationships`: the Level 2 golden copy (RR-CDF 2.1) as CSV, without ended records. */
export const gleifRelationships = createTableFormat({
  what: 'Level 2 relationship file of GLEIF',
  required: [columns.child, columns.parent, columns.type, columns.status],
  wanted: [
    columns.childType,
    columns.parentType,
    columns.registrationStatus,
    columns.updatedOn,
    ...[...periods, ...quantifiers].flatMap((group) => Object.values(group)),
  ],
  read: readRelationship,
})

/** Accepts any text. */
function readRelationship(row: TableRow, line: number): ImportItem {
  const type = row.getText(columns.type) ?? ''
  if (!isType(type)) return { kind: 'rejected', line, reason: `its type "${type.slice(0, 40)}" is not known` }
  for (const column of [columns.childType, columns.parentType]) {
    const nodeType = row.getText(column)
    if (nodeType !== null && nodeType !== 'LEI') {
      return { kind: 'rejected', line, reason: `it names a company by ${nodeType.slice(0, 20)}, not by LEI` }
    }
  }
  const child = toCanonicalIdentifier('lei', row.getText(columns.child) ?? '')
  if ('reason' in child) return { kind: 'rejected', line, reason: child.reason }
  const parent = toCanonicalIdentifier('lei', row.getText(columns.parent) ?? '')
  if ('reason' in parent) return { kind: 'rejected', line, reason: parent.reason }
  if (child.value === parent.value)
    return { kind: 'rejected', line, reason: 'it relates a company to itself' }
  if (!isInForce(row)) return { kind: 'skipped', line, why: 'ended' }
  return {
    kind: 'relationship',
    line,
    childKey: `lei:${child.value}`,
    parentKey: `lei:${parent.value}`,
    type,
    percentage: readPercentage(row),
    ...readDates(row),
    sourceUrl: recordUrls.lei(child.value),
  }
}

function isInForce(row: TableRow): boolean {
  const isVoid = /^(?:DUPLICATE|ANNULLED)$/.test(row.getText(columns.registrationStatus) ?? '')
  return row.getText(columns.status) === 'ACTIVE' && !isVoid
}

/** Only the period of the relationship itself: others are accounting or document periods. */
function readDates(row: TableRow): { fromDate: string | null; toDate: string | null } {
  const period = periods.find(({ type }) => row.getText(type) === 'RELATIONSHIP_PERIOD')
  if (period === undefined) return { fromDate: null, toDate: null }
  const end = parseDate(row.getText(period.end))
  const updatedOn = parseDate(row.getText(columns.updatedOn))
  // An end after the date of the record is still in the future.
  const hasEnded = end !== null && updatedOn !== null && end <= updatedOn
  return { fromDate: parseDate(row.getText(period.start)), toDate: hasEnded ? end : null }
}

/** Returns the share in percent; `null` up to 1, which is ambiguous (the whole, or one percent). */
function readPercentage(row: TableRow): number | null {
  for (const { amount, units } of quantifiers) {
    const share = Number(row.getText(amount) ?? NaN)
    const unit = row.getText(units)
    if (share > 1 && share <= 100 && (unit === null || unit === 'PERCENTAGE')) return share
  }
  return null
}

const authorityColumns = {
  code: 'Registration Authority Code',
  countryCode: 'Country Code',
  register: 'International name of Register',
  localRegister: 'Local name of Register',
  organization: 'International name of organisation responsible for the Register',
  localOrganization: 'Local name of organisation responsible for the Register',
  website: 'Website',
} as const

/** `gleif-authorities`: the list of registration authorities, Excel or CSV, with names for the codes in records. */
export const gleifAuthorities = listFormat({
  what: 'list of registration authorities of GLEIF',
  required: [authorityColumns.code],
  wanted: Object.values(authorityColumns).slice(1),
  read(row, line) {
    const code = row.getText(authorityColumns.code) ?? ''
    if (!/^RA\d{6}$/.test(code)) {
      return { kind: 'rejected', line, reason: `"${code.slice(0, 20)}" is not the code of an authority` }
    }
    const country = row.getText(authorityColumns.countryCode)
    const countryCode = country === null ? null : findCountryCode(country)
    const facts = {
      name: row.getText(authorityColumns.register) ?? row.getText(authorityColumns.localRegister),
      organization:
        row.getText(authorityColumns.organization) ?? row.getText(authorityColumns.localOrganization),
      jurisdiction: countryCode?.toLowerCase() ?? null,
      countryCode,
      website: row.getText(authorityColumns.website)?.split(/\s/, 1)[0] ?? null,
    }
    return { kind: 'code', line, scheme: 'registration_authority', code, facts }
  },
})

const formColumns = {
  code: 'ELF Code',
  countryCode: 'Country Code (ISO 3166-1)',
  name: 'Entity Legal Form name Local name',
  transliterated: 'Entity Legal Form name Transliterated name (per ISO 01-140-10)',
  abbreviations: 'Abbreviations Local language',
  transliteratedAbbreviations: 'Abbreviations transliterated',
} as const

/**
 * `gleif-legal-forms`: the list of ISO 20275 as CSV, with names for the codes of legal forms. Of several lines per
 * code (one per language) the first is kept.
 */
export const gleifLegalForms = listFormat({
  what: 'list of entity legal forms (ISO 20275)',
  required: [formColumns.code, formColumns.name],
  wanted: Object.values(formColumns).filter(
    (column) => column !== formColumns.code && column !== formColumns.name,
  ),
  read(row, line) {
    const code = row.getText(formColumns.code) ?? ''
    if (!/^[A-Z0-9]{4}$/.test(code)) {
      return { kind: 'rejected', line, reason: `"${code.slice(0, 20)}" is not the code of a legal form` }
    }
    const name = row.getText(formColumns.transliterated) ?? row.getText(formColumns.name)
    if (name === null) return { kind: 'skipped', line, why: 'excluded' }
    const abbreviations =
      row.getText(formColumns.transliteratedAbbreviations) ?? row.getText(formColumns.abbreviations)
    const facts = { name, abbreviations, countryCode: row.getText(formColumns.countryCode) }
    return { kind: 'code', line, scheme: 'legal_form', code, facts }
  },
})

function listFormat(table: Table): FileFormat {
  return createTableFormat(table, { mayBeSheet: true })
}

import { iso31662 } from 'iso-3166'
import { recordUrls } from '../model/identifiers.js'
import { parseForm } from '../normalize/parsed-name.js'
import { findRegionCode } from '../normalize/places.js'
import { edgarAuthority, isNoForm } from '../reference/registers.js'
import { checkDraft, type Draft, type DraftIdentifier } from './draft.js'
import type { ImportItem } from '../model/registry-rows.js'

/** A record of GLEIF's Level 1 data (LEI-CDF 3.1), from CSV or JSON. */
export interface LeiRecord {
  readonly lei: string | null
  readonly legalName: string | null
  readonly otherNames: readonly LeiName[]
  readonly headquarters: LeiAddress
  readonly legalAddress: LeiAddress
  readonly authority: string | null
  readonly authorityNumber: string | null
  readonly jurisdiction: string | null
  readonly category: string | null
  readonly formCode: string | null
  readonly formText: string | null
  readonly status: string | null
  readonly createdOn: string | null
  readonly successorLei: string | null
  readonly registrationStatus: string | null
}

export interface LeiName {
  readonly name: string
  readonly type: string | null
}

export interface LeiAddress {
  readonly lines: readonly string[]
  /** Also contained in a line. */
  readonly number: string | null
  readonly numberWithinBuilding: string | null
  readonly city: string | null
  readonly region: string | null
  readonly country: string | null
  readonly postalCode: string | null
}

/** Converts a record to a registration. Accepts any text. */
export function buildLeiItem(record: LeiRecord, line: number): ImportItem {
  const address = record.headquarters.country === null ? record.legalAddress : record.headquarters
  const { otherNames, formerNames } = splitNames(record)
  const read = checkDraft(
    {
      idType: 'lei',
      id: record.lei,
      name: record.legalName,
      otherNames,
      formerNames,
      ...classifyType(record),
      status: chooseStatus(record),
      legalForm: chooseLegalForm(record),
      country: address.country,
      jurisdiction: record.jurisdiction,
      registrationAuthority: isNoAuthority(record.authority) ? null : record.authority,
      identifiers: collectNumbers(record),
      address: {
        street: address.lines.length === 0 ? null : address.lines.join(', '),
        streetNumber: address.number,
        subPremise: address.numberWithinBuilding,
        city: address.city,
        region: toRegionName(address.country, address.region),
        postalCode: address.postalCode,
      },
      formedOn: record.createdOn,
      successorId: record.successorLei,
      sourceUrl: record.lei === null ? null : recordUrls.lei(record.lei),
    },
    line,
  )
  return { kind: 'registration', line, read, statedOn: null }
}

function splitNames({ otherNames }: LeiRecord): { otherNames: string[]; formerNames: string[] } {
  const isFormer = ({ type }: LeiName) => type === 'PREVIOUS_LEGAL_NAME'
  return {
    otherNames: otherNames.filter((name) => !isFormer(name)).map(({ name }) => name),
    formerNames: otherNames.filter(isFormer).map(({ name }) => name),
  }
}

function classifyType(record: LeiRecord): Pick<Draft, 'type' | 'subtype'> {
  switch (record.category) {
    case 'SOLE_PROPRIETOR':
      return {
        type: 'business',
        subtype: isSoleProprietor(record) ? 'unincorporated_entity' : 'incorporated_entity',
      }
    case 'RESIDENT_GOVERNMENT_ENTITY':
      return { type: 'government', subtype: 'government_entity' }
    case 'INTERNATIONAL_ORGANIZATION':
      return { type: 'other', subtype: 'other_entity' }
    case 'FUND':
      return { type: 'business', subtype: 'complex_business_structure' }
    // Branches and all other categories are companies.
    default:
      return { type: null, subtype: 'incorporated_entity' }
  }
}

/** Some records of companies have the category of a person: the form in the legal name takes precedence. */
function isSoleProprietor({ category, legalName, jurisdiction, legalAddress }: LeiRecord): boolean {
  const country = jurisdiction?.slice(0, 2) ?? legalAddress.country ?? ''
  const { formClass, formCountries } = parseForm(legalName ?? '')
  const isOfCompany =
    formCountries.includes(country.toUpperCase()) && /^(?:limited|stock)$/.test(formClass ?? '')
  return category === 'SOLE_PROPRIETOR' && !isOfCompany
}

function chooseLegalForm(record: LeiRecord): string | null {
  if (isSoleProprietor(record)) return 'sole_proprietorship'
  const { formCode, formText } = record
  return formCode !== null && !isNoForm(formCode) ? formCode : formText
}

/** A duplicate or annulled record is inactive, whatever its status. */
function chooseStatus({ status, registrationStatus }: LeiRecord): string | null {
  const isVoid = registrationStatus === 'DUPLICATE' || registrationStatus === 'ANNULLED'
  return isVoid ? 'inactive' : status === 'NULL' ? null : status
}

/** RA777777 to RA999999 mean "no register". */
function isNoAuthority(code: string | null): boolean {
  return code === null || /^RA([789])\1{5}$/.test(code)
}

/** Registration authorities of Companies House. */
export const companiesHouse = /^RA00058[567]$/

function collectNumbers({
  authority,
  authorityNumber,
  category,
  jurisdiction,
}: LeiRecord): DraftIdentifier[] {
  if (authority === null || authorityNumber === null || isNoAuthority(authority)) return []
  // EDGAR's number of a fund is the number of its trust.
  if (authority === edgarAuthority) {
    const isOwn = /^\d{1,10}$/.test(authorityNumber) && category !== 'FUND'
    return isOwn ? [{ type: 'cik', text: authorityNumber }] : []
  }
  if (companiesHouse.test(authority)) {
    return [{ type: 'registration_id', text: formatCompanyNumber(authorityNumber), jurisdiction: 'gb' }]
  }
  // In some countries each state or court numbers separately: the authority distinguishes them.
  return [
    {
      type: 'registration_id',
      text: authorityNumber,
      ...(jurisdiction === null ? {} : { jurisdiction: jurisdiction.toLowerCase().replace('-', '_') }),
    },
  ]
}

/** Pads a number to the eight characters of Companies House. */
export function formatCompanyNumber(text: string): string {
  const closed = text.toUpperCase().replace(/\s+/g, '')
  const [, prefix = '', digits = ''] = /^([A-Z]{0,2})(\d+)$/.exec(closed) ?? []
  return digits === '' ? closed : prefix + digits.padStart(8 - prefix.length, '0')
}

const regionNames = new Map(iso31662.map(({ code, name }) => [code, name]))

/** Countries whose addresses use the short codes of states. */
const shortRegions = new Set(['US', 'CA', 'AU'])
const regionsNamed = new Map<string, string>()

/** Converts "US-DE" to "DE" as in addresses; "GB-LND" to its name if the name identifies it. */
function toRegionName(country: string | null, code: string | null): string | null {
  if (code === null || country === null || !code.startsWith(`${country}-`)) return code
  if (shortRegions.has(country)) return code.slice(3)
  let named = regionsNamed.get(code)
  if (named === undefined) {
    const name = regionNames.get(code)
    named = name !== undefined && findRegionCode(country, name) === code ? name : code
    regionsNamed.set(code, named)
  }
  return named
}

/** Columns of an address in the golden copy as CSV. */
export function listAddressColumns(block: string) {
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

import type { Address, ResultEntity } from '../../contract/entity.js'
import { legalForm as legalForms, type LegalForm } from '../../contract/enums.js'
import { classifyFundOrTrust, isSoleTraderForm, parseFormText, parseName } from '../normalize/parsed-name.js'
import { spellOutShortForms } from '../normalize/clean-text.js'
import { findRegionCode } from '../normalize/places.js'
import { parseStreet } from '../normalize/streets.js'
import { findCountryName } from '../../core/countries.js'
import type { RowAddress } from '../model/registry-rows.js'
import type { RegistrationOutline, StoredEntity, StoredLegalEntity, Statement } from '../store/reader.js'
import { unknownAuthority } from '../../contract/unknown.js'
import {
  isPublicForm,
  findAuthorityFacts,
  findCompaniesHouseAuthority,
  edgarAuthority,
  findStateAuthority,
  isPrivateForm,
  isPublicLimited,
} from '../reference/registers.js'
import { authorityTiers, type Citation } from '../../contract/result.js'
import { recordUrls } from '../model/identifiers.js'
import type { LeftRegister } from '../store/registration-columns.js'

/** Builds the address block with all ten keys, known or not (interface: "Address block (v3)"). */
export function buildAddressBlock(address: RowAddress): Address {
  const { street, city, region, postalCode, countryCode } = address
  const read = parseStreet(street, countryCode)
  return {
    street_address: street,
    street_number: address.streetNumber ?? read.streetNumber,
    sub_premise: address.subPremise ?? read.subPremise,
    city,
    state: region,
    state_code: region === null ? null : findRegionCode(countryCode, region),
    postal_code: postalCode,
    country: countryCode === null ? null : findCountryName(countryCode),
    country_code: countryCode,
    formatted_address: formatAddress(address),
  }
}

/** Formats an address in one line: the source's own, otherwise from its parts, without a region of the town's name. */
export function formatAddress(address: RowAddress): string | null {
  const country = address.countryCode === null ? null : findCountryName(address.countryCode)
  const region = address.region?.toLowerCase() === address.city?.toLowerCase() ? null : address.region
  const place = [region, address.postalCode].filter((part) => part !== null).join(' ')
  const parts = [address.street, address.city, place, country].filter((part) => part !== null && part !== '')
  return address.formatted ?? (parts.length === 0 ? null : parts.join(', '))
}

/** The status of a company and its origin. */
export interface CompanyStatus<Registration> {
  readonly status: string | null
  /** The registration with this status. */
  readonly holder: Registration
  /** The status is stated; otherwise it is derived from the listed share. */
  readonly isStated: boolean
}

/** Returns the stated status; else `active` if listed. Never active if missing in its source's newest file. */
export function getStatus({
  status,
  exchange,
  removedFromSource,
}: Pick<RegistrationOutline, 'status' | 'exchange' | 'removedFromSource'>): string | null {
  if (removedFromSource) return status === 'inactive' ? status : null
  return status ?? (exchange === null ? null : 'active')
}

/**
 * Returns the status of a company: of its primary registration, otherwise of another one that is not in another country.
 * A listed company is active unless a source that is not older contradicts.
 */
export function findStanding<Registration extends RegistrationOutline>(
  primary: Registration,
  stored: StoredEntity<Registration>,
): CompanyStatus<Registration> {
  const holder = findStatusHolder(primary, stored)
  const status = holder.removedFromSource ? getStatus(holder) : holder.status
  const stated = { status, holder, isStated: true }
  if (status === 'active') return stated
  const listed = stored.legalEntities.find(
    ({ exchange, removedFromSource, sourceDate }) =>
      exchange !== null && !removedFromSource && (status === null || sourceDate > holder.sourceDate),
  )
  return listed === undefined ? stated : { status: 'active', holder: listed, isStated: false }
}

/** A registration in another country may be a branch: its end is not that of the company. */
function findStatusHolder<Registration extends RegistrationOutline>(
  primary: Registration,
  { legalEntities }: StoredEntity<Registration>,
): Registration {
  if (primary.status !== null || primary.removedFromSource) return primary
  const getCountry = ({ jurisdiction, address }: Registration) =>
    jurisdiction?.split('_')[0] ?? address.countryCode?.toLowerCase() ?? null
  const home = getCountry(primary)
  const isOfCompany = (registration: Registration) =>
    registration.status !== null &&
    !registration.removedFromSource &&
    (home === null || [home, null].includes(getCountry(registration)))
  return legalEntities.find(isOfCompany) ?? primary
}

type RegistrationKeys = Pick<StoredLegalEntity, 'registrationAuthority' | 'jurisdiction' | 'identifiers'>

/**
 * Returns the authority of a registration by GLEIF code: the stated one, otherwise Companies House by a British
 * number, the state register for an SEC registrant with a home state, and EDGAR for other registrants.
 */
function findAuthorityCode(registration: RegistrationKeys): string | null {
  const { registrationAuthority, jurisdiction, identifiers } = registration
  if (registrationAuthority !== null) return registrationAuthority
  const findValue = (wanted: string) => identifiers.find(({ type }) => type === wanted)?.value
  const number = findValue('registration_id')
  if (jurisdiction?.startsWith('gb') === true && number !== undefined) {
    return findCompaniesHouseAuthority(/^\d{1,7}$/.test(number) ? number.padStart(8, '0') : number)
  }
  const isRegistrant = findValue('cik') !== undefined || findValue('sec_cik') !== undefined
  if (!isRegistrant) return null
  if (jurisdiction === null || jurisdiction === 'us') return edgarAuthority
  return findStateAuthority(jurisdiction)
}

/** Builds the authority block with all keys, known or not. */
export function buildAuthorityBlock(
  registration: StoredLegalEntity,
): ResultEntity['primary_legal_entity']['registration_authority'] {
  const code = findAuthorityCode(registration)
  const number = /^RA(\d{6})$/.exec(code ?? '')?.[1]
  if (code === null || number === undefined) return unknownAuthority
  const facts = findAuthorityFacts(code) ?? registration.listedAuthority
  return {
    id: Number(number),
    code,
    name: facts?.name ?? null,
    organization: facts?.organization ?? null,
    jurisdiction: facts?.jurisdiction ?? null,
    country_code: facts?.countryCode ?? null,
    website: facts?.website ?? null,
  }
}

/** A value of an answer and its origin in the rows of sources. */
export interface CitedClaim {
  readonly value: string
  /** Name of the value in the excerpt: `city`, `lei`. */
  readonly label: string
  /** The text in the row; `value` is derived from it if it is different. */
  readonly from: string
  /** Whether a row of a source states `from`. */
  readonly isIn: (row: Statement['row']) => boolean
  /** No public record of a register shows the value: a website. */
  readonly isOnlyInFile?: boolean
}

/** Cites the first source that states the claim; empty if none states it. */
export function citeFirst(claim: CitedClaim, registrations: readonly StoredLegalEntity[]): Citation[] {
  for (const registration of registrations) {
    const found = registration.readStatements().find(({ row }) => claim.isIn(row))
    if (found !== undefined) return [cite(claim, found)]
  }
  return []
}

const citationsMax = 5

/** Cites each source that states the claim, registers first. */
export function citeEach(claim: CitedClaim, registrations: readonly StoredLegalEntity[]): Citation[] {
  const citations = new Map<string, Citation>()
  for (const registration of registrations) {
    for (const statement of registration.readStatements()) {
      const key = `${statement.sourceName} ${statement.row.sourceLine}`
      if (claim.isIn(statement.row) && !citations.has(key)) citations.set(key, cite(claim, statement))
    }
  }
  const ranked = [...citations.values()].sort((a, b) => a.authority_tier - b.authority_tier)
  return ranked.slice(0, citationsMax)
}

function cite(claim: CitedClaim, { format, sourceName, fileDate, row }: Statement): Citation {
  const { value, label, from } = claim
  const name = row.legalName ?? row.names[0]?.name ?? null
  const origin = formatOrigin(sourceName, fileDate, row.sourceLine)
  const facts = name === value ? [value, origin] : [name, formatFact(label, value, from), origin]
  return toCitation(findPage(format, row, claim), facts)
}

function formatFact(label: string, value: string, from: string): string {
  return `${label} ${value}${from === value ? '' : `, from ${from}`}`
}

/** Cites the relationship that names the parent. */
export function citeParent(registration: StoredLegalEntity, parentName: string): Citation[] {
  const origin = registration.readParentOrigin()
  if (origin === null) return []
  const { nameInUse, sourceName, fileDate, url } = origin
  const page = url === null ? null : { url, type: 'government_registry' as const }
  const line = sourceName === registration.sourceName ? registration.sourceLine : undefined
  const facts = [
    registration.legalName,
    formatFact('parent', parentName, nameInUse),
    formatOrigin(sourceName, fileDate, line),
  ]
  return [toCitation(page, facts)]
}

interface Page {
  readonly url: string
  readonly type: Citation['source_type']
}

const excerptCharsMax = 2_000

/** The row of a loaded file is not public, so it ranks with the open web. */
function toCitation(page: Page | null, facts: readonly (string | null)[]): Citation {
  const excerpt = facts.filter((fact) => fact !== null).join('; ')
  const type = page?.type ?? 'web'
  return {
    url: page?.url ?? null,
    excerpt: excerpt.slice(0, excerptCharsMax),
    source_type: type,
    authority_tier: authorityTiers[type],
  }
}

function formatOrigin(sourceName: string, fileDate: string, line?: number): string {
  const place = line === undefined ? '' : `line ${line}, `
  return `(${sourceName}, ${place}file of ${fileDate.slice(0, 10)})`
}

/** Formats whose rows are records of a register. */
const registerFormats = new Set([
  'gleif',
  'gleif-bic',
  'companies-house',
  'sec-tickers',
  'sec-sub',
  'sec-submissions',
  'register',
])

/** Returns the public page of the source that shows the claim; `null` without one. */
function findPage(format: string, row: Statement['row'], claim: CitedClaim): Page | null {
  if (format === 'wikidata')
    return row.sourceUrl === null ? null : { url: row.sourceUrl, type: 'public_profile' }
  const isRegister = registerFormats.has(format)
  if (!isRegister && (format !== 'csv' || claim.isOnlyInFile === true)) return null
  const record = findRecord(row)
  if (row.sourceUrl !== null) return { url: row.sourceUrl, type: 'government_registry' }
  const isShown = isRegister || record?.shows(claim.label) === true
  return record === null || !isShown ? null : { url: record.url, type: 'government_registry' }
}

/** Identifiers that a public record does not show. */
const hidden = {
  companiesHouse: new Set(['lei', 'bic', 'cik', 'sec_cik', 'ein', 'ticker', 'duns']),
  lei: new Set(['cik', 'sec_cik', 'ein', 'ticker', 'duns']),
  cik: new Set(['lei', 'bic', 'duns', 'registration_id']),
} as const

interface PublicRecord {
  readonly url: string
  readonly shows: (label: string) => boolean
}

/** Returns the record of the register by which a row is keyed, otherwise of one whose number the row has. */
function findRecord({ sourceKey, identifiers }: Pick<Statement['row'], 'sourceKey' | 'identifiers'>) {
  const keyed = /^(lei|cik|sec_cik):(.+)$|^(registration_id):gb[a-z_]*:(.+)$/.exec(sourceKey)
  const type = keyed?.[1] ?? keyed?.[3]
  const value = keyed?.[2] ?? keyed?.[4]
  if (type !== undefined && value !== undefined) return buildRecord(type, value)
  for (const wanted of ['registration_id', 'lei', 'cik', 'sec_cik']) {
    const own = identifiers.find(
      (identifier) =>
        identifier.type === wanted &&
        (wanted !== 'registration_id' || identifier.jurisdiction?.startsWith('gb') === true),
    )
    if (own !== undefined) return buildRecord(wanted, own.value)
  }
  return null
}

function buildRecord(type: string, value: string): PublicRecord {
  const register = type === 'registration_id' ? 'companiesHouse' : type === 'lei' ? 'lei' : 'cik'
  return { url: recordUrls[register](value), shows: (label) => !hidden[register].has(label) }
}

/** Returns the page of a registration: the one in its row, otherwise one built from its identifiers. */
export function findRecordUrl(registration: StoredLegalEntity): string | null {
  return registration.sourceUrl ?? findRecord(registration)?.url ?? null
}

/**
 * The user may have left out its country. Otherwise the reason for a removal is unknown: dissolved, delisted, or moved to
 * another file.
 */
export function describeRemoval(
  registration: StoredLegalEntity,
  { sourceName, lastOn, countries }: LeftFile = findLeftFile(registration),
): string {
  const kept = listOtherCountries(registration, countries)
  if (kept !== null)
    return `Of ${sourceName}, only companies of ${kept} are kept now; the file of ${lastOn.slice(0, 10)} named the registration.`
  return `The newest file of ${sourceName} no longer names the registration; an earlier one of ${lastOn.slice(0, 10)} did.`
}

type LeftFile = Pick<LeftRegister, 'sourceName' | 'lastOn' | 'countries'>

const findLeftFile = ({ sourceName, sourceDate, readMembership }: StoredLegalEntity): LeftFile => ({
  sourceName,
  lastOn: sourceDate,
  countries: readMembership().readCountries(),
})

/** Returns the countries that are kept of the source of a removed registration, if its own is not one; else `null`. */
export const findKeptCountries = (registration: StoredLegalEntity): string | null =>
  listOtherCountries(registration, findLeftFile(registration).countries)

function listOtherCountries(
  { address, jurisdiction }: StoredLegalEntity,
  countries: string | null,
): string | null {
  const kept = countries === null ? [] : (JSON.parse(countries) as string[])
  const own = [address.countryCode, jurisdiction?.slice(0, 2).toUpperCase()]
  return kept.length === 0 || kept.some((code) => own.includes(code)) ? null : kept.join(', ')
}

/**
 * The interface has American forms; others get the nearest one: limited liability (GmbH, Ltd) is `llc`, stock companies (AG, PLC) are
 * `corporation`. So is a company that is "Limited" alone, if it is listed, or where private ones have another form.
 */
export function classifyLegalForm(primary: StoredLegalEntity, isTraded: boolean): LegalForm | null {
  const { legalForm, listedForm, legalName } = primary
  const stated = legalForm === null ? [] : [legalForm, ...listedForm]
  const { data } = legalForms.safeParse(legalForm?.toLowerCase().replaceAll(' ', '_'))
  if (data !== undefined) return data
  if (isSoleTraderForm(legalForm ?? '', primary.address.countryCode)) return 'sole_proprietorship'
  if (stated.some(isPublicForm)) return 'corporation'
  const country = (primary.jurisdiction?.slice(0, 2) ?? primary.address.countryCode ?? '').toUpperCase()
  const byName = parseName(legalName, country)
  const isPrivate = stated.some(isPrivateForm) || byName.formWords.some(isPrivateForm)
  const isPublic = !isPrivate && (isTraded || isPublicLimited(country))
  const isWhole = ({ formClass, tokens }: typeof byName) => formClass !== null && tokens.join() === 'qq'
  const read = stated.map((text) => parseFormText(spellOutShortForms(`Qq ${text}`, [country]).slice(3)))
  const form = read.find((one) => one.legalForm !== null || isWhole(one)) ?? byName
  const isPlain = /^(?:limited|ltd|ltee|limitee|beperk|bpk)$/.test(form.formWords.join(' '))
  if (isPublic && isPlain) return 'corporation'
  return form.legalForm ?? (classifyFundOrTrust(primary) === 'trust' ? 'trust' : null)
}

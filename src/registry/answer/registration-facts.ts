import type { Address, ResultEntity } from '../../contract/entity.js'
import { parseStreet, findRegionCode } from '../normalize/places.js'
import { findCountryName } from '../../core/countries.js'
import type { RowAddress } from '../model/registry-rows.js'
import type { RegistrationOutline, StoredEntity, StoredLegalEntity } from '../store/reader.js'
import { unknownAuthority } from '../../contract/unknown.js'
import {
  findAuthorityFacts,
  findCompaniesHouseAuthority,
  edgarAuthority,
  findStateAuthority,
} from '../reference/registers.js'

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

/** Formats an address in one line: the source's own, otherwise from its parts. */
export function formatAddress(address: RowAddress): string | null {
  if (address.formatted !== null) return address.formatted
  const country = address.countryCode === null ? null : findCountryName(address.countryCode)
  const place = [address.region, address.postalCode].filter((part) => part !== null).join(' ')
  const parts = [address.street, address.city, place, country].filter((part) => part !== null && part !== '')
  return parts.length === 0 ? null : parts.join(', ')
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

import type { Address, ResultEntity } from '../../contract/entity.js'
import { streetPartsOf, regionCodeIn } from '../normalize/places.js'
import { countryNameOf } from '../../core/countries.js'
import type { RowAddress } from '../model/registry-rows.js'
import type { RegistrationOutline, StoredEntity, StoredLegalEntity } from '../store/reader.js'
import { unknownAuthority } from '../../contract/unknown.js'
import {
  authorityFacts,
  companiesHouseAuthority,
  edgarAuthority,
  stateAuthority,
} from '../reference/registers.js'

/** Builds the address block with all ten keys, known or not (interface: "Address block (v3)"). */
export function addressBlockOf(address: RowAddress): Address {
  const { street, city, region, postalCode, countryCode } = address
  const read = streetPartsOf(street, countryCode)
  return {
    street_address: street,
    street_number: address.streetNumber ?? read.streetNumber,
    sub_premise: address.subPremise ?? read.subPremise,
    city,
    state: region,
    state_code: region === null ? null : regionCodeIn(countryCode, region),
    postal_code: postalCode,
    country: countryCode === null ? null : countryNameOf(countryCode),
    country_code: countryCode,
    formatted_address: formattedAddress(address),
  }
}

/** Formats an address in one line: the source's own, otherwise from its parts. */
export function formattedAddress(address: RowAddress): string | null {
  if (address.formatted !== null) return address.formatted
  const country = address.countryCode === null ? null : countryNameOf(address.countryCode)
  const place = [address.region, address.postalCode].filter((part) => part !== null).join(' ')
  const parts = [address.street, address.city, place, country].filter((part) => part !== null && part !== '')
  return parts.length === 0 ? null : parts.join(', ')
}

/** The status of a company and its origin. */
export interface Standing<Registration> {
  readonly status: string | null
  /** The registration with this status. */
  readonly holder: Registration
  /** The status is stated; otherwise it is derived from the listed share. */
  readonly isStated: boolean
}

/** Returns the stated status; else `active` if listed. Never active if missing in its source's newest file. */
export function statusOf({
  status,
  exchange,
  removedFromSource,
}: Pick<RegistrationOutline, 'status' | 'exchange' | 'removedFromSource'>): string | null {
  if (removedFromSource) return status === 'inactive' ? status : null
  return status ?? (exchange === null ? null : 'active')
}

/** Returns the status of a company. A listed company is active unless a source that is not older contradicts. */
export function standingOf<Registration extends RegistrationOutline>(
  primary: Registration,
  stored: StoredEntity<Registration>,
): Standing<Registration> {
  const status = primary.removedFromSource ? statusOf(primary) : primary.status
  const stated = { status, holder: primary, isStated: true }
  if (status === 'active') return stated
  const listed = stored.legalEntities.find(
    ({ exchange, removedFromSource, sourceDate }) =>
      exchange !== null && !removedFromSource && (status === null || sourceDate > primary.sourceDate),
  )
  return listed === undefined ? stated : { status: 'active', holder: listed, isStated: false }
}

type Registered = Pick<StoredLegalEntity, 'registrationAuthority' | 'jurisdiction' | 'identifiers'>

/**
 * Returns the authority of a registration by GLEIF code: the stated one, otherwise Companies House by a British
 * number, the state register for an SEC registrant with a home state, and EDGAR for other registrants.
 */
function authorityCodeOf(registration: Registered): string | null {
  const { registrationAuthority, jurisdiction, identifiers } = registration
  if (registrationAuthority !== null) return registrationAuthority
  const valueOf = (wanted: string) => identifiers.find(({ type }) => type === wanted)?.value
  const number = valueOf('registration_id')
  if (jurisdiction?.startsWith('gb') === true && number !== undefined) {
    return companiesHouseAuthority(/^\d{1,7}$/.test(number) ? number.padStart(8, '0') : number)
  }
  const isRegistrant = valueOf('cik') !== undefined || valueOf('sec_cik') !== undefined
  if (!isRegistrant) return null
  if (jurisdiction === null || jurisdiction === 'us') return edgarAuthority
  return stateAuthority(jurisdiction)
}

/** Builds the authority block with all keys, known or not. */
export function authorityBlockOf(
  registration: StoredLegalEntity,
): ResultEntity['primary_legal_entity']['registration_authority'] {
  const code = authorityCodeOf(registration)
  const number = /^RA(\d{6})$/.exec(code ?? '')?.[1]
  if (code === null || number === undefined) return unknownAuthority
  const facts = authorityFacts(code) ?? registration.listedAuthority
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

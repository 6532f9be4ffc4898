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

/** The ten keys of an address, whatever of it is known (interface: "Address block (v3)"). */
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

/** One line: as the source has it, else composed of the parts. */
export function formattedAddress(address: RowAddress): string | null {
  if (address.formatted !== null) return address.formatted
  const country = address.countryCode === null ? null : countryNameOf(address.countryCode)
  const place = [address.region, address.postalCode].filter((part) => part !== null).join(' ')
  const parts = [address.street, address.city, place, country].filter((part) => part !== null && part !== '')
  return parts.length === 0 ? null : parts.join(', ')
}

/** Whether a registration stands, and how that is known. */
export interface Standing<Registration> {
  readonly status: string | null
  /** Whose registration says so. */
  readonly holder: Registration
  /** A source has a word for it; else it follows from the listed share. */
  readonly isStated: boolean
}

/**
 * What its sources say; where they say nothing, a listed company stands. A registration that its source's newest
 * file does not name is not known to be active.
 */
export function statusOf({
  status,
  exchange,
  removedFromSource,
}: Pick<RegistrationOutline, 'status' | 'exchange' | 'removedFromSource'>): string | null {
  if (removedFromSource) return status === 'inactive' ? status : null
  return status ?? (exchange === null ? null : 'active')
}

/**
 * The standing of a company by the registration it is shown by, and by its listing: what is listed is active, unless a
 * source that is not older says otherwise.
 */
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
 * The authority that keeps a registration, by its code in GLEIF's list: as the source states it, else as its number or
 * jurisdiction tells: Companies House by a British number, the register of the state for a company of one that
 * files with the SEC, and EDGAR for one whose home is not known.
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

/** The authority with what is known of it: every key, also where none is known. */
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

import type { ResultEntity } from '../../contract/entity.js'
import { unknownAuthority } from '../../contract/unknown.js'
import {
  authorityFacts,
  companiesHouseAuthority,
  edgarAuthority,
  stateAuthority,
} from '../reference/authorities.js'
import type { StoredLegalEntity } from '../store/reader.js'

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

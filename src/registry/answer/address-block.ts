import type { Address } from '../../contract/entity.js'
import { streetPartsOf } from '../normalize/address/street-parts.js'
import { countryNameOf, regionCodeIn } from '../normalize/place-names.js'
import type { RowAddress } from '../model/registry-row.js'

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

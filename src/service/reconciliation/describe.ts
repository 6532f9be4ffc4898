import type { EntityRecord } from '../../contract/entity.js'

/** The name by which companies of one brand are told apart. */
export const nameOf = ({ legal_name: legal, display_name: display, id }: EntityRecord): string =>
  legal ?? display ?? id

/** `Cupertino, CA, United States`; null where nothing is known of the place. */
export function placeOf({
  headquarters: { address },
  primary_legal_entity: primary,
}: EntityRecord): string | null {
  const { city, state, country } = address
  const parts = [city, state, country ?? primary.country_code].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(', ')
}

/** What tells a company from others of its name, on one line: brand, place, standing, number in its register. */
export function descriptionOf(record: EntityRecord, foundName: string | null = null): string {
  const { display_name: brand, status } = record
  const name = nameOf(record)
  const other = [foundName, brand].find((one) => one !== null && one.toLowerCase() !== name.toLowerCase())
  const number = record.identifiers.find(({ type }) => type === 'registration_id')
  const parts = [
    other ?? null,
    placeOf(record),
    status,
    number === undefined
      ? null
      : [number.jurisdiction, number.value].filter((part) => part !== null).join(' '),
  ]
  return parts.filter((part) => part !== null && part !== '').join(' · ')
}

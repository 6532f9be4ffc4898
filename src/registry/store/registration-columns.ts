import { hash } from 'node:crypto'
import { domainNameOf } from '../../core/domain-name.js'
import { parseName } from '../normalize/parsed-name.js'
import { cityKeyOf, postalKeyOf, regionCodeIn } from '../normalize/place-names.js'
import { derivationVersion, type RegistryRow } from '../model/registry-row.js'

/** Columns of `legal_entities` that a row fills, in the order of `registrationValues`. */
export const registrationColumns = [
  'source_number',
  'source_key',
  'source_line',
  'import_sequence',
  'legal_name',
  'display_name',
  'type',
  'subtype',
  'status',
  'legal_form',
  'jurisdiction',
  'registration_authority',
  'website',
  'domain',
  'sic',
  'naics',
  'industry_codes',
  'formed_on',
  'parent_key',
  'successor_key',
  'source_url',
  'identifiers_omitted',
  'content_hash',
  'stated_on',
  'named_on',
] as const

/** The import that a row comes from. */
export interface RowOrigin {
  readonly sourceNumber: number
  readonly importSequence: number
  /** When it was stated: ISO 8601, a day or an instant. */
  readonly statedOn: string
  /** Since when the source states the name. */
  readonly namedOn: string
}

export function registrationValues(
  row: RegistryRow,
  { sourceNumber, importSequence, statedOn, namedOn }: RowOrigin,
  contentHash: string,
): (string | number | null)[] {
  return [
    sourceNumber,
    row.sourceKey,
    row.sourceLine,
    importSequence,
    row.legalName,
    displayNameOf(row),
    row.type,
    row.subtype,
    row.status,
    row.legalForm,
    row.jurisdiction,
    row.registrationAuthority,
    row.website,
    row.website === null ? null : domainNameOf(row.website),
    row.sic,
    row.naics,
    row.industryCodes,
    row.formedOn,
    row.parentKey,
    row.successorKey,
    row.sourceUrl,
    row.identifiersOmitted ?? 0,
    contentHash,
    statedOn,
    namedOn,
  ]
}

/** Equal for rows that state the same, wherever in their files they stand. */
export function contentHashOf(row: RegistryRow): string {
  const content = JSON.stringify([derivationVersion, { ...row, sourceLine: 0 }])
  return hash('sha1', content, 'base64').slice(0, 20)
}

/** A shorter name in use, made of words or the initials of the registered one, is shown in its place. */
function displayNameOf({ names, legalName }: RegistryRow): string {
  if (names.length < 2) return legalName
  return names.find(({ kind, name }) => kind === 'other' && isBrandOf(name, legalName))?.name ?? legalName
}

function isBrandOf(name: string, legalName: string): boolean {
  if (name.length >= legalName.length || (name.length > 5 && name === name.toUpperCase())) return false
  const brand = parseName(name)
  const registered = parseName(legalName)
  if (brand.tokens.length === 0) return false
  if (brand.coreKey === registered.acronym) return true
  return brand.tokens.every((token) => registered.tokens.includes(token))
}

/** Of an address as written and as it is compared, from `street_address` on. */
export function addressValues({ address }: RegistryRow): (string | null)[] {
  const { street, city, region, postalCode, countryCode, formatted, streetNumber, subPremise } = address
  return [
    street,
    city,
    region,
    postalCode,
    countryCode,
    formatted,
    region === null ? '' : regionKeyOf(countryCode, region),
    city === null ? '' : rememberedCityKey(city),
    postalCode === null ? '' : postalKeyOf(postalCode),
    streetNumber,
    subPremise,
  ]
}

const rememberedMax = 50_000

/** Registers name few places many times. */
function remembered(known: Map<string, string>, text: string, keyOf: () => string): string {
  const found = known.get(text)
  if (found !== undefined) return found
  const key = keyOf()
  if (known.size < rememberedMax) known.set(text, key)
  return key
}

const cityKeys = new Map<string, string>()
const regionKeys = new Map<string, string>()

function rememberedCityKey(city: string): string {
  return remembered(cityKeys, city, () => cityKeyOf(city))
}

function regionKeyOf(countryCode: string | null, region: string): string {
  return remembered(
    regionKeys,
    `${countryCode ?? ''} ${region}`,
    () => regionCodeIn(countryCode, region) ?? '',
  )
}

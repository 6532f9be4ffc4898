import { entitySubtype, entityType, type EntitySubtype, type EntityType } from '../../contract/enums.js'
import { regionCodeIn } from '../normalize/place-names.js'
import { codeOf, type ImportField } from './columns.js'
import { edgarPlace, jurisdictionOf } from '../reference/edgar-places.js'
import { checkDraft, readCountry, type Draft, type DraftIdentifier } from './draft.js'
import type { ReadRow } from '../model/registry-row.js'

export interface RowDefaults {
  /** What the id column holds; `id` when it is a number of the file's own. */
  readonly idType: string
  /** What keys begin with: the type, or where other files number rows too, a word of this file's own. */
  readonly keyWord: string
  readonly countryCode: string | null
  readonly jurisdiction: string | null
  /** Its jurisdictions are EDGAR's codes of states and countries. */
  readonly hasEdgarPlaces: boolean
}

/** A field's text, trimmed, or null where it is empty or not in the file. */
export type FieldReader = (field: ImportField) => string | null

/** One line of a file to one registration. Pure and total: any text gives a row or a reason. */
export function readRow(field: FieldReader, sourceLine: number, defaults: RowDefaults): ReadRow {
  const dropped: string[] = []
  const draft: Draft = {
    idType: defaults.keyWord,
    id: field('id'),
    name: field('name'),
    otherNames: listOf(field('other_names')),
    formerNames: listOf(field('former_names')),
    ...readType(field('type'), field('subtype'), dropped),
    isSubtypeStated: field('subtype') !== null,
    status: field('status'),
    legalForm: field('legal_form'),
    country: field('country') ?? defaults.countryCode,
    jurisdiction: jurisdictionIn(field('jurisdiction'), defaults),
    registrationAuthority: field('registration_authority'),
    identifiers: readIdentifiers(field),
    address: {
      street: field('street_address'),
      city: field('city'),
      region: field('region'),
      postalCode: field('postal_code'),
      formatted: field('formatted_address'),
    },
    website: field('website'),
    ...industryOf(field, defaults),
    naics: field('naics'),
    parentId: field('parent_id'),
    sourceUrl: field('source_url'),
  }
  return checkDraft(draft, sourceLine, dropped)
}

/** UK SIC 2007 has five digits, of which tables of numbers lose a leading zero; the American SIC has four. */
function industryOf(field: FieldReader, defaults: RowDefaults): Pick<Draft, 'sic' | 'industryCodes'> {
  const text = field('sic')
  if (text === null || !isBritish(field, defaults)) return { sic: text }
  const codes = text
    .split(/[|,;\s]+/)
    .map((code) => (lostZero.test(code) ? `0${code}` : code))
    .filter((code) => /^\d{5}$/.test(code) && code !== '00000')
  return codes.length === 0 ? { sic: text } : { industryCodes: `uk_sic_2007:${codes.join(' ')}` }
}

/** Codes of the scheme that begin with a zero: farming, fishing, mining. */
const lostZero = /^(?:1[1-7]|2[1-4]|3[12]|5[12]|6[12]|7[12]|8[19]|9[19])\d\d$/

/** Registered in the United Kingdom, and known by a number of its register: SEC files give American codes. */
function isBritish(field: FieldReader, { idType, jurisdiction, countryCode }: RowDefaults): boolean {
  if (idType === 'cik' || field('cik') !== null) return false
  const home = field('jurisdiction') ?? jurisdiction ?? field('country') ?? countryCode ?? ''
  return /^(?:gb|uk)(?:$|[_-])/i.test(home) || readCountry(home, []) === 'GB'
}

/**
 * Where all rows are of one country, "DE" alone is one of its states: Delaware, not Germany. In a column of
 * EDGAR's codes it is too, and "2M" is Germany.
 */
function jurisdictionIn(
  text: string | null,
  { jurisdiction: home, hasEdgarPlaces }: Pick<RowDefaults, 'jurisdiction' | 'hasEdgarPlaces'>,
): string | null {
  if (text !== null && hasEdgarPlaces) {
    const place = edgarPlace(text)
    if (place !== null) return jurisdictionOf(place)
  }
  if (text === null || home === null || home.includes('_')) return text ?? home
  const code = regionCodeIn(home.toUpperCase(), text)
  return code === null ? text : code.replace('-', '_')
}

function listOf(text: string | null): string[] {
  return text?.split('|') ?? []
}

const listedIdentifiers = ['registration_id', 'lei', 'cik', 'ein', 'duns', 'bic', 'ticker'] as const

function readIdentifiers(field: FieldReader): DraftIdentifier[] {
  const identifiers: DraftIdentifier[] = []
  for (const type of listedIdentifiers) {
    const cell = field(type)
    if (cell === null) continue
    const separator = type === 'ticker' || type === 'bic' ? /[|,;\s]+/ : '|'
    for (const part of cell.split(separator)) {
      const text = part.trim()
      if (text !== '') identifiers.push({ type, text })
    }
  }
  return identifiers
}

const usualSubtype: Readonly<Record<EntityType, EntitySubtype>> = {
  business: 'incorporated_entity',
  nonprofit: 'nonprofit_entity',
  government: 'government_entity',
  person: 'natural_person',
  other: 'other_entity',
  unknown: 'unknown',
}

/** A row of a company register that states no type is a company's; one whose type cannot be read is unknown. */
function readType(
  typeText: string | null,
  subtypeText: string | null,
  dropped: string[],
): { type: EntityType; subtype: EntitySubtype } {
  const type = entityType.safeParse(codeOf(typeText ?? 'business'))
  if (!type.success) dropped.push(`type "${typeText ?? ''}" is none of ${entityType.options.join(', ')}`)
  const known = type.success ? type.data : 'unknown'
  if (subtypeText === null) return { type: known, subtype: usualSubtype[known] }
  const subtype = entitySubtype.safeParse(codeOf(subtypeText))
  if (!subtype.success) dropped.push(`subtype "${subtypeText}" is not known`)
  return { type: known, subtype: subtype.success ? subtype.data : 'unknown' }
}

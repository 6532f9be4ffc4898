import { entitySubtype, entityType, type EntitySubtype, type EntityType } from '../../contract/enums.js'
import { regionCodeIn } from '../match/place-names.js'
import type { ImportField } from './columns.js'
import { checkDraft, type Draft, type DraftIdentifier, type ReadRow } from './draft.js'

export interface RowDefaults {
  /** What the id column holds; `id` when it is a number of the file's own. */
  readonly idType: string
  /** What keys begin with: the type, or where other files number rows too, a word of this file's own. */
  readonly keyWord: string
  readonly countryCode: string | null
  readonly jurisdiction: string | null
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
    jurisdiction: jurisdictionIn(field('jurisdiction'), defaults.jurisdiction),
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
    sic: field('sic'),
    naics: field('naics'),
    parentId: field('parent_id'),
    sourceUrl: field('source_url'),
  }
  return checkDraft(draft, sourceLine, dropped)
}

/** Where all rows are of one country, "DE" alone is one of its states: Delaware, not Germany. */
function jurisdictionIn(text: string | null, home: string | null): string | null {
  if (text === null || home === null || home.includes('_')) return text ?? home
  const code = regionCodeIn(home.toUpperCase(), text)
  return code === null ? text : code.replace('-', '_')
}

function listOf(text: string | null): string[] {
  return text?.split('|') ?? []
}

const listedIdentifiers = ['registration_id', 'lei', 'cik', 'ein', 'duns', 'bic', 'ticker'] as const

function readIdentifiers(field: FieldReader): DraftIdentifier[] {
  return listedIdentifiers.flatMap((type) => {
    const separator = type === 'ticker' || type === 'bic' ? /[|,;\s]+/ : /\|/
    const texts = field(type)?.split(separator) ?? []
    return texts.filter((text) => text.trim() !== '').map((text) => ({ type, text: text.trim() }))
  })
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

function codeOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}

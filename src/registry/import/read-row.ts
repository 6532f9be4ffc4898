import {
  entitySubtype,
  entityType,
  identifierType,
  type EntitySubtype,
  type EntityType,
  type IdentifierType,
} from '../../contract/enums.js'
import { canonicalIdentifier } from '../identifiers.js'
import type { NameKind } from '../match/candidate.js'
import { matchLimits } from '../match/limits.js'
import { countryCodeOf } from '../match/place-names.js'
import type { RegistryRow, RowAddress, RowIdentifier } from '../registry-row.js'
import type { ImportField } from './columns.js'

export interface RowDefaults {
  /** What the id column holds; `id` when it is a number of the file's own. */
  readonly idType: string
  readonly countryCode: string | null
  readonly jurisdiction: string | null
}

/** A row, or why it is none; `dropped` names values left out of a row that is kept. */
export interface ReadRow {
  readonly row: RegistryRow | null
  readonly reason: string | null
  readonly dropped: readonly string[]
}

/** A field's text, trimmed, or null where it is empty or not in the file. */
export type FieldReader = (field: ImportField) => string | null

const namesMax = 60

/** One line of a file to one registration. Pure and total: any text gives a row or a reason. */
export function readRow(field: FieldReader, sourceLine: number, defaults: RowDefaults): ReadRow {
  const dropped: string[] = []
  const legalName = field('name')
  if (legalName === null) return rejected('it has no name')
  if (legalName.length > matchLimits.nameCharsMax) {
    return rejected(`its name is longer than ${matchLimits.nameCharsMax} characters`)
  }
  const countryCode = readCountry(field('country'), dropped) ?? defaults.countryCode
  const jurisdiction = readJurisdiction(field('jurisdiction'), dropped) ?? defaults.jurisdiction
  const identifiers = readIdentifiers(field, { jurisdiction, countryCode }, defaults.idType, dropped)
  const key = sourceKeyOf(field('id'), identifiers, defaults, jurisdiction)
  if ('reason' in key) return rejected(key.reason)
  const parentId = field('parent_id')
  const parent = parentId === null ? null : sourceKeyOf(parentId, [], defaults, jurisdiction)
  const { type, subtype } = readType(field('type'), field('subtype'), dropped)
  const row: RegistryRow = {
    sourceKey: key.value,
    sourceLine,
    legalName,
    names: readNames(legalName, field),
    type,
    subtype,
    status: readStatus(field('status')),
    legalForm: field('legal_form'),
    jurisdiction,
    registrationAuthority: checked(
      field('registration_authority'),
      /^RA\d{6}$/,
      'registration authority',
      dropped,
    ),
    identifiers,
    address: readAddress(field, countryCode),
    website: checked(
      field('website'),
      /^(?:https?:\/\/)?[^\s/]+\.[^\s/]{2,}(?:\/\S*)?$/i,
      'website',
      dropped,
    ),
    sic: readCode(field('sic'), /^(?!0{4})\d{4}$/, 'SIC code', dropped),
    naics: readCode(field('naics'), /^\d{2,6}$/, 'NAICS code', dropped),
    parentKey: parent !== null && 'value' in parent ? parent.value : null,
    sourceUrl: checked(field('source_url'), /^https?:\/\/\S+$/i, 'source address', dropped),
  }
  return { row, reason: null, dropped }

  function rejected(reason: string): ReadRow {
    return { row: null, reason, dropped }
  }
}

const listedIdentifiers = ['registration_id', 'lei', 'cik', 'ein', 'duns', 'bic', 'ticker'] as const
const identifiersMax = 40

function readIdentifiers(
  field: FieldReader,
  place: { jurisdiction: string | null; countryCode: string | null },
  idType: string,
  dropped: string[],
): RowIdentifier[] {
  const identifiers: RowIdentifier[] = []
  const home = place.jurisdiction ?? place.countryCode?.toLowerCase() ?? null
  const jurisdictionOf = (type: IdentifierType) =>
    type === 'registration_id' ? home : type === 'ein' ? 'us' : null
  const add = (type: IdentifierType, text: string, isId: boolean) => {
    const canonical = canonicalIdentifier(type, text)
    if ('reason' in canonical) {
      // A bad id rejects the row; it need not be counted as dropped too.
      if (!isId) dropped.push(canonical.reason)
      return
    }
    const isKnown = identifiers.some((other) => other.type === type && other.value === canonical.value)
    if (!isKnown) identifiers.push({ type, value: canonical.value, jurisdiction: jurisdictionOf(type) })
  }
  const ownType = identifierType.safeParse(idType)
  const id = field('id')
  if (ownType.success && id !== null) add(ownType.data, id, true)
  for (const type of listedIdentifiers) {
    const separator = type === 'ticker' || type === 'bic' ? /[|,;\s]+/ : /\|/
    for (const text of field(type)?.split(separator) ?? [])
      if (text.trim() !== '') add(type, text.trim(), false)
  }
  return identifiers.slice(0, identifiersMax)
}

const idCharsMax = 100

/** `lei:5493…`, `registration_id:gb:00445790`, `id:17`: what the row is known by from import to import. */
function sourceKeyOf(
  id: string | null,
  identifiers: readonly RowIdentifier[],
  { idType }: RowDefaults,
  jurisdiction: string | null,
): { value: string } | { reason: string } {
  const type = identifierType.safeParse(idType)
  if (!type.success) {
    if (id === null) return { reason: 'it has no id' }
    return id.length > idCharsMax
      ? { reason: `its id is longer than ${idCharsMax} characters` }
      : { value: `${idType}:${id}` }
  }
  const text = id ?? identifiers.find((identifier) => identifier.type === type.data)?.value
  if (text === undefined) return { reason: `it has no ${idType}` }
  const canonical = canonicalIdentifier(type.data, text)
  if ('reason' in canonical) return canonical
  const scope = type.data === 'registration_id' ? `${jurisdiction ?? ''}:` : ''
  return { value: `${idType}:${scope}${canonical.value}` }
}

function readNames(legalName: string, field: FieldReader): RegistryRow['names'] {
  const names: { kind: NameKind; name: string }[] = [{ kind: 'legal', name: legalName }]
  const seen = new Set([legalName.toLowerCase()])
  for (const [kind, column] of [
    ['other', 'other_names'],
    ['former', 'former_names'],
  ] as const) {
    for (const part of field(column)?.split('|') ?? []) {
      const name = part.trim()
      if (name === '' || name.length > matchLimits.nameCharsMax || seen.has(name.toLowerCase())) continue
      seen.add(name.toLowerCase())
      names.push({ kind, name })
    }
  }
  return names.slice(0, namesMax)
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

const activeWords = /^(?:active|registered|live|current|existing|in business|good standing|active - .*)$/
const endedWords =
  /^(?:inactive|dissolved|closed|removed|struck off|converted-closed|liquidated|merged|ceased|deregistered|annulled)$/

function readStatus(text: string | null): string | null {
  if (text === null) return null
  const status = text.toLowerCase()
  if (activeWords.test(status)) return 'active'
  return endedWords.test(status) ? 'inactive' : status
}

function readCountry(text: string | null, dropped: string[]): string | null {
  if (text === null) return null
  const code = countryCodeOf(text)
  if (code === null) dropped.push(`country "${text.slice(0, 40)}" is not known`)
  return code
}

/** "US-DE", "us_de", "GB", "Germany" to `us_de`, `gb`, `de`. */
export function readJurisdiction(text: string | null, dropped: string[]): string | null {
  if (text === null) return null
  const code = text.toLowerCase().replace('-', '_')
  const [country = '', region] = code.split('_')
  if (countryCodeOf(country) !== null && country.length === 2) {
    if (region === undefined || /^[a-z0-9]{1,3}$/.test(region)) return code
  }
  const named = countryCodeOf(text)
  if (named === null) dropped.push(`jurisdiction "${text.slice(0, 40)}" is not known`)
  return named?.toLowerCase() ?? null
}

function readAddress(field: FieldReader, countryCode: string | null): RowAddress {
  return {
    street: field('street_address'),
    city: field('city'),
    region: field('region'),
    postalCode: field('postal_code'),
    countryCode,
    formatted: field('formatted_address'),
  }
}

function checked(text: string | null, shape: RegExp, what: string, dropped: string[]): string | null {
  if (text === null || shape.test(text)) return text
  dropped.push(`${what} "${text.slice(0, 60)}" does not have the form of one`)
  return null
}

function readCode(text: string | null, shape: RegExp, what: string, dropped: string[]): string | null {
  const first = text?.split(/[|,;\s]+/).find((code) => shape.test(code))
  if (first === undefined && text !== null && !/^0*$/.test(text)) {
    dropped.push(`${what} "${text.slice(0, 20)}" does not have the form of one`)
  }
  return first ?? null
}

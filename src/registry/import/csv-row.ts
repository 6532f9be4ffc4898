import {
  entitySubtype,
  entityType,
  toCode,
  type EntitySubtype,
  type EntityType,
} from '../../contract/enums.js'
import { findRegionCode, isSubdivision } from '../normalize/places.js'
import { padUkSicCode } from '../reference/industry-codes.js'
import type { DateOrder } from '../../core/file-formats.js'
import { checkDraft, readCountry, readDay, type Draft, type DraftIdentifier } from './draft.js'
import { companiesHouse, formatCompanyNumber } from './gleif-record.js'
import { parseEdgarPlace, toJurisdiction, type EdgarPlace } from './sec.js'
import { parseSeveralNames } from '../match/candidate.js'
import { matchLimits } from '../model/limits.js'
import { parseForm } from '../normalize/parsed-name.js'
import type { ReadRow } from '../model/registry-rows.js'
import { addOffice, findOffice, hasLocalOffices, parseCourtNumber } from '../../core/numbers/court-numbers.js'
import { toNationalNumber } from '../../core/numbers/national-numbers.js'
import { findCountryCodes, findCountryName } from '../../core/countries.js'
import { UserError } from '../../core/errors.js'
import { systemClock } from '../../platform/clock.js'

/** All fields of a registry row, in the order of messages. */
const importFields = [
  'id',
  'name',
  'other_names',
  'former_names',
  'type',
  'subtype',
  'status',
  'legal_form',
  'street_address',
  'formatted_address',
  'city',
  'region',
  'postal_code',
  'country',
  'jurisdiction',
  'registration_id',
  'registration_court',
  'registration_authority',
  'lei',
  'cik',
  'ein',
  'duns',
  'bic',
  'ticker',
  'sic',
  'naics',
  'founding_date',
  'dissolution_date',
  'website',
  'parent_id',
  'source_url',
] as const
export type ImportField = (typeof importFields)[number]
/** Column indexes of each field, in the order of the map. */
export type ColumnMap = ReadonlyMap<ImportField, readonly number[]>

const listedIdentifiers = ['registration_id', 'lei', 'cik', 'ein', 'duns', 'bic', 'ticker'] as const

/** Separators of the cells of a field with several columns; any other field has the first cell that is not empty. */
export const cellSeparators: Readonly<Partial<Record<ImportField, string>>> = {
  id: ' ',
  street_address: ' ',
  formatted_address: ', ',
  ...Object.fromEntries(
    ['other_names', 'former_names', ...listedIdentifiers, 'sic'].map((field) => [field, '|']),
  ),
}

/** Finds the columns of the fields by `map`, or without it by name. Errors: REGISTRY_IMPORT_INVALID. */
export function resolveColumns(
  header: readonly string[],
  map: Readonly<Record<string, string>> | undefined,
): ColumnMap {
  const names = header.map((name) => name.trim())
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  if (twice !== undefined) {
    throw createImportError(`the file has two columns named "${twice}"`, 'rename one of them')
  }
  const columns = new Map<ImportField, readonly number[]>()
  for (const field of importFields) {
    const indexes = map ? findMappedIndexes(field, map, names) : [names.indexOf(field)]
    if (indexes.some((index) => index >= 0)) columns.set(field, indexes)
  }
  // The first filled cell is the name.
  const own = columns.get('name') ?? []
  if (own.length > 1) columns.set('other_names', [...own, ...(columns.get('other_names') ?? [])])
  const unknown = Object.keys(map ?? {}).find((field) => !importFields.includes(field as ImportField))
  if (unknown !== undefined)
    throw createImportError(`"${unknown}" is not a field`, `fields: ${importFields.join(', ')}`)
  if (!columns.has('name')) {
    throw createImportError(
      'no column has the names',
      `pass --map name=COLUMN; this file has: ${formatColumns(names)}`,
    )
  }
  return columns
}

/** Splits the columns that a map has for one field, `street,number`; a header may have commas itself. */
export const listMapped = (text: string, names: readonly string[]): string[] =>
  names.includes(text) ? [text] : text.split(',').map((column) => column.trim())

function findMappedIndexes(
  field: ImportField,
  map: Readonly<Record<string, string>>,
  names: readonly string[],
): number[] {
  const text = Object.hasOwn(map, field) ? map[field] : undefined
  return (text === undefined ? [] : listMapped(text, names)).map((column) => {
    const index = names.indexOf(column)
    if (index >= 0) return index
    const message = `there is no column "${column}" for ${field}`
    throw createImportError(message, `this file has: ${formatColumns(names)}`)
  })
}

const columnsShownMax = 40

export function formatColumns(names: readonly string[]): string {
  const listed = names.slice(0, columnsShownMax).join(', ')
  return names.length > columnsShownMax ? `${listed}, …` : listed
}

const createImportError = (message: string, hint: string): UserError =>
  new UserError('REGISTRY_IMPORT_INVALID', message, { hint })

export interface RowDefaults {
  /** Type of the id column; `id` for numbers of the file. */
  readonly idType: string
  /** Prefix of keys: the type, or a word that is specific to this file if other files number rows too. */
  readonly keyWord: string
  readonly countryCode: string | null
  readonly jurisdiction: string | null
  /** Order of day and month by the field of a date; optional, defaults to the day. */
  readonly dates?: Readonly<Partial<Record<DateField, DateOrder>>>
}

export const dateFields = ['founding_date', 'dissolution_date'] as const
type DateField = (typeof dateFields)[number]

/** Returns the trimmed text of a field, or `null` if it is empty or missing. */
export type FieldReader = (field: ImportField) => string | null

/** Converts a line of a file to a registration. Pure; any text gives a row or a reason. */
export function readRow(cellOf: FieldReader, sourceLine: number, defaults: RowDefaults): ReadRow {
  const field = withCourts(withWholeNumbers(cellOf, defaults), defaults)
  const dropped: string[] = []
  const order = defaults.dates?.dissolution_date
  const place = getHome(field, defaults)
  // `SR` in a register of Slovakia
  const home = place.slice(0, 2).toUpperCase()
  const ofHome = findCountryCodes(field('country') ?? '').find((code) => code === home)
  const ended = readDay(field('dissolution_date'), { what: 'end date', order, place }, dropped)
  const draft: Draft = {
    idType: defaults.keyWord,
    id: field('id'),
    name: field('name'),
    otherNames: splitNames(field('other_names')),
    formerNames: splitNames(field('former_names')),
    ...readType(field('type'), field('subtype'), dropped),
    isSubtypeStated: field('subtype') !== null,
    status: field('status') ?? (hasEnded(ended) ? 'inactive' : null),
    legalForm: field('legal_form'),
    country: ofHome ?? field('country') ?? defaults.countryCode ?? getHomeCountry(field, defaults),
    jurisdiction: resolveJurisdiction(field, defaults, dropped),
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
    ...readIndustry(field, defaults),
    naics: field('naics'),
    formedOn: field('founding_date'),
    formedOrder: defaults.dates?.founding_date,
    parentId: field('parent_id'),
    sourceUrl: field('source_url'),
  }
  return checkDraft(draft, sourceLine, dropped)
}

/** Some files write a day far ahead for companies without an end. */
const hasEnded = (day: string | null): boolean => day !== null && Date.parse(day) <= systemClock.nowMs()

/** Returns the country of the file's jurisdiction. Registrants of the SEC, and rows with a jurisdiction of their own, may be elsewhere. */
const getHomeCountry = (field: FieldReader, { idType, jurisdiction }: RowDefaults): string | null =>
  idType === 'cik' || field('jurisdiction') !== null ? null : (jurisdiction?.slice(0, 2) ?? null)

/** Restores the leading zeros of the numbers of Companies House, which spreadsheets remove. */
function withWholeNumbers(field: FieldReader, defaults: RowDefaults): FieldReader {
  const authority = field('registration_authority')
  const isRegister = authority === null || companiesHouse.test(authority)
  if (!isRegister || !isHomeBritish(field, defaults)) return field
  const fields = listNumberFields(defaults)
  return (name) => {
    const text = field(name)
    return text !== null && fields.includes(name)
      ? text.replace(/(?<=^|\|\s*)\d{1,7}(?=\s*(?:\||$))/g, formatCompanyNumber)
      : text
  }
}

const listNumberFields = ({ idType }: RowDefaults): readonly ImportField[] =>
  idType === 'registration_id' ? ['id', 'parent_id', 'registration_id'] : ['registration_id']

/** Adds the court or office of a number from its own column. */
function withCourts(field: FieldReader, defaults: RowDefaults): FieldReader {
  const court = field('registration_court')
  const home = getHome(field, defaults)
  const country = (readCountry(home, []) ?? home).slice(0, 2).toLowerCase()
  const office = court === null ? null : findOffice(court)
  if (court === null && !hasLocalOffices(country)) return field
  const fields = listNumberFields(defaults)
  return (name) => {
    const text = field(name)
    if (text === null || !fields.includes(name)) return text
    if (parseCourtNumber(text)?.court === null && court !== null)
      return toNationalNumber('de', `${text}, ${court}`) ?? text
    return addOffice(country, text, office)
  }
}

/** UK SIC 2007 has five digits, but tables of numbers lose a leading zero; the American SIC has four. */
function readIndustry(field: FieldReader, defaults: RowDefaults): Pick<Draft, 'sic' | 'industryCodes'> {
  const text = field('sic')
  if (text === null || !isBritish(field, defaults)) return { sic: text }
  const codes = text
    .split(/[|,;\s]+/)
    .map(padUkSicCode)
    .filter((code) => /^\d{5}$/.test(code) && code !== '00000')
  return codes.length === 0 ? { sic: text } : { industryCodes: `uk_sic_2007:${codes.join(' ')}` }
}

/** Registered in the United Kingdom under a number of its register: SEC files have American codes. */
const isBritish = (field: FieldReader, defaults: RowDefaults): boolean =>
  defaults.idType !== 'cik' && field('cik') === null && isHomeBritish(field, defaults)

const getHome = (field: FieldReader, { jurisdiction, countryCode }: RowDefaults): string =>
  field('jurisdiction') ?? jurisdiction ?? field('country') ?? countryCode ?? ''

function isHomeBritish(field: FieldReader, defaults: RowDefaults): boolean {
  const home = getHome(field, defaults)
  return /^(?:gb|uk)(?:$|[_-])/i.test(home) || readCountry(home, []) === 'GB'
}

/**
 * If all rows are of one country, "DE" is one of its states: Delaware, not Germany. In a file with CIKs, "DE" is
 * Delaware too, as in EDGAR, unless the address is in Germany.
 */
function resolveJurisdiction(
  field: FieldReader,
  { idType, jurisdiction: home, countryCode }: RowDefaults,
  dropped: string[],
): string | null {
  const text = field('jurisdiction')
  if (text !== null && idType === 'cik' && /^[A-Z0-9]{2}$/i.test(text)) {
    const place = parseMixedPlace(text, readCountry(field('country') ?? countryCode, []))
    if (place === null) dropped.push(`place "${text}" is not known`)
    return place === null ? null : toJurisdiction(place)
  }
  const stated = idType === 'registration_id' && field('country') === null ? countryCode : null
  if (text === null || home === null || home.includes('_')) return text ?? home ?? stated
  return findRegionCode(home.toUpperCase(), text)?.replace('-', '_') ?? text
}

/**
 * Parses a code from a column that mixes EDGAR's codes with provinces of Canada and ISO 3166-1 countries. A code with
 * several meanings is the country of the address, otherwise EDGAR's place. `null` if the meaning is uncertain: abroad,
 * "KY" may be Kentucky or the Cayman Islands.
 */
function parseMixedPlace(code: string, addressCountry: string | null): EdgarPlace | null {
  const text = code.toUpperCase()
  const isCountry = findCountryName(text) !== null
  if (isCountry && text === addressCountry) return { countryCode: text, region: null }
  const isAbroad = addressCountry !== null && addressCountry !== 'US'
  if (text === 'KY' && isAbroad) return null
  const place = parseEdgarPlace(text)
  if (place !== null) return place
  if (!isSubdivision(`CA-${text}`)) return isCountry ? { countryCode: text, region: null } : null
  if (!isCountry || addressCountry === 'CA') return { countryCode: 'CA', region: text }
  return isAbroad ? { countryCode: text, region: null } : null
}

/** Names behind `|`. Other signs of lists are part of a name unless each part has a legal form: `A BERHAD; B BERHAD`. */
const splitNames = (text: string | null): string[] =>
  (text?.split('|') ?? []).flatMap((cell) => {
    const isList = /[;；,、/\r\n]/.test(cell) && cell.length <= matchLimits.nameCharsMax
    const names = (isList ? parseSeveralNames(cell.trim().replace(/[\r\n]+/g, ';'))?.names : null) ?? []
    return names.length > 0 && names.every((name) => parseForm(name).formClass !== null) ? names : [cell]
  })

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

/** Subtype of an organization of which only the type is known. */
export const usualSubtype: Readonly<Record<EntityType, EntitySubtype>> = {
  business: 'incorporated_entity',
  nonprofit: 'nonprofit_entity',
  government: 'government_entity',
  person: 'natural_person',
  other: 'other_entity',
  unknown: 'unknown',
}

const usualType = { type: null, subtype: usualSubtype.business } as const

/** Without a type a row is a company; with an invalid type it is unknown. */
function readType(
  typeText: string | null,
  subtypeText: string | null,
  dropped: string[],
): Pick<Draft, 'type' | 'subtype'> {
  if (typeText === null && subtypeText === null) return usualType
  const type = entityType.safeParse(toCode(typeText ?? 'business'))
  if (!type.success) dropped.push(`type "${typeText ?? ''}" is not one of ${entityType.options.join(', ')}`)
  const known = type.success ? type.data : 'unknown'
  if (subtypeText === null) return { type: known, subtype: usualSubtype[known] }
  const subtype = entitySubtype.safeParse(toCode(subtypeText))
  if (!subtype.success) dropped.push(`subtype "${subtypeText}" is not known`)
  return { type: known, subtype: subtype.success ? subtype.data : 'unknown' }
}

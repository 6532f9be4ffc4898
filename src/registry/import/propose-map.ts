import { entityType } from '../../contract/enums.js'
import { UserError } from '../../core/errors.js'
import { toCanonicalIdentifier } from '../../core/identifiers.js'
import { parseCourtNumber } from '../../core/court-numbers.js'
import { findNumbering } from '../../core/number-forms.js'
import { plural } from '../../core/text.js'
import { findCountryCode } from '../../core/countries.js'
import registerWords from '../reference/register-words.json' with { type: 'json' }
import { parseDate } from './draft.js'
import { toCode, type ImportField } from './csv-row.js'
import type { Encoding } from '../../core/file-formats.js'
import { openDelimited, openOneFile, openText, type TextSource } from '../../tables/text-tables.js'

/** Proposed options for importing a table of companies as `csv`. */
export interface MapProposal {
  /** Type of the rows' ids; `null` if no column has ids. */
  readonly idType: 'lei' | 'cik' | 'registration_id' | null
  readonly map: Readonly<Partial<Record<ImportField, string>>>
  /** For rows without a country. */
  readonly country: string | null
  readonly jurisdiction: string | null
  /** Columns without a field. */
  readonly unused: readonly string[]
  /** Reasons for a check by the user; empty if the columns are certain. */
  readonly doubts: readonly string[]
  /** Says which numbers several companies may have; `null` if none. */
  readonly ambiguous: string | null
}

const headers: Readonly<Partial<Record<ImportField, RegExp>>> = {
  name: /^(?:company|entity|legal|business|organi[sz]ation|firm|registered)?_?name$|^(?:company|firma|firmenname|title|raison_sociale|razon_social)$/,
  other_names: /^(?:alias|aliases|aka|dba|(?:other|trading|trade|brand)_names?)$/,
  former_names: /^(?:former|previous|old|earlier)_names?$/,
  street_address: /^(?:street|street_address|address_line_?1|address_1|strasse|straße|rue|calle|via)$/,
  formatted_address: /^(?:(?:full_|formatted_)?address|address_concat|adresse|anschrift|adres)$/,
  city: /^(?:city|town|post_town|ort|locality|ville)$/,
  region: /^(?:state|region|county|province|state_code)$/,
  postal_code: /^(?:postal|postal_code|post_code|postcode|zip|zip_code|zipcode|plz)$/,
  country: /^(?:country|country_code|land|pays)$/,
  jurisdiction: /^(?:jurisdiction(?:_code)?|state_?of_?inc(?:orporation)?)$/,
  registration_authority: /^(?:ra|registration_authority|registration_authority_id)$/,
  registration_court: /^(?:(?:registration_|register_?)?court|amtsgericht|(?:handels)?registergericht)$/,
  registration_id:
    /^(?:ra_id|registration_(?:id|number|no)|company_(?:number|no|id)|companynumber|reg_?no|crn|register_number)$|^(?:handelsregister|register|hr)_?(?:nummer|nr)$|^(?:handelsregister|hrb)$|^(?:uk_company|companies_house(?:_company)?)_(?:number|no|id)$/,
  legal_form: /^(?:elf|elf_code|legal_form|legal_form_code|company_category)$/,
  type: /^(?:type|entity_type)$/,
  status: /^(?:status|entity_status|company_status)$/,
  lei: /^(?:lei|lei_code)$/,
  cik: /^(?:cik|cik_(?:number|no|str))$/,
  ein: /^(?:ein|irs_number|employer_id)$/,
  duns: /^(?:duns|duns_number)$/,
  bic: /^(?:bic|swift|swift_code)$/,
  ticker: /^(?:ticker|tickers|symbol|stock_ticker)$/,
  sic: /^(?:sic|sic_codes?|sic_code_1)$/,
  naics: /^(?:naics|naics_codes?)$/,
  founding_date:
    /^(?:founding_date|founded_on|formed_on|incorporation_date|incorporated_on|date_of_(?:incorporation|creation|formation)|creation_date)$/,
  website: /^(?:website|url|domain|homepage|web)$/,
  source_url: /^(?:source_url|record_url)$/,
}

const otherHeaders: Readonly<Partial<Record<string, string>>> = registerWords.headers

/** A column "state" may have the status of a company. */
const statusWords = /^(?:active|inactive|open|closed|live|dissolved|liquidated|deleted|registered|yes|no)$/i

/** Headers that only British company numbers have. */
const ukHeader = /^(?:uk|companies_house)_/

/** Minimum share of filled cells that must have the type of the column. */
const shareMin = 0.95
const ukPostcode = /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/i
const ukNumber = /^(?:\d{7,8}|[A-Z]{2}\d{6}|[A-Z]{2}\d{5}[A-Z]|[A-Z]\d{7})$/i
/** A British number without its leading zeros. */
const shortNumber = /^[1-9]\d{0,6}$/

/** Proposes a column for each field, by header and, for columns that identify a company, by content. */
export function proposeMap(header: readonly string[], rows: readonly (readonly string[])[]): MapProposal {
  const getCells = (column: string) => {
    const index = header.indexOf(column)
    return rows.map((row) => (row[index] ?? '').trim())
  }
  const { map, twice } = mapHeader(header)
  dropUnlikely(map, getCells)
  recognizeStreet(map, getCells)
  const idType = findIdType(map, getCells)
  const id = idType === null ? undefined : map[idType]
  if (idType !== null && id !== undefined) {
    map.id = id
    Reflect.deleteProperty(map, idType)
  }
  const numbers = idType === 'registration_id' && id !== undefined ? getCells(id) : []
  const isUk = numbers.length > 0 && isBritish(map, getCells)
  const isBritishHeader = ukHeader.test(toHeaderKey(id ?? ''))
  const isGerman =
    !isBritishHeader && isMostly(numbers, (cell) => /^HR/.test(parseCourtNumber(cell)?.register ?? ''))
  const home = isUk ? 'gb' : isGerman ? 'de' : null
  const used = new Set(Object.values(map))
  const hasPlace = home !== null || map.jurisdiction !== undefined
  const doubts = [
    ...(map.name === undefined ? ['no column has names of companies'] : []),
    ...(idType === null
      ? ['no column with a known header has an LEI, CIK or company number in nearly every row']
      : []),
    ...(idType === 'registration_id' && !hasPlace
      ? ['no column has the jurisdiction of the company numbers']
      : []),
    ...twice,
  ]
  return {
    idType,
    map,
    country: isUk ? 'GB' : null,
    jurisdiction: home,
    unused: header.filter((name) => name !== '' && !used.has(name)),
    doubts,
    ambiguous: describeAmbiguousNumbers(map, getCells, home),
  }
}

/** Says which company numbers of the rows several companies may have; `null` if none. `home`: jurisdiction of other rows. */
export function describeAmbiguousNumbers(
  {
    id = '',
    registration_court: court = '',
    registration_authority: authority,
    jurisdiction = '',
    country = '',
  }: FieldMap,
  cellsOf: GetCells,
  home: string | null,
): string | null {
  const [courts, places, countries] = [cellsOf(court), cellsOf(jurisdiction), cellsOf(country)]
  const found = cellsOf(id).filter((number, at) => {
    const stated = places[at] ?? ''
    const place = stated !== '' ? stated : (home ?? findCountryCode(countries[at] ?? '') ?? '')
    return (
      number !== '' &&
      place !== '' &&
      findNumbering(place.toLowerCase(), `${number} ${courts[at] ?? ''}`) === null
    )
  })
  if (found.length === 0 || authority !== undefined) return null
  return (
    `${plural(found.length, 'company number')} of the first rows may be those of several companies, like ${quoteArgument(found[0] ?? '')}: ` +
    'without a court or state, they join no companies, and count only together with the name. ' +
    'The fields registration_court and jurisdiction (us_de) have it'
  )
}

/** Flags of the command that imports a file. */
export interface ImportFlags extends Pick<MapProposal, 'country' | 'jurisdiction'> {
  /** Type of the ids, also a word of the user; `null` if unknown. */
  readonly idType: string | null
  readonly map: Readonly<Record<string, string>>
}

type FieldMap = Partial<Record<ImportField, string>>
type GetCells = (column: string) => readonly string[]

function mapHeader(header: readonly string[]): { map: FieldMap; twice: string[] } {
  const map: FieldMap = {}
  const twice: string[] = []
  for (const [field, shape] of Object.entries(headers) as [ImportField, RegExp][]) {
    const known = header.filter((name) => shape.test(toHeaderKey(name)))
    const others = otherHeaders[field] ?? ''
    const isOther = (name: string) => others.includes(`|${toHeaderKey(name)}|`)
    const found = known.length > 0 ? known : header.filter(isOther)
    if (found[0] !== undefined) map[field] = found[0]
    if (found[1] !== undefined && (field === 'name' || field === 'registration_id')) {
      twice.push(`columns ${found.join(' and ')} may both have the ${field === 'name' ? 'name' : 'number'}`)
    }
  }
  return { map, twice }
}

function toHeaderKey(name: string): string {
  return name
    .replace(/^\s+|[\s.-]+$/g, '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s.-]+/g, '_')
}

/** Headers may mislead: columns with too few valid codes are dropped. */
function dropUnlikely(map: FieldMap, cellsOf: GetCells): void {
  const drop = (field: ImportField, isSound: (cell: string) => boolean) => {
    const column = map[field]
    if (column !== undefined && !isMostly(cellsOf(column), isSound)) Reflect.deleteProperty(map, field)
  }
  drop('type', (cell) => entityType.safeParse(toCode(cell)).success)
  drop('lei', (cell) => 'value' in toCanonicalIdentifier('lei', cell))
  drop('cik', (cell) => 'value' in toCanonicalIdentifier('cik', cell))
  drop('country', (cell) => findCountryCode(cell) !== null)
  drop('founding_date', (cell) => parseDate(cell) !== null)
  drop('region', (cell) => !statusWords.test(cell))
  drop('name', (cell) => /\p{L}/u.test(cell))
}

/** A column "address" next to a city or postal code has the street, unless its lines repeat them. */
function recognizeStreet(map: FieldMap, cellsOf: GetCells): void {
  const { formatted_address: column, street_address: street, city, postal_code: postalCode } = map
  if (column === undefined || street !== undefined || wholeLine.test(toHeaderKey(column))) return
  const places = [city, postalCode].flatMap((place) => (place === undefined ? [] : [cellsOf(place)]))
  const lines = cellsOf(column).flatMap((line, at) => {
    const stated = places.flatMap((cells) => (cells[at] === undefined || cells[at] === '' ? [] : [cells[at]]))
    return line === '' || stated.length === 0
      ? []
      : [{ line: toLetters(line), stated: stated.map(toLetters) }]
  })
  const isWhole = ({ line, stated }: (typeof lines)[number]) => stated.every((part) => line.includes(part))
  if (lines.length === 0 || lines.filter(isWhole).length * 2 > lines.length) return
  map.street_address = column
  Reflect.deleteProperty(map, 'formatted_address')
}

const wholeLine = /^(?:full_|formatted_)|_concat$/
const toLetters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

function isMostly(cells: readonly string[], isSound: (cell: string) => boolean): boolean {
  const filled = cells.filter((cell) => cell !== '')
  return filled.length > 0 && filled.filter(isSound).length >= filled.length * shareMin
}

/** Returns the first type that nearly every row has with nearly no duplicates. */
function findIdType(map: FieldMap, cellsOf: GetCells): MapProposal['idType'] {
  const types = ['lei', 'cik', 'registration_id'] as const
  return (
    types.find((type) => {
      const column = map[type]
      const cells = column === undefined ? [] : cellsOf(column)
      const others = [map.name, map.registration_court].map((one) => (one === undefined ? [] : cellsOf(one)))
      // Two companies may have a number without its court.
      const whole = cells.map((cell, at) =>
        parseCourtNumber(cell)?.court === null ? [cell, ...others.map((one) => one[at])].join(' ') : cell,
      )
      const filled = whole.filter((cell) => cell !== '')
      const isEverywhere = filled.length > 0 && filled.length >= cells.length * shareMin
      return isEverywhere && new Set(filled).size >= filled.length * distinctMin
    }) ?? null
  )
}

const distinctMin = 0.9

/**
 * Numbers of British form are British by their header, or because all places in the file are British. Spreadsheets
 * remove leading zeros: short numbers need such a header, or a whole number in the same column.
 */
function isBritish(map: FieldMap, cellsOf: GetCells): boolean {
  const { id: number, country, postal_code: postcode } = map
  if (number === undefined) return false
  const isStated = ukHeader.test(toHeaderKey(number))
  const numbers = cellsOf(number)
  const areShort = isStated || numbers.some((cell) => cell.length === 8 && ukNumber.test(cell))
  if (!isMostly(numbers, (cell) => ukNumber.test(cell) || (areShort && shortNumber.test(cell)))) return false
  if (isStated) return true
  const countries = country === undefined ? [] : cellsOf(country)
  const stated = countries.filter((cell) => cell !== '')
  if (stated.some((cell) => findCountryCode(cell) !== 'GB')) return false
  if (stated.length > 0 && stated.length >= countries.length * shareMin) return true
  return postcode !== undefined && isMostly(cellsOf(postcode), (cell) => ukPostcode.test(cell))
}

/**
 * Formats the command that imports the file this way; COLUMN and CODE are placeholders for the user. The type of the ids
 * is part of the ids in the registry, so the command always states it.
 */
export function formatCommand(path: string, { idType, map, country, jurisdiction }: ImportFlags): string {
  const needed: FieldMap = {
    ...(map.id === undefined && { id: 'COLUMN' }),
    ...(map.name === undefined && { name: 'COLUMN' }),
  }
  const isPlaceOpen = idType === 'registration_id' && (map.jurisdiction ?? map.country) === undefined
  const place = jurisdiction ?? (isPlaceOpen ? 'CODE' : null)
  const fields = Object.entries({ ...needed, ...map }).map(([field, column]) => `${field}=${column}`)
  const flags = [
    `--id-type ${idType ?? 'registration_id'}`,
    `--map ${quoteArgument(fields.join(','))}`,
    ...(country === null ? [] : [`--country ${country}`]),
    ...(place === null ? [] : [`--jurisdiction ${place}`]),
  ]
  return `enrich registry import csv ${quoteArgument(path)} ${flags.join(' ')}`
}

function quoteArgument(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** The beginning of a file. */
export interface FileSample {
  readonly encoding: Encoding
  /** The text read so far; the whole file if `isWhole`. */
  readonly text: string
  readonly isWhole: boolean
  /** Column names and rows of a table; empty for any other file. */
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Characters that are read from a file for detection. */
export const sampleCharsMax = 262_144
/** Limit of rows for detection. */
const sampleRowsMax = 2_000

/** Errors: those of reading files, and REGISTRY_IMPORT_INVALID for a zip with several files. */
export async function readSample(path: string, given?: Encoding): Promise<FileSample> {
  const file = await openOneFile(path, null)
  const source = await openText(file, given).catch(returnNullIfEmpty)
  if (source === null) return { encoding: 'utf-8', text: '', isWhole: true, header: [], rows: [] }
  const { encoding } = source
  const { text, isWhole } = await readHead(source)
  const isTable = /[\r\n]/.test(text) && !/^\s*[[{]/.test(text)
  return {
    encoding,
    text,
    isWhole,
    ...(isTable ? await readTable(path, encoding) : { header: [], rows: [] }),
  }
}

function returnNullIfEmpty(error: unknown): null {
  if (error instanceof UserError && error.code === 'INPUT_EMPTY') return null
  throw error
}

async function readHead(source: TextSource): Promise<{ text: string; isWhole: boolean }> {
  let text = ''
  for await (const piece of source.pieces()) {
    text += piece
    if (text.length > sampleCharsMax) return { text: text.slice(0, sampleCharsMax), isWhole: false }
  }
  return { text, isWhole: true }
}

async function readTable(path: string, encoding: Encoding): Promise<Pick<FileSample, 'header' | 'rows'>> {
  const table = await openDelimited(await openOneFile(path, null), { encoding })
  let header: readonly string[] = []
  const rows: (readonly string[])[] = []
  const choose = (names: readonly string[]) => {
    header = names.map((name) => name.trim())
    return null
  }
  for await (const records of table.scan(choose)) {
    for (const { cells, reason } of records)
      if (reason === null && rows.length < sampleRowsMax) rows.push(cells)
    if (rows.length >= sampleRowsMax) break
  }
  return { header, rows }
}

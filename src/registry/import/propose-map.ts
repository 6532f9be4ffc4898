import { entityType, toCode } from '../../contract/enums.js'
import { toCanonicalIdentifier, countriesOfTaxHeader, otherTaxHeaders } from '../../core/identifiers.js'
import { parseFormText } from '../normalize/parsed-name.js'
import { parseCourtNumber } from '../../core/numbers/court-numbers.js'
import { findNumbering } from '../../core/numbers/number-forms.js'
import {
  rankInHeaders,
  splitScripts,
  toHeaderKey as toWordsKey,
  toHeaderKeys,
  toPlainDigits,
} from '../../core/text.js'
import { findCountryCode } from '../../core/countries.js'
import {
  identifierHeaders,
  listNumberKeys,
  parsePlaceHeader,
  nameRanks,
  wholePlaceHeaders,
  type PlaceHeader,
} from '../../core/header-words.js'
import { findHeaderField, findNumberCountry, isMostly, isStatus, shareMin } from '../reference/registers.js'
import registerWords from '../reference/register-words.json' with { type: 'json' }
import headerWords from '../../core/headers.json' with { type: 'json' }
import { isDate } from '../../core/file-formats.js'
import {
  addEnglishNames,
  areCodes,
  describeAmbiguousNumbers,
  describeOpenPlace,
  findDistinctNumber,
  findLocalNames,
  findNamesByCells,
  findOnlyCountry,
  findRegion,
  haveOwnNumbers,
  listUnused,
  putSparseLast,
  recognizeSeat,
  type FieldMap,
  type GetCells,
} from './find-columns.js'
import { readCompanyCountry } from '../match/parse-location.js'
import {
  findNumberedStreet,
  isBritish,
  recognizeStreet,
  toHeaderKey,
  joinNames,
  toPlainHeader,
  ukHeader,
} from './file-name.js'
import type { ImportField } from './csv-row.js'

/** Proposed options for importing a table of companies as `csv`. */
export interface MapProposal {
  /** Type of the rows' ids; `null` if no column has ids. */
  readonly idType: 'lei' | 'cik' | 'registration_id' | 'record' | null
  readonly map: Readonly<Partial<Record<ImportField, string>>>
  /** For rows without a country. */
  readonly country: string | null
  readonly jurisdiction: string | null
  /** Columns without a field. */
  readonly unused: readonly string[]
  /** Unused columns that may have the status; empty if another column has it. */
  readonly overlooked: readonly string[]
  /** Reasons for a check by the user; empty if the columns are certain. */
  readonly doubts: readonly string[]
  /** Says which numbers several companies may have; `null` if none. */
  readonly ambiguous: string | null
}

/** Patterns of headers, mostly English. */
const headers = Object.entries(registerWords.patterns).map(
  ([field, pattern]) => [field as ImportField, new RegExp(pattern)] as const,
)
const otherHeaders: Readonly<Partial<Record<string, string>>> = registerWords.headers

/** Fields by the words that a list of companies has for them, too: the kind of identifier, or the part of a place. */
const numberFields = ['registration_id', 'registration_court', 'lei', 'cik', 'ein', 'bic', 'website'] as const
const placeFields = {
  city: 'city',
  region: 'region',
  postal_code: 'postal',
  country: 'country',
  formatted_address: 'address',
} as const

/** Headers of a field that say more than its others: India's class is public or private, its category is not. */
const preferred: Readonly<Partial<Record<string, string>>> = registerWords.preferred

/** Headers of numbers that need no court: only one company of a country has each. */
const isNational = (name: string) => registerWords.nationalNumbers.split('|').includes(toHeaderKey(name))

/** Numbers of courts come, next to a column of courts, before those of a tax office. */
const courtNumberHeader = /(?:^|_)(?:rcs?|rccm|hr[ab]?|rea)(?:_|$)/

/** Proposes a column for each field, by header and, for columns that identify a company, by content. */
export function proposeMap(header: readonly string[], rows: readonly (readonly string[])[]): MapProposal {
  const getCells = (column: string, index = header.indexOf(column)) =>
    rows.map((row) => toPlainDigits(row[index] ?? '').trim())
  const english = header.filter(isEnglishName)
  const isOwn = (name: string) => !english.includes(name)
  const { map, twice } = mapHeader(putSparseLast(header, rows).filter(isOwn))
  mapByWords(map, header.filter(isOwn), getCells)
  dropUnlikely(map, getCells)
  const others = header.some((name) => /^comuna/i.test(name)) ? [] : listUnused(map, header)
  const region = findRegion(others, map.region)
  if (region !== undefined) map.region = region
  recognizeSeat(map, listUnused(map, header), getCells)
  recognizeStreet(map, getCells)
  Object.assign(map, findNumberedStreet(map.street_address, header, getCells))
  const named = map.name === undefined ? listUnused(map, header).filter(isOwn) : []
  const byCells = findNamesByCells(named, getCells)
  if (byCells !== null) map.name = byCells
  const local = map.name === undefined && english.length > 0 ? findLocalNames(named, getCells) : undefined
  addEnglishNames(map, english)
  const isOfTax = (one: string) =>
    rankNumber(one, identifierHeaders.registration_id) >= 0 || otherTaxHeaders.has(toWordsKey(one))
  const isSpare = (one: string) => (map.registration_id ? isOfTax(one) : areCodes(map, one, getCells))
  const spare = map.registration_court === undefined ? listUnused(map, header).filter(isSpare) : []
  Object.assign(map, findDistinctNumber(map, spare, getCells))
  const { idType, doubt, record } = findIdType(map, getCells, listUnused(map, header))
  const isNumbered = idType === 'registration_id' || idType === 'record'
  const id = isNumbered ? map.registration_id : idType === null ? undefined : map[idType]
  const first = record ?? id
  if (first !== undefined) map.id = first
  if (idType !== null && idType !== 'record') Reflect.deleteProperty(map, idType)
  const further = listUnused(map, header).filter(
    (name) => isOfTax(name) && !name.includes(',') && haveOwnNumbers(map, getCells(name)),
  )
  if (isNumbered && further.length > 0)
    map.registration_id = [...(record === undefined ? [] : [id]), ...further].join()
  const numbers = isNumbered && id !== undefined ? getCells(id) : []
  const isUk = numbers.length > 0 && isBritish(map, getCells)
  const isGerman =
    !ukHeader.test(toHeaderKey(id ?? '')) &&
    isMostly(numbers, (cell) => /^HR/.test(parseCourtNumber(cell)?.register ?? ''))
  const isOpen = isNumbered && map.jurisdiction === undefined
  // Numbers may have the form of another country by chance: headers tell before them.
  const rank = (name: string) => Number(findNumberCountry(name, []) === null)
  const own = [id ?? '', ...further].toSorted((one, other) => rank(one) - rank(other))
  const ofNumbers = own.flatMap((name) => findNumberCountry(name, getCells(name)) ?? [])
  const [found = findOnlyCountry(map, getCells)] = isOpen && !isUk && !isGerman ? ofNumbers : [null]
  const isHome = found !== null && !isElsewhere(map, getCells, { header, found })
  const home = isUk ? 'gb' : isGerman ? 'de' : isHome ? found : null
  joinNames(map, byCells === null ? header.filter((one) => isNameHeader(toPlainHeader(one))) : [], getCells)
  const unused = listUnused(map, header)
  const open = isOpen && home === null ? describeOpenPlace(own, getCells) : null
  const doubts = [
    ...(map.name === undefined ? ['no column has names of companies'] : []),
    ...(byCells === null ? [] : [`the cells of "${byCells}" are like company names, its header is not`]),
    ...(local === undefined
      ? []
      : [`"${map.name ?? ''}" has English names; "${local}" may have the registered ones`]),
    ...doubt,
    ...(open === null ? [] : [open.doubt]),
    ...twice,
  ]
  return {
    idType,
    map,
    country: isUk ? 'GB' : null,
    jurisdiction: home ?? (found === null ? (open?.only ?? null) : null),
    unused,
    overlooked: map.status === undefined ? unused.filter((name) => mayBeStatus(name, getCells(name))) : [],
    doubts,
    ambiguous: isNumbered ? describeAmbiguousNumbers(map, getCells, home) : null,
  }
}

/** Whether a row states another country, or the places and forms of most rows, or a header of tax numbers, are those of one. */
function isElsewhere(
  { name = '', city = '', region = '', country = '', formatted_address: address = '' }: FieldMap,
  cellsOf: GetCells,
  { header, found }: { header: readonly string[]; found: string },
): boolean {
  const ofTax = header.flatMap((one) => countriesOfTaxHeader.get(toWordsKey(one)) ?? [])
  const home = found.toUpperCase()
  if (cellsOf(country).some((cell) => cell !== '' && findCountryCode(cell) !== home)) return true
  if (ofTax.length > 0 && ofTax.every((one) => one !== 'any' && one !== home)) return true
  const [cities, regions, lines] = [cellsOf(city), cellsOf(region), cellsOf(address)]
  const countries = cellsOf(name).flatMap((text, at) => {
    const cells = [lines[at] ?? '', cities[at] ?? '', regions[at] ?? '']
    return readCompanyCountry({ cells, parts: ['address', 'city', 'region'], name: text }, null).country ?? []
  })
  return countries.filter((one) => one !== home).length * 2 > countries.length
}

/** Parts of a place that are often smaller or larger than the town or region next to them: `Kecamatan`, `County`. */
const otherLevels: ReadonlySet<string> = new Set(
  toHeaderKeys(headerWords.vagueParts, registerWords.districts),
)

function mapHeader(columns: readonly string[]): { map: FieldMap; twice: string[] } {
  const [map, twice]: [FieldMap, string[]] = [{}, []]
  const rateLevel = (name: string) => Number(otherLevels.has(toWordsKey(name)))
  const header = columns.toSorted((one, other) => rateLevel(one) - rateLevel(other))
  const find = (is: (key: string) => boolean) => {
    const found = header.filter((name) => is(toHeaderKey(name)))
    // A column may be there in several languages, `MunicipalityNL` and `MunicipalityFR`: the first one is taken.
    const isPlain = (name: string) => is(toHeaderKey(toPlainHeader(name)))
    return found.length > 0 ? found : header.filter(isPlain).slice(0, 1)
  }
  for (const [field, shape] of headers) {
    const first = find((key) => preferred[field]?.includes(`|${key}|`) === true)
    const known = first.length > 0 ? first : find((key) => shape.test(key))
    const others = otherHeaders[field] ?? ''
    const found = known.length > 0 ? known : find((key) => others.includes(`|${key}|`))
    if (found[0] !== undefined) map[field] = found[0]
    const what = field === 'name' ? 'name' : field === 'registration_id' ? 'number' : null
    // A company may have several national numbers, as OIB and MBS: the second one is kept next to the first.
    const areNational = field === 'registration_id' && found.every(isNational)
    if (found[1] !== undefined && what !== null && !areNational)
      twice.push(`columns ${found.join(' and ')} may both have the ${what}`)
  }
  const add = (field: ImportField, rank: (name: string) => number) => {
    const used = new Set(Object.values(map))
    const [best] = header
      .flatMap((name) => (used.has(name) || rank(name) < 0 ? [] : [{ name, rank: rank(name) }]))
      .sort((one, other) => one.rank - other.rank)
    if (map[field] === undefined && best !== undefined) map[field] = best.name
  }
  for (const field of numberFields) add(field, (name) => rankNumber(name, identifierHeaders[field]))
  const ofCourt = header.find((name) => courtNumberHeader.test(toHeaderKey(name)))
  if (map.registration_court !== undefined && ofCourt !== undefined) map.registration_id = ofCourt
  if (isNational(map.registration_id ?? '')) delete map.registration_court
  const isWhole = map.street_address !== undefined && map.city !== undefined
  for (const sets of [ownSets, mailingSets])
    if (sets === ownSets || placeKeys.every((field) => map[field] === undefined))
      for (const [field, part] of Object.entries(placeFields))
        if (!isWhole || part !== 'address')
          add(field as ImportField, (name) => rankPlace(parsePlaceHeader(name), part, sets))
  if (!isWhole) add('formatted_address', (name) => wholePlaceHeaders.indexOf(toWordsKey(name)))
  const full = header.find((name) => findHeaderField(toPlainHeader(name)) === 'name')
  if (full !== undefined) map.name = full
  const isOther = (name: string) => /^(?:other|former)_names$/.test(findHeaderField(name) ?? '')
  for (const isAsked of [false, true])
    for (const rank of nameRanks) add('name', (name) => (isOther(name) === isAsked ? rank(name) : -1))
  return { map, twice }
}

const englishWords = new RegExp(registerWords.english, 'iu')

/** Whether a column has names in English, next to those of the register: `الاسم بالإنجليزية`. */
function isEnglishName(header: string): boolean {
  const own = header.replace(englishWords, ' ').trim()
  const isName = isNameHeader(own) || nameRanks.some((rank) => rank(own) >= 0)
  return own !== '' && own !== header.trim() && (isName || findHeaderField(own) === 'other_names')
}

const isNameHeader = (name: string): boolean =>
  findHeaderField(name) === 'name' ||
  headers.some(([field, shape]) => field === 'name' && shape.test(toHeaderKey(name))) ||
  (otherHeaders['name'] ?? '').includes(`|${toHeaderKey(name)}|`)

/** Ranks a header among those of a kind of number, which lists know too, also in another writing: `SEC Reg. #`. */
const rankNumber = (name: string, keys: readonly string[]): number =>
  [name, ...splitScripts(name)]
    .flatMap((text) => [rankInHeaders(text, keys), ...listNumberKeys(text).map((key) => keys.indexOf(key))])
    .sort((one, other) => one - other)
    .find((rank) => rank >= 0) ?? -1

/** Adds fields by the words of headers. Columns with several names join; of several statuses, the first whose words are mostly known. */
function mapByWords(map: FieldMap, header: readonly string[], cellsOf: GetCells): void {
  for (const name of header) {
    if (findHeaderField(name) === 'house_number') continue
    const field = Object.values(map).includes(name) ? null : (findHeaderField(name) as ImportField | null)
    const isSound = field === 'status' ? isNamedStatus : field === 'dissolution_date' ? areDays : null
    if (field === null || isSound?.(cellsOf(name)) === false) continue
    if (map[field] === undefined) map[field] = name
    else if (joinedFields.test(field) && !name.includes(',')) map[field] += `,${name}`
  }
}

const joinedFields = /^(?:other_names|former_names|dissolution_date)$/

const isNamedStatus = (cells: readonly string[]) => isStatus(cells, 0.5)

const areDays = (cells: readonly string[]) => isMostly(cells, isDate)

const mayBeStatus = (name: string, cells: readonly string[]) =>
  isStatus(cells) || (findHeaderField(name) === 'status' && cells.some((cell) => /\p{L}/u.test(cell)))

/** Places of a company; its address for letters only without them, and never those to which bills or goods are sent. */
const [ownSets, mailingSets] = [['registered', 'headquarters', 'plain'], ['mailing']]
const placeKeys = ['street_address', 'formatted_address', 'city', 'region', 'postal_code'] as const

const rankPlace = (place: PlaceHeader | null, part: PlaceHeader['part'], sets: readonly string[]): number =>
  place?.part === part && place.number <= 1 ? sets.indexOf(place.set) : -1

/** Headers may mislead: columns with too few valid codes are dropped, also post-office boxes and origins of branches; a "type" may be a form. */
function dropUnlikely(map: FieldMap, cellsOf: GetCells): void {
  const drop = (field: ImportField, isSound: (cell: string) => boolean) => {
    if (!isMostly(cellsOf(map[field] ?? ''), isSound)) Reflect.deleteProperty(map, field)
  }
  const types = new Set(cellsOf(map.legal_form === undefined ? (map.type ?? '') : ''))
  const formed = [...types].filter((cell) => parseFormText(cell).formClass !== null)
  if (map.type !== undefined && formed.length * 2 > types.size) map.legal_form = map.type
  drop('type', (cell) => entityType.safeParse(toCode(cell)).success)
  for (const one of ['lei', 'cik'] as const) drop(one, (cell) => 'value' in toCanonicalIdentifier(one, cell))
  drop('postal_code', (cell) => cell.length <= 8 || /^[^\p{L}]*\p{L}{0,2}[- ]?\p{Nd}/u.test(cell))
  const origin = /^country_of_/.test(toHeaderKey(map.country ?? '')) ? cellsOf(map.country ?? '') : []
  drop('country', (cell) => findCountryCode(cell) !== null && new Set(origin).size < 2)
  if (!areDays(cellsOf(map.founding_date ?? ''))) delete map.founding_date
  const { region, status, legal_form: form, registration_court: court = '' } = map
  if (isMostly(cellsOf(court), (cell) => !/\p{L}/u.test(cell), 0.5)) delete map.registration_court
  // A column "state" may have the status of a company.
  if (region !== undefined && isStatus(cellsOf(region))) {
    if (status === undefined) map.status = region
    Reflect.deleteProperty(map, 'region')
  }
  if (form !== undefined && (form === map.type || !cellsOf(form).some((cell) => /\p{L}/u.test(cell))))
    Reflect.deleteProperty(map, 'legal_form')
  drop('name', (cell) => /\p{L}/u.test(cell))
}

/** Finds the first type that nearly every row has with nearly no duplicates; in doubt one that every row has. */
function findIdType(
  map: FieldMap,
  cellsOf: GetCells,
  others: readonly string[],
): Pick<MapProposal, 'idType'> & { doubt: string[]; record?: string } {
  const types = (['lei', 'cik', 'registration_id'] as const).map((type) => {
    const { [type]: column, name = '', registration_court: court = '' } = map
    const cells = column === undefined ? [] : cellsOf(column)
    const [names, courts] = [cellsOf(name), cellsOf(court)]
    const home = findNumberCountry(column ?? '', cells)
    const isShared = (cell: string, at: number) =>
      (type === 'registration_id' && court !== '') ||
      parseCourtNumber(cell)?.court === null ||
      (home !== null && findNumbering(home, `${cell} ${courts[at] ?? ''}`) === null)
    const whole = cells.map((cell, at) => (isShared(cell, at) ? `${cell} ${names[at]} ${courts[at]}` : cell))
    const filled = whole.filter((_, at) => cells[at] !== '')
    const isEverywhere = filled.length > 0 && filled.length >= cells.length * shareMin
    return { type, column, isEverywhere, isSure: new Set(filled).size >= filled.length * 0.9 }
  })
  const known = types.filter(({ isEverywhere }) => isEverywhere)
  for (const { type, isSure } of known) if (isSure) return { idType: type, doubt: [] }
  // Persons in the register may have no number of a company, and each row its own.
  const isOfRows = (cells: readonly string[]) =>
    new Set(cells).size === cells.length && cells.every((cell) => /^\p{L}{0,4}-?\d{4,}$/u.test(cell))
  const isLacking = known.length === 0 && map.registration_id !== undefined
  const record = isLacking ? others.find((one) => isOfRows(cellsOf(one))) : undefined
  if (record !== undefined) return { idType: 'record', doubt: [], record }
  const [{ type, column } = { type: null }] = known
  const none = 'no column with a known header has an LEI, CIK or company number in nearly every row'
  const doubt = column === undefined ? none : `several rows have the same number in ${column}`
  return { idType: type, doubt: [doubt] }
}

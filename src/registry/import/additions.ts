import type {
  StatedRow,
  RowIdentifier,
  AdditionItem,
  FileFormat,
  ImportItem,
} from '../model/registry-rows.js'
import { isPersonHeader, parsePlaceHeader, toHeaderKey, wholePlaceHeaders } from '../../core/header-words.js'
import { plural, toHeaderKeys } from '../../core/text.js'
import listWords from '../../core/headers.json' with { type: 'json' }
import registerWords from '../reference/register-words.json' with { type: 'json' }
import { isMostly, shareMin } from '../reference/registers.js'
import { parseForm } from '../normalize/parsed-name.js'
import { toRootDomain } from '../../core/domain-name.js'
import {
  countriesOfAdded,
  countriesOfHeader,
  countriesOfTaxHeader,
  isIsin,
  toCanonicalIdentifier,
} from '../../core/identifiers.js'
import { findCountryCode } from '../../core/countries.js'
import { findNumbering } from '../../core/numbers/number-forms.js'
import { quoteArgument } from './file-name.js'
import { readSample } from './item-thread.js'
import { readIdentifiers } from '../../core/numbers/stated-identifiers.js'
import { openOneFile } from '../../tables/text-tables.js'
import { listMapped, type ImportField } from './csv-row.js'
import { createTableFormat, readTableItems, type Table, type TableRow } from './table.js'
import { UserError } from '../../core/errors.js'
import { createEmptyFileError } from '../../tables/limits-and-errors.js'

type AddedFacts = Partial<Pick<StatedRow, 'names' | 'identifiers' | 'website'>>

/** Builds an addition to a registration of other sources. */
export function buildAddition(line: number, sourceKey: string, added: AddedFacts): AdditionItem {
  return { kind: 'addition', line, rows: [buildAddedRow(line, sourceKey, added)], dropped: [] }
}

/** Fields that are not given are `null`. */
export function buildAddedRow(line: number, sourceKey: string, added: AddedFacts): StatedRow {
  return {
    sourceKey,
    sourceLine: line,
    legalName: null,
    names: added.names ?? [],
    type: 'unknown',
    subtype: 'unknown',
    status: null,
    legalForm: null,
    jurisdiction: null,
    registrationAuthority: null,
    identifiers: added.identifiers ?? [],
    address: {
      street: null,
      streetNumber: null,
      subPremise: null,
      city: null,
      region: null,
      postalCode: null,
      countryCode: null,
      formatted: null,
    },
    website: added.website ?? null,
    sic: null,
    naics: null,
    industryCodes: null,
    formedOn: null,
    parentKey: null,
    successorKey: null,
    sourceUrl: null,
  }
}

/** `gleif-bic`: LEI to BIC, one pair per line. */
export const gleifBic = createLeiMap('BIC', (row, line, lei) => {
  const bic = toCanonicalIdentifier('bic', row.getText('BIC') ?? '')
  if ('reason' in bic) return { kind: 'rejected', line, reason: bic.reason }
  return buildAddition(line, `lei:${lei}`, {
    identifiers: [{ type: 'bic', value: bic.value, jurisdiction: null }],
  })
})

/** `gleif-isin`: LEI to ISIN, one pair per line. */
export const gleifIsin = createLeiMap('ISIN', (row, line, lei) => {
  const isin = (row.getText('ISIN') ?? '').toUpperCase()
  return isIsin(isin)
    ? { kind: 'security', line, isin, issuerKey: `lei:${lei}` }
    : { kind: 'rejected', line, reason: `ISIN "${isin.slice(0, 20)}" fails its checksum` }
})

function createLeiMap(
  column: string,
  buildItem: (row: TableRow, line: number, lei: string) => ImportItem,
): FileFormat {
  const table: Table = {
    what: `LEI-to-${column} map of GLEIF`,
    required: ['LEI', column],
    wanted: [],
    read(row, line) {
      const lei = toCanonicalIdentifier('lei', row.getText('LEI') ?? '')
      return 'reason' in lei
        ? { kind: 'rejected', line, reason: lei.reason }
        : buildItem(row, line, lei.value)
    },
  }
  return createTableFormat(table, { addsUp: true })
}

/**
 * `lei-cik`: LEI to CIK, one pair per line. The two columns are found by their content, with any name and order. Each
 * side gets the other's number, so that a pair is useful if only one of them is stored.
 */
export const leiCik: FileFormat = {
  coverage: 'whole',
  addsUp: true,
  async *read(path, options) {
    const sample = await readSample(path, options?.encoding)
    if (sample.text === '') throw createEmptyFileError(path)
    const columns = findPairColumns(sample.header, sample.rows)
    if (columns === null) {
      throw new UserError('REGISTRY_IMPORT_INVALID', `${path} is not a map of LEI to CIK`, {
        hint: 'it needs a column of LEIs and one of CIKs: numbers of ten digits, or under a header that says CIK',
      })
    }
    const table = {
      what: 'map of LEI to CIK',
      required: [columns.lei, columns.cik],
      wanted: [],
      read: (row: TableRow, line: number) => readPair(row, line, columns),
    }
    yield* readTableItems(await openOneFile(path, null), table, { ...options, encoding: sample.encoding })
  },
}

type PairColumns = Readonly<{ lei: string; cik: string }>

/** Returns `null` unless exactly one column has LEIs and one has CIKs. */
export function findPairColumns(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): PairColumns | null {
  const findColumns = (holds: (cell: string, name: string) => boolean) =>
    header.filter((name, index) => {
      const cells = rows.map((row) => (row[index] ?? '').trim())
      return isMostly(cells, (cell) => holds(cell, name))
    })
  const [lei, otherLei] = findColumns((cell) => 'value' in toCanonicalIdentifier('lei', cell))
  const [cik, otherCik] = findColumns(isCik)
  if (lei === undefined || cik === undefined || otherLei !== undefined || otherCik !== undefined) return null
  return { lei, cik }
}

/** Ten digits with leading zeros are a CIK; other numbers only under a header that says CIK. */
function isCik(cell: string, name: string): boolean {
  const isNamed = /(?:^|[^a-z])cik(?:$|[^a-z])|central.?index/i.test(name)
  return isNamed ? /^\d{1,10}$/.test(cell) && Number(cell) > 0 : /^0\d{9}$/.test(cell) && Number(cell) > 0
}

function readPair(row: TableRow, line: number, columns: PairColumns): ImportItem {
  const lei = toCanonicalIdentifier('lei', row.getText(columns.lei) ?? '')
  if ('reason' in lei) return { kind: 'rejected', line, reason: lei.reason }
  const cik = toCanonicalIdentifier('cik', row.getText(columns.cik) ?? '')
  if ('reason' in cik) return { kind: 'rejected', line, reason: cik.reason }
  const toIdentifiers = (type: 'lei' | 'cik', value: string): RowIdentifier[] => [
    { type, value, jurisdiction: null },
  ]
  return {
    kind: 'addition',
    line,
    rows: [
      buildAddedRow(line, `lei:${lei.value}`, { identifiers: toIdentifiers('cik', cik.value) }),
      buildAddedRow(line, `cik:${cik.value}`, { identifiers: toIdentifiers('lei', lei.value) }),
    ],
    dropped: [],
  }
}

/**
 * `domains`: `domain,company`, one domain per line; also redirects and aliases. The company is an identifier: an LEI,
 * `CIK 320193` or `company number GB 00445790`.
 */
export const domainList = createTableFormat(
  { what: 'list of domains', required: ['domain', 'company'], wanted: [], read: readDomain },
  { addsUp: true },
)

function readDomain(row: TableRow, line: number): ImportItem {
  const text = row.getText('domain') ?? ''
  const domain = toRootDomain(text)
  if (domain === null)
    return { kind: 'rejected', line, reason: `"${text.slice(0, 40)}" is not a public domain` }
  const company = row.getText('company') ?? ''
  const key = toCompanyKey(company)
  const reason = `"${company.slice(0, 40)}" is not an LEI, a CIK or a company number`
  if (key === null) return { kind: 'rejected', line, reason }
  return buildAddition(line, key, {
    website: `https://${domain}`,
    identifiers: [{ type: 'domain', value: domain, jurisdiction: null }],
  })
}

function toCompanyKey(text: string): string | null {
  const { name, identifiers } = readIdentifiers(text)
  const [identifier, ...others] = identifiers
  if (name !== null || identifier === undefined || others.length > 0) return null
  const { kind, value, place } = identifier
  if (kind === 'lei' || kind === 'cik') return `${kind}:${value}`
  return kind === 'registration_id' && place !== null
    ? `registration_id:${place.toLowerCase().replace('-', '_')}:${value}`
    : null
}

const hasForm = (text: string): boolean => parseForm(text).formClass !== null
/** Least share of cells with a legal form in a column of names whose header is unknown. */
const formsShareMin = 0.3

/** Returns the column that has the most legal forms in its cells, enough for names; `null` without one. */
export function findNamesByCells(
  columns: readonly string[],
  getCells: (column: string) => readonly string[],
): string | null {
  const rated = columns.map((column) => {
    const filled = getCells(column).filter((cell) => cell !== '')
    return { column, forms: filled.filter(hasForm).length, all: filled.length }
  })
  const fitting = rated.filter(({ forms, all }) => forms > 0 && forms >= all * formsShareMin)
  return fitting.sort((one, other) => other.forms - one.forms)[0]?.column ?? null
}

/** Returns the first column of different texts in other letters than Latin, as names are; undefined without one. */
export const findLocalNames = (
  columns: readonly string[],
  cellsOf: (column: string) => readonly string[],
): string | undefined =>
  columns.find((column) => {
    const cells = cellsOf(column).filter((cell) => cell !== '')
    const isText = (cell: string) => /(?!\p{sc=Latin})\p{L}{2}/u.test(cell) && !/\p{Nd}{3}/u.test(cell)
    return isMostly(cells, isText) && new Set(cells).size >= cells.length * 0.9 && !isPersonHeader(column)
  })

/** Adds columns of names in English behind those of the register. */
export function addEnglishNames(map: Partial<Record<ImportField, string>>, english: readonly string[]): void {
  if (english[0] === undefined) return
  map.name ??= english[0]
  const others = [...(map.other_names?.split(',') ?? []), ...english.filter((one) => !one.includes(','))]
  const further = others.filter((one) => one !== map.name)
  if (further.length > 0) map.other_names = further.join()
}

/** Lists the columns of a header that a map does not use. */
export function listUnused(map: Readonly<Record<string, string>>, header: readonly string[]): string[] {
  const used = new Set(Object.values(map).flatMap((text) => listMapped(text, header)))
  return header.filter((name) => name !== '' && !used.has(name))
}

/** Returns the province of unused columns, if `found` is only a landscape like `Costa`, or missing; else `found`. Not for Chile. */
export function findRegion(unused: readonly string[], found: string | undefined): string | undefined {
  if (found !== undefined && !/^regi[oó]n$/i.test(found.trim())) return found
  return unused.find((name) => /^(?:\w*_)?(?:provincia|departamento)(?:_\w*)?$/i.test(name.trim())) ?? found
}

/** Returns the first column of `others` whose numbers all differ and do not begin with those of `id`, as numbers of branches do, where companies of several names share them, or many or all have none. */
export function findDistinctNumber(
  { registration_id: id = '', name = '' }: { readonly registration_id?: string; readonly name?: string },
  others: readonly string[],
  cellsOf: (column: string) => readonly string[],
): { registration_id?: string } {
  const [numbers, names] = [cellsOf(id), cellsOf(name)]
  const named = new Map(numbers.map((number, at) => [number, names[at]]))
  const isShared = numbers.some((number, at) => number !== '' && named.get(number) !== names[at])
  const isBranch = (cell: string, at: number) => cell.startsWith((numbers[at] ?? '').padEnd(5))
  const isFitting = (cells: readonly string[]) =>
    new Set(cells).size === cells.length && !cells.some((cell, at) => cell === '' || isBranch(cell, at))
  const isLacking = numbers.filter(Boolean).length < numbers.length * shareMin
  const found = isShared || isLacking ? others.find((one) => isFitting(cellsOf(one))) : undefined
  return found === undefined ? {} : { registration_id: found }
}

/** Whether all numbers of the rows differ, as those of a group for taxes do not; next to a column of courts, any may. */
export const haveOwnNumbers = (map: { registration_court?: string }, cells: readonly string[]): boolean => {
  const filled = cells.filter((cell) => cell !== '')
  const areNumbers =
    isMostly(filled, (cell) => /\d(?:[ ./-]?\d){3}/.test(cell)) && new Set(filled).size === filled.length
  return areNumbers || map.registration_court !== undefined
}

const seatHeaders: ReadonlySet<string> = new Set([...wholePlaceHeaders, ...toHeaderKeys(registerWords.seats)])

/** Takes a seat whose cells are only towns as the city, also next to a column of addresses: `Sjedište` next to `Adresa`. */
export function recognizeSeat(
  map: { city?: string; formatted_address?: string },
  unused: readonly string[],
  cellsOf: (column: string) => readonly string[],
): void {
  const { city, formatted_address: line = '' } = map
  const areTowns = (cells: readonly string[]) => isMostly(cells, (cell) => !/[\p{Nd},;،]/u.test(cell))
  const isSeat = (name: string) => seatHeaders.has(toHeaderKey(name)) && areTowns(cellsOf(name))
  const seat = city === undefined ? [line, ...unused].find(isSeat) : undefined
  if (seat === undefined) return
  map.city = seat
  const next = unused.find((name) => parsePlaceHeader(name)?.part === 'address')
  if (seat === line) delete map.formatted_address
  if (seat === line && next !== undefined) map.formatted_address = next
}

export const noJurisdiction = 'no column has the country of the register; registry import has --jurisdiction'

const placesShownMax = 5

/** Says that the country of the register is open, and which countries have numbers under all of these headers. */
export function describeOpenPlace(columns: readonly string[]): string {
  const tables = [countriesOfHeader, countriesOfAdded, countriesOfTaxHeader]
  const find = (name: string) => tables.flatMap((countries) => countries.get(toHeaderKey(name)) ?? [])
  const [first = [], ...others] = columns.map(find).filter((countries) => countries.length > 0)
  const isSure = (code: string) => code !== 'any' && !(code in listWords.sharedNumbers)
  const fitting = first.filter((code) => isSure(code) && others.every((codes) => codes.includes(code)))
  const codes = [...new Set(fitting)].map((code) => code.toLowerCase())
  return codes.length === 0 || codes.length > placesShownMax
    ? noJurisdiction
    : `${noJurisdiction}: the headers are those of ${codes.join(' or ')}`
}

/** Says which company numbers of the rows several companies may have; `null` if none. `home`: jurisdiction of other rows. */
export function describeAmbiguousNumbers(
  map: Partial<Record<ImportField, string>>,
  cellsOf: (column: string) => readonly string[],
  home: string | null,
): string | null {
  const { id = '', registration_court: court = '', jurisdiction = '', country = '' } = map
  const [courts, places, countries] = [cellsOf(court), cellsOf(jurisdiction), cellsOf(country)]
  const found = cellsOf(id).filter((number, at) => {
    const stated = places[at] ?? ''
    const place = stated !== '' ? stated : (home ?? findCountryCode(countries[at] ?? '') ?? '')
    const writings = [number, `${number} ${courts[at] ?? ''}`]
    return number !== '' && place !== '' && writings.every((one) => findNumbering(place, one) === null)
  })
  if (found.length === 0 || map.registration_authority !== undefined) return null
  return (
    `${plural(found.length, 'company number')} of the first rows, such as ${quoteArgument(found[0] ?? '')}, may belong to several companies: the court or state is missing. ` +
    'Such a number joins no rows, and finds a company only together with the name. ' +
    'Map the column of courts to registration_court, or of states to jurisdiction (us_de)'
  )
}

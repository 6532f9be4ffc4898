import { at as getMember } from '../../core/json.js'
import { openOneFile } from '../../tables/text-tables.js'
import type {
  CompanyProfile,
  FileFormat,
  ImportItem,
  ReadOptions,
  RowIdentifier,
  RowName,
} from '../model/registry-rows.js'
import { importLimits, matchLimits } from '../model/limits.js'
import { toCanonicalIdentifier } from '../../core/identifiers.js'
import { recordUrls } from '../model/identifiers.js'
import { buildAddedRow } from './additions.js'
import { parseDate } from '../../core/file-formats.js'
import { isWebsite } from './draft.js'
import { formatCompanyNumber } from './gleif-record.js'
import {
  isJson,
  readJsonItems,
  parseJson,
  toText,
  createOtherKindError,
  readTableItems,
  type Table,
} from './table.js'

/** Variables of the query; several values are separated by `|`. Without grouping it has `altLabel`. */
const columns = [
  'itemLabel',
  'altLabels',
  'altLabel',
  'lei',
  'cik',
  'companyNumber',
  'website',
  'tickers',
  'description',
  'inception',
  'employees',
  'revenue',
  'industries',
  'parent',
  'linkedin',
  'facebook',
  'crunchbase',
] as const
type Column = 'item' | (typeof columns)[number]

type Cells = (column: Column) => string | null

const table: Table = {
  what: 'result of the query for companies of Wikidata',
  required: ['item', 'itemLabel'],
  wanted: columns.slice(1),
  read: (row, line) => buildWikidataItem((column) => row.getText(column), line),
}

/**
 * `wikidata`: the result of the query in docs/manual/registers.md, as CSV, as a JSON list of rows, or as SPARQL 1.1 Query
 * Results JSON. Adds names, websites, tickers, identifiers and a profile to
 * companies of registers.
 */
export const wikidata: FileFormat = {
  coverage: 'whole',
  // A query without grouping has a row per name.
  addsUp: true,
  async *read(path, options) {
    const file = await openOneFile(path, null)
    if (await isJson(file)) yield* readJsonRows(file, options)
    else yield* readTableItems(file, table, options)
  },
}

async function* readJsonRows(file: Awaited<ReturnType<typeof openOneFile>>, options?: ReadOptions) {
  yield* readJsonItems(
    file,
    ({ key, text, line }) => {
      if (key === 'vars' || key === 'link') return null
      if (key !== null && key !== 'bindings') throw createOtherKindError(file, table, `it has "${key}"`)
      const record = parseJson(text)
      if (getMember(record, 'item') === undefined) return { kind: 'rejected', line, reason: 'it has no item' }
      return buildWikidataItem((column) => toCell(getMember(record, column)), line)
    },
    { ...options, arraysInMembers: true },
  )
}

/** Reads a term of SPARQL results, `{"type": …, "value": …}`, or a plain value. */
function toCell(term: unknown): string | null {
  return toText(getMember(term, 'value') ?? term)
}

function buildWikidataItem(cells: Cells, line: number): ImportItem {
  const item = /^(?:https?:\/\/www\.wikidata\.org\/(?:entity|wiki)\/|wd:)?(Q[1-9]\d{0,11})$/.exec(
    cells('item') ?? '',
  )?.[1]
  if (item === undefined) return { kind: 'rejected', line, reason: 'its item is not an id of Wikidata' }
  const dropped: string[] = []
  const ids = readIds(cells, dropped)
  if (ids.length === 0) {
    const reason = dropped[0] ?? 'it has no identifier: no LEI, CIK or British company number'
    return { kind: 'rejected', line, reason }
  }
  const tickers = readTickers(cells, dropped)
  const names = readNames(cells, item, tickers, dropped)
  const website = listIn(cells('website')).find(isWebsite) ?? null
  if (website === null && cells('website') !== null) dropped.push('its website does not have the form of one')
  const profile = readProfile(cells)
  const rows = ids.map((id) => ({
    ...buildAddedRow(line, toKey(id), {
      names,
      identifiers: [...ids.filter((other) => other !== id), ...tickers],
    }),
    website,
    sourceUrl: recordUrls.wikidata(item),
    ...(profile === null ? {} : { profile }),
  }))
  return { kind: 'addition', line, rows, dropped }
}

function toKey({ type, value, jurisdiction }: RowIdentifier): string {
  return jurisdiction === null ? `${type}:${value}` : `${type}:${jurisdiction}:${value}`
}

/** An item with two LEIs is about a group or wrong: its names cannot be assigned to one company. */
function readIds(cells: Cells, dropped: string[]): RowIdentifier[] {
  const kinds = [
    { column: 'lei', type: 'lei', jurisdiction: null },
    { column: 'cik', type: 'cik', jurisdiction: null },
    { column: 'companyNumber', type: 'registration_id', jurisdiction: 'gb' },
  ] as const
  return kinds.flatMap(({ column, type, jurisdiction }) => {
    const values = new Set<string>()
    for (const text of listIn(cells(column))) {
      const canonical =
        type === 'registration_id' ? parseBritishNumber(text) : toCanonicalIdentifier(type, text)
      if ('reason' in canonical) dropped.push(replaceUnprintable(canonical.reason))
      else values.add(canonical.value)
    }
    const [value] = values
    if (value === undefined) return []
    if (values.size === 1) return [{ type, value, jurisdiction }]
    dropped.push(`it has ${values.size} values of ${column}, so that none is certain`)
    return []
  })
}

function parseBritishNumber(text: string): { value: string } | { reason: string } {
  const value = formatCompanyNumber(text)
  return /^(?:[A-Z]{2}|[A-Z]\d|\d{2})(?:\d{6}|\d{5}[A-Z]|\d{4}RS)$/.test(value)
    ? { value }
    : { reason: 'its British company number does not have the form of one' }
}

/** "London Stock Exchange:TSCO", or only a symbol. */
function readTickers(cells: Cells, dropped: string[]): RowIdentifier[] {
  const tickers = new Map<string, RowIdentifier>()
  for (const text of listIn(cells('tickers'))) {
    const at = text.lastIndexOf(':')
    const canonical = toCanonicalIdentifier('ticker', text.slice(at + 1))
    const exchange = text.slice(0, Math.max(0, at)).trim()
    if ('reason' in canonical) dropped.push('a ticker is not one symbol')
    else if (!tickers.has(canonical.value)) {
      const isSound = exchange !== '' && exchange.length <= exchangeCharsMax && !unprintable.test(exchange)
      const ticker = { type: 'ticker', value: canonical.value, jurisdiction: null } as const
      tickers.set(canonical.value, isSound ? { ...ticker, exchange } : ticker)
    }
  }
  return [...tickers.values()].slice(0, importLimits.identifiersMax)
}

const exchangeCharsMax = 60

/** Returns label and aliases, without duplicates, tickers, and the item id of items without a label. */
function readNames(
  cells: Cells,
  item: string,
  tickers: readonly RowIdentifier[],
  dropped: string[],
): RowName[] {
  const label = cells('itemLabel')
  const symbols = new Set(tickers.map(({ value }) => value))
  const aliases = [...listIn(cells('altLabels')), ...listIn(cells('altLabel'))].filter(
    (alias) =>
      !symbols.has(
        alias
          .slice(alias.lastIndexOf(':') + 1)
          .trim()
          .toUpperCase(),
      ),
  )
  const names = new Map<string, RowName>()
  let unsoundCount = 0
  let beyondCount = 0
  for (const name of [...(label === null || label === item ? [] : [label]), ...aliases]) {
    if (names.has(name.toLowerCase())) continue
    if (!isName(name)) unsoundCount++
    else if (names.size >= importLimits.namesMax) beyondCount++
    else names.set(name.toLowerCase(), { kind: 'other', name })
  }
  if (unsoundCount > 0) dropped.push(`${unsoundCount} of its names are too long or not text`)
  if (beyondCount > 0)
    dropped.push(`${beyondCount} of its names are more than the ${importLimits.namesMax} kept`)
  return [...names.values()]
}

/** Returns `null` if the item states nothing of it. */
function readProfile(cells: Cells): CompanyProfile | null {
  const readText = (column: Column) => listIn(cells(column)).find(isName) ?? null
  const profile: CompanyProfile = {
    description: readText('description'),
    foundedOn: readDay(cells('inception')),
    employees: readLatest(cells('employees'), /^(?:(\d{4})?:)?\+?(\d{1,8})$/),
    revenue: readLatest(cells('revenue'), /^(\d{4})?:USD:\+?(\d{1,15})(?:\.\d+)?$/),
    industries: [...new Set(listIn(cells('industries')).filter(isName))].slice(0, industriesMax),
    // With several parents, none is certain.
    parent: listIn(cells('parent')).length === 1 ? readText('parent') : null,
    linkedin: readHandle(cells('linkedin')),
    facebook: readHandle(cells('facebook')),
    crunchbase: readHandle(cells('crunchbase')),
  }
  const isKnown = Object.values(profile).some((value) => value !== null && value !== profile.industries)
  return isKnown || profile.industries.length > 0 ? profile : null
}

const industriesMax = 10

/** Reads a day; the first of January with a time may stand for a year of unknown day. */
function readDay(cell: string | null): string | null {
  return cell === null || /^\d{4}-01-01T/.test(cell) || !/^\d{4}-\d\d-\d\d(?:T|$)/.test(cell)
    ? null
    : parseDate(cell)
}

/** Reads the number of the latest year; the shape has the year, then the number. */
function readLatest(cell: string | null, shape: RegExp): number | null {
  const values = listIn(cell).flatMap((text) => {
    const found = shape.exec(text)
    return found?.[2] === undefined ? [] : [{ year: Number(found[1] ?? 0), value: Number(found[2]) }]
  })
  const [latest] = values.sort((a, b) => b.year - a.year)
  return latest?.value ?? null
}

function readHandle(cell: string | null): string | null {
  return listIn(cell).find((text) => /^[\p{L}\p{N}._%-]{1,100}$/u.test(text)) ?? null
}

function isName(text: string): boolean {
  return text.length <= matchLimits.nameCharsMax && /[\p{L}\p{N}]/u.test(text) && !unprintable.test(text)
}

/** Control characters, direction marks and replacement characters. */
const unprintable = /[\p{Cc}\p{Co}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/u

function replaceUnprintable(text: string): string {
  return text.replace(new RegExp(unprintable, 'gu'), ' ')
}

function listIn(cell: string | null): string[] {
  if (cell === null) return []
  return cell
    .split('|')
    .map((text) => text.trim())
    .filter((text) => text !== '')
}

import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { identifierType } from '../../contract/enums.js'
import { suggestNearest, UserError } from '../../core/errors.js'
import { CsvScanner, openDelimited, openOneFile, type LocatedRecord } from '../../tables/text-tables.js'
import {
  cellSeparators,
  resolveColumns,
  formatColumns,
  type ColumnMap,
  type ImportField,
  readRow,
  type RowDefaults,
  dateFields,
} from './csv-row.js'
import { describeAmbiguousNumbers, isHeaderless, listUnused, noJurisdiction } from './find-columns.js'
import { describeHeaderless, formatCommand, formatUnused, type ImportFlags } from './detect-file.js'
import { readCountry, readJurisdiction } from './draft.js'
import { DateOrderFinder, describeDateOrders, toOrders, type DateReading } from './mapped-format.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { parseFileName } from './file-name.js'
import { createTypeCheck } from './mapped-row.js'
import { proposeMap, type MapProposal } from './propose-map.js'
import { runImport, type ImportedFile, type ImportOptions, Tally } from './run-import.js'
import type { ImportItem, ItemPiece, ReadOptions } from '../model/registry-rows.js'
import { beginImport, type ImportResult } from './session.js'
import { mapEach, readItems, readSample } from './item-thread.js'
import { findCountryCode } from '../../core/countries.js'
import { calculateDistance } from '../../core/word-forms.js'
import { type DateOrder } from '../../core/file-formats.js'
import { findCalendar } from '../../core/time.js'
import type { WritableRegistry } from '../registry.js'

/** `sourceName`: name of the source in `registry info` and in citations; defaults to the file name without its date. */
export interface CsvSettings extends Pick<ImportOptions, 'sourceName' | 'encoding'> {
  /** Type of the id column (`lei`, `cik`, `registration_id`, …); `id` for numbers of the file. */
  readonly idType?: string | undefined
  /** Field to column; defaults to columns with the names of fields. */
  readonly map?: Readonly<Record<string, string>> | undefined
  /** For rows without a country. */
  readonly country?: string | undefined
  readonly jurisdiction?: string | undefined
  /** Order of day and month in dates of digits. Defaults to the order that the column shows, or that of the country. */
  readonly dates?: DateOrder | undefined
}

export type ImportCsvOptions = ImportOptions & CsvSettings

/** Imports a CSV file of any common encoding, delimiter and compression. Errors: those of `runImport`. */
export function importCsv(registry: WritableRegistry, options: ImportCsvOptions): Promise<ImportResult> {
  return runImport(registry, options, {
    source: describeSource(options, nameList(registry.database, basename(options.path))),
    addsUp: false,
    mustHold: false,
    items: (session) => {
      const { path, encoding, idType, map, country, jurisdiction, dates, onNotice } = options
      const settings = { path, encoding, idType, map, country, jurisdiction, dates }
      const request: CsvRequest = { kind: 'csv', ...settings, keyWord: session.keyWord(idType ?? 'id') }
      return readItems({ paths: [path], request, derives: true, read: readCsvItems, onNotice })
    },
  })
}

/** A CSV file to be read. `keyWord`: prefix of the keys of its rows. */
export interface CsvRequest extends Omit<CsvSettings, 'sourceName'> {
  readonly kind: 'csv'
  readonly path: string
  readonly keyWord: string
}

/** Errors: those of reading files, REGISTRY_IMPORT_INVALID. */
export async function* readCsvItems(
  request: CsvRequest,
  { onNotice }: Pick<ReadOptions, 'onNotice'>,
): AsyncGenerator<ItemPiece> {
  if (request.map?.name === undefined) await requireFieldNames(request)
  if (request.idType === 'registration_id') await warnOfAmbiguousNumbers(request, onNotice)
  const dates = await findDateOrders(request)
  for (const notice of describeDateOrders(dates, '--dates')) onNotice?.(notice)
  const reader = new CsvReader(request, toOrders(dates))
  const file = await openDelimited(await openOneFile(request.path, null), { encoding: request.encoding })
  for (const notice of file.notices) onNotice?.(notice)
  const choose = (header: readonly string[]) => reader.choose(header)
  for await (const records of file.scan(choose)) yield mapEach(records, (record) => reader.readItem(record))
  reader.end()
}

/** Reads rows until each column of dates shows the order of day and month. Errors: those of `readCsvItems`. */
export async function findDateOrders(
  request: Omit<CsvRequest, 'kind' | 'keyWord'>,
): Promise<readonly DateReading[]> {
  const reader = new CsvReader({ ...request, keyWord: 'id' })
  const file = await openDelimited(await openOneFile(request.path, null), { encoding: request.encoding })
  for await (const records of file.scan((header) => reader.choose(header))) {
    if (!reader.hasOpenDates) break
    for (const record of records) reader.lookAtDates(record)
  }
  return reader.listDates()
}

/** The map, or without one the header, must have the name and the id. If one is missing, the error proposes a command. */
async function requireFieldNames(request: CsvRequest): Promise<void> {
  const { path, encoding, map, idType = 'id' } = request
  const { header, rows } = await readSample(path, encoding)
  if (header.length === 0) return
  const hasName = map === undefined && header.includes('name')
  if (hasName && (header.includes('id') || header.includes(idType))) return
  const flags = proposeFlags(proposeMap(header, rows), header, request)
  if (map === undefined && isHeaderless(header))
    throw new UserError('REGISTRY_IMPORT_INVALID', `${path}: ${describeHeaderless(header)}`)
  const missing = hasName ? `"id"${idType === 'id' ? '' : ` or "${idType}"`}` : '"name"'
  const command = formatCommand(path, flags)
  const doubt =
    flags.doubts[0] ?? (flags.map.id === undefined ? 'the column of the ids is unknown' : undefined)
  const open = ['COLUMN', 'CODE (the country of the register, two letters)'].filter((one) =>
    new RegExp(`[= ]${one.split(' ')[0] ?? ''}\\b`).test(command),
  )
  const change = open.length > 0 ? `replace ${open.join(' and ')} in this command` : 'correct this command'
  throw new UserError(
    'REGISTRY_IMPORT_INVALID',
    map === undefined
      ? `without --map, the file needs a column named ${missing}; it has: ${formatColumns(header)}`
      : `--map has no column for the name; the file has: ${formatColumns(header)}`,
    {
      hint: `${doubt ?? 'check the columns'}${doubt === undefined && open.length === 0 ? '' : `; ${change}`}${formatUnused(listUnused(flags.map, header))}. Then run: ${command}`,
    },
  )
}

async function warnOfAmbiguousNumbers(
  { path, encoding, map, country, jurisdiction }: CsvRequest,
  onNotice: ReadOptions['onNotice'],
): Promise<void> {
  if (onNotice === undefined) return
  const { header, rows } = await readSample(path, encoding)
  const fields = ['id', 'registration_court', 'registration_authority', 'jurisdiction', 'country'] as const
  const columns =
    map ?? Object.fromEntries(fields.filter((one) => header.includes(one)).map((one) => [one, one]))
  const getCells = (column: string) => rows.map((row) => (row[header.indexOf(column)] ?? '').trim())
  const home = jurisdiction ?? (country === undefined ? null : findCountryCode(country))
  if (home === null && columns.jurisdiction === undefined && columns.country === undefined)
    onNotice('company numbers without a country join those of no other file: pass --jurisdiction CODE')
  const notice = describeAmbiguousNumbers(columns, getCells, home)
  if (notice !== null) onNotice(notice)
}

/** Adds what the user stated to a proposal. */
function proposeFlags(
  proposal: MapProposal,
  header: readonly string[],
  { idType, map, country, jurisdiction }: CsvSettings,
): ImportFlags & Pick<MapProposal, 'doubts'> {
  const stated = { country: country ?? proposal.country, jurisdiction: jurisdiction ?? proposal.jurisdiction }
  const isPlaced = (country ?? jurisdiction) !== undefined
  const open = proposal.doubts.filter((doubt) => !isPlaced || !doubt.startsWith(noJurisdiction))
  const { name, id } = proposal.map
  if (map !== undefined) {
    const doubts = name === undefined ? ['no column has names of companies'] : []
    return { ...stated, idType: idType ?? 'id', map: { ...map, ...(name !== undefined && { name }) }, doubts }
  }
  if (idType === undefined || idType === proposal.idType) return { ...proposal, ...stated, doubts: open }
  // The proposed ids are of another type: they become a field of their own.
  const own = header.find((column) => column === 'id' || column === idType)
  const fields: Record<string, string> = { ...proposal.map }
  if (id !== undefined && proposal.idType !== null) fields[proposal.idType] = id
  if (own === undefined) Reflect.deleteProperty(fields, 'id')
  else fields.id = own
  return { ...stated, idType, map: fields, doubts: own === undefined ? open : [] }
}

/** Imports a UTF-8 file with commas from memory. */
export function importCsvText(
  registry: WritableRegistry,
  content: Buffer,
  options: CsvSettings & { fileName: string; fileDateMs: number; importedAtMs?: number },
): ImportResult {
  const { fileName, fileDateMs, importedAtMs } = options
  const fileSha256 = createHash('sha256').update(content).digest('hex')
  const file = { fileName, fileDateMs, isDateStated: false, fileSha256 }
  const source = { ...describeSource(options, nameList(registry.database, fileName)), ...file }
  const session = beginImport(registry.database, source, true)
  try {
    const reader = new CsvReader({ ...options, keyWord: session.keyWord(options.idType ?? 'id') })
    const tally = new Tally(session, false)
    const scanner = new CsvScanner({ delimiter: ',', quoted: true }, (header) => reader.choose(header))
    const records = [...scanner.push(content.toString('utf8')), ...scanner.end()]
    for (const record of records) tally.process(reader.readItem(record))
    reader.end()
    return tally.finish({ importedAtMs })
  } finally {
    session.rollback()
    registry.contentChanged()
  }
}

/** Files of one list are one source, whatever their dates. Sources of older versions have the whole file name. */
function nameList(database: Sqlite, fileName: string): string {
  const name = fileName.replace(/\.gz$/, '')
  const known = database.prepare<[string]>('SELECT 1 FROM sources WHERE name = ?').get(name)
  return known === undefined ? parseFileName(name).listName : name
}

function describeSource(
  { idType, map, country, jurisdiction, dates, sourceName, encoding }: CsvSettings,
  listName: string,
): ImportedFile['source'] {
  return {
    sourceName: sourceName ?? listName,
    format: 'csv',
    coverage: 'whole',
    settings: { idType: idType ?? 'id', map: sortMap(map), country, jurisdiction, dates, encoding },
  }
}

function sortMap(map: Readonly<Record<string, string>> | undefined): [string, string][] | undefined {
  return map && Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
}

type ReaderSettings = Omit<CsvRequest, 'kind' | 'path'>

/** Reads the records of one file. Errors: REGISTRY_IMPORT_INVALID. */
class CsvReader {
  readonly #settings: ReaderSettings
  readonly #types = createTypeCheck()
  /** Position of each field in a record's cells. */
  #slots: ColumnMap = new Map()
  #columns: ColumnMap = new Map()
  readonly #defaults: RowDefaults
  #typeColumn = ''
  #header: readonly string[] = []
  readonly #dates = new DateOrderFinder()
  readonly #countries = new Map<string, number>()

  constructor(settings: ReaderSettings, dates: RowDefaults['dates'] = {}) {
    this.#settings = settings
    this.#defaults = { ...readDefaults(settings), dates }
  }

  /** Receives the header and returns the indexes of the columns to read. */
  choose(header: readonly string[]): number[] {
    const columns = resolveRequiredColumns(header, this.#settings, this.#defaults)
    this.#typeColumn = (header[columns.get('type')?.[0] ?? -1] ?? '').trim()
    this.#header = header
    this.#columns = columns
    const indexes = [...new Set([...columns.values()].flat())]
    this.#slots = new Map(
      [...columns].map(([field, own]) => [field, own.map((index) => indexes.indexOf(index))]),
    )
    return indexes
  }

  readItem({ cells, line, reason }: LocatedRecord): ImportItem {
    this.#types.look(cells, this.#slots.get('type')?.[0])
    if (reason !== null) return { kind: 'rejected', line, reason }
    const read = readRow(createFieldReader(cells, this.#slots), line, this.#defaults)
    return { kind: 'registration', line, read, statedOn: null }
  }

  /** Whether further rows may change the order of the dates. */
  get hasOpenDates(): boolean {
    const isStated = this.#settings.dates !== undefined
    return !isStated && dateFields.some((field) => this.#slots.has(field)) && !this.#dates.isSettled
  }

  lookAtDates({ cells, reason }: LocatedRecord): void {
    if (reason !== null) return
    const field = createFieldReader(cells, this.#slots)
    this.#dates.look(dateFields.map((name) => [name, field(name)]))
    const place = field('jurisdiction')?.split(/[-_]/)[0] ?? field('country')
    const code = place === null ? null : readCountry(place, [])
    if (code !== null) this.#countries.set(code, (this.#countries.get(code) ?? 0) + 1)
  }

  listDates(): DateReading[] {
    const { dates: stated, jurisdiction, country } = this.#settings
    const home =
      jurisdiction?.slice(0, 2).toUpperCase() ?? (country === undefined ? null : findCountryCode(country))
    const [most] = [...this.#countries].sort(([, one], [, other]) => other - one)
    const countryCode = home ?? most?.[0] ?? null
    return dateFields.flatMap((field) => {
      const at = this.#columns.get(field)?.[0]
      if (at === undefined) return []
      const column = (this.#header[at] ?? '').trim()
      const order = findCalendar(column) ?? stated
      const found = order === undefined ? this.#dates.find(field, countryCode) : { order, either: null }
      return [{ field, column, countryCode, ...found }]
    })
  }

  /** Throws if the content of the file contradicts its columns. */
  end(): void {
    if (this.#slots.size === 0) {
      throw new UserError('REGISTRY_IMPORT_INVALID', 'the file is empty: it has no header')
    }
    this.#types.check(this.#typeColumn)
  }
}

function readDefaults({ idType = 'id', country, jurisdiction, keyWord }: ReaderSettings): RowDefaults {
  // An own word gives every company another id: nothing joins, and no later message says so.
  const isTypo = calculateDistance(idType, 'registration_id', 1) === 1
  if (isTypo || !/^[a-z][a-z0-9_]{0,39}$/.test(idType)) {
    throw new UserError('REGISTRY_IMPORT_INVALID', `"${idType}" is not a valid type of id`, {
      hint: `${suggestNearest(idType, identifierType.options)}use lei, cik, registration_id, ein, duns, bic, or your own word of a-z, 0-9 and _`,
    })
  }
  const countryCode = country === undefined ? null : findCountryCode(country)
  if (country !== undefined && countryCode === null) {
    throw new UserError('REGISTRY_IMPORT_INVALID', `"${country}" is not a country`, {
      hint: 'pass its code: GB, US, DE',
    })
  }
  const unknown: string[] = []
  const code = readJurisdiction(jurisdiction ?? null, unknown)
  if (unknown[0] !== undefined) {
    throw new UserError('REGISTRY_IMPORT_INVALID', unknown[0], { hint: 'pass its code: gb, us_de, ca_on' })
  }
  return { idType, keyWord, countryCode, jurisdiction: code }
}

function resolveRequiredColumns(
  header: readonly string[],
  settings: CsvSettings,
  { idType }: RowDefaults,
): ColumnMap {
  const columns = resolveColumns(header, settings.map)
  if (columns.has('id') || columns.has(idType as ImportField)) return columns
  throw new UserError('REGISTRY_IMPORT_INVALID', 'no column has the ids that identify rows across imports', {
    hint: 'pass --map id=COLUMN,name=COLUMN and the type of the ids with --id-type',
  })
}

export function createFieldReader(
  cells: readonly string[],
  columns: ColumnMap,
): (field: ImportField) => string | null {
  return (field) => {
    const indexes = columns.get(field) ?? []
    if (indexes.length < 2) return toFilled(cells[indexes[0] ?? -1])
    const filled = indexes.flatMap((index) => toFilled(cells[index]) ?? [])
    const separator = cellSeparators[field]
    return (separator === undefined ? filled[0] : toFilled(filled.join(separator))) ?? null
  }
}

function toFilled(cell = ''): string | null {
  const text = cell.trim()
  return text === '' ? null : text
}

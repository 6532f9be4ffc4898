import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { UserError } from '../../core/errors.js'
import { CsvScanner, scannedRecords } from '../../tables/csv-scanner.js'
import { openDelimited } from '../../tables/delimited.js'
import type { Encoding } from '../../tables/encodings/names.js'
import { fingerprintFile } from '../../tables/fingerprint.js'
import { openOneFile } from '../../tables/open-file.js'
import type { LocatedRecord } from '../../tables/records.js'
import { resolveColumns, shownColumns, type ColumnMap, type ImportField } from './columns.js'
import { fileDateMs } from './file-date.js'
import { readJurisdiction } from './draft.js'
import { proposeMap, proposedCommand } from './propose-map.js'
import { readRow, type RowDefaults } from './read-row.js'
import { readSample } from './sample.js'
import type { ImportItem } from '../model/import-item.js'
import { importLimits } from '../model/limits.js'
import { beginImport, unchangedSource, type ImportSession, type SourceFile } from './session.js'
import { createTally, unchangedResult, type ImportResult } from './import-report.js'
import { createTypeCheck } from './type-check.js'
import { countryCodeOf } from '../normalize/place-names.js'
import type { WritableRegistry } from '../registry.js'

export interface CsvSettings {
  /** What the id column holds (`lei`, `cik`, `registration_id`, …); `id`: a number of the file's own. */
  readonly idType?: string
  /** Field to column; without it columns that bear field names are taken. */
  readonly map?: Readonly<Record<string, string>>
  /** For rows that state none. */
  readonly country?: string
  readonly jurisdiction?: string
  /** What the source is called in `registry info` and in citations; the file's name without it. */
  readonly sourceName?: string
  /** Of the text; found if left out. */
  readonly encoding?: Encoding
}

export interface ImportCsvOptions extends CsvSettings {
  readonly path: string
  /** Of which day the file is; without it the day in its name, else that of its last change. */
  readonly dateMs?: number
  readonly onProgress?: (rowCount: number) => void
  /** What the user should know of how the file is read: a guessed encoding, lines left out. */
  readonly onNotice?: (text: string) => void
  readonly signal?: AbortSignal
}

/**
 * Imports a CSV file (of any common encoding and delimiter, plain, `.gz`, `.zst` or in a zip) in one transaction,
 * with bounded memory. Bad rows are counted and named, never fatal. An abort or a kill leaves the registry as it
 * was. Errors: REGISTRY_IMPORT_INVALID, INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE, INPUT_EMPTY,
 * INPUT_ENCODING_WRONG, _MIXED and _UNSURE, INPUT_NUL_BYTE, INPUT_COMPRESSION_CORRUPT; the signal's reason when
 * aborted.
 */
export async function importCsv(
  registry: WritableRegistry,
  options: ImportCsvOptions,
): Promise<ImportResult> {
  const { sha256, dateMs: changedAtMs } = await fingerprintFile(options.path)
  if (options.map === undefined) await requireFieldNames(options)
  const fileName = basename(options.path)
  const dateMs = options.dateMs ?? fileDateMs(fileName, changedAtMs)
  const source = sourceOf(options, { fileName, fileDateMs: dateMs, fileSha256: sha256 })
  const unchanged = unchangedSource(registry.database, source)
  if (unchanged) return unchangedResult(unchanged)
  const session = beginImport(registry.database, source)
  try {
    const sink = createSink(session, options)
    const file = await openDelimited(await openOneFile(options.path, null), { encoding: options.encoding })
    for (const notice of file.notices) options.onNotice?.(notice)
    for await (const records of file.records(scannedRecords(), sink.choose)) {
      for (const record of records) {
        options.signal?.throwIfAborted()
        sink.accept(record)
        const rowCount = sink.rowCount()
        if (rowCount % importLimits.progressEveryRows === 0) options.onProgress?.(rowCount)
      }
    }
    options.onProgress?.(sink.rowCount())
    return sink.finish()
  } finally {
    session.rollback()
    registry.contentChanged()
  }
}

/** Without a map columns must bear the names of fields: where the needed ones do not, one is proposed. */
async function requireFieldNames({ path, encoding, idType = 'id' }: ImportCsvOptions): Promise<void> {
  const { header, rows } = await readSample(path, encoding)
  if (header.length === 0 || (header.includes('name') && (header.includes('id') || header.includes(idType))))
    return
  const proposal = proposeMap(header, rows)
  const [doubt] = proposal.doubts
  const command = proposedCommand(path, proposal)
  const missing = header.includes('name') ? `id${idType === 'id' ? '' : ` or ${idType}`}` : 'name'
  throw new UserError(
    'REGISTRY_IMPORT_INVALID',
    `no column is called ${missing}; the file has: ${shownColumns(header)}`,
    { hint: doubt === undefined ? `if this fits: ${command}` : `${doubt}; to be completed: ${command}` },
  )
}

/** The same for a file of UTF-8 and commas that is in memory already, at once. */
export function importCsvText(
  registry: WritableRegistry,
  content: Buffer,
  options: CsvSettings & { fileName: string; fileDateMs: number },
): ImportResult {
  const fileSha256 = createHash('sha256').update(content).digest('hex')
  const session = beginImport(registry.database, sourceOf(options, { ...options, fileSha256 }))
  try {
    const sink = createSink(session, options)
    const scanner = new CsvScanner({ delimiter: ',', quoted: true }, sink.choose)
    for (const record of [...scanner.push(content.toString('utf8')), ...scanner.end()]) sink.accept(record)
    return sink.finish()
  } finally {
    session.rollback()
    registry.contentChanged()
  }
}

type FileFacts = Pick<SourceFile, 'fileName' | 'fileDateMs' | 'fileSha256'>

function sourceOf(
  { idType, map, country, jurisdiction, sourceName, encoding }: CsvSettings,
  file: FileFacts,
): SourceFile {
  return {
    sourceName: sourceName ?? file.fileName.replace(/\.gz$/, ''),
    format: 'csv',
    coverage: 'whole',
    settings: { idType: idType ?? 'id', map: sorted(map), country, jurisdiction, encoding },
    fileName: file.fileName,
    fileDateMs: file.fileDateMs,
    fileSha256: file.fileSha256,
  }
}

function sorted(map: Readonly<Record<string, string>> | undefined): [string, string][] | undefined {
  return map && Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
}

interface Sink {
  /** Takes the header: which of its columns are read, by index. */
  choose: (header: readonly string[]) => number[]
  accept(record: LocatedRecord): void
  rowCount(): number
  finish(): ImportResult
}

function createSink(session: ImportSession, settings: CsvSettings): Sink {
  const defaults = defaultsOf(settings, session)
  const tally = createTally(session, false)
  const types = createTypeCheck()
  /** Of each field, where its cell is in a record. */
  let slots: ColumnMap = new Map()
  let rowDefaults = defaults
  let typeColumn = ''
  return {
    choose(header) {
      const columns = columnsOf(header, settings, defaults)
      const nameOf = (field: ImportField) => (header[columns.get(field) ?? -1] ?? '').trim()
      typeColumn = nameOf('type')
      // The SEC states where a registrant is incorporated by its own codes.
      const hasEdgarPlaces = defaults.idType === 'cik' && /^state.{0,8}inc/i.test(nameOf('jurisdiction'))
      rowDefaults = { ...defaults, hasEdgarPlaces }
      const indexes = [...new Set(columns.values())]
      slots = new Map([...columns].map(([field, index]) => [field, indexes.indexOf(index)]))
      return indexes
    },
    accept: (record) => {
      types.look(record.cells, slots.get('type'))
      tally.accept(itemOf(record, slots, rowDefaults))
    },
    rowCount: () => tally.rowCount(),
    finish() {
      if (slots.size === 0) {
        throw new UserError('REGISTRY_IMPORT_INVALID', 'the file is empty: it has no header')
      }
      types.check(typeColumn)
      return tally.finish()
    },
  }
}

function itemOf({ cells, line, reason }: LocatedRecord, slots: ColumnMap, defaults: RowDefaults): ImportItem {
  if (reason !== null) return { kind: 'rejected', line, reason }
  return {
    kind: 'registration',
    line,
    read: readRow(fieldReader(cells, slots), line, defaults),
    statedOn: null,
  }
}

function defaultsOf(
  { idType = 'id', country, jurisdiction }: CsvSettings,
  session: ImportSession,
): RowDefaults {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(idType)) {
    throw new UserError('REGISTRY_IMPORT_INVALID', `"${idType}" cannot name a kind of id`, {
      hint: 'use lei, cik, registration_id, ein, duns, bic, or a word of your own in a-z, 0-9 and _',
    })
  }
  const countryCode = country === undefined ? null : countryCodeOf(country)
  if (country !== undefined && countryCode === null) {
    throw new UserError('REGISTRY_IMPORT_INVALID', `"${country}" is no country`, {
      hint: 'give its code: GB, US, DE',
    })
  }
  const unknown: string[] = []
  const code = readJurisdiction(jurisdiction ?? null, unknown)
  if (unknown[0] !== undefined) {
    throw new UserError('REGISTRY_IMPORT_INVALID', unknown[0], { hint: 'give its code: gb, us_de, ca_on' })
  }
  return { idType, keyWord: session.keyWord(idType), countryCode, jurisdiction: code, hasEdgarPlaces: false }
}

function columnsOf(header: readonly string[], settings: CsvSettings, { idType }: RowDefaults): ColumnMap {
  const columns = resolveColumns(header, settings.map)
  if (columns.has('id') || columns.has(idType as ImportField)) return columns
  throw new UserError('REGISTRY_IMPORT_INVALID', 'no column holds the ids by which rows are known again', {
    hint: 'pass --map id=COLUMN,name=COLUMN and say with --id-type what it holds',
  })
}

function fieldReader(cells: readonly string[], columns: ColumnMap): (field: ImportField) => string | null {
  return (field) => {
    const index = columns.get(field)
    const text = index === undefined ? '' : (cells[index] ?? '').trim()
    return text === '' ? null : text
  }
}

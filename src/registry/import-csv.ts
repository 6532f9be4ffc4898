import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { UserError } from '../core/errors.js'
import { systemClock } from '../platform/clock.js'
import { resolveColumns, type ColumnMap, type ImportField } from './import/columns.js'
import { csvRecordsOf, fingerprintFile, streamCsvRecords, type CsvRecord } from './import/csv-records.js'
import { readJurisdiction } from './import/draft.js'
import { readRow, type RowDefaults } from './import/read-row.js'
import {
  beginImport,
  unchangedSource,
  type ImportCounts,
  type ImportSession,
  type SourceFile,
} from './import/session.js'
import { countryCodeOf } from './match/place-names.js'
import type { WritableRegistry } from './registry.js'

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
}

export interface ImportCsvOptions extends CsvSettings {
  readonly path: string
  readonly onProgress?: (rowCount: number) => void
  readonly signal?: AbortSignal
}

export interface LineReason {
  readonly line: number
  readonly reason: string
}

export interface ImportResult extends ImportCounts {
  /** The first of the rejected rows. */
  readonly rejections: readonly LineReason[]
  /** Values left out of rows that were kept, and the first of them. */
  readonly droppedCount: number
  readonly drops: readonly LineReason[]
  /** Registrations that the source named before and no longer does. */
  readonly vanishedCount: number
  /** The very same file was imported the same way before: nothing was done. */
  readonly unchanged: boolean
}

/** Of rejections and of drops, so many are kept; all are counted. */
const reasonsKeptMax = 20
const progressEveryRows = 5_000

/**
 * Imports a CSV file (UTF-8, any common delimiter, `.gz` accepted) in one transaction, with bounded memory.
 * Bad rows are counted and named, never fatal. An abort or a kill leaves the registry as it was.
 * Errors: REGISTRY_IMPORT_INVALID, INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE, INPUT_CSV_INVALID,
 * INPUT_COMPRESSION_CORRUPT; the signal's reason when aborted.
 */
export async function importCsv(
  registry: WritableRegistry,
  options: ImportCsvOptions,
): Promise<ImportResult> {
  const { sha256, dateMs } = await fingerprintFile(options.path)
  const fileName = basename(options.path)
  const source = sourceOf(options, { fileName, fileDateMs: dateMs, fileSha256: sha256 })
  const unchanged = unchangedSource(registry.database, source)
  if (unchanged) return emptyResult(unchanged)
  const session = beginImport(registry.database, source)
  try {
    const sink = createSink(session, options)
    for await (const record of streamCsvRecords(options.path)) {
      options.signal?.throwIfAborted()
      sink.accept(record)
      const rowCount = sink.rowCount()
      if (rowCount > 0 && rowCount % progressEveryRows === 0) options.onProgress?.(rowCount)
    }
    options.onProgress?.(sink.rowCount())
    return sink.finish()
  } finally {
    session.rollback()
    registry.contentChanged()
  }
}

/** The same for a file that is in memory already, at once. */
export function importCsvText(
  registry: WritableRegistry,
  content: Buffer,
  options: CsvSettings & { fileName: string; fileDateMs: number },
): ImportResult {
  const fileSha256 = createHash('sha256').update(content).digest('hex')
  const session = beginImport(registry.database, sourceOf(options, { ...options, fileSha256 }))
  try {
    const sink = createSink(session, options)
    for (const record of csvRecordsOf(content)) sink.accept(record)
    return sink.finish()
  } finally {
    session.rollback()
    registry.contentChanged()
  }
}

type FileFacts = Pick<SourceFile, 'fileName' | 'fileDateMs' | 'fileSha256'>

function sourceOf(
  { idType, map, country, jurisdiction, sourceName }: CsvSettings,
  file: FileFacts,
): SourceFile {
  return {
    sourceName: sourceName ?? file.fileName.replace(/\.gz$/, ''),
    format: 'csv',
    settings: { idType: idType ?? 'id', map: sorted(map), country, jurisdiction },
    fileName: file.fileName,
    fileDateMs: file.fileDateMs,
    fileSha256: file.fileSha256,
  }
}

function sorted(map: Readonly<Record<string, string>> | undefined): [string, string][] | undefined {
  return map && Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
}

interface Sink {
  accept(record: CsvRecord): void
  rowCount(): number
  finish(): ImportResult
}

function createSink(session: ImportSession, settings: CsvSettings): Sink {
  const defaults = defaultsOf(settings)
  const counts: ImportCounts = { rowCount: 0, importedCount: 0, updatedCount: 0, rejectedCount: 0 }
  const rejections: LineReason[] = []
  const drops: LineReason[] = []
  let droppedCount = 0
  let file: { columns: ColumnMap; cellCount: number } | null = null

  const reject = (line: number, reason: string) => {
    counts.rejectedCount++
    if (rejections.length < reasonsKeptMax) rejections.push({ line, reason })
  }
  const acceptRow = ({ cells, line }: CsvRecord, columns: ColumnMap, cellCount: number) => {
    counts.rowCount++
    if (cells.length !== cellCount) {
      reject(line, `it has ${cells.length} cells where the header has ${cellCount}`)
      return
    }
    const { row, reason, dropped } = readRow(fieldReader(cells, columns), line, defaults)
    droppedCount += dropped.length
    for (const text of dropped) if (drops.length < reasonsKeptMax) drops.push({ line, reason: text })
    if (row === null) reject(line, reason ?? 'it cannot be read')
    else counts[`${session.write(row)}Count`]++
  }
  return {
    accept(record) {
      if (file) acceptRow(record, file.columns, file.cellCount)
      else file = { columns: columnsOf(record, settings, defaults), cellCount: record.cells.length }
    },
    rowCount: () => counts.rowCount,
    finish() {
      if (!file) throw new UserError('REGISTRY_IMPORT_INVALID', 'the file is empty: it has no header')
      const vanishedCount = session.commit(counts, systemClock.nowMs())
      return { ...counts, rejections, droppedCount, drops, vanishedCount, unchanged: false }
    },
  }
}

function defaultsOf({ idType = 'id', country, jurisdiction }: CsvSettings): RowDefaults {
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
  return { idType, countryCode, jurisdiction: code }
}

function columnsOf({ cells }: CsvRecord, settings: CsvSettings, { idType }: RowDefaults): ColumnMap {
  const columns = resolveColumns(cells, settings.map)
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

function emptyResult(counts: ImportCounts): ImportResult {
  return { ...counts, rejections: [], droppedCount: 0, drops: [], vanishedCount: 0, unchanged: true }
}

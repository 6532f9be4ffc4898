import { identifierType } from '../../contract/enums.js'
import type { Sqlite } from '../../platform/sqlite.js'
import {
  derivationVersion,
  type StatedRow,
  type CodeItem,
  type RelationshipItem,
  type SecurityItem,
} from '../model/registry-rows.js'
import { buildSettings } from '../edition.js'
import { parseFileName } from './file-name.js'
import { joinRegistrations } from '../linkage/join-registrations.js'
import { createReferenceWriter, linkStatedRelationships, recordParents } from '../store/relationships.js'
import { type ClaimOptions, type ClaimOutcome, createNameHistory } from '../store/stored-claims.js'
import type { ImportOrigin } from '../store/registration-columns.js'
import { createRowWriter } from '../store/row-writer.js'
import { createClaimWriter } from '../store/claim-writer.js'
import { createWordWeight, writeWordList } from '../store/name-index.js'

export interface SourceFile {
  readonly sourceName: string
  readonly format: string
  /** `whole`: a record missing from the file is removed from the source. `part`: the file adds to previous ones. */
  readonly coverage: 'whole' | 'part'
  /** Options that affect the result of the import; part of the registry's edition. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly fileName: string
  readonly fileDateMs: number
  /** The user stated the date; otherwise it is that of the file itself. */
  readonly isDateStated: boolean
  readonly fileSha256: string
}

interface ImportCounts {
  rowCount: number
  importedCount: number
  updatedCount: number
  rejectedCount: number
}

export interface ImportSession {
  /** Returns the prefix of keys for rows with ids of type `idType`. */
  keyWord(idType: string): string
  recordClaim(row: StatedRow, options: ClaimOptions): ClaimOutcome
  writeReference(item: RelationshipItem | CodeItem | SecurityItem): 'imported' | 'updated' | 'repeated'
  /** Date of the source's newest file, or `null` if it is this one. */
  readonly newerFileDate: string | null
  commit(counts: ImportCounts, importedAtMs: number): ImportEnd
  /** Leaves the registry unchanged. */
  rollback(): void
}

interface ImportEnd {
  /** Companies that a shared identifier newly joined with another one; `new` counts both. */
  readonly joinedCount: number
  /** Registrations that are no longer in the source. */
  readonly vanishedCount: number
  /** Registrations known before under another id: another option gave the type or the place of their numbers. */
  readonly newKeyCount: number
  /** Registrations known before whose content is another one now. */
  readonly changedCount: number
  /** Number of rows that were active and have no status now: the cell is empty, or its words are not known. */
  readonly statusLostCount: number
  /** Claims on registrations that no source has named yet. */
  readonly waitingCount: number
}

/** The counts of an import without changes. */
export type UnchangedCounts = ImportCounts & ImportEnd

export interface LineReason {
  readonly line: number
  readonly reason: string
}

/** A value that accepted rows lost, with its first lines; `line` is the first one. */
export interface DroppedValue extends LineReason {
  readonly count: number
  readonly lines: readonly number[]
}

/** The result of an import. Every row is imported, updated, kept for later, rejected or skipped. */
export interface ImportResult extends ImportEnd {
  readonly rowCount: number
  readonly importedCount: number
  readonly updatedCount: number
  readonly rejectedCount: number
  /** Valid rows with nothing to store: ended relationships, repeated codes, facts that a newer file has too. */
  readonly skippedCount: number
  readonly skips: Readonly<Record<'ended' | 'outside' | 'excluded' | 'repeated' | 'superseded', number>>
  /** The first rejected rows. */
  readonly rejections: readonly LineReason[]
  /** Values dropped from accepted rows; `drops` lists each once, the most frequent ones first. */
  readonly droppedCount: number
  readonly drops: readonly DroppedValue[]
  /** Rows kept for companies that no file has named yet. */
  readonly keptCount: number
  /** Updated rows with a new name; the old one is kept as a former name. */
  readonly renamedCount: number
  /** Updated rows of a company that an earlier row of the file states; all its names are kept. */
  readonly togetherCount: number
  /** Date of a newer file of this source that was imported before; this file only adds facts missing in it. */
  readonly newerFileDate: string | null
  /** The same file was imported with the same options before; nothing was changed. */
  readonly unchanged: boolean
}

/** Returns `null` unless this file, with these settings, is the source's last import or one of its older files. */
export function findUnchangedSource(database: Sqlite, source: SourceFile): UnchangedCounts | null {
  const known = database.prepare<[string, string, string, number], KnownFile>(
    `SELECT f.row_count, f.rejected_count, f.file_date AS own_date, s.file_date, s.file_name,
       f.import_sequence = s.import_sequence AS is_newest,
       s.coverage = 'whole' AND s.derivation = f.derivation AS may_be_older
     FROM sources s JOIN source_files f ON f.source_number = s.number
     WHERE s.name = ? AND f.file_sha256 = ? AND json_remove(f.settings_json, '$.before') = json(?)
       AND f.derivation = ?`,
  )
  const settings = JSON.stringify(source.settings)
  const isOfDate = (day: string) => !source.isDateStated || isSameDay(day, toIso(source.fileDateMs))
  const found = known
    .all(source.sourceName, source.fileSha256, settings, derivationVersion)
    .find(
      (file) =>
        isOfDate(file.own_date) &&
        (file.is_newest === 1 || (file.may_be_older === 1 && isOlder(source, file))),
    )
  if (!found) return null
  const counts = { rowCount: found.row_count, importedCount: 0, updatedCount: 0, joinedCount: 0 }
  return {
    ...counts,
    rejectedCount: found.rejected_count,
    vanishedCount: 0,
    newKeyCount: 0,
    changedCount: 0,
    statusLostCount: 0,
    waitingCount: 0,
  }
}

interface KnownFile extends NewestFile {
  row_count: number
  rejected_count: number
  own_date: string
  is_newest: number
  may_be_older: number
}

/** The newest file of a source. */
interface NewestFile {
  file_date: string
  file_name: string
}

const isSameDay = (one: string, other: string): boolean => one.slice(0, 10) === other.slice(0, 10)

/** Compares days: the later import of a day counts, unless both names have the time of day. */
function isOlder({ fileDateMs, fileName }: SourceFile, newest: NewestFile): boolean {
  const date = toIso(fileDateMs)
  const hasTimes = [fileName, newest.file_name].every((name) => parseFileName(name).hasTime)
  return date < newest.file_date && (hasTimes || !isSameDay(date, newest.file_date))
}

/**
 * Begins an import in one transaction: a killed one leaves no trace. `mayRepeat`: see RepeatedRowError, which all
 * methods throw.
 */
export function beginImport(database: Sqlite, source: SourceFile, mayRepeat: boolean): ImportSession {
  database.exec('BEGIN IMMEDIATE')
  try {
    return openSession(database, recordSource(database, source), source, mayRepeat)
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function openSession(
  database: Sqlite,
  own: RecordedSource,
  { sourceName }: SourceFile,
  mayRepeat: boolean,
): ImportSession {
  const { isWhole, sourceNumber, newestSequence } = own
  const history = createNameHistory(database)
  const writer = createRowWriter(database, sourceNumber, mayRepeat)
  const claims = createClaimWriter(database, writer, history, own)
  const references = createReferenceWriter(database, own)
  const names = database.prepare<[number], number>(
    'SELECT count(*) FROM stated_names WHERE source_number = ?',
  )
  const countNames = () => (own.newerFileDate === null ? 0 : (names.pluck().get(sourceNumber) ?? 0))
  const nameCount = countNames()
  return {
    keyWord: (idType) => (isNumberedElsewhere(database, own, idType) ? `${idType}@${sourceName}` : idType),
    recordClaim: (row, options) => claims.record(row, options),
    writeReference: (item) => references.write(item),
    newerFileDate: own.newerFileDate,
    commit(counts, importedAtMs) {
      const removedCount = isWhole ? references.removeUnseen() : 0
      const unnamedCount = claims.finish()
      writer.finish()
      const unseenCount = isWhole ? writer.markRemovedFromSource(newestSequence) : 0
      recordParents(database, sourceNumber)
      linkStatedRelationships(database)
      writeWordList(database)
      const { newKeyCount, joinedCount } = joinRegistrations(database, {
        importSequence: Math.abs(own.importSequence),
        getWeight: createWordWeight(database),
      })
      const isNothing =
        own.newerFileDate !== null &&
        counts.importedCount + counts.updatedCount + writer.changes.changedCount === 0 &&
        countNames() === nameCount
      recordCounts(database, own, counts, { importedAt: toIso(importedAtMs), isNothing })
      const waitingCount = claims.countWaitingClaims() + references.countWaitingReferences()
      database.exec('COMMIT')
      return {
        vanishedCount: Math.max(0, unnamedCount + unseenCount + removedCount - newKeyCount),
        newKeyCount,
        joinedCount,
        ...writer.changes,
        waitingCount,
      }
    },
    rollback() {
      if (database.inTransaction) database.exec('ROLLBACK')
    },
  }
}

/** Numbers of rows are specific to a file: only the first file uses them without a suffix. */
function isNumberedElsewhere(database: Sqlite, own: ImportOrigin, idType: string): boolean {
  if (identifierType.safeParse(idType).success) return false
  const earlier = database.prepare<[number, string]>(
    "SELECT 1 FROM sources WHERE number < ? AND settings_json ->> '$.idType' = ? LIMIT 1",
  )
  return earlier.get(own.sourceNumber, idType) !== undefined
}

interface RecordedSource extends ImportOrigin {
  readonly newerFileDate: string | null
  /** Number of the row in `source_files`. */
  readonly fileNumber: number
}

function toIso(ms: number): string {
  return new Date(ms).toISOString()
}

/**
 * Records the source of an import and its file. If a newer complete file of the source is known, the source itself stays
 * unchanged and only the file is recorded.
 */
function recordSource(database: Sqlite, source: SourceFile): RecordedSource {
  const importSequence = nextSequence(database)
  const isWhole = source.coverage === 'whole'
  const settings = JSON.stringify(buildSettings(database, source))
  const known = database
    .prepare<[string], NewestFile & { number: number; import_sequence: number }>(
      'SELECT number, file_date, file_name, import_sequence FROM sources WHERE name = ?',
    )
    .get(source.sourceName)
  const newer = isWhole && known !== undefined && isOlder(source, known) ? known : null
  // Statements of a later import are later ones, too.
  const afterMs = isWhole && known !== undefined && newer === null ? Date.parse(known.file_date) + 1 : 0
  const fileDate = toIso(Math.max(source.fileDateMs, afterMs))
  const sourceNumber = newer?.number ?? putSource(database, source, { fileDate, settings, importSequence })
  const file = database
    .prepare(
      `INSERT INTO source_files (source_number, file_name, file_date, file_sha256, settings_json, derivation,
         import_sequence, row_count, rejected_count) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0)`,
    )
    .run(
      sourceNumber,
      source.fileName,
      fileDate,
      source.fileSha256,
      settings,
      derivationVersion,
      importSequence,
    )
  return {
    sourceNumber,
    fileNumber: Number(file.lastInsertRowid),
    fileDate,
    isWhole,
    newerFileDate: newer?.file_date ?? null,
    importSequence: newer === null ? importSequence : -importSequence,
    newestSequence: newer?.import_sequence ?? importSequence,
  }
}

function nextSequence(database: Sqlite): number {
  const last = database
    .prepare<[], number>(
      `SELECT max(coalesce((SELECT max(import_sequence) FROM sources), 0),
         coalesce((SELECT max(import_sequence) FROM source_files), 0))`,
    )
    .pluck()
    .get()
  return (last ?? 0) + 1
}

function putSource(
  database: Sqlite,
  source: SourceFile,
  { fileDate, settings, importSequence }: { fileDate: string; settings: string; importSequence: number },
): number {
  const number = database
    .prepare<unknown[], number>(
      `INSERT INTO sources (name, format, coverage, settings_json, file_name, file_date, file_sha256, derivation,
         import_sequence, row_count, rejected_count, imported_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, '')
       ON CONFLICT (name) DO UPDATE SET format = excluded.format, coverage = excluded.coverage,
         settings_json = excluded.settings_json, file_name = excluded.file_name,
         file_date = max(file_date, excluded.file_date), file_sha256 = excluded.file_sha256,
         derivation = excluded.derivation, import_sequence = excluded.import_sequence
       RETURNING number`,
    )
    .pluck()
    .get(
      source.sourceName,
      source.format,
      source.coverage,
      settings,
      source.fileName,
      fileDate,
      source.fileSha256,
      derivationVersion,
      importSequence,
    )
  if (number === undefined) throw new Error('a source was recorded but not returned')
  return number
}

/** A file that adds nothing changes no edition, and is read again: no reading made it part of the registry. */
function recordCounts(
  database: Sqlite,
  own: RecordedSource,
  { rowCount, rejectedCount }: ImportCounts,
  { importedAt, isNothing }: { importedAt: string; isNothing: boolean },
): void {
  database
    .prepare('UPDATE source_files SET row_count = ?, rejected_count = ?, derivation = ? WHERE number = ?')
    .run(rowCount, rejectedCount, isNothing ? 0 : derivationVersion, own.fileNumber)
  if (own.newerFileDate !== null) return
  database
    .prepare('UPDATE sources SET row_count = ?, rejected_count = ?, imported_at = ? WHERE number = ?')
    .run(rowCount, rejectedCount, importedAt, own.sourceNumber)
}

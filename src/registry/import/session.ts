import { createHash } from 'node:crypto'
import { identifierType } from '../../contract/enums.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { derivationVersion, type StatedRow } from '../registry-row.js'
import { joinRegistrations } from '../store/join-registrations.js'
import { createReferenceWriter, linkStatedRelationships } from '../store/reference-writer.js'
import { recordParents } from '../store/relationships.js'
import { createRowWriter, type RowOrigin } from '../store/row-writer.js'
import { createStatementWriter, type StatementOptions, type StatementOutcome } from '../store/statements.js'
import { writeWordList } from '../store/word-list-store.js'
import type { CodeItem, RelationshipItem, SecurityItem } from './item.js'

export interface SourceFile {
  readonly sourceName: string
  readonly format: string
  /** `whole`: what the file does not name has vanished. `part`: it adds to what was there before. */
  readonly coverage: 'whole' | 'part'
  /** What, besides the file, decides what an import makes of it: part of the registry's edition. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly fileName: string
  readonly fileDateMs: number
  readonly fileSha256: string
}

interface ImportCounts {
  rowCount: number
  importedCount: number
  updatedCount: number
  rejectedCount: number
}

export interface ImportSession {
  /** What keys of rows begin with that are known by `idType`. */
  keyWord(idType: string): string
  state(row: StatedRow, options: StatementOptions): StatementOutcome
  refer(item: RelationshipItem | CodeItem | SecurityItem): 'imported' | 'updated' | 'repeated'
  /** Makes all of it visible at once. */
  commit(counts: ImportCounts, importedAtMs: number): ImportEnd
  /** Leaves the registry as it was. */
  rollback(): void
}

interface ImportEnd {
  /** What the source told before and no longer does. */
  readonly vanishedCount: number
  /** What it tells of registrations that no source has named yet. */
  readonly waitingCount: number
}

/** What the result of an import that found nothing new is made of. */
export type UnchangedCounts = ImportCounts & ImportEnd

/**
 * Null unless the very same file was the last that was imported of this source, under the same settings:
 * then there is nothing to do.
 */
export function unchangedSource(database: Sqlite, source: SourceFile): UnchangedCounts | null {
  const found = database
    .prepare<[string, string, string, number], { row_count: number; rejected_count: number }>(
      `SELECT row_count, rejected_count FROM sources WHERE name = ? AND file_sha256 = ?
         AND json_remove(settings_json, '$.before') = json(?) AND derivation = ?`,
    )
    .get(source.sourceName, source.fileSha256, JSON.stringify(source.settings), derivationVersion)
  if (!found) return null
  const counts = { rowCount: found.row_count, importedCount: 0, updatedCount: 0 }
  return { ...counts, rejectedCount: found.rejected_count, vanishedCount: 0, waitingCount: 0 }
}

/** One import is one transaction: a killed one leaves nothing behind, and starts over. */
export function beginImport(database: Sqlite, source: SourceFile): ImportSession {
  database.exec('BEGIN IMMEDIATE')
  try {
    return openSession(database, recordSource(database, source), source)
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function openSession(database: Sqlite, own: RowOrigin, { sourceName, coverage }: SourceFile): ImportSession {
  const isWhole = coverage === 'whole'
  const writer = createRowWriter(database, own)
  const statements = createStatementWriter(database, writer, own)
  const references = createReferenceWriter(database, own)
  return {
    keyWord: (idType) => (isNumberedElsewhere(database, own, idType) ? `${idType}@${sourceName}` : idType),
    state: (row, options) => statements.state(row, options),
    refer: (item) => references.write(item),
    commit(counts, importedAtMs) {
      const removedCount = isWhole ? references.removeUnseen() : 0
      statements.finish(isWhole)
      writer.finish()
      const vanishedCount = isWhole ? writer.markVanished() : 0
      recordParents(database, own.sourceNumber)
      linkStatedRelationships(database)
      joinRegistrations(database, own.importSequence)
      writeWordList(database)
      database
        .prepare('UPDATE sources SET row_count = ?, rejected_count = ?, imported_at = ? WHERE number = ?')
        .run(counts.rowCount, counts.rejectedCount, new Date(importedAtMs).toISOString(), own.sourceNumber)
      const waitingCount = statements.waitingCount() + references.waitingCount()
      database.exec('COMMIT')
      return { vanishedCount: vanishedCount + removedCount, waitingCount }
    },
    rollback() {
      if (database.inTransaction) database.exec('ROLLBACK')
    },
  }
}

/** Numbers that files give to their own rows say nothing across files: the first file has them as they are. */
function isNumberedElsewhere(database: Sqlite, own: RowOrigin, idType: string): boolean {
  if (identifierType.safeParse(idType).success) return false
  const earlier = database.prepare<[number, string]>(
    "SELECT 1 FROM sources WHERE number < ? AND settings_json ->> '$.idType' = ? LIMIT 1",
  )
  return earlier.get(own.sourceNumber, idType) !== undefined
}

function recordSource(database: Sqlite, source: SourceFile): RowOrigin {
  const last = database
    .prepare<[], { sequence: number }>('SELECT coalesce(max(import_sequence), 0) AS sequence FROM sources')
    .get()
  const importSequence = (last?.sequence ?? 0) + 1
  const row = database
    .prepare<unknown[], { number: number }>(
      `INSERT INTO sources (name, format, settings_json, file_name, file_date, file_sha256, derivation,
         import_sequence, row_count, rejected_count, imported_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, '')
       ON CONFLICT (name) DO UPDATE SET format = excluded.format, settings_json = excluded.settings_json,
         file_name = excluded.file_name, file_date = excluded.file_date, file_sha256 = excluded.file_sha256,
         derivation = excluded.derivation, import_sequence = excluded.import_sequence
       RETURNING number`,
    )
    .get(
      source.sourceName,
      source.format,
      JSON.stringify(settingsOf(database, source)),
      source.fileName,
      new Date(source.fileDateMs).toISOString(),
      source.fileSha256,
      derivationVersion,
      importSequence,
    )
  if (!row) throw new Error('a source was recorded but not returned')
  return { sourceNumber: row.number, importSequence }
}

/** What a part adds to is told by what was imported before: the edition depends on all of it. */
function settingsOf(database: Sqlite, source: SourceFile): Readonly<Record<string, unknown>> {
  if (source.coverage === 'whole') return source.settings
  const before = database
    .prepare<[string], { file_sha256: string; settings_json: string }>(
      'SELECT file_sha256, settings_json FROM sources WHERE name = ?',
    )
    .get(source.sourceName)
  if (before === undefined) return source.settings
  const content = before.file_sha256 + before.settings_json
  return { ...source.settings, before: createHash('sha256').update(content).digest('hex') }
}

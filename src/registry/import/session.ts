import type { Sqlite } from '../../platform/sqlite.js'
import { derivationVersion, type RegistryRow } from '../registry-row.js'
import { joinRegistrations } from '../store/join-registrations.js'
import { recordParents } from '../store/relationships.js'
import { createRowWriter } from '../store/row-writer.js'
import { writeWordList } from '../store/word-list-store.js'

export interface SourceFile {
  readonly sourceName: string
  readonly format: string
  /** What, besides the file, decides what an import makes of it: part of the registry's edition. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly fileName: string
  readonly fileDateMs: number
  readonly fileSha256: string
}

export interface ImportCounts {
  rowCount: number
  importedCount: number
  updatedCount: number
  rejectedCount: number
}

export interface ImportSession {
  write(row: RegistryRow): 'imported' | 'updated'
  /** Makes all of it visible at once. Returns how many registrations the source no longer names. */
  commit(counts: ImportCounts, importedAtMs: number): number
  /** Leaves the registry as it was. */
  rollback(): void
}

/**
 * One import is one transaction: a killed one leaves nothing behind, and starts over. `null` when the very
 * same file was imported under the same settings already: there is nothing to do.
 */
export function unchangedSource(database: Sqlite, source: SourceFile): ImportCounts | null {
  const found = database
    .prepare<[string, string, string, number], { row_count: number; rejected_count: number }>(
      `SELECT row_count, rejected_count FROM sources
       WHERE name = ? AND file_sha256 = ? AND settings_json = ? AND derivation = ?`,
    )
    .get(source.sourceName, source.fileSha256, JSON.stringify(source.settings), derivationVersion)
  if (!found) return null
  return { rowCount: found.row_count, importedCount: 0, updatedCount: 0, rejectedCount: found.rejected_count }
}

export function beginImport(database: Sqlite, source: SourceFile): ImportSession {
  database.exec('BEGIN IMMEDIATE')
  try {
    const { sourceNumber, importSequence } = recordSource(database, source)
    const writer = createRowWriter(database, { sourceNumber, importSequence })
    return {
      write: (row) => writer.write(row),
      commit(counts, importedAtMs) {
        writer.finish()
        const vanishedCount = writer.markVanished()
        recordParents(database, sourceNumber)
        joinRegistrations(database, importSequence)
        writeWordList(database)
        database
          .prepare('UPDATE sources SET row_count = ?, rejected_count = ?, imported_at = ? WHERE number = ?')
          .run(counts.rowCount, counts.rejectedCount, new Date(importedAtMs).toISOString(), sourceNumber)
        database.exec('COMMIT')
        return vanishedCount
      },
      rollback() {
        if (database.inTransaction) database.exec('ROLLBACK')
      },
    }
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function recordSource(
  database: Sqlite,
  source: SourceFile,
): { sourceNumber: number; importSequence: number } {
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
      JSON.stringify(source.settings),
      source.fileName,
      new Date(source.fileDateMs).toISOString(),
      source.fileSha256,
      derivationVersion,
      importSequence,
    )
  if (!row) throw new Error('a source was recorded but not returned')
  return { sourceNumber: row.number, importSequence }
}

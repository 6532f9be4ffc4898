import { existsSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { publishFile, removeStaleTemporaries, temporaryPath } from '../../platform/durable-files.js'
import type { Encoding } from '../../tables/encodings/names.js'
import { fingerprintFile } from '../../tables/bytes.js'
import type { ImportItem } from '../model/import-item.js'
import { importLimits } from '../model/limits.js'
import { openRegistry, type WritableRegistry } from '../registry.js'
import { createTally, unchangedResult, type ImportResult } from './import-report.js'
import { beginImport, unchangedSource, type ImportSession, type SourceFile } from './session.js'

/** What an importer of any file takes. */
export interface ImportOptions {
  readonly path: string
  /** A newer file of the same source takes the place of the older. The importer names the source if this does not. */
  readonly sourceName?: string
  /** Of which day the file is; without it the day in its name, else that of its last change. */
  readonly dateMs?: number
  /** Of the text; found if left out. */
  readonly encoding?: Encoding
  readonly onProgress?: (rowCount: number) => void
  /** What the user should know of how the file is read: a guessed encoding, lines left out. */
  readonly onNotice?: (text: string) => void
  readonly signal?: AbortSignal
}

/** A file as its format reads it. */
export interface ImportedFile {
  readonly source: Omit<SourceFile, 'fileName' | 'fileDateMs' | 'fileSha256'>
  /** Rows about one company add up, instead of the later taking the place of the former. */
  readonly addsUp: boolean
  /** A file of no row that can be taken is refused. */
  readonly mustHold: boolean
  items(session: ImportSession): AsyncIterable<readonly ImportItem[]>
}

/**
 * Imports a file in one transaction, with bounded memory. Bad rows are counted and named, never fatal. An abort or a
 * kill leaves the registry as it was. Errors: REGISTRY_IMPORT_INVALID, INPUT_NOT_FOUND, INPUT_IS_FOLDER,
 * INPUT_UNREADABLE, INPUT_EMPTY, INPUT_ENCODING_WRONG, _MIXED and _UNSURE, INPUT_NUL_BYTE, INPUT_JSON_INVALID,
 * INPUT_COMPRESSION_CORRUPT; the signal's reason when aborted.
 */
export async function runImport(
  registry: WritableRegistry,
  { path, dateMs, onProgress, signal }: ImportOptions,
  file: ImportedFile,
): Promise<ImportResult> {
  const { sha256, dateMs: changedAtMs } = await fingerprintFile(path)
  const fileName = basename(path)
  const fileDate = dateMs ?? fileDateMs(fileName, changedAtMs)
  const source = { ...file.source, fileName, fileDateMs: fileDate, fileSha256: sha256 }
  const unchanged = unchangedSource(registry.database, source)
  if (unchanged) return unchangedResult(unchanged)
  const session = beginImport(registry.database, source)
  try {
    const tally = createTally(session, file.addsUp)
    for await (const items of file.items(session)) {
      for (const item of items) {
        tally.accept(item)
        if (tally.rowCount() % importLimits.progressEveryRows === 0) onProgress?.(tally.rowCount())
        signal?.throwIfAborted()
      }
    }
    onProgress?.(tally.rowCount())
    return tally.finish(file.mustHold)
  } finally {
    session.rollback()
    registry.contentChanged()
  }
}

/**
 * Imports into the registry at `registryPath`. One that is not there yet is made whole or not at all: a
 * killed or failed first import leaves no empty registry to be answered from.
 * Errors: those of `openRegistry` and of the importer.
 */
export async function importInto(
  registryPath: string,
  importer: (registry: WritableRegistry) => Promise<ImportResult>,
): Promise<ImportResult> {
  const importThenClose = async (registry: WritableRegistry) => {
    try {
      return await importer(registry)
    } finally {
      registry.close()
    }
  }
  if (existsSync(registryPath)) return importThenClose(openRegistry(registryPath))
  removeStaleTemporaries(registryPath)
  const temporary = temporaryPath(registryPath)
  try {
    const result = await importThenClose(openRegistry(temporary, { staging: true }))
    publishFile(temporary, registryPath)
    return result
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(temporary + suffix, { force: true })
  }
}

/**
 * The day of a file: registers write it into the names that they publish under
 * (`20240505-0800-gleif-goldencopy…`, `BasicCompanyDataAsOneFile-2026-11-01.csv`), and a copy keeps it, which the
 * time of change does not. That time decides where the name has no day, or one that was still to come.
 */
export function fileDateMs(fileName: string, changedAtMs: number): number {
  const found = dayInName.exec(fileName)
  if (found === null) return changedAtMs
  const [, year = '', separator = '', month = '', day = '', hour = '00', minute = '00'] = found
  const namedMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`)
  const isSameDay = new Date(changedAtMs).toISOString().startsWith(`${year}-${month}-${day}`)
  const isSound = separator.length <= 1 && !Number.isNaN(namedMs) && namedMs <= changedAtMs + dayMs
  return isSound && !isSameDay ? namedMs : changedAtMs
}

const dayMs = 86_400_000

/** Eight digits that stand alone, or the parts with one separator; GLEIF writes the time of day behind. */
const dayInName =
  /(?<!\d)((?:19|20)\d{2})([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)(?:-([01]\d|2[0-3])([0-5]\d)(?=-))?/

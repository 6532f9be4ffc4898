import { basename } from 'node:path'
import type { Encoding } from '../../tables/encodings/names.js'
import { fingerprintFile } from '../../tables/fingerprint.js'
import { fileDateMs } from './file-date.js'
import { fileFormats, type FormatName } from './formats.js'
import type { FileFormat } from '../model/import-item.js'
import { importLimits } from '../model/limits.js'
import { beginImport, unchangedSource } from './session.js'
import { createTally, unchangedResult, type ImportResult } from './import-report.js'
import type { WritableRegistry } from '../registry.js'

export interface ImportFileOptions {
  readonly format: FormatName
  readonly path: string
  /** The name of the format if not given: a newer file of the same name takes the place of the older. */
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

/**
 * Imports a file as its register publishes it, plain, `.gz` or in a zip, in one transaction, with bounded
 * memory. Bad rows are counted and named, never fatal. An abort or a kill leaves the registry as it was.
 * Errors: REGISTRY_IMPORT_INVALID (a file of another kind, or of no row that can be taken), INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE,
 * INPUT_EMPTY, INPUT_ENCODING_WRONG, _MIXED and _UNSURE, INPUT_NUL_BYTE, INPUT_JSON_INVALID,
 * INPUT_COMPRESSION_CORRUPT; the signal's reason when aborted.
 */
export async function importFile(
  registry: WritableRegistry,
  {
    format,
    path,
    sourceName = format,
    encoding,
    onProgress,
    onNotice,
    signal,
    ...options
  }: ImportFileOptions,
): Promise<ImportResult> {
  const fileFormat: FileFormat = fileFormats[format]
  const { sha256, dateMs: changedAtMs } = await fingerprintFile(path)
  const dateMs = options.dateMs ?? fileDateMs(basename(path), changedAtMs)
  const file = { fileName: basename(path), fileDateMs: dateMs, fileSha256: sha256 }
  const source = { sourceName, format, coverage: fileFormat.coverage, settings: { encoding }, ...file }
  const unchanged = unchangedSource(registry.database, source)
  if (unchanged) return unchangedResult(unchanged)
  const session = beginImport(registry.database, source)
  try {
    const tally = createTally(session, fileFormat.addsUp)
    let reportAt: number = importLimits.progressEveryRows
    for await (const items of fileFormat.read(path, { encoding, onNotice })) {
      signal?.throwIfAborted()
      for (const item of items) tally.accept(item)
      if (tally.rowCount() < reportAt) continue
      reportAt = tally.rowCount() + importLimits.progressEveryRows
      onProgress?.(tally.rowCount())
    }
    onProgress?.(tally.rowCount())
    return tally.finish(true)
  } finally {
    session.rollback()
    registry.contentChanged()
  }
}

import type { FileFormat } from '../model/import-item.js'
import type { WritableRegistry } from '../registry.js'
import { fileFormats, type FormatName } from './formats.js'
import type { ImportResult } from './import-report.js'
import { importInto, runImport, type ImportOptions } from './run-import.js'

/** The source is called as the format if no name is given. */
export interface ImportFileOptions extends ImportOptions {
  readonly format: FormatName
}

/** Imports a file as its register publishes it, plain, `.gz` or in a zip. Errors: those of `runImport`. */
export function importFile(registry: WritableRegistry, options: ImportFileOptions): Promise<ImportResult> {
  const { format, path, sourceName = format, encoding, onNotice } = options
  const fileFormat: FileFormat = fileFormats[format]
  return runImport(registry, options, {
    source: { sourceName, format, coverage: fileFormat.coverage, settings: { encoding } },
    addsUp: fileFormat.addsUp,
    mustHold: true,
    items: () => fileFormat.read(path, { encoding, onNotice }),
  })
}

/** The same into the registry at a path. Errors: those of `openRegistry` and `runImport`. */
export function importFileInto(registryPath: string, options: ImportFileOptions): Promise<ImportResult> {
  return importInto(registryPath, (registry) => importFile(registry, options))
}

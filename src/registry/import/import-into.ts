import { existsSync, rmSync } from 'node:fs'
import { publishFile, removeStaleTemporaries, temporaryPath } from '../../platform/durable-files.js'
import { importCsv, type ImportCsvOptions } from './import-csv.js'
import { importFile, type ImportFileOptions } from './import-file.js'
import type { ImportResult } from './import-report.js'
import { openRegistry, type WritableRegistry } from '../registry.js'

/**
 * Imports into the registry at `registryPath`. One that is not there yet is made whole or not at all: a
 * killed or failed first import leaves no empty registry to be answered from.
 * Errors: those of `openRegistry` and `importCsv`.
 */
export async function importCsvInto(registryPath: string, options: ImportCsvOptions): Promise<ImportResult> {
  return importInto(registryPath, (registry) => importCsv(registry, options))
}

/** The same for a file as a register publishes it. Errors: those of `openRegistry` and `importFile`. */
export async function importFileInto(
  registryPath: string,
  options: ImportFileOptions,
): Promise<ImportResult> {
  return importInto(registryPath, (registry) => importFile(registry, options))
}

type Importer = (registry: WritableRegistry) => Promise<ImportResult>

async function importInto(registryPath: string, importer: Importer): Promise<ImportResult> {
  if (existsSync(registryPath)) return importThenClose(openRegistry(registryPath), importer)
  removeStaleTemporaries(registryPath)
  const temporary = temporaryPath(registryPath)
  try {
    const result = await importThenClose(openRegistry(temporary, { staging: true }), importer)
    publishFile(temporary, registryPath)
    return result
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(temporary + suffix, { force: true })
  }
}

async function importThenClose(registry: WritableRegistry, importer: Importer): Promise<ImportResult> {
  try {
    return await importer(registry)
  } finally {
    registry.close()
  }
}

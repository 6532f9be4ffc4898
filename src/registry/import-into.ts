import { existsSync, rmSync } from 'node:fs'
import { publishFile, removeStaleTemporaries, temporaryPath } from '../platform/durable-files.js'
import { importCsv, type ImportCsvOptions, type ImportResult } from './import-csv.js'
import { openRegistry } from './registry.js'

/**
 * Imports into the registry at `registryPath`. One that is not there yet is made whole or not at all: a
 * killed or failed first import leaves no empty registry to be answered from.
 * Errors: those of `openRegistry` and `importCsv`.
 */
export async function importCsvInto(registryPath: string, options: ImportCsvOptions): Promise<ImportResult> {
  if (existsSync(registryPath)) return importThenClose(registryPath, options)
  removeStaleTemporaries(registryPath)
  const temporary = temporaryPath(registryPath)
  try {
    const result = await importThenClose(temporary, options)
    publishFile(temporary, registryPath)
    return result
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(temporary + suffix, { force: true })
  }
}

async function importThenClose(path: string, options: ImportCsvOptions): Promise<ImportResult> {
  const registry = openRegistry(path)
  try {
    return await importCsv(registry, options)
  } finally {
    registry.close()
  }
}

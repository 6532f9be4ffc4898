import { writeSync } from 'node:fs'
import { importCsv } from '../../src/registry/import/import-csv.js'
import { importFile, type FormatName } from '../../src/registry/import/file-formats.js'
import { openRegistry } from '../../src/registry/registry.js'

/** Should nobody kill it. */
const standsStillMsMax = 60_000

/** Imports a file, says when rows have been read, and stands still in the middle until it is killed. */
export async function main(registryPath: string, format: 'csv' | FormatName, path: string): Promise<void> {
  const registry = openRegistry(registryPath)
  const onProgress = (rowCount: number) => {
    writeSync(1, `${rowCount}\n`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, standsStillMsMax)
  }
  await (format === 'csv'
    ? importCsv(registry, { path, onProgress })
    : importFile(registry, { format, path, onProgress }))
}

import { writeSync } from 'node:fs'
import { importFile } from '../../../src/registry/import/import-file.js'
import type { FormatName } from '../../../src/registry/import/formats.js'
import { openRegistry } from '../../../src/registry/registry.js'

/** Should nobody kill it. */
const standsStillMsMax = 60_000

/** Imports a file of a register, says when rows have been read, and stands still in the middle until it is killed. */
export async function main(registryPath: string, format: FormatName, path: string): Promise<void> {
  await importFile(openRegistry(registryPath), {
    format,
    path,
    onProgress: (rowCount) => {
      writeSync(1, `${rowCount}\n`)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, standsStillMsMax)
    },
  })
}

import { importFile } from '../../../src/registry/import-file.js'
import type { FormatName } from '../../../src/registry/import/formats.js'
import { openRegistry } from '../../../src/registry/registry.js'

/** Imports a file of a register and says when rows have been read, until it is killed. */
export async function main(registryPath: string, format: FormatName, path: string): Promise<void> {
  await importFile(openRegistry(registryPath), {
    format,
    path,
    onProgress: (rowCount) => {
      process.stdout.write(`${rowCount}\n`)
    },
  })
  process.stdout.write('done\n')
}

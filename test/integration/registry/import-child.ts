import { importCsv } from '../../../src/registry/import/import-csv.js'
import { openRegistry } from '../../../src/registry/registry.js'

/** Imports a file and says when rows have been read, until it is killed. */
export async function main(registryPath: string, csvPath: string): Promise<void> {
  await importCsv(openRegistry(registryPath), {
    path: csvPath,
    onProgress: (rowCount) => {
      process.stdout.write(`${rowCount}\n`)
    },
  })
  process.stdout.write('done\n')
}

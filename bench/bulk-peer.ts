import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parse } from 'csv-parse/sync'

/** Every name asked of the registry that was built, its answer made JSON, and nothing else. Argument: `AskPeer`. */
export interface AskPeer {
  readonly root: string
  readonly registry: string
  /** A CSV file of names and locations. */
  readonly names: string
}

interface AskedRegistry {
  resolve(query: { name: string; location: string | null; context: null }): object
  close(): void
}

const { root, registry: path, names } = JSON.parse(process.argv[1] ?? '') as AskPeer
const built = (await import(pathToFileURL(`${root}/dist/registry/registry.js`).href)) as {
  openRegistry(path: string, options: object): AskedRegistry
}
const registry = built.openRegistry(path, { readonly: true })
let charCount = 0
const rows: { company_name: string; location: string }[] = parse(readFileSync(names, 'utf8'), {
  columns: true,
})
for (const { company_name: name, location } of rows) {
  charCount += JSON.stringify(
    registry.resolve({ name, location: location === '' ? null : location, context: null }),
  ).length
}
registry.close()
process.stdout.write(String(charCount))

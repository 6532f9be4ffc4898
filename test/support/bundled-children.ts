import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { childrenVariable } from './child-process.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Bundles the programs that tests run in processes of their own: hundreds are started, and loading the sources one by
 * one takes each of them a second of a core. They are made of the source at the start of each run of the tests.
 */
export async function setup(): Promise<() => void> {
  // Packages are found from here.
  const folder = join(root, `node_modules/.cache/enrich-children-${process.pid}`)
  const programs = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('-child.ts'))
    .map((path) => [basename(path, '.ts'), join(root, 'test', path)] as const)
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(programs),
    platform: 'node',
    external: /^(?![./])/,
    preserveEntrySignatures: 'strict',
    // What is found beside a module is found as if it were not bundled.
    plugins: [
      {
        name: 'own-urls',
        transform: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
      },
    ],
  })
  await bundle.write({ dir: folder, format: 'es', entryFileNames: '[name].js' })
  await bundle.close()
  process.env[childrenVariable] = folder
  return () => {
    rmSync(folder, { recursive: true, force: true })
  }
}

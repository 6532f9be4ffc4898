import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { UserError } from '../core/errors.js'
import { fileURLToPath } from 'node:url'

/** Returns the folder of the package, and the one below it that contains this code: `src` or `dist`. */
function findFolders(): { package: URL; code: URL } {
  let code = new URL('./', import.meta.url)
  for (;;) {
    const above = new URL('../', code)
    if (above.href === code.href || existsSync(new URL('package.json', above)))
      return { package: above, code }
    code = above
  }
}

export const { package: packageFolder, code: codeFolder } = findFolders()

const manifestPath = fileURLToPath(new URL('package.json', packageFolder))

/** The package's version. */
export const { version } = JSON.parse(readFileSync(manifestPath, 'utf8')) as { readonly version: string }

const require = createRequire(import.meta.url)

/** npm packages with a binary for one platform. The use completes "the package …, which". */
const uses = {
  'better-sqlite3': 'opens SQLite files',
  'better-sqlite3-node20': 'opens SQLite files on Node.js 20',
  '@duckdb/node-bindings': 'reads and writes Parquet',
} as const
type NativePackage = keyof typeof uses

/** Returns the error for a native package that cannot be loaded, with its likely cause and the repair command. */
export function createNativePackageError(name: NativePackage, cause: unknown): UserError {
  const what = `the package ${name}, which ${uses[name]},`
  const isCompiled = name !== '@duckdb/node-bindings'
  const isWithoutBinary = isCompiled && findFolderAbove(name) !== null
  const headers = findHeaders()
  const [state, reason, command] = isWithoutBinary
    ? [
        'has no binary that Node.js can load here',
        'npm did not run its install script (ignore-scripts is set, or allow-scripts does not list it), or Node.js was replaced',
        `npm rebuild ${at(findFolderAbove(name))}--ignore-scripts=false ${name}`,
      ]
    : [
        'is not installed for this platform',
        `npm left out optional dependencies (omit=optional)${isCompiled ? describeCompilation(headers) : ''}`,
        `${isCompiled && headers !== null ? `npm_config_nodedir="${headers}" ` : ''}${installCommand()}`,
      ]
  return new UserError('NATIVE_PACKAGE_MISSING', `${what} ${state}`, {
    hint: `${reason}. Run: ${command}`,
    cause,
  })
}

/** Without these parts, the install command ends with success and installs nothing. */
const describeCompilation = (headers: string | null): string =>
  ", or could not compile this one. Compiling needs a C++ compiler, make, Python and Node's headers. " +
  (headers === null
    ? 'npm downloads the headers, unless npm_config_nodedir names a folder with include/node'
    : 'The command below takes the headers from this Node.js, so npm does not download them')

/** Returns the folder of this Node.js that contains `include/node`; `null` if it has no headers. */
function findHeaders(): string | null {
  const folder = dirname(dirname(realpathSync(process.execPath)))
  return process.platform !== 'win32' && existsSync(join(folder, 'include/node/node.h')) ? folder : null
}

/** Returns the install command. Package names are given, because npm then skips scripts of the surrounding package. */
function installCommand(): string {
  if (!manifestPath.includes(`${sep}node_modules${sep}`))
    return 'npm ci --include=optional --ignore-scripts=false'
  const { optionalDependencies } = require(manifestPath) as { optionalDependencies: Record<string, string> }
  const specs = Object.entries(optionalDependencies).map(([name, range]) => `"${name}@${range}"`)
  const where = at(findFolderAbove('@duckdb/node-api'))
  return `npm install ${where}--no-save --omit=dev --include=optional --ignore-scripts=false ${specs.join(' ')}`
}

const at = (folder: string | null): string => (folder === null ? '' : `--prefix "${folder}" `)

/** Returns the folder whose node_modules contains a package; `null` if none does. */
function findFolderAbove(name: string): string | null {
  const folders = require.resolve.paths(name) ?? []
  const found = folders.find((folder) => existsSync(join(folder, name, 'package.json')))
  return found === undefined ? null : dirname(found)
}

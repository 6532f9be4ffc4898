import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'

// Makes dist of src. Types are not looked at: `npm run lint` does that, and `npm run prepack` makes declarations.

const root = import.meta.dirname
const src = join(root, 'src')
const dist = join(root, 'dist')

/** Files of dist that others load by their path; everything else is free to lie in any chunk. */
const entries = [
  'index',
  'cli/main',
  'app/matcher-worker',
  'config/file-config',
  'registry/import/item-worker',
  'registry/read-registry',
  // Benches, trials and tests reach into these.
  'cli/program',
  'pipeline/checkpoint/postgres/lease',
  'registry/registry',
  'service/limits',
]

/** Each file that is loaded costs about as much as 20 kB of code: packages that nearly all commands need are bundled. */
const bundledPackages = ['commander', 'csv-stringify', 'ipaddr.js', 'zod']

/** What code loads without being asked again, by file: imports of types and `import()` are none. */
const importsByFile = new Map()

function closureOf(...roots) {
  const found = new Set()
  const open = roots.map((path) => join(src, `${path}.ts`))
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue
    found.add(file)
    if (!importsByFile.has(file)) importsByFile.set(file, importsOf(file))
    open.push(...importsByFile.get(file))
  }
  return found
}

function importsOf(file) {
  const text = readFileSync(file, 'utf8')
  const statements = text.matchAll(
    /^(?:import|export) (?!type\b)(?:(\{[^}]*\}|\*[^']*?) from )?'(\.[^']+)\.js'/gm,
  )
  return [...statements].flatMap(([, names = '', specifier]) => {
    const isOfTypes = names.startsWith('{') && !/[{,]\s*(?!type )\w/.test(names)
    return isOfTypes ? [] : [resolve(dirname(file), `${specifier}.ts`)]
  })
}

/**
 * A chunk for every set of commands would make hundreds of them. These are layers, each of which needs only those
 * before it, so that no two chunks need each other; the rest is split as it is shared.
 */
const start = closureOf('cli/command-line', 'cli/program', 'cli/commands/run')
// It waits for the rest of its layer: in one chunk with it, it would wait for itself.
start.delete(join(src, 'cli/command-line.ts'))
const plan = closureOf('cli/commands/plan', 'pipeline/input/csv')
const status = closureOf('cli/commands/status')

function layerOf(id) {
  if (id.includes('/node_modules/zod/')) return 'zod'
  if (start.has(id) || id.includes('/node_modules/commander/')) return 'start'
  if (plan.has(id)) return status.has(id) ? 'common' : 'plan'
  return status.has(id) ? 'status' : null
}

const nameOf = (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''
const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const installed = Object.keys({ ...dependencies, ...optionalDependencies })

function isExternal(id) {
  if (id.startsWith('node:')) return true
  if (/^[./]/.test(id) || /^\w:/.test(id) || bundledPackages.includes(nameOf(id))) return false
  if (!installed.includes(nameOf(id))) throw new Error(`${id} is not installed with the package`)
  return true
}

const written = new Set()

async function bundle(input, options, output) {
  const build = await rolldown({ cwd: root, input, ...options })
  const { output: files } = await build.write({
    dir: dist,
    format: 'es',
    entryFileNames: '[name].js',
    ...output,
  })
  await build.close()
  for (const { fileName } of files) written.add(fileName)
  return files
}

const files = await bundle(
  Object.fromEntries(entries.map((entry) => [entry, join(src, `${entry}.ts`)])),
  {
    platform: 'node',
    external: isExternal,
    transform: { target: 'node20.19' },
    preserveEntrySignatures: 'allow-extension',
    // Where commander starts other programs, which none of ours is: loading that takes a tenth of the start.
    plugins: [
      {
        name: 'lazy-child-process',
        transform: { filter: { id: /commander\/lib\/command\.js$/ }, handler: lazily },
      },
    ],
  },
  {
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'layers', name: layerOf }],
    },
  },
)

function lazily(code) {
  const eager = "const childProcess = require('node:child_process');"
  if (!code.includes(eager)) throw new Error('commander loads child_process in another way')
  return code.replace(eager, '').replaceAll('childProcess.', "require('node:child_process').")
}

// The review page's own code: one file for the browser.
await bundle(
  { 'review/page/browser/main': join(src, 'review/page/browser/main.ts') },
  { platform: 'browser' },
  {},
)

// Styles, where the sources have them: `stylesheet` of src/web reads them beside the code that runs.
for (const path of readdirSync(src, { recursive: true }).filter((path) => path.endsWith('.css'))) {
  mkdirSync(dirname(join(dist, path)), { recursive: true })
  copyFileSync(join(src, path), join(dist, path))
  written.add(path.replaceAll('\\', '/'))
}

// The viewer of the interface: one file, which has what its package depends on.
const viewer = join(root, 'node_modules/redoc')
const viewerCopy = 'service/docs/redoc.js'
copyFileSync(join(viewer, 'bundles/redoc.standalone.js'), join(dist, viewerCopy))
written.add(viewerCopy)

// Licences ask that their text goes with the code.
const packages = files.flatMap(({ moduleIds = [] }) =>
  moduleIds.map((id) => /.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]),
)
const bundled = [...packages.filter((folder) => folder !== undefined), viewer]
const notices = [...new Set(bundled)].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
})
// What is inside of the viewer, and of which licence.
notices.push(readFileSync(join(viewer, 'bundles/redoc.standalone.js.LICENSE.txt'), 'utf8'))
writeFileSync(join(dist, 'licences-of-bundled-packages.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`))

// Chunks of earlier builds: their names change with what is in them.
function sweep(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) sweep(path)
    else if (/\.(?:js|css)$/.test(path) && !written.has(relative(dist, path).replaceAll('\\', '/')))
      rmSync(path)
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}
sweep(dist)

// npm does so once, when it first links the command: it does not after a build that began with `npm run clean`.
chmodSync(join(dist, 'cli/main.js'), 0o755)

mkdirSync(join(dist, 'registry'), { recursive: true })
const { buildJsonSchema } = await import('./dist/config/file-config.js')
writeFileSync(join(dist, 'config.schema.json'), `${JSON.stringify(buildJsonSchema(), null, 2)}\n`)
const { writeShippedStore } = await import('./dist/registry/read-registry.js')
try {
  writeShippedStore()
} catch (error) {
  if (error.code !== 'NATIVE_PACKAGE_MISSING') throw error
  process.stderr.write(`error ${error.code}: ${error.message}\n  hint: ${error.hint}\n`)
  process.exit(buildWithHeaders() ? 0 : 1)
}

/**
 * Installs SQLite once more, with the headers of this Node.js, and builds again: where npm cannot download headers, it
 * leaves SQLite out without an error. Package names are given, so that npm does not build.
 */
function buildWithHeaders() {
  const [npm, folder] = [process.env.npm_execpath, dirname(dirname(realpathSync(process.execPath)))]
  if (npm === undefined || process.env.npm_config_nodedir !== undefined) return false
  if (!existsSync(join(folder, 'include/node/node.h'))) return false
  process.stderr.write(`Compiling SQLite with the headers in ${folder}: this takes up to ten minutes.\n`)
  const specs = Object.entries(optionalDependencies).map(([name, range]) => `${name}@${range}`)
  const run = (...words) =>
    spawnSync(process.execPath, words, {
      cwd: root,
      env: { ...process.env, npm_config_nodedir: folder },
      stdio: 'inherit',
    }).status === 0
  return run(npm, 'install', '--no-save', '--include=optional', ...specs) && run(join(root, 'build.js'))
}

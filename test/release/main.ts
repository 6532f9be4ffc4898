import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { readParquet, rowsOfCsv } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'

/**
 * `npm run release:check`: types the README's line that installs the tarball of release/, on each Node.js with an npm of its
 * own, and runs what was installed: the main job, Parquet, Excel, and a run that is killed and run again. Node.js 22 and 24
 * find no compiler. `--all`: every Node.js with every npm that runs on it; and where npm left a binary out, the command
 * that the error names repairs it. Needs `npm run release:files` before, and the npm registry.
 */
const { values } = parseArgs({ options: { all: { type: 'boolean', default: false } } })

interface Pair {
  readonly node: '20.19' | '22' | '24'
  readonly npm: '10' | '11' | '12'
  readonly flaw?: keyof typeof flaws
}

/** Ways to install without binaries: the npm setting, and the package that the error names. */
const flaws = {
  'ignore-scripts': 'better-sqlite3-node20',
} as const

/** Every Node.js and every npm. */
const pairs: readonly Pair[] = [
  { node: '20.19', npm: '10' },
  { node: '22', npm: '11' },
  { node: '24', npm: '12' },
]
/** npm 12 refuses Node.js 20. */
const others: readonly Pair[] = [
  { node: '20.19', npm: '11' },
  { node: '20.19', npm: '11', flaw: 'ignore-scripts' },
  { node: '22', npm: '10' },
  { node: '22', npm: '12' },
  { node: '24', npm: '10' },
  { node: '24', npm: '11' },
]

/** A download of the npm registry may stall for half an hour. */
const fetchOptions = { timeout: 120_000, killSignal: 'SIGKILL' } as const
const fetchAttemptsMax = 4

/** Node.js itself is in the npm registry, in a package for each platform. */
const platformNode = `node-${process.platform}-${process.arch}`
const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const work = mkdtempSync(join(tmpdir(), 'enrich-release-'))
const startedAtMs = performance.now()

try {
  const installLine = /^npm install -g \.\/enrich-[\d.]+\.tgz$/m.exec(readme)?.[0]
  if (installLine === undefined) throw new Error('the README has no line that installs the tarball')
  for (const pair of [...pairs, ...(values.all ? others : [])]) await check(pair, installLine)
  say(`all is well, after ${seconds(startedAtMs)}`)
} finally {
  rmSync(work, { recursive: true, force: true })
}

async function check(pair: Pair, installLine: string): Promise<void> {
  const place = makePlace(pair)
  const fromMs = performance.now()
  const install = pair.flaw === undefined ? installLine : `${installLine} --${pair.flaw}`
  place.shell(install, join(root, 'release'))
  const installed = seconds(fromMs)
  if (pair.flaw !== undefined) repair(place, pair.flaw)
  expectSame('version', place.enrich(['--version']).out, `${version}\n`)
  await runMainJob(place)
  if (pair.flaw === undefined) await killAndResume(place)
  const flaw = pair.flaw === undefined ? '' : `, repaired after ${pair.flaw}`
  say(`Node.js ${place.versions}${flaw}: installed in ${installed}, all in ${seconds(fromMs)}`)
  rmSync(place.folder, { recursive: true, force: true })
}

/** The error names the setting, and the command in its hint repairs the installation. */
function repair(place: Place, flaw: keyof typeof flaws): void {
  const { code, err } = place.enrich(['fixtures/companies.csv', '-o', 'out.csv'])
  const [, reason = '', command = ''] = /^ {2}hint: (.*?)\. Run: (.*)$/m.exec(err) ?? []
  expectSame('exit code without a binary', code, 2)
  const named = `error NATIVE_PACKAGE_MISSING: the package ${flaws[flaw]},`
  if (!err.startsWith(named) || !reason.includes(flaw))
    throw new Error(`the error names neither ${flaws[flaw]} nor ${flaw}: ${err}`)
  place.shell(command, place.folder)
}

async function runMainJob(place: Place): Promise<void> {
  for (const output of ['out.parquet', 'out.xlsx', 'out.csv'])
    expectSame(output, place.enrich(['fixtures/companies.csv', '-o', output, '--quiet']).code, 0)
  const rows = rowsOfCsv(place.read('out.csv'))
  const matched = rows.filter(({ enrich_status: status }) => status === 'matched').length
  if (matched < 50) throw new Error(`only ${matched} rows are matched`)
  const names = rows.map((row) => row['enrich_legal_name'] ?? '')
  const { rows: stored } = await readParquet(place.path('out.parquet'))
  expectSame(
    'names in Parquet',
    stored.map((row) => row['enrich_legal_name'] ?? ''),
    names,
  )
  for (const input of ['out.parquet', 'out.xlsx']) {
    const columns = ['--name-column', 'company_name', '--prefix', 'again_', '-o', 'again.csv', '--quiet']
    expectSame(`reading ${input}`, place.enrich([input, ...columns]).code, 0)
    const again = rowsOfCsv(place.read('again.csv')).map((row) => row['enrich_legal_name'] ?? '')
    expectSame(`names from ${input}`, again, names)
  }
}

async function killAndResume(place: Place): Promise<void> {
  const names = Array.from({ length: 1_200 }, (_, number) => `Company number ${number}`)
  writeFileSync(place.path('many.csv'), ['company_name', ...names, ''].join('\n'))
  const command = ['many.csv', '-o', 'many-out.csv', '--json']
  const doneBefore = await place.killWhen(command, 100)
  const { code, out } = place.enrich(command)
  expectSame('exit code of the second run', code, 0)
  const finished = readJsonLines<{ type: string; summary?: { cachedCount: number; billedCount: number } }>(
    out,
  ).find(({ type }) => type === 'finished')?.summary
  const { cachedCount = 0, billedCount = 0 } = finished ?? {}
  expectSame('lookups of both runs', cachedCount + billedCount, names.length)
  if (cachedCount < doneBefore || billedCount === 0)
    throw new Error(`${cachedCount} lookups were answered before, of ${doneBefore} when it was killed`)
  const namesOut = rowsOfCsv(place.read('many-out.csv')).map((row) => row['company_name'])
  expectSame('rows after a kill', namesOut, names)
}

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A folder with a Node.js, an npm, and what is installed by them. */
interface Place {
  readonly folder: string
  readonly versions: string
  path(name: string): string
  read(name: string): Buffer
  shell(command: string, folder: string): void
  enrich(args: readonly string[]): Ended
  /** Kills a run outright as soon as it reports so many answers. Returns how many it reported. */
  killWhen(args: readonly string[], doneCount: number): Promise<number>
}

function makePlace({ node, npm }: Pair): Place {
  const folder = mkdtempSync(join(work, 'place-'))
  const [bin, prefix] = [join(folder, 'bin'), join(folder, 'prefix')]
  for (const path of [bin, prefix, join(folder, 'fixtures')]) mkdirSync(path)
  copyFileSync(join(root, 'fixtures/companies.csv'), join(folder, 'fixtures/companies.csv'))
  symlinkSync(join(fetchPackage(platformNode, node), 'bin/node'), join(bin, 'node'))
  symlinkSync(join(fetchPackage('npm', npm), 'bin/npm-cli.js'), join(bin, 'npm'))
  // npm starts scripts with it.
  symlinkSync('/bin/sh', join(bin, 'sh'))
  const tools = node === '20.19' ? [process.env['PATH'] ?? ''] : []
  const environment = {
    HOME: process.env['HOME'] ?? folder,
    PATH: [bin, join(prefix, 'bin'), ...tools].join(delimiter),
    npm_config_prefix: prefix,
    // better-sqlite3 12 is compiled on Node.js 20: in 10 seconds instead of 60.
    CFLAGS: '-O0',
    CXXFLAGS: '-O0',
    ...registrySettings(),
  }
  const options = { env: environment, encoding: 'utf8', maxBuffer: 1e8 } as const
  if (tools.length === 0) {
    const found = ['cc', 'c++', 'gcc', 'g++', 'clang', 'make', 'python3', 'python'].filter(
      (name) => spawnSync('sh', ['-c', `command -v ${name}`], options).status === 0,
    )
    expectSame('compilers', found, [])
  }
  const command = join(prefix, 'bin/enrich')
  return {
    folder,
    versions: spawnSync(
      'sh',
      ['-c', 'echo "$(node --version), npm $(npm --version)"'],
      options,
    ).stdout.trim(),
    path: (name) => join(folder, name),
    read: (name) => readFileSync(join(folder, name)),
    shell: (line, cwd) => {
      const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { ...options, cwd })
      if (status !== 0) throw new Error(`${line}\n${stdout}${stderr}`)
    },
    enrich: (args) => {
      const ended = spawnSync(command, args, { ...options, cwd: folder })
      return { code: ended.status, out: ended.stdout, err: ended.stderr }
    },
    killWhen: async (args, doneCount) => {
      const child = spawn(command, args, {
        env: environment,
        cwd: folder,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      for await (const line of createInterface(child.stdout)) {
        const { progress } = JSON.parse(line) as { progress?: { lookups: number; done: number } }
        if (progress === undefined || progress.done < doneCount) continue
        child.kill('SIGKILL')
        return progress.done
      }
      throw new Error('the run ended before it was killed')
    },
  }
}

/** How the npm of this machine reaches the registry. */
function registrySettings(): Record<string, string> {
  const names = /^(?:npm_config_(?:registry|cache|userconfig)|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy)$/i
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      names.test(name) && value !== undefined ? [[name, value] as const] : [],
    ),
  )
}

function fetchPackage(name: string, wanted: string): string {
  const folder = join(work, `${name}-${wanted}`)
  const packageFolder = join(folder, 'node_modules', name)
  if (existsSync(packageFolder)) return packageFolder
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@${wanted}`]
  for (let attempt = 1; ; attempt++) {
    const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8', ...fetchOptions })
    if (status === 0) return packageFolder
    if (attempt === fetchAttemptsMax) throw new Error(`${name}@${wanted} cannot be fetched: ${stderr}`)
  }
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return
  throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`)
}

function seconds(fromMs: number): string {
  return `${((performance.now() - fromMs) / 1_000).toFixed(1)} s`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rowsOfCsv } from '../support/tables.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  bin: Record<string, string>
}

let prefix: string
let packed: string[]

/**
 * What `npm pack` packs, laid out as `npm install -g` does: the package below lib/node_modules, a link to its
 * command in bin. Its dependencies are links to ours, of those alone that a user gets: nothing is fetched.
 */
beforeAll(() => {
  prefix = mkdtempSync(join(tmpdir(), 'enrich-installed-'))
  // Without scripts: those would build anew below the feet of other tests.
  const report = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', prefix], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ filename, files }] = JSON.parse(report) as [{ filename: string; files: { path: string }[] }]
  packed = files.map(({ path }) => path)
  const home = join(prefix, 'lib/node_modules/enrich')
  mkdirSync(home, { recursive: true })
  execFileSync('tar', ['-xzf', join(prefix, filename), '-C', home, '--strip-components=1'])
  for (const name of runtimeDependencies()) {
    const link = join(home, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
  mkdirSync(join(prefix, 'bin'))
  for (const [name, path] of Object.entries(packageJson.bin)) {
    chmodSync(join(home, path), 0o755)
    symlinkSync(join(home, path), join(prefix, 'bin', name))
  }
})

afterAll(() => {
  rmSync(prefix, { recursive: true, force: true })
})

/** Of the lock file: what is installed without development's. */
function runtimeDependencies(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; optional?: true }>
  }
  return Object.entries(packages)
    .filter(([path, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && dev !== true)
    .map(([path]) => path.slice('node_modules/'.length))
    .filter((name) => existsSync(join(root, 'node_modules', name)))
}

function enrich(
  args: readonly string[],
  cwd: string,
): { code: number | null; stdout: string; stderr: string } {
  const env = { PATH: `${join(prefix, 'bin')}:${process.env['PATH'] ?? ''}`, HOME: cwd }
  const { status, stdout, stderr } = spawnSync(join(prefix, 'bin', 'enrich'), args, {
    cwd,
    env,
    encoding: 'utf8',
  })
  return { code: status, stdout, stderr }
}

describe('what is packed and installed', () => {
  test('holds the program, the registry that ships with it and its documents, and nothing that only tests need', () => {
    expect(packed).toEqual(
      expect.arrayContaining(['dist/cli/main.js', 'dist/config.schema.json', 'README.md', 'LICENSE']),
    )
    expect(packed.filter((path) => path.startsWith('fixtures/registry/')).length).toBeGreaterThan(1)
    expect(
      packed.filter((path) => /^(?:test|bench|src|node_modules)\/|\.(?:test\.js|tsbuildinfo)$/.test(path)),
    ).toEqual([])
  })

  test('has documents that link to packed files, or to sources and build files that only the repository has', () => {
    const targets = packed
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => {
        const text = readFileSync(join(root, path), 'utf8').replace(/`[^`\n]*`/g, '')
        const links = text.matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)
        return [...links].map(([, target = '']) => normalize(join(dirname(path), target)))
      })
    expect(targets).toEqual(expect.arrayContaining(['CONTRIBUTING.md', 'SECURITY.md', 'docs/README.md']))
    const isPacked = (target: string) =>
      packed.some((path) => path === target || path.startsWith(`${target}/`))
    const missing = targets.filter((target) => !isPacked(target))
    expect(missing.filter((target) => !/^(?:src|test|bench|fixtures)\/|^Dockerfile$/.test(target))).toEqual(
      [],
    )
  })

  test('is the command enrich in any folder, and runs to the end there without a clone', () => {
    const folder = join(prefix, 'elsewhere')
    mkdirSync(folder)
    expect(enrich(['--version'], folder)).toMatchObject({ code: 0, stdout: `${packageJson.version}\n` })
    execFileSync(
      'sh',
      ['-c', `printf 'company,city\\nApple,Cupertino\\nSiemens,Munich\\n' > companies.csv`],
      {
        cwd: folder,
      },
    )
    const plan = enrich(['plan', 'companies.csv'], folder)
    expect(plan).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Next: enrich companies\.csv /m) })
    for (const output of ['out.csv', 'out.parquet']) {
      const { code, stderr } = enrich(['companies.csv', '-o', output], folder)
      expect([code, stderr]).toEqual([0, expect.stringContaining('written')])
    }
    const rows = rowsOfCsv(readFileSync(join(folder, 'out.csv')))
    expect(rows.map((row) => row['enrich_status'])).toEqual(['matched', 'matched'])
  })

  test('says which binary npm left out, by which setting, and what repairs it', () => {
    const folder = join(prefix, 'incomplete')
    mkdirSync(folder)
    writeFileSync(join(folder, 'companies.csv'), 'company\nApple\n')
    const home = join(prefix, 'lib/node_modules/enrich')
    const replace = (name: string, parts: readonly string[]) => {
      rmSync(join(home, 'node_modules', name), { recursive: true, force: true })
      for (const part of parts) {
        const from = join(root, 'node_modules', name, part)
        cpSync(from, join(home, 'node_modules', name, part), { recursive: true })
      }
    }
    replace('@duckdb/node-bindings', [])
    replace('@duckdb/node-api', ['package.json', 'lib'])
    const parquet = enrich(['companies.csv', '-o', 'out.parquet'], folder)
    expect([parquet.code, parquet.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^error NATIVE_PACKAGE_MISSING: the package @duckdb\/node-bindings, .* is not installed .*\n {2}hint: .*omit=optional.* Run: npm install --prefix "\S+\/lib\/node_modules\/enrich" .*--include=optional/m,
      ),
    ])
    const drivers = ['better-sqlite3', 'better-sqlite3-node20'].filter((name) =>
      existsSync(join(root, 'node_modules', name)),
    )
    expect(drivers).not.toEqual([])
    for (const name of drivers) replace(name, ['package.json', 'lib'])
    const csv = enrich(['companies.csv', '-o', 'out.csv'], folder)
    expect([csv.code, csv.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^error NATIVE_PACKAGE_MISSING: the package better-sqlite3\S*, .* has no binary .*\n {2}hint: .*ignore-scripts.* allow-scripts .* Run: npm rebuild --prefix "\S+\/lib\/node_modules\/enrich" --ignore-scripts=false better-sqlite3/m,
      ),
    ])
    for (const name of drivers) replace(name, [])
    const withoutDriver = enrich(['companies.csv', '-o', 'out.csv'], folder)
    expect([withoutDriver.code, withoutDriver.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^error NATIVE_PACKAGE_MISSING: the package better-sqlite3\S*, .* is not installed .*\n {2}hint: .*omit=optional.* C\+\+ compiler.* Node's headers.* Run: (?:npm_config_nodedir="\S+" )?npm install /m,
      ),
    ])
  })
})

describe('the image of the Dockerfile, made by its steps without Docker', () => {
  const steps = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => !/^(?:#|$)/.test(line))
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? ['', line]
      return { name, rest }
    })

  /** The clone without the files that .dockerignore names. */
  function copyContext(to: string): void {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').trimEnd().split('\n')
    const patterns = ignored.map(
      (name) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(?:/|$)`),
    )
    const isIgnored = (path: string) => patterns.some((pattern) => pattern.test(path))
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    for (const path of tracked.split('\0').filter((name) => name !== '' && !isIgnored(name)))
      cpSync(join(root, path), join(to, path), { recursive: true })
  }

  function linkPackages(home: string, names: readonly string[]): void {
    rmSync(join(home, 'node_modules'), { recursive: true, force: true })
    for (const name of names) {
      const link = join(home, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), link)
    }
  }

  /** Runs the commands of a step. Packages are linked, not downloaded; those of Debian are only read by the shell. */
  function runStep(step: string, image: string, cwd: string): void {
    if (step.startsWith('apt-get ')) {
      execFileSync('sh', ['-n', '-c', step])
      return
    }
    for (const command of step.split(' && ')) {
      if (command === 'npm ci') {
        linkPackages(cwd, readdirSync(join(root, 'node_modules')))
        execFileSync('npm', ['run', '--silent', 'prepare'], { cwd, stdio: 'ignore' })
      } else if (command === 'npm prune --omit=dev') linkPackages(cwd, runtimeDependencies())
      else {
        expect(command).toMatch(/^ln -s \/\S+ \/\S+$/)
        execFileSync('sh', ['-c', command.replaceAll(' /', ` ${image}/`)])
      }
    }
  }

  test('has all that its command needs, and the command of the guide runs in it', () => {
    const images = new Map<string, string>()
    let [image, cwd, entry] = ['', '', [] as string[]]
    for (const { name, rest } of steps) {
      const toPath = (path: string) => (path.startsWith('/') ? join(image, path) : join(cwd, path))
      if (name === 'FROM') {
        const [, base = '', stage = 'final'] = /^(\S+)(?: AS (\w+))?$/.exec(rest) ?? []
        expect(base).toMatch(/^node:20-\w+-slim$/)
        image = join(prefix, `image-${stage}`)
        images.set(stage, image)
        mkdirSync(join(image, 'usr/local/bin'), { recursive: true })
      } else if (name === 'WORKDIR') {
        cwd = join(image, rest)
        mkdirSync(cwd, { recursive: true })
      } else if (name === 'COPY' && rest === '. .') copyContext(cwd)
      else if (name === 'COPY') {
        const [, stage = '', from = '', to = ''] = /^--from=(\w+) (\S+) (\S+)$/.exec(rest) ?? []
        const target = to.endsWith('/') ? join(toPath(to), basename(from)) : toPath(to)
        cpSync(join(images.get(stage) ?? '', from), target, { recursive: true, verbatimSymlinks: true })
      } else if (name === 'RUN') runStep(rest.replace(/ +/g, ' '), image, cwd)
      else if (name === 'ENTRYPOINT') entry = JSON.parse(rest) as string[]
      else expect([name, rest]).toEqual(['USER', 'node'])
    }
    const guide = readFileSync(join(root, 'docs/manual/start.md'), 'utf8')
    const [, folder = '', args = ''] =
      /^docker build -t enrich \.\ndocker run --rm -v "\$PWD:(\S+)" enrich (.*)$/m.exec(guide) ?? []
    expect(join(image, folder)).toBe(cwd)
    copyFileSync(join(root, 'fixtures/companies.csv'), join(cwd, 'companies.csv'))
    const PATH = `${join(image, 'usr/local/bin')}:${dirname(process.execPath)}:/usr/bin:/bin`
    const { status, stderr } = spawnSync('sh', ['-c', [...entry, args].join(' ')], {
      cwd,
      env: { PATH, HOME: image },
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, expect.stringContaining('written   out.csv')])
    expect(readdirSync(cwd)).toEqual(expect.arrayContaining(['.enrich', 'out.csv']))
  }, 300_000)
})

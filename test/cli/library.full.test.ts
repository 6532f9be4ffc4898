import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createWorkplace, type Workplace } from '../support/pipeline-job.js'
import { generateTypes } from '../unit/manual/generated-types.js'

const libraryUrl = new URL('../../dist/index.js', import.meta.url).href
const root = fileURLToPath(new URL('../..', import.meta.url))

let place: Workplace
beforeEach(() => {
  place = createWorkplace()
})

/** Prints what of the process was touched between its start and its end. `v8` is watched for any flag that is set. */
const watching = (body: string) => `
  import { syncBuiltinESMExports } from 'node:module'
  import v8 from 'node:v8'
  import { runInNewContext } from 'node:vm'
  const flags = []
  v8.setFlagsFromString = (flag) => flags.push(flag)
  syncBuiltinESMExports()
  const stateOf = () => ({
    environment: { ...process.env },
    // zod keeps two registries of its own there.
    globals: Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__zod_')).sort(),
    listeners: [process, process.stdin, process.stdout, process.stderr].map((emitter) =>
      emitter.eventNames().map((name) => [String(name), emitter.listenerCount(name)])),
    exposed: runInNewContext('typeof gc'),
  })
  const before = stateOf()
  const library = await import(${JSON.stringify(libraryUrl)})
  ${body}
  console.log(JSON.stringify({ before, after: stateOf(), flags, names: Object.keys(library) }))`

interface Touched {
  readonly before: unknown
  readonly after: unknown
  readonly flags: readonly string[]
  readonly names: readonly string[]
}

function run(body: string): Touched {
  const args = ['--input-type=module', '--eval', watching(body)]
  const env = { PATH: process.env['PATH'], HOME: place.folder, TMPDIR: place.folder }
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' })) as Touched
}

test('importing the library changes no variable, no flag, no global and no listener of the process', () => {
  const { before, after, flags, names } = run('')
  expect(names).toContain('enrich')
  expect(after).toEqual(before)
  expect(flags).toEqual([])
})

test('nor does a run of it that reads and writes Parquet', () => {
  place.writeRows(['Acme,Lyon', 'Bolt,Lyon'])
  const configs = (['out.parquet', 'again.parquet'] as const).map((output, index) => ({
    input: { paths: [place.path(index === 0 ? 'companies.csv' : 'out.parquet')] },
    output: { path: place.path(output), columns: ['status'], prefix: `run${index}_` },
    checkpoint: { path: place.path('checkpoint.sqlite') },
  }))
  const { before, after, flags } = run(`
    for (const config of ${JSON.stringify(configs)}) {
      const { stop, rowCount } = await library.enrich(config).summary
      if (stop !== null || rowCount !== 2) throw new Error('the run did not end as it should')
    }`)
  expect(after).toEqual(before)
  expect(flags).toEqual([])
})

describe('the packed library, in a folder with nothing else', () => {
  let folder: string
  let home: string
  const compile = (compiler: string, ...flags: string[]) =>
    spawnSync(process.execPath, [join(root, 'node_modules', compiler, 'bin/tsc'), ...flags], {
      cwd: folder,
      encoding: 'utf8',
    })

  const program = (price: string) => `
    import { enrich, errorCodes, UserError, type EnrichConfig, type EnrichOptions, type RunEvent, type RunSummary, type Stop } from 'enrich'
    const config: EnrichConfig = { input: { paths: ['companies.csv'] }, output: { path: 'out.csv' }, billing: { unitPrice: ${price} } }
    const options: EnrichOptions = { signal: new AbortController().signal }
    const types = new Set<RunEvent['type']>()
    const run = enrich(config, options)
    for await (const event of run) {
      types.add(event.type)
      if (event.type === 'progress') event.progress.done.toFixed()
    }
    const summary: RunSummary = await run.summary
    const stop: Stop | null = summary.stop
    console.log(summary.rowCount, stop?.kind ?? 'complete', types.has('finished'))
    try {
      await enrich({ input: { paths: ['missing.csv'] }, output: { path: 'out.csv' } }).summary
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      console.log(error.code, errorCodes[error.code], error.exitCode)
    }`

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'enrich-library-'))
    home = join(folder, 'node_modules/enrich')
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]
    const name = execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }).trim()
    mkdirSync(home, { recursive: true })
    execFileSync('tar', ['-xzf', join(folder, name), '-C', home, '--strip-components=1'])
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'companies.csv'), 'company,city\nApple,Cupertino\n')
    writeFileSync(join(folder, 'right.ts'), program('0.5'))
    writeFileSync(join(folder, 'wrong.ts'), program("'cheap'"))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(['typescript', 'typescript-native'])(
    'compiles with the defaults of tsc --init of %s, which also checks the declarations',
    (compiler) => {
      rmSync(join(folder, 'tsconfig.json'), { force: true })
      expect(compile(compiler, '--init').status).toBe(0)
      const settings = join(folder, 'tsconfig.json')
      const text = readFileSync(settings, 'utf8')
      expect(text).toContain('"types": []')
      writeFileSync(settings, text.replace('"skipLibCheck": true', '"skipLibCheck": false'))
      rmSync(join(folder, 'right.js'), { force: true })
      const { stdout } = compile(compiler, '--noEmitOnError', 'false')
      expect(stdout.trim().split('\n')).toEqual([
        expect.stringMatching(/^wrong\.ts\(.* Type 'string' is not assignable to type 'number'/),
      ])
      expect(existsSync(join(folder, 'right.js'))).toBe(true)
    },
  )

  test('the compiled program runs', () => {
    symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
    const said = execFileSync(process.execPath, ['right.js'], { cwd: folder, encoding: 'utf8' })
    expect(said.trim().split('\n')).toEqual(['1 complete true', 'INPUT_NOT_FOUND 2 2'])
  })

  test('its declarations name the values that it exports, and import nothing', async () => {
    const text = readFileSync(join(home, 'types/index.d.ts'), 'utf8')
    const declared = [...text.matchAll(/^export declare (?:function|const|class) (\w+)/gm)].map(
      ([, name]) => name,
    )
    expect(declared.sort()).toEqual(Object.keys((await import(libraryUrl)) as object).sort())
    expect(text).not.toMatch(/\bimport\b|\bfrom '|NodeJS|Buffer/)
  })

  test('its declarations and the schema of events are those of the code', async () => {
    const generated = await generateTypes()
    for (const [path, text] of generated)
      expect([path, readFileSync(join(home, path), 'utf8')]).toEqual([path, text])
  })
})

import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWorkplace, type Workplace } from '../support/pipeline-job.js'

const libraryUrl = new URL('../../dist/index.js', import.meta.url).href
const root = fileURLToPath(new URL('../..', import.meta.url))

let place: Workplace
beforeEach(() => {
  place = createWorkplace()
})
afterEach(() => {
  place.remove()
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

test('declarations, as they are packed, name what the library exports, and a program that they accept runs', async () => {
  const home = place.path('node_modules/enrich')
  mkdirSync(home, { recursive: true })
  // The package, with declarations of its own: those of the build's folder may be older, or none.
  for (const name of ['package.json', 'node_modules']) symlinkSync(join(root, name), join(home, name))
  const tsc = join(root, 'node_modules/typescript-native/bin/tsc')
  const declarations = ['-p', join(root, 'src/tsconfig.declarations.json'), '--outDir', join(home, 'dist')]
  execFileSync(process.execPath, [tsc, ...declarations])

  const text = (price: string) => `
    import { enrich, errorCodes, UserError, type EnrichConfig, type RunSummary } from 'enrich'
    const config: EnrichConfig = { input: { paths: ['missing.csv'] }, output: { path: 'out.csv' }, billing: { unitPrice: ${price} } }
    try {
      const summary: RunSummary = await enrich(config).summary
      console.log(summary.rowCount)
    } catch (error) {
      console.log(error instanceof UserError && error.code in errorCodes ? error.code : error)
    }`
  writeFileSync(place.path('right.mts'), text('0.5'))
  writeFileSync(place.path('wrong.mts'), text("'cheap'"))
  const declared = join(home, 'dist/index.d.ts')
  const program = ts.createProgram([declared, place.path('right.mts'), place.path('wrong.mts')], {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  })
  const errorsOf = (name: string) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(place.path(name)))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  expect(errorsOf('right.mts')).toEqual([])
  expect(errorsOf('wrong.mts')).toEqual([expect.stringContaining("'string' is not assignable")])

  const checker = program.getTypeChecker()
  const values = checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(declared)!)!)
    .filter((symbol) => {
      const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
      return ((isAlias ? checker.getAliasedSymbol(symbol) : symbol).flags & ts.SymbolFlags.Value) !== 0
    })
  const exported = Object.keys((await import(libraryUrl)) as object)
  expect(values.map(({ name }) => name).sort()).toEqual(exported.sort())

  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }
  writeFileSync(
    place.path('right.mjs'),
    ts.transpile(text('0.5').replace("'enrich'", `'${libraryUrl}'`), options),
  )
  const said = execFileSync(process.execPath, ['right.mjs'], { cwd: place.folder, encoding: 'utf8' })
  expect(said.trim()).toBe('INPUT_NOT_FOUND')
})

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
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

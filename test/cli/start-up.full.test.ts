import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { CliIo } from '../../src/cli/terminal/command-io.js'
import { createProgram } from '../../src/cli/program.js'
import { at, canary, companiesCsv, createPlace, writeConfig, type CliPlace } from '../support/cli.js'
import { serve } from '../support/served.js'

/** Sources that a command loaded, packages' too: V8 lists every script that it compiled, and bundles say what is in them. */
async function loadedBy(place: CliPlace, ...args: string[]): Promise<string[]> {
  const folder = place.path('coverage')
  mkdirSync(folder)
  const { code, stderr } = await place.run(args, { env: { NODE_V8_COVERAGE: folder } })
  expect(code, stderr).toBe(0)
  const urls = readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as { result: { url: string }[] }
    return result.map(({ url }) => url)
  })
  return urls.flatMap((url) => {
    if (!url.includes('/dist/') || url.includes('/node_modules/')) return url
    const bundled = readFileSync(new URL(url), 'utf8').matchAll(/^\/\/ ((?:src|node_modules)\/\S+)$/gm)
    return [...bundled].map(([, source]) => `/${source ?? ''}`)
  })
}

/** Packages, and folders of ours, that sources are of. */
function partsOf(sources: readonly string[]): Set<string> {
  const parts = sources.flatMap((path) => {
    const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]
    return (
      name?.replace(/-node20$/, '') ?? /\/src\/((?:[^/]+\/)*)[^/]+$/.exec(path)?.[1]?.replace(/\/$/, '') ?? []
    )
  })
  return new Set(parts)
}

const heavy = [
  '@modelcontextprotocol/sdk',
  '@duckdb/node-api',
  'better-sqlite3',
  'csv-parse',
  'csv-stringify',
  'fastify',
  'fzstd',
  'lossless-json',
  'numfmt',
  'iso-3166',
  'p-queue',
  'pg',
  'saxes',
  'tinyglobby',
  'tldts',
  'undici',
  'xxhash-wasm',
  'yauzl',
  'client',
  'pipeline/checkpoint/postgres',
  'service',
  'service/http',
  'registry/answer',
  'registry/import',
  'registry/match',
  'registry/normalize',
]

describe('what a command loads', () => {
  test('--help loads none of what commands work with', async () => {
    const parts = partsOf(await loadedBy(createPlace(), '--help'))
    expect(parts).toContain('commander')
    expect([...heavy, 'app', 'tables', 'registry'].filter((part) => parts.has(part))).toEqual([])
  })

  test('plan of a CSV loads no database, no service, no matcher and no Parquet', async () => {
    const place = createPlace()
    place.write('companies.csv', 'name,city\nAcme GmbH,Bonn\n')
    const parts = partsOf(await loadedBy(place, 'plan', 'companies.csv'))
    expect(parts).toContain('tables')
    expect([...heavy, 'registry/store'].filter((part) => parts.has(part))).toEqual([])
  })

  test('plan loads what looks at a checkpoint where there is one, or what is left of one', async () => {
    const looksAtCheckpoint = async (place: CliPlace) => {
      place.write('companies.csv', 'name,city\nAcme GmbH,Bonn\n')
      const sources = await loadedBy(place, 'plan', 'companies.csv', '--checkpoint', 'asked.sqlite')
      return sources.some((path) => path.endsWith('/pipeline/checkpoint/sqlite/reader.ts'))
    }
    expect(await looksAtCheckpoint(createPlace())).toBe(false)
    const withHead = createPlace()
    withHead.write('asked.sqlite.head', '')
    expect(await looksAtCheckpoint(withHead)).toBe(true)
  })

  test('a command that works loads what it works with', async () => {
    const parts = partsOf(await loadedBy(createPlace(), 'registry', 'info'))
    for (const part of ['better-sqlite3', 'registry/import', 'registry/match']) expect(parts).toContain(part)
  })
})

/** What V8 writes of a script. */
interface Script {
  readonly url: string
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
  }[]
}

/** Our sources with a function that was called, by the comment before each source in a bundle. */
function listExecuted(folder: string): Set<string> {
  const scripts = readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as { result: Script[] }
    return result.filter(({ url }) => url.includes('/dist/') && !url.includes('/node_modules/'))
  })
  return new Set(
    scripts.flatMap(({ url, functions }) => {
      const text = readFileSync(new URL(url), 'utf8')
      const sources = [...text.matchAll(/^\/\/(?:#region)? ((?:src|node_modules)\/\S+)$/gm)]
      // The first range is that of the function; the function at 0 is the whole script.
      return functions.flatMap(({ ranges: [own] }) => {
        if (own === undefined || own.count === 0 || own.startOffset === 0) return []
        return sources.findLast(({ index }) => index <= own.startOffset)?.[1] ?? []
      })
    }),
  )
}

test('a run from CSV to Parquet that is stopped and resumed executes few of our files', async () => {
  const place = createPlace()
  const service = await serve(place, 1)
  writeConfig(place)
  place.write('companies.csv', companiesCsv(Array.from({ length: 50 }, (_, number) => `Company ${number}`)))
  const folder = place.path('coverage')
  mkdirSync(folder)
  const options = { env: { ...at(service).env, ENRICH_API_KEY: canary, NODE_V8_COVERAGE: folder } }
  const args = ['companies.csv', '-o', 'out.parquet']
  const stopped = place.start(args, options)
  await stopped.sees(/to submit/)
  stopped.child.kill('SIGINT')
  await stopped.ended
  for (let count = 0; count < 2; count++) {
    const { code, stderr } = await place.run(args, options)
    expect(code, stderr).toBe(0)
  }
  const executed = [...listExecuted(folder)].filter((path) => path.startsWith('src/'))
  expect(executed.length).toBeGreaterThan(100)
  expect(executed.length, executed.sort().join('\n')).toBeLessThanOrEqual(180)
})

describe('a plan of many rows', () => {
  const lookupCount = 25_000

  test('counts each lookup once, also those that no longer fit in memory, and V8 optimizes what runs often', async () => {
    const place = createPlace()
    const names = Array.from({ length: lookupCount }, (_, number) => `Company ${number},Bonn`)
    place.write('companies.csv', ['name,city', ...names, ...names].join('\n'))
    const { stdout } = await place.run(['plan', 'companies.csv', '--json'], { nodeFlags: ['--trace-opt'] })
    const lines = stdout.split('\n')
    const report = JSON.parse(lines.find((line) => line.startsWith('{')) ?? '') as object
    expect(report).toMatchObject({ rowCount: 2 * lookupCount, lookupCount, plan: { submit: lookupCount } })
    // Switched off while modules are loaded, and on again before the work begins.
    expect(lines.filter((line) => line.includes('completed optimizing')).length).toBeGreaterThan(10)
  })

  test('keeps of each what it asks, and not the text that it was cut out of', async () => {
    const place = createPlace()
    const filler = 'x'.repeat(12_000)
    const rows = Array.from({ length: 10_000 }, (_, number) => `Company number ${number},Bonn,${filler}`)
    place.write('companies.csv', ['name,city,note', ...rows].join('\n'))
    const { code, stdout, stderr } = await place.run(['plan', 'companies.csv', '--json'], {
      nodeFlags: ['--max-old-space-size=80'],
    })
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ lookupCount: rows.length })
  })
})

test('--help lists commands that are not loaded as it lists them loaded', async () => {
  const helpOf = async (typed: readonly string[] | null) => {
    const written: string[] = []
    const io: Partial<CliIo> = { out: (text) => written.push(text) }
    const program = await createProgram(io as CliIo, typed)
    program.outputHelp()
    return written.join('')
  }
  const whole = await helpOf(null)
  expect(whole).toContain('registry')
  expect(await helpOf([])).toBe(whole)
})

test('a word that is typed anywhere loads the command of that name', async () => {
  const program = await createProgram({} as CliIo, ['help', 'plan'])
  const flagsOf = (name: string) =>
    program.commands.find((command) => command.name() === name)?.options.map(({ long }) => long)
  expect(flagsOf('plan')).toContain('--name-column')
  expect(flagsOf('doctor')).toEqual([])
})

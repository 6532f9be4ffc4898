import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as duckdb from '../../src/connectors/databases/duckdb.js'
import * as postgres from '../../src/connectors/databases/postgres.js'
import * as sqlite from '../../src/connectors/databases/sqlite.js'
import { loadDriver } from '../../src/platform/sqlite.js'
import { canMount, mountSmallDisk } from '../crash/small-disk.js'
import { fetchTable, queryDuckDb } from '../integration/connectors/copied-tables.js'
import { at, createPlace, writeConfig, type CliPlace } from '../support/cli.js'
import { startHosted } from '../support/hosted-place.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../support/postgres-server.js'
import { expectRefusal, type BadCase } from '../support/refusal.js'

const programs = findPostgres() ?? ''
let server: SharedPostgres | null = null
beforeAll(async () => {
  if (programs !== '') server = await sharedPostgres(programs)
})
afterAll(() => server?.stop())

const fillSqlite = (place: CliPlace, sql: string) => {
  const database = new (loadDriver())(place.path('in.db'))
  database.exec(sql)
  database.close()
}
const listColumns = (count: number) =>
  Array.from({ length: count }, (_, index) => `c${index} text`).join(', ')

describe.skipIf(programs === '')(
  'a table that PostgreSQL cannot keep is refused; nothing is submitted or left',
  () => {
    const refuse = async (
      bad: BadCase & { readonly sql?: string },
      context: Parameters<typeof expectRefusal>[1],
    ) => {
      if (bad.sql !== undefined) server?.sql(bad.sql)
      const args = bad.args?.map((text) => text.replace('URL', server?.url() ?? ''))
      await expectRefusal({ ...bad, args: args ?? [] }, context)
    }
    const cases: readonly (BadCase & { readonly sql?: string })[] = [
      {
        title: '1,590 columns and those of the answers',
        sql: `CREATE TABLE wide (name text, ${listColumns(1589)}); INSERT INTO wide (name) VALUES ('Apple Inc')`,
        args: ['URL#wide', '-o', 'URL#wide_out'],
        code: 'OUTPUT_UNWRITABLE',
        says: /1,600 columns that PostgreSQL allows\n {2}hint: .*--columns/,
      },
    ]
    test.for(cases)('$title', refuse)
  },
)

describe.skipIf(!canMount())('a full disk', () => {
  const manyRows = `name,text\n${`Apple Inc,${'x'.repeat(200)}\n`.repeat(5_000)}`

  test.for([
    ['a copy of a table', ['sqlite:in.db#t', '-o', 'out.csv', '--checkpoint', 'disk/c.sqlite']],
    ['a file of SQLite', ['in.csv', '-o', 'sqlite:disk/out.db#t']],
    ['a file of DuckDB', ['in.csv', '-o', 'duckdb:disk/out.db#t']],
  ] as const)('for %s ends the run before the first submission', async ([, args], context) => {
    const place = createPlace(context.onTestFinished)
    const disk = mountSmallDisk(place.path('disk'), '512k')
    context.onTestFinished(() => disk?.unmount())
    const prepare = () => {
      const rows = 'SELECT value, hex(randomblob(500)) FROM json_each(?)'
      const database = new (loadDriver())(place.path('in.db'))
      database.exec('CREATE TABLE t (name TEXT, text TEXT)')
      database.prepare(`INSERT INTO t ${rows}`).run(JSON.stringify(new Array(2_000).fill('Apple Inc')))
      database.close()
    }
    await expectRefusal(
      { title: '', code: 'DISK_FULL', says: /free some space/, prepare, args },
      context,
      {},
      place,
    )
  })

  test.for(['sqlite', 'duckdb'])(
    'for a file of %s after submissions keeps the answers and the old rows; the next run finishes',
    async (kind, context) => {
      const place = createPlace(context.onTestFinished)
      const disk = mountSmallDisk(place.path('disk'), '64m')!
      context.onTestFinished(() => {
        disk.unmount()
      })
      const accepted = () => {
        disk.fillBut(0)
      }
      const service = await startHosted({ accepted }, context.onTestFinished)
      writeConfig(place)
      place.write('in.csv', manyRows)
      const run = () => place.run(['in.csv', '-o', `${kind}:disk/out.db#t`], at(service))
      const full = await run()
      expect([full.code, full.stderr]).toEqual([
        5,
        expect.stringMatching(/error DISK_FULL: .*disk\/out\.db#t\n {2}hint: /),
      ])
      disk.empty()
      const next = await run()
      expect([next.code, service.runs.length]).toEqual([0, 1])
      const connector = kind === 'sqlite' ? sqlite : duckdb
      const { path } = await fetchTable(connector, `${kind}:${place.path('disk/out.db')}#t`)
      expect(
        await queryDuckDb(`SELECT count(*)::INTEGER, count(DISTINCT enrich_status)::INTEGER FROM '${path}'`),
      ).toEqual([[5_000, 1]])
      expect(place.namesIn('disk')).toEqual(['out.db'])
    },
  )
})

const kinds = ['sqlite', 'duckdb', ...(programs === '' ? [] : (['postgres'] as const))] as const
const connectors = { sqlite, duckdb, postgres }

test('names and values that look like SQL, HTML or formulas travel through all databases unchanged', async () => {
  const place = createPlace()
  const name = `a"b;'); DROP TABLE t; --\n😀 MiXed.select#1`
  const quoted = `"${name.replaceAll('"', '""')}"`
  const values = [
    `'); DROP TABLE t; --`,
    '<script>alert("Apple Inc")</script>',
    `=cmd|'/C calc'!A1`,
    '\\N',
    '\\.',
    'NULL',
    '"',
    'a,b\r\nc',
    '\u202e$1 {{x}} %s',
  ]
  const literals = values.map((value, index) => `(${index}, '${value.replaceAll("'", "''")}')`)
  fillSqlite(
    place,
    `CREATE TABLE ${quoted} (id INTEGER, ${quoted} TEXT); INSERT INTO ${quoted} VALUES ${literals.join(', ')}`,
  )
  const addresses = [
    `sqlite:${place.path('in.db')}`,
    ...(server === null ? [] : [server.url()]),
    `duckdb:${place.path('out.duckdb')}`,
    `sqlite:${place.path('out.db')}`,
  ].map((database) => `${database}#${quoted}`)
  for (const [index, address] of addresses.slice(1).entries()) {
    const flags = ['--name-column', name, '--prefix', `p${index}_`, '--columns', 'status', '--basis', 'none']
    const { code, stderr } = await place.run([addresses[index]!, '-o', address, ...flags])
    expect([code, stderr]).toEqual([0, expect.stringContaining('written ')])
    const kind = /^\w+/.exec(address)![0] as keyof typeof connectors
    const { path } = await fetchTable(connectors[kind], address)
    const rows = await queryDuckDb(`SELECT ${quoted} FROM '${path}' ORDER BY id::INTEGER`)
    expect(rows.map(([value]) => value)).toEqual(values)
  }
})

describe.each(kinds)('two runs at once on a new table of %s', (kind) => {
  test.each([
    ['append', ['a', 'b'], 600],
    ['replace', ['a'], 300],
  ] as const)('that %s both succeed, and no row is lost or mixed', async (mode, tags, count) => {
    const place = createPlace()
    const database = kind === 'postgres' ? server!.url() : `${kind}:${place.path('shared.db')}`
    const run = async (tag: string) => {
      place.write(`${tag}.csv`, `name,tag\n${`Apple Inc,${tag}\n`.repeat(300)}`)
      const flags = [
        '--mode',
        mode,
        '--checkpoint',
        `${tag}.sqlite`,
        '--columns',
        'status',
        '--basis',
        'none',
      ]
      return place.run([`${tag}.csv`, '-o', `${database}#at_once_${mode}`, ...flags])
    }
    const ended = await Promise.all(['a', 'b'].map(run))
    for (const { code, stderr } of ended)
      expect([code, stderr]).toEqual([0, expect.stringContaining('written ')])
    const { path } = await fetchTable(connectors[kind], `${database}#at_once_${mode}`)
    const [found] = await queryDuckDb(`SELECT count(*)::INTEGER, count(DISTINCT tag)::INTEGER FROM '${path}'`)
    expect(found).toEqual([count, tags.length])
  })
})

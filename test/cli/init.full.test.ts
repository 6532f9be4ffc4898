import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { proposeOutput } from '../../src/cli/commands/init.js'
import { createPlace, fixture } from '../support/cli.js'
import { closeAtOnce, listenOnLoopback } from '../support/loopback-server.js'
import { startInPty } from '../support/pty.js'

interface WrittenConfig {
  input: { paths: string[]; columns: { name: string; location: string[] } }
  output: { path: string }
  service?: { baseUrl?: string }
}

const configPath = 'pipeline.config.json'
const down = '\x1b[B'
const enter = '\r'

/** No header says what a column holds; the cells do. */
const unsure = 'a,b\nApple Inc,Cupertino\nMicrosoft Corporation,Redmond\nSiemens AG,Munich\n'

describe('enrich init without a terminal', () => {
  test('writes a config by which the next commands run, and shows five rows', async () => {
    const place = createPlace()
    place.write('companies.csv', readFileSync(fixture('companies.csv')))
    const { code, stdout } = await place.run(['init', 'companies.csv', '--yes'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/name from company_name; location from city, state, country/)
    expect(stdout).toMatch(/5 rows with the answers of the embedded service/)
    expect(stdout).toMatch(/Apple Inc\./)
    const config = JSON.parse(place.read(configPath)) as WrittenConfig
    expect(config).toEqual({
      input: {
        paths: ['companies.csv'],
        columns: { name: 'company_name', location: ['city', 'state', 'country'] },
      },
      output: { path: 'companies.enriched.csv' },
    })
    // Five rows were shown; nothing of that is left for a run to find.
    expect(place.names()).toEqual(['companies.csv', configPath])
    expect(place.namesIn('.enrich')).toEqual([])
    expect((await place.run(['run', '--quiet'])).code).toBe(0)
    expect(place.names()).toContain('companies.enriched.csv')
  })

  test('submits nothing, and stops if no column is sure to have the names', async () => {
    const place = createPlace()
    place.write('list.csv', unsure)
    const { code, stderr } = await place.run(['init', 'list.csv'], { stdin: null })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/INPUT_COLUMN_MISSING[^]*--name-column/)])
    expect(place.names()).toEqual(['list.csv'])
  })

  test('never writes over a config but by --force', async () => {
    const place = createPlace()
    place.write('list.csv', 'company\nApple Inc\n')
    place.write(configPath, '{}')
    const refused = await place.run(['init', 'list.csv', '--yes'])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/CONFIG_EXISTS[^]*--force/)])
    expect(place.read(configPath)).toBe('{}')
    expect((await place.run(['init', 'list.csv', '--yes', '--force'])).code).toBe(0)
    expect(place.read(configPath)).toMatch(/"company"/)
  })

  test('a hosted service that is named goes into the config and is not asked', async () => {
    let requestCount = 0
    const server = createServer((_, response) => {
      requestCount++
      response.writeHead(500).end()
    })
    const baseUrl = `http://127.0.0.1:${await listenOnLoopback(server)}`
    onTestFinished(() => closeAtOnce(server))
    const place = createPlace()
    place.write('list.csv', 'company\nApple Inc\n')
    const { code } = await place.run(['init', 'list.csv', '--yes', '--base-url', baseUrl])
    expect(code).toBe(0)
    const config = JSON.parse(place.read(configPath)) as WrittenConfig
    expect(config.service?.baseUrl).toBe(baseUrl)
    expect(requestCount).toBe(0)
    // The key is a secret of the environment.
    expect(place.read(configPath)).not.toMatch(/canary/)
  })
})

describe('the output in the config', () => {
  test.each([
    ['folder/list.csv.gz', 'folder/list.enriched.csv'],
    ['list.json', 'list.enriched.parquet'],
    ['lists/*.csv', 'lists/companies.enriched.parquet'],
    ['lists/2026-*/part.parquet', 'lists/companies.enriched.csv'],
    ['s3://bucket/lists/list.csv', 's3://bucket/lists/list.enriched.csv'],
    ['az://account/container/*.csv', 'az://account/container/companies.enriched.parquet'],
    ['https://host/lists/list.csv?day=1', 'list.enriched.csv'],
    ['https://host/', 'companies.enriched.csv'],
    ['duckdb:warehouse.duckdb#suppliers', 'duckdb:warehouse.duckdb#suppliers_enriched'],
    ['postgres://user@host/crm#sales."my table"', 'postgres://user@host/crm#sales."my table_enriched"'],
    ['sqlite:crm.sqlite', 'sqlite:crm.sqlite#companies_enriched'],
  ])('of %s is %s', (input, output) => {
    expect(proposeOutput(input)).toBe(output)
  })

  test('of a table is another table of its database, which the next run writes', async () => {
    const place = createPlace()
    place.write('list.csv', 'company,city\nApple Inc,Cupertino\n')
    const table = ['list.csv', '-o', 'sqlite:crm.sqlite#list', '--prefix', 'old_', '--columns', 'status']
    expect((await place.run(table)).code).toBe(0)
    const { code, stdout } = await place.run(['init', 'sqlite:crm.sqlite#list', '--yes'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('writes sqlite:crm.sqlite#list_enriched;')])
    expect((await place.run(['run', '--quiet'])).code).toBe(0)
    const written = await place.run('plan sqlite:crm.sqlite#list_enriched -o o.csv --prefix new_'.split(' '))
    expect(written.stdout).toMatch(/^ +1 {2}rows?$/m)
  })
})

describe('enrich init on a terminal', () => {
  test('asks which column holds the names where that is unsure, and writes what was chosen', async () => {
    const place = createPlace()
    place.write('list.csv', unsure)
    const pty = startInPty(place, ['init', 'list.csv'])
    await pty.sees(/Which column contains the company names/)
    // What is in a column helps to tell.
    await pty.sees(/Apple Inc/)
    pty.types(`${down}\x1b[A${enter}`)
    await pty.sees(/Write pipeline\.config\.json\?/)
    pty.types(enter)
    expect(await pty.ended).toBe(0)
    const config = JSON.parse(place.read(configPath)) as WrittenConfig
    expect(config.input.columns.name).toBe('a')
    expect((await pty.screen()).join('\n')).toMatch(/Siemens/)
  })

  test('asks nothing but whether to write where all is sure; no writes nothing', async () => {
    const place = createPlace()
    place.write('list.csv', 'company,city\nApple Inc,Cupertino\n')
    const pty = startInPty(place, ['init', 'list.csv'], { columns: 60 })
    const screen = await pty.sees(/Write pipeline\.config\.json\?/)
    expect(screen.join('\n')).not.toMatch(/Which column/)
    pty.types('n')
    expect(await pty.ended).toBe(0)
    expect(place.names()).toEqual(['list.csv'])
  })

  test('Ctrl-C at a question writes nothing and ends with 130', async () => {
    const place = createPlace()
    place.write('list.csv', unsure)
    const pty = startInPty(place, ['init', 'list.csv'])
    await pty.sees(/Which column contains the company names/)
    pty.types('\x03')
    expect(await pty.ended).toBe(130)
    expect((await pty.screen()).join('\n')).toMatch(/Nothing was written/)
    expect(place.names()).toEqual(['list.csv'])
  })
})

import { copyFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { at, createPlace, quickConfig, writeConfig, type CliPlace } from '../support/cli.js'
import { readBilled, readCells, writeOwnWorld } from '../support/own-register.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../support/postgres-server.js'
import { serve } from '../support/served.js'

const programs = findPostgres()
const first = ['--first', 'own.sqlite', '--check-sample', '30%']
const stages = ['--with', 'entity']

describe.skipIf(programs === null)('an own registry answers first, with a checkpoint on PostgreSQL', () => {
  let server: SharedPostgres
  let databaseCount = 0
  beforeAll(async () => {
    server = await sharedPostgres(programs ?? '')
  }, 60_000)
  afterAll(() => server.stop())

  const createDatabase = () => server.createDatabase(`first_${++databaseCount}`)

  /** The same input and registry in two folders, as on two machines. */
  async function openPlaces() {
    const place = createPlace()
    writeConfig(place, quickConfig)
    const world = await writeOwnWorld(place, 40)
    const other = createPlace()
    for (const name of ['companies.csv', 'own.sqlite', 'pipeline.config.json'])
      copyFileSync(place.path(name), other.path(name))
    const service = await serve(place, 0)
    const run = async (where: CliPlace, output: string, ...flags: string[]) => {
      const args = ['companies.csv', '-o', output, ...first, ...flags, '--json', '--quiet']
      const { code, stdout, stderr } = await where.run(args, at(service))
      expect([code, stderr]).toEqual([0, ''])
      const events = stdout.trimEnd().split('\n')
      return (JSON.parse(events.at(-1) ?? '{}') as { summary: { billedCount: number; first: object } })
        .summary
    }
    return { place, other, world, service, run }
  }

  test('writes what a run with a file writes, exports it, and submits nothing the second night', async () => {
    const { place, other, world, service, run } = await openPlaces()
    const shared = ['--checkpoint', createDatabase()]
    const ofFile = await run(place, 'file.csv', ...stages)
    const billed = await readBilled(service)
    expect(billed.filter((name) => !world.known.includes(name))).toEqual(world.unknown)
    expect(billed.length).toBeGreaterThan(world.unknown.length)
    const summary = await run(place, 'out.csv', ...shared, ...stages)
    expect(summary).toMatchObject({ billedCount: ofFile.billedCount, first: ofFile.first })
    expect(readCells(place)).toEqual(readCells(place, 'file.csv'))
    const written = place.read('out.csv')

    const again = await run(other, 'out.csv', ...shared, ...stages)
    expect(again).toMatchObject({ billedCount: 0, first: ofFile.first })
    expect(other.read('out.csv') === written).toBe(true)
    expect(await readBilled(service)).toEqual([...billed, ...billed].toSorted())
    const exported = await other.run(
      ['export', 'companies.csv', '-o', 'exported.csv', ...first, ...shared, ...stages],
      at(service),
    )
    expect([exported.code, exported.stderr]).toEqual([0, expect.anything()])
    expect(other.read('exported.csv') === written).toBe(true)
    const plan = await other.run(
      ['plan', 'companies.csv', ...first, ...shared, ...stages, '--json'],
      at(service),
    )
    expect(JSON.parse(plan.stdout)).toMatchObject({ plan: { submit: 0 }, stages: [{ plan: { submit: 0 } }] })
  }, 120_000)

  test('two processes of one job pay each lookup once, and their parts are the output of a run with a file', async () => {
    const { place, world, service, run } = await openPlaces()
    // Both parts have all names.
    const names = [...world.names, ...world.names]
    place.write('companies.csv', `company_name\n${names.join('\n')}\n`)
    await run(place, 'file.csv')
    const paid = await readBilled(service)
    const job = ['--checkpoint', createDatabase(), '--job', 'first']
    const both = await Promise.all(
      [1, 2].map((part) => run(place, 'out.csv', ...job, '--partition', `${part}/2`)),
    )
    expect(both.reduce((sum, { billedCount }) => sum + billedCount, 0)).toBe(paid.length)
    expect(await readBilled(service)).toEqual([...paid, ...paid].toSorted())
    const collected = await place.run(['collect', ...job, '-o', 'all.csv'])
    expect([collected.code, collected.stderr]).toEqual([0, expect.anything()])
    expect(readCells(place, 'all.csv')).toEqual(readCells(place, 'file.csv'))
    expect(readCells(place, 'all.csv').map((row) => row['company_name'])).toEqual(names)
  }, 120_000)
})

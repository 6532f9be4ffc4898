import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunSummary } from '../../src/pipeline/history/run-summary.js'
import { createPlace, fixture, type CliPlace } from '../support/cli.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../support/postgres-server.js'
import { readJsonLines } from '../support/json-lines.js'

/** Everything that is wrong with a partition is found before anything is opened. */
describe('a partition is refused', () => {
  const refused = async (args: readonly string[], env: Record<string, string> = {}) => {
    const place = createPlace()
    const { code, stderr } = await place.run([fixture('companies.csv'), '-o', 'out.csv', ...args], { env })
    expect(place.names()).toEqual([])
    expect(code).toBe(2)
    return stderr
  }
  const shared = ['--checkpoint', 'postgres://nobody@127.0.0.1:9/nothing']

  test.each([
    [['--partition', '1/4'], {}, 'PARTITION_UNSUPPORTED', '--job'],
    [['--partition', '1/4', '--job', 'j'], {}, 'PARTITION_UNSUPPORTED', '--checkpoint postgres://'],
    [['--partition', '5/4', '--job', 'j', ...shared], {}, 'PARTITION_INVALID', 'no partition 5 of 4'],
    [['--partition', 'four', '--job', 'j', ...shared], {}, 'USAGE_INVALID', 'I/N'],
    [['--partition', '/4', '--job', 'j', ...shared], {}, 'PARTITION_UNCLEAR', 'JOB_COMPLETION_INDEX'],
    [
      ['--partition', '1/4', '--job', 'j', ...shared],
      { JOB_COMPLETION_INDEX: '2' },
      'PARTITION_UNCLEAR',
      'JOB_COMPLETION_INDEX=2 means partition 3',
    ],
    [['--job', 'j', ...shared], { ENRICH_PARTITION: '9/4' }, 'PARTITION_INVALID', 'no partition 9 of 4'],
    [['--partition', '1/4', '--job', 'j', '--limit', '5', ...shared], {}, 'PARTITION_UNSUPPORTED', '--limit'],
    [['--partition', '1/4', '--job', 'j', '--partial', ...shared], {}, 'PARTITION_UNSUPPORTED', '--partial'],
    [
      ['--partition', '1/4', '--job', 'j', '-o', '-', '--format', 'csv', ...shared],
      {},
      'PARTITION_UNSUPPORTED',
      'standard output',
    ],
    [
      ['--partition', '1/4', '--job', 'j', '-o', 'out', '--format', 'csv', ...shared],
      {},
      'PARTITION_UNSUPPORTED',
      'an output name without a format',
    ],
  ])('%j with %j', async (args, env, code, words) => {
    const stderr = await refused(args, env)
    expect(stderr).toContain(code)
    expect(stderr).toContain(words)
  })

  test('and so is a collection without a job, or of a checkpoint that is a file', async () => {
    const place = createPlace()
    for (const args of [['collect'], ['collect', '--job', 'j']]) {
      const { code, stderr } = await place.run(args)
      expect([code, stderr]).toEqual([2, expect.stringMatching(/USAGE_INVALID|PARTITION_UNSUPPORTED/)])
    }
    expect(place.names()).toEqual([])
  })
})

const programs = findPostgres()

describe.skipIf(programs === null)('a job in parts, as it is typed', () => {
  let server: SharedPostgres
  beforeAll(async () => {
    server = await sharedPostgres(programs ?? '')
  }, 60_000)
  afterAll(() => server.stop())

  const numbersIn = (place: CliPlace, name: string) =>
    place
      .read(name)
      .split('\n')
      .filter((line) => /^\d+,/.test(line))
      .map((line) => Number(line.split(',')[0]))

  function writeCompanies(place: CliPlace): void {
    const names = ['Apple Inc.', 'Unilever PLC', 'SAP SE', 'Barclays Bank PLC', 'Nobody at all GmbH & Co']
    const lines = Array.from({ length: 20 }, (_, at) => `${at},${names[at % names.length] ?? ''}`)
    place.write('in.csv', `n,company_name\n${lines.join('\n')}\n`)
  }

  test('processes at once write their parts, and collect puts them together, in order', async () => {
    const place = createPlace()
    writeCompanies(place)
    const shared = ['--checkpoint', server.url(), '--job', 'typed']
    const ran = await Promise.all(
      [0, 1, 2].map((index) =>
        place.run(['in.csv', '-o', 'out.csv', ...shared, '--partition', '/3'], {
          env: { JOB_COMPLETION_INDEX: String(index) },
        }),
      ),
    )
    for (const { code, stderr } of ran) expect([0, 3], stderr).toContain(code)
    const again = await place.run(['in.csv', '-o', 'out.csv', ...shared, '--partition', '2/3'])
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('already published')])
    const other = await place.run(['in.csv', '-o', 'out.csv', ...shared, '--partition', '2/4'])
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('JOB_PARTS_DIFFER')])
    const collected = await place.run(['collect', ...shared, '-o', 'all.csv', '--json'])
    expect(collected.stderr + collected.stdout).toContain('"partCount":3')
    expect(JSON.parse(collected.stdout)).toMatchObject({ rowCount: 20, partCount: 3 })
    expect(numbersIn(place, 'all.csv')).toEqual([...Array(20).keys()])
    const parts = readdirSync(place.folder).filter((name) => /\.part-00\d-of-003\.\w+-\w+\.csv$/.test(name))
    expect(parts.sort().flatMap((name) => numbersIn(place, name))).toEqual([...Array(20).keys()])
    expect(JSON.parse(readFileSync(place.path('out.csv.manifest.json'), 'utf8'))).toMatchObject({
      row_count: 20,
    })
  }, 120_000)

  test('all its parts share one budget, which only a larger one continues', async () => {
    const place = createPlace()
    const url = server.createDatabase('bounded')
    writeCompanies(place)
    place.write('pipeline.config.json', JSON.stringify({ stages: { entity: { lookupsMax: 1 } } }))
    const run = async (...flags: string[]) => {
      const part = ['--checkpoint', url, '--job', 'bounded', '--partition', '1/2']
      const { code, stderr, stdout } = await place.run([
        'in.csv',
        '-o',
        'out.csv',
        ...part,
        ...flags,
        '--json',
      ])
      const { summary } = readJsonLines<{ type: string; summary: RunSummary }>(stdout).find(
        ({ type }) => type === 'finished',
      ) ?? { summary: null }
      return { code, stderr, submitted: summary?.billedCount, read: summary?.stages[0]?.askedCount }
    }
    const bounded = ['--max-lookups', '2', '--with', 'entity']
    expect(await run(...bounded)).toMatchObject({
      code: 8,
      submitted: 2,
      read: 1,
      stderr: expect.stringContaining('the job keeps its budget: raise --max-lookups') as string,
    })
    expect(await run(...bounded)).toMatchObject({ code: 8, submitted: 0, read: 0 })
    expect(await run('--max-lookups', '9', '--with', 'entity')).toMatchObject({
      code: 8,
      submitted: 3,
      read: 0,
      stderr: expect.stringContaining('the job keeps its budget: raise stages.entity.lookupsMax') as string,
    })
    place.write('pipeline.config.json', JSON.stringify({ stages: { entity: { lookupsMax: 9 } } }))
    expect([0, 3]).toContain((await run('--max-lookups', '9')).code)
  }, 120_000)

  test('other files under its name, and a run of all rows, are refused; missing parts are named', async () => {
    const place = createPlace()
    writeCompanies(place)
    const shared = ['--checkpoint', server.url(), '--job', 'kept']
    expect([0, 3]).toContain(
      (await place.run(['in.csv', '-o', 'out.csv', ...shared, '--partition', '1/2'])).code,
    )
    const whole = await place.run(['in.csv', '-o', 'out.csv', ...shared])
    expect([whole.code, whole.stderr]).toEqual([2, expect.stringContaining('JOB_NAME_TAKEN')])
    const early = await place.run(['collect', ...shared])
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('PARTS_MISSING')])
    expect(early.stderr).toContain('--partition 2/2')
    writeFileSync(place.path('in.csv'), `${place.read('in.csv')}20,Apple Inc.\n`)
    const changed = await place.run(['in.csv', '-o', 'out.csv', ...shared, '--partition', '2/2'])
    expect([changed.code, changed.stderr]).toEqual([2, expect.stringContaining('JOB_INPUT_DIFFERS')])
  }, 120_000)
})

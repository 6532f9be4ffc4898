import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlace, type CliPlace } from '../support/cli.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../support/postgres-server.js'

const programs = findPostgres() ?? ''

const header = ['company_name', 'city', 'country']
const lists = [
  [
    ['Dutche Bank', 'Berlin', 'DE'],
    ['Nobody at all GmbH', 'Bonn', 'DE'],
    ['Apple', 'Cupertino', 'US'],
    ['dutche bank', 'Berlin', 'DE'],
    ['Siemens AG', 'München', 'DE'],
  ],
  [
    ['Dutche Bank', 'Berlin', 'DE'],
    ['Apple', 'Cupertino', 'US'],
    ['dutche bank', 'Berlin', 'DE'],
    ['Siemens AG', 'Berlin', 'DE'],
    ['BASF SE', 'Ludwigshafen', 'DE'],
  ],
]

type Line = Record<string, string>
const readCsv = (place: CliPlace, name: string): Line[] =>
  parse(readFileSync(place.path(name)), { columns: true, bom: true })

/** But for what no two runs write alike. */
const unlikeColumns = ['enrich_run_id', 'enrich_resolved_at', 'enrich_decided_at', 'decided_at']
const rowsOf = (place: CliPlace, name: string) =>
  readCsv(place, name).map((row) =>
    Object.fromEntries(Object.entries(row).filter(([column]) => !unlikeColumns.includes(column))),
  )

/** What no two runs say alike: when they were, how long they took, and by which id they asked. */
const timeless = (text: string): string =>
  text
    .replaceAll(/<time .*?<\/time>/g, 'TIME')
    // A run of less than two seconds has no chart.
    .replaceAll(/<section [^>]*data-part="course".*?<\/section>/gs, 'TIMELINE')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d( UTC)?/g, 'TIME')
    .replaceAll(/\b\d+(\.\d+)?(ms|s)\b/g, 'DURATION')
const unlikeMembers = 'startedAtMs endedAtMs elapsedMs askingMs timeline submissionsPerMinute'.split(' ')
const withoutTimes = (json: string) =>
  JSON.parse(json, (key, value: unknown) => (unlikeMembers.includes(key) ? undefined : value)) as unknown

describe.skipIf(programs === '')('what is remembered on PostgreSQL', () => {
  let server: SharedPostgres
  beforeAll(async () => {
    server = await sharedPostgres(programs)
    server.createDatabase('nights')
  })
  afterAll(() => server.stop())

  /** Three nights, what is asked of them afterwards, and a night after somebody decided; all that they say. */
  async function nights(checkpoint: string): Promise<Record<string, unknown>> {
    const place = createPlace()
    const said: Record<string, unknown> = {}
    const run = async (name: string, ...args: string[]) => {
      const { code, stdout, stderr } = await place.run(args)
      if (![0, 3, 6, 8].includes(code ?? -1)) throw new Error(`${args.join(' ')}: ${stderr}`)
      said[name] = { code, stdout: name.startsWith('json') ? stdout.split('\n') : timeless(stdout) }
      return stdout
    }
    place.write('pipeline.config.json', JSON.stringify({ checkpoint: { path: checkpoint } }))
    const nightly = ['in.csv', '-o', 'out.csv', '--job', 'nightly', '--changes', 'changes.csv']
    const night = async (number: number) => {
      place.write('in.csv', stringify([header, ...(lists[number % 2] ?? [])]))
      const { length } = await run(
        `night ${number}`,
        ...nightly,
        '--report',
        'report.html',
        '--report-by',
        'country',
        '--fail-on',
        'new_row>1',
      )
      expect(length).toBe(0)
      said[`changes ${number}`] = place.read('changes.csv')
      said[`report ${number}`] = timeless(place.read('report.html'))
      said[`rows ${number}`] = rowsOf(place, 'out.csv')
    }
    for (const number of [0, 1, 2]) await night(number)
    const runs = (await run('runs in full', 'runs', '--json')).trimEnd().split('\n')
    said['runs in full'] = runs.map(withoutTimes)
    await run('runs', 'runs')
    await run('diff', 'diff')
    await run('diff 1..2', 'diff', '1..2', '--json')
    await run('diff to a file', 'diff', '-o', 'diff.csv')
    said['diff.csv'] = place.read('diff.csv')
    await run('report', 'report', '-o', 'later.html')
    said['later.html'] = timeless(place.read('later.html'))
    await run('export', 'review', 'in.csv', '--reviewer', 'Ann', '--export', 'todo.csv')
    said['todo.csv'] = place.read('todo.csv')
    const filled = readCsv(place, 'todo.csv').map((line) => ({
      ...line,
      verdict: line['name'] === 'Dutche Bank' ? '1' : 'none',
    }))
    place.write('filled.csv', stringify(filled, { header: true }))
    await run('import', 'review', 'in.csv', '--reviewer', 'Ann', '--import', 'filled.csv')
    said['decisions'] = rowsOf(place, 'enrich.decisions.csv')
    await night(4)
    place.write('more.csv', 'id,name,country\n1,Apple Something,US\n')
    await run('import', 'registry', 'import', 'csv', 'more.csv')
    place.write('in.csv', stringify([header, ...(lists[0] ?? [])]))
    await run('partial', ...nightly, '--max-lookups', '1', '--partial')
    said['changes of a partial output'] = place.read('changes.csv')
    said['partial rows'] = rowsOf(place, 'out.csv')
    await night(6)
    await run('plan', 'plan', 'in.csv')
    await run('known', 'export', 'in.csv', '-o', 'known.csv')
    said['known rows'] = rowsOf(place, 'known.csv')
    return said
  }

  test('is what is remembered in a file: changes, runs, diff, report, and what people decided', async () => {
    const [own, shared] = await Promise.all([
      nights('checkpoint.sqlite'),
      nights(server.url({ database: 'nights' })),
    ])
    expect(Object.keys(shared)).toEqual(Object.keys(own))
    for (const [name, said] of Object.entries(own)) expect([name, shared[name]]).toEqual([name, said])
    expect(own['changes 1']).toContain('new_row')
    expect(JSON.stringify(own['rows 4'])).toContain('accepted')
    expect(JSON.stringify(own['partial rows'])).toContain('pending')
    expect(own['changes 6']).toContain('lost_match')
  })

  test('who comes to the same rows on another machine sees what was decided, and its file gets it', async () => {
    const url = server.url({ database: 'nights' })
    const place = createPlace()
    place.write('in.csv', stringify([header, ...(lists[0] ?? [])]))
    place.write('pipeline.config.json', JSON.stringify({ checkpoint: { path: url } }))
    const { code, stderr } = await place.run(['in.csv', '-o', 'out.csv', '--job', 'nightly'])
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')])
    expect(place.names()).not.toContain('enrich.decisions.csv')
    const decided = readCsv(place, 'out.csv').filter(({ company_name: name }) => name === 'Dutche Bank')
    expect(JSON.stringify(decided)).toContain('accepted')
    expect((await place.run(['review', 'in.csv', '--export', 'todo.csv'])).code).toBe(0)
    expect(readCsv(place, 'enrich.decisions.csv').map(({ name }) => name)).toContain('Dutche Bank')
  })
})

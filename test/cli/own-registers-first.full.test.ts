import { existsSync } from 'node:fs'
import { stringify } from 'csv-stringify/sync'
import { describe, expect, test } from 'vitest'
import { at, createPlace, quickConfig, writeConfig, type CliPlace } from '../support/cli.js'
import { serve } from '../support/served.js'
import { readParquet, rowsOfCsv } from '../support/tables.js'

/** The registry holds three of these names; of `Tesla` it knows another company, in another country. */
const names = ['Pfizer Inc.', 'Microsoft Corporation', 'Tesla, Inc.', 'Intel Corporation', 'Zzqx Vrbnk Ltd']
const register = [
  'lei,name,town,region,country',
  '765LHXWGK1KXCLTFYQ30,Pfizer Inc.,New York,NY,US',
  'INR2EJN1ERAN0W5ZP974,Microsoft Corporation,Redmond,WA,US',
  '54930043XZGB27CTOV49,"Tesla, Inc.",Boise,ID,US',
]
/** The service names another company for `Tesla`. */
const otherTesla = register.map((row) => row.replace('54930043XZGB27CTOV49', 'KNX4USFCNGPY45LOCE31'))
const first = ['--first', 'own.sqlite']

interface Summary {
  readonly billedCount: number
  readonly first?: {
    readonly registry: string
    readonly lookupCount: number
    readonly rowCount: number
    readonly saved: { readonly amount: number } | null
    readonly sample: Readonly<
      Record<'lookupCount' | 'sameCount' | 'otherCount' | 'noMatchCount', number>
    > | null
  }
}

async function load(place: CliPlace, rows: readonly string[]): Promise<void> {
  place.write('register.csv', `${rows.join('\n')}\n`)
  const map = 'id=lei,name=name,city=town,region=region,country=country'
  const command = ['registry', 'import', 'csv', 'register.csv', '--id-type', 'lei', '--map', map]
  const { code, stderr } = await place.run([...command, '--registry', 'own.sqlite'])
  expect([code, stderr]).toEqual([0, expect.anything()])
}

async function open(rows: readonly string[] = register): Promise<CliPlace> {
  const place = createPlace()
  writeConfig(place, { ...quickConfig, billing: { unitPrice: 0.05, currency: 'EUR' } })
  place.write('companies.csv', ['company_name', ...names.map((name) => JSON.stringify(name))].join('\n'))
  await load(place, rows)
  return place
}

async function run(place: CliPlace, baseUrl: string, ...flags: string[]): Promise<Summary> {
  const args = ['companies.csv', '-o', 'out.csv', ...flags, '--json', '--quiet']
  const { code, stdout, stderr } = await place.run(args, at({ baseUrl }))
  expect([code, stderr]).toEqual([0, ''])
  const events = stdout.trimEnd().split('\n')
  return (JSON.parse(events.at(-1) ?? '{}') as { summary: Summary }).summary
}

const column = (place: CliPlace, name: string) =>
  rowsOfCsv(place.read('out.csv')).map((row) => row[`enrich_${name}`] ?? '')
const sides = (place: CliPlace) => column(place, 'answered_by').map((side) => side.split(':')[0])

const charges = 'SELECT count(*) FROM ledger WHERE kind = ?'

describe('an own registry answers first', () => {
  test('the service is paid for the rest only, and for nothing the second night', async () => {
    const place = await open()
    const service = await serve(place, 0)
    const count = () =>
      service.read((database) => database.prepare<[string], number>(charges).pluck().get('charge'))
    const planned = await place.run(['plan', 'companies.csv', ...first, '--json'], at(service))
    expect(JSON.parse(planned.stdout)).toMatchObject({
      plan: { submit: 2 },
      costText: 'EUR 0.10 for 2 lookups, each billed once',
      first: {
        accept: 95,
        lookupCount: 3,
        sampleCount: 0,
        saved: { amount: 0.15 },
        byAccept: [80, 90, 95, 99].map((accept) => ({ accept, lookupCount: 3, submitCount: 2 })),
      },
    })
    // A plan leaves nothing behind.
    expect([existsSync(place.path('.enrich')), await count()]).toEqual([false, 0])

    const stages = ['--with', 'entity']
    const summary = await run(place, service.baseUrl, ...first, ...stages)
    expect(summary).toMatchObject({
      billedCount: 2,
      first: { lookupCount: 3, rowCount: 3, saved: { amount: 0.15 }, sample: null },
    })
    expect(sides(place)).toEqual(['registry', 'registry', 'registry', 'http', 'http'])
    expect(column(place, 'answered_by')[0]).toBe(summary.first?.registry)
    expect(column(place, 'status')).toEqual(['matched', 'matched', 'matched', 'matched', 'no_match'])
    // Each side answers the records of its own rows.
    expect(column(place, 'entity_record_status')).toEqual([...Array<string>(4).fill('complete'), ''])
    expect(column(place, 'entity_current_id')).toEqual(column(place, 'entity_id'))
    const whole = place.read('out.csv')

    const again = await run(place, service.baseUrl, ...first, ...stages)
    expect([again.billedCount, place.read('out.csv')]).toEqual([0, whole])
    const exported = await place.run(
      ['export', 'companies.csv', '-o', 'exported.csv', ...first, ...stages],
      at(service),
    )
    expect([exported.code, place.read('exported.csv')]).toEqual([0, whole])
    expect(await count()).toBe(2)

    const { stdout: status } = await place.run(['status'])
    const edition = summary.first?.registry.slice('registry:'.length, 'registry:'.length + 12)
    expect(status).toContain(`\nOwn registry of --first own.sqlite, edition ${edition}\n`)
    const next = '  next: nothing left; enrich companies.csv -o … --first own.sqlite writes the output\n'
    expect(status.match(/^ {2}next: .*\n/gm)).toEqual([
      next,
      '  next: 1 doubtful row (1 without a company) after run 2: enrich review companies.csv --first own.sqlite\n',
    ])
    expect(status).not.toContain('Embedded service')
    const { stdout } = await place.run(['runs', '--run', '1'])
    expect(stdout).toContain(
      `3 lookups answered by ${summary.first?.registry}, not submitted, EUR 0.15 saved`,
    )
  })

  test('in Parquet, with identifiers, and with a report and metrics that name both sides', async () => {
    const place = await open()
    const service = await serve(place, 0)
    const rows = [',765LHXWGK1KXCLTFYQ30', 'Intel Corporation,']
    place.write('companies.csv', ['company_name,lei', ...rows].join('\n'))
    const files = ['companies.csv', '-o', 'out.parquet', '--report', 'r.html', '--metrics-file', 'm.prom']
    const { code, stderr } = await place.run([...files, ...first], at(service))
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^ {2}registry {2}1 lookup answered by/m)])
    const { rows: written } = await readParquet(place.path('out.parquet'))
    expect(written.map((row) => String(row['enrich_answered_by']).split(':')[0])).toEqual([
      'registry',
      'http',
    ])
    expect(written[0]?.['enrich_lei']).toBe('765LHXWGK1KXCLTFYQ30')
    expect(place.read('r.html')).toContain('Lookups answered by the own registry')
    expect(place.read('m.prom')).toMatch(/^enrich_run_registry_lookups\{series="companies.csv"\} 1$/m)
  })

  test('an answer that was paid for stays, unless another side is preferred', async () => {
    const place = await open()
    const service = await serve(place, 0)
    await run(place, service.baseUrl)
    expect(column(place, 'answered_by')).toEqual(Array<string>(5).fill(''))
    const summaries: Summary[] = []
    for (const flags of [[], ['--prefer', 'registry'], ['--prefer', 'service'], []]) {
      summaries.push(await run(place, service.baseUrl, ...first, ...flags))
      const isOfRegistry = flags[1] === 'registry'
      expect(sides(place)).toEqual([
        ...Array<string>(3).fill(isOfRegistry ? 'registry' : 'http'),
        'http',
        'http',
      ])
    }
    expect(summaries.map(({ billedCount }) => billedCount)).toEqual([0, 0, 0, 0])
  })

  test('a new edition answers again and costs nothing; what it no longer answers is submitted', async () => {
    const place = await open()
    const service = await serve(place, 0)
    const before = await run(place, service.baseUrl, ...first)
    await load(place, [...register, 'KNX4USFCNGPY45LOCE31,Intel Corporation,Santa Clara,CA,US'])
    const after = await run(place, service.baseUrl, ...first)
    expect(after.billedCount).toBe(0)
    expect(after.first?.registry).not.toBe(before.first?.registry)
    // Intel was paid for.
    expect(sides(place)).toEqual(['registry', 'registry', 'registry', 'http', 'http'])
    // In the sample, what was paid for checks the registry.
    const sampled = await run(place, service.baseUrl, ...first, '--check-sample', '100%')
    expect(sampled.first?.sample?.lookupCount).toBe(4)
    expect(sampled.billedCount).toBe(3)
    expect(sides(place)).toEqual(['registry', 'registry', 'registry', 'registry', 'http'])
  })

  test('a change names the sides that answered before and now, in files and in diff', async () => {
    const place = await open()
    const service = await serve(place, 0)
    const writing = ['--changes', 'changes.csv']
    await run(place, service.baseUrl, ...writing)
    expect(place.read('changes.csv')).not.toContain('answered_by')
    await run(place, service.baseUrl, ...first, ...writing)
    await run(place, service.baseUrl, ...first, ...writing, '--prefer', 'registry')
    const [change] = rowsOfCsv(place.read('changes.csv')).filter((row) => row['name'] === 'Tesla, Inc.')
    expect(change).toMatchObject({
      kind: 'entity_changed',
      old_answered_by: service.baseUrl,
      new_answered_by: 'registry',
    })
    const { stdout } = await place.run(['diff'])
    expect(stdout).toMatch(/ service → registry$/m)
    await place.run(['diff', '-o', 'diff.csv'])
    expect(place.read('diff.csv')).toBe(place.read('changes.csv'))

    // A new edition with the same facts changes no row.
    await load(place, [...register, 'KNX4USFCNGPY45LOCE31,Zorvex Limited,London,,GB'])
    await run(place, service.baseUrl, ...first, ...writing, '--prefer', 'registry')
    expect(rowsOfCsv(place.read('changes.csv'))).toEqual([])
  })

  test('a sample is submitted too, counted, compared; a contradiction keeps the answer and goes to review', async () => {
    const place = await open(otherTesla)
    const service = await serve(place, 0)
    const flags = [...first, '--check-sample', '100%']
    const small = await place.run(
      ['companies.csv', '-o', 'out.csv', ...flags, '--max-lookups', '2'],
      at(service),
    )
    expect([small.code, small.stderr]).toEqual([2, expect.stringContaining('the sample of --check-sample')])
    // No further lookups follow from those of the sample.
    const planEntities = async () => {
      const args = ['plan', 'companies.csv', ...flags, '--with', 'entity', '--json']
      const { stdout } = await place.run(args, at(service))
      return (JSON.parse(stdout) as { stages: unknown[] }).stages[0]
    }
    expect(await planEntities()).toMatchObject({ plan: { submit: 0 }, moreMax: 2 })
    const summary = await run(place, service.baseUrl, ...flags)
    expect(await planEntities()).toMatchObject({ plan: { submit: 1 }, moreMax: 0 })
    expect(summary).toMatchObject({
      billedCount: 5,
      first: { lookupCount: 3, sample: { lookupCount: 3, sameCount: 2, otherCount: 1, noMatchCount: 0 } },
    })
    expect(sides(place)).toEqual(['registry', 'registry', 'registry', 'http', 'http'])
    const ofRegistry = column(place, 'entity_id')[2]
    expect((await run(place, service.baseUrl, ...flags)).billedCount).toBe(0)

    const review = ['review', 'companies.csv', ...flags, '--reviewer', 'Ann']
    await place.run([...review, '--export', 'todo.csv'], at(service))
    const todo = rowsOfCsv(place.read('todo.csv'))
    expect(todo.map((row) => row['name'])).toEqual(expect.arrayContaining(['Tesla, Inc.']))
    expect(todo.map((row) => row['name'])).not.toContain('Pfizer Inc.')
    const tesla = todo.find((row) => row['name'] === 'Tesla, Inc.')
    expect(Object.values(tesla ?? {})).toContain('matched')

    // A decision stands above both sides.
    const verdicts = todo.map((row) => ({ ...row, verdict: row['name'] === 'Tesla, Inc.' ? '1' : '' }))
    place.write('todo.csv', stringify(verdicts, { header: true }))
    const imported = await place.run([...review, '--import', 'todo.csv'], at(service))
    expect([imported.code, imported.stderr]).toEqual([0, expect.anything()])
    expect((await run(place, service.baseUrl, ...flags)).billedCount).toBe(0)
    expect(column(place, 'decision')[2]).toBe('accepted')
    expect(column(place, 'answered_by')[2]).toBe('')
    expect(column(place, 'entity_id')[2]).not.toBe(ofRegistry)
  })

  test('review offers the companies of both sides; an accepted company of the registry is requested nowhere', async () => {
    const place = await open(otherTesla)
    const service = await serve(place, 0)
    const sides = [...first, '--check-sample', '100%']
    const flags = [...sides, '--with', 'hierarchy']
    const before = await run(place, service.baseUrl, ...flags)
    expect(before.first?.sample).toMatchObject({ otherCount: 1 })
    const ofRegistry = column(place, 'entity_id')[2] ?? ''
    const whole = rowsOfCsv(place.read('out.csv'))

    const review = ['review', 'companies.csv', ...sides, '--reviewer', 'Ann']
    await place.run([...review, '--export', 'todo.csv'], at(service))
    const todo = rowsOfCsv(place.read('todo.csv'))
    const tesla = todo.find((row) => row['name'] === 'Tesla, Inc.')
    expect(tesla?.['why']).toContain(
      `Another company is the answer of ${before.first?.registry}: Tesla, Inc.`,
    )
    expect(tesla?.['candidate 2 id']).toBe(ofRegistry)
    expect(tesla?.['candidate 1 id']).toMatch(/^siq_/)
    const verdicts = todo.map((row) => ({ ...row, verdict: row['name'] === 'Tesla, Inc.' ? '2' : '' }))
    place.write('todo.csv', stringify(verdicts, { header: true }))
    const imported = await place.run([...review, '--import', 'todo.csv'], at(service))
    expect([imported.code, imported.stderr]).toEqual([0, expect.anything()])

    const requests = 'SELECT count(*) FROM ledger'
    const count = () => service.read((database) => database.prepare<[], number>(requests).pluck().get())
    const spent = await count()
    expect(await run(place, service.baseUrl, ...flags)).toMatchObject({
      billedCount: 0,
      review: { lookupCount: todo.length - 1 },
    })
    expect(await count()).toBe(spent)
    const row = rowsOfCsv(place.read('out.csv'))[2]
    expect(row).toEqual({
      ...whole[2],
      enrich_decision: 'accepted',
      enrich_decided_by: 'Ann',
      enrich_decided_at: expect.anything(),
      enrich_answered_by: '',
    })
    // The decision can still be seen and changed.
    await place.run([...review, '--export', 'again.csv'], at(service))
    expect(rowsOfCsv(place.read('again.csv')).map((one) => one['name'])).not.toContain('Tesla, Inc.')
    const changed = verdicts.map((one) => ({ ...one, verdict: one.verdict === '' ? '' : '1' }))
    place.write('todo.csv', stringify(changed, { header: true }))
    const replaced = await place.run([...review, '--import', 'todo.csv'], at(service))
    expect([replaced.code, replaced.stderr]).toEqual([0, expect.anything()])
    await run(place, service.baseUrl, ...flags)
    expect(column(place, 'entity_id')[2]).toBe(tesla?.['candidate 1 id'])
  })

  test.each<[string, string[], RegExp]>([
    ['a registry that does not exist', ['--first', 'none.sqlite'], /REGISTRY_NOT_FOUND/],
    ['the default registry that does not exist', ['--first', 'registry'], /REGISTRY_NOT_FOUND/],
    ['an address', ['--first', 'postgres://127.0.0.1/registry'], /\b[A-Z]+_[A-Z_]+: /],
    ['an accept that is no percentage', [...first, '--accept', 'high'], /percentage/],
    ['an accept below every match', [...first, '--accept', '40'], /percentage/],
    ['a sample of nothing', [...first, '--check-sample', '0'], /percentage/],
    ['a sample without a registry', ['--check-sample', '2%'], /--check-sample without --first/],
    ['an unknown side', [...first, '--prefer', 'cheapest'], /earlier, registry, service/],
    ['the column of the sides without two sides', ['--columns', 'status,answered_by'], /--first/],
  ])('%s is refused before anything is submitted', async (_, flags, message) => {
    const place = await open()
    // Nothing listens there.
    const service = { baseUrl: 'http://127.0.0.1:9' }
    const { code, stderr } = await place.run(['companies.csv', '-o', 'out.csv', ...flags], at(service))
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
    expect(stderr).toContain('hint')
    expect(existsSync(place.path('out.csv'))).toBe(false)
  })

  test('--first without a service has nothing to come before', async () => {
    const place = await open()
    const { code, stderr } = await place.run(['companies.csv', '-o', 'out.csv', ...first])
    expect([code, stderr]).toEqual([2, expect.stringContaining('--first without --base-url')])
  })
})

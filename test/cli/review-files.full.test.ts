import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { describe, expect, test } from 'vitest'
import {
  at,
  canary,
  createPlace,
  quickConfig,
  writeConfig,
  type CliOptions,
  type CliPlace,
} from '../support/cli.js'
import { serve } from '../support/served.js'

const input = stringify([
  ['company_name', 'city', 'country'],
  ['Dutche Bank', 'Berlin', 'DE'],
  ['Nobody at all GmbH', 'Bonn', 'DE'],
  ['Apple', 'Cupertino', 'US'],
  ['dutche bank', 'Berlin', 'DE'],
])

type Line = Record<string, string>
const readCsv = (place: CliPlace, name: string): Line[] =>
  parse(readFileSync(place.path(name)), { columns: true, bom: true })

/** The verdicts of a file that was exported, by the names of its lookups. */
function fill(place: CliPlace, from: string, to: string, verdicts: Readonly<Record<string, string>>): void {
  const lines = readCsv(place, from).map((line) => ({ ...line, verdict: verdicts[line['name'] ?? ''] ?? '' }))
  place.write(to, stringify(lines, { header: true }))
}

async function answered(options?: CliOptions, prepared = createPlace()): Promise<CliPlace> {
  prepared.write('companies.csv', input)
  expect((await prepared.run(['companies.csv', '-o', 'out.csv'], options)).code).toBe(0)
  return prepared
}

/** What docs/reference/scripting.md says that a command prints: `type` first, what stands in brackets left out. */
function documented(command: string): string[] {
  const text = readFileSync(new URL('../../docs/reference/scripting.md', import.meta.url), 'utf8')
  const row = text.split('\n').find((line) => line.startsWith(`| \`${command}\` |`)) ?? ''
  const [, , ...fields] = row
    .replace(/\([^)]*\)/g, '')
    .split('`')
    .filter((_, part) => part % 2 === 1)
  return ['type', ...fields]
}

const review = (...flags: string[]) => ['review', 'companies.csv', '--reviewer', 'Ann', ...flags]

describe('on the embedded service', () => {
  test('the reason why a fund is no answer comes first: in its row and in the list to review', async () => {
    const place = createPlace()
    place.write(
      'register.csv',
      'id,name,subtype,city,country\n7,Larkmoor Income Fund,complex_business_structure,Leeds,GB\n',
    )
    await place.run(['registry', 'import', 'csv', 'register.csv', '--id-type', 'registration_id'])
    place.write('companies.csv', 'company_name,city\nLarkmoor Income Fund,Leeds\n')
    await place.run(['companies.csv', '-o', 'out.csv'])
    const why = '"Larkmoor Income Fund" is a fund, not a company: only companies are given as an answer.'
    const [row] = readCsv(place, 'out.csv')
    expect(row).toMatchObject({ enrich_status: 'inconclusive', enrich_confidence: '99' })
    const factors = JSON.parse(row?.['enrich_factors'] ?? '') as { description: string }[]
    expect(factors[0]?.description).toBe(why)
    await place.run(review('--export', 'todo.csv'))
    const [line] = readCsv(place, 'todo.csv')
    expect(line?.['why']?.startsWith(why)).toBe(true)
  })

  test('a file is written, filled in and taken; each says what it did and what comes next', async () => {
    const place = await answered()
    const exported = await place.run(review('--export', 'todo.xlsx'))
    expect([exported.code, exported.stdout, exported.stderr]).toEqual([
      0,
      '',
      '2 doubtful lookups (3 rows)\n' +
        '  written   todo.xlsx\n' +
        'Fill in the column verdict, then: enrich review companies.csv --reviewer Ann --import todo.xlsx\n',
    ])
    await place.run(review('--export', 'todo.csv'))
    fill(place, 'todo.csv', 'filled.csv', { 'Dutche Bank': '1' })
    const imported = await place.run(review('--import', 'filled.csv'))
    expect([imported.code, imported.stdout, imported.stderr]).toEqual([
      0,
      '',
      '1 lookup decided (2 rows): 1 accepted, 0 none of these\n' +
        '  1 without a verdict\n' +
        'Next: enrich companies.csv -o out.csv   (decided lookups are not submitted again)\n',
    ])
    expect(readCsv(place, 'enrich.decisions.csv')).toMatchObject([
      { name: 'Dutche Bank', verdict: 'accepted', decided_by: 'Ann', service: 'embedded' },
    ])
    const again = await place.run(review('--import', 'filled.csv', '--json'))
    expect(JSON.parse(again.stdout)).toMatchObject({
      type: 'imported',
      acceptedCount: 0,
      unchangedCount: 1,
      notes: [],
    })
    expect(again.stderr).toBe('Nothing changed.\n  1 unchanged\n  1 without a verdict\n')
    const rest = await place.run(review('--export', 'todo.csv', '--json'))
    expect(JSON.parse(rest.stdout)).toEqual({
      type: 'exported',
      path: 'todo.csv',
      lookupCount: 1,
      rowCount: 1,
      missing: null,
    })
    expect(Object.keys(JSON.parse(again.stdout) as object)).toEqual(documented('review --import'))
    expect(Object.keys(JSON.parse(rest.stdout) as object)).toEqual(documented('review --export'))
    const evaluated = await place.run(['registry', 'evaluate', '--decisions', 'enrich.decisions.csv'])
    expect([evaluated.code, evaluated.stdout.split('\n', 1)[0]]).toEqual([
      0,
      '1 decision: 1 accepted, 0 none',
    ])
  }, 60_000)

  test('A file that Excel saved with semicolons is read, and its verdicts silence the alarms of the rows', async () => {
    const place = createPlace()
    place.write('companies.csv', 'company_name\nNi\u00f1o Nobody GmbH\nNobody at all GmbH\n')
    const conditions = 'no_match>0,not_found>0,inconclusive>0,unmatched>0,review>0'
    const run = () => place.run(['companies.csv', '-o', 'out.csv', '--fail-on', conditions])
    const before = await run()
    expect([before.code, before.stderr]).toEqual([6, expect.stringContaining('review>0: 2 of 2 rows')])
    await place.run(review('--export', 'todo.csv'))
    const lines = readCsv(place, 'todo.csv').map((line) => ({ ...line, verdict: 'none' }))
    const saved = stringify(lines, { header: true, delimiter: ';', record_delimiter: '\r\n' })
    writeFileSync(place.path('saved.csv'), Buffer.from(saved, 'latin1'))
    const imported = await place.run(review('--import', 'saved.csv'))
    expect([imported.code, imported.stderr]).toEqual([
      0,
      expect.stringMatching(/0 accepted, 2 none of these[^]*Next: enrich companies\.csv -o out\.csv {3}/),
    ])
    const after = await run()
    expect([after.code, after.stderr]).toEqual([0, expect.not.stringContaining('alarm')])
    expect(readCsv(place, 'out.csv').map((row) => row['enrich_status'])).toEqual(['no_match', 'no_match'])
  }, 60_000)

  test('a decision that is replaced is shown, and verdicts that cannot be taken are listed with their lines', async () => {
    const place = await answered()
    await place.run(review('--export', 'todo.csv'))
    fill(place, 'todo.csv', 'one.csv', { 'Dutche Bank': '1' })
    await place.run(review('--import', 'one.csv'))
    fill(place, 'todo.csv', 'two.csv', { 'Dutche Bank': 'none' })
    expect((await place.run(review('--import', 'two.csv'))).stderr).toMatch(
      /^1 lookup decided \(2 rows\): 0 accepted, 1 none of these\n {2}of these 1 replace a different decision of yours\n {4}line 2 \(Dutche Bank\): before, siq_\w+\n {2}1 without a verdict\nNext: .*\n$/,
    )
    fill(place, 'todo.csv', 'wrong.csv', { 'Dutche Bank': '1', 'Nobody at all GmbH': '5' })
    const wrong = await place.run(['review', 'companies.csv', '--reviewer', 'Ben', '--import', 'wrong.csv'])
    expect([wrong.code, wrong.stderr.replace(/on \d{4}-.* UTC/, 'on DAY UTC')]).toEqual([
      2,
      'error VERDICTS_INVALID: wrong.csv: 2 verdicts cannot be imported; nothing was imported\n' +
        '  line 2 (Dutche Bank): Ann made another decision on DAY UTC: none of these\n' +
        '  line 3 (Nobody at all GmbH): there is no candidate 5: the row has none; type the id of a company (siq_…), or none\n' +
        '  hint: fix these lines or empty the cells, and import the file again\n',
    ])
    expect(readCsv(place, 'enrich.decisions.csv')).toMatchObject([{ verdict: 'none', decided_by: 'Ann' }])
  }, 60_000)

  test('mistakes are named before anything is read or written', async () => {
    const place = await answered()
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['--export', 'a.csv', '--import', 'a.csv'], /^error USAGE_INVALID: --export and --import/m],
      [['--export', 'companies.csv'], /^error OUTPUT_IS_INPUT/m],
      [['--export', 'enrich.decisions.csv'], /^error OUTPUT_IS_OURS/m],
      [['--export', 'checkpoint.review.sqlite'], /^error OUTPUT_FORMAT_UNKNOWN/m],
      [['--export', 's3://bucket/todo.xlsx'], /^error PATH_IS_ADDRESS/m],
      [['--export', 'none/todo.xlsx'], /^error OUTPUT_UNWRITABLE/m],
      [['--import', 'https://example.com/todo.xlsx'], /^error PATH_IS_ADDRESS/m],
      [['--import', 'none.xlsx'], /^error INPUT_NOT_FOUND/m],
      [['--import', 'companies.csv'], /^error VERDICTS_INVALID: companies.csv has no columns/m],
    ]
    for (const [flags, error] of cases) {
      const { code, stderr } = await place.run(review(...flags))
      expect([flags, code, stderr]).toEqual([flags, 2, expect.stringMatching(error)])
    }
    expect(place.read('companies.csv')).toBe(input)
    expect(place.names()).toEqual(['companies.csv', 'out.csv', 'out.csv.basis.csv'])
  }, 60_000)
})

describe('on a hosted service', () => {
  test('candidates are asked for and kept; ids are looked for; without a key, what is kept is enough', async () => {
    const place = createPlace()
    writeConfig(place, quickConfig)
    const companies = ['Limited', 'LLP'].map((form, number) => `${number},Balcor Widgets ${form},London,GB`)
    place.write(
      'register.csv',
      `id,name,city,country\n${[...companies, '9,Apple Inc.,Cupertino,US'].join('\n')}\n`,
    )
    await place.run(['registry', 'import', 'csv', 'register.csv'])
    const service = await serve(place, 0)
    place.write(
      'companies.csv',
      'company_name,city\nBalcor Widgets,\nApple,Cupertino\nNobody at all GmbH,Bonn\n',
    )
    expect((await place.run(['companies.csv', '-o', 'out.csv'], at(service))).code).toBe(0)
    const exported = await place.run(review('--export', 'todo.csv'), at(service))
    expect([exported.code, exported.stderr]).toEqual([
      0,
      expect.stringMatching(/^2 doubtful lookups \(2 rows\)\n {2}written/),
    ])
    const [widgets] = readCsv(place, 'todo.csv')
    expect(widgets).toMatchObject({ name: 'Balcor Widgets' })
    const ids = [widgets?.['candidate 1 id'] ?? '', widgets?.['candidate 2 id'] ?? '']
    expect(ids).toEqual([expect.stringMatching(/^siq_/), expect.stringMatching(/^siq_/)])
    const apple =
      readCsv(place, 'out.csv').find((row) => row['company_name'] === 'Apple')?.['enrich_entity_id'] ?? ''

    const taken = async (verdict: string, env: Record<string, string> = {}) => {
      fill(place, 'todo.csv', 'filled.csv', { 'Balcor Widgets': verdict })
      return place.run(review('--import', 'filled.csv'), {
        env: { ENRICH_BASE_URL: service.baseUrl, ...env },
      })
    }
    expect((await taken('siq_nobody')).stderr).toContain(
      'line 2 (Balcor Widgets): there is no company siq_nobody\n',
    )
    expect((await taken(apple)).stderr).toMatch(/^1 lookup decided/)
    expect((await taken('2', { ENRICH_API_KEY: '' })).stderr).toMatch(/^1 lookup decided/)
    const nowhere = await taken('siq_other', { ENRICH_API_KEY: '' })
    expect(nowhere.stderr).toContain('there is no API key')
    expect(readCsv(place, 'enrich.decisions.csv')).toMatchObject([
      { verdict: 'accepted', entity_id: ids[1], service: service.baseUrl },
    ])
  }, 120_000)

  test('that does not answer, the lookups are written without candidates, and counted', async () => {
    const place = createPlace()
    writeConfig(place, quickConfig)
    const service = place.start(
      [
        'serve',
        '--listen',
        '127.0.0.1:0',
        '--data',
        '../service',
        '--matchers',
        '0',
        '--research-seconds',
        '0',
      ],
      {
        env: { ENRICH_SERVE_API_KEY: canary },
      },
    )
    const [, baseUrl = ''] = await service.sees(/Serving at (http:\S+),/)
    await answered(at({ baseUrl }), place)
    service.child.kill('SIGTERM')
    await service.ended
    const { code, stderr } = await place.run(review('--export', 'todo.csv'), at({ baseUrl }))
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^2 doubtful lookups \(3 rows\)\n {2}note: 2 without candidates: the service returned no candidates: .*\n {2}written {3}todo\.csv\n/,
      ),
    ])
    expect(readCsv(place, 'todo.csv').map((line) => line['candidate 2 id'])).toEqual(['', ''])
    fill(place, 'todo.csv', 'filled.csv', { 'Nobody at all GmbH': 'none' })
    expect((await place.run(review('--import', 'filled.csv'), at({ baseUrl }))).code).toBe(0)
  }, 120_000)
})

describe('the delimiter of every CSV that is written about a list', () => {
  test.each([
    ['semicolon.csv', ';', ';'],
    ['comma.csv', ',', ','],
    // Spreadsheets split a .csv at no other delimiter.
    ['bar.csv', '|', ','],
    ['tab.tsv', '\t', ','],
  ])(
    '%s, which has %j, has %j beside it, and its verdicts are read',
    async (list, own, beside) => {
      const place = createPlace()
      const line = (...cells: string[]) => `${cells.join(own)}\n`
      place.write(list, line('Firma', 'Ort', 'Umsatz') + line('Dutche Bank', 'Berlin', '"1,5;2"'))
      const run = (...flags: string[]) => place.run([list, '-o', 'out.csv', ...flags])
      const headerOf = (name: string) =>
        place
          .read(name)
          .replace(/^\ufeff/, '')
          .split('\n', 1)[0] ?? ''
      await run()
      await run('--changes', 'changes.csv')
      await place.run(['diff', '-o', 'diff.csv'])
      await place.run(['review', list, '--export', 'todo.csv'])
      await place.run(['export', list, '-o', 'again.csv'])
      place.write('queries.csv', line('name', 'expected') + line('Nobody', ''))
      await place.run(['registry', 'evaluate', 'queries.csv', '--errors', 'errors.csv'])
      await place.run(['registry', 'evaluate', 'queries.csv', '--errors', 'errors.tsv'])
      expect(headerOf('changes.csv')).toMatch(`kind${beside}row_key${beside}`)
      expect(headerOf('diff.csv')).toBe(headerOf('changes.csv'))
      expect(headerOf('todo.csv')).toMatch(`lookup${beside}rows${beside}name${beside}`)
      expect(headerOf('errors.csv')).toMatch(`query_id${beside}stratum${beside}`)
      expect(headerOf('errors.tsv')).toMatch('query_id\tstratum\t')
      expect(place.read('again.csv')).toBe(place.read('out.csv'))
      const lines: Line[] = parse(place.read('todo.csv'), { columns: true, bom: true, delimiter: beside })
      const [row = {}] = lines
      place.write('filled.csv', stringify([{ ...row, verdict: '1' }], { header: true, delimiter: beside }))
      const imported = await place.run(['review', list, '--import', 'filled.csv'])
      expect(imported.stderr).toContain('1 lookup decided (1 row): 1 accepted')
    },
    60_000,
  )
})

test('After an import, the next command is the last run with the same lookups, with its outputs but that of changes', async () => {
  const place = createPlace()
  place.write('companies.csv', 'Firma,Ort,Land\nDutche Bank,Berlin,DE\nNobody at all GmbH,Bonn,DE\n')
  const runs = [
    "-o first.csv --columns status,candidates --changes 'my changes.csv' --prefix x_ --max-lookups 9",
    '-o second.parquet --location-columns Land --columns=status --changes=c.csv',
    '-o third.xlsx --location-columns Ort --bom',
  ]
  const toWords = (text: string) => (text.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''))
  for (const flags of runs) expect((await place.run(['companies.csv', ...toWords(flags)])).code).toBe(0)
  const next = async (...flags: string[]) => {
    await place.run(['review', 'companies.csv', ...flags, '--export', 'todo.csv'])
    fill(place, 'todo.csv', 'filled.csv', { 'Dutche Bank': 'none', 'Nobody at all GmbH': 'none' })
    const { stderr } = await place.run(['review', 'companies.csv', ...flags, '--import', 'filled.csv'])
    return /^Next: enrich (.*?) {3}\(/m.exec(stderr)?.[1]
  }
  const first = 'companies.csv -o first.csv --columns status,candidates --prefix x_'
  const second = 'companies.csv --location-columns Land -o second.parquet --columns=status'
  expect([await next(), await next('--location-columns', 'Land')]).toEqual([first, second])
  expect(await next('--location-columns=Ort')).toBe(
    'companies.csv --location-columns=Ort -o third.xlsx --bom',
  )
  const applied = await place.run(toWords(first))
  expect(applied.stderr).toContain('2 decided by reviewers')
}, 60_000)

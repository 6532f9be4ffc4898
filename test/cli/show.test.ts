import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { stringify } from 'csv-stringify/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measureWidth } from '../../src/core/text.js'
import { createPlace, type CliPlace } from '../support/cli.js'
import { startInPty } from '../support/pty.js'
import { forAllAsync } from '../support/properties.js'
import { readJsonLines } from '../support/json-lines.js'

interface Shown {
  readonly type: string
  readonly row?: number
  readonly values?: Readonly<Record<string, unknown>>
  readonly basis?: readonly Readonly<Record<string, unknown>>[]
  readonly rowCount?: number
  readonly matchingCount?: number
  readonly byStatus?: unknown
  readonly byConfidence?: unknown
}

async function showJson(place: CliPlace, ...args: string[]): Promise<Shown[]> {
  const { code, stdout, stderr } = await place.run(['show', ...args, '--json'])
  expect([code, stderr.replace(/^ {2}note: .*\n/gm, '')]).toEqual([0, ''])
  return readJsonLines<Shown>(stdout)
}

const removals: (() => void)[] = []
let outputs: CliPlace
const formats = ['csv', 'csv.gz', 'ndjson', 'parquet', 'xlsx']
const companies = ['Apple', 'Mircosoft', 'Netflicks', 'X', 'Siemens', 'Apple']
const places = ['Cupertino', 'Redmond', 'Los Gatos', 'Bastrop', 'Munich', 'London']

beforeAll(async () => {
  outputs = createPlace(((remove: () => void) => removals.push(remove)) as never)
  outputs.write(
    'in.csv',
    stringify([['company', 'city'], ...companies.map((name, at) => [name, places[at]])]),
  )
  for (const format of formats) {
    const { code, stderr } = await outputs.run(['in.csv', '-o', `out.${format}`])
    expect([code, stderr]).toEqual([0, expect.any(String)])
  }
})
afterAll(() => {
  for (const remove of removals) remove()
})

test('The column of names in the config labels the rows', async ({ onTestFinished }) => {
  const place = createPlace(onTestFinished)
  place.write('in.csv', 'account;target\n4711;Apple\n4712;Siemens\n')
  place.write(
    'pipeline.config.json',
    JSON.stringify({ input: { paths: ['in.csv'], columns: { name: 'target' } } }),
  )
  expect((await place.run(['run', '-o', 'out.csv'])).code).toBe(0)
  expect((await place.run(['show', 'out.csv'])).stdout).toMatch(/^ +1 +Apple +Apple Inc/m)
  expect((await place.run(['show', 'in.csv', '--row', '2'])).stdout).toContain('Siemens')
  // The file of another list has no such column.
  place.write('other.csv', 'company\nTesco\n')
  expect((await place.run(['show', 'other.csv'])).stdout).toContain('Tesco')

  const columns = /^ok +columns +name from target/m
  const lacking = await place.run(['doctor', '--registry', 'missing.sqlite'])
  expect(lacking.stdout).toMatch(/FAIL +columns +not checked: registry fails with REGISTRY_NOT_FOUND/)
  expect((await place.run(['doctor'])).stdout).toMatch(columns)
  expect((await place.run(['doctor', 'other.csv', '--name-column', 'company'])).stdout).toMatch(
    /name from company/,
  )
})

test('Names below an unknown header label the rows, not an added column', async ({ onTestFinished }) => {
  const place = createPlace(onTestFinished)
  place.write('list.csv', 'kürzel;bezeichner\nA1;Siemens AG\nA2;Unilever PLC\nA3;Larkmoor GmbH\n')
  await place.run(['list.csv', '-o', 'out.csv'])
  const { stdout } = await place.run(['show', 'out.csv'])
  expect(stdout).toMatch(/row +bezeichner +company .*\n +1 +Siemens AG +Siemens Aktiengesellschaft/)
  expect(stdout).toMatch(/\n +3 +Larkmoor GmbH +no_match/)
})

describe.each(formats)('an output as %s', (format) => {
  const file = `out.${format}`

  test('shows names, companies and statuses, with counts of all rows', async () => {
    const { code, stdout } = await outputs.run(['show', file])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^out\.\S+: 6 rows, \d+ columns\n\n {2}row {2}company +company +status +confidence/,
    )
    expect(stdout).toMatch(/^ {2}1 +Apple +Apple Inc\. +matched +99 +https:\/\/\S+/m)
    expect(stdout).toMatch(/^ {2}invalid_input {2}1 {2}17 % {2}█/m)
    const shares = [...stdout.matchAll(/ (\d+) % {2}/g)].map(([, share]) => Number(share))
    // Charts of statuses and confidences.
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(200)
    expect(stdout).toContain(`One row in full: enrich show ${file} --row 1\n`)
  })

  test('has no note, and each column of the table can be selected by its name', async () => {
    const wide = { env: { COLUMNS: '200' } }
    const { stdout, stderr } = await outputs.run(['show', file], wide)
    expect(stderr).toBe('')
    const titles = /^ +row +(.+)$/m.exec(stdout)?.[1]?.trim().split(/ {2,}/) ?? []
    expect(titles).toEqual(expect.arrayContaining(['company', 'status', 'source']))
    const chosen = await outputs.run(['show', file, '--columns', titles.join(',')], wide)
    expect([chosen.code, chosen.stderr]).toEqual([0, ''])
  })

  test('has the same counts in JSON as the output itself', async () => {
    const lines = await showJson(outputs, file, '--limit', '100')
    const statuses = lines.flatMap(({ values }) => (values === undefined ? [] : [values['enrich_status']]))
    const byStatus: Record<string, number> = {}
    for (const status of statuses) byStatus[String(status)] = (byStatus[String(status)] ?? 0) + 1
    expect(lines.at(-1)).toMatchObject({ type: 'rows', path: file, rowCount: 6, matchingCount: 6, byStatus })
    expect(statuses).toHaveLength(6)
  })

  test('shows the sources of one row, wherever they are', async () => {
    const [line] = await showJson(outputs, file, '--row', '1')
    const [expected] = await showJson(outputs, 'out.parquet', '--row', '1')
    expect(line?.row).toBe(1)
    expect(line?.basis?.length).toBeGreaterThan(10)
    // A cell of a CSV that a spreadsheet would run as a formula has an apostrophe; there is none here.
    expect(line?.basis).toEqual(expected?.basis)
    expect((await showJson(outputs, file, '--row', '4'))[0]?.basis).toEqual([])
    const { stdout } = await outputs.run(['show', file, '--row', '1'])
    for (const text of [
      'Your row\n',
      'Answer\n',
      'Evidence\n  + ',
      'Basis\n  legal name: Apple Inc.\n',
      '  [1] https://',
      'no public page (web)\n',
    ])
      expect(stdout).toContain(text)
  })
})

describe('conditions', () => {
  test('select the rows that a reader of the file would select', async () => {
    const place = createPlace()
    const cell = fc.constantFrom('', '1', '2', '10', '-3', '2.50', 'abc', 'ABD', '2026-01-02', 'a,b', 'ü')
    const operators = ['=', '!=', '<', '>', '<=', '>=', '~']
    const isMet = (operator: string, value: string, wanted: string): boolean => {
      if (operator === '=') return value === wanted
      if (operator === '!=') return value !== wanted
      if (operator === '~') return value.toLowerCase().includes(wanted.toLowerCase())
      if (value === '') return false
      const isNumber = wanted.trim() !== '' && !Number.isNaN(Number(wanted))
      if (isNumber && Number.isNaN(Number(value))) return false
      const [one, other] = isNumber ? [Number(value), Number(wanted)] : [value, wanted]
      return { '<': one < other, '>': one > other, '<=': one <= other, '>=': one >= other }[operator] === true
    }
    await forAllAsync(
      25,
      [
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 30 }),
        fc.array(fc.tuple(fc.constantFrom(0, 1), fc.constantFrom(...operators), cell), {
          minLength: 1,
          maxLength: 3,
        }),
      ],
      async (rows, conditions) => {
        place.write(
          'rows.csv',
          stringify([['row_id', 'left', 'right'], ...rows.map((row, at) => [`r${at}`, ...row])]),
        )
        const flags = conditions.flatMap(([at, operator, value]) => [
          '--where',
          `${['left', 'right'][at]}${operator}${value}`,
        ])
        const lines = await showJson(place, 'rows.csv', '--limit', '100', ...flags)
        const expected = rows.flatMap((row, at) =>
          conditions.every(([of, operator, value]) => isMet(operator, row[of], value)) ? [at + 1] : [],
        )
        expect(lines.flatMap(({ row }) => row ?? [])).toEqual(expected)
        expect(lines.at(-1)).toMatchObject({ rowCount: rows.length, matchingCount: expected.length })
      },
    )
  })

  test('name added columns with or without their prefix, in any spelling', async () => {
    for (const name of ['status', 'enrich_status', 'Enrich Status', 'STATUS']) {
      const lines = await showJson(outputs, 'out.csv', '--where', `${name}=inconclusive`)
      expect([name, lines.at(-1)?.byStatus]).toEqual([name, { inconclusive: 1 }])
    }
  })

  test('name the number of a row, unless the file has such a column', async () => {
    const lines = await showJson(outputs, 'out.csv', '--where', 'row>4')
    expect(lines.flatMap(({ row }) => row ?? [])).toEqual([5, 6])
    const own = createPlace()
    own.write('own.csv', 'row,name\n9,Apple\n1,Tesco\n')
    expect((await showJson(own, 'own.csv', '--where', 'row>4')).flatMap(({ row }) => row ?? [])).toEqual([1])
  })

  test('that no row meets tell the values that there are', async () => {
    const { code, stdout } = await outputs.run(['show', 'out.csv', '--where', 'status=inconclusiv'])
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/0 of 6 rows[^]*No row meets --where\. Values of enrich_status: matched, /),
    ])
  })
})

describe('a file of another program', () => {
  test('shows its own columns, and counts only what it has', async () => {
    const place = createPlace()
    place.write('people.csv', 'id,status,note\n007,open,a\n008,open,b\n009,,c\n')
    expect(await showJson(place, 'people.csv')).toEqual([
      { type: 'row', row: 1, values: { id: '007', status: 'open', note: 'a' } },
      { type: 'row', row: 2, values: { id: '008', status: 'open', note: 'b' } },
      { type: 'row', row: 3, values: { id: '009', status: '', note: 'c' } },
      {
        type: 'rows',
        path: 'people.csv',
        rowCount: 3,
        matchingCount: 3,
        byStatus: { open: 2, '': 1 },
        byConfidence: null,
      },
    ])
    const { stdout } = await place.run(['show', 'people.csv', '--row', '2'])
    expect(stdout).toBe('Row 2 of people.csv\n\n  id      008\n  status  open\n  note    b\n')
    place.write('plain.csv', 'id,name\n1,Acme\n')
    expect((await place.run(['show', 'plain.csv'])).stdout).toBe(
      'plain.csv: 1 row, 2 columns\n\n  row  id  name\n  1    1   Acme\n\nOne row in full: enrich show plain.csv --row 1\n',
    )
  })

  test('of DuckDB keeps its types in JSON, and members of nested columns can be named', async () => {
    const place = createPlace()
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await connection.run(
      `COPY (SELECT 9007199254740993 AS big, 1.10::DECIMAL(9,2) AS price, DATE '2026-01-02' AS day, true AS ok,
        {'name': 'Acme', 'tags': ['a', 'b']} AS company UNION ALL SELECT NULL, NULL, NULL, NULL, NULL)
        TO '${place.path('t.parquet')}' (FORMAT parquet)`,
    )
    connection.closeSync()
    instance.closeSync()
    const { stdout } = await place.run(['show', 't.parquet', '--json'])
    expect(stdout.split('\n')[0]).toBe(
      '{"type":"row","row":1,"values":{"big":9007199254740993,"price":1.1,"day":"2026-01-02","ok":true,"company":{"name":"Acme","tags":["a","b"]}}}',
    )
    const [first, second] = await showJson(place, 't.parquet', '--columns', 'company.name,big')
    expect([first?.values, second?.values]).toEqual([
      { 'company.name': 'Acme', big: Number('9007199254740993') },
      { 'company.name': null, big: null },
    ])
  })

  test('is not changed, and nothing is left next to it', async () => {
    const place = createPlace()
    for (const name of ['out.csv', 'out.csv.basis.csv', 'out.parquet', 'out.xlsx', 'out.ndjson'])
      place.write(name, readFileSync(outputs.path(name)))
    const hash = () =>
      place.names().map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(place.path(name)))
          .digest('hex'),
      ])
    const before = hash()
    for (const name of place.names())
      for (const args of [[], ['--row', '2'], ['--where', 'confidence>1']])
        await place.run(['show', name, ...args])
    expect(hash()).toEqual(before)
    expect(place.namesIn('.enrich')).toEqual([])
    expect(place.listSideFiles()).toEqual([])
  })
})

test.each([
  [['none.csv'], 'INPUT_NOT_FOUND', /hint: check the path/],
  [['.'], 'INPUT_IS_FOLDER', /hint: to read every CSV file in it/],
  [['empty.csv'], 'INPUT_EMPTY', /hint: /],
  [['page.csv'], 'INPUT_FORMAT_WRONG', /is a page of HTML/],
  [['bytes.parquet'], 'INPUT_PARQUET_INVALID', /hint: /],
  [['rows.unknown'], 'INPUT_FORMAT_UNKNOWN', /hint: pass --input-format/],
  [
    ['rows.csv', '--columns', 'compny'],
    'INPUT_COLUMN_MISSING',
    /"compny" \(--columns\)[^]*did you mean "company"\?/,
  ],
  [
    ['rows.csv', '--where', 'citty=Bonn'],
    'INPUT_COLUMN_MISSING',
    /"citty" \(--where\)[^]*did you mean "city"\?/,
  ],
  [['rows.csv', '--where', 'Bonn'], 'USAGE_INVALID', /a column, one of = != < > <= >= ~, and a value/],
  [['rows.csv', '--row', '3'], 'INPUT_ROW_MISSING', /has 2 rows, and no row 3[^]*from 1 to 2/],
  [['header.csv', '--row', '1'], 'INPUT_ROW_MISSING', /has 0 rows[^]*only a header/],
  [['rows.csv', '--row', '0'], 'USAGE_INVALID', /whole number from 1/],
  [['rows.csv', '--row', '1', '--where', 'city=Bonn'], 'USAGE_INVALID', /cannot be combined/],
])('%j ends with %s and a hint', async (args, code, message) => {
  const place = createPlace()
  place.write('empty.csv', '')
  place.write('page.csv', '<!doctype html><html><body>Log in</body></html>')
  place.write('bytes.parquet', Buffer.alloc(64, 7))
  place.write('rows.unknown', 'a,b\n1,2\n')
  place.write('rows.csv', 'company,city\nAcme,Bonn\nBolt,Kiel\n')
  place.write('header.csv', 'company,city\n')
  const result = await place.run(['show', ...args])
  expect([result.code, result.stdout]).toEqual([2, ''])
  expect(result.stderr).toMatch(new RegExp(`^error ${code}: `))
  expect(result.stderr).toMatch(message)
})

/** Texts that are wider or narrower than their characters, or that would steer a terminal. */
const awkward = [
  '株式会社データ銀行ホールディングス',
  'שלום בע"מ 12',
  'شركة النفط ١٢٣',
  'e\u0301'.repeat(40),
  '\u1112\u1161\u11ab\u1100\u116e\u11a8 전자',
  '🚀 launch 🇩🇪',
  'red \u001b[31m text \u001b[2J',
  'a\u202etxt.exe',
  'tab\there\nand a line\r',
  'x'.repeat(500),
]

describe('a terminal', () => {
  /** Nothing is broken by the terminal, coloured, or wider than it. */
  async function seeScreen(place: CliPlace, args: readonly string[], columns: number): Promise<string[]> {
    const pty = startInPty(place, ['show', ...args], { columns, rows: 60 })
    expect(await pty.ended).toBe(0)
    const screen = await pty.screen()
    for (const line of screen) expect(measureWidth(line)).toBeLessThanOrEqual(columns)
    // oxlint-disable-next-line no-control-regex -- a control sequence is what is looked for
    expect(pty.raw()).not.toMatch(/\u001b\[[0-9;]*m/)
    return screen
  }

  test.each([40, 80, 120, 200])('of %i columns shows the status of every row whole', async (columns) => {
    const screen = await seeScreen(outputs, ['out.parquet'], columns)
    expect(screen[0]).toMatch(/^out\.parquet: 6 rows/)
    const statuses = ['matched', 'matched', 'no_match', 'invalid_input', 'matched', 'inconclusive']
    for (const [at, status] of statuses.entries())
      expect(screen[3 + at]).toMatch(new RegExp(`^ {2}${at + 1} .* ${status}(?: |$)`))
    expect(screen.join('\n')).toMatch(/^ {2}status\b[^]* {2}matched +3 +50 % +█/m)
  })

  test.each([40, 120])(
    'of %i columns keeps those of awkward cells under each other, and breaks no line',
    async (columns) => {
      const place = createPlace()
      place.write(
        'in.csv',
        stringify([['company', 'status'], ...awkward.map((text, at) => [text, `state${at}`])]),
      )
      const pty = startInPty(place, ['show', 'in.csv', '--limit', '20'], { columns, rows: 60 })
      expect(await pty.ended).toBe(0)
      expect(await pty.brokenLines()).toEqual([])
      const lines = (await pty.screen()).slice(3, 3 + awkward.length)
      const positions = lines.map((line, at) => measureWidth(line.slice(0, line.indexOf(`state${at}`))))
      expect(new Set(positions).size).toBe(1)
      expect(lines.join('\n')).toContain('\\u001b[31m')
      expect(lines.join('\n')).toContain('\\u202e')
    },
  )

  test.each([40, 200])('of %i columns breaks the lines of one row between words', async (columns) => {
    const screen = await seeScreen(outputs, ['out.csv', '--row', '1'], columns)
    expect(screen.join('\n')).toMatch(/^Answer\n {2}status +matched\n/m)
    expect(screen.join(' ').replace(/\s+/g, ' ')).toContain(
      'legal name: Apple Inc. high: The name on the registration.',
    )
  })
})

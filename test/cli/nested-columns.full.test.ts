import { expect, test } from 'vitest'
import { createPlace, type CliPlace } from '../support/cli.js'
import { queryDuckDb, rowsOfCsv } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'

const companies = [
  { company: { name: 'Apple Inc.', address: { city: 'Cupertino' } }, id: 1 },
  { company: { name: 'Microsoft Corporation', address: { city: 'Redmond' } }, id: 2 },
  { company: null, id: 3 },
]

const structs = `SELECT * FROM (VALUES
  ({'name': 'Apple Inc.', 'address': {'city': 'Cupertino'}}, 1, ['a', 'b'], MAP {'name': 'x'}),
  ({'name': 'Microsoft Corporation', 'address': {'city': 'Redmond'}}, 2, [], MAP {}),
  (NULL, 3, NULL, NULL)) AS t(company, id, names, organization)`

/** A Parquet file as DuckDB writes it. */
async function writeParquet(place: CliPlace, name: string, select: string): Promise<void> {
  await queryDuckDb(`COPY (${select}) TO '${place.path(name)}' (FORMAT parquet)`)
}

async function preparedInputs(): Promise<CliPlace> {
  const place = createPlace()
  await writeParquet(place, 'in.parquet', structs)
  place.write('in.ndjson', companies.map((row) => `${JSON.stringify(row)}\n`).join(''))
  place.write('in.json', JSON.stringify(companies))
  return place
}
const inputs = [
  ['in.parquet', 'struct'],
  ['in.ndjson', 'object'],
  ['in.json', 'object'],
] as const

test('a nested column is not found as a name; the error says which member to name', async () => {
  const place = await preparedInputs()
  for (const [command, kind] of [
    [['plan', 'in.parquet'], 'a struct'],
    [['in.ndjson', '-o', 'out.csv'], 'an object'],
    [['init', 'in.json', '--yes'], 'an object'],
  ] as const) {
    const { code, stderr } = await place.run(command)
    expect([command[0], code, stderr]).toEqual([
      command[0],
      2,
      expect.stringContaining('INPUT_COLUMN_MISSING'),
    ])
    expect(stderr).toContain(`company is ${kind}; pass --name-column company.name;`)
  }
  expect(place.names()).toEqual(['in.json', 'in.ndjson', 'in.parquet'])
})

test('a nested column that is named as the name is refused with its members', async () => {
  const place = await preparedInputs()
  for (const [input, kind] of inputs) {
    const { code, stderr } = await place.run([input, '-o', 'out.csv', '--name-column', 'company'])
    expect([input, code, stderr]).toEqual([input, 2, expect.stringContaining('error INPUT_COLUMN_NESTED:')])
    expect(stderr).toMatch(new RegExp(`"company" is an? ${kind}, not a text column \\(--name-column\\)`))
    expect(stderr).toContain('pass --name-column company.name; other members: company.address.city')
  }
  for (const [column, kind] of [
    ['names', 'list'],
    ['organization', 'map'],
  ])
    expect((await place.run(['plan', 'in.parquet', '--name-column', String(column)])).stderr).toContain(
      `INPUT_COLUMN_NESTED: "${column}" is a ${kind},`,
    )
  const location = ['--name-column', 'company.name', '--location-columns', 'company']
  expect((await place.run(['plan', 'in.parquet', ...location])).stderr).toContain('INPUT_COLUMN_NESTED')
})

test('a member is asked as the name and the place, and the nested column is written as it was', async () => {
  const place = await preparedInputs()
  const members = ['--name-column', 'company.name', '--location-columns', 'company.address.city']
  const plan = await place.run(['plan', 'in.parquet', ...members])
  expect(plan.stdout).toContain('name from company.name; location from company.address.city\n')

  await place.run(['in.ndjson', '-o', 'out.ndjson', ...members])
  const rows = readJsonLines(place.read('out.ndjson'))
  expect(rows.map((row) => [row['company'], row['enrich_legal_name'], row['enrich_error']])).toEqual([
    [companies[0]?.company, 'Apple Inc.', null],
    [companies[1]?.company, 'Microsoft Corporation', null],
    [null, null, 'no company name'],
  ])

  await place.run(['in.json', '-o', 'out.csv', ...members])
  expect(rowsOfCsv(place.read('out.csv.basis.csv'))[0]).toMatchObject({ name: 'Apple Inc.' })

  await place.run(['in.parquet', '-o', 'out.parquet', ...members])
  const nested = 'typeof(company) AS type, company::VARCHAR AS company, names::VARCHAR AS names'
  const [before, after] = await Promise.all(
    ['in', 'out'].map((name) => queryDuckDb(`SELECT ${nested} FROM '${place.path(name)}.parquet'`)),
  )
  expect(after).toEqual(before)
  const legalNames = await queryDuckDb(`SELECT enrich_legal_name AS name FROM '${place.path('out.parquet')}'`)
  expect(legalNames.map(({ name }) => name)).toEqual(['Apple Inc.', 'Microsoft Corporation', null])
})

test('a column with a dot in its name is found before a member', async () => {
  const place = createPlace()
  const row = { 'company.name': 'Apple Inc.', company: { name: 'Microsoft Corporation' } }
  place.write('in.ndjson', `${JSON.stringify(row)}\n`)
  await writeParquet(
    place,
    'in.parquet',
    `SELECT 'Apple Inc.' AS "company.name", {'name': 'Microsoft Corporation'} AS company`,
  )
  for (const input of ['in.ndjson', 'in.parquet']) {
    await place.run([input, '-o', 'out.csv', '--name-column', 'company.name'])
    expect(rowsOfCsv(place.read('out.csv'))[0]?.['enrich_legal_name']).toBe('Apple Inc.')
  }
})

test('a plain column of names is taken, and the plan offers the member of a nested one', async () => {
  const place = createPlace()
  place.write(
    'in.ndjson',
    '{"account_name":"Apple Inc.","company":{"name":"Tesco"},"hq":{"city":"Cupertino"}}\n',
  )
  const { stdout } = await place.run(['plan', 'in.ndjson'])
  expect(stdout).toContain('name from account_name; no location\n')
  expect(stdout).toContain('company (object: --name-column company.name reads names from it)')
  expect(stdout).toContain('hq (object: --location-columns hq.city reads places from it)')
})

test('members in columns with quotes, spaces and commas in their names are read', async () => {
  const place = createPlace()
  const select = `SELECT {'legal, "full" name': 'Apple Inc.', 'x': {'a b': 1}} AS "the company"`
  await writeParquet(place, 'in.parquet', select)
  const member = 'the company.legal, "full" name'
  const run = await place.run(['in.parquet', '-o', 'out.csv', '--name-column', member])
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('Done')])
  expect(rowsOfCsv(place.read('out.csv'))[0]?.['enrich_legal_name']).toBe('Apple Inc.')
})

test('a cell that is text in a column of objects, or an object where a member is text, has no name', async () => {
  const place = createPlace()
  const lines = [
    '{"company":{"name":"Apple Inc."}}',
    '{"company":"Tesco PLC"}',
    '{"company":{"name":{"x":1}}}',
  ]
  place.write('in.ndjson', lines.join('\n'))
  await place.run(['in.ndjson', '-o', 'out.csv', '--name-column', 'company.name'])
  const rows = rowsOfCsv(place.read('out.csv'))
  expect(rows.map((row) => row['enrich_status'])).toEqual(['matched', 'invalid_input', 'invalid_input'])
})

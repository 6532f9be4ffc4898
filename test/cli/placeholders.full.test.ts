import { expect, test } from 'vitest'
import { at, createPlace, writeConfig } from '../support/cli.js'
import { startHosted } from '../support/hosted-place.js'
import { rowsOfCsv } from '../support/tables.js'

const placeholders = [
  'n/a',
  'NULL',
  'None',
  'TBD',
  'unknown',
  '#N/A',
  '#REF!',
  '(blank)',
  '-',
  '—',
  '?',
  'xxx',
  'k.A.',
  'keine Angabe',
  'sin datos',
  'non renseigné',
  'нет данных',
  '不明',
  '无',
  '없음',
  'غير معروف',
  'ＮＵＬＬ',
]
const names = ['Unknown Worlds Entertainment', 'NA Bancshares', 'NN', 'Leer']

test('a name cell that only says that there is no name is not submitted, not billed, and says why', async () => {
  const place = createPlace()
  const service = await startHosted()
  writeConfig(place)
  place.write('list.csv', ['company_name', ...placeholders, ...names].map((name) => `${name}\n`).join(''))
  const plan = await place.run(['plan', 'list.csv', '--json'], at(service))
  expect(JSON.parse(plan.stdout)).toMatchObject({
    rowCount: placeholders.length + names.length,
    invalidRowCount: placeholders.length,
    plan: { submit: names.length },
  })
  const run = await place.run(['list.csv', '-o', 'out.csv'], at(service))
  expect(run.stderr).toContain('Done')
  expect(service.runs.map(({ query }) => query.name).sort()).toEqual([...names].sort())
  const rows = rowsOfCsv(place.read('out.csv'))
  expect(rows.map((row) => [row['enrich_status'], row['enrich_error']])).toEqual([
    ...placeholders.map((name) => ['invalid_input', `"${name}" says that there is no name`]),
    ...names.map(() => ['no_match', '']),
  ])
})

test('a row with a placeholder for its name and an identifier asks by the identifier', async () => {
  const place = createPlace()
  place.write('list.csv', 'company_name,LEI\nn/a,HWUPKR0MPOU8FGXBT394\nkeine Angabe,#N/A\n')
  await place.run(['list.csv', '-o', 'out.csv'])
  const rows = rowsOfCsv(place.read('out.csv'))
  expect(rows.map((row) => [row['enrich_status'], row['enrich_legal_name'], row['enrich_error']])).toEqual([
    ['matched', 'Apple Inc.', ''],
    ['invalid_input', '', '"keine Angabe" says that there is no name'],
  ])
})

test('placeholders are left out of location and context; codes of countries and regions stay', async () => {
  const place = createPlace()
  const service = await startHosted()
  writeConfig(place)
  const rows = [
    'Acme,n/a,NULL,unknown,-',
    'Acme,,,,',
    'Namib Mills,Windhoek,n/a,NA,',
    'Bank,Charlotte,N.C.,US,sin datos',
    'Shop,NA,?,FR,retail',
  ]
  place.write('list.csv', `company_name,city,state,country,industry\n${rows.join('\n')}\n`)
  await place.run(['list.csv', '-o', 'out.csv', '--context-columns', 'industry'], at(service))
  const asked = service.runs.map(({ query }) => [query.name, query.location ?? null, query.context ?? null])
  expect(asked.sort()).toEqual([
    ['Acme', null, null],
    ['Bank', 'Charlotte, N.C., US', null],
    ['Namib Mills', 'Windhoek, NA', null],
    ['Shop', 'FR', 'retail'],
  ])
})

test('a lookup that was paid for with a placeholder in its location is not billed again without it', async () => {
  const place = createPlace()
  const service = await startHosted()
  writeConfig(place)
  place.write('before.csv', 'company_name,location\nAcme,"Lyon, n/a"\n')
  await place.run(['before.csv', '-o', 'before.out.csv'], at(service))
  expect(service.runs.map(({ query }) => query.location)).toEqual(['Lyon, n/a'])
  place.write('list.csv', 'company_name,city,state\nAcme,Lyon,n/a\nGlobex,Lyon,n/a\n')
  await place.run(['list.csv', '-o', 'out.csv'], at(service))
  expect(service.runs.map(({ query }) => [query.name, query.location])).toEqual([
    ['Acme', 'Lyon, n/a'],
    ['Globex', 'Lyon'],
  ])
})

import { expect, test } from 'vitest'
import { createPlace } from '../support/cli.js'
import { readJsonLines } from '../support/json-lines.js'

const list = [
  'Account,LEI Code,Email,Owner Email,Symbol',
  'Apple Inc.,HWUPKR0MPOU8FGXBT395,jane@gmail.com,me@us.com,H',
  ',HWUPKR0MPOU8FGXBT395,,me@us.com,He',
  ',,bob@gmail.com,me@us.com,Li',
  'Microsoft Corporation,INR2EJN1ERAN0W5ZP974,,me@us.com,Na',
  'Deutsche Bank,7LTWFZYICNSX8D621K86,,me@us.com,K',
  'Siemens,,,me@us.com,O',
].join('\n')

test('what is found, what is not used and why, and what is wrong: in plan, doctor, the run and its rows', async () => {
  const place = createPlace()
  place.write('list.csv', list)
  const plan = await place.run(['plan', 'list.csv'])
  expect(plan).toMatchObject({ code: 0 })
  expect(plan.stdout).toContain('name from Account; no location\n')
  expect(plan.stdout).toContain(
    'identifiers, looked up before the name: LEI from LEI Code, e-mail from Email\n',
  )
  expect(plan.stdout).toContain('Symbol (ticker: its exchange is unknown)')
  expect(plan.stdout).toContain('2  of them without a usable company name')
  expect(plan.stdout).toContain(
    '1 row has an LEI with wrong check digits (row 1): correct them: a character is wrong; until then, the name decides, or the answer is inconclusive',
  )
  expect((await place.run(['doctor', 'list.csv'])).stdout).toContain(
    'identifiers, looked up before the name: LEI from LEI Code',
  )

  const run = await place.run(['list.csv', '-o', 'out.ndjson'])
  expect(run.code, run.stderr).toBe(0)
  expect(run.stderr).toContain(
    '1 row has an LEI with wrong check digits (row 1): correct them: a character is wrong; until then, the name decides, or the answer is inconclusive',
  )
  const rows = readJsonLines(place.read('out.ndjson'))
  expect(rows.map((row) => [row['enrich_status'], row['enrich_error']]).slice(0, 3)).toEqual([
    ['matched', null],
    ['invalid_input', 'no company name, and the LEI has wrong check digits'],
    ['invalid_input', "gmail.com is a mail provider's domain, not a company's"],
  ])
  expect(rows[0]?.['enrich_reason']).toContain('The name is that of "Apple Inc."')
})

test('a website does not turn an exact legal name into the company of its group that gives the website', async () => {
  const place = createPlace()
  const rows = [
    'id,name,city,country,website,status',
    '1,Tesco PLC,Welwyn Garden City,GB,,active',
    '2,Tesco Stores Limited,Welwyn Garden City,GB,https://www.tesco.com,active',
  ]
  place.write('register.csv', rows.join('\n'))
  place.write('list.csv', 'company_name,website\nTesco PLC,https://www.tesco.com\n')
  const registry = ['--registry', 'registry.sqlite']
  const columns = 'id=id,name=name,city=city,country=country,website=website,status=status'
  const imported = await place.run([
    'registry',
    'import',
    'csv',
    'register.csv',
    '--id-type',
    'registration_id',
    '--country',
    'GB',
    '--jurisdiction',
    'gb',
    '--map',
    columns,
    ...registry,
  ])
  expect(imported.code, imported.stderr).toBe(0)
  await place.run(['list.csv', '-o', 'out.ndjson', ...registry])
  expect(JSON.parse(place.read('out.ndjson'))).toMatchObject({
    enrich_status: 'matched',
    enrich_legal_name: 'Tesco PLC',
  })
})

test('columns that are named, none, and one that is not there', async () => {
  const place = createPlace()
  place.write('list.csv', list)
  const plan = (...flags: string[]) => place.run(['plan', 'list.csv', ...flags])
  expect((await plan('--id-columns', 'email=owner email')).stdout).toContain(
    'identifiers, looked up before the name: e-mail from Owner Email\n',
  )
  const none = await plan('--id-columns', 'none', '--json')
  expect(JSON.parse(none.stdout)).toMatchObject({ columns: { identifiers: {} } })
  const missing = await plan('--id-columns', 'lei=Nope')
  expect(missing).toMatchObject({ code: 2 })
  expect(missing.stderr).toContain('INPUT_COLUMN_MISSING')
  expect((await plan('--id-columns', 'duns=x')).stderr).toContain('KEY=COLUMN')
})

/** As on a hosted service; the embedded one takes a website as an identifier. */
const byDomain = { lookup: { identifiers: 'context' } }

test('a list of identifiers alone needs no names; with neither it stops', async () => {
  const place = createPlace()
  place.write('leis.csv', 'LEI,Country\nHWUPKR0MPOU8FGXBT394,US\n')
  place.write('domains.csv', 'domain\napple.com\nwww.apple.com\n')
  place.write('pipeline.config.json', JSON.stringify(byDomain))
  place.write('none.csv', 'city,phone\nBonn,+49 228 1\n')
  expect((await place.run(['plan', 'leis.csv'])).stdout).toContain('no names; location from Country')
  const domains = await place.run(['plan', 'domains.csv'])
  expect(domains.stdout).toContain('2 rows have no name (rows 1, 2): looked up by domain')
  expect(domains.stdout).toMatch(/ 1 {2}distinct lookup \(1 by domain\), /)
  expect(await place.run(['plan', 'none.csv'])).toMatchObject({ code: 2 })
})

test('plan and run say the same of what rows ask: all distinct questions, and how many by a domain', async () => {
  const place = createPlace()
  const rows = [
    'Acme Widgets,',
    'Acme Widgets,',
    'Globex,',
    'Initech,',
    ',https://apple.com',
    ',microsoft.com',
  ]
  place.write('list.csv', ['company_name,website', ...rows].join('\n'))
  place.write('pipeline.config.json', JSON.stringify(byDomain))
  const said = '5 distinct lookups (3 by name, 2 by domain)'
  const plan = await place.run(['plan', 'list.csv'])
  expect(plan.stdout).toMatch(
    /^ {2}6 {2}rows\n {2}5 {2}distinct lookups \(3 by name, 2 by domain\), of which$/m,
  )
  expect(plan.stdout).toMatch(/^ {2}5 {4}to submit$/m)
  const planned = JSON.parse((await place.run(['plan', 'list.csv', '--json'])).stdout) as object
  expect(planned).toMatchObject({ rowCount: 6, lookupCount: 5, domainCount: 2, plan: { submit: 5 } })

  const run = await place.run(['list.csv', '-o', 'out.csv'])
  expect(run.code, run.stderr).toBe(0)
  expect(run.stderr).toContain(`6 rows, ${said}: 5 to submit\n`)
  expect(run.stderr).toMatch(/^Done in \S+: 6 rows, 5 distinct lookups \(3 by name, 2 by domain\)\.$/m)
  expect(run.stderr).toMatch(/^ {2}domain {4}2 domains · 2 submitted, free of charge · /m)

  const again = await place.run(['list.csv', '-o', 'out.csv', '--json', '--quiet'])
  const events = readJsonLines<{ type: string }>(again.stdout)
  expect(events.find(({ type }) => type === 'planned')).toMatchObject({
    rowCount: 6,
    lookupCount: 5,
    domainCount: 2,
    plan: { submit: 0, answered: 5 },
  })
  const summary = { rowCount: 6, lookupCount: 5, domainCount: 2, cachedCount: 3, pendingCount: 0 }
  expect(events.find(({ type }) => type === 'finished')).toMatchObject({ summary })
  expect((await place.run(['plan', 'list.csv'])).stdout).toMatch(/^ {2}5 {4}already answered$/m)
  // Each kind is of an age of its own.
  place.write(
    'pipeline.config.json',
    JSON.stringify({ ...byDomain, stages: { with: [], domain: { maxAge: '1s' } } }),
  )
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  expect((await place.run(['plan', 'list.csv'])).stdout).toMatch(
    /^ {2}2 {4}to submit\n {2}3 {4}already answered$/m,
  )
})

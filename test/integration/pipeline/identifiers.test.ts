import { writeFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { inspectInput } from '../../../src/app/inspect-input.js'
import { parseConfig } from '../../../src/config/file-config.js'
import { resolveSettings } from '../../../src/config/settings.js'
import { enrich, type EnrichConfig, type RunEvent, type RunSummary } from '../../../src/index.js'
import type { KeyedLookup } from '../../../src/pipeline/checkpoint/lookup.js'
import { formatColumnLines } from '../../../src/cli/terminal/lookup-text.js'
import { strangeMatch, type StrangeService } from '../../support/strange-service.js'
import { createWorkplace, eventsOf, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'

let place: Workplace
const serve = servicesOfTests()
beforeEach(() => {
  place = createWorkplace()
})

const lei = 'HWUPKR0MPOU8FGXBT394'
const badLei = 'HWUPKR0MPOU8FGXBT395'
const write = (...lines: readonly string[]) => {
  writeFileSync(place.path('companies.csv'), `${lines.join('\n')}\n`)
}

function configOf(input: EnrichConfig['input'], service: StrangeService | null): EnrichConfig {
  return {
    input: { paths: [place.path('companies.csv')], ...input },
    output: { path: place.path('out.csv') },
    checkpoint: { path: place.path('checkpoint.sqlite') },
    ...(service === null
      ? {}
      : {
          service: { baseUrl: service.baseUrl },
          limits: { submitPerMinute: 60_000, pollPerMinute: 60_000 },
          polling: { firstAfterSeconds: 0, intervalSeconds: 0.01 },
        }),
  }
}

/** What `plan` sees: the lookups of the rows, in order, and what is said of them. */
async function look(input: EnrichConfig['input'] = {}, more: EnrichConfig = {}) {
  const settings = resolveSettings(parseConfig({ ...configOf(input, null), ...more }, 'a test'), {})
  const lookups: KeyedLookup[] = []
  return inspectInput(
    {
      settings,
      environment: {},
      stdin: new PassThrough(),
      signal: new AbortController().signal,
      onBatch: (batch) => lookups.push(...batch),
    },
    ({ columns, index, notes: { rows: rowNotes } }) =>
      Promise.resolve({
        asked: lookups.map(({ kind, lookup }) => `${kind}: ${lookup.name}`),
        contexts: lookups.map(({ lookup }) => lookup.context),
        keys: lookups.map(({ key }) => Buffer.from(key).toString('hex')),
        lines: formatColumnLines(columns),
        invalidCount: index.invalidCount,
        reasons: index.slice(0, index.rowCount).flatMap((id) => index.getReason(id) ?? []),
        rowNotes,
      }),
  )
}

async function run(
  service: StrangeService,
  input: EnrichConfig['input'] = {},
  lookup: EnrichConfig['lookup'] = {},
) {
  const job = enrich(
    { ...configOf(input, service), lookup },
    { environment: { ENRICH_API_KEY: service.apiKey } },
  )
  const events: RunEvent[] = await eventsOf(job)
  const summary: RunSummary = await job.summary
  const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
  return { summary, notices, columns: events.find((event) => event.type === 'columns') }
}

const startService = () =>
  serve({ answers: { Acme: strangeMatch('Acme Inc.'), Bolt: strangeMatch('Bolt Inc.') } })
const asked = (service: StrangeService) =>
  service.runs.map(({ query }) => ({ name: query.name, context: query.context ?? null }))

describe('rows of a list with identifiers', () => {
  test('each asks what it can; what cannot be asked says why', async () => {
    write(
      'Account,LEI,Reg No,Country,Website,Email',
      `Apple Inc.,${lei},,US,apple.com,jane@apple.com`,
      `,${lei},,US,,`,
      ',,,,https://www.nvidia.com/en-us/,',
      ',,,,,ceo@nvidia.com',
      ',,,,,bob@gmail.com',
      `Tesco,${badLei},00445790,United Kingdom,,`,
      `,${badLei},,,,`,
    )
    const found = await look()
    expect(found.asked).toEqual([
      `resolution: Apple Inc. (LEI ${lei}, website apple.com)`,
      `resolution: LEI ${lei}`,
      'resolution: website nvidia.com',
      'resolution: website nvidia.com',
      `resolution: Tesco (LEI ${badLei}, company number GB 00445790)`,
    ])
    expect(found.keys[2]).toBe(found.keys[3])
    expect(found.reasons).toEqual([
      "gmail.com is a mail provider's domain, not a company's",
      'no company name, and the LEI has wrong check digits',
    ])
    expect(found.rowNotes).toEqual([
      '1 row has an LEI with wrong check digits (row 6): correct them: a character is wrong; until then, the name decides, or the answer is inconclusive',
      '3 rows have no name (rows 2, 3, 4): looked up by identifiers instead',
    ])
    expect(found.lines[1]).toBe(
      'identifiers, looked up before the name: LEI from LEI, company number from Reg No with its country from Country, website from Website, e-mail from Email',
    )
  })

  test('without dedupe a domain is asked once all the same', async () => {
    write('domain', 'a.com', 'www.a.com', 'https://a.com/x')
    const { keys } = await look({ dedupe: false }, { lookup: { identifiers: 'context' } })
    expect(new Set(keys).size).toBe(1)
  })

  test('names that are addresses or LEIs themselves', async () => {
    write('company', 'Acme', 'https://www.apple.com', 'jane@apple.com', lei, 'bob@gmail.com')
    const found = await look()
    expect(found.asked).toEqual([
      'resolution: Acme',
      'resolution: website apple.com',
      'resolution: website apple.com',
      `resolution: LEI ${lei}`,
    ])
    expect(found.invalidCount).toBe(1)
    const off = await look({ columns: { identifiers: 'none' } })
    expect(off.asked).toEqual([
      'resolution: Acme',
      'resolution: https://www.apple.com',
      'resolution: jane@apple.com',
      `resolution: ${lei}`,
      'resolution: bob@gmail.com',
    ])
  })

  test('rows that repeat are counted each, however often they are seen', async () => {
    write(
      'company,lei',
      ...Array.from({ length: 2_500 }, () => `Acme,${badLei}`),
      `Bolt,${lei}`,
      `Cera,${lei}`,
    )
    const { rowNotes, asked: names } = await look({ columns: { identifiers: { lei: 'lei' } } })
    expect(rowNotes).toEqual([
      '2,500 rows have an LEI with wrong check digits (rows 1, 2, 3, …): correct them: a character is wrong; until then, the name decides, or the answer is inconclusive',
    ])
    expect(names.slice(-2)).toEqual([`resolution: Bolt (LEI ${lei})`, `resolution: Cera (LEI ${lei})`])
  })

  test('in the order that is set, whatever the service', async () => {
    write('company,lei', `Acme,${lei}`)
    const context = await look({}, { lookup: { identifiers: 'context' } })
    expect(context).toMatchObject({ asked: ['resolution: Acme'], contexts: [`LEI ${lei}`] })
  })
})

describe('a hosted service', () => {
  const list = ['company,LEI,Website', `Acme,${lei},acme.com`, 'Bolt,,bolt.io', 'Bolt,,']
  test('is told identifiers as context, and pays a row once', async () => {
    write(...list)
    const service = await startService()
    const first = await run(service)
    expect(first.summary.billedCount).toBe(3)
    expect(first.columns).toMatchObject({
      identifiers: { lei: 'LEI', website: 'Website' },
      identifierUse: 'context',
      unused: [],
    })
    expect(asked(service)).toEqual(
      expect.arrayContaining([
        { name: 'Acme', context: `LEI ${lei}, website acme.com` },
        { name: 'Bolt', context: 'website bolt.io' },
        { name: 'Bolt', context: null },
      ]),
    )
    expect((await run(service)).summary.billedCount).toBe(0)
  })

  test('bills nothing again of an input that was asked before identifiers were found, and says so', async () => {
    write(...list)
    const service = await startService()
    await run(service, { columns: { identifiers: 'none' } })
    const again = await run(service)
    expect(again.summary.billedCount).toBe(0)
    expect(again.columns).toMatchObject({ identifiers: {} })
    expect(again.notices).toContainEqual(
      expect.stringMatching(
        /^3 rows were looked up before with the name from company and no location: kept.*identifiers from LEI, Website.*--id-columns/,
      ),
    )
    const named = await run(service, { columns: { identifiers: { lei: 'LEI' } } })
    expect(named.summary.billedCount).toBe(1)
    expect(named.notices).toContainEqual(expect.stringMatching(/^1 row was looked up before .*billed again$/))
  })

  test('is asked again if rows get a country, which is told; without the flag, what was asked is kept', async () => {
    write('company,city', 'Acme,Salto', 'Bolt,Rivera')
    const service = await startService()
    expect((await run(service)).summary.billedCount).toBe(2)
    const inUruguay = await run(service, {}, { country: 'UY' })
    expect(inUruguay.summary.billedCount).toBe(2)
    expect(inUruguay.notices).toContainEqual(
      expect.stringMatching(
        /^2 rows were looked up before with .*; with the new columns, they are looked up and billed again$/,
      ),
    )
    for (const lookup of [{ country: 'UY' }, {}])
      expect((await run(service, {}, lookup)).summary.billedCount).toBe(0)
  })

  test('bills nothing again of an input that was asked with fewer of its identifiers, and says so', async () => {
    write(...list)
    const service = await startService()
    await run(service, { columns: { identifiers: { website: 'Website' } } })
    const again = await run(service)
    expect(again.summary.billedCount).toBe(0)
    expect(again.columns).toMatchObject({ identifiers: { website: 'Website' } })
    expect(again.notices).toContainEqual(expect.stringMatching(/^3 rows were looked up before .*: kept/))
  })

  test.each([
    { registration_id: 'VAT', registration_country: 'Country' },
    { registration_id: 'SIREN', registration_country: 'Country' },
    { registration_id: 'SIREN' },
  ])(
    'bills nothing again of an input that was read with %o, without numbered places',
    async (identifiers) => {
      write(
        'company,SIREN,VAT,Country,Ort 1',
        'Acme,552032534,FR12552032534,FR,Lyon',
        'Bolt,542051180,FR59542051180,FR,Paris',
        'Cera,,02500480245,IT,Modena',
      )
      const service = await startService()
      await run(service, { columns: { identifiers, location: ['Country'] } })
      const again = await run(service)
      expect(again.summary.billedCount).toBe(0)
    },
  )

  test.each([
    { registration_id: 'CIN', registration_country: 'Country' },
    { registration_id: 'Companies House No' },
    { registration_id: 'CIN', registration_id_2: 'VAT', registration_country: 'Country' },
  ])('bills nothing again of an input of which only some columns of numbers were read: %o', async (some) => {
    write(
      'company,CIN,Companies House No,VAT,Country',
      'Acme,L17110MH1973PLC019786,,,IN',
      'Bolt,,00445790,,GB',
      'Cera,,,BE0403170701,BE',
      'Dorn,L17110MH1973PLC019786,00445790,,GB',
    )
    const service = await startService()
    await run(service, { columns: { identifiers: some } })
    const again = await run(service)
    expect(again.summary.billedCount).toBe(0)
  })

  test('bills nothing again of an input of which numbers of persons were sent before, and sends no other', async () => {
    const rows = ['Acme,MA,BE745123', 'Bolt,MA,C254789', 'Cera,MA,']
    write('company,Country,note', ...rows.map((row) => row.replace(/,(?=[BC]E?\d)/, ',company number MA ')))
    const service = await startService()
    await run(service, { columns: { context: ['note'] } })
    write('company,Country,CIN', ...rows, 'Dorn,MA,BK412587')
    expect((await run(service)).summary.billedCount).toBe(1)
    expect(asked(service)).toContainEqual({ name: 'Acme', context: 'company number MA BE745123' })
    expect(asked(service)).toContainEqual({ name: 'Dorn', context: null })
  })

  test('bills nothing again of an input whose VAT numbers were not used before', async () => {
    write(
      'company,Reg No,VAT,Country',
      'Acme,0403.170.701,,BE',
      'Bolt,,BE0417497106,BE',
      'Cera,,BE0403170701,BE',
    )
    const service = await startService()
    const before = { registration_id: 'Reg No', registration_country: 'Country' }
    await run(service, { columns: { identifiers: before } })
    const again = await run(service)
    expect(again.summary.billedCount).toBe(0)
    expect(again.columns).toMatchObject({ identifiers: before })
  })

  test('bills nothing again of an input whose address lines were read as one line before', async () => {
    write(
      'company,Address Line 1,Address Line 2,Country',
      'Acme,1 Main St,Leeds,GB',
      'Bolt,2 High St,York,GB',
    )
    const service = await startService()
    await run(service, { columns: { location: ['Address Line 1', 'Country'] } })
    const again = await run(service)
    expect(again.summary.billedCount).toBe(0)
    expect(again.columns).toMatchObject({ location: ['Address Line 1', 'Country'] })
    expect(again.notices).toContainEqual(expect.stringMatching(/^2 rows were looked up before .*: kept/))
  })

  test('goes on being asked for a name that is an address as it was asked before', async () => {
    write('company', 'Acme', 'www.bolt.io')
    const service = await startService()
    await run(service, { columns: { identifiers: 'none' } })
    const names = () => service.runs.map(({ query }) => query.name).sort()
    expect(names()).toEqual(['Acme', 'www.bolt.io'])
    expect((await run(service)).summary.billedCount).toBe(0)
  })

  test('is asked by identifiers in place of a name, and the plan says so before it is billed', async () => {
    write('LEI,City', `${lei},Cupertino`)
    const service = await startService()
    const { notices, summary } = await run(service)
    expect(asked(service)).toEqual([{ name: `LEI ${lei}`, context: null }])
    expect(summary.billedCount).toBe(1)
    expect(notices).toContainEqual('1 row has no name (row 1): looked up, and billed, by identifiers instead')
  })
})

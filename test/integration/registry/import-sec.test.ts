import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importCsv } from '../../../src/registry/import/import-csv.js'
import { importFile } from '../../../src/registry/import/file-formats.js'
import { openRegistry } from '../../../src/registry/registry.js'
import { importContent, registrationsOf, subTable, tickersJson } from '../../support/register-files.js'
import { temporaryFolder } from '../../support/registry.js'
import { writeZip } from '../../support/zip-file.js'

const open = () => openRegistry(':memory:')

const adams = {
  adsh: '0000002178-21-000034',
  cik: '2178',
  name: 'ADAMS RESOURCES & ENERGY, INC.',
  sic: '5172',
  countryba: 'US',
  stprba: 'TX',
  cityba: 'HOUSTON',
  zipba: '77027',
  bas1: '17 S. BRIAR HOLLOW LN.',
  bas2: 'SUITE 100',
  countryinc: 'US',
  stprinc: 'DE',
  ein: '741753147',
  former: 'BUCKEYE "ADA" OIL INC',
  changed: '19920703',
  filed: '20210305',
}

const weyerhaeuser = {
  cik: '106535',
  entityType: 'operating',
  sic: '6798',
  name: 'WEYERHAEUSER CO',
  tickers: ['WY'],
  exchanges: ['NYSE'],
  ein: '910470860',
  lei: '08IRJODWFYBI7QWRGS31',
  website: '',
  insiderTransactionForOwnerExists: 0,
  insiderTransactionForIssuerExists: 1,
  stateOfIncorporation: 'WA',
  addresses: {
    mailing: { street1: 'X', city: 'NOWHERE', stateOrCountry: 'A6', zipCode: '1' },
    business: {
      street1: '220 OCCIDENTAL AVENUE SOUTH',
      street2: null,
      city: 'SEATTLE',
      stateOrCountry: 'WA',
      zipCode: '98104',
    },
  },
  formerNames: [
    { name: 'WEYERHAEUSER TIMBER CO', from: '1994-01-01T00:00:00.000Z', to: '1995-01-01T00:00:00.000Z' },
  ],
  filings: { recent: {}, files: [] },
}

describe('company_tickers_exchange.json', () => {
  it('gives each registrant all its tickers', async () => {
    const registry = open()
    const text = tickersJson([
      [1652044, 'Alphabet Inc.', 'GOOGL', 'Nasdaq'],
      [320193, 'Apple Inc.', 'AAPL', 'Nasdaq'],
      [1652044, 'Alphabet Inc.', 'GOOG', 'Nasdaq'],
    ])
    expect(await importContent(registry, 'sec-tickers', text)).toMatchObject({
      rowCount: 3,
      importedCount: 2,
      updatedCount: 1,
    })
    expect(registrationsOf(registry)).toMatchObject({
      'cik:0001652044': {
        legal_name: 'Alphabet Inc.',
        identifiers: ['cik 0001652044', 'ticker GOOGL', 'ticker GOOG'],
        source_url: 'https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=0001652044',
      },
      'cik:0000320193': { identifiers: ['cik 0000320193', 'ticker AAPL'] },
    })
  })

  it('names bad lines; a ticker that left the list leaves the company', async () => {
    const registry = open()
    const first = tickersJson([
      [1, 'One Inc', 'ONE', 'NYSE'],
      [1, 'One Inc', 'ONE-B', 'NYSE'],
      [2, 'Two Inc', 'TWO', 'NYSE'],
    ])
    await importContent(registry, 'sec-tickers', first)
    const second =
      '{"fields":["name","cik","ticker"],\n"data":[["One Inc",1,"ONE"],\n["No Cik",null,"X"],\n{"a":1},\n["",3,"Y"]]}'
    const result = await importContent(registry, 'sec-tickers', second)
    expect(result).toMatchObject({ rowCount: 4, updatedCount: 1, rejectedCount: 3, vanishedCount: 1 })
    expect(result.rejections).toEqual([
      { line: 3, reason: 'it has no cik' },
      { line: 4, reason: 'it is not a list in JSON' },
      { line: 5, reason: 'it has no name' },
    ])
    expect(registrationsOf(registry)).toMatchObject({
      'cik:0000000001': { identifiers: ['cik 0000000001', 'ticker ONE'] },
    })
    expect(Object.keys(registrationsOf(registry))).toHaveLength(1)
  })
})

describe('the SUB table', () => {
  it.each(['tab', 'csv'] as const)('is read as %s, its registrants with places and numbers', async (as) => {
    const registry = open()
    expect(await importContent(registry, 'sec-sub', subTable([adams], as))).toMatchObject({
      importedCount: 1,
      droppedCount: 0,
    })
    expect(registrationsOf(registry)).toMatchObject({
      'cik:0000002178': {
        legal_name: adams.name,
        jurisdiction: 'us_de',
        sic: '5172',
        street_address: '17 S. BRIAR HOLLOW LN., SUITE 100',
        city: 'HOUSTON',
        region_code: 'US-TX',
        postal_code: '77027',
        identifiers: ['cik 0000002178', 'ein 741753147 us'],
        names: [`legal: ${adams.name}`, `former: ${adams.former}`],
      },
    })
  })

  it('the latest filing counts, in a file and over files, whichever quarter was imported last', async () => {
    const named = (name: string, filed: string) => ({ ...adams, name, filed, former: '' })
    const quarters = [
      subTable([named('B INC', '20210301'), named('C INC', '20210331'), named('A INC', '20210105')]),
      subTable([named('E INC', '20210610'), named('D INC', '20210405')]),
    ]
    for (const order of [quarters, [...quarters].reverse()]) {
      const registry = open()
      for (const quarter of order) {
        expect(await importContent(registry, 'sec-sub', quarter)).toMatchObject({ vanishedCount: 0 })
      }
      expect(registrationsOf(registry)).toMatchObject({ 'cik:0000002178': { legal_name: 'E INC' } })
    }
  })

  it('a quarter hides nothing of those before; the edition tells how many were read', async () => {
    const registry = open()
    await importContent(registry, 'sec-sub', subTable([adams]))
    const edition = registry.info().edition
    const other = { ...adams, cik: '1961', name: 'WORLDS INC' }
    await importContent(registry, 'sec-sub', subTable([other]))
    expect(Object.keys(registrationsOf(registry))).toEqual(['cik:0000001961', 'cik:0000002178'])
    const alone = open()
    await importContent(alone, 'sec-sub', subTable([other]))
    expect(new Set([edition, registry.info().edition, alone.info().edition]).size).toBe(3)
    expect(await importContent(registry, 'sec-sub', subTable([other]))).toMatchObject({ unchanged: true })
  })

  it('zeros mean "not known", lost zeros come back, and what cannot be is left out', async () => {
    const registry = open()
    const odd = { ...adams, ein: '0', sic: '700', zipba: '00000', countryinc: 'AN', stprinc: '' }
    const result = await importContent(
      registry,
      'sec-sub',
      subTable([odd, { ...adams, cik: '3', ein: '41753147', sic: '' }, { ...adams, filed: 'soon' }]),
    )
    expect(result).toMatchObject({ importedCount: 2, rejectedCount: 1 })
    expect(result.drops).toMatchObject([{ line: 2, reason: 'jurisdiction "an" is not known' }])
    expect(result.rejections).toEqual([{ line: 4, reason: 'its day of filing "soon" is not a date' }])
    expect(registrationsOf(registry)).toMatchObject({
      'cik:0000002178': { sic: '0700', postal_code: null, identifiers: ['cik 0000002178'] },
      'cik:0000000003': { sic: null, identifiers: ['cik 0000000003', 'ein 041753147 us'] },
    })
  })
})

describe('a name to which EDGAR adds a state or a remark', () => {
  it('is shown without it, and stays as it is registered', async () => {
    const registry = open()
    await importContent(
      registry,
      'sec-tickers',
      tickersJson([[1, 'QUILLON ZORVEX CORP /DE/', 'QZC', 'NYSE']]),
    )
    const answer = registry.resolve({ name: 'Quillon Zorvex', location: null, context: null })
    expect(answer.entity).toMatchObject({
      legal_name: 'QUILLON ZORVEX CORP /DE/',
      display_name: 'Quillon Zorvex Corp',
    })
    expect(answer.basis.find(({ field }) => field === 'display_name')?.reasoning).toBe(
      'The name on the registration, without the text that EDGAR adds to it and in upper and lower case.',
    )
    expect(answer.factors[0]?.description).toContain('"QUILLON ZORVEX CORP /DE/"')
    const [hit] = registry.search({ name: 'Quillon Zorvex', limit: 1 }).hits
    expect(hit).toMatchObject({ name: 'Quillon Zorvex Corp', legalName: 'QUILLON ZORVEX CORP /DE/' })
  })

  it.each([
    ['name,cik\nQuillon Zorvex Corp\\DE,1\n', 'cik', 'Quillon Zorvex Corp'],
    ['name,lei\nQuillon Zorvex/DE,HWUPKR0MPOU8FGXBT394\n', 'lei', 'Quillon Zorvex/DE'],
  ])('of a file of our own is one of a registrant: %j', async (content, idType, shown) => {
    const registry = open()
    const path = join(temporaryFolder(), 'own.csv')
    writeFileSync(path, content)
    await importCsv(registry, { path, idType, sourceName: 'own' })
    expect(registry.search({ name: 'Quillon Zorvex', limit: 1 }).hits[0]?.name).toBe(shown)
  })
})

describe('submissions', () => {
  it('one file gives the registrant, with former names, tickers and places by EDGAR codes', async () => {
    const registry = open()
    const options = { fileName: 'CIK0000106535.json' }
    const result = await importContent(registry, 'sec-submissions', JSON.stringify(weyerhaeuser), options)
    expect(result).toMatchObject({ importedCount: 1, droppedCount: 0 })
    expect(registrationsOf(registry)).toMatchObject({
      'cik:0000106535': {
        legal_name: 'WEYERHAEUSER CO',
        jurisdiction: 'us_wa',
        city: 'SEATTLE',
        region_code: 'US-WA',
        country_code: 'US',
        street_address: '220 OCCIDENTAL AVENUE SOUTH',
        names: ['legal: WEYERHAEUSER CO', 'former: WEYERHAEUSER TIMBER CO'],
        identifiers: ['cik 0000106535', 'lei 08IRJODWFYBI7QWRGS31', 'ein 910470860 us', 'ticker WY'],
      },
    })
  })

  it('of a zip all registrants are read, later filings are not, and a broken file costs itself', async () => {
    const folder = temporaryFolder()
    const foreign = {
      ...weyerhaeuser,
      cik: '1000275',
      name: 'ROYAL BANK OF CANADA',
      lei: null,
      stateOfIncorporation: 'A6',
      addresses: { business: { city: 'TORONTO', stateOrCountry: 'A6', zipCode: 'M5J 2J5' } },
    }
    const insider = {
      cik: '1214156',
      name: 'COOK TIMOTHY D',
      entityType: 'other',
      insiderTransactionForOwnerExists: 1,
      insiderTransactionForIssuerExists: 0,
    }
    const path = writeZip(folder, 'submissions.zip', [
      { name: 'CIK0000106535.json', content: JSON.stringify(weyerhaeuser) },
      { name: 'CIK0000106535-submissions-001.json', content: '{"accessionNumber":[]}' },
      { name: 'CIK0000000009.json', content: '{"cik":"9","name":' },
      { name: 'CIK0001000275.json', content: JSON.stringify(foreign) },
      { name: 'CIK0001214156.json', content: JSON.stringify(insider) },
      { name: 'CIK0000000010.json', content: '{}' },
    ])
    const registry = open()
    const result = await importFile(registry, { format: 'sec-submissions', path })
    expect(result).toMatchObject({ rowCount: 5, importedCount: 3, rejectedCount: 2 })
    expect(result.rejections.map(({ reason }) => reason.replace(folder, ''))).toEqual([
      '/submissions.zip:CIK0000000009.json is not JSON in UTF-8',
      '/submissions.zip:CIK0000000010.json has no "cik"',
    ])
    expect(registrationsOf(registry)).toMatchObject({
      'cik:0001000275': { jurisdiction: 'ca_on', region_code: 'CA-ON', country_code: 'CA' },
      'cik:0001214156': { type: 'person', subtype: 'natural_person' },
    })
  })
})

describe('what several SEC files state of one registrant', () => {
  const contents = {
    'sec-tickers': tickersJson([[2178, 'Adams Resources & Energy, Inc.', 'AE', 'NYSE']]),
    'sec-sub': subTable([adams]),
    'sec-names':
      'cik,alias,kind\n2178,ADA RESOURCES,former\n2178,Adams Resources & Energy Inc,former_or_variant\n4,Nobody Inc,former\n',
  } as const
  type Format = keyof typeof contents
  const orders: Format[][] = [
    ['sec-tickers', 'sec-sub', 'sec-names'],
    ['sec-names', 'sec-sub', 'sec-tickers'],
    ['sec-sub', 'sec-names', 'sec-tickers'],
    ['sec-names', 'sec-tickers', 'sec-sub'],
  ]

  it('is one registration, the same in any order of imports', async () => {
    const held = await Promise.all(
      orders.map(async (order) => {
        const registry = open()
        for (const format of order) await importContent(registry, format, contents[format])
        expect(registry.info().entityCount).toBe(1)
        return registrationsOf(registry)
      }),
    )
    expect(held[0]).toMatchObject({
      'cik:0000002178': {
        legal_name: 'Adams Resources & Energy, Inc.',
        sic: '5172',
        city: 'HOUSTON',
        names: [
          'legal: Adams Resources & Energy, Inc.',
          `former: ${adams.former}`,
          'former: ADA RESOURCES',
          'other: Adams Resources & Energy Inc',
        ],
        identifiers: ['cik 0000002178', 'ticker AE', 'ein 741753147 us'],
      },
    })
    for (const other of held) expect(other).toEqual(held[0])
  })

  it.each([
    ['6798', 'incorporated_entity'],
    ['6726', 'complex_business_structure'],
  ])(
    'a trust with the trade %s is a %s in any order, though its ticker alone tells only a name',
    async (sic, subtype) => {
      const trust = { ...adams, name: 'OAK HOTEL TRUST', former: '', sic }
      const files = {
        'sec-tickers': tickersJson([[2178, 'Oak Hotel Trust', 'OAK', 'NYSE']]),
        'sec-sub': subTable([trust]),
      } as const
      for (const order of [['sec-tickers', 'sec-sub'] as const, ['sec-sub', 'sec-tickers'] as const]) {
        const registry = open()
        for (const format of order) await importContent(registry, format, files[format])
        const subtypes = registry.database.prepare('SELECT subtype FROM legal_entities').pluck().all()
        expect(subtypes).toEqual([subtype])
      }
    },
  )

  it('names without a registrant wait, and come with the registrant', async () => {
    const registry = open()
    expect(await importContent(registry, 'sec-names', contents['sec-names'])).toMatchObject({
      updatedCount: 0,
      keptCount: 3,
      waitingCount: 2,
    })
    expect(registry.info().entityCount).toBe(0)
    await importContent(registry, 'sec-tickers', tickersJson([[4, 'Somebody Inc', 'SB', 'NYSE']]))
    const [hit] = registry.search({ name: 'Nobody Inc', limit: 1 }).hits
    expect(hit?.legalName).toBe('Somebody Inc')
  })

  it("a user's own file joins in, and leaves with its newer version", async () => {
    const registry = open()
    await importContent(registry, 'sec-tickers', contents['sec-tickers'])
    const path = join(temporaryFolder(), 'own.csv')
    writeFileSync(
      path,
      'cik,name,website,lei\n2178,Adams Resources,https://adams.example.com,\n9,Other Inc,,\n',
    )
    await importCsv(registry, { path, idType: 'cik', sourceName: 'own' })
    expect(registrationsOf(registry)).toMatchObject({
      'cik:0000002178': {
        legal_name: 'Adams Resources',
        names: ['legal: Adams Resources', 'other: Adams Resources & Energy, Inc.'],
        identifiers: ['cik 0000002178', 'ticker AE'],
      },
    })
    writeFileSync(path, 'cik,name,website,lei\n9,Other Inc,,\n')
    await importCsv(registry, { path, idType: 'cik', sourceName: 'own' })
    expect(registrationsOf(registry)).toMatchObject({
      'cik:0000002178': {
        legal_name: 'Adams Resources & Energy, Inc.',
        names: ['legal: Adams Resources & Energy, Inc.', 'former: Adams Resources'],
      },
    })
    expect(Object.keys(registrationsOf(registry))).toHaveLength(2)
  })

  it("numbers of files' own are each file's own", async () => {
    const registry = open()
    const folder = temporaryFolder()
    for (const [name, text] of [
      ['a.csv', 'id,name,parent_id\n1,Alpha Ltd,\n2,Alpha Sub Ltd,1\n'],
      ['b.csv', 'id,name,parent_id\n1,Beta Ltd,\n2,Beta Sub Ltd,1\n'],
    ] as const) {
      const path = join(folder, name)
      writeFileSync(path, text)
      await importCsv(registry, { path })
    }
    expect(registry.info().entityCount).toBe(4)
    const [hit] = registry.search({ name: 'Beta Sub Ltd', limit: 1 }).hits
    expect(registry.entity(hit!.entityId)?.record.parent_entity).toEqual({ name: 'Beta Ltd' })
  })
})

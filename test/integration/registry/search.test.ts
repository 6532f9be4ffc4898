import { beforeAll, describe, expect, it, test } from 'vitest'
import type { SearchQuery } from '../../../src/registry/answer/search.js'
import { openRegistry, type Registry } from '../../../src/registry/registry.js'
import { addRows, registryOf, sampleRows } from '../../support/registry.js'

let registry: Registry

beforeAll(() => {
  registry = registryOf(sampleRows)
})

const namesFor = (query: Partial<SearchQuery>) =>
  registry.search({ name: 'Acme Widgets', limit: 10, ...query }).hits.map(({ legalName }) => legalName)

describe('search', () => {
  test.each([
    ['red hat', ['Red Hat, Inc.']],
    ['Red Hta', []],
    ['Widgets Acme', ['Acme Widgets Limited', 'Acme Widgets LLP']],
    ['Acme Wigdets', ['Acme Widgets Limited', 'Acme Widgets LLP']],
    ['Acme', ['Acme Widgets Limited', 'Acme Widgets LLP']],
    ['International Busi', ['International Business Machines Corporation']],
    ['toyota', ['トヨタ自動車株式会社']],
    ['nobody of this name', []],
    ['', []],
  ])('%j finds %j', (name, found) => {
    expect(namesFor({ name }).sort()).toEqual([...found].sort())
  })

  it('filters by country and region, in any case and length', () => {
    expect(namesFor({ countryCode: 'gbr' })).toHaveLength(2)
    expect(namesFor({ countryCode: 'US' })).toEqual([])
    for (const regionCode of ['de', 'US-DE', 'nc'])
      expect(namesFor({ name: 'Red Hat', regionCode })).toHaveLength(1)
    expect(namesFor({ name: 'Red Hat', countryCode: 'us', regionCode: 'tx' })).toEqual([])
    expect(namesFor({ countryCode: 'zz' })).toEqual([])
  })

  it('gives at most as many as asked for, the closest first', () => {
    expect(namesFor({ limit: 1 })).toHaveLength(1)
    const [first, second] = registry.search({ name: 'Acme Widgets LLP', limit: 2 }).hits
    expect(first?.legalName).toBe('Acme Widgets LLP')
    expect(first?.score).toBeGreaterThan(second?.score ?? 0)
  })

  it('tells of each its registration, company and jurisdiction', () => {
    expect(registry.search({ name: 'Red Hat', limit: 1 }).hits).toEqual([
      {
        id: expect.stringMatching(/^le_/),
        entityId: expect.stringMatching(/^siq_/),
        name: 'Red Hat, Inc.',
        legalName: 'Red Hat, Inc.',
        status: null,
        isBranch: false,
        jurisdiction: { country: 'United States', countryCode: 'US', jurisdictionCode: 'us_de' },
        city: 'Raleigh',
        score: expect.any(Number),
      },
    ])
  })
})

test.each(['Larkmoor 12.5', '123.456.788', 'Norvane v2.0 Ltd', '1.000.000 Ideas', 'Tessaly 24/7.5'])(
  'A number with points in a name is searched: %s',
  (name) => {
    const rows = [name, '12 5 Velmora'].map((one, at) => ({ id: `${at}`, name: one, country: 'IE' }))
    const { hits } = registryOf(rows).search({ name, limit: 5 })
    expect(hits[0]?.legalName).toBe(name)
  },
)

describe('A number alone finds its companies', () => {
  const rows = [
    { id: 'EC 0990012345001', name: 'Larkmoor S.A.', country: 'EC', registration_id: '0990012345001' },
    { id: 'CH', name: 'Norvane AG', country: 'CH', registration_id: 'CHE-123.456.788' },
    { id: 'GB', name: 'Tessaly Ltd', country: 'GB', registration_id: 'SC123456' },
    { id: 'DE', name: 'Velmora GmbH', country: 'DE', registration_id: 'München HRB 66842' },
    { id: 'one', name: 'Quorvex AS', country: 'NO', registration_id: '5550001' },
    { id: 'two', name: 'Zambrell Oy', country: 'IE', registration_id: '5550001' },
    { id: 'name', name: '5550001 Trading', country: 'IE', registration_id: '777123' },
    { id: 'CL', name: 'Brackwell SpA', country: 'CL', registration_id: '77345901-0' },
    { id: 'ET', name: 'Ostrella PLC', country: 'ET', registration_id: 'MT/AA/2/0004037/2002' },
    { id: 'BE', name: 'Merlowen NV', country: 'BE', registration_id: '0403.170.701' },
    { id: 'KE', name: 'Velsoma EPZ Limited', country: 'KE', registration_id: 'PVT-AAA1113' },
    { id: 'PIN', name: 'Tavrin Limited', country: 'KE', registration_id: 'P051111113C' },
  ]
  const inRegisters = registryOf(rows.map((row) => ({ ...row, jurisdiction: row.country.toLowerCase() })))
  const find = (name: string, countryCode?: string) =>
    inRegisters
      .search({ name, limit: 10, ...(countryCode === undefined ? {} : { countryCode }) })
      .hits.map(({ legalName }) => legalName)

  test.each([
    ['0990012345001', ['Larkmoor S.A.']],
    [' 0990012345001 ', ['Larkmoor S.A.']],
    ['990012345001', ['Larkmoor S.A.']],
    ['CHE-123.456.788', ['Norvane AG']],
    ['CHE123456788', ['Norvane AG']],
    ['RUC 0990012345001', ['Larkmoor S.A.']],
    ['Nr. RUC: 0990012345001', ['Larkmoor S.A.']],
    ['UID CHE-123.456.788', ['Norvane AG']],
    ['SC123456', ['Tessaly Ltd']],
    ['SC 123456', ['Tessaly Ltd']],
    ['5550001', ['Quorvex AS', 'Zambrell Oy', '5550001 Trading']],
    ['77345901', ['Brackwell SpA']],
    ['77.345.901', ['Brackwell SpA']],
    ['77.345.901-0', ['Brackwell SpA']],
    ['MT/AA/2/0004037/2002', ['Ostrella PLC']],
    ['403170701', ['Merlowen NV']],
    ['BE0403170701', ['Merlowen NV']],
    ['PVT AAA1113', ['Velsoma EPZ Limited']],
    ['BRS number PVT-AAA1113', ['Velsoma EPZ Limited']],
    ['KE PVT-AAA1113', ['Velsoma EPZ Limited']],
    ['Registration number: PVT-AAA1113', ['Velsoma EPZ Limited']],
    ['KRA PIN P051111113C', ['Tavrin Limited']],
    ['Nambari ya utambulisho wa mlipa kodi: P051111113C', ['Tavrin Limited']],
    ['Numéro d’identification P051111113C', ['Tavrin Limited']],
    ['Firmenbuchnummer (FN) MT/AA/2/0004037/2002', ['Ostrella PLC']],
    ['5550002', []],
    ['77345902', []],
    ['123', []],
  ])('%s', (text, names) => {
    expect(find(text).slice(0, 3)).toEqual(names)
    const suggested = inRegisters.suggest(text.trim(), 10).map(({ id }) => inRegisters.company(id)?.legalName)
    if (names.length > 0) expect(suggested).toContain(names[0])
  })

  test('in the country that is asked', () => {
    expect(find('5550001', 'NO')).toEqual(['Quorvex AS'])
  })
})

describe('what a search counts', () => {
  test('SRCH-06 what was found is counted before the limit', () => {
    const rows = Array.from({ length: 25 }, (_, index) => ({
      id: `n${index}`,
      name: 'Nordlicht GmbH',
      country: 'DE',
    }))
    const many = registryOf(rows)
    const { hits, totalCount } = many.search({ name: 'Nordlicht', limit: 10 })
    expect([hits.length, totalCount]).toEqual([10, 25])
    expect(many.search({ name: 'Nordlicht', countryCode: 'FR', limit: 10 })).toEqual({
      hits: [],
      totalCount: 0,
    })
    expect(many.search({ name: '', limit: 10 })).toEqual({ hits: [], totalCount: 0 })
  })
})

describe('words of names', () => {
  const filler = Array.from({ length: 300 }, (_, index) => ({
    id: `f${index}`,
    name: `Kestrel ${['Growth', 'Income', 'Reserve'][index % 3]} Fund Series ${index}`,
  }))
  const words = registryOf([
    ...filler,
    { id: 'old', name: 'Pathway Financial, Inc.', former_names: 'Kestrel Financial Group', ticker: 'PWF' },
    { id: 'listed', name: 'Kestrel Platforms, Inc.', ticker: 'KSTL' },
    { id: 'part', name: 'Kestrelvesco, Inc.', ticker: 'KSV' },
    { id: 'inside', name: 'Energy Kestrel Anderson Acquisition of Nevada' },
    { id: 'ended', name: 'Kestrel Short Ltd', status: 'inactive' },
  ])
  const search = (name: string) => words.search({ name, limit: 10 }).hits.map(({ legalName }) => legalName)

  test('one telling word finds its companies: the listed one with this present name comes first', () => {
    const found = search('kestrel')
    expect(found[0]).toBe('Kestrel Platforms, Inc.')
    expect(found).toHaveLength(10)
  })

  test.each([
    ['kestrel ander', ['Energy Kestrel Anderson Acquisition of Nevada']],
    ['anderson nevada', ['Energy Kestrel Anderson Acquisition of Nevada']],
    ['kestrel fund 299', ['Kestrel Reserve Fund Series 299']],
    ['kestrelv', ['Kestrelvesco, Inc.']],
    ['kestrel financial', ['Pathway Financial, Inc.']],
  ])('%j begins with %j', (name, first) => {
    expect(search(name).slice(0, 1)).toEqual(first)
  })

  test('a former name comes after the present ones of listed companies, and an ended company after others', () => {
    const points = (name: string) =>
      words.search({ name, limit: 10 }).hits.map(({ legalName, score }) => [legalName, score] as const)
    const scores = new Map([...points('kestrel'), ...points('kestrel f'), ...points('kestrel s')])
    expect(scores.get('Kestrel Platforms, Inc.')).toBeGreaterThan(scores.get('Pathway Financial, Inc.') ?? 0)
    expect(scores.get('Kestrel Platforms, Inc.')).toBeGreaterThan(scores.get('Kestrel Short Ltd') ?? 0)
  })
})

describe('registrations', () => {
  const lei = 'HWUPKR0MPOU8FGXBT394'
  const twice = openRegistry(':memory:')
  const load = (fileName: string, jurisdiction: string, name: string) => {
    const row = { id: name, name, lei, country: 'US', jurisdiction }
    addRows(twice, [row], { fileName })
  }
  load('delaware.csv', 'us_de', 'Nordlicht Inc.')
  load('california.csv', 'us_ca', 'Nordlicht LLC')
  load('federal.csv', 'us', 'Nordlicht Incorporated')

  test('SRCH-08 a company registered three times is found three times, under one entity', () => {
    const { hits, totalCount } = twice.search({ name: 'Nordlicht', limit: 10 })
    expect(totalCount).toBe(3)
    expect(new Set(hits.map(({ id }) => id)).size).toBe(3)
    expect(new Set(hits.map(({ entityId }) => entityId)).size).toBe(1)
  })

  test('a registration that two sources state is found once', () => {
    const stated = openRegistry(':memory:')
    for (const [fileName, name] of [
      ['one.csv', 'Nordlicht plc'],
      ['other.csv', 'NORDLICHT PLC'],
    ] as const)
      addRows(stated, [{ id: fileName, name, lei, country: 'GB', jurisdiction: 'gb' }], { fileName })
    expect(stated.search({ name: 'Nordlicht', limit: 10 })).toMatchObject({ totalCount: 1, hits: [{}] })
  })

  test('SRCH-08 what is registered away from home is likely a branch', () => {
    const { hits } = twice.search({ name: 'Nordlicht', limit: 10 })
    const isBranch = new Map(hits.map((hit) => [hit.jurisdiction.jurisdictionCode, hit.isBranch]))
    expect(isBranch).toEqual(
      new Map([
        ['us_de', false],
        ['us', false],
        ['us_ca', true],
      ]),
    )
  })

  test('SRCH-08 what a register calls a branch is one', () => {
    const rows = ['Nordlicht Bank AG', 'Nordlicht Bank plc'].map((name) => ({
      id: name,
      name,
      country: 'DE',
    }))
    const branched = registryOf(rows)
    branched.database.exec(`INSERT INTO relationships (source_number, child_number, parent_number, type)
      VALUES (1, 2, 1, 'IS_INTERNATIONAL_BRANCH_OF')`)
    const found = branched.search({ name: 'Nordlicht Bank', limit: 10 }).hits
    expect(found.map(({ legalName, isBranch }) => [legalName, isBranch]).sort()).toEqual([
      ['Nordlicht Bank AG', false],
      ['Nordlicht Bank plc', true],
    ])
  })

  test('SRCH-10 SRCH-11 filters look at each registration', () => {
    const codes = (query: Partial<SearchQuery>) =>
      twice
        .search({ name: 'Nordlicht', limit: 10, ...query })
        .hits.map(({ jurisdiction }) => jurisdiction.jurisdictionCode)
    expect(codes({ regionCode: 'ca' })).toEqual(['us_ca'])
    expect(codes({ regionCode: 'US-DE', countryCode: 'USA' })).toEqual(['us_de'])
    expect(codes({ countryCode: 'ca' })).toEqual([])
  })
})

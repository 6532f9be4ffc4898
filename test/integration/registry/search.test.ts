import { beforeAll, describe, expect, it, test } from 'vitest'
import { importCsvText } from '../../../src/registry/import-csv.js'
import { openRegistry, type Registry, type SearchQuery } from '../../../src/registry/registry.js'
import { csvOf, sampleRows } from './sample.js'

let registry: Registry

beforeAll(() => {
  const opened = openRegistry(':memory:')
  importCsvText(opened, Buffer.from(csvOf(sampleRows)), { fileName: 'companies.csv', fileDateMs: 0 })
  registry = opened
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

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { iso31661, iso31662 } from 'iso-3166'
import { createKnowledge } from '../../../src/app/registry-adapter.js'
import type { EntityRecord } from '../../../src/contract/entity.js'
import type { BasisEntry } from '../../../src/contract/result.js'
import { loadInto, planLoad } from '../../../src/registry/load.js'
import { openRegistry } from '../../../src/registry/registry.js'
import {
  companyData,
  lei,
  levelOne,
  levelOneCsv,
  levelTwoCsv,
  subTable,
  tickersJson,
} from '../../support/register-files.js'
import { writeContent, type Row } from '../../support/registry.js'
import { kickoffPath, type ServiceClient } from '../../support/service-client.js'
import { startTestService } from '../../support/test-service.js'

const csv = (rows: readonly Row[]) => stringify([...rows], { header: true, columns: columnsOf(rows) })

/** Registrants as a merged table of the SEC's files has them: states, provinces and countries in one column. */
const registrants: readonly Row[] = [
  {
    cik: '0000313807',
    name: 'BP PLC',
    aliases: 'Bp Plc|BP AMOCO PLC',
    sic: '2911',
    state_of_incorporation: 'GB',
    street: "1 ST JAMES'S SQUARE",
    city: 'LONDON',
    zip: 'SW1Y 4PD',
    country: 'GB',
    tickers: 'BP',
  },
  { cik: '0001094517', name: 'TOYOTA MOTOR CORP/', sic: '3711', state_of_incorporation: 'JP', country: 'JP' },
  {
    cik: '0001000275',
    name: 'ROYAL BANK OF CANADA',
    sic: '6029',
    state_of_incorporation: 'ON',
    city: 'TORONTO',
    state: 'ON',
    zip: 'M5J2J5',
    country: 'CA',
  },
  { cik: '0000937966', name: 'ASML HOLDING NV', sic: '3559', zip: '5504', country: 'NL' },
  {
    cik: '0000353278',
    name: 'NOVO NORDISK A S',
    street: 'NOVO ALLE 1 DK 2880',
    city: 'BAGSVAERD',
    zip: '00000',
    country: 'DK',
  },
  {
    cik: '0000320193',
    name: 'APPLE INC',
    sic: '3571',
    state_of_incorporation: 'CA',
    state: 'CA',
    country: 'US',
  },
  { cik: '0000070858', name: 'BANK OF AMERICA CORP /DE/', state_of_incorporation: 'DE', ein: '560906609' },
  { cik: '0001577552', name: 'Alibaba Group Holding Ltd', state_of_incorporation: 'E9', country: 'CN' },
  {
    cik: '0000818686',
    name: 'TEVA PHARMACEUTICAL INDUSTRIES LTD',
    state_of_incorporation: 'IL',
    country: 'IL',
  },
  { cik: '0001559720', name: 'UNKNOWN PLACE HOLDINGS', state_of_incorporation: 'XX' },
]

const files: Readonly<Record<string, string>> = {
  'us_registrants.csv': csv(
    registrants.map((row) => ({
      ...Object.fromEntries(columnsOf(registrants).map((key) => [key, ''])),
      ...row,
    })),
  ),
  'company_tickers_exchange.json': tickersJson([
    [313807, 'BP PLC', 'BP', 'NYSE'],
    [37996, 'FORD MOTOR CO', 'F', 'NYSE'],
    [320193, 'Apple Inc.', 'AAPL', 'Nasdaq'],
  ]),
  'sub.txt': subTable([
    {
      adsh: '1',
      cik: '37996',
      name: 'FORD MOTOR CO',
      sic: '3711',
      countryba: 'US',
      stprba: 'MI',
      cityba: 'DEARBORN',
      zipba: '48126',
      bas1: 'ONE AMERICAN ROAD',
      countryinc: 'US',
      stprinc: 'DE',
      ein: '380549190',
      filed: '20210205',
    },
  ]),
  'gleif.csv': levelOneCsv([levelOne.ford, levelOne.ball, levelOne.aecom]),
  'gleif-rr.csv': levelTwoCsv([{ child: lei.ball, parent: lei.ford }]),
  'lei-bic.csv': `LEI,BIC\n${lei.ford},FORDUS33XXX\n`,
  'lei-cik.csv': `LEI,CIK\n${lei.ford},0000037996\n`,
  'names.csv': 'cik,alias,kind\n320193,APPLE COMPUTER INC,former\n',
  'companies-house.csv': companyData([
    {
      CompanyName: 'TESCO PLC',
      CompanyNumber: '00445790',
      'RegAddress.AddressLine1': 'TESCO HOUSE, SHIRE PARK',
      'RegAddress.PostTown': 'WELWYN GARDEN CITY',
      'RegAddress.PostCode': 'AL7 1GA',
      CompanyCategory: 'Public Limited Company',
      CompanyStatus: 'Active',
      IncorporationDate: '27/11/1947',
      'SICCode.SicText_1': '47110 - Retail sale in non-specialised stores',
    },
  ]),
  'uk_companies.csv': csv([
    {
      company_number: '02371997',
      name: 'PROFILE SECURITY SERVICES LIMITED',
      address: 'Stable Yard, Walk House Farm, Barrow Upon Humber, North Lincolnshire, DN19 7DZ',
      post_code: 'DN19 7DZ',
      sic: '96090',
    },
    {
      company_number: '00002065',
      name: 'LLOYDS BANK PLC',
      address: '25 Gresham Street, London, EC2V 7HN',
      post_code: 'EC2V 7HN',
      sic: '64191',
    },
  ]),
  'wikidata.csv': csv([
    {
      item: 'http://www.wikidata.org/entity/Q44294',
      itemLabel: 'Ford',
      altLabels: 'Ford Motor',
      lei: lei.ford,
      cik: '0000037996',
      companyNumber: '',
      website: 'https://www.ford.com/',
      tickers: 'New York Stock Exchange:F',
      description: 'American automobile manufacturer',
      inception: '1903-06-16',
      employees: '2020:186000|2023:177000',
      revenue: '2022:USD:158057000000|2023:EUR:1',
      industries: 'automotive industry|finance',
      parent: '',
      linkedin: 'ford-motor-company',
      facebook: 'ford',
      crunchbase: 'ford-motor-company',
    },
    {
      item: 'http://www.wikidata.org/entity/Q487494',
      itemLabel: 'Tesco',
      altLabels: '',
      lei: '',
      cik: '',
      companyNumber: '00445790',
      website: 'https://www.tescoplc.com/',
      tickers: 'London Stock Exchange:TSCO',
      description: 'British multinational retailer',
      inception: '1919-01-01T00:00:00Z',
    },
  ]),
  'suppliers.csv': csv([
    {
      lei: lei.marriott,
      name: 'Marriott International',
      aliases: 'Marriott',
      city: 'Bethesda',
      state: 'Maryland',
      country: 'US',
      postal: '20817',
      website: 'https://www.marriott.com',
      status: 'active',
      incorporation_date: '1997-09-19',
    },
  ]),
}

function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))]
}

interface Answer {
  readonly status: string
  readonly entity: Readonly<Record<string, unknown>> & { readonly id: string; readonly identifiers: object[] }
  readonly basis: BasisEntry[]
}

let alice: ServiceClient
let close = () => undefined as unknown

beforeAll(async () => {
  const parent = mkdtempSync(join(tmpdir(), 'enrich-contents-'))
  const folder = join(parent, 'registers')
  mkdirSync(folder)
  for (const [name, content] of Object.entries(files)) writeContent(name, content, folder)
  const path = join(parent, 'registry.sqlite')
  const loaded = await loadInto(path, await planLoad([folder]), {})
  expect(loaded.map(({ step, error }) => [step.path.slice(folder.length + 1), error]).sort()).toEqual(
    Object.keys(files)
      .sort()
      .map((name) => [name, null]),
  )
  const registry = openRegistry(path, { readonly: true })
  close = () => {
    registry.close()
    rmSync(parent, { recursive: true, force: true })
  }
  alice = (await startTestService({ knowledge: createKnowledge(registry) })).alice
})
afterAll(() => close())

async function ask(name: string): Promise<Answer> {
  const { json } = await alice.post(kickoffPath, { name, include: 'basis' })
  const run = await alice.untilDone(`/v3/runs/${String(json['run_id'])}?include=basis`)
  return run.json['data'] as Answer
}

async function readRecord(name: string): Promise<EntityRecord> {
  const { entity } = await ask(name)
  await alice.post(`/v3/entities/${entity.id}`, {})
  for (;;) {
    const { json } = await alice.get(`/v3/entities/${entity.id}`)
    const { status } = json['enrichment'] as { status: string }
    if (status === 'complete') return json['entity'] as EntityRecord
  }
}

const byIdentifier = [
  ...registrants.map(({ cik = '' }) => `CIK ${cik}`),
  'CIK 37996',
  ...[lei.ford, lei.ball, lei.aecom, lei.marriott].map((code) => `LEI ${code}`),
  ...['00445790', '02371997', '00002065'].map((number) => `company number GB ${number}`),
]

describe('places', () => {
  test.each([
    ['CIK 313807', 'gb', 'GB', null],
    ['CIK 1094517', 'jp', 'JP', null],
    ['CIK 1000275', 'ca_on', 'CA', 'CA-ON'],
    ['CIK 937966', null, null, null],
    ['CIK 353278', null, null, null],
    ['CIK 320193', 'us_ca', 'US', 'US-CA'],
    ['CIK 70858', 'us_de', 'US', 'US-DE'],
    ['CIK 1577552', 'ky', 'KY', null],
    ['CIK 818686', 'il', 'IL', null],
    ['CIK 1559720', null, null, null],
  ])(
    '%s is registered in %s: states, provinces and countries are told apart',
    async (name, jurisdiction, ...codes) => {
      const { entity } = await ask(name)
      const [country_code, state_code] = codes
      expect(entity['primary_legal_entity']).toMatchObject({ jurisdiction, country_code, state_code })
    },
  )

  test('every code is one of ISO 3166', async () => {
    const countries = new Set<string | null>([null, ...iso31661.map(({ alpha2 }) => alpha2)])
    const regions = new Set<string | null>([null, ...iso31662.map(({ code }) => code)])
    for (const name of byIdentifier) {
      const { primary_legal_entity: primary, headquarters, identifiers } = await readRecord(name)
      for (const { country_code, state_code } of [primary, headquarters.address]) {
        expect(countries).toContain(country_code)
        expect(regions).toContain(state_code)
      }
      for (const { jurisdiction } of identifiers)
        expect(countries.has(jurisdiction) || regions.has(jurisdiction), String(jurisdiction)).toBe(true)
    }
  })

  test('addresses have post towns, street numbers, and no postal code of zeros', async () => {
    const addressOf = async (name: string) => (await readRecord(name)).headquarters.address
    expect(await addressOf('company number GB 02371997')).toMatchObject({
      city: 'Barrow Upon Humber',
      state: 'North Lincolnshire',
      state_code: 'GB-NLN',
      postal_code: 'DN19 7DZ',
    })
    expect(await addressOf('CIK 313807')).toMatchObject({ street_number: '1', city: 'LONDON' })
    expect(await addressOf('CIK 353278')).toMatchObject({ street_number: '1', postal_code: null })
  })

  test('an exchange has one spelling', async () => {
    for (const [name, exchange] of [
      ['CIK 37996', 'NYSE'],
      [`LEI ${lei.ford}`, 'NYSE'],
      ['CIK 320193', 'Nasdaq'],
      ['company number GB 00445790', 'LSE'],
    ] as const) {
      expect((await readRecord(name)).attributes.exchange).toBe(exchange)
    }
  })
})

/** Hosts of the pages that show the rows of a source. */
const hosts: Readonly<Record<string, string | null>> = {
  'us_registrants.csv': 'www.sec.gov',
  'sec-tickers': 'www.sec.gov',
  'sec-sub': 'www.sec.gov',
  'sec-names': null,
  gleif: 'search.gleif.org',
  'gleif-relationships': 'search.gleif.org',
  'gleif-bic': 'search.gleif.org',
  'lei-cik': null,
  'companies-house': 'find-and-update.company-information.service.gov.uk',
  'uk_companies.csv': 'find-and-update.company-information.service.gov.uk',
  wikidata: 'www.wikidata.org',
  'suppliers.csv': 'search.gleif.org',
}

const valueAt = (entity: unknown, field: string): unknown =>
  field.split('.').reduce<unknown>((block, key) => (block as Record<string, unknown>)[key], entity)

describe('the basis of an answer', () => {
  test('each citation has the value in its excerpt, and an address of the source that it names', async () => {
    const cited = new Set<string>()
    for (const name of byIdentifier) {
      const { entity, basis } = await ask(name)
      for (const { field, confidence, citations } of basis) {
        const label = `${name} ${field}`
        expect(citations, label).not.toEqual([])
        for (const { url, excerpt } of citations) {
          expect(excerpt, label).toContain(String(valueAt(entity, field)))
          const source =
            /\(([^(),]+), (?:line \d+, )?file of \d{4}-\d\d-\d\d\)$/.exec(excerpt ?? '')?.[1] ?? ''
          expect(Object.keys(hosts), `${label}: ${String(excerpt)}`).toContain(source)
          cited.add(source)
          if (url !== null) expect(new URL(url).host, label).toBe(hosts[source])
        }
        if (confidence === 'high') expect(citations[0]?.authority_tier, label).toBe(1)
      }
    }
    expect([...Object.keys(hosts)].filter((source) => !cited.has(source))).toEqual(['sec-names'])
  })

  test('a website and a brand from Wikidata cite its item', async () => {
    const { basis } = await ask(`LEI ${lei.ford}`)
    for (const field of ['website', 'display_name']) {
      expect(basis.find((entry) => entry.field === field)).toMatchObject({
        confidence: 'medium',
        citations: [{ url: 'https://www.wikidata.org/wiki/Q44294', source_type: 'public_profile' }],
      })
    }
  })

  test.each([
    [
      'CIK 1094517',
      'TOYOTA MOTOR CORP/',
      'Toyota Motor Corp',
      'TOYOTA MOTOR CORP/; display_name Toyota Motor Corp, from TOYOTA MOTOR CORP/; (us_registrants.csv',
      'The name on the registration, without the text that EDGAR adds to it and in upper and lower case.',
    ],
    [
      'CIK 313807',
      'BP PLC',
      'BP plc',
      'BP PLC; display_name BP plc, from BP PLC; (us_registrants.csv',
      'The name on the registration, in upper and lower case.',
    ],
    [
      'CIK 320193',
      'APPLE INC',
      'Apple Inc.',
      'Apple Inc.; (sec-tickers',
      'The name on the registration, in the spelling of another name that the registry lists.',
    ],
  ])(
    '%s: %s is shown as %s, and the excerpt has both names',
    async (name, legalName, shown, excerpt, reason) => {
      const { entity, basis } = await ask(name)
      expect(entity).toMatchObject({ legal_name: legalName, display_name: shown })
      const entry = basis.find(({ field }) => field === 'display_name')
      expect(entry?.reasoning).toContain(reason)
      expect(entry?.citations[0]?.excerpt).toContain(excerpt)
    },
  )

  test('a code is cited by each source that states it', async () => {
    const { entity, basis } = await ask('CIK 37996')
    const urlsOf = (value: string) => {
      const at = entity.identifiers.findIndex(
        (identifier) => 'value' in identifier && identifier.value === value,
      )
      return basis
        .find(({ field }) => field === `identifiers.${at}.value`)
        ?.citations.map(({ url }) => (url === null ? null : new URL(url).host))
    }
    expect(urlsOf(lei.ford)).toEqual(['search.gleif.org', 'www.wikidata.org', null])
    expect(urlsOf('FORDUS33XXX')).toEqual(['search.gleif.org'])
    expect(urlsOf('380549190')).toEqual(['www.sec.gov'])
  })
})

describe('facts that a source states', () => {
  test('Wikidata describes a company of a register', async () => {
    const record = await readRecord('CIK 37996')
    expect(record).toMatchObject({
      description: 'American automobile manufacturer',
      attributes: {
        description: 'American automobile manufacturer',
        employee_count: 177_000,
        employee_range: '10001+',
        revenue: 158_057_000_000,
        revenue_range: '10B+',
      },
      classification: { business_tags: ['automotive industry', 'finance'] },
      social_profiles: {
        linkedin: { handle: 'ford-motor-company' },
        facebook: { handle: 'ford' },
        crunchbase: { handle: 'ford-motor-company' },
      },
    })
  })

  test('the founding date of the register comes first, and a year is no date', async () => {
    const foundedOn = async (name: string) => (await readRecord(name)).attributes.founding_date
    expect(await foundedOn('CIK 37996')).toBe('1919-07-09')
    expect(await foundedOn('company number GB 00445790')).toBe('1947-11-27')
    expect(await foundedOn(`LEI ${lei.marriott}`)).toBe('1997-09-19')
  })

  test.each([
    ['CIK 313807', '324110', 'Petroleum Refineries', 'Petroleum refining'],
    ['company number GB 00002065', '522110', 'Commercial Banking', 'Banks'],
    [
      'company number GB 00445790',
      '4451',
      'Grocery and Convenience Retailers',
      'Retail sale in non-specialised stores with food, beverages or tobacco predominating',
    ],
  ])('the codes of %s have a sector, and a code of NAICS 2022', async (name, code, label, sub_industry) => {
    const { classification, industry } = await readRecord(name)
    expect(classification).toMatchObject({ sub_industry, sector: expect.any(String) as string })
    expect(industry.schemes.naics_2022).toEqual([{ code, label, is_primary: true, confidence: 80 }])
  })
})

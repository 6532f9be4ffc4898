import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolution } from '../../../src/contract/result.js'
import { entityRecord } from '../../../src/contract/entity.js'
import { createKnowledge } from '../../../src/app/registry-adapter.js'
import { importCsvText } from '../../../src/registry/import/import-csv.js'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import {
  importContent,
  lei,
  levelOne,
  levelOneCsv,
  levelOneJson,
  tickersJson,
} from '../../support/register-files.js'
import type { Row } from '../../support/registry.js'
import { forAll } from '../../support/properties.js'

const csvOf = (rows: readonly Row[]) =>
  stringify([...rows], { header: true, columns: [...new Set(rows.flatMap((row) => Object.keys(row)))] })

const open = (rows: readonly Row[] = [], fileDateMs = Date.UTC(2026, 0, 1)): WritableRegistry => {
  const registry = openRegistry(':memory:')
  if (rows.length > 0) {
    importCsvText(registry, Buffer.from(csvOf(rows)), { fileName: 'rows.csv', fileDateMs })
  }
  return registry
}

const recordOf = (registry: WritableRegistry, name: string) => {
  const [hit] = registry.search({ name, limit: 1 }).hits
  return entityRecord.parse(hit === undefined ? null : registry.entity(hit.entityId)?.record)
}

const resolve = (registry: WritableRegistry, name: string, location: string | null = null) =>
  resolution.parse(registry.resolve({ name, location, context: null }))

const basisOf = (registry: WritableRegistry, name: string, field: string) =>
  resolve(registry, name).basis.find((entry) => entry.field === field)

describe('a listed company', () => {
  const tickers = tickersJson([
    [106535, 'Weyerhaeuser Co', 'WY', 'NYSE'],
    [2178, 'Adams Resources', 'ADAR', null],
  ])

  it('has its exchange beside its ticker, and is active; a ticker alone says neither', async () => {
    const registry = open()
    await importContent(registry, 'sec-tickers', tickers)
    expect(recordOf(registry, 'Weyerhaeuser')).toMatchObject({
      status: 'active',
      attributes: { stock_ticker: 'WY', exchange: 'NYSE', is_public: true },
    })
    expect(recordOf(registry, 'Adams Resources')).toMatchObject({
      status: null,
      attributes: { stock_ticker: 'ADAR', exchange: null, is_public: true },
    })
    expect(registry.search({ name: 'Weyerhaeuser', limit: 1 }).hits).toMatchObject([{ status: 'active' }])
    expect(basisOf(registry, 'Weyerhaeuser', 'status')).toMatchObject({
      confidence: 'medium',
      citations: [{ url: expect.stringContaining('sec.gov') as string }],
    })
  })

  it.each([
    ['an older file says that it ended', Date.UTC(2020, 0, 1), 'active'],
    ['a newer file says that it ended', Date.UTC(2100, 0, 1), 'inactive'],
  ])('%s: %s', async (_, fileDateMs, expected) => {
    const rows = [{ id: '106535', name: 'Weyerhaeuser Co', status: 'dissolved', country: 'US' }]
    const registry = openRegistry(':memory:')
    const file = { fileName: 'rows.csv', fileDateMs, idType: 'cik' }
    importCsvText(registry, Buffer.from(csvOf(rows)), file)
    await importContent(registry, 'sec-tickers', tickers)
    expect(recordOf(registry, 'Weyerhaeuser').status).toBe(expected)
  })

  it('of a registration elsewhere that ended before the listing, the company is active', async () => {
    const ended = { lei: lei.ford, cik: '106535', name: 'Weyerhaeuser Company', status: 'dissolved', id: 'x' }
    const registry = open([ended], Date.UTC(2020, 0, 1))
    await importContent(registry, 'sec-tickers', tickers)
    expect(recordOf(registry, 'Weyerhaeuser Company').status).toBe('active')
  })
})

describe('the status', () => {
  // Registrations without a status: of a home, and of none.
  const home = { id: 'a', cik: '2178', name: 'Quibble Widgets Inc', jurisdiction: 'us_de' }
  const nowhere = { id: 'b', cik: '106535', name: 'Quibble Boats Inc' }
  it.each([
    ['in the same country', home, { jurisdiction: 'us_tx', country: 'US', status: 'active' }, 'active'],
    ['that has ended', home, { jurisdiction: 'us_de', status: 'dissolved' }, 'inactive'],
    ['in another country', home, { jurisdiction: 'gb', status: 'dissolved' }, null],
    ['in a country, of a company of unknown home', nowhere, { country: 'NL', status: 'active' }, 'active'],
    ['of unknown place', home, { status: 'active' }, 'active'],
  ])('of another registration %s counts if the first has none', (_, { id, ...first }, parts, expected) => {
    const registry = open([
      { id, ...first },
      { id: 'c', cik: first.cik, name: first.name, ...parts },
    ])
    expect(recordOf(registry, first.name).status).toBe(expected)
    const cited = basisOf(registry, first.name, 'status')?.citations.map(({ excerpt }) => excerpt) ?? []
    expect(cited).toEqual(
      expected === null ? [] : [expect.stringMatching(new RegExp(`${expected}.*line 3`)) as string],
    )
  })
})

it.each([
  [{ jurisdiction: 'gb', registration_id: '445790' }, 'RA000585'],
  [{ jurisdiction: 'gb', registration_id: 'OC312345' }, 'RA000585'],
  [{ jurisdiction: 'gb', registration_id: 'SC055889' }, 'RA000587'],
  [{ jurisdiction: 'gb', registration_id: 'NI000123' }, 'RA000586'],
  // A mutual society's number is of another register.
  [{ jurisdiction: 'gb', registration_id: 'IP25164R' }, null],
  [{ jurisdiction: 'us_de', cik: '2178' }, 'RA000602'],
  [{ jurisdiction: 'us_wy', cik: '2178' }, 'RA000644'],
  [{ cik: '2178' }, 'RA000665'],
  [{ jurisdiction: 'ky', cik: '2178' }, null],
  [{ jurisdiction: 'us_de' }, null],
  [{ jurisdiction: 'gb', registration_id: '445790', registration_authority: 'RA000589' }, 'RA000589'],
])('The registration authority of %j is %s', (parts, code) => {
  const registry = open([{ id: 'a', name: 'Quibble Widgets Ltd', ...parts }])
  const { primary_legal_entity: primary } = recordOf(registry, 'Quibble Widgets')
  expect(primary.registration_authority.code).toBe(code)
  const entry = basisOf(registry, 'Quibble Widgets', 'primary_legal_entity.registration_authority.code')
  expect(entry === undefined).toBe(code === null)
})

describe('an address', () => {
  const numbered = {
    ...levelOne.ford,
    'Entity.HeadquartersAddress.FirstAddressLine': 'Koekoekstraat 63 bus 1',
    'Entity.HeadquartersAddress.AddressNumber': '63',
    'Entity.HeadquartersAddress.AddressNumberWithinBuilding': '1',
  }
  it.each([
    ['CSV', levelOneCsv([numbered])],
    ['JSON', levelOneJson([numbered])],
  ])('of GLEIF has its number and its number within the building, from %s', async (_, text) => {
    const registry = open()
    await importContent(registry, 'gleif', text)
    expect(recordOf(registry, 'Ford Motor').headquarters.address).toMatchObject({
      street_address: 'Koekoekstraat 63 bus 1, Suite 1026',
      street_number: '63',
      sub_premise: '1',
    })
    // Kept while other sources add to the row.
    await importContent(registry, 'gleif-bic', `LEI,BIC\n${lei.ford},FORDUS33XXX\n`)
    expect(recordOf(registry, 'Ford Motor').headquarters.address).toMatchObject({ sub_premise: '1' })
    expect(basisOf(registry, 'Ford Motor', 'headquarters.address.street_number')).toMatchObject({
      confidence: 'high',
    })
  })

  it('of the United Kingdom in one line has its parts, and finds the company by its town', () => {
    const line = 'Unit 3, 2 Guy Close, Stapleford, Nottingham, England, NG9 7GZ'
    const row = {
      id: 'a',
      name: 'Finix Widgets Limited',
      formatted_address: line,
      country: 'GB',
      jurisdiction: 'gb',
    }
    const registry = open([row])
    expect(recordOf(registry, 'Finix Widgets').headquarters.address).toEqual({
      street_address: 'Unit 3, 2 Guy Close, Stapleford',
      street_number: '2',
      sub_premise: 'Unit 3',
      city: 'Nottingham',
      state: null,
      state_code: null,
      postal_code: 'NG9 7GZ',
      country: 'United Kingdom',
      country_code: 'GB',
      formatted_address: line,
    })
    const factors = resolve(registry, 'Finix Widgets', 'Nottingham').factors.map(({ code }) => code)
    expect(factors).toContain('jurisdiction_match')
    expect(basisOf(registry, 'Finix Widgets', 'headquarters.address.city')).toMatchObject({
      confidence: 'medium',
    })
  })
})

describe('funds and trusts', () => {
  it.each([
    ['FUND', 'XTIQ', 'Oak Partners LP', 'complex_business_structure'],
    ['GENERAL', '4FSX', 'Oak Partners', 'complex_business_structure'],
    ['GENERAL', '8888', 'Oak Royalty Trust', 'complex_business_structure'],
    ['GENERAL', 'XTIQ', 'Oak Royalty Trust', 'incorporated_entity'],
  ])('of category %s and form %s "%s" is %s', async (category, form, name, subtype) => {
    const registry = open()
    const row = {
      ...levelOne.ford,
      'Entity.LegalName': name,
      'Entity.EntityCategory': category,
      'Entity.LegalForm.EntityLegalFormCode': form,
    }
    await importContent(registry, 'gleif', levelOneCsv([row]))
    const answer = resolve(registry, name)
    expect(answer).toMatchObject({ type: 'business', subtype })
    expect(answer.entity === null).toBe(subtype !== 'incorporated_entity')
  })

  it('a fund is a candidate as sure as its name; a British company named so is a company', () => {
    const british = { jurisdiction: 'gb', registration_id: '08150106', country: 'GB' }
    const registry = open([
      { id: 'a', name: 'Quibble Income Fund' },
      { id: 'b', name: 'Athena Learning Trust', ...british },
      { id: 'c', name: 'Stated Income Fund', subtype: 'incorporated_entity' },
    ])
    expect(resolve(registry, 'Quibble Income Fund')).toMatchObject({
      status: 'inconclusive',
      match_confidence: expect.toSatisfy((value: number) => value >= 80) as number,
      candidate: { legal_name: 'Quibble Income Fund' },
    })
    expect(recordOf(registry, 'Quibble Income Fund').classification.revenue_models).toEqual([
      'investment_returns',
    ])
    expect(resolve(registry, 'Athena Learning Trust').status).toBe('matched')
    expect(resolve(registry, 'Stated Income Fund').status).toBe('matched')
  })
})

it('Industry codes have titles, and give sector, industry and sub-industry', () => {
  const registry = open([
    { id: 'a', name: 'Quibble Motors', sic: '3711' },
    { id: 'b', name: 'Wobble Motors', sic: '3711', naics: '441110' },
  ])
  expect(recordOf(registry, 'Quibble Motors')).toMatchObject({
    industry: { schemes: { sic: [{ label: 'Motor vehicles and passenger car bodies' }] } },
    classification: {
      sector: 'Manufacturing',
      industry: 'Transportation equipment',
      sub_industry: 'Motor vehicles and passenger car bodies',
      market_segments: [],
      revenue_models: ['product_sales'],
    },
  })
  expect(recordOf(registry, 'Wobble Motors')).toMatchObject({
    industry: { schemes: { naics_2022: [{ label: 'New Car Dealers' }] } },
    classification: { sector: 'Retail Trade', industry: 'Automobile Dealers', market_segments: ['b2c'] },
  })
  expect(basisOf(registry, 'Wobble Motors', 'industry.schemes.naics_2022.0.label')).toBeDefined()
})

it('A list that is too long is cut, and factors and basis say so', async () => {
  const registry = open()
  await importContent(registry, 'gleif', levelOneCsv([levelOne.ford]))
  const bics = Array.from({ length: 60 }, (_, at) => `FORDUS33${100 + at}`)
  await importContent(registry, 'gleif-bic', `LEI,BIC\n${bics.map((bic) => `${lei.ford},${bic}\n`).join('')}`)
  const answer = resolve(registry, 'Ford Motor Company')
  expect(answer.entity?.identifiers).toHaveLength(40)
  // Beside the LEI and the number, 38 of 60.
  expect(answer.factors).toContainEqual(
    expect.objectContaining({
      code: 'identifiers_truncated',
      type: 'limitation',
      description: 'Registers list 22 more identifiers of the company than are shown.',
    }),
  )
  expect(answer.basis.find(({ field }) => field === 'identifiers')?.reasoning).toContain('22 more')
  expect(
    resolve(open([{ id: 'a', name: 'Quibble', lei: lei.ford }]), 'Quibble').basis.map(({ field }) => field),
  ).not.toContain('identifiers')
})

describe('the BICs of a bank', () => {
  const bank = {
    ...levelOne.ford,
    'Entity.HeadquartersAddress.Country': 'DE',
    'Entity.LegalJurisdiction': 'DE',
  }
  const branches = Array.from({ length: 90 }, (_, at) => `FORDDEFF${100 + at}`)
  const others = ['FORDUS33XXX', 'FORDGB2LXXX', 'ABCDDE21XXX', 'FORDDE2AXXX']
  const answerFor = async (bics: readonly string[]) => {
    const registry = open()
    await importContent(registry, 'gleif', levelOneCsv([bank]))
    const lines = bics.map((bic) => `${lei.ford},${bic}\n`)
    await importContent(registry, 'gleif-bic', `LEI,BIC\n${lines.join('')}`)
    const { entity, basis } = resolve(registry, 'Ford Motor Company')
    const found = (entity?.identifiers ?? []).filter(({ type }) => type === 'bic').map(({ value }) => value)
    const at = (entity?.identifiers ?? []).findIndex(({ type }) => type === 'bic')
    const reasoning = basis.find(({ field }) => field === `identifiers.${at}.value`)?.reasoning
    registry.close()
    return { found, reasoning }
  }

  it("begin with the head office's, wherever it is in the file, and the basis lists them", async () => {
    for (const head of ['FORDDEFFXXX', 'FORDDEFF'])
      for (const at of [0, 45, 94]) {
        const bics = [...others, ...branches]
        bics.splice(at, 0, head)
        const { found, reasoning } = await answerFor(bics)
        expect(found[0]).toBe(head)
        expect(found).toEqual(expect.arrayContaining(others))
        expect(reasoning).toContain(`The company has several BICs: ${found.join(', ')}.`)
      }
  })

  it('of the country come first, then those of a head office, then those of the bank itself', async () => {
    const { found } = await answerFor(
      'AAAAFRPPXXX FORDDEFF100 ZZZZDE22XXX FORDDEFFXXX FORDDEFF200'.split(' '),
    )
    expect(found).toEqual(['FORDDEFFXXX', 'ZZZZDE22XXX', 'FORDDEFF100', 'FORDDEFF200', 'AAAAFRPPXXX'])
  })

  it('that are one are not explained', async () => {
    expect((await answerFor(['FORDDEFFXXX'])).reasoning).not.toContain('head office')
  })
})

describe('a company with several registrations', () => {
  const edgar = { id: 'a', cik: '2178', name: 'QUIBBLE AKTIENGESELLSCHAFT /FI' }
  const full = {
    id: 'b',
    cik: '2178',
    name: 'Quibble Aktiengesellschaft',
    street_address: 'Ring 1',
    city: 'Bonn',
    postal_code: '53113',
    country: 'DE',
    jurisdiction: 'de',
    status: 'active',
  }
  const poor = { ...full, street_address: '', postal_code: '', status: '' }
  const namesOf = (...rows: Row[]) => {
    const registry = open(rows)
    const record = recordOf(registry, 'Quibble Aktiengesellschaft')
    return [record.legal_name, record.headquarters.address.street_address]
  }

  it('has the name and the address of the one with the most facts, in any order', () => {
    const expected = ['Quibble Aktiengesellschaft', 'Ring 1']
    const others = [
      edgar,
      { ...edgar, country: 'DE' },
      { ...edgar, city: 'Bonn', country: 'DE' },
      { ...poor, id: 'c' },
    ]
    for (const other of others) {
      expect(namesOf(other, full)).toEqual(expected)
      expect(namesOf(full, other)).toEqual(expected)
    }
  })

  it('keeps the older of two with as many facts, and does not move to another country for more', () => {
    const other = { ...full, id: 'c', name: 'Quibble AG', street_address: 'Weg 2' }
    expect(namesOf(full, other)).toEqual(['Quibble Aktiengesellschaft', 'Ring 1'])
    const branch = { ...other, country: 'GB', jurisdiction: 'gb', registration_authority: 'RA000585' }
    expect(namesOf(full, branch)).toEqual(['Quibble Aktiengesellschaft', 'Ring 1'])
  })

  it('takes the street of another source of the same registration, if the place is the same', () => {
    const addressWith = (city: string) => {
      const registry = open([{ id: 'a', cik: '2178', name: 'Quibble Inc', city: 'Bonn', country: 'DE' }])
      importCsvText(
        registry,
        Buffer.from(csvOf([{ cik: '2178', name: 'Quibble Inc', city: 'Bonn', country: 'DE' }])),
        { fileName: 'first.csv', fileDateMs: Date.UTC(2026, 1, 1), idType: 'cik' },
      )
      importCsvText(
        registry,
        Buffer.from(
          csvOf([{ cik: '2178', name: 'Quibble Inc', street_address: 'Ring 1', city, country: 'DE' }]),
        ),
        { fileName: 'second.csv', fileDateMs: Date.UTC(2026, 0, 2), idType: 'cik' },
      )
      return recordOf(registry, 'Quibble Inc').headquarters.address
    }
    expect(addressWith('BONN')).toMatchObject({ street_address: 'Ring 1' })
    expect(addressWith('Köln')).toMatchObject({ street_address: null, city: 'Bonn' })
  })
})

describe('factors', () => {
  const registry = open([
    {
      id: 'a',
      name: 'Quibble Widgets Ltd',
      city: 'Leeds',
      country: 'GB',
      jurisdiction: 'gb',
      status: 'dissolved',
    },
    { id: 'b', name: 'Quibble Widgets Holdings GmbH', city: 'Köln', country: 'DE' },
    { id: 'c', name: 'Quibble Widgets 2 Inc', city: 'Boston', country: 'US' },
    { id: 'd', name: 'Wobble Income Fund', country: 'US' },
  ])
  const words = 'Quibble Widgets Quible Holdings Ltd GmbH Inc 2 3 Wobble Income Fund'.split(' ')

  it('never both confirm a legal entity and deny it', () => {
    const names = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 })
    const places = fc.constantFrom(null, 'Leeds', 'Köln, Germany', 'Boston', 'France')
    forAll(200, [names, places], (name, place) => {
      const codes = resolve(registry, name.join(' '), place).factors.map(({ code }) => code)
      const isBoth = codes.includes('legal_entity_confirmed') && codes.includes('no_legal_entity_confirmed')
      expect(isBoth).toBe(false)
    })
  })

  it('of a company that has ended confirm it as what it is', () => {
    const codes = resolve(registry, 'Quibble Widgets Ltd', 'Leeds').factors.map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining(['legal_entity_confirmed', 'legal_entity_inactive']))
  })

  it('An unknown jurisdiction is no evidence', () => {
    const codes = resolve(registry, 'Quibble Widgets Holdings GmbH', 'Köln').factors.map(({ code }) => code)
    expect(codes).not.toContain('legal_entity_confirmed')
  })

  it('that do both break the contract', () => {
    const answer = registry.resolve({ name: 'Quibble Widgets Ltd', location: 'Leeds', context: null })
    const denied = {
      code: 'no_legal_entity_confirmed',
      type: 'limitation',
      description: null,
      impact: null,
    } as const
    expect(resolution.safeParse(answer).success).toBe(true)
    expect(resolution.safeParse({ ...answer, factors: [...answer.factors, denied] }).success).toBe(false)
  })
})

it('A search result has the registered name', () => {
  const registry = open([
    { id: 'a', name: 'Quibble Trading Ltd', other_names: 'Quibble', country: 'GB' },
    { id: 'b', name: 'Quibble Holdings Inc', other_names: 'Quibble', country: 'US' },
  ])
  const { results } = createKnowledge(registry).search({
    name: 'Quibble',
    countryCode: null,
    regionCode: null,
    limit: 5,
  })
  expect(results.map(({ name }) => name).sort()).toEqual(['Quibble Holdings Inc', 'Quibble Trading Ltd'])
})

describe('the legal form', () => {
  const formOf = (name: string, country: string, more: Row = {}) => {
    const registry = open([{ id: 'one', name, country, jurisdiction: country.toLowerCase(), ...more }])
    return resolve(registry, name).entity?.facets.legal_form
  }

  it.each([
    ['BHP Group Limited', 'AU'],
    ['Larkmoor No Liability', 'AU'],
    ['Larkmoor Ltd', 'IN'],
    ['Larkmoor Limited', 'ZA'],
    ['Larkmoor Ltd', 'SG'],
    ['Larkmoor Ltée', 'CA'],
    ['Larkmoor Berhad', 'MY'],
    ['PT Larkmoor Tbk', 'ID'],
    ['Larkmoor Public Company Limited', 'TH'],
    ['Larkmoor Public Ltd', 'CY'],
    ['Larkmoor Nyrt.', 'HU'],
    ['Larkmoor Zrt.', 'HU'],
    ['Larkmoor Oyj', 'FI'],
    ['Larkmoor ASA', 'NO'],
    ['Larkmoor AB (publ)', 'SE'],
    ['Larkmoor SGPS, S.A.', 'PT'],
    ['Larkmoor S/A', 'BR'],
    ['Larkmoor d.d.', 'HR'],
    ['ПАО Ларкмур', 'RU'],
    ['Larkmoor A.Ş.', 'TR'],
  ])('of a public company is "corporation": %s (%s)', (name, country) => {
    expect(formOf(name, country)).toBe('corporation')
  })

  it.each([
    ['Larkmoor Pty Ltd', 'AU'],
    ['Larkmoor Private Limited', 'IN'],
    ['Larkmoor (Pvt) Ltd', 'PK'],
    ['Larkmoor Pte. Ltd.', 'SG'],
    ['Larkmoor (Proprietary) Limited', 'ZA'],
    ['Larkmoor Sdn Bhd', 'MY'],
    ['Larkmoor Limited', 'GB'],
    ['Larkmoor Limited', 'NZ'],
    ['Larkmoor Limited', 'HK'],
    ['Larkmoor SGPS, Lda', 'PT'],
    ['Larkmoor Kft.', 'HU'],
    ['Larkmoor LLC', 'US'],
  ])('of a private company is "llc": %s (%s)', (name, country) => {
    expect(formOf(name, country)).toBe('llc')
  })

  it.each([
    ['HK', 'Public company limited by shares', 'corporation'],
    ['IN', 'Public', 'corporation'],
    ['AU', 'Australian Public Company', 'corporation'],
    ['IN', 'Private', 'llc'],
    ['IN', 'OPC', 'llc'],
    ['BD', 'One Person Company', 'llc'],
    ['PK', 'SMC', 'llc'],
    ['GH', 'Company Limited by Shares', 'llc'],
    ['GH', 'Public Company Limited by Shares', 'corporation'],
    ['PH', 'OPC', 'corporation'],
    ['EG', 'شركة الشخص الواحد', 'llc'],
    ['EG', 'ش.ق.م.م', 'corporation'],
    ['EG', 'ش.ت.م.م', 'corporation'],
    ['EG', 'شركة مساهمة مصرية', 'corporation'],
    ['BD', 'পাবলিক লিমিটেড কোম্পানি', 'corporation'],
    ['BD', 'প্রাইভেট লিমিটেড কোম্পানি', 'llc'],
    ['BD', 'অংশীদারি কারবার', 'gp'],
    ['IN', 'पब्लिक लिमिटेड कंपनी', 'corporation'],
    ['PK', 'پبلک لمیٹڈ کمپنی', 'corporation'],
    ['AU', 'Australian Private Company', 'llc'],
    ['GB', 'Private Limited Company', 'llc'],
  ])('that the register states decides for "Limited" in %s: %s is %s', (country, form, expected) => {
    expect(formOf('Larkmoor Limited', country, { legal_form: form })).toBe(expected)
  })

  it.each([
    ['Firma Larkmoor & Rekan', 'ID', 'gp'],
    ['Fa. Larkmoor', 'ID', 'gp'],
    ['CV Larkmoor', 'ID', 'lp'],
    ['Koperasi Larkmoor', 'ID', 'cooperative'],
    ['PT Larkmoor (Perseroda)', 'ID', 'corporation'],
  ])(
    'is that in front of the name, in the words of its country: %s (%s) is %s',
    (name, country, expected) => {
      expect(formOf(name, country)).toBe(expected)
    },
  )

  it.each([
    ['Larkmoor & Rekan', 'ID', 'Firma', 'gp'],
    ['Larkmoor & Rekan', 'ID', 'Fa', 'gp'],
    ['Larkmoor', 'ID', 'Kopkar', 'cooperative'],
  ])('in a column has the short forms of its country: %s (%s), %s is %s', (name, country, form, expected) => {
    expect(formOf(name, country, { legal_form: form })).toBe(expected)
  })

  it('of a farm or a public body that the register states is not that of a company in another country', () => {
    expect(formOf('Larkmoor KFT', 'AZ', { legal_form: 'Kəndli (fermer) təsərrüfatı' })).toBeNull()
    expect(formOf('Larkmoor', 'AZ', { legal_form: 'Publik hüquqi şəxs' })).toBeNull()
    expect(formOf('Larkmoor', 'AZ', { legal_form: 'Açıq Tipli Səhmdar Cəmiyyəti' })).toBe('corporation')
  })

  it('"Limited" is a stock company where its shares are traded, and an LLC stays one', () => {
    expect(formOf('Larkmoor Limited', 'NZ', { ticker: 'LKM' })).toBe('corporation')
    expect(formOf('Larkmoor Ltd', 'IL', { ticker: 'LKM' })).toBe('corporation')
    expect(formOf('Larkmoor LLC', 'US', { ticker: 'LKM' })).toBe('llc')
  })
})

import fc from 'fast-check'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { entityRecord } from '../../../src/contract/entity.js'
import { entityId } from '../../../src/contract/enums.js'
import { resolution, type Resolution } from '../../../src/contract/result.js'
import type { Registry } from '../../../src/registry/registry.js'
import { registryOf, sampleRows } from '../../support/registry.js'
import { forAll } from '../../support/properties.js'

let registry: Registry

beforeAll(() => {
  registry = registryOf(sampleRows, { fileDateMs: Date.UTC(2026, 0, 31) })
})

const resolve = (name: string, location: string | null = null, context: string | null = null) =>
  registry.resolve({ name, location, context })

/** The value a basis entry speaks of, walked as a reader of the answer would. */
function valueAt(entity: unknown, field: string): unknown {
  return field.split('.').reduce<unknown>((value, key) => {
    const isHolder = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    return isHolder ? (value as Record<string, unknown>)[key] : undefined
  }, entity)
}

/** What the interface holds of every answer (interface: "Resolution outcome meanings", "v3 job result"). */
function expectLawful(answer: Resolution): void {
  resolution.parse(answer)
  expect(answer.entity === null || answer.candidate === null).toBe(true)
  switch (answer.status) {
    case 'matched':
      expect(answer.match_confidence).toBeGreaterThanOrEqual(80)
      expect(answer.entity).not.toBeNull()
      break
    case 'partial_match':
      expect(answer.match_confidence).toBeLessThan(80)
      expect(answer.entity).not.toBeNull()
      break
    case 'inconclusive': {
      // Only the kind of body keeps a certain one from being an entity.
      const isOtherKind = answer.factors.some(({ code }) => code === 'unsupported_entity_type')
      if (!isOtherKind) expect(answer.match_confidence).toBeLessThan(80)
      expect(answer.entity).toBeNull()
      break
    }
    default:
      expect(['no_match', 'not_found']).toContain(answer.status)
      expect([answer.entity, answer.candidate]).toEqual([null, null])
  }
  if (answer.entity) expect([answer.type, answer.subtype]).toEqual(['business', 'incorporated_entity'])
  else expect(answer.basis).toEqual([])
  for (const { field, citations } of answer.basis) {
    expect(valueAt(answer.entity, field), field).toEqual(expect.any(String))
    for (const citation of citations) {
      // What can be looked up in a register has tier 1 and an address; what only the file says has neither.
      expect([citation.source_type, citation.authority_tier]).toEqual(
        citation.url === null ? ['web', 3] : ['government_registry', 1],
      )
      expect(citation.excerpt).toContain('companies.csv, line ')
    }
  }
}

describe('messy names', () => {
  test.each([
    ['ibm', null, 'International Business Machines Corporation'],
    ['I.B.M. Corp', 'Armonk', 'International Business Machines Corporation'],
    ['Intl Business Machines', null, 'International Business Machines Corporation'],
    ['Internatinal Busines Machines', 'New York', 'International Business Machines Corporation'],
    ['Computing Tabulating Recording Co', null, 'International Business Machines Corporation'],
    ['RedHat', null, 'Red Hat, Inc.'],
    ['RED HAT INC. COMMON STOCK', 'Raleigh, NC', 'Red Hat, Inc.'],
    ['acme widgets', 'Leeds', 'Acme Widgets LLP'],
    ['ACME WIDGETS LTD', 'EC1A 1BB', 'Acme Widgets Limited'],
    ['トヨタ自動車', '日本', 'トヨタ自動車株式会社'],
    ['Toyota', 'Japan', 'トヨタ自動車株式会社'],
    // Nobody of the second name is held: a remark, or a site.
    ['Red Hat, Inc. / Tower', null, 'Red Hat, Inc.'],
  ])('%j at %j is %j', (name, location, legalName) => {
    const answer = resolve(name, location)
    expect(answer).toMatchObject({ status: 'matched', entity: { legal_name: legalName } })
    expectLawful(answer)
  })

  test.each([
    ['acme widgets', null, 'inconclusive', 'Other companies may be meant: "Acme Widgets'],
    ['Oxfam', 'Oxford', 'inconclusive', '"Oxfam" is a nonprofit body, not a company'],
    ['Red Hat Logistics', 'Leeds, GB', 'no_match', 'The closest name held is "Red Hat, Inc."'],
    ['Unheard-of Bakery', 'Leeds', 'no_match', 'No registration has this name'],
    [
      'Red Hat, Inc. / International Business Machines Corporation',
      null,
      'inconclusive',
      'The text names 2 companies: "Red Hat, Inc.", "International Business Machines Corporation"',
    ],
    [
      'Widget Bakers S.A. / Larkmoor GmbH',
      null,
      'no_match',
      'The text names 2 companies: "Widget Bakers S.A.", "Larkmoor GmbH". No registration has',
    ],
    ['Red Hat / Oxfam', null, 'inconclusive', 'The text names 2 companies: "Red Hat", "Oxfam"'],
    ['???', null, 'not_found', 'too few letters or digits'],
  ])('%j at %j is %s: %s…', (name, location, status, reason) => {
    const answer = resolve(name, location)
    expect(answer.status).toBe(status)
    expect(answer.factors.map(({ description }) => description).join(' ')).toContain(reason)
    expect(answer.actions.length).toBeGreaterThan(0)
    expectLawful(answer)
  })

  it('context chooses between companies of one name, and never finds another', () => {
    expect(resolve('acme widgets', null, 'see acmesolicitors.example.com')).toMatchObject({
      status: 'matched',
      entity: { legal_name: 'Acme Widgets LLP' },
      classification: 'ambiguous',
    })
    expect(resolve('Unheard-of Bakery', null, 'IBM Armonk').status).toBe('no_match')
    expect(resolve('ibm', null, 'Acme Widgets Leeds').entity?.display_name).toBe('IBM')
  })
})

describe('basis', () => {
  it('every populated field of note cites the row and the public record', () => {
    const answer = resolve('IBM', 'Armonk')
    expect(answer.basis.map(({ field }) => field)).toEqual(
      expect.arrayContaining([
        'legal_name',
        'display_name',
        'status',
        'website',
        'headquarters.address.street_address',
        'headquarters.address.city',
        'headquarters.address.state_code',
        'headquarters.address.formatted_address',
        'primary_legal_entity.jurisdiction',
        'facets.sector',
        'facets.legal_form',
        'industry.schemes.sic.0.code',
        'identifiers.0.value',
        'identifiers.3.value',
      ]),
    )
    expect(answer.basis[0]).toMatchObject({
      field: 'legal_name',
      confidence: 'high',
      citations: [
        {
          url: 'https://search.gleif.org/#/record/VGRQXHF3J8VDLUA7XE92',
          excerpt: expect.stringContaining('International Business Machines Corporation; (companies.csv'),
        },
      ],
    })
  })

  test.each([
    ['Red Hat', 'https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=0001087423'],
    ['Acme Widgets LLP', 'https://find-and-update.company-information.service.gov.uk/company/OC312345'],
    ['Toyota Motor Corporation', null],
  ])('the record of %s is %s', (name, url) => {
    const answer = resolve(name)
    expect(answer.basis[0]?.citations[0]?.url).toBe(url)
  })

  it('names the parent that the registry knows', () => {
    const answer = resolve('Red Hat')
    expect(answer.entity?.parent_entity).toEqual({ name: 'IBM' })
    expect(answer.basis.map(({ field }) => field)).toContain('parent_entity.name')
  })
})

describe('the entity record', () => {
  it('is the entity of the answer, and more, by the contract', () => {
    const { entity } = resolve('IBM')
    const found = registry.entity(entity!.id)
    expect(found?.mergedInto).toBeNull()
    expect(found?.record).toMatchObject({ ...entity, type: 'business', subtype: 'incorporated_entity' })
    expect(entityRecord.parse(found?.record).attributes).toMatchObject({
      domain: 'ibm.com',
      stock_ticker: 'IBM',
    })
    expect(found?.record.operational_presence).toMatchObject([
      { country_code: 'US', count: 1, is_home_jurisdiction: true },
    ])
  })

  it('an unknown id has none', () => {
    expect(registry.entity(entityId.parse('siq_nobody'))).toBeNull()
  })
})

describe('any query', () => {
  const word = fc.constantFrom(
    'acme',
    'widgets',
    'IBM',
    'red',
    'hat',
    'トヨタ',
    'llc',
    'ltd',
    'ii',
    '(uk)',
    '/DE/',
    't/a',
    '"',
    '*',
    'AND',
    'NEAR(',
  )
  const text = fc.oneof(
    fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
  )

  it('is answered, by the contract and the interface', () => {
    forAll(150, [text, fc.option(text), fc.option(text)], (name, location, context) => {
      expectLawful(resolve(name, location, context))
    })
  })

  it('is answered alike each time', () => {
    forAll(50, [text, fc.option(text)], (name, location) => {
      expect(resolve(name, location)).toEqual(resolve(name, location))
    })
  })

  it('a very long one too', () => {
    for (const piece of ['a', 'ab ', '(', 't/a ', '株式会社', '\u{fdfa}', ' /'])
      expectLawful(resolve(piece.repeat(50_000), piece.repeat(50_000)))
  })
})

test.each([
  ['Yayasan Larkmoor', 'SYARIKAT BERHAD MENURUT JAMINAN', 'business'],
  ['Larkmoor Foundation', 'Company limited by guarantee', 'business'],
  ['Larkmoor Foundation', 'Kampuni ya Dhamana', 'business'],
  ['Larkmoor Foundation', 'Company limited by guarantee without share capital', 'business'],
  ['Yayasan Larkmoor', 'Yayasan', 'nonprofit'],
  ['Larkmoor Relief', 'Shirika lisilo la kiserikali', 'nonprofit'],
  ['Larkmoor Relief', 'Non-Governmental Organisation', 'nonprofit'],
  ['Stichting Larkmoor', 'Overig', 'nonprofit'],
  ['Fundación Larkmoor', 'Otra', 'nonprofit'],
  ['Larkmoor Foundation', 'Sendirian Berhad', 'business'],
  ['Foundation Piling Sdn Bhd', 'Company limited by guarantee', 'business'],
  ['Larkmoor Gloves', 'SYARIKAT BERHAD MENURUT JAMINAN', 'business'],
])('%s with the form %s is a %s', (name, form, type) => {
  const held = registryOf([{ id: 'a', name, legal_form: form, country: 'MY' }])
  expect(held.resolve({ name, location: 'Malaysia', context: null }).type).toBe(type)
})

describe('what is no incorporated business', () => {
  const kinds = [
    ['Ministry of Widgets', 'government', 'government_entity'],
    ['Widget Relief', 'nonprofit', 'nonprofit_entity'],
    ['Jane Doe Plumbing', 'person', 'natural_person'],
    ['Doe Corner Shop', 'business', 'trading_name_only'],
    ['Doe and Roe Partners', 'business', 'unincorporated_entity'],
    ['Widget Union', 'other', 'other_entity'],
  ] as const
  const rows = kinds.map(([name, type, subtype], index) => ({
    id: `k${index}`,
    name,
    type,
    subtype,
    city: 'Leeds',
    country: 'GB',
  }))
  const others = registryOf(rows)

  test.each(kinds)('%s (%s, %s) is a candidate, however exact', (name, type, subtype) => {
    const answer = others.resolve({ name, location: 'Leeds, GB', context: null })
    expect(answer).toMatchObject({ status: 'inconclusive', type, subtype, entity: null, candidate: { name } })
    expect(answer.factors[0]?.code).toBe('unsupported_entity_type')
    expect(answer.actions.map(({ code }) => code)).toContain('verify_entity_type')
    expectLawful(answer)
  })
})

describe('A name with the country of the company', () => {
  const companies = [
    { id: 'a', name: 'Norvane AG', city: 'Basel', country: 'CH' },
    { id: 'b', name: 'Larkmoor SE', city: 'Bonn', country: 'DE' },
    { id: 'c', name: 'Wexbrook Canada Inc', city: 'Toronto', country: 'CA' },
    { id: 'd', name: 'Tamrick Foods S.A.', city: 'Madrid', country: 'ES' },
  ]
  const answerTo = (name: string, location: string | null) =>
    registryOf(companies).resolve({ name, location, context: null })

  test.each([
    ['Norvane Schweiz', 'CH'],
    ['Norvane Suisse AG', 'Basel, Switzerland'],
    ['Norvane Svizzera', null],
    ['Larkmoor Deutschland', 'Bonn'],
    ['Larkmoor Germany SE', 'DE'],
    ['Tamrick Foods España', 'Madrid'],
  ])('may be another company of its group: %s in %j', (name, location) => {
    const { match_confidence, factors } = answerTo(name, location)
    expect(match_confidence).toBeLessThanOrEqual(85)
    expect(factors.map(({ description }) => description)).toContain(
      'The name has the country of the company: another company of its group may be meant.',
    )
  })

  test.each([
    ['Norvane AG (Switzerland)', 'CH', 'Norvane AG'],
    ['Larkmoor SE, Deutschland', 'Bonn', 'Larkmoor SE'],
    ['Wexbrook Canada Inc', 'Toronto', 'Wexbrook Canada Inc'],
  ])('is certain if it stands apart, or is part of the name: %s', (name, location, legalName) => {
    const answer = answerTo(name, location)
    expect(answer.entity?.legal_name).toBe(legalName)
    expect(answer.match_confidence).toBeGreaterThan(85)
  })
})

test('a name without a legal form has the form of the registered name', () => {
  const registry = registryOf([{ id: 'alphabet', name: 'Alphabet Inc.', other_names: 'Google' }])
  const answerTo = (name: string) => registry.resolve({ name, location: null, context: null }).status
  expect(answerTo('Google Inc')).toBe('matched')
  expect(['matched', 'partial_match']).toContain(answerTo('Google'))
  expect(['inconclusive', 'no_match']).toContain(answerTo('Google GmbH'))
})

describe('a registrant of the SEC', () => {
  const registrants = registryOf(
    [
      { id: '1', name: 'Fenwick Biologics PLC', city: 'Cambridge', country: 'GB', jurisdiction: 'gb' },
      { id: '2', name: 'Zorvex Robotics Inc' },
    ],
    { idType: 'cik' },
  )
  const resolve = (name: string, location: string) =>
    registrants.resolve({ name, location, context: null }).status

  test('of another country fits lists of American securities, and of its own country', () => {
    expect(resolve('Fenwick Biologics PLC', 'US')).toBe('matched')
    expect(resolve('Fenwick Biologics PLC', 'Cambridge, GB')).toBe('matched')
  })

  test('without a stated place is not the company of another country with a form of that country', () => {
    expect(resolve('Zorvex Robotics Inc', 'US')).toBe('matched')
    expect(resolve('Zorvex Robotics GmbH', 'Germany')).not.toBe('matched')
  })
})

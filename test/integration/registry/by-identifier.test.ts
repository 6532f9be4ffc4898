import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resolution, type Resolution } from '../../../src/contract/result.js'
import type { WritableRegistry } from '../../../src/registry/registry.js'
import { identifierKeys } from '../../../src/core/identifiers.js'
import {
  appendIdentifiers,
  formatIdentifiers,
  toStatedIdentifier,
  type StatedIdentifier,
} from '../../../src/core/numbers/stated-identifiers.js'
import { forAll } from '../../support/properties.js'
import { leiOf } from '../../support/made-identifiers.js'
import { addRows, registryOf, sampleRows, type Row } from '../../support/registry.js'

const ask = (registry: WritableRegistry, name: string, location: string | null = null): Resolution =>
  resolution.parse(registry.resolve({ name, location, context: null }))
const named = ({ entity, candidate }: Resolution) => entity?.legal_name ?? candidate?.legal_name ?? null
const codesOf = (answer: Resolution) => answer.factors.map(({ code }) => code)
const saidOf = (answer: Resolution, code: string) =>
  answer.factors.find((factor) => factor.code === code)?.description
const rowsOf = (...rows: Row[]) => registryOf([...sampleRows, ...rows])
const ibm = 'International Business Machines Corporation'

/** Identifiers of rows that contain them next to a name: right ones, those of another company, and wrong ones. */
const statedOf = (rows: readonly Row[]): StatedIdentifier[] =>
  rows.flatMap((row) =>
    identifierKeys.flatMap((key) => {
      if (key === 'email') return []
      const place =
        key === 'registration_id' ? (row['jurisdiction'] ?? '').toUpperCase().replace('_', '-') : null
      return toStatedIdentifier(key, row[key] ?? '', place) ?? []
    }),
  )

test('Identifiers in the context decide like those in the name, between companies that the name finds', () => {
  const registry = rowsOf()
  const identifiers = fc.uniqueArray(
    fc.constantFrom(
      ...statedOf(sampleRows),
      { kind: 'lei', value: 'VGRQXHF3J8VDLUA7XE93', place: null } as const,
      { kind: 'lei', value: leiOf(1), place: null } as const,
      { kind: 'registration_id', value: '07654321', place: 'GB' } as const,
    ),
    { minLength: 1, maxLength: 3 },
  )
  const names = fc.constantFrom(...sampleRows.map(({ name = '' }) => name), 'Norvane', 'Acme')
  const contexts = fc.constantFrom(null, 'phones', 'shipping, Leeds')
  const locations = fc.constantFrom(null, 'GB', 'Cupertino, US')
  forAll(120, [names, locations, contexts, identifiers], (name, location, context, stated) => {
    const inName = registry.resolve({ name: appendIdentifiers(name, stated), location, context })
    const inContext = registry.resolve({
      name,
      location,
      context: [context, formatIdentifiers(stated)].filter((part) => part !== null).join(', '),
    })
    const alone = registry.resolve({ name, location, context })
    expect([named(alone), named(inName), null]).toContain(named(inContext))
    if (named(inContext) === named(inName)) expect(inContext).toEqual(inName)
    else expect(inContext.status).not.toBe('matched')
  })
})

test.each([
  'annual report, LEI pending',
  'company number unknown',
  'website redesign',
  'VGRQXHF3J8VDLUA7XE93',
])('A context without identifiers changes no confidence: %s', (context) => {
  const registry = rowsOf()
  const asked = { name: ibm, location: null }
  expect(registry.resolve({ ...asked, context }).match_confidence).toBe(
    registry.resolve({ ...asked, context: null }).match_confidence,
  )
})

describe('a name that is an identifier', () => {
  const registry = rowsOf(
    { id: 'no', name: 'Norvane AS', country: 'NO', jurisdiction: 'no', registration_id: '927 523 000' },
    { id: 'sc', name: 'Larkmoor Ltd', country: 'GB', jurisdiction: 'gb', registration_id: 'SC012345' },
    { id: 'ip', name: 'Larkmoor Society', country: 'GB', jurisdiction: 'gb', registration_id: 'IP00141R' },
    { id: 'none', name: 'Larkmoor Swimmers', country: 'GB', jurisdiction: 'gb', registration_id: '00000000' },
    { id: 'bank', name: 'Larkmoor Bank', country: 'DE', bic: 'LARKDEFFXXX', status: 'active' },
  )

  test.each([
    ['LEI VGRQXHF3J8VDLUA7XE92', ibm],
    ['vgrqxhf3j8vdlua7xe92', ibm],
    ['CIK 0000051143', ibm],
    ['CIK 51143', ibm],
    ['EIN 130871985', ibm],
    ['EIN 13-0871985', ibm],
    ['company number GB 01234567', 'Acme Widgets Limited'],
    ['company number GB 1234567', 'Acme Widgets Limited'],
    ['company number GB oc312345', 'Acme Widgets LLP'],
    ['company number GB sc12345', 'Larkmoor Ltd'],
    ['company number GB IP141R', 'Larkmoor Society'],
    ['company number NO 927523000', 'Norvane AS'],
    ['BIC LARKDEFF', 'Larkmoor Bank'],
    ['BIC LARKDEFFXXX', 'Larkmoor Bank'],
    ['LEI VGRQXHF3J8VDLUA7XE92, CIK 51143', ibm],
  ])('%s is answered with exactly that company', (text, name) => {
    const answer = ask(registry, text)
    expect([answer.status, answer.match_confidence, named(answer)]).toEqual(['matched', 99, name])
    expect(codesOf(answer)).toContain('identifier_match')
  })

  test.each([
    'LEI VGRQXHF3J8VDLUA7XE93',
    `LEI ${leiOf(1)}`,
    'CIK 999999',
    'company number GB 07654321',
    'company number FR 01234567',
    'company number GB 0',
    'company number GB 00000000',
    'company number GB XY123Z4',
    'BIC LARKDEFF123',
    'ticker NYSE:ZZZZ',
    'website nowhere.example.net',
  ])('%s matches no company: nothing is named', (text) => {
    const answer = ask(registry, text)
    expect(answer).toMatchObject({ entity: null, candidate: null, match_confidence: 0 })
    expect(answer.status).toMatch(/^no/)
  })

  test.each(['LEI VGRQXHF3J8VDLUA7XE93', 'VGRQXHF3J8VDLUA7XE93', 'CIK 123456789012', 'EIN 13-08'])(
    '%s is no identifier, and no name either',
    (text) => {
      const answer = ask(registry, text)
      expect(answer).toMatchObject({
        status: 'not_found',
        entity: null,
        candidate: null,
        match_confidence: 0,
      })
      expect(codesOf(answer)).toEqual(['identifier_invalid'])
    },
  )

  test('next to a wrong one the others and the name count, and the wrong one is reported', () => {
    const named99 = { status: 'matched', match_confidence: 99 }
    const byOther = ask(registry, 'IBM (LEI VGRQXHF3J8VDLUA7XE93, CIK 51143)')
    expect(byOther).toMatchObject(named99)
    expect(saidOf(byOther, 'identifier_invalid')).toContain('fails its checksum')
    const byName = ask(registry, 'Norvane AS (LEI VGRQXHF3J8VDLUA7XE93)')
    expect(byName.match_confidence).toBe(ask(registry, 'Norvane AS').match_confidence)
    expect(codesOf(byName)).toContain('identifier_invalid')
  })

  test('its entry of the basis says that the lookup has it too, and cites the row that states it', () => {
    const { entity, basis } = ask(registry, 'CIK 51143')
    const at = entity?.identifiers.findIndex(({ type }) => type === 'cik') ?? -1
    const entry = basis.find(({ field }) => field === `identifiers.${at}.value`)
    expect(entry?.reasoning).toMatch(/ The lookup has the same cik\.$/)
    // The row is of an LEI, whose record shows no CIK.
    expect(entry?.citations).toMatchObject([
      { url: null, excerpt: expect.stringContaining('cik 0000051143') as string },
    ])
    const others = basis.filter(({ field }) => field.startsWith('identifiers.') && field !== entry?.field)
    expect(others.length).toBeGreaterThan(0)
    for (const { reasoning } of others) expect(reasoning).not.toContain('The lookup')
  })

  test('a number that says no register, alone, is not certain; with its name it is', () => {
    const alone = ask(registry, 'company number 01234567')
    expect([alone.status, alone.match_confidence, named(alone)]).toEqual([
      'partial_match',
      79,
      'Acme Widgets Limited',
    ])
    const both = ask(registry, 'Acme Widgets (company number 01234567)')
    expect([both.status, both.match_confidence]).toEqual(['matched', 99])
    const other = ask(registry, 'Norvane AS (company number 01234567)')
    expect([other.status, named(other)]).toEqual(['matched', 'Norvane AS'])
    expect(saidOf(other, 'identifier_name_mismatch')).toContain('"Acme Widgets Limited"')
  })

  test('a ticker is one exchange’s, whatever that is called', () => {
    const listed = registryOf([{ id: 'a', name: 'Norvane Inc', country: 'US', ticker: 'NRV', cik: '7' }])
    listed.database.prepare("UPDATE identifiers SET exchange = 'Nasdaq' WHERE type = 'ticker'").run()
    for (const exchange of ['NASDAQ', 'XNAS'])
      expect(ask(listed, `ticker ${exchange}:NRV`)).toMatchObject({ status: 'matched', match_confidence: 99 })
    expect(ask(listed, 'ticker NYSE:NRV')).toMatchObject({ status: 'no_match' })
    expect(ask(listed, 'ticker NRV')).toMatchObject({ status: 'partial_match', match_confidence: 79 })
  })

  test('a text that only looks like an identifier is a name', () => {
    const pens = registryOf([{ id: 'bic', name: 'BIC Holdings', country: 'FR' }])
    expect(named(ask(pens, 'BIC Holdings'))).toBe('BIC Holdings')
    expect(pens.search({ name: 'BIC Holdings', limit: 1 }).hits[0]?.name).toBe('BIC Holdings')
  })

  test.each([
    ['LEI VGRQXHF3J8VDLUA7XE92', 'identifier_name_mismatch', 'inconclusive', 50],
    ['phones, company number GB 01234567', 'identifier_name_mismatch', 'inconclusive', 50],
    ['company number NO 927523108', 'identifier_mismatch', 'inconclusive', 50],
    ['company number NO 927 523 000', 'identifier_match', 'matched', 99],
  ])(
    'The context never changes what is searched, but another company’s identifier is a doubt: %s',
    (context, code, status, confidence) => {
      const answer = registry.resolve({ name: 'Norvane', location: null, context })
      expect([named(answer), answer.status, answer.match_confidence]).toEqual([
        'Norvane AS',
        status,
        confidence,
      ])
      expect(codesOf(answer)[0]).toBe(code)
      expect(registry.resolve({ name: 'Qwertzu', location: null, context }).status).toBe('no_match')
    },
  )
})

describe('an identifier next to a name', () => {
  test.each([
    ['IBM', 'is the beginning of|is that of|is made of'],
    ['International Business Machines', 'registered name'],
    ['Computing-Tabulating-Recording Company', 'former name of International Business Machines Corporation'],
    ['Big Blue', 'other name'],
  ])('%s is a name of the holder: certain, and said which', (name, said) => {
    const answer = ask(rowsOf(), `${name} (CIK 51143)`)
    expect([answer.status, answer.match_confidence, named(answer)]).toEqual(['matched', 99, ibm])
    expect(saidOf(answer, 'name_close_match')).toMatch(new RegExp(said))
  })

  test('a name that has nothing in common is a contradiction, and both are named', () => {
    const answer = ask(rowsOf(), 'Acme Widgets Limited (CIK 51143)')
    expect(answer).toMatchObject({ status: 'inconclusive', entity: null, candidate: { legal_name: ibm } })
    expect(answer.match_confidence).toBeLessThan(80)
    const said = saidOf(answer, 'identifier_name_mismatch')
    expect(said).toContain(ibm)
    expect(said).toContain('Acme Widgets Limited')
  })

  test('a name that says more is a contradiction where it is certainly another company’s', () => {
    const registry = registryOf([
      { id: 'a', name: 'Larkmoor Inc', country: 'US', cik: '1' },
      { id: 'b', name: 'Larkmoor Inflight Catering Inc', country: 'US', cik: '2' },
    ])
    const answer = ask(registry, 'Larkmoor Inflight Catering Inc (CIK 1)')
    expect([answer.status, named(answer)]).toEqual(['inconclusive', 'Larkmoor Inc'])
    expect(saidOf(answer, 'identifier_name_mismatch')).toContain('Larkmoor Inflight Catering Inc')
    expect(ask(registry, 'Larkmoor Inflight Dining (CIK 1)')).toMatchObject({ status: 'matched' })
  })

  test('two that name different companies match none', () => {
    const answer = ask(rowsOf(), 'CIK 51143, company number GB 01234567')
    expect(answer).toMatchObject({ status: 'inconclusive', entity: null })
    const said = saidOf(answer, 'identifiers_disagree')
    expect(said).toContain(ibm)
    expect(said).toContain('Acme Widgets Limited')
  })

  test('one of no company leaves the name, which is no surer for it', () => {
    const registry = rowsOf()
    const alone = ask(registry, 'Oxfam')
    const beside = ask(registry, `Acme Widgets Limited (LEI ${leiOf(5)})`)
    expect(named(beside)).toBe('Acme Widgets Limited')
    expect(beside.match_confidence).toBe(ask(registry, 'Acme Widgets Limited').match_confidence)
    expect(codesOf(beside)).toContain('identifier_not_found')
    expect(beside.factors.find(({ code }) => code === 'identifier_not_found')?.impact).toBe('low')
    expect(beside.actions.map(({ code }) => code)).not.toContain('verify_identifier')
    const mistyped = ask(registry, 'Acme Widgets Limited (company number NO 927523001)')
    expect(mistyped.actions.map(({ code }) => code)).toContain('verify_identifier')
    expect(named(ask(registry, 'Oxfam (CIK 4711)'))).toBe(named(alone))
  })

  test('a company of that name with another identifier is a namesake, not a match', () => {
    const answer = ask(rowsOf(), `IBM (LEI ${leiOf(5)})`)
    expect(answer).toMatchObject({ status: 'inconclusive', entity: null, candidate: { legal_name: ibm } })
    expect(saidOf(answer, 'identifier_mismatch')).toContain('VGRQXHF3J8VDLUA7XE92')
  })

  test('another place is reported, and changes nothing', () => {
    const answer = ask(rowsOf(), 'IBM (CIK 51143)', 'Berlin, Germany')
    expect([answer.status, answer.match_confidence]).toEqual(['matched', 99])
    expect(codesOf(answer)).toContain('location_mismatch')
  })
})

describe('what an identifier names is answered as what it is', () => {
  test('a company that has ended: certain, and not active', () => {
    const registry = registryOf([
      { id: 'a', name: 'Larkmoor Inc', country: 'US', cik: '1', status: 'dissolved' },
    ])
    const answer = ask(registry, 'CIK 1')
    expect(answer).toMatchObject({ status: 'matched', match_confidence: 99, entity: { status: 'inactive' } })
    expect(codesOf(answer)).toContain('legal_entity_inactive')
  })

  test('a company that its source no longer names is found all the same', () => {
    const registry = registryOf([{ id: 'a', name: 'Larkmoor Inc', country: 'US', cik: '1' }])
    addRows(registry, [{ id: 'b', name: 'Norvane Inc', country: 'US', cik: '2' }], { fileDateMs: 86_400_000 })
    expect(ask(registry, 'CIK 1')).toMatchObject({ status: 'matched', match_confidence: 99 })
  })

  test('what is no company stays a candidate', () => {
    const registry = registryOf([
      { id: 'a', name: 'Larkmoor Fund', country: 'US', cik: '1', subtype: 'complex_business_structure' },
    ])
    const answer = ask(registry, 'CIK 1')
    expect(answer).toMatchObject({
      status: 'inconclusive',
      entity: null,
      candidate: { name: 'Larkmoor Fund' },
    })
    expect(codesOf(answer)[0]).toBe('unsupported_entity_type')
  })
})

describe('a website in the name', () => {
  const registry = registryOf([
    { id: 'a', name: 'Larkmoor Inc', country: 'US', cik: '1', website: 'https://www.larkmoor.com' },
    { id: 'b', name: 'Norvane Inc', country: 'US', cik: '2' },
    { id: 'c', name: 'Larkmoor Foods Inc', country: 'US', cik: '3', parent_id: 'a' },
  ])

  test.each([
    'www.larkmoor.com',
    'https://larkmoor.com/en',
    'jane@mail.larkmoor.com',
    'website larkmoor.com',
  ])('%s alone is answered as the domain is', (text) => {
    expect(ask(registry, text)).toEqual(registry.resolveDomain('larkmoor.com'))
  })

  test('with a name that agrees it is certain; with another’s it is a contradiction', () => {
    expect(ask(registry, 'Larkmoor (website larkmoor.com)')).toMatchObject({
      status: 'matched',
      match_confidence: 99,
    })
    expect(ask(registry, 'Norvane Inc (website larkmoor.com)')).toMatchObject({ status: 'inconclusive' })
  })

  test.each(['Larkmoor Personal Finance', 'Larkmoor Mobile Ltd', 'Larkmoor 2 Inc'])(
    'that a group shares does not make "%s" its company: it is a guess with a reason',
    (name) => {
      expect(ask(registry, `${name} (website larkmoor.com)`)).toMatchObject({
        status: 'partial_match',
        match_confidence: 79,
        factors: expect.arrayContaining([
          expect.objectContaining({ code: 'identifier_shared', impact: 'high' }),
        ]) as unknown,
      })
    },
  )

  test.each([
    ['Larkmoor Canada', 'partial_match', 79],
    ['Larkmoor (Canada)', 'partial_match', 79],
    ['Larkmoor Inc - Deutschland', 'partial_match', 79],
    ['Larkmoor South Africa', 'partial_match', 79],
    ['Larkmoor Europe', 'partial_match', 79],
    ['Larkmoor GmbH', 'partial_match', 79],
    ['Larkmoor LLC', 'partial_match', 79],
    ['Larkmoor', 'matched', 99],
    ['Larkmoor Incorporated', 'matched', 99],
    ['Larkmoor USA', 'matched', 99],
    ['Larkmoor United States Inc', 'matched', 99],
  ])('"%s" beside a website that a group may share is %s %d', (name, status, confidence) => {
    for (const location of [undefined, 'CA', 'US']) {
      const answer = ask(registry, `${name} (website larkmoor.com)`, location)
      expect([answer.status, answer.match_confidence]).toEqual([status, confidence])
      expect(codesOf(answer).includes('identifier_shared')).toBe(confidence === 79)
    }
    // A number of a register is of one company alone.
    const sure = ask(registry, `${name} (CIK 1, website larkmoor.com)`)
    expect([sure.status, sure.match_confidence]).toEqual(['matched', 99])
  })

  const names: readonly (readonly [legal: string, country: string, ...others: string[]])[] = [
    ['Larkmoor Technologies Co., Ltd.', 'CN', '拉克摩尔技术有限公司', '拉克摩尔', 'Larkmoor'],
    ['Larkmoor Electronics Co., Ltd.', 'KR', '라크무어전자 주식회사', '라크무어'],
    ['Larkmoor Motor Corporation', 'JP', 'ラークムーア自動車株式会社', 'Larkmoor Motor'],
    ['Larkmoor JSC', 'RU', 'ООО «Ларкмур»', 'АО «Ларкмур»', 'Larkmoor AO'],
    ['Larkmoor A.E.', 'GR', 'ΛΑΡΚΜΟΥΡ Α.Ε.', 'ΛΑΡΚΜΟΥΡ'],
    ['Larkmoor Spółka Akcyjna', 'PL', 'Larkmoor S.A.', 'Larkmoor sp. z o.o.'],
  ]
  test.each(names)(
    'of the company never lowers the confidence of a name of %s',
    (name, country, ...others) => {
      const website = 'https://www.larkmoor.com'
      const registry = rowsOf({ id: 'a', name, other_names: others.join('|'), country, website })
      for (const asked of [name, ...others])
        for (const location of [null, country]) {
          const alone = ask(registry, asked, location)
          const told = ask(registry, `${asked} (website larkmoor.com)`, location)
          expect(told.match_confidence).toBeGreaterThanOrEqual(alone.match_confidence)
          expect(named(told)).toBe(name)
        }
    },
  )

  test('a name with a country that is certainly another company contradicts the website', () => {
    const canada = { id: 'd', name: 'Larkmoor Canada Corp', country: 'CA', cik: '4' }
    const answer = ask(
      registryOf([{ id: 'a', name: 'Larkmoor Inc', country: 'US', website: 'larkmoor.com' }, canada]),
      'Larkmoor Canada (website larkmoor.com)',
    )
    expect(answer.status).toBe('inconclusive')
  })

  test('a company agrees with a website that its owner states', () => {
    const answer = ask(registry, 'CIK 3, website larkmoor.com')
    expect([answer.status, named(answer)]).toEqual(['matched', 'Larkmoor Foods Inc'])
    expect(ask(registry, 'CIK 2, website larkmoor.com')).toMatchObject({ status: 'inconclusive' })
  })
})

describe('a website next to the exact legal name of another company', () => {
  const plc = { id: 'plc', name: 'Larkmoor PLC', city: 'Leeds', country: 'GB', status: 'active' }
  const stores = {
    id: 'stores',
    name: 'Larkmoor Stores Limited',
    city: 'Leeds',
    country: 'GB',
    status: 'active',
    website: 'https://www.larkmoor.com',
  }

  test('does not overrule it: the name is answered, and says whose the website is', () => {
    const answer = ask(rowsOf(plc, stores), 'Larkmoor PLC (website larkmoor.com)', 'Leeds, GB')
    expect([answer.status, named(answer)]).toEqual(['matched', 'Larkmoor PLC'])
    expect(saidOf(answer, 'identifier_name_mismatch')).toBe(
      'Website larkmoor.com is that of "Larkmoor Stores Limited".',
    )
  })

  test('where two companies have that legal name it is open which of them is meant', () => {
    const answer = ask(rowsOf(plc, { ...plc, id: 'other' }, stores), 'Larkmoor PLC (website larkmoor.com)')
    expect(answer.match_confidence).toBeLessThan(80)
  })

  test.each([
    ['a name without a legal form names the holder', 'Larkmoor', null, 'matched', 99],
    [
      'the legal name of a company in another country than the one that is asked for makes it a guess',
      'Larkmoor PLC',
      'Denver, US',
      'partial_match',
      79,
    ],
    ['the holder’s own legal name names it', 'Larkmoor Stores Limited', null, 'matched', 99],
  ])('%s', (_, name, location, status, confidence) => {
    const holder = location === null ? stores : { ...stores, city: 'Denver', country: 'US' }
    const answer = ask(rowsOf(plc, holder), `${name} (website larkmoor.com)`, location)
    expect([answer.status, answer.match_confidence, named(answer)]).toEqual([
      status,
      confidence,
      'Larkmoor Stores Limited',
    ])
  })
})

test('A search finds the company with the identifier first, then names', () => {
  const registry = rowsOf()
  const namesFor = (name: string) =>
    registry.search({ name, limit: 5 }).hits.map(({ legalName }) => legalName)
  expect(namesFor('CIK 51143')).toEqual([ibm])
  expect(namesFor('Acme Widgets (CIK 51143)')).toEqual([ibm, 'Acme Widgets Limited', 'Acme Widgets LLP'])
  expect(registry.search({ name: 'CIK 51143', limit: 5, countryCode: 'GB' }).hits).toEqual([])
})

test('of two hundred companies each is found by each of its identifiers, and no other is', () => {
  const rows = Array.from({ length: 200 }, (_, at) => ({
    id: `c${at}`,
    name: `${['Alder', 'Birch', 'Cedar', 'Dogwood'][at % 4] ?? ''} ${at} ${at % 7 === 0 ? 'Fund' : 'Holdings'} Limited`,
    country: 'GB',
    jurisdiction: 'gb',
    status: at % 5 === 0 ? 'dissolved' : 'active',
    lei: leiOf(at),
    cik: String(at + 1),
    registration_id: String(at + 100).padStart(8, '0'),
  }))
  const registry = registryOf(rows)
  for (const { name, lei, cik, registration_id } of rows) {
    for (const text of [`LEI ${lei}`, `CIK ${cik}`, `company number GB ${Number(registration_id)}`]) {
      const answer = ask(registry, text)
      expect([text, named(answer), answer.match_confidence, answer.status]).toEqual([
        text,
        name,
        99,
        'matched',
      ])
    }
  }
  const unheld = Array.from({ length: 200 }, (_, at) => `LEI ${leiOf(5_000 + at)}`)
  expect(unheld.filter((text) => named(ask(registry, text)) !== null)).toEqual([])
})

describe('a website that companies of one group share', () => {
  const group = (parentId: string) =>
    rowsOf(
      {
        id: 'top',
        name: 'Velmora Inc',
        city: 'Denver',
        country: 'US',
        website: 'https://www.velmora.example.com',
        status: 'active',
      },
      {
        id: 'uk',
        name: 'Velmora Ltd',
        city: 'Leeds',
        country: 'GB',
        website: 'https://velmora.example.com/uk/',
        status: 'active',
        parent_id: parentId,
      },
    )

  test.each([
    ['the name and the place say which', 'top', 'Denver, US', 'matched', 'Velmora Inc'],
    ['and say so of the one that is owned, too', 'top', 'Leeds, GB', 'matched', 'Velmora Ltd'],
    ['without a place it is the one that owns the others', 'top', null, 'matched', 'Velmora Inc'],
    ['where none owns the others it stays open', '', null, 'inconclusive', 'Velmora Inc'],
  ])('%s', (_, parentId, location, status, name) => {
    const answer = ask(group(parentId), 'Velmora (website velmora.example.com)', location)
    expect([answer.status, named(answer)]).toEqual([status, name])
  })
})

test('sentences quote a name with quotes of its own by other ones', () => {
  const names = ['SIA "Norvane"', 'Biedrība "Norvane Baltic"', 'ТОВ "Ларкмур"']
  const held = registryOf(
    names.map((name, at) => ({ id: `100${at}`, name, city: 'Ogre', country: at === 2 ? 'UA' : 'LV' })),
  )
  const texts = [
    ['SIA Norvane', 'LV'],
    ['Norvane Baltic Kurzeme', 'LV'],
    ['Larkmoor', 'UA'],
    ['Quillbrook, registration number 1000', 'LV'],
    ['SIA Norvane / Norvane Baltic', 'LV'],
    ['Ларкмур, 1002', 'UA'],
  ].flatMap(([name, location]) =>
    held
      .resolve({ name: name ?? '', location: location ?? null, context: null })
      .factors.map(({ description }) => description),
  )
  expect(texts.join()).toContain(`“${names[0] ?? ''}”`)
  for (const name of names) expect(texts.join().replaceAll(`“${name}”`, '')).not.toContain(name)
})

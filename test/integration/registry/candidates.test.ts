import fc from 'fast-check'
import { forAll } from '../../support/properties.js'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { candidateLimits, type CompanyCandidate } from '../../../src/registry/answer/candidates.js'
import { openShippedRegistry } from '../../../src/registry/read-registry.js'
import type { Registry } from '../../../src/registry/registry.js'
import { leiOf } from '../../support/made-identifiers.js'
import { registryOf, sampleRows, type Row } from '../../support/registry.js'

const countMax = 5
const candidates = (
  registry: Registry,
  name: string,
  location: string | null = null,
  context: string | null = null,
) => registry.candidates({ name, location, context }, countMax)
const answer = (registry: Registry, name: string, location: string | null = null) =>
  registry.resolve({ name, location, context: null })
const legalNames = (found: readonly CompanyCandidate[]) => found.map(({ legalName }) => legalName)
const weightOf = ({ evidence }: CompanyCandidate) =>
  evidence.reduce((sum, { weight }) => sum + (weight ?? 0), 0)
const ibm = 'International Business Machines Corporation'
const rowsOf = (...rows: Row[]) => registryOf([...sampleRows, ...rows])

describe('candidates of a name', () => {
  const registry = rowsOf()

  test('have what a person needs to tell them apart', () => {
    expect(candidates(registry, 'I.B.M. Corp', 'Armonk')).toEqual([
      {
        entityId: answer(registry, 'IBM', 'Armonk').entity?.id,
        legalEntityId: expect.stringMatching(/^le_/) as string,
        name: 'IBM',
        legalName: ibm,
        otherNames: ['Big Blue', 'Computing-Tabulating-Recording Company'],
        status: 'active',
        place: 'One New Orchard Road, Armonk, NY 10504, United States',
        countryCode: 'US',
        jurisdiction: 'us_ny',
        identifiers: [
          { type: 'lei', value: 'VGRQXHF3J8VDLUA7XE92' },
          { type: 'cik', value: '0000051143' },
          { type: 'ein', value: '130871985' },
          { type: 'ticker', value: 'IBM' },
        ],
        confidence: expect.any(Number) as number,
        evidence: expect.arrayContaining([
          { label: 'place', text: 'the same town: Armonk', weight: expect.any(Number) as number },
        ]) as CompanyCandidate['evidence'],
        url: 'https://search.gleif.org/#/record/VGRQXHF3J8VDLUA7XE92',
      },
    ])
  })

  test('a candidate that is no company says so first, by name and by identifier', () => {
    const fund = { id: 'f', name: 'Larkmoor Income Fund', subtype: 'complex_business_structure', cik: '7' }
    for (const name of ['Larkmoor Income Fund', 'CIK 7'])
      expect(candidates(rowsOf(fund), name)[0]?.evidence[0]).toEqual({
        label: 'kind of body',
        text: '"Larkmoor Income Fund" is a fund, not a company: only companies are given as an answer.',
        weight: name === 'CIK 7' ? null : (expect.any(Number) as number),
      })
  })

  test('the company that is answered is the first, and no surer than the answer', () => {
    for (const [name, location] of [
      ['acme widgets', null],
      ['acme widgets', 'Leeds'],
      ['Red Hat Logistics', 'Leeds, GB'],
      ['Oxfam', 'Oxford'],
      ['Acme Widgits Holdings', 'Leeds'],
    ] as const) {
      const [first] = candidates(registry, name, location)
      const { match_confidence: confidence, entity, candidate } = answer(registry, name, location)
      // Of what is too unlikely to be named the answer says nothing.
      if (entity !== null || candidate !== null)
        expect(first?.legalName).toBe(entity?.legal_name ?? candidate?.legal_name)
      expect(first?.confidence ?? 0).toBeLessThanOrEqual(Math.max(confidence, 20))
    }
  })

  test('with equal evidence they are equally likely, and in all no surer than certain', () => {
    const twins = rowsOf(
      { id: 'a', name: 'Norvane Foods Ltd', country: 'GB', city: 'Leeds' },
      { id: 'b', name: 'Norvane Foods Ltd', country: 'GB', city: 'Leeds' },
    )
    const found = candidates(twins, 'Norvane Foods', 'Leeds')
    expect(found).toHaveLength(2)
    expect(found[0]?.confidence).toBe(found[1]?.confidence)
    expect(found[0]?.confidence).toBeLessThanOrEqual(50)
    expect(found[0]?.confidence).toBeGreaterThan(30)
  })

  test('the weights of one that has no other beside it are the log-odds of its share: what is not shown is small', () => {
    const [only] = candidates(registry, 'Oxfam', 'Oxford')
    const share = 1 / (1 + Math.exp(-weightOf(only as CompanyCandidate)))
    expect(share).toBeGreaterThan(0.98)
    const labels = candidates(registry, 'Oxfam')[0]?.evidence.map(({ label }) => label) ?? []
    expect(labels[0]).toBe('kind of body')
    expect(labels).toEqual(
      expect.arrayContaining(['start', 'name', 'rare words', 'size of the registry', 'other candidates']),
    )
  })

  test('where nothing is answered, what is near is found; what is not, is not', () => {
    expect(answer(registry, 'Norvane Widgets Direct', 'Leeds').status).toMatch(/^(?:no_match|inconclusive)$/)
    expect(legalNames(candidates(registry, 'Red Hatt Services', 'Leeds, GB'))).toEqual(['Red Hat, Inc.'])
    expect(answer(registry, 'Red Hatt Services', 'Leeds, GB').status).toMatch(/^(?:no_match|inconclusive)$/)
    expect(candidates(registry, 'Unheard-of Bakery', 'Leeds')).toEqual([])
    expect(answer(registry, '???').status).toBe('not_found')
    expect(candidates(registry, '???')).toEqual([])
  })

  test('the context tells them apart as it does for the answer', () => {
    const told = candidates(registry, 'acme widgets', null, 'see acmesolicitors.example.com')
    expect(told[0]).toMatchObject({
      legalName: 'Acme Widgets LLP',
      evidence: expect.arrayContaining([
        expect.objectContaining({ label: 'context', weight: expect.any(Number) as number }),
      ]) as CompanyCandidate['evidence'],
    })
  })

  test('there are at most so many, the likeliest first, and none that is all but impossible', () => {
    const many = registryOf(
      Array.from({ length: 30 }, (_, at) => ({
        id: `n${at}`,
        name: `Norvane ${at + 100} Ltd`,
        country: 'GB',
      })),
    )
    const found = candidates(many, 'Norvane')
    expect(found).toHaveLength(countMax)
    const confidences = found.map(({ confidence }) => confidence ?? 0)
    expect(confidences).toEqual([...confidences].sort((a, b) => b - a))
    expect(many.candidates({ name: 'Norvane', location: null, context: null }, 2)).toEqual(found.slice(0, 2))
  })

  test('lists are bounded, and each name stands once', () => {
    const names = Array.from({ length: 40 }, (_, at) => `Norvane Brand ${at}`)
    const long = registryOf([
      {
        id: 'long',
        name: 'Norvane Ltd',
        other_names: [...names, 'NORVANE LTD.', 'norvane brand 1'].join('|'),
        country: 'GB',
        bic: Array.from(
          { length: 60 },
          (_, at) =>
            `NORV${String.fromCharCode(65 + (at % 26))}${String.fromCharCode(65 + Math.floor(at / 26))}2L`,
        ).join('|'),
      },
    ])
    const [found] = candidates(long, 'Norvane')
    expect(found?.otherNames).toEqual(names.slice(0, candidateLimits.namesMax))
    expect(found?.identifiers.length).toBeLessThanOrEqual(candidateLimits.identifiersMax)
  })

  test('a company with several registrations stands at the one that was compared, under its own name', () => {
    const branched = rowsOf(
      { id: 'x', name: 'Norvane AG', country: 'DE', city: 'Ulm', jurisdiction: 'de', lei: leiOf(7) },
      {
        id: 'y',
        name: 'Norvane Leeds Branch',
        country: 'GB',
        city: 'Leeds',
        jurisdiction: 'gb',
        lei: leiOf(7),
      },
    )
    const [found] = candidates(branched, 'Norvane Leeds Branch', 'Leeds, GB')
    expect(found).toMatchObject({
      legalName: 'Norvane AG',
      place: 'Leeds, United Kingdom',
      jurisdiction: 'gb',
    })
    expect(found?.otherNames).toContain('Norvane Leeds Branch')
  })
})

describe('candidates of a name that states identifiers', () => {
  const registry = rowsOf(
    { id: 'sharer', name: 'Larkmoor Holdings Inc', country: 'US', cik: '7', website: 'https://larkmoor.com' },
    { id: 'other', name: 'Larkmoor Foods Inc', country: 'US', website: 'https://www.larkmoor.com' },
    { id: 'page', name: 'Norvane Inc', country: 'US', website: 'https://hosted.example.org/norvane' },
  )

  test('whoever bears it stands first, judged by the name too; whom the name means follows', () => {
    const found = candidates(registry, 'IBM (CIK 1087423)', 'Raleigh')
    expect(legalNames(found)).toEqual(['Red Hat, Inc.', ibm])
    expect(found[0]).toMatchObject({
      confidence: 50,
      evidence: [
        { label: 'identifier', text: 'it has CIK 0001087423', weight: null },
        { label: 'name', text: '"IBM" is no name of it', weight: null },
        { label: 'place', text: 'the same town: Raleigh', weight: null },
      ],
    })
    expect(found[1]?.confidence).toBeLessThanOrEqual(49)
  })

  test('identifiers of several companies are each a candidate, as likely as the other', () => {
    const found = candidates(registry, 'Norvane Group (CIK 1087423, LEI VGRQXHF3J8VDLUA7XE92)')
    expect(legalNames(found).slice(0, 2).sort()).toEqual([ibm, 'Red Hat, Inc.'])
    expect(found.slice(0, 2).map(({ confidence }) => confidence)).toEqual([49, 49])
    expect(found[0]?.evidence.map(({ text }) => text)).toEqual(
      expect.arrayContaining([expect.stringContaining('is that of another company')]),
    )
  })

  test('where nobody bears it, the name has candidates of its own', () => {
    const named = candidates(registry, 'acme widgets (CIK 999999)')
    expect(legalNames(named).sort()).toEqual(['Acme Widgets LLP', 'Acme Widgets Limited'])
    expect(candidates(registry, 'CIK 999999')).toEqual([])
    expect(candidates(registry, 'LEI VGRQXHF3J8VDLUA7XE93')).toEqual([])
  })

  test('a namesake with another identifier is no surer than its answer', () => {
    const { status, match_confidence: confidence } = answer(registry, 'Red Hat, Inc. (CIK 999999)')
    expect([status, confidence]).toEqual(['inconclusive', 50])
    expect(candidates(registry, 'Red Hat, Inc. (CIK 999999)')[0]).toMatchObject({
      legalName: 'Red Hat, Inc.',
      confidence: 50,
    })
  })

  test('a website alone has the candidates that state it', () => {
    const found = candidates(registry, 'website larkmoor.com')
    expect(legalNames(found).sort()).toEqual(['Larkmoor Foods Inc', 'Larkmoor Holdings Inc'])
    expect(found[0]?.legalName).toBe(answer(registry, 'website larkmoor.com').candidate?.legal_name)
    expect(found[0]?.evidence).toEqual([
      {
        label: 'identifier',
        text: expect.stringContaining('larkmoor.com as its website') as string,
        weight: null,
      },
    ])
    expect(candidates(registry, 'website example.org').map(({ confidence }) => confidence)).toEqual([55])
    expect(candidates(registry, 'website nowhere.example.net')).toEqual([])
  })
})

test('over the registry that ships: whatever is asked, lawful candidates, the answered one among them', () => {
  const registry = openShippedRegistry()
  try {
    const rows = readFileSync('fixtures/registry/companies.csv', 'utf8').split('\n').slice(1, 400)
    for (const row of rows) {
      const [first = '', second = ''] = (row.split(',')[1] ?? '').replaceAll('"', '').split(' ')
      if (first.length < 2) continue
      const asked = registry.ask({
        name: `${first} ${second.slice(0, -1)}`.trim(),
        location: null,
        context: null,
      })
      const { entity, match_confidence: confidence } = asked.answer()
      const found = asked.candidates(countMax)
      expect(found.length).toBeLessThanOrEqual(countMax)
      if (entity !== null) expect(found[0]?.entityId).toBe(entity.id)
      for (const { confidence: own, evidence, url } of found) {
        expect(own).toBeGreaterThanOrEqual(0)
        expect(own).toBeLessThanOrEqual(Math.max(confidence, 20))
        for (const { label, text, weight } of evidence) {
          expect(`${label} ${text}`).not.toMatch(/undefined|null|NaN/)
          expect(Number.isFinite(weight)).toBe(true)
        }
        if (url !== null) expect(url).toMatch(/^https:\/\//)
      }
    }
  } finally {
    registry.close()
  }
})

describe('Answer and candidates agree', () => {
  const registry = rowsOf(
    { id: 'plc', name: 'Norvane Public Limited Company', country: 'GB', city: 'London' },
    { id: 'bank', name: 'Sparkasse Ansbach', country: 'DE', city: 'Ansbach' },
    { id: 'sign', name: '&', country: 'GR' },
    { id: 'mill', name: 'Larkmoor Steel Corporation', country: 'US', city: 'Boston' },
  )
  const words = [
    'Norvane',
    'Norvain',
    'Larkmoor',
    'Lakrmoor',
    'Steel',
    'corp',
    'AG',
    'S/A',
    'Vale',
    '& Co. KG',
    'Müller',
    'larkmoor.com',
  ]
  const names = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 })
  const places = fc.constantFrom(null, 'DE', 'GB', 'W1S 1YZ GB', 'Boston, US')

  test('The best guess is a candidate, and a sentence about the closest name is about the first one', () => {
    forAll(150, [names, places], (parts, location) => {
      const query = { name: parts.join(' '), location, context: null }
      const { entity, candidate, factors } = registry.resolve(query)
      const listed = registry.candidates(query, 5)
      const best = entity?.legal_name ?? candidate?.legal_name
      if (best !== undefined)
        expect([query, listed.map(({ legalName }) => legalName)]).toEqual([
          query,
          expect.arrayContaining([best]),
        ])
      const said = factors.map(({ description }) => description).join(' ')
      if (said.includes('No registration has this name or one close to it.'))
        expect([query, listed]).toEqual([query, []])
      const [, closest] = /The closest name held is "(.*)":/.exec(said) ?? []
      if (closest !== undefined) expect([query, listed[0]?.legalName]).toEqual([query, closest])
    })
  })

  test.each([
    ['Vale S/A', null],
    ['Müller GmbH & Co. KG', null],
  ])('%s: a company with nothing in common is no candidate', (name, location) => {
    expect(legalNames(candidates(registry, name, location))).toEqual([])
  })

  // Initials of two names each, and a word that many names have.
  const usual = ['Services', 'Trading', 'International', 'Holdings', 'Group', 'Handel', 'Comercial']
  const forms = ['A/S', 'S.A.', 'SE', 'PLC', 'LLC', 'JSC', 'SIA', 'AB', 'AG', 'S.p.A.', 'SCA', 'LP', 'KG']
  test.each([
    ...forms,
    ...usual.map((word) => `Quorvik ${word} Ltd`),
    ...forms.map((form) => `Quorvik ${form}`),
  ])('%s: a form or a usual word in common makes no close name', (name) => {
    const held = rowsOf(
      ...forms.map((form) => {
        const words = Array.from(form.replace(/[^A-Za-z]/g, '').toLowerCase(), (letter) => `${letter}elmarin`)
        return { id: form, name: words.join(' '), country: 'US' }
      }),
      ...usual.map((word) => ({ id: word, name: `${word} Services Ltd`, country: 'GB' })),
      ...forms.map((form) => ({ id: `n${form}`, name: `Norvane ${form}`, country: 'DK' })),
    )
    for (const location of [null, 'GB', 'DK'])
      expect(legalNames(candidates(held, name, location))).toEqual([])
  })

  test.each(['larkmoorsteel.com', 'larkmoor.com'])(
    '%s, which no register states, has the same answer by both ways, and no candidate is more certain',
    (domain) => {
      const answer = registry.resolveDomain(domain)
      expect(answer).toEqual(registry.resolve({ name: `website ${domain}`, location: null, context: null }))
      const [first] = candidates(registry, `website ${domain}`)
      const named = answer.entity ?? answer.candidate
      expect(named?.legal_name).toBe(named === null ? undefined : first?.legalName)
      expect(answer.match_confidence).toBeLessThanOrEqual(answer.entity === null ? 49 : 85)
      expect(first?.confidence ?? 0).toBeLessThanOrEqual(answer.match_confidence)
    },
  )
})

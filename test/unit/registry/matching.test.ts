import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { CandidateName } from '../../../src/registry/match/candidate.js'
import type { NameKind } from '../../../src/registry/model/registry-row.js'
import { decide, selectBest, type MatchDecision } from '../../../src/registry/match/decide.js'
import { parseName } from '../../../src/registry/normalize/parsed-name.js'
import { parseLocation } from '../../../src/registry/match/place.js'
import { cityKeyOf, regionCodeIn } from '../../../src/registry/normalize/place-names.js'
import { variantsOf } from '../../../src/registry/normalize/name-variants.js'
import { scoreName, type ScoredName } from '../../../src/registry/match/score.js'
import { Vocabulary } from '../../../src/registry/match/vocabulary.js'

/** As many names as a real registry has, so that rarity means what it means there. */
const namesTotal = 100_000
const commonWords = {
  first: 900,
  bank: 2_000,
  capital: 3_000,
  energy: 1_500,
  fund: 4_000,
  group: 5_000,
  trust: 4_000,
}
const vocabulary = new Vocabulary(new Map(Object.entries(commonWords)), namesTotal)

interface Held {
  readonly name: string
  readonly kind?: NameKind
  readonly city?: string
  readonly region?: string
  readonly country?: string
  readonly active?: boolean
  readonly supported?: boolean
}

function candidates(held: readonly Held[]): CandidateName[] {
  return held.map((row, index) => {
    const parsed = parseName(row.name)
    const country = row.country ?? 'US'
    return {
      entityNumber: index + 1,
      legalEntityNumber: index + 1,
      kind: row.kind ?? 'legal',
      name: row.name,
      tokens: parsed.tokens,
      coreKey: parsed.coreKey,
      fullKey: parsed.fullKey,
      formClass: parsed.formClass,
      acronym: parsed.acronym,
      active: row.active ?? true,
      removed: false,
      supported: row.supported ?? true,
      place: {
        cityKey: row.city === undefined ? '' : cityKeyOf(row.city),
        regionCode: row.region === undefined ? '' : (regionCodeIn(country, row.region) ?? ''),
        postalKey: '',
        countryCode: country,
        jurisdictionCountry: country,
        jurisdictionRegion: '',
      },
    }
  })
}

function match(name: string, location: string | null, held: readonly Held[], fit = () => 0): MatchDecision {
  const query = { variants: variantsOf(name), location: parseLocation(location) }
  const scored = candidates(held)
    .map((candidate) => scoreName(query, candidate, vocabulary))
    .filter((found): found is ScoredName => found !== null)
  return decide(selectBest(scored, fit))
}

function named(decision: MatchDecision): string | null {
  return decision.kind === 'none' ? null : decision.best.candidate.name
}

const acme = { name: 'Acme Widgets, Inc.', city: 'Austin', region: 'TX' }

describe('what is certain', () => {
  test.each([
    ['Acme Widgets, Inc.', null],
    ['ACME WIDGETS', null],
    ['acme widgets inc', 'Austin'],
    ['Widgets Acme Inc', 'Austin, TX'],
    ['Acme Widgest', 'Austin'],
    ['Acme Wigdets Corporation', 'Austin, TX'],
    ['Acmewidgets', null],
    ['Acme Widget', 'Austin'],
    ['Acme Widgets, Inc. Common Stock', null],
    ['Acme Widgets Inc', 'Dallas, TX'],
    ['Acme Widgets Inc', 'Boston, MA'],
  ])('%j at %j is Acme Widgets, Inc.', (name, location) => {
    const decision = match(name, location, [acme])
    expect(decision).toMatchObject({ kind: 'entity', doubts: [] })
    expect(decision.kind !== 'none' && decision.confidence).toBeGreaterThanOrEqual(80)
  })

  it('the place tells companies of one name apart', () => {
    const held = [
      { name: 'First Bancorp', city: 'San Juan', region: undefined, country: 'PR' },
      { name: 'First Bancorp', city: 'Southern Pines', region: 'NC' },
    ].map(({ region, ...rest }) => (region === undefined ? rest : { ...rest, region }))
    const decision = match('First Bancorp', 'Southern Pines, NC', held)
    expect(decision).toMatchObject({ kind: 'entity', rivals: [], best: { candidate: { entityNumber: 2 } } })
  })

  it('a former name leads to the company of today', () => {
    const decision = match('Facebook, Inc.', null, [{ name: 'Facebook, Inc.', kind: 'former' }])
    expect(decision).toMatchObject({ kind: 'entity', doubts: [] })
  })

  test.each([
    ['Western New England Bancorp, In', { name: 'Western New England Bancorp, Inc.' }],
    ['Spirit Aerosystems Holdings, In', { name: 'Spirit AeroSystems Holdings, Inc.' }],
    ['First Trust Enhanced Equity Inc', { name: 'First Trust Enhanced Equity Income Fund' }],
    ['Lions Gate Entertainment Corpor', { name: 'Lions Gate Entertainment Corp /Cn/' }],
    ['Global Partner Acquisition Corp', { ...acme, name: 'Global Partner Acquisition Corp II' }],
  ])('%j, cut off by a column, is the only company that goes on so', (name, held) => {
    const decision = match(name, 'Austin, TX', [held, { name: 'Zebra Logistics' }])
    expect(decision).toMatchObject({ kind: 'entity', doubts: [], best: { candidate: { name: held.name } } })
  })

  it('the place chooses among the ends that a cut name may have', () => {
    const held = [
      { name: 'Global Partner Acquisition Corp.', city: 'Lehi', region: 'UT' },
      { name: 'Global Partner Acquisition Corp II', city: 'Rye Brook', region: 'NY' },
    ]
    expect(named(match('Global Partner Acquisition Corp', 'Rye Brook, NY', held))).toBe(held[1]?.name)
  })

  it('a number that was given whole is not the beginning of another', () => {
    const decision = match('CCP Widgets Fund II', null, [{ name: 'CCP Widgets Fund III' }])
    expect(decision.kind === 'none' || decision.confidence < 80).toBe(true)
  })

  it('the registered name in full outranks an alias of another', () => {
    const held = [{ name: 'Microsoft', kind: 'other' as const }, { name: 'Microsoft Corporation' }]
    expect(match('Microsoft Corporation', null, held)).toMatchObject({
      kind: 'entity',
      best: { candidate: { entityNumber: 2 } },
    })
  })

  it('a dissolved company is no rival of a living one', () => {
    const held = [{ ...acme, active: false }, acme]
    expect(match('Acme Widgets', null, held)).toMatchObject({
      kind: 'entity',
      best: { candidate: { entityNumber: 2 } },
    })
  })
})

describe('what is held below 80', () => {
  test.each<[string, string, string | null, Held[], string]>([
    [
      'two companies of one name',
      'Acme Widgets',
      null,
      [acme, { ...acme, name: 'Acme Widgets Ltd' }],
      'several_companies',
    ],
    [
      'one city for both',
      'Acme Widgets',
      'Austin',
      [acme, { ...acme, name: 'Acme Widgets Ltd' }],
      'several_companies',
    ],
    [
      'a cut name with two ends',
      'Blackrock Municipal Incom',
      null,
      [{ name: 'Blackrock Municipal Income Trust' }, { name: 'Blackrock Municipal Income Fund' }],
      'several_completions',
    ],
    ['one generic word', 'Energy', null, [{ name: 'Energy Inc.' }], 'generic_name'],
    ['a part of the name', 'Acme Widgets', null, [{ name: 'Acme Widgets Logistics Inc.' }], 'subset_only'],
    [
      'a short name that another begins with',
      'Sun Communities',
      null,
      [{ name: 'Sun Communities Operating Ltd' }],
      'subset_only',
    ],
    [
      'one distinctive word misspelled',
      'The Harbro Group Ltd.',
      null,
      [{ name: 'Harbor Group, Inc.' }],
      'spelling_without_place',
    ],
    ['more than the name', 'Acme Widgets Logistics', null, [acme], 'subset_only'],
    ['a number on one side', 'Acme Widgets II', 'Austin', [acme], 'numbers_differ'],
    [
      'other numbers',
      'Acme Growth Widgets 3',
      'Austin, TX',
      [{ ...acme, name: 'Acme Growth Widgets 2' }],
      'numbers_differ',
    ],
    [
      'initials without a place',
      'AWL',
      null,
      [{ name: 'Acme Widgets Logistics Inc.' }],
      'acronym_without_place',
    ],
    [
      'a common name in another country',
      'Energy Bank',
      'Germany',
      [{ name: 'Energy Bank' }],
      'country_differs',
    ],
    [
      'a distinctive name in another country, with another form',
      'Acme Widgets Limited',
      'Leeds, GB',
      [{ ...acme, name: 'Acme Widgets, Inc.' }],
      'country_differs',
    ],
    ['one misspelled word, no place', 'Exogen', null, [{ name: 'Exagen Inc.' }], 'spelling_without_place'],
    ['a light word more, no place', 'Acme Widgets Holdings', null, [acme], 'longer_name'],
    ['a light word more, both names in full', 'Acme Widgets Holdings Inc', 'Austin', [acme], 'longer_name'],
    [
      'a column that may have ended before the number of a series',
      'Northern Genesis Acquisition Co',
      null,
      [{ name: 'Northern Genesis Acquisition Corp.' }, { name: 'Northern Genesis Acquisition Corp. III' }],
      'several_completions',
    ],
    [
      'a series at one address, as far as it is known',
      'Northern Genesis Acquisition Co',
      'Austin, TX',
      [
        { ...acme, name: 'Northern Genesis Acquisition Corp.' },
        { name: 'Northern Genesis Acquisition Corp. III' },
      ],
      'several_completions',
    ],
    ['a common word elsewhere', 'Capital', 'Boston, MA', [{ ...acme, name: 'Capital Inc' }], 'place_differs'],
    ['everyday words alone', 'Capital Group', null, [{ name: 'Capital Group Ltd' }], 'generic_name'],
    [
      'the name elsewhere, and nearly the name there',
      'Acme Widgets',
      'Boston, MA',
      [acme, { name: 'Acme Widgets Holdings', city: 'Boston', region: 'MA' }],
      'several_companies',
    ],
    ['a partnership for a corporation', 'Acme Widgets LP', 'Austin', [acme], 'form_differs'],
    ['what brackets set apart', 'Acme Widgets (Marple)', null, [acme], 'subset_only'],
    ['a trading name', 'Smith Ltd t/a Acme Widgets', null, [acme], 'subset_only'],
  ])('%s', (_rule, name, location, held, doubt) => {
    const decision = match(name, location, held)
    if (decision.kind === 'none') throw new Error('nothing was found')
    expect(decision.doubts).toContain(doubt)
    expect(decision.confidence).toBeLessThan(80)
  })

  it('several companies that fit give a candidate, never an entity', () => {
    expect(match('Acme Widgets', null, [acme, { ...acme, city: 'Boston' }]).kind).toBe('candidate')
  })

  it('what is no incorporated business is a candidate, however exact', () => {
    const decision = match('Oxfam', null, [{ name: 'Oxfam', supported: false }])
    expect(decision.kind).toBe('candidate')
  })

  test.each(['Zebra Logistics', 'Bob’s Bakery', 'Acne Studios', ''])('%j is not Acme Widgets', (name) => {
    expect(match(name, 'Austin', [acme]).kind).toBe('none')
  })
})

describe('context', () => {
  const held = [acme, { ...acme, city: 'Boston' }]

  it('chooses between companies of one name', () => {
    const query = { variants: variantsOf('Acme Widgets'), location: null }
    const scored = candidates(held).map((candidate) => scoreName(query, candidate, vocabulary)!)
    const decision = decide(selectBest(scored, ({ candidate }) => (candidate.entityNumber === 2 ? 2 : 0)))
    expect(decision).toMatchObject({
      kind: 'entity',
      chosenByContext: true,
      best: { candidate: { entityNumber: 2 } },
    })
  })

  it('chooses none when it fits both alike', () => {
    expect(match('Acme Widgets', null, held, () => 3)).toMatchObject({
      kind: 'candidate',
      chosenByContext: false,
    })
  })

  it('is not asked where the name is nobody else’s', () => {
    const decision = match('Acme Widgets', null, [acme], () => {
      throw new Error('asked')
    })
    expect(named(decision)).toBe(acme.name)
  })
})

it('any query against any names gives a confidence from 0 to 99, and 80 or more only without doubt', () => {
  const word = fc.constantFrom(
    'acme',
    'first',
    'bank',
    'fund',
    'ii',
    '3',
    'inc',
    'ltd',
    'lp',
    'widgets',
    'wigdets',
    'x',
  )
  const phrase = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '))
  const name = fc.oneof(phrase, fc.string({ unit: 'grapheme', maxLength: 40 }))
  fc.assert(
    fc.property(name, fc.option(name), fc.array(phrase, { maxLength: 6 }), (query, location, names) => {
      const decision = match(
        query,
        location,
        names.map((held) => ({ name: held })),
      )
      if (decision.kind === 'none') return
      expect(Number.isInteger(decision.confidence)).toBe(true)
      expect(decision.confidence).toBeGreaterThanOrEqual(20)
      expect(decision.confidence).toBeLessThanOrEqual(decision.doubts.length > 0 ? 79 : 99)
      if (decision.rivals.length > 0) expect(decision.kind).toBe('candidate')
    }),
    { numRuns: 500 },
  )
})

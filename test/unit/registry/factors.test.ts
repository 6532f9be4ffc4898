import { iso31661, iso31662 } from 'iso-3166'
import { describe, expect, it, test } from 'vitest'
import type { Factor } from '../../../src/contract/result.js'
import { listActions, buildFactors, describeName } from '../../../src/registry/answer/factors.js'
import type { Match } from '../../../src/registry/answer/reasons.js'
import { featureNames, partOfFeatures, type FeaturePart } from '../../../src/registry/match/features.js'
import {
  computeScore,
  decisionFeatureNames,
  fittedCoefficients,
  weighParts,
} from '../../../src/registry/match/model.js'
import type { PlaceAgreement } from '../../../src/registry/match/place-agreement.js'
import type { StoredEntity, StoredLegalEntity } from '../../../src/registry/store/reader.js'
import { compared, match, rank, type Asked, type Held } from '../../support/matching.js'

const registration = {
  legalName: 'Zorvex Robotics Inc',
  type: 'business',
  subtype: 'incorporated_entity',
  status: 'active',
  legalForm: null,
  jurisdiction: 'us_nv',
  sourceName: 'companies.csv',
  sourceDate: '2026-01-31T00:00:00.000Z',
  removedFromSource: false,
  readMembership: () => ({ left: [], listPresent: () => [], readCountries: () => null }),
  identifiersOmitted: 0,
  names: [],
  address: { street: null, city: 'Reno', region: 'NV', postalCode: null, countryCode: 'US' },
} as unknown as StoredLegalEntity
const storedOf = (...registrations: StoredLegalEntity[]) =>
  ({ id: 'one', legalEntities: registrations }) as unknown as StoredEntity

/** Features of which those of one part add this weight to the log-odds, and no other adds anything. */
function weighOnly(part: FeaturePart, weight: number) {
  const { company } = fittedCoefficients
  const own = partOfFeatures.findIndex((of, at) => of === part && company[at] !== 0)
  const build = (value: number) => {
    const features = featureNames.map((_, at) => (at === own ? value : 0))
    const score = computeScore(features, company)
    return { features, decisionFeatures: decisionFeatureNames.map((name) => (name === 'score' ? score : 0)) }
  }
  const unit = build(1)
  return build(weight / (weighParts(unit.features, unit.decisionFeatures).get(part) ?? NaN))
}

type Query = Partial<Omit<Asked, 'held'>>

/** A certain match of which one part of the evidence counts this much. */
function weighed(
  name: string,
  held: Held | readonly Held[],
  part: FeaturePart = 'name',
  weight = 0,
  more: Query = {},
): Match {
  const all = Array.isArray(held) ? (held as Held[]) : [held as Held]
  const [best] = rank({ name, held: all, ...more }).ranked
  if (best === undefined) throw new Error(`${name} finds nothing`)
  const { features, decisionFeatures } = weighOnly(part, weight)
  return {
    kind: 'entity',
    best: { ...best, features },
    rivals: [],
    confidence: 95,
    noneShare: 0,
    decisionFeatures,
  }
}

const factors = (of: Match, one = registration): Factor[] => buildFactors(of, storedOf(one), one, () => null)
const said = (of: Match, one = registration): string =>
  factors(of, one)
    .map(({ description }) => description)
    .join('\n')

const robotics = { name: 'Zorvex Robotics Inc' }
const inc = { name: 'Zorvex Inc' }
const reno = { city: 'Reno', region: 'NV' }
const inReno = { ...inc, ...reno }

describe('factors state what counted', () => {
  test.each<[sentence: string, sign: 1 | -1, part: FeaturePart, text: string, held: Held]>([
    ['Your name has words that the company name does not have.', -1, 'words left over', 'Zorvex Calder', inc],
    ['The company name has words that your name does not have.', -1, 'words left over', 'Zorvex', robotics],
    [
      'Your name and the company name each have words that the other does not have.',
      -1,
      'words left over',
      'Zorvex Robotics Calder',
      { name: 'Zorvex Robotics Mellbrook' },
    ],
    ['The numbers in the two names differ.', -1, 'numbers', 'Zorvex Fund II', { name: 'Zorvex Fund III' }],
    [
      'The name continues with a number: it is one of a series.',
      -1,
      'numbers',
      'Zorvex Growth Acquisition Corp',
      { name: 'Zorvex Growth Acquisition Corp II' },
    ],
    ['The name is spelled differently.', -1, 'spelling', 'Zorvex Robtics', robotics],
    [
      'The distinctive part of the name is spelled differently.',
      -1,
      'spelling',
      'Zorvix Group',
      { name: 'Zorvex Group' },
    ],
    [
      'A word is in the plural in one of the two names.',
      -1,
      'spelling',
      'Zorvex Hotel',
      { name: 'Zorvex Hotels' },
    ],
    [
      'The words in common are words of everyday language.',
      -1,
      'rare words',
      'First Capital',
      { name: 'First Capital' },
    ],
    ['The legal form is the same.', 1, 'legal form', 'Zorvex Inc', inc],
    ['The legal forms are of one kind.', 1, 'legal form', 'Zorvex Corp', inc],
    ['The legal forms are of one kind.', 1, 'legal form', 'Zorvex AS', { ...inc, name: 'Zorvex ASA' }],
    [
      'The legal form is the same.',
      1,
      'legal form',
      'Zorvex AG',
      { ...inc, name: 'Zorvex Aktiengesellschaft' },
    ],
    ['The legal form is of another kind.', -1, 'legal form', 'Zorvex Robotics LP', robotics],
    [
      'The country of this company does not have the legal form of your row.',
      -1,
      'legal form',
      'Zorvex GmbH',
      { name: 'Zorvex Limited', country: 'GB' },
    ],
    ['It is a partnership, which your text does not say.', -1, 'legal form', 'Zorvex', { name: 'Zorvex LP' }],
    [
      'No other company in the registry has the name.',
      1,
      'companies with the same name',
      'Zorvex Robotics',
      robotics,
    ],
    [
      'No other company in the registry has a name that starts with these words.',
      1,
      'companies with the same name',
      'Zorvex',
      robotics,
    ],
    [
      'Its shares are traded: of companies of like names it is the likelier one.',
      1,
      'listed',
      'Zorvex',
      { ...inc, listed: true },
    ],
    [
      'It has a legal entity identifier (LEI), as few companies have.',
      1,
      'known to registers',
      'Zorvex',
      { ...inc, lei: true },
    ],
  ])('%s', (sentence, sign, part, text, held) => {
    const found = (weight: number) =>
      factors(weighed(text, held, part, sign * weight)).find(({ description }) => description === sentence)
    const type = sign > 0 ? 'strength' : 'limitation'
    expect(found(2)).toMatchObject({ type, impact: 'high' })
    expect(found(0.8)).toMatchObject({ type, impact: 'medium' })
    expect(found(0.3)).toMatchObject({ type, impact: 'low' })
    // Too little to speak of, or counted the other way.
    expect(found(0.05)).toBeUndefined()
    expect(found(-2)).toBeUndefined()
  })

  test.each<[PlaceAgreement, string, Held, string, Factor['type']]>([
    ['city', 'Reno, NV', inReno, 'The place given is that of the registration (Reno).', 'strength'],
    ['region', 'Elko, NV', inReno, 'The region given is that of the registration (Reno, NV).', 'strength'],
    ['country', 'US', inReno, 'The country given is that of the registration (United States).', 'strength'],
    [
      'region_conflict',
      'Austin, TX',
      inReno,
      'The registration is in another region (Reno, NV).',
      'limitation',
    ],
    [
      'country_conflict',
      'Leeds, GB',
      inReno,
      'The registration is in another country (United States, not United Kingdom).',
      'limitation',
    ],
    [
      'town_abroad',
      'Reno, GB',
      inReno,
      'The registration is in a town of this name, but in another country (United States).',
      'limitation',
    ],
    [
      'registered_there',
      'Leeds, GB',
      { ...inc, country: '', jurisdictionCountry: 'GB' },
      'The register is of the country given; no address is known.',
      'strength',
    ],
    [
      'registered_elsewhere',
      'Leeds, GB',
      { ...inc, country: '', jurisdictionCountry: 'US' },
      'The register is of another country (United States), and no address is known.',
      'limitation',
    ],
    [
      'none',
      'Reno',
      { ...inc, city: 'Elko' },
      'The place given is not known to be that of the company.',
      'limitation',
    ],
  ])('a place is always said: %s', (place, location, held, sentence, type) => {
    // What conflicts is never called a strength, nor the reverse, even if the model counts it so.
    for (const [weight, impact] of [
      [0, 'low'],
      [type === 'strength' ? -3 : 3, 'low'],
      [type === 'strength' ? 3 : -3, 'high'],
    ] as const) {
      const of = weighed('Zorvex', held, 'place', weight, { location })
      expect(of.best.evidence.place).toBe(place)
      expect(factors(of)).toContainEqual(expect.objectContaining({ description: sentence, type, impact }))
    }
  })

  it('where no place was given none is said', () => {
    expect(said(weighed('Zorvex', inReno, 'place', 3))).not.toMatch(/place|region|country/)
  })

  it('of names that many begin with, what tells this one, or how many they are', () => {
    const part = 'companies with the same name'
    const others: Held[] = [{ name: 'Zorvex Software' }, { name: 'Zorvex Capital' }]
    expect(said(weighed('Zorvex', [robotics, ...others], part, -1))).toContain(
      'Names of 3 companies start with these words.',
    )
    const elsewhere = others.map((one) => ({ ...one, city: 'Austin', region: 'TX' }))
    const there = weighed('Zorvex', [{ ...robotics, ...reno }, ...elsewhere], part, 1, {
      location: 'Reno, NV',
    })
    expect(said(there)).toContain(
      'No other company whose name starts with these words fits the place as well.',
    )
    const traded = weighed('Zorvex', [{ ...robotics, listed: true }, ...others], part, 1)
    expect(said(traded)).toContain('No other listed company has a name that starts with these words.')
  })

  it('words of the context are said where they count', () => {
    const told = (contextCount: number) =>
      said(weighed('Zorvex', inc, 'context', 1, { contextCount: () => contextCount }))
    expect(told(1)).toContain('The context has words that are known of this company.')
    expect(told(0)).not.toContain('context')
  })

  test.each<[string, string | null, Held, Factor['type'], string]>([
    ['Zorvex Robotics LP', null, robotics, 'limitation', 'The legal form is of another kind.'],
    ['Zorvex Robotics', 'Reno, NV', { ...robotics, ...reno }, 'strength', 'The place given is'],
    ['Zorvex Robotics', 'Leeds, GB', { ...robotics, ...reno }, 'limitation', 'in another country'],
    ['Zorvex Robotics', null, { ...robotics, listed: true }, 'strength', 'Its shares are traded'],
  ])('by the weights in production: %s in %s beside %o', (name, location, held, type, sentence) => {
    const found = match({ name, location, held: [held] })
    if (found.kind === 'none') throw new Error('one was to be found')
    const factor = factors(found).find(({ description }) => description?.includes(sentence))
    expect(factor).toMatchObject({ type, impact: expect.stringMatching(/high|medium/) as string })
  })
})

test.each<[string, Held, string]>([
  ['Zorvex Robotics', robotics, 'The name is that of "Zorvex Robotics Inc", registered name.'],
  ['Zorvex', robotics, 'The name is the beginning of "Zorvex Robotics Inc", registered name.'],
  ['Zorvex Robtics', robotics, 'The name is close to "Zorvex Robotics Inc", registered name.'],
  ['ZRL', { name: 'Zorvex Robotics Logistics' }, 'The name is made of the initials of "Zorvex Robotics Lo'],
  [
    'Zorvex Robotics',
    { ...robotics, kind: 'other' },
    'The name is that of "Zorvex Robotics Inc", other name.',
  ],
  [
    'Mellbrook',
    { name: 'Mellbrook', kind: 'former' },
    'The name is that of "Mellbrook", former name of Zorvex Robotics Inc.',
  ],
  [
    'Zorvex Rob0tics',
    robotics,
    'The name, with "Rob0tics" read as "robotics", is that of "Zorvex Robotics Inc"',
  ],
  ['Zorvex Robotics Calder', robotics, 'The name, without "Calder", is that of "Zorvex Robotics Inc"'],
  ['Zorvex Robotics - Plant 7', robotics, 'The name, without "Plant 7", is that of'],
  ['Zorvex Robotics (Payroll)', robotics, 'The name, without "Payroll", is that of'],
  ['Zorvex Robotics Inc dba Calder', robotics, 'The name, without "Calder", is that of'],
  ['Calder Ltd t/a Zorvex Robotics', robotics, 'The name, without "Calder", is that of'],
  ['Zorvex Robotics Inc Class A Shares', robotics, 'The name, without "Class A Shares", is that of'],
  ...[
    '(Pvt) Ltd',
    '(Pty) Ltd',
    '(Private) Limited',
    'Pvt. Ltd.',
    '(Pte) Ltd',
    '- Pty Ltd',
    '(Edms) Bpk',
  ].flatMap((form) =>
    ['EXPORT DIV', 'Under Liquidation'].map((rest): [string, Held, string] => [
      `Zorvex Robotics ${form} ${rest}`,
      { name: `Zorvex Robotics ${form}`, country: 'ZA' },
      `The name, without "${rest}", is that of`,
    ]),
  ),
  ['12 Zorvex Robotics, Payroll (Calder)', robotics, 'The name, without "12" and "Payroll Calder", is'],
])('A factor says how the name was read: %s', (text, held, sentence) => {
  expect(said(weighed(text, held))).toContain(sentence)
})

describe('A remark is quoted as it is written', () => {
  const remarks = [
    'DO NOT CALL',
    'do not contact',
    "Don't call",
    'ON HOLD',
    'to be checked by A/R',
    'pass it on',
    'AS OF 2024',
    'não ligar',
    'não usar',
    'ne pas appeler',
    'N’appelez pas',
    'à vérifier',
    'nicht anrufen',
    'zu prüfen',
    'no llamar',
    'de baja',
    'da verificare',
    'niet bellen',
    'får ej ringas',
    'не звонить',
  ]
  const held = { name: 'Zorvex Robotics Inc' }
  test.each(remarks)('%s', (remark) => {
    for (const text of [
      `Zorvex Robotics - ${remark}`,
      `Zorvex Robotics (${remark})`,
      `Zorvex Robotics Inc - ${remark}`,
      `Zorvex Robotics, Inc. (${remark})`,
    ])
      expect(said(weighed(text, held))).toContain(`without "${remark}"`)
  })

  test('A joining word or a form next to the name is no part of it', () => {
    expect(said(weighed('Zorvex Robotics of Calder', held))).toContain('without "Calder"')
    expect(said(weighed('Zorvex Robotics, Inc. Calder', held))).toContain('without "Calder"')
  })
})

test.each(['MMC', 'ASC', 'HB', 'KB', 'KY', 'ANS', 'Bt', 'a.s.', 'GmbH', 'Kooperativi'])(
  'A form before a remark is no part of the quoted words: %s',
  (form) => {
    const held = { name: `Zorvex Robotics ${form}` }
    for (const remark of [` (filial)`, `, filial`, ` - filial`])
      expect(said(weighed(`Zorvex Robotics ${form}${remark}`, held)), remark).toContain('without "filial"')
  },
)

describe('others that may be meant', () => {
  const of = weighed('Zorvex', inc)
  const rival = (name: string) => weighed('Zorvex', { name }).best
  const isFound = (match: Match, text: string) =>
    factors(match).find(({ description }) => description?.includes(text))

  it('are named, three of them, and weigh little where the answer is certain', () => {
    const rivals = ['Zorvex Ltd', 'Zorvex LP', 'Zorvex SA', 'Zorvex AG'].map(rival)
    expect(factors({ ...of, confidence: 60, rivals })).toContainEqual({
      code: 'name_too_generic',
      type: 'limitation',
      description: 'Other companies may be meant: "Zorvex Ltd", "Zorvex LP", "Zorvex SA" and more.',
      impact: 'high',
    })
    expect(isFound({ ...of, rivals: rivals.slice(0, 1) }, 'be meant: "Zorvex Ltd".')?.impact).toBe('low')
  })

  it('have their registered names, each once', () => {
    const rivals = ['Zorvex', 'ZORVEX', 'Zorvex AG'].map(rival)
    const listed = (findLegalName: (name: string) => string | null) =>
      buildFactors({ ...of, confidence: 60, rivals }, storedOf(registration), registration, ({ name }) => {
        const legalName = findLegalName(name)
        return legalName === null ? null : { ...registration, legalName }
      }).find(({ code }) => code === 'name_too_generic')?.description
    const legalNames = new Map([
      ['Zorvex', 'Zorvex Foods Ltd'],
      ['ZORVEX', 'Zorvex Steel Ltd'],
    ])
    expect(listed((name) => legalNames.get(name) ?? null)).toBe(
      'Other companies may be meant: "Zorvex Foods Ltd", "Zorvex Steel Ltd", "Zorvex AG".',
    )
    expect(listed(() => 'Zorvex Ltd')).toBe('Other companies may be meant: "Zorvex Ltd".')
  })

  it('have their addresses, if they have the name of the best one', () => {
    const address = { ...registration.address, formatted: 'Strada Lunga 7, Brasov' }
    const described = buildFactors(
      { ...of, confidence: 60, rivals: [rival('Zorvex')] },
      storedOf(registration),
      registration,
      () => ({ ...registration, address }),
    ).find(({ code }) => code === 'name_too_generic')?.description
    expect(described).toContain(`"${registration.legalName}" at Strada Lunga 7, Brasov`)
  })

  it.each([
    [0.1, null],
    [0.3, 'medium'],
    [0.6, 'high'],
  ])('none of them, at %d: %s', (noneShare, impact) => {
    const found = (confidence: number) => isFound({ ...of, confidence, noneShare }, 'does not hold')
    expect(found(50)?.impact ?? null).toBe(impact)
    expect(found(95)).toBeUndefined()
  })

  it('one in another register that is most likely the same is corroboration', () => {
    const twin = rival('Zorvex Inc').evidence.comparison.candidate
    expect(said({ ...of, best: { ...of.best, alike: [twin] } })).toContain(
      '"Zorvex Inc" in another register is most likely the same company.',
    )
    const both = storedOf(registration, { ...registration, sourceName: 'other.csv' })
    expect(buildFactors(of, both, registration, () => null).map(({ code }) => code)).toContain(
      'multiple_sources_corroboration',
    )
    expect(said(of)).not.toMatch(/another register|More than one register/)
  })
})

describe('the registration', () => {
  const of = weighed('Zorvex', inc)

  it('is confirmed where nothing contests it', () => {
    expect(said(of)).toContain('A registration with the name is in Nevada, US.')
    expect(said(weighed('Zorvex', robotics))).toContain('The registration that fits is in Nevada, US.')
    expect(said({ ...of, confidence: 50, noneShare: 0.6 })).not.toMatch(
      /registration (?:with the name|that fits) is in/,
    )
    expect(said({ ...of, kind: 'candidate' })).not.toMatch(/registration (?:with the name|that fits) is in/)
  })

  it('is in a place with the name of the country or region, whatever the jurisdiction', () => {
    for (const { alpha2 } of iso31661) {
      const text = said(of, { ...registration, jurisdiction: alpha2.toLowerCase() })
      expect(text).toMatch(new RegExp(`A registration with the name is in \\p{Lu}.* \\(${alpha2}\\)\\.`, 'u'))
    }
    for (const { code, name } of iso31662) {
      const text = said(of, { ...registration, jurisdiction: code.toLowerCase().replace('-', '_') })
      expect(text).toContain(`A registration with the name is in ${name}, ${code.slice(0, 2)}.`)
    }
    expect(said(of, { ...registration, jurisdiction: 'in' })).toContain(
      'A registration with the name is in India (IN).',
    )
    expect(said(of, { ...registration, jurisdiction: 'us_zz' })).toContain(
      'A registration with the name is in US-ZZ.',
    )
  })

  it('is not denied by a difference that a certain answer has', () => {
    const longer = weighed('Zorvex', robotics, 'words left over', -1)
    const codes = (confidence: number) =>
      factors({ ...longer, confidence }).map(({ code, type }) => `${type} ${code}`)
    expect(codes(95)).toEqual(
      expect.arrayContaining(['limitation name_close_match', 'strength legal_entity_confirmed']),
    )
    expect(codes(60)).toContain('limitation no_legal_entity_confirmed')
    expect(codes(60)).not.toContain('strength legal_entity_confirmed')
  })

  it('says when it has ended, is of another kind, or is named no more', () => {
    const ended = weighed('Zorvex', { ...inc, active: false })
    expect(said(ended, { ...registration, status: 'dissolved' })).toContain(
      'The registration is not active (dissolved).',
    )
    const trust = weighed('Zorvex', { name: 'Zorvex Trust', supported: false })
    const aid = {
      ...registration,
      legalName: 'Zorvex Aid',
      type: 'nonprofit',
      subtype: 'nonprofit_entity',
    } as const
    expect(said(trust, aid)).toContain(
      '"Zorvex Aid" is a nonprofit body, not a company: only companies are given as an answer.',
    )
    expect(said(trust, { ...aid, legalForm: 'Otra' })).toContain('is a nonprofit body, not a company')
    expect(said(trust, { ...aid, legalForm: 'Verein' })).toContain('(registered as "Verein"), not a company')
    const gone = { ...registration, removedFromSource: true }
    expect(said(of, gone)).toContain(
      'The newest file of companies.csv no longer names the registration; an earlier one of 2026-01-31 did.',
    )
    expect(said(of, gone)).not.toMatch(/registration (?:with the name|that fits) is in/)
  })
})

describe('what to do next', () => {
  const codes = (of: Match) => listActions(of, registration, false).map(({ code }) => code)
  const prefix = weighed('Zorvex', robotics)

  it('nothing for what is certain, and for the rest what would make it so', () => {
    expect(codes(prefix)).toEqual([])
    expect(codes({ ...prefix, confidence: 60 })).toEqual(['provide_full_legal_name', 'verify_address'])
    expect(codes({ ...prefix, confidence: 60, rivals: [prefix.best] })).toContain('add_industry_context')
    const placed = weighed('Zorvex Robotics', { ...robotics, ...reno }, 'place', 1, { location: 'Reno, NV' })
    expect(codes({ ...placed, confidence: 60 })).toEqual([])
    expect(codes(weighed('Zorvex', { name: 'Zorvex', supported: false }))).toEqual(['verify_entity_type'])
  })

  it('a town that is given is to be checked, and not to be given', () => {
    const told = (isTownGiven: boolean) =>
      listActions({ ...prefix, confidence: 60 }, registration, isTownGiven).map(
        ({ description }) => description,
      )
    expect(told(true)).toContain('Check the place of the company.')
    expect(told(true).join()).not.toContain('Give the city')
    expect(told(false)).toContain('Give the city or the postal code of the company.')
  })
})

test.each([
  ['大阪鋼管経理', '大阪鋼管株式会社', 'Osaka Kokan'],
  ['Ларкмур Сервис', 'ООО Ларкмур', 'Larkmoor'],
  ['ლარკმური სერვისი', 'შპს ლარკმური', 'Larkmoor'],
])('letters of the name are not called Latin ones: %s', (native, name, latin) => {
  const base = compared('Larkmoor Velsor', 'Larkmoor Ltd')
  const named = (held: string) =>
    describeName({
      ...base,
      text: { ...base.text, native, how: 'in Latin letters' },
      candidate: { ...base.candidate, name: held },
    })
  expect(named(name)).not.toContain('Latin')
  expect(named(latin)).toContain('in Latin letters')
})

test('words of a reading in Latin letters are quoted as the text has them, or not at all', () => {
  const base = compared('Nor Velsor', 'Nor Ltd')
  const named = (native: string) =>
    describeName({ ...base, text: { ...base.text, native, how: 'in Latin letters' } })
  expect(named('노르 벨소르')).toBe('name, in Latin letters, is that of "Nor Ltd"')
  expect(named('Nor ველსურ')).not.toContain('Velsor')
  expect(named('Нор Велсор')).toContain('without "Велсор"')
})

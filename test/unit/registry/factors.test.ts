import { describe, expect, it, test } from 'vitest'
import type { Factor } from '../../../src/contract/result.js'
import { listActions, buildFactors } from '../../../src/registry/answer/factors.js'
import type { Match } from '../../../src/registry/answer/reasons.js'
import { featureNames, type FeatureName } from '../../../src/registry/match/features.js'
import { fittedCoefficients } from '../../../src/registry/match/model.js'
import type { PlaceAgreement } from '../../../src/registry/match/candidate.js'
import type { StoredEntity, StoredLegalEntity } from '../../../src/registry/store/reader.js'
import { rank, type Held } from '../../support/matching.js'

const registration: StoredLegalEntity = {
  number: 1,
  id: 'one',
  legalName: 'Zorvex Robotics Inc',
  nameInUse: 'Zorvex Robotics',
  displayName: 'Zorvex Robotics',
  type: 'business',
  subtype: 'incorporated_entity',
  status: 'active',
  legalForm: null,
  listedForm: [],
  jurisdiction: 'us_nv',
  registrationAuthority: null,
  listedAuthority: null,
  website: null,
  sic: null,
  naics: null,
  industryCodes: null,
  formedOn: null,
  parentName: null,
  sourceUrl: null,
  sourceKey: 'id:1',
  sourceFormat: 'csv',
  factCount: 1,
  readStatements: () => [],
  readMembership: () => ({ left: [], present: [] }),
  readParentOrigin: () => null,
  sourceName: 'companies.csv',
  sourceLine: 2,
  sourceDate: '2026-01-31T00:00:00.000Z',
  removedFromSource: false,
  exchange: null,
  identifiersOmitted: 0,
  names: [],
  identifiers: [],
  domains: [],
  address: {
    street: null,
    city: 'Reno',
    region: 'NV',
    postalCode: null,
    countryCode: 'US',
  } as unknown as StoredLegalEntity['address'],
}
const storedOf = (one: StoredLegalEntity) => ({ id: 'one', legalEntities: [one] }) as unknown as StoredEntity

/** A match whose features are put so that those named add `counted` to the score, and no other anything. */
function weighed(
  text: string,
  held: Held | readonly Held[],
  counted: Partial<Record<FeatureName, number>>,
  location: string | null = null,
): Match {
  const [best] = rank({ name: text, location, held: Array.isArray(held) ? held : [held as Held] }).ranked
  if (best === undefined) throw new Error(`${text} finds nothing`)
  const features = featureNames.map((name, at) => {
    const coefficient = fittedCoefficients.company[at] ?? 0
    return counted[name] === undefined || coefficient === 0 ? 0 : counted[name] / coefficient
  })
  return { kind: 'entity', best: { ...best, features }, rivals: [], confidence: 95, noneShare: 0 }
}

const factors = (of: Match, one = registration): Factor[] => buildFactors(of, storedOf(one), one)
const said = (of: Match, one = registration): string =>
  factors(of, one)
    .map(({ description }) => description)
    .join('\n')

/** One of these that the fit has given a coefficient; it may give some of them none. */
function counts(...names: FeatureName[]): FeatureName {
  const found = names.find((name) => fittedCoefficients.company[featureNames.indexOf(name)] !== 0)
  if (found === undefined) throw new Error(`none of ${names.join(', ')} counts`)
  return found
}

const robotics = { name: 'Zorvex Robotics Inc' }
const reno = { city: 'Reno', region: 'NV' }

describe('what is said is what counted', () => {
  test.each<[sentence: string, sign: 1 | -1, features: FeatureName[], text: string, held: Held]>([
    [
      'Your name has words that the company name does not have.',
      -1,
      ['queryHard', 'querySoft'],
      'Zorvex Calder',
      { name: 'Zorvex Inc' },
    ],
    [
      'The company name has words that your name does not have.',
      -1,
      ['nameSoft', 'nameHard'],
      'Zorvex',
      robotics,
    ],
    [
      'The two names have different numbers.',
      -1,
      ['numbersDiffer'],
      'Zorvex Fund II',
      { name: 'Zorvex Fund III' },
    ],
    [
      'The name continues with a number: it is one of a series.',
      -1,
      ['oneOfSeries'],
      'Zorvex Growth Acquisition Corp',
      { name: 'Zorvex Growth Acquisition Corp II' },
    ],
    ['The spelling differs.', -1, ['looseWords'], 'Zorvex Robtics', robotics],
    [
      'Every distinctive word is spelled differently.',
      -1,
      ['misspelled'],
      'Zorvix Group',
      { name: 'Zorvex Group' },
    ],
    [
      'The words in common are words of everyday language.',
      -1,
      ['generic', 'genericExact'],
      'First Capital',
      { name: 'First Capital' },
    ],
    ['The legal form is the same.', 1, ['formSame'], 'Zorvex Inc', { name: 'Zorvex Inc' }],
    ['The legal form is of another kind.', -1, ['formHardConflict'], 'Zorvex Robotics LP', robotics],
    [
      'It is a partnership, which your text does not say.',
      -1,
      ['unstatedPartnership'],
      'Zorvex',
      { name: 'Zorvex LP' },
    ],
    ['No other company found has the name.', 1, ['ownsRarest', 'exactAlone'], 'Zorvex Robotics', robotics],
    [
      'No other company found has a name that begins like this.',
      1,
      ['prefixAlone', 'ownsRarest'],
      'Zorvex',
      robotics,
    ],
    [
      'Its shares are traded: of companies of like names it is the likelier one.',
      1,
      ['listed', 'listedExact'],
      'Zorvex',
      { name: 'Zorvex Inc', listed: true },
    ],
    [
      'It has a legal entity identifier (LEI), as few companies have.',
      1,
      ['lei'],
      'Zorvex',
      { name: 'Zorvex Inc', lei: true },
    ],
  ])('%s', (sentence, sign, features, text, held) => {
    const found = (counted: number) =>
      factors(weighed(text, held, { [counts(...features)]: sign * counted })).find(
        ({ description }) => description === sentence,
      )
    const type = sign > 0 ? 'strength' : 'limitation'
    expect(found(2)).toMatchObject({ type, impact: 'high' })
    expect(found(0.8)).toMatchObject({ type, impact: 'medium' })
    expect(found(0.3)).toMatchObject({ type, impact: 'low' })
    // Too little to speak of, or counted the other way.
    expect(found(0.05)).toBeUndefined()
    expect(found(-2)).toBeUndefined()
  })

  test.each<[PlaceAgreement, string, Held, string, Factor['type']]>([
    [
      'city',
      'Reno, NV',
      { name: 'Zorvex Inc', ...reno },
      'The place given is that of the registration (Reno).',
      'strength',
    ],
    [
      'region',
      'Elko, NV',
      { name: 'Zorvex Inc', ...reno },
      'The region given is that of the registration.',
      'strength',
    ],
    [
      'country',
      'US',
      { name: 'Zorvex Inc', ...reno },
      'The country given is that of the registration.',
      'strength',
    ],
    [
      'region_conflict',
      'Austin, TX',
      { name: 'Zorvex Inc', ...reno },
      'The registration is in another region (Reno).',
      'limitation',
    ],
    [
      'country_conflict',
      'Leeds, GB',
      { name: 'Zorvex Inc', ...reno },
      'The registration is in another country (Reno).',
      'limitation',
    ],
    [
      'town_abroad',
      'Reno, GB',
      { name: 'Zorvex Inc', ...reno },
      'The town fits (Reno), the country given does not.',
      'limitation',
    ],
    [
      'registered_there',
      'Leeds, GB',
      { name: 'Zorvex Inc', country: '', jurisdictionCountry: 'GB' },
      'The register is of the country given; no address is known.',
      'strength',
    ],
    [
      'registered_elsewhere',
      'Leeds, GB',
      { name: 'Zorvex Inc', country: '', jurisdictionCountry: 'US' },
      'The register is of another country (Reno), and no address is known.',
      'limitation',
    ],
    [
      'none',
      'Reno',
      { name: 'Zorvex Inc', city: 'Elko' },
      'The registration is not known to be in the place of the row.',
      'limitation',
    ],
  ])('a place is always said: %s', (place, location, held, sentence, type) => {
    const of = weighed('Zorvex', held, {}, location)
    expect(of.best.evidence.place).toBe(place)
    expect(factors(of)).toContainEqual(
      expect.objectContaining({ description: sentence, type, impact: 'low' }),
    )
  })

  it('where no place was given none is said', () => {
    expect(said(weighed('Zorvex', { name: 'Zorvex Inc', ...reno }, { city: 3 }))).not.toMatch(
      /place|region|country/,
    )
  })

  it('what conflicts is never called a strength, however the model counts it', () => {
    const of = weighed(
      'Zorvex',
      { name: 'Zorvex Inc', ...reno },
      { [counts('otherRegion', 'otherRegionExact')]: 3 },
      'Austin, TX',
    )
    expect(factors(of).find(({ description }) => description?.includes('another region'))?.type).toBe(
      'limitation',
    )
  })

  it('of names that many begin with, what tells this one, or how many they are', () => {
    const others: Held[] = [{ name: 'Zorvex Software' }, { name: 'Zorvex Capital' }]
    const counted = counts('prefixSiblings', 'prefixAlone', 'ownsRarest')
    expect(said(weighed('Zorvex', [robotics, ...others], { [counted]: -1 }))).toContain(
      'Names of 3 companies begin like this.',
    )
    const there = weighed(
      'Zorvex',
      [{ ...robotics, ...reno }, ...others.map((one) => ({ ...one, city: 'Austin', region: 'TX' }))],
      { [counted]: 1 },
      'Reno, NV',
    )
    expect(said(there)).toContain('No other company whose name begins like this fits the place as well.')
    const traded = weighed('Zorvex', [{ ...robotics, listed: true }, ...others], { [counted]: 1 })
    expect(said(traded)).toContain('No other listed company has a name that begins like this.')
  })

  it('both names may have words of their own', () => {
    const of = weighed(
      'Zorvex Robotics Calder',
      { name: 'Zorvex Robotics Mellbrook' },
      { [counts('bothMore')]: -1 },
    )
    expect(said(of)).toContain('Your name and the company name each have words that the other does not have.')
  })

  it('words of the context are said where they count', () => {
    const of = weighed('Zorvex', { name: 'Zorvex Inc' }, { context: 1 })
    const { evidence } = of.best
    const told = { ...of, best: { ...of.best, evidence: { ...evidence, contextCount: 1 } } }
    expect(said(told)).toContain('The context has words that are known of this company.')
    expect(said(of)).not.toContain('context')
  })
})

describe('how the name was read', () => {
  test.each<[string, Held, string]>([
    ['Zorvex Robotics', robotics, 'The name is that of "Zorvex Robotics Inc", registered name.'],
    ['Zorvex', robotics, 'The name is the beginning of "Zorvex Robotics Inc", registered name.'],
    ['Zorvex Robotics Calder', robotics, 'The name begins with "Zorvex Robotics Inc", registered name.'],
    ['Zorvex Robtics', robotics, 'The name is close to "Zorvex Robotics Inc", registered name.'],
    [
      'Zorvex Robotics',
      { ...robotics, kind: 'other' },
      'The name is that of "Zorvex Robotics Inc", other name.',
    ],
    [
      'Mellbrook',
      { name: 'Mellbrook', kind: 'former' },
      'The name is that of "Mellbrook", former name of Zorvex Robotics Inc',
    ],
    ['Zorvex Robotics - Plant 7', robotics, 'The name, without the site, is that of'],
    ['Zorvex Robotics (Payroll)', robotics, 'The name, without the text in brackets, is that of'],
    ['Zorvex Robotics Inc dba Calder', robotics, 'The name, without the trade name, is that of'],
    ['Calder Ltd t/a Zorvex Robotics', robotics, 'The name, by its trade name, is that of'],
    ['Zorvex Robotics Inc Class A', robotics, 'The name, without the description of a security, is that of'],
    ['Zorvex Rob0tics', robotics, 'The name, with errors of a scan put right, is that of'],
    ['SQ *ZORVEX ROBOTICS', robotics, 'The name, without what a card statement adds, is that of'],
    ['Zorvex Robotics Inc Employees Plan', robotics, 'The name, up to its legal form, is that of'],
  ])('%s', (text, held, sentence) => {
    expect(said(weighed(text, held, {}))).toContain(sentence)
  })
})

describe('others that may be meant', () => {
  const of = weighed('Zorvex', { name: 'Zorvex Inc' }, {})
  const rival = (name: string) => weighed('Zorvex', { name }, {}).best

  it('are named, three of them, and weigh little where the answer is certain', () => {
    const names = ['Zorvex Ltd', 'Zorvex LP', 'Zorvex SA', 'Zorvex AG']
    const contested = { ...of, confidence: 60, rivals: names.map(rival) }
    expect(factors(contested)).toContainEqual({
      code: 'name_too_generic',
      type: 'limitation',
      description: 'Other companies may be meant: "Zorvex Ltd", "Zorvex LP", "Zorvex SA" and more.',
      impact: 'high',
    })
    expect(said({ ...of, rivals: [rival('Zorvex Ltd')] })).toContain(
      'Other companies may be meant: "Zorvex Ltd".',
    )
    expect(
      factors({ ...of, rivals: [rival('Zorvex Ltd')] }).find(({ description }) =>
        description?.startsWith('Other'),
      )?.impact,
    ).toBe('low')
  })

  it.each([
    [0.1, null],
    [0.3, 'medium'],
    [0.6, 'high'],
  ])('none of them, at %d: %s', (noneShare, impact) => {
    const found = factors({ ...of, confidence: 50, noneShare }).find(({ description }) =>
      description?.includes('does not hold'),
    )
    expect(found?.impact ?? null).toBe(impact)
    expect(said({ ...of, confidence: 95, noneShare })).not.toContain('does not hold')
  })

  it('one in another register that is most likely the same is corroboration', () => {
    const twin = rival('Zorvex Inc').evidence.comparison.candidate
    const joined = { ...of, best: { ...of.best, alike: [twin] } }
    expect(said(joined)).toContain('"Zorvex Inc" in another register is most likely the same company.')
    const both = { id: 'one', legalEntities: [registration, { ...registration, sourceName: 'other.csv' }] }
    expect(buildFactors(of, both as unknown as StoredEntity, registration).map(({ code }) => code)).toContain(
      'multiple_sources_corroboration',
    )
    expect(said(of)).not.toMatch(/another register|More than one register/)
  })
})

describe('the registration', () => {
  const of = weighed('Zorvex', { name: 'Zorvex Inc' }, {})

  it('is confirmed where nothing contests it', () => {
    expect(said(of)).toContain('A registration in us_nv has the name.')
    expect(said({ ...of, confidence: 50, noneShare: 0.6 })).not.toContain('bears the name.')
    expect(said({ ...of, kind: 'candidate' })).not.toContain('A registration in')
    expect(said(weighed('Zorvex', robotics, {}))).toContain('A registration in us_nv is the one that fits.')
  })

  it('is not denied by a difference that a certain answer has', () => {
    const longer = weighed('Zorvex', robotics, { [counts('nameSoft', 'nameHard')]: -1 })
    const codes = (confidence: number) =>
      factors({ ...longer, confidence }).map(({ code, type }) => `${type} ${code}`)
    expect(codes(95)).toEqual(
      expect.arrayContaining(['limitation name_close_match', 'strength legal_entity_confirmed']),
    )
    expect(codes(60)).toContain('limitation no_legal_entity_confirmed')
    expect(codes(60)).not.toContain('strength legal_entity_confirmed')
  })

  it('says when it has ended, is of another kind, or is named no more', () => {
    const ended = weighed('Zorvex', { name: 'Zorvex Inc', active: false }, {})
    expect(said(ended, { ...registration, status: 'dissolved' })).toContain(
      'The registration is not active (dissolved).',
    )
    const trust = weighed('Zorvex', { name: 'Zorvex Trust', supported: false }, {})
    expect(
      said(trust, {
        ...registration,
        legalName: 'Zorvex Aid',
        type: 'nonprofit',
        subtype: 'nonprofit_entity',
      }),
    ).toContain('"Zorvex Aid" is a nonprofit body, not a company: only companies are given as an answer.')
    const gone = { ...registration, removedFromSource: true }
    expect(said(of, gone)).toContain(
      'The newest file of companies.csv no longer names the registration; that of 2026-01-31 did.',
    )
    expect(said(of, gone)).not.toContain('bears the name.')
  })
})

describe('what to do next', () => {
  const codes = (of: Match) => listActions(of, registration).map(({ code }) => code)
  const prefix = weighed('Zorvex', robotics, {})

  it('nothing for what is certain, and for the rest what would make it so', () => {
    expect(codes(prefix)).toEqual([])
    expect(codes({ ...prefix, confidence: 60 })).toEqual(['provide_full_legal_name', 'verify_address'])
    expect(codes({ ...prefix, confidence: 60, rivals: [prefix.best] })).toContain('add_industry_context')
    const placed = weighed('Zorvex Robotics', { ...robotics, ...reno }, {}, 'Reno, NV')
    expect(codes({ ...placed, confidence: 60 })).toEqual([])
    expect(codes(weighed('Zorvex', { name: 'Zorvex', supported: false }, {}))).toEqual(['verify_entity_type'])
  })
})

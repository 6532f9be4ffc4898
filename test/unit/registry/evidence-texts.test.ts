import { describe, expect, test } from 'vitest'
import { partOfFeatures, type FeaturePart } from '../../../src/registry/match/features.js'
import {
  describeOtherCandidates,
  describeOtherRegisters,
  describePart,
} from '../../../src/registry/answer/evidence-texts.js'
import type { StoredLegalEntity } from '../../../src/registry/store/reader.js'
import { candidatesOf, rank, vocabularyOf, type Held } from '../../support/matching.js'

const address = {
  street: null,
  city: 'Reno',
  region: 'NV',
  postalCode: '89501',
  countryCode: 'US',
  formatted: null,
}
const registration = {
  legalName: 'Zorvex Robotics Inc',
  type: 'nonprofit',
  subtype: 'nonprofit_entity',
  status: 'dissolved',
  jurisdiction: 'us_nv',
  sourceName: 'companies.csv',
  removedFromSource: false,
  readMembership: () => ({ left: [], listPresent: () => [], readCountries: () => null }),
  names: [{ name: 'Old Zorvex', kind: 'former', endedOn: '2020-05-01' }],
  address,
} as unknown as StoredLegalEntity

interface Asked {
  readonly location?: string | null
  readonly held: Held | readonly Held[]
  readonly of?: Partial<StoredLegalEntity>
  readonly contextCount?: number
}

/** What the parts with a feature say of the likeliest company. */
function said(name: string, { location = null, held, of = {}, contextCount = 0 }: Asked) {
  const all = Array.isArray(held) ? (held as Held[]) : [held as Held]
  const [company] = rank({ name, location, held: all, contextCount: () => contextCount }).ranked
  if (company === undefined) throw new Error(`${name} finds nothing`)
  const pair = {
    name,
    evidence: company.evidence,
    registration: { ...registration, ...of },
    vocabulary: vocabularyOf(candidatesOf(all)),
  }
  const counted = new Set(partOfFeatures.filter((_, at) => company.features[at] !== 0))
  return Object.fromEntries([...counted].map((part) => [part, describePart(part, pair)])) as Partial<
    Record<FeaturePart, string>
  >
}

const robotics = { name: 'Zorvex Robotics Inc' }
const reno = { city: 'Reno', region: 'NV', postal: '89501' }
const elsewhere = (city: string, region: string | null, countryCode: string) => ({
  address: { ...address, city, region, postalCode: null, countryCode } as StoredLegalEntity['address'],
})

describe('what each part says of a pair', () => {
  const cases: [string, Asked, FeaturePart, string][] = [
    ['Zorvex Robotics', { held: robotics }, 'name', 'the name is that of "Zorvex Robotics Inc"'],
    ['Zorvex', { held: robotics }, 'name', 'the name is the beginning of "Zorvex Robotics Inc"'],
    ['Zorvex', { held: robotics }, 'words left over', 'its name has "Robotics", not asked for'],
    [
      'Zorvex Robotics Retail Stores',
      { held: robotics },
      'words left over',
      '"Retail", "Stores" was asked for, which its name lacks',
    ],
    [
      'Zorvex Retail',
      { held: { name: 'Zorvex Hldgs.' } },
      'words left over',
      'its name has "Hldgs", not asked for; "Retail" was asked for, which its name lacks',
    ],
    ['Zorvexx Robotics', { held: robotics }, 'spelling', 'spelled otherwise: "Zorvex", asked for "Zorvexx"'],
    ['Zorvex Robotic', { held: robotics }, 'spelling', 'a word is in the plural in one of the two'],
    ['Zorvex Fund 2', { held: { name: 'Zorvex Fund 3' } }, 'numbers', 'the two names have different numbers'],
    [
      'Zorvex Fund',
      { held: { name: 'Zorvex Fund 3' } },
      'numbers',
      'its name continues with a number: one of a series',
    ],
    ['Zorvex Robotics Inc', { held: robotics }, 'legal form', 'the same legal form: "inc"'],
    ['Zorvex LLC', { held: { name: 'Zorvex PLLC' } }, 'legal form', 'legal forms of one kind: "llc", "pllc"'],
    [
      'Zorvex GmbH',
      { held: { name: 'Zorvex Ltd' } },
      'legal form',
      'a legal form of another country: "ltd", asked for "gmbh"',
    ],
    [
      'Zorvex Ltd',
      { held: { name: 'Zorvex LP' } },
      'legal form',
      'another legal form: "lp", asked for "ltd"',
    ],
    [
      'Zorvex',
      { held: { name: 'Zorvex LP' } },
      'legal form',
      'a partnership ("lp"), which was not asked for',
    ],
    [
      'Zorvex Robotics',
      { held: robotics },
      'rare words',
      'the rarest word in common, "zorvex", is in 1 name of the registry',
    ],
    [
      'شركة زورفكس',
      { held: { name: 'شركة زورفكس للصناعات' } },
      'rare words',
      'the rarest word in common, "زورفكس", is in 1 name of the registry',
    ],
    [
      'First Capital',
      { held: { name: 'First Capital Inc' } },
      'rare words',
      'only everyday words are in common; the rarest, "first", is in 901 names of the registry',
    ],
    [
      'Zorvex Robotics',
      { held: robotics },
      'companies with the same name',
      `no other company found has this name; no other company's name has "zorvex"`,
    ],
    [
      'First Capital',
      { held: [{ name: 'First Capital Inc' }, { name: 'First Capital LLC' }, { name: 'First Capital' }] },
      'companies with the same name',
      '2 others have this name too',
    ],
    [
      'First Energy',
      { held: [{ name: 'First Energy Bank' }, { name: 'First Energy Trust' }] },
      'companies with the same name',
      'names of 2 companies start with these words',
    ],
    [
      'Old Zorvex',
      { held: { name: 'Old Zorvex', kind: 'former' } },
      'kind of name',
      'a former name of Zorvex Robotics Inc since 2020-05-01',
    ],
    [
      'Zorvo',
      { held: { name: 'Zorvo', kind: 'other' } },
      'kind of name',
      'another name of Zorvex Robotics Inc',
    ],
    ['Zorvex', { held: { name: 'Zorvex', listed: true } }, 'listed', 'its shares are traded'],
    [
      'Zorvex',
      { held: { name: 'Zorvex', lei: true, industry: true } },
      'known to registers',
      'registers state its LEI and its industry',
    ],
    ['Zorvex', { held: { name: 'Zorvex', active: false } }, 'status', 'not active (dissolved)'],
    [
      'Zorvex',
      { held: { name: 'Zorvex', active: false, removed: true }, of: { removedFromSource: true } },
      'status',
      'the newest file of companies.csv no longer names it',
    ],
    [
      'Zorvex',
      { held: { name: 'Zorvex', supported: false }, of: { legalName: 'Zorvex', legalForm: null } },
      'kind of body',
      '"Zorvex" is a nonprofit body, not a company: only companies are given as an answer.',
    ],
    [
      'Zorvex',
      { held: { name: 'Zorvex' }, contextCount: 2 },
      'context',
      '2 words of the context are known of it',
    ],
  ]
  test.each(cases)('%s, %o: %s', (name, asked, part, text) => {
    expect(said(name, asked)[part]).toBe(text)
  })

  test.each<[string, Held, string, Partial<StoredLegalEntity>?]>([
    ['Reno, NV', { name: 'Zorvex', ...reno }, 'the same town: Reno'],
    ['89501', { name: 'Zorvex', ...reno }, 'the same postal code: 89501'],
    ['NV', { name: 'Zorvex', ...reno }, 'the same region: NV'],
    [
      'NV',
      { name: 'Zorvex', ...reno },
      'the same region: Nevada, US',
      { address: { ...registration.address, region: null } },
    ],
    ['Sparks, NV', { name: 'Zorvex', ...reno }, 'the same region; it is in Reno'],
    ['US', { name: 'Zorvex', ...reno }, 'the same country: United States'],
    ['Austin, TX', { name: 'Zorvex', ...reno }, 'another region: Reno, NV'],
    [
      'Austin, TX',
      { name: 'Zorvex', ...reno },
      'another region: Reno',
      { address: { ...registration.address, region: registration.address.city } },
    ],
    [
      'Leeds, GB',
      { name: 'Zorvex', country: 'DE', city: 'Ulm' },
      'another country: Germany',
      elsewhere('Ulm', null, 'DE'),
    ],
    [
      'Ghent, US',
      { name: 'Zorvex', country: 'BE', city: 'Ghent' },
      'the same town, Ghent, and another country: Belgium',
      elsewhere('Ghent', null, 'BE'),
    ],
  ])('a place asked for, %s, beside %o: %s', (location, held, text, of = {}) => {
    expect(said('Zorvex', { location, held, of }).place).toBe(text)
  })

  test('other candidates and other registers are named', () => {
    const one = { name: 'Zorvex Foods Ltd', country: 'GB' }
    const ranking = rank({
      name: 'Zorvex Foods',
      location: 'GB',
      held: [one, { ...one, source: 2 }, { name: 'Zorvex Foods Inc' }],
    })
    const [first, second] = ranking.ranked
    if (first === undefined || second === undefined) throw new Error('two were to be found')
    expect(describeOtherRegisters(first)).toBe(
      '"Zorvex Foods Ltd" in another register is most likely the same company',
    )
    expect(describeOtherCandidates(first, ranking)).toBe('"Zorvex Foods Inc" may be meant as well')
    expect(describeOtherCandidates(second, ranking)).toBe('"Zorvex Foods Ltd" is likelier')
  })
})

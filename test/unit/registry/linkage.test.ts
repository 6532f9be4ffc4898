import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  compareRows,
  sumMatchWeights,
  matchWeights,
  vetoes,
} from '../../../src/registry/linkage/compare-rows.js'
import { decideGroup } from '../../../src/registry/linkage/join-by-name.js'
import {
  toLinkRow,
  type LinkIdentifier,
  type LinkInput,
  type LinkRow,
} from '../../../src/registry/linkage/link-row.js'
import { forAll } from '../../support/properties.js'

/** Of a vocabulary in which any word but these is rare. */
const weightOf = (word: string) => (/^(?:bank|first|of|the)$/.test(word) ? 3 : 9)

let lastNumber = 0

/** A registration of a source by its name alone, and what a test says besides. */
function row(
  sourceNumber: number,
  legalName: string,
  stated: Partial<Omit<LinkInput, 'identifiers'>> & { identifiers?: Partial<LinkIdentifier>[] } = {},
): LinkRow {
  const number = stated.number ?? ++lastNumber
  return toLinkRow({
    number,
    id: `le_${number}`,
    entityNumber: number,
    sourceNumber,
    legalName,
    jurisdiction: null,
    hasIndustry: false,
    formedOn: null,
    status: null,
    subtype: 'incorporated_entity',
    isBranch: false,
    city: '',
    regionCode: '',
    postalKey: '',
    countryCode: null,
    addressText: '',
    idType: null,
    defaultJurisdiction: null,
    ...stated,
    identifiers: (stated.identifiers ?? []).map((identifier) => ({
      type: 'lei',
      value: '1',
      jurisdiction: '',
      authority: null,
      isOwn: true,
      ...identifier,
    })),
  })
}

const cik = (value: string): Partial<LinkIdentifier> => ({ type: 'cik', value })
const british = (value: string): Partial<LinkIdentifier> => ({
  type: 'registration_id',
  value,
  jurisdiction: 'gb',
})
/** As `registry load` reads the SEC's file: "us" where a row states no state. */
const registrant = {
  idType: 'cik',
  defaultJurisdiction: 'us',
  jurisdiction: 'us',
  identifiers: [cik('0001999999')],
}

function decided(a: LinkRow, b: LinkRow, ...others: LinkRow[]): string {
  const found = decideGroup([a, b, ...others], weightOf).find(
    ({ a: one, b: other }) => [a.id, b.id].includes(one.id) && [a.id, b.id].includes(other.id),
  )
  return found === undefined ? 'not compared' : (found.apart ?? 'joined')
}

describe('two registrations of one full name', () => {
  test.each<[what: string, a: LinkRow, b: LinkRow]>([
    [
      'of a bare registrant and one company abroad',
      row(1, 'Zorvex N.V./ADR', registrant),
      row(2, 'Zorvex N.V.', { countryCode: 'NL' }),
    ],
    [
      'under a remark of the registrar',
      row(1, 'ZORVEX INC /KY/', registrant),
      row(2, 'Zorvex, Inc.', { countryCode: 'US' }),
    ],
    [
      'under two spellings of the form',
      row(1, 'Zorvex Ltd', registrant),
      row(2, 'ZORVEX LIMITED', { jurisdiction: 'gb' }),
    ],
    [
      'with a seat in Texas and a registered agent in Delaware',
      row(1, 'Zorvex Corp', {
        ...registrant,
        jurisdiction: 'us_de',
        countryCode: 'US',
        regionCode: 'US-TX',
        city: 'austin',
        postalKey: '78701',
      }),
      row(2, 'ZORVEX CORPORATION', {
        jurisdiction: 'us_de',
        countryCode: 'US',
        city: 'wilmington',
        postalKey: '19801',
        addressText: 'C/O THE CORPORATION TRUST COMPANY, 1209 ORANGE ST',
      }),
    ],
    [
      'in one town, without any rare word',
      row(1, 'First Bank Ltd', { jurisdiction: 'gb', city: 'leeds', postalKey: 'ls11aa' }),
      row(2, 'First Bank Ltd', { countryCode: 'GB', city: 'leeds', postalKey: 'ls11aa' }),
    ],
    [
      'one with a form and the other without, at one postal code',
      row(1, 'Zorvex', { countryCode: 'FR', postalKey: '75001' }),
      row(2, 'Zorvex SA', { countryCode: 'FR', postalKey: '75001' }),
    ],
    [
      'in a place that SEC files call a state',
      row(1, 'Zorvex SA', { ...registrant, jurisdiction: 'us_es' }),
      row(2, 'Zorvex SA', { jurisdiction: 'es' }),
    ],
  ])('are one company: %s', (_, a, b) => {
    expect(decided(a, b)).toBe('joined')
  })

  test.each<[reason: string, what: string, a: LinkRow, b: LinkRow]>([
    [
      'other_numbers',
      'two LEIs',
      row(1, 'Zorvex Ltd', { identifiers: [{ value: 'A' }] }),
      row(2, 'Zorvex Ltd', { identifiers: [{ value: 'B' }] }),
    ],
    [
      'other_numbers',
      'two CIKs',
      row(1, 'Zorvex Ltd', { identifiers: [cik('1')] }),
      row(2, 'Zorvex Ltd', { identifiers: [cik('2')] }),
    ],
    [
      'other_numbers',
      'two numbers of one register',
      row(1, 'Zorvex Ltd', { identifiers: [british('01234567')] }),
      row(2, 'Zorvex Ltd', { identifiers: [{ ...british('07654321'), authority: 'RA000585' }] }),
    ],
    [
      'other_numbers',
      'a number that another registration of its company bears',
      row(1, 'Zorvex Ltd', { identifiers: [{ value: 'A', isOwn: false }] }),
      row(2, 'Zorvex Ltd', { identifiers: [{ value: 'B' }] }),
    ],
    [
      'other_country',
      'homes in two countries',
      row(1, 'Zorvex Ltd', { jurisdiction: 'gb' }),
      row(2, 'Zorvex Ltd', { jurisdiction: 'ie' }),
    ],
    [
      'other_country',
      'a seat in another country than the home',
      row(1, 'Zorvex Ltd', { ...registrant, countryCode: 'CH' }),
      row(2, 'Zorvex Ltd', { jurisdiction: 'gb', countryCode: 'GB' }),
    ],
    [
      'other_state',
      'two states of incorporation',
      row(1, 'Zorvex Inc', { jurisdiction: 'us_de' }),
      row(2, 'Zorvex Inc', { jurisdiction: 'us_nv' }),
    ],
    [
      'british_branch',
      'a British branch and a bare registrant',
      row(1, 'Zorvex Bank AG', registrant),
      row(2, 'ZORVEX BANK AG', { jurisdiction: 'gb', identifiers: [british('FC004549')] }),
    ],
    [
      'british_branch',
      'a British establishment and its company',
      row(1, 'Zorvex, Inc.', { jurisdiction: 'us_de' }),
      row(2, 'ZORVEX INC', { countryCode: 'GB', identifiers: [british('BR002223')] }),
    ],
    [
      'british_branch',
      'what a register calls a branch',
      row(1, 'Zorvex AG', { isBranch: true }),
      row(2, 'Zorvex AG'),
    ],
    [
      'other_form',
      'a company and one of another form',
      row(1, 'Zorvex Inc', { jurisdiction: 'us_de' }),
      row(2, 'Zorvex LLC', { jurisdiction: 'us_de' }),
    ],
    [
      'below_threshold',
      'everyday words and no place',
      row(1, 'First Bank', registrant),
      row(2, 'First Bank', { countryCode: 'US' }),
    ],
    [
      'below_threshold',
      'the name of a person',
      row(1, 'Ada Zorvex', registrant),
      row(2, 'Ada Zorvex', { subtype: 'unincorporated_entity', countryCode: 'DE' }),
    ],
    [
      'below_threshold',
      'a form on one side and no place',
      row(1, 'Zorvex Bank', registrant),
      row(2, 'Zorvex Bank AG', { countryCode: 'DE' }),
    ],
    [
      'below_threshold',
      'one core by abbreviation only',
      row(1, 'Zorvex Tech Inc', { jurisdiction: 'us_de' }),
      row(2, 'Zorvex Technologies Inc', { jurisdiction: 'us_de' }),
    ],
    [
      'below_threshold',
      'one formed years after the other was registered',
      row(1, 'Zorvex Ltd', { ...registrant, identifiers: [cik('0001071370')] }),
      row(2, 'ZORVEX LIMITED', { jurisdiction: 'gb', identifiers: [british('08860726')] }),
    ],
  ])('stay apart for %s: %s', (reason, _, a, b) => {
    expect(decided(a, b)).toBe(reason)
  })

  it('stay apart where another row of the source fits as well, until identifiers make these one', () => {
    const [a, twin] = [
      row(1, 'Zorvex SA', registrant),
      row(1, 'ZORVEX S.A.', { ...registrant, identifiers: [cik('0001000002')] }),
    ]
    const b = row(2, 'Zorvex S.A.', {
      jurisdiction: 'fr',
      countryCode: 'FR',
      postalKey: '75001',
      formedOn: '1990-01-01',
    })
    expect(decided(a, b)).toBe('joined')
    expect(decided(a, b, twin)).not.toBe('joined')
    const known = { ...registrant, number: 900, countryCode: 'FR', postalKey: '75001' }
    const near = row(1, 'Zorvex SA', known)
    const far = row(1, 'Zorvex SA', { ...known, number: 901, identifiers: [cik('0001000003')] })
    expect(decided(near, b, far)).toBe('several_rows')
    expect(decided(near, b, { ...far, entityNumber: 900 })).toBe('joined')
  })

  it('are joined with the row that place sets apart from its twin', () => {
    const b = row(2, 'Zorvex S.A.', { jurisdiction: 'fr' })
    const stated = row(1, 'Zorvex SA', { ...registrant, jurisdiction: 'fr' })
    const bare = row(1, 'Zorvex SA', { ...registrant, identifiers: [cik('0001000004')] })
    expect(decided(stated, b, bare)).toBe('joined')
    expect(decided(bare, b, stated)).not.toBe('joined')
  })

  it('are not compared within one source, nor once identifiers have joined them', () => {
    const [a, b] = [row(1, 'Zorvex Ltd'), row(1, 'Zorvex Ltd')]
    expect(decided(a, b)).toBe('not compared')
    expect(decided(a, { ...b, sourceNumber: 2, entityNumber: a.entityNumber })).toBe('not compared')
  })
})

describe('what files leave out', () => {
  const homesOf = (stated: Partial<LinkInput>) => [
    ...row(1, 'Zorvex', { ...registrant, ...stated } as never).homes,
  ]

  test.each<[jurisdiction: string | null, countryCode: string | null, homes: string[]]>([
    ['us', null, []],
    [null, 'US', []],
    ['us_de', null, ['US']],
    ['us_de', 'US', ['US']],
    ['us_de', 'DE', ['US', 'DE']],
    ['us_ca', 'CA', ['US', 'CA']],
    ['us_es', null, ['ES']],
    ['us_gb', 'GB', ['GB']],
    ['us_on', null, ['CA']],
    ['us_nl', null, ['NL', 'CA']],
    ['pr', null, ['US']],
    ['ky', null, ['KY']],
  ])('a registrant of %s with a seat in %s is at home in %j', (jurisdiction, countryCode, homes) => {
    expect(homesOf({ jurisdiction, countryCode })).toEqual(homes)
  })

  it('is no evidence where the import took it for granted, unless the file is a register', () => {
    const granted = { jurisdiction: 'fr', defaultJurisdiction: 'fr' }
    expect([...row(1, 'Zorvex', { ...granted, idType: 'id' }).homes]).toEqual([])
    expect([...row(1, 'Zorvex', { ...granted, idType: 'registration_id' }).homes]).toEqual(['FR'])
    expect([
      ...row(1, 'Zorvex', { jurisdiction: 'gb', defaultJurisdiction: 'fr', idType: 'id' }).homes,
    ]).toEqual(['GB'])
  })

  test.each([
    ['00000', ''],
    ['999999999', ''],
    ['787014512', '78701'],
    ['sw1a1aa', 'sw1a1aa'],
  ])('the postal code %s is compared as %j', (postalKey, postal) => {
    expect(row(1, 'Zorvex', { postalKey, city: 'x' }).place?.postal).toBe(postal)
  })

  test.each([
    'c/o Cogency Global Inc.',
    '251 LITTLE FALLS DRIVE',
    'Maples Corporate Services, Ugland House',
    'CORPORATION TRUST CENTER 1209 ORANGE ST',
  ])('the address of an agent is no place: %s', (addressText) => {
    expect(row(1, 'Zorvex', { addressText, city: 'dover', postalKey: '19904' }).place).toBeNull()
  })
})

describe('the table of weights', () => {
  it('gives each level a finite number and a reason, and each veto one', () => {
    for (const levels of Object.values(matchWeights)) {
      for (const { bits, reason } of Object.values(levels)) {
        expect(Number.isInteger(bits)).toBe(true)
        expect(reason.length).toBeGreaterThan(5)
      }
    }
    expect(Object.values(vetoes).every((reason) => reason.length > 20)).toBe(true)
  })

  it('is added up over the levels of a pair', () => {
    const pair = compareRows(
      row(1, 'Zorvex Ltd', {
        jurisdiction: 'gb',
        city: 'leeds',
        identifiers: [{ type: 'ein', value: '12' }],
      }),
      row(2, 'ZORVEX LIMITED', {
        countryCode: 'GB',
        city: 'leeds',
        identifiers: [{ type: 'ein', value: '12' }],
      }),
      [],
      weightOf,
    )
    expect(pair.levels).toMatchObject({
      name: 'full',
      rarity: 'rare',
      uniqueness: 'only',
      country: 'same',
      place: 'town',
      tax_number: 'same',
    })
    expect(pair.bits).toBe(sumMatchWeights(pair.levels))
    expect(pair.bits).toBe(7 + 3 + 2 + 3 + 5 + 8)
  })

  it('does not ask which of the two comes first, nor in which order a group is held', () => {
    const names = fc.constantFrom('Zorvex Ltd', 'ZORVEX LIMITED', 'Zorvex', 'Zorvex Inc', 'Zorvex AG')
    const jurisdictions = fc.constantFrom(null, 'gb', 'us', 'us_de', 'us_nv', 'de')
    const rows = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), names, jurisdictions), {
      minLength: 2,
      maxLength: 6,
    })
    forAll(100, [rows, fc.integer({ min: 0, max: 5 })], (drawn, turn) => {
      const group = drawn.map(([source, name, jurisdiction], index) =>
        row(source, name, { number: 1_000 + index, jurisdiction, identifiers: [cik(String(index + 1))] }),
      )
      const turned = [...group.slice(turn), ...group.slice(0, turn)].reverse()
      const resultOf = (of: LinkRow[]) =>
        decideGroup(of, weightOf).map(
          ({ a, b, apart, bits }) => `${a.id} ${b.id} ${apart ?? 'joined'} ${bits}`,
        )
      expect(resultOf(turned)).toEqual(resultOf(group))
    })
  })
})

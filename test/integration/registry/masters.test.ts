import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { entityId } from '../../../src/contract/enums.js'
import {
  planMerges,
  toRegister,
  normalizeRegistrationNumber,
  type JoinGroup,
} from '../../../src/registry/linkage/entity-clusters.js'
import { openRegistry, type WritableRegistry } from '../../../src/registry/registry.js'
import {
  importContent,
  lei as gleif,
  levelOne,
  levelOneCsv,
  levelTwoCsv,
} from '../../support/register-files.js'
import { addRows, type Row } from '../../support/registry.js'
import { forAll } from '../../support/properties.js'

const lei = 'VGRQXHF3J8VDLUA7XE92'
const otherLei = '5493006MHB84DD0ZWV18'

type Files = Readonly<Record<string, readonly Row[]>>

function registryOf(files: Files, order = Object.keys(files)): WritableRegistry {
  const registry = openRegistry(':memory:')
  for (const name of order) addFile(registry, name, files[name] ?? [])
  return registry
}

function addFile(registry: WritableRegistry, sourceName: string, rows: readonly Row[]): void {
  addRows(registry, rows, { fileName: `${sourceName}.csv`, sourceName, idType: sourceName })
}

/** Which rows, by their own ids, are one company's. */
function companiesOf(registry: WritableRegistry): string[][] {
  const rows = registry.database
    .prepare<[], { entity_number: number; source_key: string }>(
      'SELECT entity_number, source_key FROM legal_entities WHERE removed_from_source = 0 ORDER BY source_key',
    )
    .all()
  const groups = new Map<number, string[]>()
  for (const { entity_number, source_key } of rows)
    groups.set(entity_number, [...(groups.get(entity_number) ?? []), source_key])
  return [...groups.values()].sort()
}

/** The id a registration's company was given when the registration stood alone. */
function ownId(registry: WritableRegistry, sourceKey: string) {
  const alone = registry.database
    .prepare<[], string>('SELECT id FROM entities ORDER BY number')
    .pluck()
    .all()
    .map((id) => entityId.parse(id))
  const keys = registry.database
    .prepare<[], string>('SELECT source_key FROM legal_entities ORDER BY number')
    .pluck()
    .all()
  const id = alone[keys.indexOf(sourceKey)]
  if (id === undefined) throw new Error(`no registration ${sourceKey}`)
  return id
}

const joined: readonly [what: string, files: Files][] = [
  ['the same LEI', { one: [{ id: '1', name: 'Acme', lei }], two: [{ id: '2', name: 'Beta', lei }] }],
  [
    'the same CIK, padded or not',
    { one: [{ id: '1', name: 'Acme', cik: '51143' }], two: [{ id: '2', name: 'B', cik: '0000051143' }] },
  ],
  [
    'the same number at Companies House, its zeros lost and its code another',
    {
      one: [
        {
          id: '1',
          name: 'A',
          registration_id: '445790',
          registration_authority: 'RA000585',
          jurisdiction: 'gb',
        },
      ],
      two: [
        {
          id: '2',
          name: 'B',
          registration_id: '00445790',
          registration_authority: 'RA000586',
          jurisdiction: 'gb_nir',
        },
      ],
    },
  ],
  [
    'the same number of a national register, its authority named or not',
    {
      one: [
        {
          id: '1',
          name: 'A',
          registration_id: '556036',
          registration_authority: 'RA000544',
          jurisdiction: 'se',
        },
      ],
      two: [{ id: '2', name: 'B', registration_id: '556036', jurisdiction: 'se' }],
    },
  ],
  [
    'the same name and place, where identifiers are silent',
    {
      one: [{ id: '1', name: 'Acme Ltd', city: 'Leeds', country: 'GB' }],
      two: [{ id: '2', name: 'Acme Limited', city: 'Leeds', country: 'GB' }],
    },
  ],
]

const apart: readonly [what: string, files: Files][] = [
  [
    'the same everyday words in one country',
    {
      one: [{ id: '1', name: 'First Capital Group', country: 'GB' }],
      two: [{ id: '2', name: 'First Capital Group', country: 'GB' }],
    },
  ],
  [
    'the same name in two countries',
    {
      one: [{ id: '1', name: 'Acme Ltd', city: 'Leeds', country: 'GB' }],
      two: [{ id: '2', name: 'Acme Ltd', city: 'Leeds', country: 'CA' }],
    },
  ],
  [
    'one CIK at two LEIs',
    {
      one: [{ id: '1', name: 'Fund A', lei, cik: '7' }],
      two: [{ id: '2', name: 'Fund B', lei: otherLei, cik: '7' }],
    },
  ],
  [
    'one BIC',
    { one: [{ id: '1', name: 'Bank', bic: 'DEUTDEFF' }], two: [{ id: '2', name: 'Bank', bic: 'DEUTDEFF' }] },
  ],
  [
    'one number of two courts',
    {
      one: [
        {
          id: '1',
          name: 'A',
          registration_id: 'HRB 1',
          registration_authority: 'RA000217',
          jurisdiction: 'de',
        },
      ],
      two: [
        {
          id: '2',
          name: 'B',
          registration_id: 'HRB 1',
          registration_authority: 'RA000242',
          jurisdiction: 'de',
        },
      ],
    },
  ],
  [
    'one number where courts number on their own and none is named',
    {
      one: [{ id: '1', name: 'A', registration_id: 'HRB 1', jurisdiction: 'de' }],
      two: [{ id: '2', name: 'B', registration_id: 'HRB 1', jurisdiction: 'de' }],
    },
  ],
]

describe('registrations of one company', () => {
  test.each(joined)('are joined by %s', (_, files) => {
    expect(companiesOf(registryOf(files))).toEqual([['one:1', 'two:2']])
  })

  test.each(apart)('are not joined by %s', (_, files) => {
    expect(companiesOf(registryOf(files))).toEqual([['one:1'], ['two:2']])
  })

  const chain: Files = {
    one: [{ id: 'a', name: 'Acme Registered', cik: '7', country: 'US', jurisdiction: 'us_de' }],
    two: [{ id: 'b', name: 'Acme Identified', lei, country: 'GB', jurisdiction: 'gb' }],
    three: [{ id: 'c', name: 'Acme Known As Both', lei, cik: '7', country: 'US', jurisdiction: 'us_de' }],
    four: [{ id: 'd', name: 'Nobody Else', cik: '8' }],
  }
  const orders = fc.shuffledSubarray(Object.keys(chain), { minLength: 4 })

  it('are the same whatever the order of imports', () => {
    forAll(24, [orders], (order) => {
      const registry = registryOf(chain, order)
      expect(companiesOf(registry)).toEqual([['four:d'], ['one:a', 'three:c', 'two:b']])
      registry.close()
    })
  })

  it('are found by the name of each, and read by the id of each', () => {
    const registry = registryOf(chain)
    const first = ownId(registry, 'one:a')
    for (const name of ['Acme Registered', 'Acme Identified', 'Acme Known As Both'])
      expect(registry.resolve({ name, location: null, context: null }).entity?.id).toBe(first)
    for (const key of ['two:b', 'three:c']) {
      const read = registry.entity(ownId(registry, key))
      expect(read).toMatchObject({ mergedInto: first, record: { id: first } })
    }
    expect(registry.entity(first)?.mergedInto).toBeNull()
    expect(
      registry
        .entity(first)
        ?.record.identifiers.map(({ type }) => type)
        .sort(),
    ).toEqual(['cik', 'lei'])
  })

  it('tell of the branch that a name matched, and count presences by country', () => {
    const registry = registryOf(chain)
    const answer = registry.resolve({ name: 'Acme Identified', location: null, context: null })
    expect(answer.entity?.matching_branch).toMatchObject({ country_code: 'GB' })
    const first = ownId(registry, 'one:a')
    expect(registry.entity(first)?.record.operational_presence).toEqual([
      expect.objectContaining({ country_code: 'US', count: 1, is_home_jurisdiction: true }),
      expect.objectContaining({ country_code: 'GB', count: 1, is_home_jurisdiction: false }),
    ])
  })
})

describe('GLEIF records', () => {
  const records = (...rows: Row[]) => levelOneCsv(rows)
  const old = {
    ...levelOne.ball,
    'Entity.LegalName': 'Old Bottle Company',
    'Entity.EntityStatus': 'INACTIVE',
    'Entity.SuccessorEntity.1.SuccessorLEI': gleif.ford,
  }

  it('of a predecessor and its successor are one company, shown as the successor', async () => {
    for (const rows of [
      [old, levelOne.ford],
      [levelOne.ford, old],
    ]) {
      const registry = openRegistry(':memory:')
      await importContent(registry, 'gleif', records(...rows))
      const answer = registry.resolve({ name: 'Old Bottle Company', location: null, context: null })
      expect(answer.entity?.legal_name).toBe('Ford Motor Company')
      expect(companiesOf(registry)).toEqual([[`lei:${gleif.ball}`, `lei:${gleif.ford}`].sort()])
      expect(answer.entity?.id).toBe(ownId(registry, `lei:${rows[0]?.LEI ?? ''}`))
      registry.close()
    }
  })

  it('of a branch abroad are a part of its company, whichever file came first', async () => {
    const branch = {
      ...levelOne.ball,
      'Entity.LegalName': 'Ford Zweigstelle',
      'Entity.LegalJurisdiction': 'DE',
    }
    const relation = levelTwoCsv([
      { child: gleif.ball, parent: gleif.ford, type: 'IS_INTERNATIONAL_BRANCH_OF' },
    ])
    const level1 = records(branch, levelOne.ford)
    for (const isRelationFirst of [true, false]) {
      const registry = openRegistry(':memory:')
      if (isRelationFirst) await importContent(registry, 'gleif-relationships', relation)
      await importContent(registry, 'gleif', level1)
      if (!isRelationFirst) await importContent(registry, 'gleif-relationships', relation)
      const answer = registry.resolve({ name: 'Ford Zweigstelle', location: null, context: null })
      expect(answer.entity?.legal_name).toBe('Ford Motor Company')
      expect(answer.entity?.matching_branch).toMatchObject({ jurisdiction: 'de', country_code: 'DE' })
      const [hit] = registry.search({ name: 'Ford Zweigstelle', limit: 1 }).hits
      expect(hit).toMatchObject({ legalName: 'Ford Zweigstelle', isBranch: true })
      registry.close()
    }
  })
})

it('A fact that a registration lacks is taken from another registration of the company, which is cited', () => {
  const registry = registryOf({
    one: [{ id: 'a', name: 'Acme Registered', lei, sic: '' }],
    two: [{ id: 'b', name: 'Acme Filer', lei, sic: '3570', cik: '7', website: 'https://acme.example.com' }],
  })
  const answer = registry.resolve({ name: 'Acme Registered', location: null, context: null })
  expect(answer.entity?.legal_name).toBe('Acme Registered')
  expect(answer.entity?.website).toBe('https://acme.example.com')
  expect(answer.entity?.industry.schemes.sic?.[0]?.code).toBe('3570')
  const cited = (field: string) => answer.basis.find((entry) => entry.field === field)?.citations[0]?.excerpt
  expect(cited('industry.schemes.sic.0.code')).toContain('Acme Filer')
  expect(cited('website')).toContain('Acme Filer')
  expect(cited('legal_name')).toContain('Acme Registered')
})

describe('a merge by identifiers', () => {
  const both: Files = {
    one: [{ id: 'a', name: 'Acme Registered', cik: '7' }],
    two: [{ id: 'b', name: 'Acme Identified', lei }],
  }

  it('keeps the older id, and is recorded with its reason', () => {
    const registry = registryOf(both)
    expect(companiesOf(registry)).toHaveLength(2)
    addFile(registry, 'three', [{ id: 'c', name: 'Acme', lei, cik: '7' }])
    expect(registry.entity(ownId(registry, 'two:b'))?.mergedInto).toBe(ownId(registry, 'one:a'))
    const reasons = registry.database
      .prepare<[], string>('SELECT reason FROM entity_merges ORDER BY entity_number')
      .pluck()
      .all()
    expect(reasons).toEqual(['cik', 'lei'])
  })

  it('stays when a later file no longer gives the reason', () => {
    const registry = registryOf({ ...both, three: [{ id: 'c', name: 'Acme', lei, cik: '7' }] })
    addFile(registry, 'three', [{ id: 'c', name: 'Acme' }])
    expect(registry.entity(ownId(registry, 'two:b'))?.mergedInto).toBe(ownId(registry, 'one:a'))
  })

  it('of a merge leads to the end of the chain in one read', () => {
    const registry = registryOf({})
    const ciks = Array.from({ length: 12 }, (_, index) => String(12 - index))
    for (const cik of ciks) addFile(registry, `s${cik}`, [{ id: cik, name: `Acme ${cik}`, cik }])
    // Each pair joins the youngest chain to the next older company.
    const linked = ciks.slice(0, -1).reverse()
    for (const [index, cik] of linked.entries()) {
      const younger = String(Number(cik) - 1)
      const bridge = `b${cik}`
      addFile(registry, bridge, [{ id: bridge, name: 'Bridge', cik: `${cik}|${younger}` }])
      expect(companiesOf(registry).some((group) => group.length >= index + 3)).toBe(true)
    }
    const oldest = ownId(registry, 's12:12')
    expect(registry.entity(ownId(registry, 's1:1'))).toMatchObject({
      mergedInto: oldest,
      record: { id: oldest },
    })
  })
})

describe('which companies are one', () => {
  const group = (reason: JoinGroup['reason'], ...entityNumbers: number[]): JoinGroup => ({
    reason,
    entityNumbers,
  })
  const leis: Readonly<Record<number, readonly string[]>> = { 1: ['A'], 2: ['B'], 3: [], 4: ['A'] }
  const merges = (...groups: JoinGroup[]) =>
    planMerges(groups, (number) => leis[number] ?? []).map(
      ({ entityNumber, intoNumber }) => `${entityNumber}>${intoNumber}`,
    )

  it('is decided by the surest reason first, and LEIs that differ outweigh what is less sure', () => {
    expect(merges(group('cik', 1, 2))).toEqual([])
    expect(merges(group('cik', 2, 3), group('lei', 1, 4), group('registration_id', 3, 4))).toEqual([
      '4>1',
      '3>1',
    ])
    expect(merges(group('successor', 1, 2))).toEqual(['2>1'])
    expect(merges(group('branch', 1, 2))).toEqual(['2>1'])
  })

  it('leads every merged company to the oldest of all', () => {
    expect(merges(group('cik', 5, 6), group('cik', 6, 7), group('lei', 7, 3))).toEqual(
      ['7>3', '6>5', '5>3']
        .sort()
        .reverse()
        .map((one) => one.replace('6>5', '6>3')),
    )
  })

  it('is not told from a number that very many share', () => {
    const many = Array.from({ length: 51 }, (_, index) => index + 10)
    expect(merges(group('cik', ...many))).toEqual([])
    expect(merges(group('cik', ...many.slice(1)))).toHaveLength(49)
  })

  test.each([
    ['de', 'RA000217', 'de HRB', 'Kiel HRB 501'],
    ['de', null, 'de HRB', 'HRB 501 (AG Kiel)'],
    ['de', 'RA999999', null, 'Kiel HRB 501'],
    ['br', 'RA000681', 'br 0', '33.000.167/0001-01'],
    ['it', null, 'it 1', 'MI-1234567'],
    ['it', null, null, '1234567'],
    ['gb', 'RA000585', 'gb'],
    ['gb_sct', 'RA000587', 'gb'],
    ['gb', null, 'gb'],
    ['gb', 'RA000589', 'RA000589'],
    ['de', 'RA000217', 'RA000217'],
    ['de', null, null],
    ['us_de', null, 'us_de'],
    ['us', null, null],
    ['ca', null, null],
    ['ca', null, 'ca 0', '123456-7'],
    ['ca', null, 'ca 1', '1142301543'],
    ['ca_qc', null, 'ca 1', '33 4240 0004'],
    ['ca_bc', null, 'ca 2', 'BC0123456'],
    ['ca_on', null, 'ca_on', '1000012345'],
    ['us_de', 'RA000602', 'us_de'],
    ['se', 'RA000544', 'se'],
    ['fr', 'RA000544', null],
    ['fr', 'RA999999', null],
    ['fr', 'RA888888', null],
  ])('numbers of %s given by %s are those of %s', (jurisdiction, authority, register, number = '501') => {
    expect(toRegister(jurisdiction, authority, number)).toBe(register)
  })

  test.each([
    ['445790', 'RA000585', '00445790'],
    ['SC1234', 'RA000587', 'SC001234'],
    ['OC312345', 'RA000585', 'OC312345'],
    ['445790', 'RA000589', '445790'],
    ['IP123456R', 'RA000585', 'IP123456R'],
  ])('%s of %s is written %s', (value, authority, written) => {
    expect(normalizeRegistrationNumber(value, 'gb', authority)).toBe(written)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareStates, getCurrentEntityId, type StateChange } from '../../../src/pipeline/history/changes.js'
import {
  parsePublishedState,
  publishedFields,
  publishedStateVersion,
  type PublishedField,
  type PublishedState,
} from '../../../src/pipeline/answers/published-state.js'
import { forAll } from '../../support/properties.js'

type Fields = Partial<Record<PublishedField, string>>

function stateOf(fields: Fields): PublishedState {
  const sources = Object.entries(fields).map(([field, value]) => [`source of ${value}`, [field]])
  const values = JSON.stringify({ v: publishedStateVersion, ...fields })
  return parsePublishedState(`${values}\n${JSON.stringify(Object.fromEntries(sources))}`)
}

const acme: Fields = {
  status: 'matched',
  confidence: '95',
  entity_id: 'siq_a',
  display_name: 'Acme',
  legal_name: 'Acme Ltd',
  entity_status: 'active',
  formatted_address: '1 Road, London',
  country_code: 'GB',
  legal_entity_id: 'le_a',
  jurisdiction: 'gb',
  registration_id: '00000001',
  parent_name: 'Acme Group',
  hierarchy_status: 'completed',
  ultimate_parent_name: 'Acme Holdings',
}
const other: Fields = { ...acme, entity_id: 'siq_b', legal_name: 'Beta Ltd', registration_id: '00000002' }
const partial: Fields = { ...acme, status: 'partial_match', confidence: '70' }
const none: Fields = { status: 'no_match', confidence: '0' }
const merged: Fields = { ...acme, status: 'merged', merged_into: 'siq_b' }
const without = (fields: Fields, ...names: PublishedField[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name as PublishedField)))

/** `kind field` of each change, `kind` where the field is plain. */
const told = (older: Fields, newer: Fields): string[] =>
  compareStates(stateOf(older), stateOf(newer)).map(({ kind, field }) => `${kind} ${field}`)

describe('what a row became', () => {
  it.each<[string, Fields, Fields, string[]]>([
    ['the same answer is no change', acme, acme, []],
    ['a match that came is one line', none, acme, ['gained_match status']],
    ['a match that went is one line', acme, none, ['lost_match status']],
    ['a match that is partial now is lost', acme, partial, ['lost_match status']],
    ['a match whose answer was lost is lost', acme, { status: 'uncertain' }, ['lost_match status']],
    ['a match that failed is lost', acme, { status: 'failed' }, ['lost_match status']],
    ['a match that has no answer yet is not lost', acme, { status: 'pending' }, []],
    ['a first answer is no gained match', { status: 'pending' }, acme, []],
    ['a merged company was a match', none, merged, ['gained_match status']],
    ['no match and a failure are no match both', none, { status: 'failed' }, []],
    ['uncertain and pending are no match both', { status: 'uncertain' }, { status: 'pending' }, []],
    [
      'a name that is shown without what EDGAR adds to it is no change',
      { ...acme, display_name: 'ACME CORP /DE/' },
      { ...acme, display_name: 'ACME CORP' },
      [],
    ],
    [
      'a name in other case, with other punctuation, is no change',
      { ...acme, display_name: "LARKMOOR'S CORP/", parent_name: 'LARKMOOR GROUP PLC' },
      { ...acme, display_name: 'Larkmoors Corp.', parent_name: 'Larkmoor Group plc' },
      [],
    ],
    ['another name in use is one', acme, { ...acme, display_name: 'Acme UK' }, ['renamed display_name']],
    ['another company is one line, whatever else differs', acme, other, ['entity_changed entity_id']],
    ['a company that was merged is one line', acme, merged, ['merged merged_into']],
    [
      'the record of the company it was merged into tells it too',
      acme,
      { ...merged, entity_id: 'siq_b' },
      ['merged merged_into'],
    ],
    [
      'a merger without a record is one',
      acme,
      without(merged, 'entity_id', 'legal_name'),
      ['merged merged_into'],
    ],
    ['the id where it was merged into, a night later, is no change', merged, other, []],
    [
      'the id where it was merged into, with an empty record before, is no change',
      without(merged, 'entity_id', 'legal_name', 'formatted_address'),
      other,
      [],
    ],
    [
      'a merger again is one',
      merged,
      { ...merged, entity_id: 'siq_b', merged_into: 'siq_c' },
      ['merged merged_into'],
    ],
    ['the same merger again is none', merged, merged, []],
    ['a merger undone is another company', merged, acme, ['entity_changed entity_id']],
    [
      'an id that moves to the one that the record named before is a merger',
      { ...acme, entity_current_id: 'siq_b' },
      other,
      ['merged entity_id'],
    ],
    [
      'a record that names another id, while the id stays, is told when it moves',
      acme,
      { ...acme, entity_current_id: 'siq_b' },
      [],
    ],
    ['a new legal name is a renaming', acme, { ...acme, legal_name: 'Acme plc' }, ['renamed legal_name']],
    ['a new display name is a renaming', acme, { ...acme, display_name: 'Beta' }, ['renamed display_name']],
    [
      'both names are one line',
      acme,
      { ...acme, display_name: 'X', legal_name: 'X Ltd' },
      ['renamed legal_name'],
    ],
    ['a company that ends', acme, { ...acme, entity_status: 'inactive' }, ['became_inactive entity_status']],
    [
      'a company that is restructured trades on, which is no end',
      acme,
      { ...acme, entity_status: 'Restructuring' },
      ['restructuring_began entity_status'],
    ],
    [
      'a restructuring of a company without a status before',
      without(acme, 'entity_status'),
      { ...acme, entity_status: 'restructuring' },
      ['restructuring_began entity_status'],
    ],
    [
      'a restructuring that continues',
      { ...acme, entity_status: 'restructuring' },
      { ...acme, entity_status: 'restructuring' },
      [],
    ],
    ['a restructuring that ended well', { ...acme, entity_status: 'restructuring' }, acme, []],
    ...['administration', 'Restructuring'].map((state): [string, Fields, Fields, string[]] => [
      `a procedure (${state}) that began`,
      acme,
      { ...acme, entity_status: state },
      ['restructuring_began entity_status'],
    ]),
    [
      'one procedure after another',
      { ...acme, entity_status: 'administration' },
      { ...acme, entity_status: 'restructuring' },
      [],
    ],
    ['an announced strike-off is no end', acme, { ...acme, entity_status: 'strike-off in progress' }, []],
    [
      'a strike-off that happened',
      { ...acme, entity_status: 'strike-off in progress' },
      { ...acme, entity_status: 'inactive' },
      ['became_inactive entity_status'],
    ],
    [
      'a restructuring that failed',
      { ...acme, entity_status: 'restructuring' },
      { ...acme, entity_status: 'liquidation' },
      ['became_inactive entity_status'],
    ],
    ['a company that is back', { ...acme, entity_status: 'inactive' }, acme, ['became_active entity_status']],
    [
      'a company that a register no longer lists',
      acme,
      { ...without(acme, 'entity_status'), factors: 'Gone from one.' },
      ['left_register factors'],
    ],
    [
      'a company that a register has not listed for longer is no change',
      { ...acme, factors: 'Gone from one.' },
      { ...acme, factors: 'Gone from one.' },
      [],
    ],
    [
      'a second register that no longer lists it is one',
      { ...acme, factors: 'Gone from one.' },
      { ...acme, factors: 'Gone from another. Gone from one.' },
      ['left_register factors'],
    ],
    [
      'a register that lists it again is no change',
      { ...acme, factors: 'Gone from another. Gone from one. Gone from two.' },
      { ...acme, factors: 'Gone from another. Gone from two.' },
      [],
    ],
    [
      'a match that went as its company left a register is both',
      acme,
      { status: 'inconclusive', confidence: '60', factors: 'Gone from one.' },
      ['lost_match status', 'left_register factors'],
    ],
    [
      'a company that had left a register when it was found is a gained match',
      none,
      { ...acme, factors: 'Gone from one.' },
      ['gained_match status'],
    ],
    [
      'another company that left a register is another company',
      acme,
      { ...other, factors: 'Gone from one.' },
      ['entity_changed entity_id'],
    ],
    [
      'a standing known for the first time is told where it has ended',
      without(acme, 'entity_status'),
      { ...acme, entity_status: 'inactive' },
      ['became_inactive entity_status'],
    ],
    [
      'a standing known for the first time is not told where it is active',
      without(acme, 'entity_status'),
      acme,
      [],
    ],
    ['a standing that is not known any more is not told', acme, without(acme, 'entity_status'), []],
    [
      'a new address',
      acme,
      { ...acme, formatted_address: '2 Road, London' },
      ['address_changed formatted_address'],
    ],
    [
      'an address that appears',
      without(acme, 'formatted_address'),
      acme,
      ['address_changed formatted_address'],
    ],
    [
      'an address that vanishes',
      acme,
      without(acme, 'formatted_address'),
      ['address_changed formatted_address'],
    ],
    [
      'address and country are one line',
      acme,
      { ...acme, formatted_address: '1 Rue, Paris', country_code: 'FR' },
      ['address_changed formatted_address'],
    ],
    [
      'a country alone is an address',
      acme,
      { ...acme, country_code: 'FR' },
      ['address_changed country_code'],
    ],
    [
      'identifiers are a line each',
      acme,
      { ...acme, lei: 'L', registration_id: '9', legal_entity_id: 'le_9' },
      ['identifier_changed registration_id', 'identifier_changed lei'],
    ],
    ['an identifier that vanishes', { ...acme, lei: 'L' }, acme, ['identifier_changed lei']],
    [
      'another registration that nothing else tells of',
      acme,
      { ...acme, legal_entity_id: 'le_9' },
      ['identifier_changed legal_entity_id'],
    ],
    ['a parent', acme, { ...acme, parent_name: 'Beta Group' }, ['parent_changed parent_name']],
    ['a parent that appears', without(acme, 'parent_name'), acme, ['parent_changed parent_name']],
    ['a parent that vanishes', acme, without(acme, 'parent_name'), ['parent_changed parent_name']],
    [
      'the parent at the top',
      acme,
      { ...acme, ultimate_parent_name: 'Beta' },
      ['parent_changed ultimate_parent_name'],
    ],
    [
      'both parents are one line',
      acme,
      { ...acme, parent_name: 'B', ultimate_parent_name: 'B' },
      ['parent_changed parent_name'],
    ],
    [
      'a stage that was asked in one run only tells nothing',
      without(acme, 'hierarchy_status', 'ultimate_parent_name'),
      acme,
      [],
    ],
    [
      'a stage without an answer tells nothing',
      acme,
      { ...acme, hierarchy_status: 'failed', ultimate_parent_name: 'X' },
      [],
    ],
    [
      'facts of a partial match are compared where it is the same company',
      partial,
      { ...partial, legal_name: 'Y' },
      ['renamed legal_name'],
    ],
    [
      'a name that takes the match away is told with it',
      acme,
      { ...partial, legal_name: 'Y' },
      ['lost_match status', 'renamed legal_name'],
    ],
    ['another guess is no change', partial, { ...partial, entity_id: 'siq_b', legal_name: 'Y' }, []],
    [
      'confidence that crosses the line of its own',
      partial,
      { ...partial, confidence: '80' },
      ['confidence_crossed confidence'],
    ],
    ['confidence below the line', partial, { ...partial, confidence: '79' }, []],
    [
      'confidence that falls with its match is told by the match',
      acme,
      { ...acme, status: 'inconclusive', confidence: '50' },
      ['lost_match status'],
    ],
    [
      'confidence of another guess is not compared',
      partial,
      { ...partial, entity_id: 'siq_b', confidence: '90' },
      [],
    ],
    [
      'confidence of a guess without a company',
      { status: 'inconclusive', confidence: '81' },
      { status: 'inconclusive', confidence: '40' },
      ['confidence_crossed confidence'],
    ],
    ['no confidence is none', { status: 'failed' }, { status: 'inconclusive', confidence: '90' }, []],
  ])('%s', (_, older, newer, expected) => {
    expect(told(older, newer)).toEqual(expected)
  })

  it('old and new come with the source of each', () => {
    expect(compareStates(stateOf(acme), stateOf(without(acme, 'parent_name')))).toEqual([
      {
        kind: 'parent_changed',
        field: 'parent_name',
        old: 'Acme Group',
        new: null,
        oldSource: 'source of Acme Group',
        newSource: null,
      },
    ])
  })

  it('the id to store is the one a company was merged into', () => {
    expect(getCurrentEntityId(stateOf(merged))).toBe('siq_b')
    expect(getCurrentEntityId(stateOf({ ...acme, merged_into: 'siq_z' }))).toBe('siq_a')
    expect(getCurrentEntityId(stateOf(none))).toBeNull()
  })
})

describe('whatever two states are', () => {
  const few = fc.constantFrom('a', 'b', 'c')
  const valueOf: Partial<Record<PublishedField, fc.Arbitrary<string>>> = {
    status: fc.constantFrom(
      'matched',
      'merged',
      'partial_match',
      'inconclusive',
      'no_match',
      'failed',
      'pending',
    ),
    confidence: fc.integer({ min: 0, max: 100 }).map(String),
    entity_status: fc.constantFrom('active', 'inactive'),
    hierarchy_status: fc.constantFrom('completed', 'failed'),
  }
  const anyState = fc
    .record(Object.fromEntries(publishedFields.map((field) => [field, valueOf[field] ?? few])), {
      requiredKeys: [],
    })
    .map((fields) => stateOf(fields))
  const mirrored: Partial<Record<StateChange['kind'], readonly StateChange['kind'][]>> = {
    gained_match: ['lost_match'],
    lost_match: ['gained_match'],
    entity_changed: ['entity_changed', 'merged'],
    merged: ['entity_changed', 'merged'],
    became_inactive: ['became_active'],
    became_active: ['became_inactive'],
  }
  const isKnownOnce = ({ kind, old, new: now }: StateChange) =>
    kind === 'left_register' || (kind === 'became_inactive' && (old === null || now === null))

  it('a state against itself is no change', () => {
    forAll(100, [anyState], (state) => compareStates(state, state).length === 0)
  })

  it('what changed there has changed back here', () => {
    forAll(3_000, [anyState, anyState], (a, b) => {
      const there = compareStates(a, b).filter((change) => !isKnownOnce(change))
      const back = compareStates(b, a).filter((change) => !isKnownOnce(change))
      expect(back).toHaveLength(there.length)
      for (const [at, { kind, old, new: now, oldSource, newSource, field }] of there.entries()) {
        const other = back[at]
        expect(mirrored[kind] ?? [kind]).toContain(other?.kind)
        if (other?.field !== field) expect([kind, other?.kind]).toContain('merged')
        else expect(other).toMatchObject({ old: now, new: old, oldSource: newSource, newSource: oldSource })
      }
    })
  })

  it('a kind is told once, but that of identifiers, which is told once a field', () => {
    forAll(100, [anyState, anyState], (a, b) => {
      const lines = compareStates(a, b).map(({ kind, field }) =>
        kind === 'identifier_changed' ? `${kind} ${field}` : kind,
      )
      expect(new Set(lines).size).toBe(lines.length)
    })
  })
})

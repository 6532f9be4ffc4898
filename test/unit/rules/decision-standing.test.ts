import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeDecision, explainDoubt } from '../../../src/core/decisions.js'
import { forAll } from '../../support/properties.js'

const accepted = { verdict: 'accepted', entityId: 'siq_1', entityName: 'ACME Ltd.' } as const
const record = (entity: object, rest: object = {}) => ({
  status: 'matched',
  entity: { id: 'siq_1', ...entity },
  ...rest,
})

describe('a verdict', () => {
  test.each([
    ['no record yet', null, { kind: 'unread' }],
    ['the same legal name', record({ legal_name: 'ACME Ltd.' }), { kind: 'stands' }],
    ['in other letters and spaces', record({ legal_name: ' acme  LTD. ' }), { kind: 'stands' }],
    ['the display name', record({ legal_name: 'Another', display_name: 'Acme Ltd.' }), { kind: 'stands' }],
    ['no name at all', record({ legal_name: null }), { kind: 'stands' }],
    ['another name', record({ legal_name: 'Globex AG' }), { kind: 'renamed', name: 'Globex AG' }],
    ['another display name', record({ display_name: 'Globex' }), { kind: 'renamed', name: 'Globex' }],
    [
      'merged, and the record of the other',
      { status: 'merged', merged_into: 'siq_2', entity: { id: 'siq_2', legal_name: 'Globex AG' } },
      { kind: 'merged', into: 'siq_2' },
    ],
    ['the record of another, without a word', { entity: { id: 'siq_3' } }, { kind: 'merged', into: 'siq_3' }],
    ['merged into itself', record({ legal_name: 'Acme Ltd.' }, { merged_into: 'siq_1' }), { kind: 'stands' }],
    ['the service knows none', { status: 'not_found' }, { kind: 'gone' }],
    ['a record without a company', { status: 'matched', entity: null }, { kind: 'gone' }],
  ])('%s', (_, body, expected) => {
    expect(judgeDecision(accepted, body)).toEqual(expected)
  })

  test('whose company had no name that is known is never renamed', () => {
    expect(judgeDecision({ ...accepted, entityName: null }, record({ legal_name: 'Globex' }))).toEqual({
      kind: 'stands',
    })
  })

  test('that there is no company stands, whatever is known', () => {
    const none = { verdict: 'none', entityId: null, entityName: null } as const
    expect(judgeDecision(none, { status: 'not_found' })).toEqual({ kind: 'stands' })
  })

  test('is judged whatever a service sends', () => {
    forAll(100, [fc.jsonValue()], (body) => {
      expect(['stands', 'unread', 'merged', 'gone', 'renamed']).toContain(judgeDecision(accepted, body).kind)
    })
  })

  test.each([
    [{ kind: 'stands' }, null],
    [{ kind: 'unread' }, null],
    [{ kind: 'merged', into: 'siq_2' }, 'ACME Ltd. was merged into siq_2 after the decision'],
    [{ kind: 'gone' }, 'the service no longer knows ACME Ltd.'],
    [{ kind: 'renamed', name: 'Globex' }, 'ACME Ltd. is now called Globex'],
  ] as const)('comes back with the reason: %j', (standing, reason) => {
    expect(explainDoubt(accepted, standing)).toBe(reason)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDeeperThan } from '../../../src/core/json.js'
import { forAll } from '../../support/properties.js'

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

describe('depth of JSON', () => {
  test.each([
    ['1', 0, false],
    ['[]', 0, true],
    ['[]', 1, false],
    ['{"a":[{}]}', 2, true],
    ['{"a":[{}]}', 3, false],
    ['[[],[],[[]]]', 3, false],
    ['"[[[["', 0, false],
    ['["\\"[[[", "\\\\"]', 1, false],
    ['["\\\\", [1]]', 1, true],
    ['', 0, false],
    [']]]][[', 1, false],
  ])('%s nests deeper than %i: %s', (text, depthMax, isDeeper) => {
    expect(isDeeperThan(text, depthMax)).toBe(isDeeper)
  })

  test('it agrees with the parsed value, however its strings look', () => {
    const text = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a', '\n', '\ud800') })
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'large' },
        text,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(text, tie('value'), { maxKeys: 3 }),
      ),
    }))
    forAll(100, [value, fc.nat(6), fc.constantFrom(0, 2)], (json, depthMax, indent) => {
      expect(isDeeperThan(JSON.stringify(json, null, indent), depthMax)).toBe(depthOf(json) > depthMax)
    })
  })

  test('a million levels are refused without being walked', () => {
    expect(isDeeperThan('['.repeat(1_000_000), 64)).toBe(true)
  })
})

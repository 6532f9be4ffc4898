import fc from 'fast-check'
import { expect, test } from 'vitest'
import { customId } from '../../../src/contract/enums.js'
import { formatCustomId, parseCustomId } from '../../../src/pipeline/checkpoint/lookup.js'
import { forAll } from '../../support/properties.js'

const hex = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex'))
const name = fc.record({
  checkpointId: fc.stringMatching(/^[0-9a-z]{24}$/),
  scopeId: fc.integer({ min: 1, max: 999_999_999 }),
  keyHex: hex,
  attempt: fc.integer({ min: 1, max: 999_999_999 }),
  generation: fc.integer({ min: 0, max: 999_999_999 }),
})

test('the custom id of a submission is within the bounds of the interface, and names it again', () => {
  forAll(100, [name], (one) => {
    const text = formatCustomId(one)
    expect(customId.parse(text)).toBe(text)
    expect(parseCustomId(text)).toEqual(one)
  })
})

test('names of two generations are never the same', () => {
  forAll(100, [name, fc.integer({ min: 1, max: 9 })], (one, more) => {
    expect(formatCustomId({ ...one, generation: one.generation + more })).not.toBe(formatCustomId(one))
  })
})

test('a name of an earlier version is one of the first generation', () => {
  const text = `enr_${'a'.repeat(24)}_1_${'0'.repeat(32)}_2`
  expect(parseCustomId(text)).toMatchObject({ attempt: 2, generation: 0 })
  expect(
    formatCustomId({
      checkpointId: 'a'.repeat(24),
      scopeId: 1,
      keyHex: '0'.repeat(32),
      attempt: 2,
      generation: 0,
    }),
  ).toBe(text)
})

test.each([
  '',
  'order-17',
  'enr_abc_0_00_1',
  `enr_abc_1_${'0'.repeat(32)}_0`,
  `enr_abc_1_${'0'.repeat(32)}_1_0`,
  `enr_abc_1_${'Z'.repeat(32)}_1`,
])('%j is none of ours', (text) => {
  expect(parseCustomId(text)).toBeNull()
})

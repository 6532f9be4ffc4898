import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  packChanges,
  packNumbers,
  unpackChanges,
  unpackNumbers,
} from '../../../src/pipeline/checkpoint/history-tables.js'
import { forAll } from '../../support/properties.js'

const numbers = fc.array(fc.oneof(fc.nat(100), fc.nat(2 ** 32 - 1))).map((list) => Uint32Array.from(list))

describe('numbers that are packed', () => {
  test('are unpacked as they were, any of 32 bits', () => {
    forAll(100, [numbers], (some) => {
      expect(unpackNumbers(packNumbers(some), some.length)).toEqual(some)
    })
    const ends = Uint32Array.of(0, 2 ** 32 - 1, 0, 1, 2 ** 32 - 2)
    expect(unpackNumbers(packNumbers(ends), ends.length)).toEqual(ends)
  })

  test('are unpacked from others of any length', () => {
    forAll(100, [numbers, numbers], (some, base) => {
      expect(unpackChanges(packChanges(some, base), some.length, base)).toEqual(some)
    })
  })

  test('of another count are refused', () => {
    const packed = packNumbers(Uint32Array.of(1, 2, 3))
    expect(() => unpackNumbers(packed, 2)).toThrow()
    expect(() => unpackNumbers(packed, 4)).toThrow()
    expect(() => unpackNumbers(packed.subarray(1), 3)).toThrow()
  })
})

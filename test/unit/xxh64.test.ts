import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Xxh64 } from '../../src/core/xxh64.js'

function low32(bytes: Uint8Array, cuts: readonly number[] = []): number {
  const hash = new Xxh64()
  let at = 0
  for (const cut of cuts) {
    hash.update(bytes.subarray(at, at + cut))
    at += cut
  }
  hash.update(bytes.subarray(at))
  return hash.low32()
}

test.each([
  ['', 0x51d8e999],
  ['a', 0xa98c6e5b],
  ['abc', 0xad770999],
])('the hash of %j ends with the published 32 bits', (text, expected) => {
  expect(low32(Buffer.from(text))).toBe(expected)
})

test('the pieces bytes come in do not matter', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(fc.nat({ max: 50 }), { maxLength: 6 }),
      (bytes, cuts) => {
        expect(low32(bytes, cuts)).toBe(low32(bytes))
      },
    ),
  )
})

import { identifierType } from '../../../src/contract/enums.js'
import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { toCanonicalIdentifier } from '../../../src/core/identifiers.js'
import { forAll } from '../../support/properties.js'

test.each([
  ['lei', 'hwupkr0mpou8fgxbt394', 'HWUPKR0MPOU8FGXBT394'],
  ['lei', ' 5493 006M HB84 DD0Z WV18 ', '5493006MHB84DD0ZWV18'],
  ['cik', '320193', '0000320193'],
  ['cik', '0000320193', '0000320193'],
  ['ein', '94-2404110', '942404110'],
  ['duns', '06-070-4780', '060704780'],
  ['bic', 'deutdeff', 'DEUTDEFF'],
  ['bic', 'APLEUS66XXX', 'APLEUS66XXX'],
  ['ticker', 'brk-b', 'BRK-B'],
  ['registration_id', ' hrb  6684 ', 'HRB 6684'],
] as const)('%s %j is held as %j', (type, text, value) => {
  expect(toCanonicalIdentifier(type, text)).toEqual({ value })
})

test.each([
  ['lei', 'HWUPKR0MPOU8FGXBT395'],
  ['lei', 'HWUPKR0MPOU8FGXBT39'],
  ['cik', '0'],
  ['cik', '12345678901'],
  ['ein', '12-345678'],
  ['ein', '000000000'],
  ['duns', 'none'],
  ['bic', 'DEUT'],
  ['ticker', 'two words'],
  ['registration_id', '  '],
] as const)('%s %j is refused with a reason', (type, text) => {
  expect(toCanonicalIdentifier(type, text)).toEqual({ reason: expect.any(String) })
})

it('a canonical form is its own canonical form', () => {
  forAll(100, [fc.constantFrom(...identifierType.options), fc.string({ maxLength: 30 })], (type, text) => {
    const canonical = toCanonicalIdentifier(type, text)
    if ('value' in canonical) expect(toCanonicalIdentifier(type, canonical.value)).toEqual(canonical)
  })
})

it('a wrong digit or a wrong letter of an LEI is always noticed', () => {
  const lei = 'HWUPKR0MPOU8FGXBT394'
  forAll(100, [fc.nat(17), fc.constantFrom('A', 'H', 'Q', 'Z'), fc.nat(9)], (at, letter, digit) => {
    const right = lei.charAt(at)
    const wrong = /\d/.test(right) ? String(digit) : letter
    fc.pre(right !== wrong)
    const text = lei.slice(0, at) + wrong + lei.slice(at + 1)
    expect(toCanonicalIdentifier('lei', text)).toHaveProperty('reason')
  })
})

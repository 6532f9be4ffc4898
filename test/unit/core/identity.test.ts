import { anyText } from './any-text.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  identify,
  toIdentityText,
  lookupCharsMax,
  type Lookup,
  isPlaceholder,
} from '../../../src/core/lookup-identity.js'
import { forAll } from '../../support/properties.js'

function lookupOf(name: string, location: (string | null)[] = [], context: (string | null)[] = []): Lookup {
  const identified = identify(name, location, context)
  if (identified.kind === 'invalid') throw new Error(identified.reason)
  return identified.lookup
}

const textOf = (...cells: Parameters<typeof lookupOf>) => toIdentityText(lookupOf(...cells), 0)

describe('a row as a lookup', () => {
  test('cells are tidied, blank ones left out, the rest joined', () => {
    expect(lookupOf('  Acme\t\n Inc ', [' Austin ', null, '', 'TX'], ['\u00a0'])).toEqual({
      name: 'Acme Inc',
      location: 'Austin, TX',
      context: null,
    })
  })

  test('the case that was written is what is asked', () => {
    expect(lookupOf('ACME gmbh').name).toBe('ACME gmbh')
  })

  test.each([
    [null, 'no company name'],
    ['', 'no company name'],
    [' \u200b\ufeff\u0000 ', 'no company name'],
    ['\u00ad\u00ad', 'no company name'],
    ['\u3164\u3164 \u115f\uffa0', 'no company name'],
    ['\u200e\u200f\u2066\u2069', 'no company name'],
    ['\u2060\u034f\ufe0f\u{e0001}', 'no company name'],
    ['\u2800\u2800\u2800', 'no company name'],
    ['L\u00ad\u200d', 'the name has 1 character; at least 2 are needed'],
    ['X', 'the name has 1 character; at least 2 are needed'],
    ['🏢', 'the name has 1 character; at least 2 are needed'],
    ['?', '"?" says that there is no name'],
    [' (n/a) ', '"(n/a)" says that there is no name'],
    ['-'.repeat(501), `"${'-'.repeat(60)}…" says that there is no name`],
    ['x'.repeat(lookupCharsMax.name + 1), 'the name is longer than 500 characters'],
  ])('%j is no name', (name, reason) => {
    expect(identify(name, [], [])).toEqual({ kind: 'invalid', reason })
  })

  test('a location or context beyond its bound is refused, one at its bound is taken', () => {
    const { location, context } = lookupCharsMax
    expect(identify('Acme', ['x'.repeat(location)], ['y'.repeat(context)]).kind).toBe('lookup')
    expect(identify('Acme', ['x'.repeat(location + 1)], []).kind).toBe('invalid')
    expect(identify('Acme', ['x'.repeat(location - 1), 'y'], []).kind).toBe('invalid')
    expect(identify('Acme', [], ['y'.repeat(context + 1)]).kind).toBe('invalid')
  })

  test('any cells give a lookup of well-formed lines or a reason', () => {
    const cell = fc.option(anyText)
    forAll(100, [cell, fc.array(cell), fc.array(cell)], (name, location, context) => {
      const identified = identify(name, location, context)
      if (identified.kind === 'invalid') {
        expect(identified.reason).not.toBe('')
        return
      }
      for (const text of Object.values(identified.lookup) as (string | null)[]) {
        if (text === null) continue
        expect(text.isWellFormed()).toBe(true)
        expect(text).not.toMatch(/\p{Cc}|^\s|\s$|\s\s/u)
        expect(text).not.toBe('')
      }
    })
  })
})

describe('the identity of a lookup', () => {
  const word = fc.string({
    unit: fc.constantFrom(...Array.from('abcXYZ019äöüéñçøşłŽабвГДжαβγΔ株式会社&.-')),
    minLength: 2,
  })
  const space = fc.stringMatching(/^[ \t\n\u00a0\u2003\u3000\ufeff\u200b]{1,4}$/)
  const rename = fc.constantFrom<(text: string) => string>(
    (text) => text.toLowerCase(),
    (text) => text.toUpperCase(),
    (text) => text.normalize('NFD'),
    (text) => text.normalize('NFKC'),
    (text) => text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  )

  test('case, spaces, width and composition do not change it', () => {
    forAll(
      100,
      [fc.array(word, { minLength: 1, maxLength: 5 }), space, rename, rename],
      (words, gap, one, two) => {
        const plain = words.join(' ')
        fc.pre(!isPlaceholder(plain))
        const varied = gap + two(one(words.join(gap))) + gap
        expect(textOf(varied, [varied], [varied])).toBe(textOf(plain, [plain], [plain]))
      },
    )
  })

  test('a location in one cell is the same as in several', () => {
    expect(textOf('Acme', ['Austin, TX'])).toBe(textOf('Acme', ['Austin', 'tx', ' ']))
  })

  test('other letters in any part change it', () => {
    const letters = fc
      .string({ unit: fc.constantFrom(...Array.from('abcdeäß漢字0123')), minLength: 2, maxLength: 6 })
      .filter((text) => !isPlaceholder(text))
    const parts = fc.record({ name: letters, location: fc.option(letters), context: fc.option(letters) })
    forAll(100, [parts, parts], (one, other) => {
      const isSame = JSON.stringify(one) === JSON.stringify(other)
      expect(toIdentityText(one, 0) === toIdentityText(other, 0)).toBe(isSame)
    })
    expect(textOf('Acme', ['Austin'])).not.toBe(textOf('Acme', [], ['Austin']))
    expect(textOf('Acme', ['Austin'])).not.toBe(textOf('Acme'))
    expect(textOf('Acme, Austin')).not.toBe(textOf('Acme', ['Austin']))
    expect(textOf('Acme", "Austin')).not.toBe(textOf('Acme', ['Austin']))
    expect(textOf('Müller')).not.toBe(textOf('Muller'))
  })

  test('rows that are each asked on their own account differ by their number alone', () => {
    const lookup = lookupOf('Acme')
    const texts = [0, 1, 2].map((occurrence) => toIdentityText(lookup, occurrence))
    expect(new Set(texts).size).toBe(3)
  })

  test('it never throws and is well-formed, whatever is in the strings', () => {
    const odd = fc.constantFrom('\ud800', '\udc00', '\0', 'İ', 'ß', 'ﷺ', 'ﬀ', '\u0301')
    const any = fc.array(fc.oneof(odd, anyText)).map((parts) => parts.join(''))
    forAll(100, [any, fc.option(any), fc.option(any), fc.nat()], (name, location, context, occurrence) => {
      const text = toIdentityText({ name, location, context }, occurrence)
      expect(text.isWellFormed()).toBe(true)
      expect(JSON.parse(text)).toHaveLength(5)
    })
  })

  test('its rule is version 1: these texts never change without a migration', () => {
    expect(textOf(' ACME   Ínc. ', ['Austin', 'TX'])).toBe('[1,"acme ínc.","austin, tx","",0]')
    expect(textOf('ｱｸﾒ㈱', [], ['Rüstung'])).toBe('[1,"アクメ(株)","","rüstung",0]')
  })
})

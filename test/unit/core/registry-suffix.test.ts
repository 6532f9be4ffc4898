import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasSameLetters, removeRegistrySuffix } from '../../../src/core/numbers/registry-suffix.js'
import { forAll } from '../../support/properties.js'

test.each([
  ['BANK OF AMERICA CORP /DE/', 'BANK OF AMERICA CORP'],
  ['KEYCORP /NEW/', 'KEYCORP'],
  ['Gladstone Investment Corporation\\DE', 'Gladstone Investment Corporation'],
  ['US BANCORP \\DE\\', 'US BANCORP'],
  ['THOMSON REUTERS CORP /CAN/', 'THOMSON REUTERS CORP'],
  ['MJP ASSOCIATES INC                     /ADV', 'MJP ASSOCIATES INC'],
  ['Midea Group Co., Ltd./ADR', 'Midea Group Co., Ltd.'],
  ['Rivian Automotive, Inc. / DE', 'Rivian Automotive, Inc.'],
  ['FAIRFAX FINANCIAL HOLDINGS LTD/ CAN', 'FAIRFAX FINANCIAL HOLDINGS LTD'],
  ['Core Scientific, Inc./tx', 'Core Scientific, Inc.'],
  ['Schlumberger Limited/NV', 'Schlumberger Limited'],
  ['TOWNSEND ASSET MANAGEMENT CORP /NC/ /ADV', 'TOWNSEND ASSET MANAGEMENT CORP'],
  ['Zealand Pharma A/S/ADR', 'Zealand Pharma A/S'],
  ['PINE CAPITAL MANAGEMENT INC /CA/                        /ADV', 'PINE CAPITAL MANAGEMENT INC'],
  ['Troops, Inc. /Cayman Islands/', 'Troops, Inc.'],
  ['Alight, Inc. / Delaware', 'Alight, Inc.'],
  ['NOBLE CORP / SWITZERLAND', 'NOBLE CORP'],
  ['NSTAR/MA', 'NSTAR'],
  ['Bank of New York Mellon / SBSD', 'Bank of New York Mellon'],
  ['TOYOTA MOTOR CORP/', 'TOYOTA MOTOR CORP'],
  ['Zealand Pharma A/S/', 'Zealand Pharma A/S'],
  ['Anheuser-Busch InBev SA/NV /', 'Anheuser-Busch InBev SA/NV'],
  ['Larkmoor Corp \\ ', 'Larkmoor Corp'],
])('%j is shown as %j', (name, shown) => {
  expect(removeRegistrySuffix(name)).toBe(shown)
})

test.each([
  'Anheuser-Busch InBev SA/NV',
  'Zealand Pharma A/S',
  'DATA I/O CORP',
  'KMT / UAG INC',
  'Adventist Health System/ West',
  'AC/DC Rectifiers Inc',
  'AC/DC',
  'Either/Or',
  'Larkmoor 24/7',
  'Sci/Fi',
  'Larkmoor Oy/AB',
  'UniCredit NV/SA',
  'Larkmoor c/o Norvane',
  'Larkmoor d/b/a Norvane',
  'Axcel Elevate K/S',
  'Larkmoor Long/Short Fund',
  'Larkmoor S/A',
  'IAC/INTERACTIVECORP',
  'Larkmoor Ltd ',
  'LARKMOOR CORP /TEST/',
  '/DE/',
  '/',
  '',
])('%j has no such suffix and is shown as it is', (name) => {
  expect(removeRegistrySuffix(name)).toBe(name)
})

test.each([
  ['TOYOTA MOTOR CORP/', 'Toyota Motor Corp.', true],
  ['BANK OF AMERICA CORP /DE/', 'Bank of America Corp', true],
  ['KOHLS CORP', "Kohl's Corp", true],
  ['Société Générale', 'SOCIÉTÉ GÉNÉRALE', true],
  ['Acme', 'Acme UK', false],
  ['株式会社', '有限会社', false],
  ['!', '?', false],
])('%j and %j have the same letters: %s', (one, other, isSame) => {
  expect(hasSameLetters(one, other)).toBe(isSame)
})

test('every suffix is removed from every name, in any case and with any slashes', () => {
  const names = ['Larkmoor Corp', 'NORVANE HOLDINGS INC', 'Zealand Pharma A/S', 'Data I/O Corp', 'Oval Ag']
  const suffixes = 'ADR ADV BD CAN DE FI MN MSD NE NEW ON TA WY'.split(' ')
  const places = ['Cayman Islands', 'Delaware', 'Marshall Islands', 'Ontario', 'Japan']
  const spell = (text: string, spelling: string) =>
    spelling === 'lower'
      ? text.toLowerCase()
      : spelling === 'upper'
        ? text.toUpperCase()
        : text.charAt(0).toUpperCase() + text.slice(1).toLowerCase()
  const slash = fc.constantFrom('/', '\\')
  const suffix = fc
    .record({
      text: fc.constantFrom(...suffixes, ...places),
      spelling: fc.constantFrom('lower', 'upper', 'title'),
      before: fc.constantFrom('', ' ', '          '),
      within: fc.constantFrom('', ' '),
      slash,
      isClosed: fc.boolean(),
    })
    .map(({ text, spelling, before, within, slash: mark, isClosed }) =>
      [before, mark, within, spell(text, spelling), isClosed ? mark : ''].join(''),
    )
  forAll(
    100,
    [fc.constantFrom(...names), fc.array(suffix, { minLength: 1, maxLength: 3 })],
    (name, added) => {
      expect(removeRegistrySuffix(name + added.join(''))).toBe(name)
    },
  )
})

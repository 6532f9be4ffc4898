import { expect, test } from 'vitest'
import { hasSameLetters, removeRegistrySuffix } from '../../../src/core/registry-suffix.js'

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

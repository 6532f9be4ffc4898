import { expect, test } from 'vitest'
import { writeOffice } from '../../../src/core/numbers/court-numbers.js'

test.each([
  ['TR', 'İstanbul-445674', '445674 ISTANBUL'],
  ['TR', 'İstanbul / 445674', '445674 ISTANBUL'],
  ['TR', 'İstanbul 445674-0', '445674 ISTANBUL'],
  ['MA', 'Tanger - 34512', '34512 TANGER'],
])('an office and its number are written in one way in %s: %s', (country, text, written) => {
  expect(writeOffice(country, text)).toBe(written)
})

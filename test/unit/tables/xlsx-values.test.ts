import { describe, expect, test } from 'vitest'
import { formatDate, formatDuration, getBuiltInKind } from '../../../src/tables/xlsx/cells.js'
import { parseStyle } from '../../../src/tables/xlsx/number-format.js'
import { decodeEscapes } from '../../../src/tables/xlsx/workbook.js'

describe('number formats', () => {
  test.each([
    'yyyy-mm-dd',
    'dd/mm/yy',
    'd.m.yyyy;@',
    'h:mm AM/PM',
    '[$-409]mmmm d, yyyy',
    '[$-F800]dddd, mmmm dd, yyyy',
    'mm:ss.0',
    'yyyy"年"m"月"d"日"',
    '[Red]yyyy\\-mm',
  ])('%s is a date', (code) => {
    expect(parseStyle(code).kind).toBe('date')
  })

  test.each([
    '0%',
    '#,##0 "Days"',
    '[Red]',
    '[Red]0.00',
    'General',
    '@',
    '0.00E+00',
    '#,##0.00\\ "dmy"',
    '_-* #,##0_-',
    '# ?/?',
    '',
  ])('%j is none', (code) => {
    expect(parseStyle(code).kind).toBe('number')
  })

  test('zeros alone are leading zeros, hours in brackets go on', () => {
    expect(parseStyle('000000').kind).toBe('code')
    expect(parseStyle('0').kind).toBe('number')
    expect(parseStyle('[h]:mm:ss').kind).toBe('duration')
  })

  test('those that need not be spelled out are known', () => {
    const dates = Array.from({ length: 60 }, (_, id) => id).filter((id) => getBuiltInKind(id) === 'date')
    expect(dates).toEqual([
      14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 47, 50, 51, 52, 53, 54,
      55, 56, 57, 58,
    ])
  })
})

describe('dates', () => {
  test.each([
    [1, '1900-01-01'],
    [59, '1900-02-28'],
    [60, null],
    [61, '1900-03-01'],
    [25569, '1970-01-01'],
    [45351, '2024-02-29'],
    [45351.75, '2024-02-29 18:00:00'],
    [45351.00001157407, '2024-02-29 00:00:01'],
    [0.5, '12:00:00'],
    [0.9999999999, '1900-01-01'],
    [2958465, '9999-12-31'],
    [2958466, null],
    [0, null],
    [-1, null],
  ])('%d days from 1900 are %s', (serial, text) => {
    expect(formatDate(serial, false)).toBe(text)
  })

  test.each([
    [0, '1904-01-01'],
    [1, '1904-01-02'],
    [43889, '2024-02-29'],
    [0.25, '06:00:00'],
  ])('%d days from 1904 are %s', (serial, text) => {
    expect(formatDate(serial, true)).toBe(text)
  })

  test('durations go beyond a day', () => {
    expect(formatDuration(1.5)).toBe('36:00:00')
    expect(formatDuration(-0.25)).toBe('-06:00:00')
  })
})

test.each([
  ['a_x000D_b', 'a\rb'],
  ['_x005F_x0041_', '_x0041_'],
  ['_x00zz_ _x41_', '_x00zz_ _x41_'],
])('%s is %j', (escaped, text) => {
  expect(decodeEscapes(escaped)).toBe(text)
})

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rememberHeaders } from '../../../src/core/identifiers.js'
import {
  formatBytes,
  formatCount,
  plural,
  quoteExcerpt,
  quoteName,
  toPlainDigits,
} from '../../../src/core/text.js'

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [-1_234_567, '-1,234,567'],
  [1234.5678, '1,234.5678'],
  [Number.MAX_SAFE_INTEGER, '9,007,199,254,740,991'],
])('the number %d is shown as people read it', (value, shown) => {
  expect(formatCount(value)).toBe(shown)
})

test('a number is shown with the decimals asked for', () => {
  expect([formatCount(1_234, 1), formatCount(0.04, 1)]).toEqual(['1,234.0', '0.0'])
})

test('a noun follows its count', () => {
  expect([0, 1, 2_000].map((count) => plural(count, 'row'))).toEqual(['0 rows', '1 row', '2,000 rows'])
  expect(plural(2, 'lookup is', 'lookups are')).toBe('2 lookups are')
})

test('a size is shown in the unit that fits', () => {
  expect([0, 1, 870_000, 1_234_567, 12e9].map(formatBytes)).toEqual([
    '0 kB',
    '1 kB',
    '870 kB',
    '1.2 MB',
    '12,000 MB',
  ])
})

test('digits of the scripts in use today are written as 0 to 9, and nothing else is changed', () => {
  const scripts = [
    'arab',
    'arabext',
    'beng',
    'deva',
    'fullwide',
    'gujr',
    'guru',
    'khmr',
    'knda',
    'laoo',
    'mlym',
    'mong',
  ]
  const more = ['mymr', 'orya', 'tamldec', 'telu', 'thai', 'tibt']
  for (const script of [...scripts, ...more]) {
    const written = new Intl.NumberFormat(`en-u-nu-${script}`, { useGrouping: false }).format(9_876_543_210)
    expect(written, script).not.toBe('9876543210')
    expect(toPlainDigits(`GB ${written}/é`), script).toBe('GB 9876543210/é')
  }
  expect(toPlainDigits('HRB 6684 Ⅻ ½ 第三')).toBe('HRB 6684 Ⅻ ½ 第三')
})

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`)

/** Strings of a JSON value, its keys too. */
const listStrings = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, one]) => [key, ...listStrings(one)])
      : []

test('no word of the data has letters of two of the scripts that look alike', () => {
  const files = listFiles('src').filter((file) => file.endsWith('.json'))
  expect(files.length).toBeGreaterThan(20)
  const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]
  const mixed = files.flatMap((file) =>
    listStrings(JSON.parse(readFileSync(file, 'utf8')))
      .flatMap((text) => text.match(/[\p{L}\p{M}]+/gu) ?? [])
      .filter((word) => scripts.filter((script) => script.test(word)).length > 1)
      .map((word) => `${file}: ${word}`),
  )
  expect(mixed).toEqual([])
})

test('the result for a header is computed once, also in the widest table, until they take much memory', () => {
  const computed: string[] = []
  const measure = rememberHeaders((header) => computed.push(header) && header.length)
  const wide = Array.from({ length: 10_000 }, (_, at) => `column ${at}`)
  expect([...wide, ...wide].map(measure)).toEqual([...wide, ...wide].map(({ length }) => length))
  expect(computed).toEqual(wide)
  const long = 'x'.repeat(5_000_000)
  expect([measure(long), measure('column 0')]).toEqual([long.length, 8])
  expect(computed.slice(wide.length)).toEqual([long, 'column 0'])
})

test.each([
  ['Norvane SIA', '"Norvane SIA"'],
  ['SIA "Norvane"', '“SIA "Norvane"”'],
  ['ООО «Ларкмур»', '"ООО «Ларкмур»"'],
  ['UAB „Norvane“', '"UAB „Norvane“"'],
  ['AS "Norvane" “Larkmoor”', '«AS "Norvane" “Larkmoor”»'],
])('a name in a sentence has other quotes than its own: %s', (name, quoted) => {
  expect(quoteName(name)).toBe(quoted)
  expect(quoteExcerpt(name)).toBe(quoted)
})

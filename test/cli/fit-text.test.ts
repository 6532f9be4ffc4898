import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatTableLines, wrapText } from '../../src/cli/terminal/screen.js'
import { measureWidth } from '../../src/core/text.js'
import { forAll } from '../support/properties.js'

const widths = [40, 60, 80, 100, 120, 200]
const wordOf = fc
  .array(fc.constantFrom('a', 'x', '株', '社', 'e\u0301', '🚀', 'ลู'), { minLength: 1, maxLength: 18 })
  .map((letters) => letters.join(''))

describe('words on a terminal', () => {
  test('a line is broken between words, and goes on under the text behind its label', () => {
    const text = [
      'error INPUT_COLUMN_MISSING: no column holds company names',
      '  hint: pass --name-column; the input has: kode, ort',
      '  rows      matched 1,103 · no_match 64 · inconclusive 12',
      'ok    checkpoint  .enrich/checkpoint.sqlite is writable: 178 lookups known',
      '',
    ].join('\n')
    expect(wrapText(text, 40)).toBe(
      [
        'error INPUT_COLUMN_MISSING: no column',
        '  holds company names',
        '  hint: pass --name-column; the input',
        '    has: kode, ort',
        '  rows      matched 1,103 · no_match 64',
        '            · inconclusive 12',
        'ok    checkpoint  .enrich/checkpoint.sqlite',
        '                  is writable: 178',
        '                  lookups known',
        '',
      ].join('\n'),
    )
    expect(wrapText(text, 100)).toBe(text)
  })

  test('of a list of flags that leaves no room next to them, the texts continue below', () => {
    expect(wrapText('  --location-columns <a,b>      columns joined into the location', 40)).toBe(
      '  --location-columns <a,b>  columns\n    joined into the location',
    )
  })

  test.each([
    "  resume    enrich 'a file.csv' -o out.csv --context-columns city,country --max-age 90d",
    '  export    npx --no-install enrich export companies.csv -o out.csv   (writes the answers so far)',
    'Next: enrich companies.csv -o out.csv --columns status   (decided lookups are not submitted again)',
    "  next      enrich retry 'it'\\''s.csv' -o out.csv --status failed   (each is billed again)",
  ])('a command that is broken can be copied as it stands: %s', (line) => {
    const [, command = ''] = /((?:npx|enrich).*?)(?: {3}\(.*)?$/.exec(line) ?? []
    for (const columnCount of widths) {
      const shown = wrapText(line, columnCount)
      // As a shell joins them.
      const joined = shown.replace(/ \\\n +/g, ' ')
      expect(joined.replace(/\n +/g, ' ')).toContain(command)
      for (const one of shown.split('\n').filter((one) => !/'.*'/.test(one)))
        expect(measureWidth(one)).toBeLessThanOrEqual(columnCount)
    }
  })

  test('a long line of words that no line has room for is laid out at once', () => {
    const text = 'x'.repeat(60).concat(' ').repeat(300).trim()
    expect(wrapText(text, 40)).toBe(text.replaceAll(' ', '\n  '))
  })

  test('no line is wider than the terminal, no word is broken and none is lost, whatever the words are', () => {
    forAll(
      100,
      [
        fc.array(wordOf, { minLength: 1, maxLength: 40 }),
        fc.constantFrom('', '  ', '  rows      ', 'ok    key         '),
        fc.constantFrom(...widths),
      ],
      (words, label, columnCount) => {
        const shown = wrapText(label + words.join(' '), columnCount)
        for (const line of shown.split('\n')) {
          const isOneWord = words.some((word) => line.endsWith(word) && measureWidth(word) > columnCount / 2)
          if (!isOneWord) expect(measureWidth(line)).toBeLessThanOrEqual(columnCount)
        }
        expect(shown.split(/\s+/).filter((word) => word !== '')).toEqual(
          (label + words.join(' ')).split(/\s+/).filter((word) => word !== ''),
        )
      },
    )
  })
})

describe('a table on a terminal', () => {
  const rows = [
    ['asked', 'status', '', 'registered name', 'place'],
    [
      '株式会社データ銀行ホールディングス',
      'partial_match',
      '76',
      'Données S.A. 🚀 Société Générale',
      'a\u0301'.repeat(70),
    ],
    ['Apple', 'matched', '99', 'Apple Inc.', 'One Apple Park Way, Cupertino, CA 95014, United States'],
  ]
  const widthsMax = [28, 13, 3, 34, 60]

  test.each([20, 39, ...widths])('of %i columns is never wider, and cuts no status', (columnCount) => {
    const lines = formatTableLines(rows, widthsMax, columnCount)
    for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(columnCount)
    if (columnCount >= 39) expect(lines[1]).toContain('  partial_match  76')
    if (columnCount >= 60) expect(lines[2]).toMatch(/One Ap/)
  })

  test('has the widths that it wants where there is room', () => {
    const [, , apple = ''] = formatTableLines(rows, widthsMax, 200)
    expect(apple).toMatch(/^ {2}Apple {25}matched {8}99 {2}Apple Inc\. {24}One Apple Park Way, .* States$/)
  })
})

import fc from 'fast-check'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { describe, expect, it, test } from 'vitest'
import { CsvScanner, type ScannedRecord } from '../../../src/tables/csv-scanner.js'
import { tableLimits } from '../../../src/tables/limits.js'

interface Scan {
  delimiter?: string
  quoted?: boolean
  choose?: (header: readonly string[]) => number[]
}

const all = (header: readonly string[]) => header.map((_, index) => index)

function scan(pieces: readonly string[], { delimiter = ',', quoted = true, choose = all }: Scan = {}) {
  const scanner = new CsvScanner({ delimiter, quoted }, choose)
  return [...pieces.flatMap((piece) => scanner.push(piece)), ...scanner.end()]
}

function cellsOf(records: readonly ScannedRecord[]): readonly (readonly string[])[] {
  return records.map(({ cells }) => cells)
}

describe('records', () => {
  test.each<[string, string, Scan, (readonly string[])[]]>([
    [
      'plain',
      'a,b\n1,2\n3,4',
      {},
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['Windows line ends', 'a,b\r\n1,2\r\n', {}, [['1', '2']]],
    ['Mac line ends', 'a,b\r1,2\r', {}, [['1', '2']]],
    ['quotes', 'a,b\n"1,0","2 ""x"""\n', {}, [['1,0', '2 "x"']]],
    ['a line end in quotes', 'a,b\n"1\n1",2\n', {}, [['1\n1', '2']]],
    [
      'empty cells',
      'a,b\n,\n"",\n',
      {},
      [
        ['', ''],
        ['', ''],
      ],
    ],
    ['blank lines', 'a,b\n\n1,2\n\r\n', {}, [['1', '2']]],
    ['stray quotes in a cell', 'a,b\nx "y" z,"w "v" u"\n', {}, [['x "y" z', 'w "v" u']]],
    ['tabs without quotes', 'a\tb\n"x\ty"\n', { delimiter: '\t', quoted: false }, [['"x', 'y"']]],
    ['columns chosen', 'a,b,c\n1,"2",3\n', { choose: () => [2, 1] }, [['3', '2']]],
  ])('%s', (_case, text, options, expected) => {
    expect(cellsOf(scan([text], options))).toEqual(expected)
  })

  it('are the same however the text is cut, and the same as csv-parse reads', () => {
    const cell = fc.stringMatching(/^[a-z "\n\r,é]{0,6}$/)
    const table = fc
      .array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 })
      .map((rows) => [['h1', 'h2', 'h3'], ...rows])
    fc.assert(
      fc.property(table, fc.constantFrom('\n', '\r\n'), fc.integer({ min: 1, max: 9 }), (rows, end, size) => {
        const text = stringify(rows, { record_delimiter: end, quoted_match: /[\r\n]/ })
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
        const expected = parse(text).slice(1)
        expect(cellsOf(scan(pieces))).toEqual(expected)
      }),
    )
  })
})

describe('what is no record', () => {
  it('costs its line; lines are told as an editor counts them', () => {
    const records = scan(['a,b\n"1\n1",2\n3\n4,5,6\n7,8\n'])
    expect(records.map(({ line, reason }) => [line, reason])).toEqual([
      [2, null],
      [4, 'it has 1 cells where the header has 2'],
      [5, 'it has 3 cells where the header has 2'],
      [6, null],
    ])
  })

  it('a quote that is never closed costs its line, not the file', () => {
    const records = scan(['a,b\n1,2\n"3,4\n5,6\n7,8'])
    expect(records.map(({ cells, line, reason }) => reason ?? `${line}: ${cells.join()}`)).toEqual([
      '2: 1,2',
      'a quote is opened in it and never closed',
      '4: 5,6',
      '5: 7,8',
    ])
  })

  it('a quote that a later line closes does not swallow the lines between', () => {
    const records = scan(['a,b\n"3,4\n5,6\n"7","8"\n9,0\n'])
    expect(records.map(({ line, reason }) => [line, reason === null])).toEqual([
      [2, false],
      [3, true],
      [4, true],
      [5, true],
    ])
  })

  it('an endless record ends at a bound', () => {
    const line = 'x'.repeat(1_000)
    const lines = Math.ceil(tableLimits.scannedRecordCharsMax / 1_000) + 2
    const scanner = new CsvScanner({ delimiter: ',', quoted: true }, all)
    scanner.push('a\n"')
    const records: ScannedRecord[] = []
    for (let count = 0; count < lines; count++) records.push(...scanner.push(`${line}\n`))
    expect(records[0]?.reason).toMatch(/goes on for more than/)
    records.push(...scanner.end())
    expect(records).toHaveLength(lines)
  })
})

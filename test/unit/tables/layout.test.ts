import { describe, expect, test } from 'vitest'
import { detectLayout } from '../../../src/tables/layout.js'

const table = 'name;city;revenue\nMüller GmbH;Köln;1200\nSmith, Jones & Co;Leeds;80\n'

describe('a first line sep=', () => {
  test.each([
    ['sep=;\n', ';'],
    ['sep=;\r\n', ';'],
    ['SEP=,\n', ','],
    ['"sep=|"\n', '|'],
    ['sep=\t\r\n', '\t'],
  ])('%j names the delimiter and is no row', (line, delimiter) => {
    expect(detectLayout(`${line}name\nAcme\n`, {})).toMatchObject({
      delimiter,
      linesAbove: 1,
      titleLines: 0,
    })
  })

  test('a delimiter that was given goes above it, and it still is no row', () => {
    expect(detectLayout(`sep=,\n${table}`, { delimiter: ';' })).toMatchObject({ delimiter: ';', linesAbove: 1, titleLines: 0 })
  })

  test('titles may stand below it', () => {
    expect(detectLayout(`sep=;\nCustomers\n\n${table}`, {})).toMatchObject({
      delimiter: ';',
      linesAbove: 3,
      titleLines: 2,
    })
  })
})

describe('titles above the header', () => {
  test.each<[what: string, above: string, lines: number]>([
    ['one title', 'Customer report\n', 1],
    ['a title and an empty line', 'Customer report\n\n', 2],
    ['a title with a comma in it', 'Customers, by city, 2026\n\n', 2],
    ['several, with a caption and its value', 'Customer report\nGenerated on;2026-11-20\n\n', 3],
    ['titles padded with delimiters', 'Customer report;;\nGenerated on;2026-11-20;\n;;\n', 3],
    ['one over two lines, in quotes', '"Customer\nreport";;\n;;\n', 3],
    ['CRLF', 'Customer report\r\n\r\n', 2],
  ])('%s are found', (_, above, lines) => {
    expect(detectLayout(above + table, {})).toMatchObject({
      delimiter: ';',
      linesAbove: lines,
      titleLines: lines,
    })
  })

  test.each<[what: string, text: string]>([
    ['a plain table', table],
    ['empty lines above a plain table', `\n\n${table}`],
    ['a header with unnamed columns', 'name;;\nMüller;Köln;DE\nSmith;Leeds;GB\nDupont;Lyon;FR\n'],
    ['a header that is short', 'name\nMüller;Köln;Germany\nSmith;Leeds;Britain\nDupont;Lyon;France\n'],
    ['names with commas below one column', 'name\nAcme, Inc., Boston\nFoo, Ltd., Leeds\nBar, Co., York\n'],
    ['a table of two columns', 'Report\n\nname;city\nMüller;Köln\nSmith;Leeds\n'],
    ['ragged rows', 'name;city\nMüller;Köln;DE\nSmith;Leeds;GB\n'],
    ['a row that is wider further down', 'a\nb\nname;city;land\nMüller;Köln\nSmith;Leeds;GB\nx\n'],
    ['a table whose rows are e-mail addresses', 'a;b\n\nx@a.de;y@b.de;z@c.de\nx@a.de;y@b.de;w\nx;y;z\n'],
    ['a title above a header of two equal names', 'Report\n\nname;name;city\na;b;c\nd;e;f\n'],
  ])('%s has none', (_, text) => {
    expect(detectLayout(text, {})).toMatchObject({ linesAbove: 0, titleLines: 0 })
  })
})

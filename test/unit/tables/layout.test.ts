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
    expect(detectLayout(`sep=,\n${table}`, { delimiter: ';' })).toMatchObject({
      delimiter: ';',
      linesAbove: 1,
      titleLines: 0,
    })
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

  test.each(['№', '#', '', 'No.'])('a header whose first cell is %j is found below them', (first) => {
    const rows = '1;Agro;Lviv;UA\n2;Bolt;Bonn;DE\n3;Cera;Kyiv;UA\n'
    for (const title of ['Список контрагентів;;;\n\n', 'Customers\n;;;\n'])
      expect(detectLayout(`${title}${first};Контрагент;Місто;Країна\n${rows}`, {})).toMatchObject({
        titleLines: 2,
      })
  })

  test.each([',', ';', '\t', '|'])(
    '%j: no ragged row below hides them, nor a header of signs',
    (delimiter) => {
      const titles = [
        ['Customers'],
        ['Customers', ''],
        ['List', 'Made on 1.2.2026', ''],
        ['Müller', '', '', ''],
      ]
      const headers = [
        'Code|Name|City|Zip',
        'No|会社名|〒|住所',
        '№|Naziv|☎|✉',
        '#|Name|%|€',
        'Co|Name|℡|(%)',
      ]
      const end = { extra: delimiter, two: delimiter + delimiter, remark: `${delimiter}late`, short: null }
      for (const title of titles)
        for (const header of headers)
          for (const [what, added] of Object.entries(end))
            for (const ragged of [0, 1, 2, 3]) {
              const rows = [1, 2, 3, 4].map((at) => {
                const cells = [`C${at}`, `Firm ${at}`, '', `10${at}`].slice(0, added === null ? 2 : 4)
                return at - 1 === ragged ? cells.join(delimiter) + (added ?? '') : `C${at}|Firm|Kyiv|1${at}`
              })
              const lines = [...title, header, ...rows].map((line) => line.replaceAll('|', delimiter))
              const found = detectLayout(`${lines.join('\n')}\n`, {})
              expect([what, found.titleLines, found.delimiter]).toEqual([what, title.length, delimiter])
            }
    },
  )

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
    ['a row of marks', 'a\nb\n\nAcme;Kyiv;✓\nBolt;Lviv;✓\nCera;Bonn;✗\n'],
    ['two ragged rows of four', 'a\n\nname;city;land\nAcme;Köln\nBolt\nCera;Bonn;DE\nDora;Lyon;FR\n'],
    ['a title above a header of two equal names', 'Report\n\nname;name;city\na;b;c\nd;e;f\n'],
  ])('%s has none', (_, text) => {
    expect(detectLayout(text, {})).toMatchObject({ linesAbove: 0, titleLines: 0 })
  })
})

describe('the delimiter', () => {
  test.each<[what: string, text: string, delimiter: string]>([
    ['of decimal commas', 'name;sales\nAcme;1,5\nBolt;2,5\n', ';'],
    ['of names with commas', 'name;city, country\nAcme, Inc.;Köln\nBolt, Inc.;Lyon\n', ';'],
    ['of names with semicolons', 'name,city\nAcme; Sons,Köln\nBolt,Lyon\n', ','],
    ['of a quoted header', '"company, name"|"city"\n"Acme, Inc."|Köln\n', '|'],
    ['of tabs', 'company name\tcity\nAcme, Inc.\tKöln\n', '\t'],
    ['with spaces after it', 'name, city\nAcme, Köln\nBolt, Lyon\n', ','],
    ['that ends rows only', 'name\nAcme, Inc.;\nBolt;\n', ';'],
    ['of a header and one row', 'name;city\nAcme, Inc.;Köln\n', ';'],
    ['a circumflex', 'DENUMIRE^CUI^LOCALITATE\nDACIA SA^160796^Mioveni\nBORDEI, SRL^1^Cluj\n', '^'],
    ['a tilde', 'NAME~CITY\nMüller; Söhne~Köln\nAcme, Inc.~Leeds\n', '~'],
    ['the one of Hive', 'name\u0001city\nAcme, Inc.\u0001Leeds\nBolt\u0001Bonn\n', '\u0001'],
  ])('%s is found', (_, text, delimiter) => {
    expect(detectLayout(text, {})).toMatchObject({ delimiter, doubts: [] })
  })

  test.each<[what: string, text: string, doubt: RegExp | null]>([
    ['commas', 'company_name\nApple, Inc.\nTesco PLC\n', null],
    ['commas in each row', 'company_name\nApple, Inc.\nAlphabet, Inc.\n', null],
    ['a quoted header', '"company, name"\n"Apple, Inc."\nAlphabet, Inc.\n', null],
    ['semicolons in some rows', 'Firma\nMüller; Söhne\nHuber\nMaier\n', null],
    ['no row with a delimiter', '会社名\nソニー\n任天堂\n', null],
    [
      'semicolons in each row',
      'Firma\nMüller;Köln\nHuber;Bonn\n',
      /2 of the first 2 rows \(line 2, 3\).*semicolon/,
    ],
    ['a tab', 'Firma\nMüller\tKöln\nHuber\nMaier\n', /1 of the first 3 rows \(line 2\).*tab/],
  ])('a header of one cell has none, above rows with %s', (_, text, doubt) => {
    const { delimiter, doubts } = detectLayout(text, {})
    expect(delimiter).toBe('\0')
    expect(doubts).toEqual(doubt === null ? [] : [expect.stringMatching(doubt)])
  })

  test.each<[text: string, delimiter: string, width: number]>([
    ['Apple, Inc.\nTesco PLC\nAlphabet, Inc.\n', '\0', 1],
    ['Acme;Köln\nBolt, Inc.;Lyon\n', ';', 2],
    ['Acme,Köln,DE\nBolt,Lyon,FR\n', ',', 3],
    ['sep=|\nAcme|Köln\n', '|', 2],
  ])('of %j without a header', (text, delimiter, width) => {
    const { names, ...layout } = detectLayout(text, { hasHeader: false })
    expect([layout.delimiter, names?.length, layout.doubts]).toEqual([delimiter, width, []])
  })
})

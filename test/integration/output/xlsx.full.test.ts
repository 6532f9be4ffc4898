import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openInput } from '../../../src/pipeline/input/input.js'
import { assertCellsFit } from '../../../src/pipeline/output/xlsx.js'
import { openXlsx } from '../../../src/tables/xlsx/xlsx-file.js'
import { createSheetName, WorkbookWriter, type BookLimits } from '../../../src/tables/xlsx/workbook-writer.js'
import type { WrittenRow } from '../../../src/tables/xlsx/cells.js'
import { openZip } from '../../../src/tables/zip-reader.js'
import { editedInOffice, findOffice, seenInOffice } from '../../support/office.js'
import { convert, newFolder } from './support.js'
import { errorWith } from '../../support/error-with.js'
import { forAllAsync } from '../../support/properties.js'

const folder = newFolder()
const office = findOffice()
let fileCount = 0

async function writeBook(
  rows: readonly WrittenRow[],
  columns: readonly string[],
  limits: Partial<BookLimits> = {},
  name = 'rows',
) {
  const path = join(folder, `book${++fileCount}.xlsx`)
  const book = new WorkbookWriter(`${path}.parts`, limits)
  const file = await open(path, 'w')
  try {
    await book
      .addSheets(
        name,
        columns.map((name) => ({ name, isText: true })),
      )
      .add(rows)
    await book.write(async (bytes) => {
      await file.writeFile(bytes)
    })
  } finally {
    await file.close()
    await book.remove()
  }
  return path
}

async function readRows(path: string, sheet?: string) {
  const file = await openXlsx(path, sheet)
  try {
    const rows: unknown[][] = []
    for await (const batch of file.cellRows()) for (const { cells } of batch) rows.push([...cells.values()])
    return { rows, sheets: file.sheets.map(({ name }) => name) }
  } finally {
    file.close()
  }
}

async function partOf(path: string, name: string): Promise<string> {
  const zip = await openZip(path, path)
  try {
    const chunks: Buffer[] = []
    for await (const chunk of zip.read(name)) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  } finally {
    zip.close()
  }
}

const hardTexts = [
  '=1+1',
  '+49 89',
  '-1',
  '@SUM(A1)',
  '007',
  ' a ',
  'a\tb\nc\r\nd',
  '_x0041_ _x000D_ _x_',
  '<&>"\'',
  '\u0001\ufffe\uffff',
  '東芝 😀',
  '1e5',
  'TRUE',
  '#N/A',
]

describe('a workbook', () => {
  test('holds every text as it is, and runs none', async () => {
    const path = await writeBook(
      hardTexts.map((text) => [text]),
      ['text'],
    )
    expect((await readRows(path)).rows).toEqual([['text'], ...hardTexts.map((text) => [text])])
    expect(await partOf(path, 'xl/worksheets/sheet1.xml')).not.toMatch(/<f[ >]/)
    if (office === null) return
    const seen = seenInOffice(office, path, folder).get('rows') ?? ''
    for (const text of hardTexts.filter((text) => /^[\x20-\x7e]+$/.test(text) && !/[",]|_x/.test(text)))
      expect(seen.split('\n')).toContain(text)
  })

  test('holds any text at all, halves of characters replaced', async () => {
    await forAllAsync(60, [fc.array(fc.string({ unit: 'binary' }), { minLength: 1 })], async (texts) => {
      const path = await writeBook(
        [texts],
        texts.map((_, index) => `c${index}`),
      )
      const whole = texts.filter((text) => text !== '').map((text) => text.toWellFormed())
      expect((await readRows(path)).rows[1] ?? []).toEqual(whole)
    })
  })

  test('keeps its header in view, gives columns widths, and numbers, truths and errors as they are', async () => {
    const row: WrittenRow = [
      { kind: 'number', value: '1.5', format: 0 },
      { kind: 'number', value: '45351', format: 14 },
      { kind: 'number', value: '12', format: '0000 "<x>"' },
      { kind: 'boolean', value: true },
      { kind: 'error', value: '#N/A' },
    ]
    const path = await writeBook([row], ['a', 'b', 'c', 'd', 'a longer name of a column'])
    expect((await readRows(path)).rows[1]).toEqual(row)
    const sheet = await partOf(path, 'xl/worksheets/sheet1.xml')
    expect(sheet).toMatch(/<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"\/>/)
    expect(sheet).toMatch(/<col min="5" max="5" width="27"/)
  })

  test('has a filter in each column and a header in view, on each sheet, in LibreOffice too', async () => {
    const rows = Array.from({ length: 12 }, (_, index): WrittenRow => [`r${index}`, 'x', 'https://a.example'])
    const path = await writeBook(rows, ['name', 'kind', 'site'], { rowsMax: 8 }, "O'Neil & Söhne")
    const ranges = ['A1:C8', 'A1:C6']
    const expectFilters = async (file: string) => {
      const workbook = (await partOf(file, 'xl/workbook.xml')).replaceAll('&apos;', "'")
      const names = workbook.match(/<definedName [^>]*_FilterDatabase[^>]*>[^<]*/g) ?? []
      for (const [index, range] of ranges.entries()) {
        const sheet = await partOf(file, `xl/worksheets/sheet${index + 1}.xml`)
        expect(sheet).toContain(`<autoFilter ref="${range}"`)
        const name = `'O''Neil &amp; Söhne${index === 0 ? '' : ' 2'}'`
        const place = range.replaceAll(/[A-Z]|\d+/g, '$$$&')
        expect(names.filter((text) => text.endsWith(`>${name}!${place}`))).toHaveLength(1)
      }
    }
    await expectFilters(path)
    if (office === null) return
    const view = 'document.CurrentController'
    const statements = `For index = 0 To 1
${view}.setActiveSheet(document.Sheets.getByIndex(index))
sheet.getCellByPosition(0, 20 + index).String = ${view}.hasFrozenPanes() & " " & ${view}.getSplitRow()
Next`
    const edited = editedInOffice(office, path, folder, statements)
    expect((await readRows(edited)).rows.slice(-2)).toEqual([['True 1'], ['True 1']])
    await expectFilters(edited)
  })

  test('without columns has no filter', async () => {
    const path = await writeBook([], [])
    expect(await partOf(path, 'xl/worksheets/sheet1.xml')).not.toContain('autoFilter')
    expect(await partOf(path, 'xl/workbook.xml')).not.toContain('definedName')
  })

  test('goes on in a second sheet where the first is full', async () => {
    const rows = Array.from({ length: 25 }, (_, index): WrittenRow => [`r${index}`])
    const path = await writeBook(rows, ['name'], { rowsMax: 11 })
    const parts = await Promise.all(['rows', 'rows 2', 'rows 3'].map((sheet) => readRows(path, sheet)))
    expect(parts[0]?.sheets).toEqual(['rows', 'rows 2', 'rows 3'])
    expect(parts.map((part) => part.rows.length)).toEqual([11, 11, 6])
    expect(parts.flatMap((part) => part.rows.slice(1))).toEqual(rows)
  })

  test('goes on in a second sheet after the 1,048,576 rows of Excel, its header among them', async () => {
    const rowCount = 1_048_580
    const rows = Array.from({ length: rowCount }, (_, index): WrittenRow => [String(index)])
    const path = await writeBook(rows, ['n'])
    const rowsOf = async (sheet: string) => {
      const file = await openXlsx(path, sheet)
      let [count, first, last] = [0, '', '']
      for await (const batch of file.cellRows())
        for (const { cells } of batch) {
          const [cell] = [...cells.values()]
          last = typeof cell === 'string' ? cell : 'no text'
          if (count++ === 1) first = last
        }
      file.close()
      return { count, first, last }
    }
    expect(await rowsOf('rows')).toEqual({ count: 1_048_576, first: '0', last: '1048574' })
    expect(await rowsOf('rows 2')).toEqual({ count: 6, first: '1048575', last: '1048579' })
  })

  test('goes on in a second sheet where the first is too long for the format', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index): WrittenRow => [`${index} ${'x'.repeat(1_000)}`])
    const path = await writeBook(rows, ['name'], { sheetBytesMax: 1_000_000 })
    const { sheets } = await readRows(path)
    expect(sheets.length).toBeGreaterThan(1)
    const parts = await Promise.all(sheets.map((sheet) => readRows(path, sheet)))
    expect(parts.flatMap((part) => part.rows.slice(1))).toEqual(rows)
  })

  test('that a zip cannot hold is refused by name, and not a byte of it is written', async () => {
    const rows = Array.from({ length: 2_000 }, (_, index): WrittenRow => [`${index}`])
    const whole = statSync(await writeBook(rows, ['n'])).size
    const plain = Buffer.byteLength(
      await partOf(join(folder, `book${fileCount}.xlsx`), 'xl/worksheets/sheet1.xml'),
    )
    expect(plain).toBeGreaterThan(whole)
    // Packed it would fit; what it unpacks to does not.
    for (const bytesMax of [whole - 1, plain - 1]) {
      await expect(writeBook(rows, ['n'], { bytesMax })).rejects.toMatchObject({
        code: 'OUTPUT_UNWRITABLE',
        message: `an .xlsx file of more than ${bytesMax} bytes cannot be written`,
        hint: expect.stringContaining('enrich export') as string,
      })
      expect(statSync(join(folder, `book${fileCount}.xlsx`)).size).toBe(0)
    }
    const path = await writeBook(rows, ['n'], { bytesMax: plain })
    expect((await readRows(path)).rows).toHaveLength(2_001)
    // What is reckoned is what is written, names and links included.
    const links: WrittenRow[] = [[{ kind: 'link', text: 'ü', url: 'https://a.example' }]]
    const bytes = statSync(await writeBook(links, ['ä'])).size
    await writeBook(links, ['ä'], { bytesMax: bytes })
    await expect(writeBook(links, ['ä'], { bytesMax: bytes - 1 })).rejects.toThrow('cannot be written')
  })

  test('has links up to the number that Excel takes, each address once', async () => {
    const rows = Array.from({ length: 65_540 }, (_, index): WrittenRow => [
      { kind: 'link', text: `site ${index}`, url: `https://a.example/${index % 3}?a=1&b="2"` },
    ])
    const path = await writeBook(rows, ['site'])
    const sheet = await partOf(path, 'xl/worksheets/sheet1.xml')
    expect(sheet.split('<hyperlink ').length - 1).toBe(65_530)
    const relations = await partOf(path, 'xl/worksheets/_rels/sheet1.xml.rels')
    expect(relations.match(/TargetMode="External"/g)).toHaveLength(3)
    expect((await readRows(path)).rows).toHaveLength(65_541)
  })

  test('takes no more than Excel does', async () => {
    await expect(writeBook([['x'.repeat(32_768)]], ['note'])).rejects.toMatchObject({
      code: 'OUTPUT_COLUMN_UNFIT',
      message: 'column "note", row 1: 32768 characters exceed the 32767 of an Excel cell',
    })
    const names = Array.from({ length: 16_385 }, (_, index) => `c${index}`)
    await expect(writeBook([[]], names)).rejects.toMatchObject({ code: 'OUTPUT_COLUMN_UNFIT' })
  })

  test.each([
    ['a/b: [c]*?', 'a b   c'],
    ["'x'", 'x'],
    ['History', 'rows'],
    ['', 'rows'],
    ['x'.repeat(40), 'x'.repeat(31)],
    ['Basis', 'Basis 2'],
  ])('calls a sheet %j %j', (wanted, name) => {
    expect(createSheetName(wanted, 1, ['basis'])).toBe(name)
  })
})

describe('an output', () => {
  const csv = join(folder, 'in.csv')
  writeFileSync(csv, 'name,code\n=1+1 Ltd,007\nBolt,\n')

  test('.xlsx holds the rows, our columns with types, and the basis in a sheet behind', async () => {
    const output = join(folder, 'out.xlsx')
    const report = await convert({ input: { paths: [csv] }, output, columns: ['confidence', 'entity_id'] })
    expect(report).toMatchObject({ paths: [output], basisLineCount: 6 })
    const { rows, sheets } = await readRows(output)
    expect(sheets).toEqual(['rows', 'basis'])
    expect(rows).toEqual([
      ['name', 'code', 'enrich_confidence', 'enrich_entity_id'],
      ['=1+1 Ltd', '007', { kind: 'number', value: '97', format: 0 }, 'siq_1'],
      ['Bolt', { kind: 'number', value: '97', format: 0 }, 'siq_1'],
    ])
    const basis = await readRows(output, 'basis')
    expect(basis.rows).toHaveLength(7)
    expect(basis.rows.flat()).toContain('=1+1')
    expect(await partOf(output, 'xl/worksheets/_rels/sheet2.xml.rels')).toContain('https://a.example/1')
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('.xlsx from NDJSON has numbers and truths, and text where a number would lose digits', async () => {
    const path = join(folder, 'in.ndjson')
    writeFileSync(path, '{"name":"A","n":12,"big":12345678901234567,"x":0.1,"b":true,"o":{"a":1}}\n')
    const output = join(folder, 'fromjson.xlsx')
    await convert({ input: { paths: [path] }, output, columns: ['status'], basis: 'none' })
    expect((await readRows(output)).rows[1]).toEqual([
      'A',
      { kind: 'number', value: '12', format: 0 },
      '12345678901234567',
      { kind: 'number', value: '0.1', format: 0 },
      { kind: 'boolean', value: true },
      '{"a":1}',
      'matched',
    ])
  })

  test('.xlsx from Parquet has its numbers, days and truths', async () => {
    const path = join(folder, 'in.parquet')
    const { queryDuckDb } = await import('../../support/tables.js')
    await queryDuckDb(
      `COPY (SELECT 'A' AS name, 7::BIGINT AS n, 1.50::DECIMAL(9,2) AS d, DATE '2024-02-29' AS day,
       TIMESTAMP '2024-02-29 18:30:00' AS t, TIMESTAMPTZ '2024-02-29 18:30:00+00' AS tz, true AS b, 1e300 AS f)
       TO '${path}'`,
    )
    const output = join(folder, 'fromparquet.xlsx')
    await convert({ input: { paths: [path] }, output, columns: ['status'], basis: 'none' })
    expect((await readRows(output)).rows[1]).toEqual([
      'A',
      { kind: 'number', value: '7', format: 0 },
      { kind: 'number', value: '1.50', format: 0 },
      { kind: 'number', value: '45351', format: 'yyyy-mm-dd' },
      { kind: 'number', value: '45351.770833333336', format: 'yyyy-mm-dd hh:mm:ss' },
      expect.stringContaining('2024-02-29'),
      { kind: 'boolean', value: true },
      { kind: 'number', value: '1e+300', format: 0 },
      'matched',
    ])
  })

  test('.csv.gz and .ndjson.gz hold what .csv and .ndjson do, and so does the basis beside', async () => {
    for (const end of ['csv', 'ndjson']) {
      const plain = join(folder, `plain.${end}`)
      const packed = join(folder, `packed.${end}.gz`)
      await convert({ input: { paths: [csv] }, output: plain, basis: 'file' })
      await convert({ input: { paths: [csv] }, output: packed, basis: 'file' })
      const pairs = [
        [plain, packed],
        [`${plain}.basis.csv`, join(folder, `packed.${end}.basis.csv.gz`)],
      ] as const
      for (const [one, other] of pairs) expect(gunzipSync(readFileSync(other))).toEqual(readFileSync(one))
    }
  })

  test('a text that no cell holds is found before anything is paid for, with its row and column', async () => {
    const place = join(folder, 'long')
    mkdirSync(place)
    const path = join(place, 'in.csv')
    writeFileSync(path, `name,note\nA,ok\nB,${'x'.repeat(32_768)}\n`)
    const input = await openInput({ paths: [path], spoolFolder: place })
    await expect(assertCellsFit(input, new AbortController().signal)).rejects.toMatchObject(
      errorWith('OUTPUT_COLUMN_UNFIT', { message: /^column "note", row 2: 32768 characters/ }),
    )
    await input.close()
  })
})

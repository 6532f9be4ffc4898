import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openInput, type InputAccess, type InputOptions } from '../../../src/pipeline/input/input.js'
import { textRow, writeXlsx, xlsxParts, type MadeWorkbook } from '../../support/xlsx-file.js'
import { writeZip } from '../../support/zip-file.js'
import { newFolder } from '../output/support.js'
import { errorWith } from '../../support/error-with.js'

const folder = newFolder()
let fileCount = 0

const made = (rows: string, more: Partial<MadeWorkbook> = {}) =>
  writeXlsx(folder, `book${++fileCount}.xlsx`, { sheets: [{ name: 'Data', rows }], ...more })

async function read(paths: readonly string[], options: Partial<InputOptions> = {}, access: InputAccess = {}) {
  const input = await openInput({ paths, spoolFolder: join(folder, 'spool'), ...options }, access)
  try {
    const { columns, layout } = input
    const { sheetName } = layout
    const rows: unknown[] = []
    const again: unknown[] = []
    const objects: unknown[] = []
    for await (const batch of input.rows.keys(columns)) rows.push(...batch)
    for await (const batch of input.rows.texts()) again.push(...batch)
    for await (const batch of input.rows.objects())
      objects.push(...batch.map((text) => JSON.parse(text) as unknown))
    expect(again).toEqual(rows)
    let cellRowCount = 0
    for await (const batch of input.rows.cells()) cellRowCount += batch.length
    expect(cellRowCount).toBe(rows.length)
    return { columns, rows, objects, notes: input.listNotes(), sheetName }
  } finally {
    await input.close()
  }
}

const number = (value: string, style = 0) => `<c s="${style}"><v>${value}</v></c>`
const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`

describe('a sheet', () => {
  test('gives its columns, rows as text, and values of the types that whole columns have', async () => {
    const path = made(
      textRow(1, ['name', 'count', 'mixed', 'day', 'zip']) +
        `<row>${text('Acme')}${number('7')}${number('7')}${number('45351', 1)}${number('1234', 2)}</row>` +
        `<row>${text('Bolt')}${number('8')}${text('seven')}</row>`,
      { formats: { 164: '00000' }, styles: [0, 14, 164] },
    )
    const { rows, objects, notes } = await read([path])
    expect(rows).toEqual([
      ['Acme', '7', '7', '2024-02-29', '01234'],
      ['Bolt', '8', 'seven', null, null],
    ])
    expect(objects).toEqual([
      { name: 'Acme', count: 7, mixed: '7', day: '2024-02-29', zip: '01234' },
      { name: 'Bolt', count: 8, mixed: 'seven', day: null, zip: null },
    ])
    expect(notes).toEqual([])
  })

  test('has no columns but those with a name or a value, wherever they stand', async () => {
    const rows =
      '<row r="1"><c r="B1" t="str"><v>name</v></c><c r="D1" t="str"><v>city</v></c></row>' +
      '<row r="5"><c r="B5" t="str"><v>Acme</v></c><c r="XFD5"><v>1</v></c></row><row r="9"><c r="A9"/></row>'
    const { columns, rows: found } = await read([made(rows)])
    expect(columns).toEqual(['name', 'city', 'column_16384'])
    expect(found).toEqual([['Acme', null, '1']])
  })

  test('loses no row: one of errors alone, or of a formula without a result, is one', async () => {
    const rows =
      textRow(1, ['name', 'x']) +
      '<row r="2"><c r="A2"><f>B2</f></c></row><row r="3"><c r="A3" t="e"><v>#N/A</v></c></row>' +
      `<row r="4"><c r="A4" t="str"><f>B4</f><v></v></c></row>${textRow(5, ['Acme', '1'])}`
    const { rows: found, notes } = await read([made(rows)])
    expect(found).toEqual([
      [null, null],
      [null, null],
      ['Acme', '1'],
    ])
    expect(notes).toEqual([
      expect.stringMatching(/1 cell holds an error/),
      expect.stringMatching(/1 formula has no stored result/),
    ])
  })

  test('that is chosen of several is named, with the others', async () => {
    const sheets = [
      { name: 'Notes', rows: textRow(1, ['a', 'b']), state: 'hidden' as const },
      { name: 'Customers', rows: textRow(1, ['name', 'x']) + textRow(2, ['Acme', '1']) },
      { name: 'Old', rows: textRow(1, ['name', 'x']) + textRow(2, ['Bolt', '1']) },
    ]
    const path = made('', { sheets })
    const { rows, notes, sheetName } = await read([path])
    expect([rows, sheetName]).toEqual([[['Acme', '1']], 'Customers'])
    expect(notes).toEqual([
      expect.stringMatching(/the sheet "Customers" is read, and not "Notes" \(hidden\), "Old"; --sheet/),
    ])
    expect(await read([path], { sheet: 'old' })).toMatchObject({ rows: [['Bolt', '1']], notes: [] })
    await expect(read([path], { sheet: 'New' })).rejects.toMatchObject({
      code: 'INPUT_SHEET_MISSING',
      hint: 'it has "Notes", "Customers", "Old"',
    })
  })

  test('of a workbook with macros is read, and they are not run', async () => {
    const parts = xlsxParts({
      sheets: [{ name: 'Data', rows: textRow(1, ['name', 'x']) + textRow(2, ['Acme', '1']) }],
    }).map((part) =>
      part.name === 'xl/_rels/workbook.xml.rels'
        ? {
            ...part,
            content: part.content
              .toString()
              .replace(
                '</Rel',
                '<Relationship Id="v" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="vbaProject.bin"/></Rel',
              ),
          }
        : part,
    )
    const { rows, notes } = await read([writeZip(folder, 'macros.xlsm', parts)])
    expect(rows).toEqual([['Acme', '1']])
    expect(notes).toEqual([expect.stringMatching(/macros are not run/)])
  })

  test('comes from several files, a glob and standard input', async () => {
    const part = (name: string, column: string) =>
      made(textRow(1, ['name', column]) + textRow(2, [name, '1'])).replace(/.*\//, '')
    const paths = [part('Acme', 'x'), part('Bolt', 'y')].map((name) => join(folder, name))
    const { columns, rows } = await read(paths)
    expect(columns).toEqual(['name', 'x', 'y'])
    expect(rows).toEqual([
      ['Acme', '1', null],
      ['Bolt', null, '1'],
    ])
    const stdin = createReadStream(paths[0] ?? '')
    expect((await read(['-'], { format: 'xlsx' }, { stdin })).rows).toEqual([['Acme', '1']])
  })

  test('is read no further than its limit', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => textRow(index + 2, [`n${index}`, String(index)]))
    const path = made(textRow(1, ['name', 'x']) + rows.join(''))
    expect((await read([path], { rowsMax: 3 })).rows).toHaveLength(3)
    expect((await read([path])).rows).toHaveLength(200)
  })
})

describe('a header', () => {
  const below = textRow(8, ['Acme', 'Berlin', '1']) + textRow(9, ['Bolt', 'Bonn', '2'])
  const header = textRow(7, ['name', 'city', 'count'])

  test.each([
    ['a title and a blank row', textRow(1, ['Customers 2024']), ''],
    ['a title right above it', textRow(6, ['Customers 2024']), ''],
    ['captions', textRow(1, ['Made on', '2024-02-29']) + textRow(2, ['By', 'me']), ''],
    [
      'captions in columns of their own',
      '<row r="1"><c r="K1" t="str"><v>Made on</v></c><c r="L1"><v>5</v></c></row>',
      '',
    ],
    ['a merged title', textRow(6, ['Customers']), '<mergeCells><mergeCell ref="A6:C6"/></mergeCells>'],
  ])('stands below %s', async (_, above, merges) => {
    const path = made(`${above}${header}${below}</sheetData>${merges}<sheetData>`)
    const { columns, rows, notes } = await read([path])
    expect(columns).toEqual(['name', 'city', 'count'])
    expect(rows).toHaveLength(2)
    expect(notes).toEqual([expect.stringMatching(/rows? above the header (?:was|were) left out/)])
  })

  test.each([
    ['a row with a remark behind the last column', ['Cera', 'Kyiv', '3', 'late']],
    ['a row with fewer cells', ['Cera']],
  ])('stands below a title, above %s, also with signs in place of words', async (_, ragged) => {
    for (const names of ['name city count', '会社名 〒 ☎', '№ name %', 'name ✉ €']) {
      const path = made(textRow(1, ['List']) + textRow(3, names.split(' ')) + below + textRow(10, ragged))
      const { columns, rows } = await read([path])
      expect([columns.slice(0, 3), rows.length]).toEqual([names.split(' '), 3])
    }
  })

  test.each<[what: string, rows: string, merges: string]>([
    ['with cells merged over columns', textRow(1, ['name', 'place', '']), 'A1:A1,B1:C1'],
    ['with cells merged with the row below', textRow(1, ['name', 'city', 'x']), 'A1:A2'],
    [
      'of two rows',
      textRow(1, ['company', '', 'place', '']) +
        textRow(2, ['name', 'code', 'city', 'count']) +
        textRow(3, ['Acme', 'A', 'Berlin', '1']),
      '',
    ],
  ])('%s is refused by name', async (_, rows, merges) => {
    const cells = merges.split(',').map((ref) => `<mergeCell ref="${ref}"/>`)
    const path = made(`${rows}${below}</sheetData><mergeCells>${cells.join('')}</mergeCells><sheetData>`)
    await expect(read([path])).rejects.toMatchObject(
      errorWith('INPUT_HEADER_UNCLEAR', { message: /^row 1 of .*, sheet "Data" is not a clear header/ }),
    )
  })

  test('with a name twice is refused, also below a title', async () => {
    const rows = textRow(1, ['List']) + textRow(2, ['name', 'name', 'x']) + below
    const path = made(`${rows}</sheetData><mergeCells><mergeCell ref="A1:C1"/></mergeCells><sheetData>`)
    await expect(read([path])).rejects.toMatchObject({ code: 'INPUT_COLUMNS_DUPLICATE' })
  })

  test('without any is refused', async () => {
    await expect(read([made('<row r="1"><c r="A1"/></row>')])).rejects.toMatchObject({ code: 'INPUT_EMPTY' })
    await expect(read([made(header)])).rejects.toMatchObject({ code: 'INPUT_NO_ROWS' })
  })
})

test('merged cells among the rows are reported', async () => {
  const rows = textRow(1, ['name', 'city']) + textRow(2, ['Acme', 'Berlin']) + textRow(3, ['', 'Bonn'])
  const path = made(`${rows}</sheetData><mergeCells><mergeCell ref="A2:A3"/></mergeCells><sheetData>`)
  const { rows: found, notes } = await read([path])
  expect(found).toEqual([
    ['Acme', 'Berlin'],
    [null, 'Bonn'],
  ])
  expect(notes).toEqual([expect.stringMatching(/1 group of merged cells has a value in the first cell only/)])
})

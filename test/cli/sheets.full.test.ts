import { expect, test } from 'vitest'
import { createPlace } from '../support/cli.js'
import { rowsOfCsv } from '../support/tables.js'
import { textRow, writeXlsx } from '../support/xlsx-file.js'

const rows = (...cells: (readonly string[])[]) => cells.map((row, at) => textRow(at + 1, row)).join('')
const cover = { name: 'Cover', rows: rows(['Customer list'], ['Prepared by the sales team'], ['2026']) }
const notes = { name: 'Notes', rows: rows(['date', 'remark'], ['2026-01-01', 'checked']) }
const customers = {
  name: 'Customers 2026',
  rows: rows(['id', 'company_name', 'city'], ['1', 'Apple Inc.', 'Cupertino']),
}
const flag = '--sheet \'Customers 2026\' reads the sheet with the column "company_name"'

test('a workbook whose first sheet is a cover: the error names the sheet that holds the names, and nothing is submitted', async () => {
  const place = createPlace()
  writeXlsx(place.folder, 'book.xlsx', { sheets: [cover, notes, customers] })
  for (const command of [
    ['plan', 'book.xlsx'],
    ['book.xlsx', '-o', 'out.csv'],
    ['init', 'book.xlsx', '--yes'],
  ]) {
    const { code, stderr } = await place.run(command)
    expect([command[0], code, stderr]).toEqual([
      command[0],
      2,
      expect.stringContaining('INPUT_COLUMN_MISSING'),
    ])
    expect(stderr).toContain(`hint: ${flag}`)
  }
  expect(place.names()).toEqual(['book.xlsx'])
  const run = await place.run(['book.xlsx', '-o', 'out.csv', '--sheet', 'Customers 2026'])
  expect([run.code, run.stderr.includes('--sheet')]).toEqual([0, false])
  expect(rowsOfCsv(place.read('out.csv'))[0]?.['enrich_legal_name']).toBe('Apple Inc.')
})

test('a cover that looks like a table is read, and plan and run say which sheet has names too', async () => {
  const place = createPlace()
  const form = { name: 'Cover', rows: rows(['Company', 'Acme Analytics'], ['Date', '2026-01-01']) }
  writeXlsx(place.folder, 'book.xlsx', { sheets: [form, customers, notes] })
  const said = `the sheet "Cover" is read, and not "Customers 2026", "Notes"; ${flag}`
  expect((await place.run(['plan', 'book.xlsx'])).stdout).toContain(said)
  expect((await place.run(['book.xlsx', '-o', 'out.csv'])).stderr).toContain(said)
})

test('a first sheet that is empty, has merged headers or no rows names the sheet with a table', async () => {
  const place = createPlace()
  const firsts = [
    ['INPUT_EMPTY', { name: 'Cover', rows: '' }],
    ['INPUT_NO_ROWS', { name: 'Cover', rows: rows(['company', 'city']) }],
    [
      'INPUT_HEADER_UNCLEAR',
      {
        name: 'Cover',
        rows: `${rows(['Company', '', 'Place'], ['a', 'b', 'c'])}</sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells><sheetData>`,
      },
    ],
  ] as const
  for (const [error, first] of firsts) {
    writeXlsx(place.folder, 'book.xlsx', { sheets: [first, customers] })
    const { code, stderr } = await place.run(['plan', 'book.xlsx'])
    expect([code, stderr]).toEqual([2, expect.stringContaining(error)])
    expect(stderr).toContain(`hint: ${flag}`)
  }
})

test('where no sheet has a column of names, the one with a table is proposed; hidden sheets are not', async () => {
  const place = createPlace()
  const hidden = { ...customers, state: 'hidden' as const }
  writeXlsx(place.folder, 'book.xlsx', { sheets: [cover, notes, hidden] })
  const { stderr } = await place.run(['plan', 'book.xlsx'])
  expect(stderr).toContain('hint: --sheet Notes reads the sheet with a table of 2 columns')
})

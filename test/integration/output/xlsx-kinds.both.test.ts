import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { openXlsx } from '../../../src/tables/xlsx/xlsx-file.js'
import { findOffice, savedByOffice, seenTogether } from '../../support/office.js'
import { excelKind, exportKind, kindsHeader, kindsTexts, scriptKind } from '../../support/workbook-kinds.js'
import { queryDuckDb } from '../../support/tables.js'
import { writeZip } from '../../support/zip-file.js'
import { convert, newFolder } from './support.js'

const folder = newFolder()
const office = findOffice()

const kinds: [kind: string, path: string][] = [
  ['Excel', writeZip(folder, 'excel.xlsx', excelKind())],
  ['a script', writeZip(folder, 'script.xlsx', scriptKind())],
  ['a business system', writeZip(folder, 'export.xlsx', exportKind())],
]
if (office !== null)
  kinds.push(['LibreOffice', savedByOffice(office, writeZip(folder, 'before.xlsx', excelKind()), folder)])
const outputOf = (kind: string, end: string) => join(folder, `as ${kind} writes.${end}`)

async function cellsOf(path: string) {
  const file = await openXlsx(path)
  try {
    const rows: unknown[][] = []
    for await (const batch of file.cellRows())
      for (const { cells } of batch) rows.push(kindsHeader.map((_, column) => cells.get(column)))
    return { sheetName: file.sheetName, rows }
  } finally {
    file.close()
  }
}

/** The user's columns of CSV text. */
const ours = (csv: string) =>
  parse(csv, { relax_column_count: true }).map((row: string[]) => row.slice(0, kindsHeader.length))

describe.each(kinds)('a workbook as %s writes it comes through unchanged', (kind, path) => {
  const output = (end: string) => outputOf(kind, end)

  test('to .csv', async () => {
    await convert({ input: { paths: [path] }, output: output('csv') })
    expect(ours(readFileSync(output('csv'), 'utf8'))).toEqual([kindsHeader, ...kindsTexts])
  })

  test('to .parquet, with types', async () => {
    await convert({ input: { paths: [path] }, output: output('parquet') })
    const rows = await queryDuckDb(
      `SELECT company_name, code, zip, amount, share, day::VARCHAR AS day, instant::VARCHAR AS instant, is_active, note,
       typeof(amount) AS a, typeof(day) AS d, typeof(instant) AS i, typeof(is_active) AS b FROM '${output('parquet')}'`,
    )
    expect(rows.map((row) => Object.values(row).slice(0, kindsHeader.length))).toEqual(
      kindsTexts.map((row) =>
        row.map((text, at) => (at === 3 || at === 4 ? Number(text) : at === 7 ? text === 'TRUE' : text)),
      ),
    )
    expect(rows[0]).toMatchObject({ a: 'DOUBLE', d: 'DATE', i: 'TIMESTAMP', b: 'BOOLEAN' })
  })

  test('to .xlsx: numbers, days and truths are what they were', async () => {
    await convert({ input: { paths: [path] }, output: output('xlsx') })
    const [was, is] = [await cellsOf(path), await cellsOf(output('xlsx'))]
    expect(is).toEqual(was)
  })
})

test.skipIf(office === null)('in .xlsx, they are shown as they were', () => {
  const before = kinds.map(([, path]) => path)
  const after = kinds.map(([kind]) => outputOf(kind, 'xlsx'))
  const shown = seenTogether(office!, [...before, ...after], folder).map((sheets) =>
    ours([...sheets.values()][0] ?? ''),
  )
  expect(shown.slice(before.length)).toEqual(shown.slice(0, before.length))
  expect(shown[0]?.length).toBeGreaterThan(1)
})

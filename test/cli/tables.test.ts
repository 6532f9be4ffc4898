import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openXlsx } from '../../src/tables/xlsx/xlsx-file.js'
import { createPlace, type CliPlace } from '../support/cli.js'
import { expectRefusal, type BadCase } from '../support/refusal.js'
import { rowsOfCsv } from '../support/tables.js'
import { excelKind, kindsHeader } from '../support/workbook-kinds.js'
import { textRow, writeXlsx, xlsxParts } from '../support/xlsx-file.js'
import { writeZip } from '../support/zip-file.js'

async function cellsOf(path: string, sheet?: string) {
  const file = await openXlsx(path, sheet)
  try {
    const rows: unknown[][] = []
    for await (const batch of file.cellRows()) for (const { cells } of batch) rows.push([...cells.values()])
    return rows
  } finally {
    file.close()
  }
}

test('an Excel file becomes an Excel file with our columns, its basis in a sheet, and resumes', async () => {
  const place = createPlace()
  writeZip(place.folder, 'in.xlsx', excelKind())
  const args = ['in.xlsx', '-o', 'out.xlsx', '--sheet', 'kunden 2024', '--columns', 'status,entity_id,basis']
  expect((await place.run(args)).code).toBe(0)
  const [header, ...rows] = await cellsOf(place.path('out.xlsx'), 'Kunden 2024')
  expect(header).toEqual([...kindsHeader, 'enrich_status', 'enrich_entity_id'])
  const before = await cellsOf(place.path('in.xlsx'))
  expect(rows.map((row) => row.slice(0, kindsHeader.length))).toEqual(before.slice(1))
  expect(rows.map((row) => row[kindsHeader.length])).toEqual([
    expect.stringMatching(/match/),
    'matched',
    expect.any(String),
  ])
  expect((await cellsOf(place.path('out.xlsx'), 'basis')).length).toBeGreaterThan(10)
  const first = readFileSync(place.path('out.xlsx'))
  const again = await place.run(args)
  expect([again.code, /0 submitted/.test(again.stderr + again.stdout)]).toEqual([0, true])
  expect(readFileSync(place.path('out.xlsx')).equals(first)).toBe(true)
})

test('a JSON array goes to .csv.gz, and an Excel file from standard input to standard output', async () => {
  const place = createPlace()
  place.write('in.json', '[\n {"name": "Apple Inc."},\n {"name": "Siemens AG"}\n]')
  expect((await place.run(['in.json', '-o', 'out.csv.gz'])).code).toBe(0)
  const rows = rowsOfCsv(gunzipSync(readFileSync(place.path('out.csv.gz'))))
  expect(rows.map((row) => [row['name'], row['enrich_status']])).toEqual([
    ['Apple Inc.', 'matched'],
    ['Siemens AG', 'matched'],
  ])
  expect(place.names()).toEqual(['in.json', 'out.csv.basis.csv.gz', 'out.csv.gz'])
  const stdin = readFileSync(writeZip(place.folder, 'in.xlsx', excelKind()))
  const { code, stdoutBytes } = await place.run(
    ['-', '--input-format', 'xlsx', '-o', '-', '--format', 'xlsx', '--columns', 'status'],
    { stdin },
  )
  expect(code).toBe(0)
  writeFileSync(place.path('piped.xlsx'), stdoutBytes)
  expect(await cellsOf(place.path('piped.xlsx'))).toHaveLength(4)
})

const book = (rows: string) => (place: CliPlace) => {
  writeXlsx(place.folder, 'in.xlsx', { sheets: [{ name: 'Data', rows }] })
}
const rows = textRow(2, ['Apple Inc.', 'Cupertino']) + textRow(3, ['Siemens AG', 'Munich'])
const args = ['in.xlsx', '-o', 'out.csv']

const cases: readonly BadCase[] = [
  {
    title: 'a sheet that is not there',
    code: 'INPUT_SHEET_MISSING',
    says: /"Kunden"[^]*it has "Data"/,
    prepare: book(textRow(1, ['name', 'city']) + rows),
    args: [...args, '--sheet', 'Kunden'],
  },
  {
    title: 'a sheet of a file that has none',
    code: 'INPUT_WITHOUT_SHEETS',
    says: /in\.csv is csv, and has no sheet "Data"[^]*remove --sheet/,
    args: ['in.csv', '-o', 'out.csv', '--sheet', 'Data'],
  },
  {
    title: 'a header with merged cells',
    code: 'INPUT_HEADER_UNCLEAR',
    says: /row 1[^]*merged[^]*unmerge/,
    prepare: book(
      `${textRow(1, ['name', 'place', ''])}${rows}</sheetData><mergeCells><mergeCell ref="B1:C1"/></mergeCells><sheetData>`,
    ),
    args,
  },
  {
    title: 'a workbook behind a password',
    code: 'INPUT_FORMAT_UNKNOWN',
    says: /with a password[^]*save it without/,
    prepare: (place) => {
      const bytes = Buffer.alloc(2048)
      Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes)
      bytes.writeUInt16LE(9, 30)
      bytes.writeUInt32LE(1, 48)
      bytes.write('EncryptedPackage', 1024 + 128, 'utf16le')
      place.write('in.xlsx', bytes)
    },
    args,
  },
  {
    title: 'a workbook that unpacks to far more than it should',
    code: 'INPUT_COMPRESSION_CORRUPT',
    says: /more than 200 times/,
    prepare: (place) => {
      const parts = xlsxParts({ sheets: [{ name: 'Data', rows }] })
      const bomb = {
        name: 'xl/worksheets/sheet1.xml',
        content: `<worksheet>${' '.repeat(60_000_000)}</worksheet>`,
      }
      writeZip(place.folder, 'in.xlsx', [...parts.filter(({ name }) => name !== bomb.name), bomb])
    },
    args,
  },
  {
    title: 'a text that no cell of Excel holds',
    code: 'OUTPUT_COLUMN_UNFIT',
    says: /column "note", row 2: 40000 characters/,
    prepare: (place) => {
      place.write('in.csv', `name,note\nApple Inc.,a\nSiemens AG,${'x'.repeat(40_000)}\n`)
    },
    args: ['in.csv', '-o', 'out.xlsx'],
  },
  {
    title: 'a JSON object with an array in it',
    code: 'INPUT_JSON_INVALID',
    says: /is an object[^]*jq/,
    prepare: (place) => {
      place.write('in.json', '{"items":[{"name":"Apple Inc."}]}')
    },
    args: ['in.json', '-o', 'out.csv'],
  },
]

describe('is refused by name, and nothing is submitted:', () => {
  test.for(cases)('$title', async (bad, context) => {
    await expectRefusal(bad, context)
  })

  test('an output that is the Excel file it is made from', async () => {
    const place = createPlace()
    const path = writeZip(place.folder, 'in.xlsx', excelKind())
    copyFileSync(path, place.path('copy.xlsx'))
    const { code, stderr } = await place.run(['in.xlsx', '-o', './in.xlsx'])
    expect([code, /OUTPUT_IS_INPUT/.test(stderr)]).toEqual([2, true])
    expect(readFileSync(path).equals(readFileSync(place.path('copy.xlsx')))).toBe(true)
  })
})

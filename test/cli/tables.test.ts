import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openXlsx } from '../../src/tables/xlsx/xlsx-file.js'
import { createPlace } from '../support/cli.js'
import { expectRefusal } from '../support/refusal.js'
import { rowsOfCsv } from '../support/tables.js'
import { excelKind, kindsHeader } from '../support/workbook-kinds.js'
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

describe('is refused by name, and nothing is submitted:', () => {
  test('a sheet of a file that has none', async (context) => {
    const says = /in\.csv is csv, and has no sheet "Data"[^]*remove --sheet/
    const args = ['in.csv', '-o', 'out.csv', '--sheet', 'Data']
    await expectRefusal({ title: '', code: 'INPUT_WITHOUT_SHEETS', says, args }, context)
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

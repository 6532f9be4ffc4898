import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { beforeEach, describe, expect, test } from 'vitest'
import { enrich } from '../../../src/index.js'
import { createWorkplace, type Workplace } from '../../support/pipeline-job.js'
import { queryDuckDb, readParquet } from '../../support/tables.js'
import { readJsonLines } from '../../support/json-lines.js'

type Format = 'csv' | 'ndjson' | 'parquet'
type Row = Record<string, unknown>

let place: Workplace
beforeEach(() => {
  place = createWorkplace()
})

/** Columns of few values, constant, empty and all distinct, in turn; the first holds the names. */
function cellAt(row: number, column: number): string {
  if (column === 0) return `Company ${row % 20}`
  return [`value ${(row * 7 + column) % 5}`, 'always the same', '', `${row}-${column}`][column % 4] ?? ''
}
const columnName = (column: number) => (column === 0 ? 'company_name' : `col${column}`)
const columnsOf = (width: number) => Array.from({ length: width }, (_, column) => column)

async function writeInput(format: Format, width: number, rowCount: number): Promise<string> {
  const path = place.path(`in.${format}`)
  const columns = columnsOf(width)
  const rows = Array.from({ length: rowCount }, (_, row) => columns.map((column) => cellAt(row, column)))
  if (format === 'ndjson') {
    const object = (row: string[]) =>
      JSON.stringify(Object.fromEntries(row.map((cell, column) => [columnName(column), cell])))
    writeFileSync(path, rows.map((row) => `${object(row)}\n`).join(''))
  } else if (format === 'csv') {
    writeFileSync(path, [columns.map(columnName), ...rows].map((row) => `${row.join(',')}\n`).join(''))
  } else {
    const cells = columns.map((column) => {
      const sql = [`'value ' || ((r * 7 + ${column}) % 5)`, `'always the same'`, `''`, `r || '-${column}'`][
        column % 4
      ]
      return `${column === 0 ? `'Company ' || (r % 20)` : sql} AS ${columnName(column)}`
    })
    await queryDuckDb(
      `COPY (SELECT ${cells.join(', ')} FROM range(${rowCount}) t(r)) TO '${path}' (FORMAT parquet)`,
    )
  }
  return path
}

async function rowsOf(path: string, format: Format): Promise<readonly Row[]> {
  if (format === 'parquet') return (await readParquet(path)).rows
  const text = readFileSync(path, 'utf8')
  if (format === 'csv') return parse(text, { columns: true })
  return readJsonLines<Row>(text)
}

async function goThrough(from: Format, to: Format, width: number, rowCount: number): Promise<void> {
  const output = place.path(`out.${to}`)
  const { stop } = await enrich(
    {
      input: { paths: [await writeInput(from, width, rowCount)] },
      output: { path: output, basis: 'none' },
      checkpoint: { path: place.path('c.sqlite') },
    },
    { environment: {} },
  ).summary
  expect(stop).toBeNull()
  const rows = await rowsOf(output, to)
  expect(rows).toHaveLength(rowCount)
  const names = columnsOf(width).map(columnName)
  expect(Object.keys(rows[0] ?? {}).slice(0, width)).toEqual(names)
  for (const [row, cells] of rows.entries()) {
    const wrong = names.find((name, column) => cells[name] !== cellAt(row, column))
    expect(wrong).toBeUndefined()
    expect(cells['enrich_status']).toBe('no_match')
  }
}

/** Each width has some of them, the narrowest has all; test/types tries every pair. */
const fewPairs = [
  ['csv', 'parquet'],
  ['ndjson', 'csv'],
  ['parquet', 'ndjson'],
] as const

describe.each([
  [1, 300, fewPairs],
  [150, 200, [fewPairs[1]]],
  [2_000, 10, [fewPairs[1], fewPairs[2]]],
  [10_000, 3, [fewPairs[0]]],
] as const)('%i columns, %i rows', (width, rowCount, formats) => {
  test.each(formats)('from %s to %s: every cell comes out as it went in', async (from, to) => {
    await goThrough(from, to, width, rowCount)
  })
})

test('150 columns and more rows than one row group holds go to Parquet, within what narrow tables take and a share a column', async () => {
  await goThrough('csv', 'parquet', 150, 21_000)
})

test('a table of 150 columns goes from Parquet to Parquet over several tables and row groups', async () => {
  await goThrough('parquet', 'parquet', 150, 5_000)
})

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createPlace, fixture, type CliPlace } from '../support/cli.js'
import { queryDuckDb, readParquet, rowsOfCsv } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'

const csvText = readFileSync(fixture('companies.csv'))
const csvRows = rowsOfCsv(csvText)
const inputColumns = Object.keys(csvRows[0]!)
const registrationIds = rowsOfCsv(readFileSync(fixture('registry/companies.csv'))).map((row) =>
  JSON.stringify(row),
)

type Row = Record<string, unknown>

/** The input's own cells of each row, an absent value as the empty text that a CSV has for it. */
const inputCells = (rows: readonly Row[]) =>
  rows.map((row) => inputColumns.map((column) => row[column] ?? ''))

async function convert(place: CliPlace, args: readonly string[], stdin?: Buffer) {
  const result = await place.run(args, stdin === undefined ? {} : { stdin })
  expect([result.code, /^error /m.test(result.stderr)]).toEqual([0, false])
  return result
}

/** What must hold of the rows of any output; `confidenceOf` reads the cell as a number. */
function expectAnswers(rows: readonly Row[], confidenceOf: (cell: unknown) => number): void {
  expect(inputCells(rows)).toEqual(inputCells(csvRows))
  const matched = rows.filter((row) => row['enrich_status'] === 'matched')
  expect(matched.length).toBeGreaterThan(100)
  for (const row of matched) {
    expect(confidenceOf(row['enrich_confidence'])).toSatisfy(
      (value: number) => Number.isInteger(value) && value > 0 && value <= 100,
    )
  }
  const ciks = matched.map((row) => row['enrich_cik']).filter((cik) => cik !== null && cik !== '')
  expect(ciks).toContain('0000320193')
  for (const row of matched.filter((row) => /^0/.test(String(row['enrich_registration_id'])))) {
    expect(registrationIds.some((text) => text.includes(`"${String(row['enrich_registration_id'])}"`))).toBe(
      true,
    )
  }
  const nameless = rows.filter((row) => row['enrich_status'] === 'invalid_input')
  expect(nameless).toHaveLength(8)
  for (const row of nameless) expect(row['enrich_error']).toMatch(/name/)
}

async function expectParquetAnswers(path: string): Promise<void> {
  const { rows, typeOf } = await readParquet(path)
  expectAnswers(rows, Number)
  expect(
    ['confidence', 'resolved_at', 'from_cache', 'registration_id', 'basis'].map((name) =>
      typeOf(`enrich_${name}`),
    ),
  ).toEqual(['INT32 INT_32', 'INT64 TIMESTAMP', 'BOOLEAN', 'BYTE_ARRAY UTF8', 'GROUP LIST'])
  const matched = rows.find((row) => row['enrich_status'] === 'matched')
  expect(matched).toMatchObject({
    enrich_confidence: expect.any(Number),
    enrich_resolved_at: expect.any(Date),
    enrich_from_cache: false,
    enrich_registration_id: expect.any(String),
  })
}

async function expectCitations(path: string): Promise<void> {
  const citations = await queryDuckDb(`
    SELECT basis.field, citation.url FROM (
      SELECT basis, unnest(basis.citations) AS citation FROM (
        SELECT unnest(enrich_basis) AS basis FROM read_parquet('${path}')))`)
  expect(citations.length).toBeGreaterThan(500)
  expect(new Set(citations.map(({ field }) => field))).toContain('legal_name')
  // A registration that no public page shows is cited by its excerpt alone.
  const urls = citations.map(({ url }) => url).filter((url) => url !== null)
  expect(urls.length).toBeGreaterThan(500)
  for (const url of urls) expect(url).toMatch(/^https:\/\/[^\s]+$/)
}

describe('every row comes out once, in order, untouched, with its answer typed', () => {
  test('CSV -> CSV, with the basis beside it', async () => {
    const place = createPlace()
    await convert(place, [fixture('companies.csv'), '-o', 'out.csv'])
    const rows = rowsOfCsv(place.read('out.csv'))
    expectAnswers(rows, Number)
    expect(Object.keys(rows[0]!).slice(0, inputColumns.length)).toEqual(inputColumns)
    for (const row of rows.filter(({ enrich_status }) => enrich_status === 'matched')) {
      expect(row['enrich_from_cache']).toMatch(/^(true|false)$/)
      expect(row['enrich_resolved_at']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
      expect(JSON.parse(row['enrich_factors']!)).toBeInstanceOf(Array)
    }
    const basis = rowsOfCsv(place.read('out.csv.basis.csv'))
    for (const line of basis.filter(({ citation_url }) => citation_url !== '')) {
      expect(line['citation_url']).toMatch(/^https:/)
      expect(csvRows[Number(line['row_number']) - 1]?.['company_name']).toBe(line['name'])
    }
    expect(place.names()).toEqual(['out.csv', 'out.csv.basis.csv'])
  })

  test('CSV -> NDJSON', async () => {
    const place = createPlace()
    await convert(place, [fixture('companies.csv'), '-o', 'out.ndjson'])
    const rows = readJsonLines(place.read('out.ndjson'))
    expectAnswers(rows, (cell) => cell as number)
    const matched = rows.find(({ enrich_status }) => enrich_status === 'matched')
    expect(matched).toMatchObject({
      enrich_from_cache: false,
      enrich_factors: expect.any(Array),
      enrich_basis: expect.arrayContaining([
        expect.objectContaining({ field: 'legal_name', citations: expect.any(Array) }),
      ]),
    })
    expect(place.names()).toEqual(['out.ndjson'])
  })

  test('Parquet -> Parquet, with the types that it has', async () => {
    const place = createPlace()
    await queryDuckDb(`COPY (
      SELECT *, 9007199254740993 + rowid AS big, 1.10::DECIMAL(18,2) AS amount, DATE '2024-02-29' AS day,
        TIMESTAMP '2024-01-01 00:00:00.123456' AS moment, true AS flag, '\\x00\\xff'::BLOB AS bytes,
        [1, NULL, 3] AS list, {'a': 'x', 'b': 2} AS struct
      FROM (SELECT *, row_number() OVER () AS rowid FROM read_parquet('${fixture('companies.parquet')}'))
    ) TO '${place.path('in.parquet')}' (FORMAT parquet)`)
    await convert(place, ['in.parquet', '-o', 'out.parquet'])
    await expectParquetAnswers(place.path('out.parquet'))
    await expectCitations(place.path('out.parquet'))
    const before = await readParquet(place.path('in.parquet'))
    const after = await readParquet(place.path('out.parquet'))
    const columns = Object.keys(before.rows[0]!)
    expect(columns.map(after.typeOf)).toEqual(columns.map(before.typeOf))
    expect(after.rows.map((row) => columns.map((column) => row[column]))).toEqual(
      before.rows.map((row) => columns.map((column) => row[column])),
    )
  })

  test('standard input -> standard output, and nothing else is on it', async () => {
    const place = createPlace()
    const { stdoutBytes } = await convert(
      place,
      ['-', '--input-format', 'csv', '-o', '-', '--format', 'csv'],
      csvText,
    )
    expectAnswers(rowsOfCsv(stdoutBytes), Number)
    expect(place.names()).toEqual([])
  })

  test('standard input -> Parquet on standard output', async () => {
    const place = createPlace()
    const args = ['-', '--input-format', 'csv', '-o', '-', '--format', 'parquet', '--quiet']
    const { stdoutBytes, stderr } = await place.run(args, { stdin: csvText })
    expectAnswers((await readParquet(stdoutBytes)).rows, Number)
    expect(stderr).toBe('')
  })

  test('several files and a glob -> one output, in the order given', async () => {
    const place = createPlace()
    for (const name of ['b.csv', 'a1.csv', 'a2.csv']) place.write(name, `company_name,file\nApple,${name}\n`)
    const { code } = await place.run(['b.csv', 'a*.csv', '-o', 'out.ndjson'])
    expect(code).toBe(0)
    expect(readJsonLines(place.read('out.ndjson')).map(({ file }) => file)).toEqual([
      'b.csv',
      'a1.csv',
      'a2.csv',
    ])
  })
})

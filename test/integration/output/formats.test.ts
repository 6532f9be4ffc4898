import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quoteSqlPath } from '../../../src/parquet/duckdb.js'
import { convert, newFolder, readByHyparquet, readTable, withDuckDb } from './support.js'

const csv = 'name,city,id\r\nAcme,"Köln, Süd",007\r\n"Quote ""x""","two\nlines",\r\n=1+1,+49 30,-5\r\n'
const expectedRows = [
  ['Acme', 'Köln, Süd', '007'],
  ['Quote "x"', 'two\nlines', ''],
  ['=1+1', '+49 30', '-5'],
]

async function inputs(folder: string): Promise<Record<'csv' | 'ndjson' | 'parquet', string>> {
  const paths = {
    csv: join(folder, 'in.csv'),
    ndjson: join(folder, 'in.ndjson'),
    parquet: join(folder, 'in.parquet'),
  }
  writeFileSync(paths.csv, csv)
  const objects = expectedRows.map(([name, city, id]) => JSON.stringify({ name, city, id }))
  writeFileSync(paths.ndjson, `${objects.join('\n')}\n`)
  await withDuckDb((duckDb) =>
    duckDb.run(
      `COPY (SELECT * FROM (VALUES ('Acme', 'Köln, Süd', '007'), ('Quote "x"', E'two\\nlines', ''), ('=1+1', '+49 30', '-5')) t(name, city, id)) TO ${quoteSqlPath(paths.parquet)} (FORMAT parquet)`,
    ),
  )
  return paths
}

describe.each(['csv', 'ndjson', 'parquet'] as const)('from %s', (from) => {
  test.each(['csv', 'tsv', 'ndjson', 'parquet'] as const)(
    'to %s: every row once, in order, its cells untouched, its answer beside it',
    async (to) => {
      const folder = newFolder()
      const output = join(folder, `out.${to}`)
      const report = await convert({ input: { paths: [(await inputs(folder))[from]] }, output })
      expect(report).toMatchObject({ paths: [output], rowCount: 3 })
      const { columns, rows } = await readTable(output)
      expect(columns.slice(0, 4)).toEqual(['name', 'city', 'id', 'enrich_status'])
      expect(rows.map((row) => row.slice(0, 3))).toEqual(expectedRows)
      const cell = (name: string) => rows.map((row) => row[columns.indexOf(name)])
      expect(cell('enrich_status')).toEqual(['matched', 'matched', 'matched'])
      expect(cell('enrich_registration_id')[0]).toBe('00012345')
      expect(cell('enrich_cik')[0]).toBe('0000320193')
      expect(cell('enrich_confidence')[0]).toBe('97')
      expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
    },
  )
})

test('a Parquet output is typed, and an independent reader and DuckDB read it', async () => {
  const folder = newFolder()
  const output = join(folder, 'out.parquet')
  const { csv: input } = await inputs(folder)
  await convert({ input: { paths: [input] }, output, metadata: { 'enrich.version': "1'2" } })
  const { rows, metadata } = await readByHyparquet(output)
  expect(rows[0]).toMatchObject({
    name: 'Acme',
    city: 'Köln, Süd',
    id: '007',
    enrich_status: 'matched',
    enrich_confidence: 97,
    enrich_city: 'Köln',
    enrich_from_cache: false,
    enrich_resolved_at: new Date('2026-01-02T01:04:05.678Z'),
    enrich_factors: [{ code: 'name_close_match', type: 'strength', description: 'close', impact: 'high' }],
    enrich_actions: [],
  })
  expect(metadata.key_value_metadata).toContainEqual({ key: 'enrich.version', value: "1'2" })
  const basis = await withDuckDb((duckDb) =>
    duckDb.all(
      `SELECT b.field, b.value, len(b.citations), b.citations[1].authority_tier
       FROM (SELECT unnest(enrich_basis) AS b FROM read_parquet(${quoteSqlPath(output)}) LIMIT 2)`,
    ),
  )
  expect(basis.map((row) => row.map(String))).toEqual([
    ['legal_name', 'Acme Ltd', '2', '1'],
    ['identifiers.0.value', '00012345', '0', 'null'],
  ])
})

test('the basis file has a line a citation, or one where a field has none', async () => {
  const folder = newFolder()
  const output = join(folder, 'out.csv')
  const report = await convert({ input: { paths: [(await inputs(folder)).csv] }, output, basis: 'file' })
  expect(report).toEqual({ paths: [output, `${output}.basis.csv`], rowCount: 3, basisLineCount: 9 })
  const { columns, rows } = await readTable(`${output}.basis.csv`)
  expect(columns).toEqual(
    'row_number,name,run_id,field,value,confidence,reasoning,citation_url,excerpt,source_type,authority_tier'.split(
      ',',
    ),
  )
  expect(rows.slice(0, 4)).toEqual([
    [
      '1',
      'Acme',
      'run_1',
      'legal_name',
      'Acme Ltd',
      'high',
      'register',
      'https://a.example/1',
      "'=1+1",
      'government_registry',
      '1',
    ],
    [
      '1',
      'Acme',
      'run_1',
      'legal_name',
      'Acme Ltd',
      'high',
      'register',
      'https://a.example/2',
      '',
      'web',
      '3',
    ],
    ['1', 'Acme', 'run_1', 'identifiers.0.value', '00012345', 'low', '', '', '', '', ''],
    [
      '2',
      'Quote "x"',
      'run_1',
      'legal_name',
      'Acme Ltd',
      'high',
      'register',
      'https://a.example/1',
      "'=1+1",
      'government_registry',
      '1',
    ],
  ])
  expect((await readTable(output)).columns).not.toContain('enrich_basis')
})

test('an abort leaves what stood there before, and no temporary file', async () => {
  const folder = newFolder()
  const output = join(folder, 'out.parquet')
  writeFileSync(output, 'before')
  const abort = new AbortController()
  const paths = [(await inputs(folder)).csv]
  const answerLine = () => {
    abort.abort(new Error('stopped'))
    return '{}'
  }
  await expect(convert({ input: { paths }, output, signal: abort.signal, answerLine })).rejects.toThrow(
    'stopped',
  )
  expect(readFileSync(output, 'utf8')).toBe('before')
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  expect(existsSync(`${output}.basis.csv`)).toBe(false)
})

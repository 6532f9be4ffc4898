import { appendFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quoteSqlPath, parquetLimits, memoryBytesMin } from '../../../src/parquet/duckdb.js'
import { convert, matchedLine, newFolder, readByHyparquet, withDuckDb } from './support.js'

const padding = 'ä"\\'.repeat(3_300)
/** Answers of some 20 kB: with the least memory, those of all rows are more than a part may have. */
const heavyLine = (row: number) =>
  matchedLine.replace('"siq_1"', `"siq_${row}"`).replace('"register"', JSON.stringify(`${row} ${padding}`))
const rowCount = 3_500

function csvInput(folder: string): string {
  const path = join(folder, 'in.csv')
  writeFileSync(path, 'name,number\n')
  for (let row = 0; row < rowCount; row++) appendFileSync(path, `row ${row},${row}\n`)
  return path
}

async function parquetInput(folder: string): Promise<string> {
  const path = join(folder, 'in.parquet')
  const rows = `SELECT 'row ' || i AS name, i::VARCHAR AS number FROM range(${rowCount}) t(i)`
  await withDuckDb((duckDb) => duckDb.run(`COPY (${rows}) TO ${quoteSqlPath(path)} (FORMAT parquet)`))
  return path
}

describe.each([
  ['CSV', csvInput],
  ['Parquet', parquetInput],
])('a Parquet output of %s in several parts', (_, makeInput) => {
  test('has every row once, in order, with its own answer, in groups that weigh no more than a part', async () => {
    const folder = newFolder()
    const path = await makeInput(folder)
    const output = join(folder, 'out.parquet')
    await convert({
      input: { paths: [path] },
      output,
      answerLine: heavyLine,
      metadata: { made: 'here' },
      memoryBytes: memoryBytesMin,
    })

    const groupRowsMax = Math.ceil(parquetLimits.rowGroupBytesMax / Buffer.byteLength(heavyLine(0)))
    const [found] = await withDuckDb((duckDb) =>
      duckDb.all(
        `SELECT count(*), count(*) FILTER (
           file_row_number::VARCHAR = number AND name = 'row ' || number AND enrich_entity_id = 'siq_' || number
           AND starts_with(enrich_basis[1].reasoning, number || ' ä') AND length(enrich_basis[1].citations) = 2)
         FROM read_parquet(${quoteSqlPath(output)}, file_row_number = true)`,
      ),
    )
    expect(found?.map(Number)).toEqual([rowCount, rowCount])

    const { rows, metadata } = await readByHyparquet(output)
    expect(rows.map((row) => [row['number'], row['enrich_entity_id']])).toEqual(
      Array.from({ length: rowCount }, (__, row) => [String(row), `siq_${row}`]),
    )
    const groupRows = metadata.row_groups.map(({ num_rows }) => Number(num_rows))
    expect(groupRows.length).toBeGreaterThan(1)
    expect(Math.max(...groupRows)).toBeLessThanOrEqual(groupRowsMax)
    expect(metadata.key_value_metadata).toContainEqual({ key: 'made', value: 'here' })
    expect(readdirSync(folder).filter((name) => name.includes('.tmp'))).toEqual([])
  })
})

describe.each([
  ['CSV', csvInput],
  ['Parquet', parquetInput],
])('answers that many rows share, in any order, from %s', (_, makeInput) => {
  test.each([1, 7, 400])('each row gets that of its own number, of %i', async (answerCount) => {
    const folder = newFolder()
    const output = join(folder, 'out.parquet')
    // Numbers as far apart as they may be, and in no order.
    const numberOf = (row: number) => ((row * 7919) % answerCount) * Math.floor(0xffff_ffff / answerCount)
    const numbers = Array.from({ length: rowCount }, (__, row) => numberOf(row))
    const distinct = Uint32Array.from(new Set(numbers)).sort()
    const lineOf = (number: number) => matchedLine.replace('"siq_1"', `"siq_${number}"`)
    const answers = {
      read: () => [],
      numbers: (first: number, count: number) => numbers.slice(first, first + count),
      distinct: () => ({ numbers: distinct, lines: () => [...distinct].map(lineOf) }),
    }
    await convert({ input: { paths: [await makeInput(folder)] }, output, answers })
    const found = await withDuckDb((duckDb) =>
      duckDb.all(
        `SELECT number, enrich_entity_id FROM read_parquet(${quoteSqlPath(output)}, file_row_number = true) ORDER BY file_row_number`,
      ),
    )
    expect(found).toEqual(numbers.map((number, row) => [String(row), `siq_${number}`]))
  })
})

test('an output without one of our columns has all rows', async () => {
  const folder = newFolder()
  const output = join(folder, 'out.parquet')
  await convert({ input: { paths: [await parquetInput(folder)] }, output, columns: [] })
  const { rows } = await readByHyparquet(output)
  expect(rows).toHaveLength(rowCount)
  expect(Object.keys(rows[0] ?? {})).toEqual(['name', 'number'])
})

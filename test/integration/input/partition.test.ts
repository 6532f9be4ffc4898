import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openInput, type Input } from '../../../src/pipeline/input/input.js'
import type { Partition } from '../../../src/core/partition.js'
import { queryDuckDb } from '../../support/tables.js'
import { makeFolder } from '../../support/temporary-folder.js'

const folder = makeFolder()
const path = (name: string) => join(folder, name)
const write = (name: string, content: string | Buffer) => {
  writeFileSync(path(name), content)
  return path(name)
}

async function using<Result>(
  paths: readonly string[],
  partition: Partition | undefined,
  use: (input: Input) => Promise<Result>,
): Promise<Result> {
  const input = await openInput({ paths, spoolFolder: folder }, { partition })
  try {
    return await use(input)
  } finally {
    await input.close()
  }
}

async function gathered<Row>(batches: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of batches) rows.push(...batch)
  return rows
}

/** All rows by every way they are read. */
const readings = async (input: Input) => ({
  texts: await gathered(input.rows.keys(input.columns)),
  again: await gathered(input.rows.texts()),
  objects: await gathered(input.rows.objects()),
})

/** What each part reads, and what all of it is without parts. */
async function expectParts(paths: readonly string[], count: number): Promise<number[]> {
  const whole = await using(paths, undefined, readings)
  const joined: Awaited<ReturnType<typeof readings>> = { texts: [], again: [], objects: [] }
  const rowCounts: number[] = []
  for (let index = 1; index <= count; index++) {
    await using(paths, { index, count }, async (input) => {
      const columns = [...input.columns]
      const read = await readings(input)
      expect(input.columns).toEqual(columns)
      for (const key of ['texts', 'again', 'objects'] as const) (joined[key] as unknown[]).push(...read[key])
      rowCounts.push(read.texts.length)
    })
  }
  expect(joined).toEqual(whole)
  return rowCounts
}

const csvRows = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => `"Name ${first + at}, ""x""\nnext line",${first + at}`)
const csv = (first: number, count: number) => `company_name,n\n${csvRows(first, count).join('\n')}\n`

describe('every row is in exactly one part, in order', () => {
  test.each([1, 2, 3, 7, 40])('one CSV with line ends in its cells, %i parts', async (count) => {
    const rowCounts = await expectParts([write('one.csv', csv(0, 25))], count)
    expect(Math.max(...rowCounts) - Math.min(...rowCounts)).toBeLessThanOrEqual(1)
  })

  test.each([2, 5, 9])('several files of CSV, some packed, whole, %i parts', async (count) => {
    const paths = [3, 40, 1, 9, 12].map((rows, at) =>
      write(
        `some-${at}.csv${at === 3 ? '.gz' : ''}`,
        at === 3 ? gzipSync(csv(at * 100, rows)) : csv(at * 100, rows),
      ),
    )
    const rowCounts = await expectParts(paths, count)
    expect(rowCounts.reduce((sum, rows) => sum + rows)).toBe(65)
  })

  test('more parts than files: the others have no rows, and the same columns', async () => {
    const paths = [write('a.csv', 'company_name,a\nAcme,1\n'), write('b.csv', 'company_name,b\nBolt,2\n')]
    const rowCounts = await expectParts(paths, 5)
    expect(rowCounts.filter((rows) => rows > 0)).toEqual([1, 1])
    for (let index = 1; index <= 5; index++)
      await using(paths, { index, count: 5 }, (input) => {
        expect(input.columns).toEqual(['company_name', 'a', 'b'])
        return Promise.resolve()
      })
  })

  test.each(['ndjson', 'json'])('%s, one file and several', async (format) => {
    const objects = (first: number, count: number) =>
      Array.from({ length: count }, (_, at) =>
        JSON.stringify({ company_name: `n${first + at}`, [`k${first}`]: at }),
      )
    const text = (lines: string[]) => (format === 'json' ? `[${lines.join(',\n')}]` : `${lines.join('\n')}\n`)
    const paths = [0, 100, 200].map((first, at) =>
      write(`o${at}.${format}`, text(objects(first, 5 + 10 * at))),
    )
    await expectParts(paths.slice(0, 1), 3)
    await expectParts(paths, 2)
    await expectParts(paths, 4)
  })

  test('Parquet, by row groups over several files whose columns and types differ', async () => {
    const copy = (name: string, select: string) =>
      queryDuckDb(`COPY (${select}) TO '${path(name)}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`)
    await copy('p0.parquet', `SELECT 'n' || i AS company_name, i::INTEGER AS n FROM range(9000) t(i)`)
    await copy(
      'p1.parquet',
      `SELECT 'm' || i AS company_name, i::BIGINT AS n, i * 2.5 AS extra FROM range(3000) t(i)`,
    )
    await copy('p2.parquet', `SELECT 'empty' AS company_name, 1::BIGINT AS n WHERE false`)
    await copy('p3.parquet', `SELECT 'k' || i AS company_name, [i] AS list FROM range(5000) t(i)`)
    const paths = [0, 1, 2, 3].map((at) => path(`p${at}.parquet`))
    for (const count of [1, 2, 3, 5, 30]) {
      const rowCounts = await expectParts(paths, count)
      expect(Math.max(...rowCounts)).toBeLessThanOrEqual(17_000 / count + 2 * 2048)
    }
    await expectParts(paths.slice(0, 1), 4)
    for (const index of [1, 10, 17, 25, 30])
      await using(paths, { index, count: 30 }, (input) => {
        const source = input.rows.parquet()
        expect(source.kind === 'relation' && source.columns.map(({ type }) => type)).toEqual([
          'VARCHAR',
          'BIGINT',
          'DECIMAL(21,1)',
          'BIGINT[]',
        ])
        return Promise.resolve()
      })
  })

  test('Parquet with a column that is called as DuckDB calls row numbers', async () => {
    await queryDuckDb(
      `COPY (SELECT 'n' || i AS company_name, 0 AS file_row_number FROM range(9000) t(i))
       TO '${path('named.parquet')}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
    )
    await expectParts([path('named.parquet')], 3)
  })
})

test('a part of a Parquet file is read without the other row groups', async () => {
  const name = path('damaged.parquet')
  await queryDuckDb(
    `COPY (SELECT md5(i::VARCHAR) AS company_name FROM range(20000) t(i))
     TO '${name}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
  )
  const [middle] = await queryDuckDb(
    `SELECT min(data_page_offset) AS at FROM parquet_metadata('${name}') WHERE row_group_id = 5`,
  )
  const { readFileSync } = await import('node:fs')
  const bytes = readFileSync(name)
  bytes.fill(0xff, Number(middle?.['at']), Number(middle?.['at']) + 2_000)
  writeFileSync(name, bytes)
  const rowsIn = (index: number) =>
    using(
      [name],
      { index, count: 10 },
      async (input) => (await gathered(input.rows.keys(input.columns))).length,
    )
  for (const index of [1, 2, 3, 4, 5, 7, 8, 9, 10]) expect(await rowsIn(index)).toBeGreaterThan(0)
  await expect(rowsIn(6)).rejects.toMatchObject({ code: 'INPUT_PARQUET_INVALID' })
})

test('rows beyond the header of one of several files are refused in a part: its columns would be its own', async () => {
  const paths = [write('x.csv', 'company_name,a\nAcme,1\n'), write('y.csv', 'company_name,a\nBolt,2,3\n')]
  const read = (index: number) =>
    using(paths, { index, count: 2 }, async (input) => gathered(input.rows.keys(['company_name'])))
  await expect(read(1)).resolves.toEqual([['Acme']])
  await expect(read(2)).rejects.toMatchObject({ code: 'PARTITION_UNSUPPORTED' })
})

test('of one file, rows beyond the header add their column to every part', async () => {
  const paths = [write('z.csv', 'company_name,a\nAcme,1\nBolt,2,3\n')]
  for (const index of [1, 2])
    await using(paths, { index, count: 2 }, async (input) => {
      await gathered(input.rows.keys(['company_name']))
      expect(input.columns).toEqual(['company_name', 'a', 'column_3'])
    })
})

test('a sample is of the first rows of all, whichever part looks', async () => {
  const paths = [write('s1.csv', 'company_name\nAcme\n'), write('s2.csv', 'company_name\nBolt\n')]
  for (const index of [1, 2])
    await using(paths, { index, count: 2 }, async (input) => {
      expect(await gathered(input.rows.sample(['company_name']))).toEqual([['Acme'], ['Bolt']])
    })
})

test('a file without rows is refused in every part', async () => {
  const paths = [write('none.csv', 'company_name\n')]
  for (const index of [1, 2])
    await expect(
      using(paths, { index, count: 2 }, (input) => gathered(input.rows.keys(['company_name']))),
    ).rejects.toMatchObject({ code: 'INPUT_NO_ROWS' })
})

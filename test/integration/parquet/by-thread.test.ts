import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quoteSqlPath } from '../../../src/parquet/duckdb.js'
import { quoteSqlText } from '../../../src/core/text.js'
import { LineWriter, buildPlace } from '../../../src/parquet/part-sql.js'
import { ParquetFile } from '../../../src/parquet/parquet-file.js'
import { assertOrdered, openParquetWriter } from '../../../src/parquet/parquet-writer.js'
import { newFolder, withDuckDb } from '../output/support.js'

const groupRowsMax = 2_048

/** Files as a thread each writes them: of row groups from one to another, each row with its place. */
async function filesOf(...groups: readonly (readonly [first: number, end: number, columns?: string])[]) {
  const folder = newFolder()
  const paths = groups.map((_, index) => join(folder, `data_${index}.parquet`))
  await withDuckDb(async (duckDb) => {
    for (const [index, [first, end, columns = `'row ' || i AS name`]] of groups.entries())
      await duckDb.run(
        `COPY (SELECT ${buildPlace('i', groupRowsMax)} AS "#", ${columns}
               FROM range(${first * groupRowsMax}, ${end * groupRowsMax}) t(i))
         TO ${quoteSqlText(paths[index] ?? '')} (FORMAT parquet, ROW_GROUP_SIZE ${groupRowsMax})`,
      )
  })
  const slice = { paths, byThread: { groupRowsMax } }
  return { path: join(folder, 'out.parquet'), slice }
}

async function putTogether({ path, slice }: Awaited<ReturnType<typeof filesOf>>, groupCount: number) {
  const file = new ParquetFile(path)
  try {
    await file.append([slice], groupCount * groupRowsMax)
    await file.end()
  } finally {
    await file.close()
  }
  return path
}

describe('what threads wrote beside each other', () => {
  test.each([
    ['in the order of its files', [0, 2], [2, 3]],
    ['in another order', [1, 3], [0, 1]],
  ] as const)('is one file in the order of its rows: %s', async (_, one, other) => {
    const path = await putTogether(await filesOf(one, other), 3)
    const sql = `SELECT count(*), count(*) FILTER (name = 'row ' || file_row_number)
      FROM read_parquet(${quoteSqlPath(path)}, file_row_number = true)`
    const columns = `SELECT column_name FROM (DESCRIBE SELECT * FROM ${quoteSqlPath(path)})`
    const rowCount = BigInt(3 * groupRowsMax)
    await withDuckDb(async (duckDb) => {
      expect(await duckDb.all(sql)).toEqual([[rowCount, rowCount]])
      expect(await duckDb.all(columns)).toEqual([['name']])
    })
  })

  test('is refused where a row group is missing, is there twice, or has other columns', async () => {
    await expect(putTogether(await filesOf([0, 1], [2, 3]), 2)).rejects.toThrow(/lacks/)
    await expect(putTogether(await filesOf([0, 2], [1, 2]), 3)).rejects.toThrow(/lacks/)
    const otherName = await filesOf([0, 1], [1, 2, `'row ' || i AS other`])
    await expect(putTogether(otherName, 2)).rejects.toThrow(/columns/)
  })
})

describe('the order of rows in a row group', () => {
  /** Two row groups, in which the rows at two places are exchanged, or one is moved to the end of its row group. */
  async function orderedBy(order: string): Promise<void> {
    const path = join(newFolder(), 'data_0.parquet')
    await withDuckDb(async (duckDb) => {
      await duckDb.run(
        `COPY (SELECT ${buildPlace('i', groupRowsMax)} AS "#" FROM range(${2 * groupRowsMax}) t(i) ORDER BY ${order})
         TO ${quoteSqlText(path)} (FORMAT parquet, ROW_GROUP_SIZE ${groupRowsMax})`,
      )
      await assertOrdered(duckDb, [path])
    })
  }

  test('is that of their places, or the part is refused', async () => {
    await expect(orderedBy('i')).resolves.toBeUndefined()
    await expect(orderedBy('CASE i WHEN 7 THEN 3000 WHEN 3000 THEN 7 ELSE i END')).rejects.toThrow(/order/)
    const last = groupRowsMax - 0.5
    await expect(orderedBy(`CASE i WHEN 100 THEN ${last} ELSE i END`)).rejects.toThrow(/order/)
    await expect(orderedBy(`CASE i WHEN ${groupRowsMax - 2} THEN ${last} ELSE i END`)).rejects.toThrow(
      /order/,
    )
  })
})

/** Numbers of which some collide in the hash table of a join, in DuckDB 1.5: a LEFT JOIN gives 1,920 rows the line of the next one. */
test('each row has its own line, also where numbers collide in the join', async () => {
  const folder = newFolder()
  const path = join(folder, 'out.parquet')
  const [first, rowCount] = [210_001, 80_000]
  const rows = new LineWriter(folder, 'rows-')
  const files = []
  for (let row = 0; row < rowCount; row++) {
    rows.add(`{"n":${row + first}}`)
    if (rows.isFull) files.push(await rows.cut())
    else if (rows.isFlushDue) await rows.flush()
  }
  files.push(await rows.cut())
  const numbers = Uint32Array.from({ length: rowCount }, (_, row) => row + first)
  const writer = await openParquetWriter({
    path,
    folder: `${path}.parts`,
    metadata: {},
    rowColumns: [{ key: 'n', name: 'n', type: 'BIGINT' }],
    readsParquet: false,
    lineColumns: [{ key: 'v', name: 'line', type: 'BIGINT' }],
    lines: { numbers, lines: () => Array.from(numbers, (number) => `{"v":${number}}`) },
    memoryBytes: 1e9,
  })
  await writer.addFiles(files, (start, count) => numbers.slice(start, start + count))
  await writer.end()
  await writer.close()
  const sql = `SELECT count(*), count(*) FILTER (n = file_row_number + ${first}), count(*) FILTER (line = n)
    FROM read_parquet(${quoteSqlPath(path)}, file_row_number = true)`
  const all = BigInt(rowCount)
  expect(await withDuckDb((duckDb) => duckDb.all(sql))).toEqual([[all, all, all]])
})

test('lines of as many rows as several threads join stand behind their rows', async () => {
  const folder = newFolder()
  const path = join(folder, 'out.parquet')
  const rowCount = 400_000
  const lineCount = 5_000
  const rows = new LineWriter(folder, 'rows-')
  const files = []
  for (let row = 0; row < rowCount; row++) {
    rows.add(`{"n":${row}}`)
    if (rows.isFull) files.push(await rows.cut())
    else if (rows.isFlushDue) await rows.flush()
  }
  files.push(await rows.cut())
  const writer = await openParquetWriter({
    path,
    folder: `${path}.parts`,
    metadata: { made: 'here' },
    rowColumns: [{ key: 'n', name: 'n', type: 'BIGINT' }],
    readsParquet: false,
    lineColumns: [
      { key: 'v', name: 'line', type: 'BIGINT' },
      { key: 'l', name: 'list', type: 'STRUCT("a" BIGINT)[]' },
    ],
    lines: {
      numbers: Uint32Array.from({ length: lineCount }, (_, number) => number),
      lines: () => Array.from({ length: lineCount }, (_, number) => `{"v":${number},"l":[{"a":${number}}]}`),
    },
    memoryBytes: 1e9,
  })
  await writer.addFiles(files, (first, count) =>
    Array.from({ length: count }, (_, index) => ((first + index) * 7) % lineCount),
  )
  await writer.end()
  await writer.close()
  const right = `n = file_row_number AND line = n * 7 % ${lineCount} AND list[1].a = line`
  const sql = `SELECT count(*) FILTER (${right}) FROM read_parquet(${quoteSqlPath(path)}, file_row_number = true)`
  const metadata = `SELECT count(*) FROM parquet_kv_metadata(${quoteSqlPath(path)}) WHERE key = 'made'`
  await withDuckDb(async (duckDb) => {
    expect(await duckDb.all(sql)).toEqual([[BigInt(rowCount)]])
    expect(await duckDb.all(metadata)).toEqual([[1n]])
  })
})

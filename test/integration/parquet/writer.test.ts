import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quoteSqlPath, parquetLimits, memoryBytesMin } from '../../../src/parquet/duckdb.js'
import { LineWriter, type LineFile } from '../../../src/parquet/part-sql.js'
import { openParquetWriter, type ParquetWriterDeps } from '../../../src/parquet/parquet-writer.js'
import { buildRelation, toRelationFile } from '../../../src/parquet/read-sql.js'
import { readThrift, writeThrift } from '../../../src/parquet/thrift.js'
import { newFolder, readByHyparquet, withDuckDb } from '../output/support.js'

/** Every row has the line of its own number. */
const ownLines = (lines: readonly string[]) => ({
  numbers: Uint32Array.from(lines.keys()),
  lines: () => lines,
})
const ownNumbers = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => first + index)

function depsOf(path: string, given: Partial<ParquetWriterDeps>): ParquetWriterDeps {
  return {
    path,
    folder: `${path}.parts`,
    metadata: {},
    rowColumns: [],
    readsParquet: false,
    lineColumns: [],
    lines: ownLines([]),
    memoryBytes: memoryBytesMin,
    ...given,
  }
}

/** Rows as files of lines, beside the output. */
async function filesOf(path: string, rows: readonly string[]): Promise<LineFile[]> {
  const writer = new LineWriter(dirname(path), 'given-')
  const files: LineFile[] = []
  for (const members of rows) {
    writer.add('{', members, '}')
    if (writer.isFull) files.push(await writer.cut())
  }
  if (writer.rowCount > 0) files.push(await writer.cut())
  return files
}

const typed = [
  { key: 't', name: 'text', type: 'VARCHAR' },
  { key: 'n', name: 'number "of" it', type: 'BIGINT' },
  { key: 's', name: 'nested', type: 'STRUCT("a" VARCHAR, "b" INTEGER)[]' },
  { key: 'j', name: 'json', type: 'JSON' },
]

describe('a writer', () => {
  test('gives lines of JSON the types of their columns, what is missing none', async () => {
    const path = join(newFolder(), 'out.parquet')
    const rows = await filesOf(path, ['"t":"ä\\n","n":9007199254740993,"s":[{"a":"x","b":1}],"j":"1.50"', ''])
    const lines = ownLines(['{"v":"first"}', '{}'])
    const lineColumns = [{ key: 'v', name: 'line', type: 'VARCHAR' }]
    const writer = await openParquetWriter(
      depsOf(path, { rowColumns: typed, lineColumns, lines, metadata: { made: 'here' } }),
    )
    await writer.addFiles(rows, ownNumbers)
    await writer.end()
    await writer.close()
    const { rows: written, metadata } = await readByHyparquet(path)
    expect(written).toEqual([
      {
        text: 'ä\n',
        'number "of" it': 9007199254740993n,
        nested: [{ a: 'x', b: 1 }],
        json: 1.5,
        line: 'first',
      },
      { text: null, 'number "of" it': null, nested: undefined, json: null, line: null },
    ])
    expect(metadata.key_value_metadata).toContainEqual({ key: 'made', value: 'here' })
    // JSON stays the text that it was.
    const sql = `SELECT json::VARCHAR FROM read_parquet(${quoteSqlPath(path)}) LIMIT 1`
    expect(await withDuckDb((duckDb) => duckDb.all(sql))).toEqual([['1.50']])
    expect(existsSync(`${path}.parts`)).toBe(false)
  })

  const weights = [
    ['light', 100],
    // Heavy rows: several parts out of one block, and of several.
    ['heavy', parquetLimits.rowGroupBytesMax / 700],
  ] as const
  test.each(
    weights.flatMap(([weight, rowBytes]) =>
      [0, 5, 20_000].flatMap((rowCount) =>
        // Enough for one thread, or for two.
        [memoryBytesMin, 1e9].map((memoryBytes) => ({ weight, rowBytes, rowCount, memoryBytes })),
      ),
    ),
  )(
    'puts the lines of $rowCount $weight rows behind those that they belong to, in $memoryBytes bytes',
    async ({ rowBytes, rowCount, memoryBytes }) => {
      const folder = newFolder()
      const path = join(folder, 'out.parquet')
      const given = [0, 1].map((part) => join(folder, `in-${part}.parquet`))
      // Row groups and files that end anywhere.
      await withDuckDb(async (duckDb) => {
        for (const [part, file] of given.entries())
          await duckDb.run(
            `COPY (SELECT i AS id FROM range(${rowCount}) t(i) WHERE (i < ${Math.floor(rowCount / 3)}) = (${part} = 0))
           TO ${quoteSqlPath(file)} (FORMAT parquet, ROW_GROUP_SIZE 3000)`,
          )
      })
      const rows = Array.from({ length: rowCount }, (_, row) => row)
      const id = { key: 'c0', name: 'id', type: 'BIGINT' }
      const writer = await openParquetWriter(
        depsOf(path, {
          rowColumns: [id],
          readsParquet: true,
          memoryBytes,
          lineColumns: [
            { key: 'v', name: 'line', type: 'VARCHAR' },
            { key: 'l', name: 'list', type: 'STRUCT("a" INTEGER, "b" INTEGER)[]' },
          ],
          lines: ownLines(rows.map((row) => `{"v":"line ${row}","l":[{"a":${row}}]}`)),
        }),
      )
      const relation = buildRelation(given.map(toRelationFile)).sql
      const source = { relation, isScan: true, cells: new Map([[id, 'r."id"']]), rowBytes }
      await writer.addRows(source, rowCount, ownNumbers)
      await writer.end()
      await writer.close()
      const { rows: written, metadata } = await readByHyparquet(path)
      expect(written.map((row) => ({ ...row, list: JSON.stringify(row['list']) }))).toEqual(
        rows.map((row) => ({
          id: BigInt(row),
          line: `line ${row}`,
          list: JSON.stringify([{ a: row, b: null }]),
        })),
      )
      const groupRows = metadata.row_groups.map(({ num_rows }) => Number(num_rows))
      const most = rowBytes === 100 ? parquetLimits.rowGroupRowsMax : 700
      expect(Math.max(0, ...groupRows)).toBeLessThanOrEqual(most)
      expect(metadata.schema.map(({ name }) => name).slice(1, 3)).toEqual(['id', 'line'])
    },
  )

  test('writes more columns than one query can, in slices', async () => {
    const path = join(newFolder(), 'out.parquet')
    const rowColumns = Array.from({ length: 900 }, (_, index) => ({
      key: `c${index}`,
      name: `column ${index}`,
      type: 'VARCHAR',
    }))
    const members = rowColumns.map(({ key }, index) => `"${key}":"cell ${index}"`).join(',')
    const writer = await openParquetWriter(depsOf(path, { rowColumns, lines: ownLines(['{}']) }))
    await writer.addFiles(await filesOf(path, [members]), ownNumbers)
    await writer.end()
    await writer.close()
    const { rows } = await readByHyparquet(path)
    expect(Object.entries(rows[0] ?? {})).toEqual(
      rowColumns.map(({ name }, index) => [name, `cell ${index}`]),
    )
  })

  test('that is closed before its end leaves nothing', async () => {
    const path = join(newFolder(), 'out.parquet')
    const writer = await openParquetWriter(depsOf(path, { rowColumns: typed }))
    expect(statSync(`${path}.parts`).mode & 0o077).toBe(0)
    await writer.close()
    expect(existsSync(`${path}.parts`)).toBe(false)
    expect(existsSync(path)).toBe(false)
  })

  test('throws on a line that is no JSON, and on a folder that is there already', async () => {
    const path = join(newFolder(), 'out.parquet')
    const deps = depsOf(path, { rowColumns: typed, lines: ownLines(['{}']) })
    const writer = await openParquetWriter(deps)
    await expect(openParquetWriter(deps)).rejects.toThrow(/EEXIST/)
    await expect(writer.addFiles(await filesOf(path, ['"t":']), ownNumbers)).rejects.toThrow(/JSON/i)
    await writer.close()
    const lineColumns = [{ key: 'v', name: 'line', type: 'VARCHAR' }]
    const other = openParquetWriter(
      depsOf(`${path}.2`, { rowColumns: typed, lineColumns, lines: ownLines(['{"v":']) }),
    )
    await expect(other).rejects.toThrow(/JSON/i)
    expect(existsSync(`${path}.2.parts`)).toBe(false)
  })
})

describe('Thrift', () => {
  const footer = async (): Promise<Buffer> => {
    const path = join(newFolder(), 'in.parquet')
    const rows = `SELECT 'row ' || i AS name, i AS number FROM range(100) t(i)`
    await withDuckDb((duckDb) => duckDb.run(`COPY (${rows}) TO ${quoteSqlPath(path)} (FORMAT parquet)`))
    const bytes = readFileSync(path)
    return bytes.subarray(-8 - bytes.readUInt32LE(bytes.length - 8), -8)
  }

  test('of a footer gives the same bytes again', async () => {
    const bytes = await footer()
    expect(writeThrift(readThrift(bytes)).equals(bytes)).toBe(true)
  })

  test('that ends too early, or has an unknown type, is refused', async () => {
    for (const bytes of [(await footer()).subarray(0, -20), Buffer.from([0x1e])])
      expect(() => readThrift(bytes)).toThrow(/Thrift|range/)
  })
})

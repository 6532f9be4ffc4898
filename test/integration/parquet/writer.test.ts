import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sqlPath } from '../../../src/parquet/duckdb.js'
import { parquetLimits } from '../../../src/parquet/limits.js'
import { openParquetWriter, type ParquetWriterDeps } from '../../../src/parquet/parquet-writer.js'
import { readThrift, writeThrift } from '../../../src/parquet/thrift.js'
import { newFolder, readByHyparquet, withDuckDb } from '../output/support.js'

function depsOf(path: string, given: Partial<ParquetWriterDeps>): ParquetWriterDeps {
  writeFileSync(path, '')
  return {
    sink: {
      write: (bytes) => {
        appendFileSync(path, bytes)
        return Promise.resolve()
      },
    },
    folder: `${path}.parts`,
    metadata: {},
    chunkColumns: [],
    chunkRowBytes: 0,
    lineColumns: [],
    ...given,
  }
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
    const writer = await openParquetWriter(depsOf(path, { lineColumns: typed, metadata: { made: 'here' } }))
    writer.addLine('{"t":"ä\\n","n":9007199254740993,', '"s":[{"a":"x","b":1}],"j":"1.50"}')
    writer.addLine('{}')
    await writer.end()
    await writer.close()
    const { rows, metadata } = await readByHyparquet(path)
    expect(rows).toEqual([
      { text: 'ä\n', 'number "of" it': 9007199254740993n, nested: [{ a: 'x', b: 1 }], json: 1.5 },
      { text: null, 'number "of" it': null, nested: undefined, json: null },
    ])
    expect(metadata.key_value_metadata).toContainEqual({ key: 'made', value: 'here' })
    // JSON stays the text that it was.
    const sql = `SELECT json::VARCHAR FROM read_parquet(${sqlPath(path)}) LIMIT 1`
    expect(await withDuckDb((duckDb) => duckDb.all(sql))).toEqual([['1.50']])
    expect(existsSync(`${path}.parts`)).toBe(false)
  })

  test.each([0, 5, 5_000])('puts the lines of %i rows beside the chunks they belong to', async (rowCount) => {
    const path = join(newFolder(), 'out.parquet')
    const writer = await openParquetWriter(
      depsOf(path, {
        chunkColumns: [{ name: 'id', type: 'BIGINT' }],
        lineColumns: [{ key: 'v', name: 'line', type: 'VARCHAR' }],
        // Heavy rows: several parts out of one chunk, and of several.
        chunkRowBytes: parquetLimits.partBytesMax / 700,
      }),
    )
    let row = 0
    await withDuckDb(async (duckDb) => {
      for await (const chunk of duckDb.stream(`SELECT i AS id FROM range(${rowCount}) t(i)`)) {
        await writer.addChunk(chunk)
        for (const end = row + chunk.rowCount; row < end; row++) {
          writer.addLine(`{"v":"line ${row}"}`)
          if (writer.isDue) await writer.settle()
        }
      }
    })
    await writer.end()
    await writer.close()
    const { rows, metadata } = await readByHyparquet(path)
    expect(rows).toEqual(
      Array.from({ length: rowCount }, (_, index) => ({ id: BigInt(index), line: `line ${index}` })),
    )
    const groupRows = metadata.row_groups.map(({ num_rows }) => Number(num_rows))
    expect(Math.max(0, ...groupRows)).toBeLessThanOrEqual(700)
    expect(metadata.schema.map(({ name }) => name).slice(1)).toEqual(['id', 'line'])
  })

  test('writes more columns than one query can, in slices', async () => {
    const path = join(newFolder(), 'out.parquet')
    const lineColumns = Array.from({ length: 900 }, (_, index) => ({
      key: `c${index}`,
      name: `column ${index}`,
      type: 'VARCHAR',
    }))
    const writer = await openParquetWriter(depsOf(path, { lineColumns }))
    const cells = lineColumns.map(({ key }, index) => [key, `cell ${index}`])
    writer.addLine(JSON.stringify(Object.fromEntries(cells)))
    await writer.end()
    await writer.close()
    const { rows } = await readByHyparquet(path)
    expect(Object.entries(rows[0] ?? {})).toEqual(
      lineColumns.map(({ name }, index) => [name, `cell ${index}`]),
    )
  })

  test('that is closed before its end leaves nothing but what the sink got', async () => {
    const path = join(newFolder(), 'out.parquet')
    const writer = await openParquetWriter(depsOf(path, { lineColumns: typed }))
    writer.addLine('{"t":"x"}')
    await writer.close()
    expect(existsSync(`${path}.parts`)).toBe(false)
    expect(readFileSync(path)).toHaveLength(0)
  })

  test('throws on a line that is no JSON, and on a folder that is there already', async () => {
    const path = join(newFolder(), 'out.parquet')
    const deps = depsOf(path, { lineColumns: typed })
    const writer = await openParquetWriter(deps)
    await expect(openParquetWriter(deps)).rejects.toThrow(/EEXIST/)
    writer.addLine('{"t":')
    await expect(writer.end()).rejects.toThrow(/JSON/i)
    await writer.close()
  })
})

describe('Thrift', () => {
  const footer = async (): Promise<Buffer> => {
    const path = join(newFolder(), 'in.parquet')
    const rows = `SELECT 'row ' || i AS name, i AS number FROM range(100) t(i)`
    await withDuckDb((duckDb) => duckDb.run(`COPY (${rows}) TO ${sqlPath(path)} (FORMAT parquet)`))
    const bytes = readFileSync(path)
    return bytes.subarray(-8 - bytes.readUInt32LE(bytes.length - 8), -8)
  }

  test('of a footer gives the same bytes again', async () => {
    const bytes = await footer()
    expect(writeThrift(readThrift(bytes)).equals(bytes)).toBe(true)
  })

  test('that ends too early, or holds what nobody knows, is refused', async () => {
    for (const bytes of [(await footer()).subarray(0, -20), Buffer.from([0x1e])])
      expect(() => readThrift(bytes)).toThrow(/Thrift|range/)
  })
})

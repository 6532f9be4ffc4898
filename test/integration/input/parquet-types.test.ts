import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openInput } from '../../../src/pipeline/input/input.js'
import { quoteSqlPath } from '../../../src/parquet/duckdb.js'
import { isThriftList, readThrift, writeThrift, type ThriftStruct } from '../../../src/parquet/thrift.js'
import { newFolder, withDuckDb } from '../output/support.js'

const folder = newFolder()
let fileCount = 0

async function writeParquet(select: string): Promise<string> {
  const path = join(folder, `${fileCount++}.parquet`)
  await withDuckDb((duckDb) => duckDb.run(`COPY (${select}) TO ${quoteSqlPath(path)} (FORMAT parquet)`))
  return path
}

async function read(...paths: readonly string[]) {
  const input = await openInput({ spoolFolder: join(folder, 'spool'), paths })
  try {
    const texts: (readonly (string | null)[])[] = []
    for await (const batch of input.rows.texts()) texts.push(...batch)
    const objects: Record<string, unknown>[] = []
    for await (const batch of input.rows.objects())
      objects.push(...batch.map((text) => JSON.parse(text) as Record<string, unknown>))
    const cells: (readonly unknown[])[] = []
    for await (const batch of input.rows.cells()) cells.push(...batch)
    const source = input.rows.parquet()
    const types = source.kind === 'relation' ? source.columns.map(({ type }) => type) : []
    return { texts, objects, cells, types, notes: input.listNotes() }
  } finally {
    await input.close()
  }
}

/** Bytes as a literal of DuckDB. */
const bytes = (text: string) =>
  `'${[...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'::BLOB`

describe('columns of bytes, as older writers store text', () => {
  test('are text in every form if all values are text', async () => {
    const path = await writeParquet(`SELECT ${bytes('Nestlé S.A.')} AS name UNION ALL SELECT NULL`)
    const { texts, objects, cells, types, notes } = await read(path)
    expect(texts).toEqual([['Nestlé S.A.'], [null]])
    expect(objects).toEqual([{ name: 'Nestlé S.A.' }, { name: null }])
    expect(cells).toEqual([['Nestlé S.A.'], [null]])
    expect(types).toEqual(['VARCHAR'])
    expect(notes).toEqual(['columns of bytes that contain text are read as text: "name"'])
  })

  test('stay bytes if one value is not, with the same text in every form', async () => {
    const values = [`'\\xFF'::BLOB`, bytes('é'), `'\\xED\\xA0\\x80'::BLOB`, `''::BLOB`]
    const path = await writeParquet(values.map((value) => `SELECT ${value} AS b`).join(' UNION ALL '))
    const { texts, objects, cells, types, notes } = await read(path)
    const expected = ['\\xFF', 'é', '\\xED\\xA0\\x80', '']
    expect(texts.map(([text]) => text)).toEqual(expected)
    expect(objects.map(({ b }) => b)).toEqual(expected)
    expect(cells.map(([cell]) => cell)).toEqual(expected)
    expect(types).toEqual(['BLOB'])
    expect(notes).toEqual([])
  })

  test('with a NUL, without values or with empty ones only stay bytes', async () => {
    const path = await writeParquet(`SELECT ${bytes('a\0')} AS a, NULL::BLOB AS b, ''::BLOB AS c`)
    expect((await read(path)).types).toEqual(['BLOB', 'BLOB', 'BLOB'])
  })

  test.each([
    ['first', true],
    ['last', false],
  ])('are united with text of other files: %s', async (_what, isFirst) => {
    const old = await writeParquet(`SELECT ${bytes('Nestlé')} AS name, '\\xFF'::BLOB AS raw`)
    const text = await writeParquet(`SELECT 'Zürich \\x41' AS name, '\\xFE'::BLOB AS raw`)
    const { texts, types } = await read(...(isFirst ? [old, text] : [text, old]))
    const rows = [
      ['Nestlé', '\\xFF'],
      ['Zürich \\x41', '\\xFE'],
    ]
    expect(texts).toEqual(isFirst ? rows : rows.toReversed())
    expect(types).toEqual(['VARCHAR', 'BLOB'])
  })

  test('in lists, structs and maps have the same text', async () => {
    const path = await writeParquet(
      `SELECT [${bytes('é')}, NULL, '\\xFF'::BLOB] AS l, {'a': ${bytes('é')}, 'b': [${bytes('ü')}], 'c': NULL::DOUBLE} AS s, MAP {'k': ${bytes('é')}} AS m`,
    )
    const { texts, objects } = await read(path)
    const expected = { l: ['é', null, '\\xFF'], s: { a: 'é', b: ['ü'], c: null }, m: { k: 'é' } }
    expect(objects).toEqual([expected])
    expect(texts[0]!.map((text) => JSON.parse(text!) as unknown)).toEqual(Object.values(expected))
  })

  test('that a database had stay bytes', async () => {
    const path = join(folder, `${fileCount++}.parquet`)
    await withDuckDb((duckDb) =>
      duckDb.run(
        `COPY (SELECT ${bytes('é')} AS b) TO ${quoteSqlPath(path)} (FORMAT parquet, KV_METADATA {'enrich.column_types': '{}'})`,
      ),
    )
    expect((await read(path)).types).toEqual(['BLOB'])
  })
})

test('numbers in nested values that JSON does not have are strings', async () => {
  const path = await writeParquet(
    `SELECT ['NaN'::DOUBLE, '-Infinity'::DOUBLE, 1.5, NULL] AS l, {'f': 'Infinity'::FLOAT, 't': 'NaN,Infinity'} AS s`,
  )
  const { texts, objects } = await read(path)
  const expected = { l: ['NaN', '-Infinity', 1.5, null], s: { f: 'Infinity', t: 'NaN,Infinity' } }
  expect(objects).toEqual([expected])
  expect(texts[0]!.map((text) => JSON.parse(text!) as unknown)).toEqual(Object.values(expected))
})

/** Gives the first column another logical type, or another physical one. */
function annotate(path: string, change: (element: ThriftStruct) => void): void {
  const file = readFileSync(path)
  const length = file.readUInt32LE(file.length - 8)
  const start = file.length - 8 - length
  const footer = readThrift(file.subarray(start, file.length - 8))
  const schema = footer.get(2)?.value
  if (!isThriftList(schema)) throw new Error('no schema')
  change(schema.items[1] as ThriftStruct)
  const changed = writeThrift(footer)
  const end = Buffer.alloc(4)
  end.writeUInt32LE(changed.length)
  writeFileSync(path, Buffer.concat([file.subarray(0, start), changed, end, file.subarray(file.length - 4)]))
}

const struct = (
  fields: readonly (readonly [number, number, boolean | number | ThriftStruct])[],
): ThriftStruct => new Map(fields.map(([id, type, value]) => [id, { type, value }]))

const nanoseconds = struct([[3, 12, struct([])]])
const toUtcTimestamp = struct([
  [1, 1, true],
  [2, 12, nanoseconds],
])
const toLocalTime = struct([
  [1, 2, false],
  [2, 12, nanoseconds],
])

describe('digits that are lost while reading are told', () => {
  test.each([
    ['a timestamp of UTC', struct([[8, 12, toUtcTimestamp]])],
    ['a time', struct([[7, 12, toLocalTime]])],
  ])('nanoseconds of %s', async (_what, logicalType) => {
    const path = await writeParquet('SELECT 1234567890::BIGINT AS t')
    annotate(path, (element) => {
      element.delete(6)
      element.set(10, { type: 12, value: logicalType })
    })
    expect((await read(path)).notes).toEqual([
      'times in nanoseconds are read in microseconds, and further digits are lost: "t"',
    ])
  })

  test('timestamps without a zone keep their nanoseconds, and nothing is told', async () => {
    const path = await writeParquet(`SELECT '2024-01-01 00:00:00.123456789'::TIMESTAMP_NS AS t`)
    const { texts, notes, types } = await read(path)
    expect(texts).toEqual([['2024-01-01 00:00:00.123456789']])
    expect(types).toEqual(['TIMESTAMP_NS'])
    expect(notes).toEqual([])
  })
})

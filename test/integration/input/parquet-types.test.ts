import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openInput } from '../../../src/pipeline/input/input.js'
import { quoteSqlPath } from '../../../src/parquet/duckdb.js'
import { isThriftList, readThrift, writeThrift, type ThriftStruct } from '../../../src/parquet/thrift.js'
import { newFolder, withDuckDb } from '../output/support.js'

const folder = newFolder()
let fileCount = 0

async function writeParquet(select: string, compression = 'snappy'): Promise<string> {
  const path = join(folder, `${fileCount++}.parquet`)
  await withDuckDb((duckDb) =>
    duckDb.run(`COPY (${select}) TO ${quoteSqlPath(path)} (FORMAT parquet, COMPRESSION ${compression})`),
  )
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

  test('are the same bytes at every length, whichever byte is not UTF-8', async () => {
    const values = Array.from({ length: 40 }, (_, index) => index + 1).flatMap((length) => {
      const whole = Buffer.from('Abcdefghij'.repeat(4).slice(0, length))
      const accented = Buffer.from(`${'é'.repeat(Math.floor(length / 2))}${length % 2 === 1 ? 'x' : ''}`)
      const broken = Array.from(whole, (_, at) =>
        Buffer.from(whole.map((byte, index) => (index === at ? 0xfc : byte))),
      )
      return [whole, accented, ...broken]
    })
    const expected = values.map((value) => {
      const text = value.toString('latin1')
      return value.includes(0xfc) ? text.replace('\xfc', '\\xFC') : value.toString()
    })
    const literal = (value: Buffer) => `unhex('${value.toString('hex')}')`
    const rows = values.map((value) => `(${literal(value)})`)
    const path = await writeParquet(
      `SELECT b, [b] AS l, {'b': b} AS s, MAP {'b': b} AS m FROM (VALUES ${rows.join(', ')}) v(b)`,
    )
    const { texts, objects, cells, types } = await read(path)
    expect(types[0]).toBe('BLOB')
    expect(texts.map(([text]) => text)).toEqual(expected)
    expect(cells.map(([cell]) => cell)).toEqual(expected)
    expect(objects).toEqual(expected.map((b) => ({ b, l: [b], s: { b }, m: { b } })))
    // One value is enough to keep a column of bytes.
    for (const value of values.filter((one, at) => one.includes(0xfc) && at % 50 === 0)) {
      const one = await writeParquet(`SELECT ${bytes('Alpha Works')} AS b UNION ALL SELECT ${literal(value)}`)
      expect((await read(one)).types).toEqual(['BLOB'])
    }
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
function annotate(path: string, change: (element: ThriftStruct, footer: ThriftStruct) => void): void {
  const file = readFileSync(path)
  const length = file.readUInt32LE(file.length - 8)
  const start = file.length - 8 - length
  const footer = readThrift(file.subarray(start, file.length - 8))
  const schema = footer.get(2)?.value
  if (!isThriftList(schema)) throw new Error('no schema')
  change(schema.items[1] as ThriftStruct, footer)
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

/** Writes decimals as bytes: `byteCount` of each, or as many as each needs. */
async function writeDecimals(values: readonly bigint[], scale: number, byteCount: number | null) {
  const toBytes = (value: bigint) => {
    const count = byteCount ?? 20
    const digits = BigInt.asUintN(count * 8, value)
      .toString(16)
      .padStart(count * 2, '0')
    return Buffer.from(digits, 'hex')
  }
  // A value of bytes is stored with its length, of four bytes.
  const stored = values.map((_, at) => Buffer.alloc((byteCount ?? 24) - 4, 0xa0 + at))
  const rows = stored.map((value) => `(unhex('${value.toString('hex')}'))`)
  const path = await writeParquet(`SELECT d FROM (VALUES ${rows.join(', ')}) v(d)`, 'uncompressed')
  const file = readFileSync(path)
  for (const [at, value] of values.entries()) {
    const start = file.indexOf(stored[at]!)
    toBytes(value).copy(file, byteCount === null ? start : start - 4)
  }
  writeFileSync(path, file)
  annotate(path, (element, footer) => {
    const decimal = struct([
      [1, 5, scale],
      [2, 5, 40],
    ])
    element.set(6, { type: 5, value: 5 })
    element.set(7, { type: 5, value: scale })
    element.set(8, { type: 5, value: 40 })
    element.set(10, { type: 12, value: struct([[5, 12, decimal]]) })
    if (byteCount === null) return
    element.set(1, { type: 5, value: 7 })
    element.set(2, { type: 5, value: byteCount })
    const groups = footer.get(4)!.value
    if (!isThriftList(groups)) throw new Error('no row groups')
    for (const group of groups.items as ThriftStruct[]) {
      const chunks = group.get(1)!.value
      if (!isThriftList(chunks)) throw new Error('no columns')
      for (const chunk of chunks.items as ThriftStruct[]) {
        const metadata = chunk.get(3)!.value as ThriftStruct
        metadata.set(1, { type: 5, value: 7 })
        metadata.delete(12)
      }
    }
  })
  return path
}

describe('decimals of more than 38 digits', () => {
  const values = [0n, 1n, -1n, 7n, 150n, -150n, 123456n, -225n, 123456789012345n, -123456789012345n]
  const lengths = [17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 32]
  test.each(lengths.flatMap((length) => [0, 2, 10].map((scale) => [length, scale] as const)))(
    'of %d bytes and %d decimal places have their values',
    async (length, scale) => {
      const { objects, notes } = await read(await writeDecimals(values, scale, length))
      expect(objects.map(({ d }) => Math.abs(d as number))).toEqual(
        values.map((value) => Math.abs(Number(`${value}e-${scale}`))),
      )
      expect(objects.map(({ d }) => Math.sign(d as number) || 0)).toEqual(
        values.map((value) => Math.sign(Number(value)) || 0),
      )
      expect(notes).toEqual([expect.stringContaining('decimals of more than 38 digits')])
    },
  )

  test('of any number of bytes are refused with their column', async () => {
    const path = await writeDecimals(values, 2, null)
    await expect(read(path)).rejects.toMatchObject({
      code: 'INPUT_PARQUET_INVALID',
      message: expect.stringContaining('the column "d" has decimals of more than 38 digits') as string,
    })
  })
})

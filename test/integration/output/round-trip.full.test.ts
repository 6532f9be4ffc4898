import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { reportRerun } from '../../../bench/rerun.js'
import { quoteSqlPath } from '../../../src/parquet/duckdb.js'
import { quoteSqlText } from '../../../src/core/text.js'
import { parseApart } from '../../support/tables.js'
import { convert, newFolder, readByHyparquet, readTable, withDuckDb } from './support.js'
import { forAllAsync } from '../../support/properties.js'

const folder = newFolder()
let fileCount = 0
const newPath = (extension: string) => join(folder, `f${fileCount++}.${extension}`)

/** Texts that have hurt CSV readers, spreadsheets and databases. */
const naughty = fc.constantFrom(
  '',
  ' ',
  '"',
  '""',
  'a"b',
  ',',
  '\t',
  '\n',
  '\r',
  '\r\n',
  'line\nbreak\r\n',
  '007',
  '-0',
  '1e400',
  '9223372036854775808',
  '0.1000',
  '=1+1',
  '@x',
  'null',
  'NULL',
  'true',
  '\\N',
  '\\',
  "'",
  '{"a":1}',
  '\ufeff',
  '\u2028',
  'e\u0301',
  '👩‍👩‍👧',
  '\u0001\u007f\u0085',
  '__proto__',
  '2024-01-01',
)
const cell = fc.oneof(
  naughty,
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
)
const table = fc.integer({ min: 1, max: 5 }).chain((width) =>
  fc.record({
    header: fc
      .array(cell, { minLength: width, maxLength: width })
      .map((cells) => cells.map((text, index) => `${index} ${text}`)),
    rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
  }),
)

const quoteAll = (rows: readonly (readonly string[])[], end: string, delimiter = ',') =>
  rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(delimiter) + end).join('')

describe('every cell of a CSV comes out as it went in', () => {
  const written = (header: string[], rows: string[][]) => {
    const path = newPath('csv')
    writeFileSync(path, quoteAll([header, ...rows], '\n'))
    return path
  }

  test('in CSV', async () => {
    await forAllAsync(60, [table], async ({ header, rows }) => {
      const output = newPath('csv')
      await convert({ input: { paths: [written(header, rows)] }, output, basis: 'none' })
      const records: string[][] = parse(readFileSync(output))
      expect(records.map((record) => record.slice(0, header.length))).toEqual([header, ...rows])
    })
  })

  test('in Parquet, as text', async () => {
    await forAllAsync(40, [table], async ({ header, rows }) => {
      const output = newPath('parquet')
      await convert({ input: { paths: [written(header, rows)] }, output })
      const read = await readByHyparquet(output)
      // That reader drops a byte order mark at the start of a text.
      const expected = rows.map((row) => row.map((text) => text.replace(/^\ufeff/, '')))
      expect(read.rows.map((row) => header.map((name) => row[name]))).toEqual(expected)
    })
  })

  test('in NDJSON, as strings', async () => {
    await forAllAsync(60, [table], async ({ header, rows }) => {
      const output = newPath('ndjson')
      await convert({ input: { paths: [written(header, rows)] }, output })
      const objects = readFileSync(output, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => parseApart(line) as Record<string, string>)
      expect(objects.map((object) => header.map((name) => object[name]))).toEqual(rows)
    })
  })

  test('whatever delimiter and line ends it has', async () => {
    await forAllAsync(
      60,
      [table, fc.constantFrom(',', ';', '\t', '|'), fc.constantFrom('\n', '\r\n', '\r')],
      async ({ header, rows }, delimiter, end) => {
        const path = newPath('csv')
        writeFileSync(path, `\ufeff${quoteAll([header, ...rows], end, delimiter)}`)
        expect(await readTable(path)).toEqual({ columns: header, rows })
      },
    )
  })
})

describe('every value of NDJSON comes out as it went in', () => {
  const value = fc.oneof(
    cell,
    fc.constantFrom('\ud800', 'x\udc00\u0000'),
    fc.jsonValue(),
    fc.maxSafeInteger(),
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String),
  )
  const objects = fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), value, { maxKeys: 4 }), {
    minLength: 1,
    maxLength: 6,
  })

  test('in NDJSON, to the digit', async () => {
    await forAllAsync(60, [objects], async (rows) => {
      const lines = [{ first: 'x', big: 1 }, ...rows].map((row) => JSON.stringify(row))
      const long = '{"first":"x","big":12345678901234567890.10}'
      const path = newPath('ndjson')
      writeFileSync(path, [...lines, long].join('\n'))
      const output = newPath('ndjson')
      await convert({ input: { paths: [path] }, output })
      const out = readFileSync(output, 'utf8').trimEnd().split('\n')
      const theirs = out.map((line) => line.slice(0, line.indexOf('"enrich_status"')).replace(/,$/, '') + '}')
      expect(theirs).toEqual([...lines, long])
    })
  })

  test('in Parquet, typed where a type keeps every value', async () => {
    const path = newPath('ndjson')
    writeFileSync(
      path,
      [
        '{"name":"A","int":9223372036854775807,"num":0.5,"flag":true,"nest":{"a":1.10},"mix":"x","big":9223372036854775808,"none":null}',
        '{"name":"\\ud83d\\ude00\\ud800","int":-9223372036854775808,"num":1,"flag":false,"nest":[1,"\\udfff\\\\ud800"],"mix":1.0,"new":"n"}',
        '{}',
      ].join('\n'),
    )
    const output = newPath('parquet')
    await convert({ input: { paths: [path] }, output })
    const { types, rows } = await withDuckDb(async (duckDb) => ({
      types: await duckDb.all(
        `SELECT column_type FROM (DESCRIBE SELECT * FROM ${quoteSqlPath(output)}) LIMIT 9`,
      ),
      rows: await duckDb.all(
        `SELECT name, int, num, flag, nest::VARCHAR, mix::VARCHAR, big::VARCHAR, "none", "new" FROM ${quoteSqlPath(output)}`,
      ),
    }))
    expect(types.flat()).toEqual('VARCHAR BIGINT DOUBLE BOOLEAN JSON JSON JSON VARCHAR VARCHAR'.split(' '))
    expect(rows).toEqual([
      ['A', 9223372036854775807n, 0.5, true, '{"a":1.10}', '"x"', '9223372036854775808', null, null],
      ['😀\ufffd', -9223372036854775808n, 1, false, '[1,"\\ufffd\\\\ud800"]', '1.0', null, null, 'n'],
      [null, null, null, null, null, null, null, null, null],
    ])
  })
})

describe('every value of Parquet comes out as it went in', () => {
  const int64 = fc.oneof(
    fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n),
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  )
  const micros = fc.bigInt(-62_135_596_800_000_000n, 253_402_300_799_999_999n)
  const row = fc.tuple(
    int64.map((value) => `'${value}'::BIGINT`),
    fc.bigInt(-(10n ** 37n), 10n ** 37n).map((value) => `'${value}'::DECIMAL(38, 0)`),
    fc.integer().map((value) => `(${value} / 1000)::DECIMAL(18, 4)`),
    micros.map((value) => `make_timestamp(${value})`),
    micros.map((value) => `make_timestamp(${value})::DATE`),
    fc.boolean().map(String),
    // Bytes that are all text are read as text. FF never occurs in text.
    fc.uint8Array({ maxLength: 8 }).map((bytes) => `unhex('${Buffer.from(bytes).toString('hex')}FF')`),
    cell.map((text) => quoteSqlText(text)),
    fc.double().map((value) => (Number.isFinite(value) ? `${value}::DOUBLE` : `'${value}'::DOUBLE`)),
    fc.array(cell, { maxLength: 3 }).map((texts) => `[${texts.map(quoteSqlText).join(', ')}]::VARCHAR[]`),
    fc.tuple(int64, cell).map(([number, text]) => `{'n': '${number}'::BIGINT, 't': ${quoteSqlText(text)}}`),
  )
  const columns = 'name, "dec imal", price, moment, day, flag, bytes, text, number, list, struct'

  async function source(rows: readonly (readonly string[])[]): Promise<string> {
    const path = newPath('parquet')
    const values = rows.map(
      (cells) => `SELECT ${cells.map((sql, index) => `${sql} AS c${index}`).join(', ')}`,
    )
    const sql = `SELECT * FROM (${values.join(' UNION ALL ')}) AS t(${columns})`
    await withDuckDb((duckDb) => duckDb.run(`COPY (${sql}) TO ${quoteSqlPath(path)} (FORMAT parquet)`))
    return path
  }

  test('in Parquet, with its type', async () => {
    await forAllAsync(25, [fc.array(row, { minLength: 1, maxLength: 5 })], async (rows) => {
      const path = await source(rows)
      const output = newPath('parquet')
      await convert({ input: { paths: [path] }, output })
      const read = (from: string) =>
        withDuckDb(async (duckDb) => ({
          types: await duckDb.all(
            `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${quoteSqlPath(from)}) LIMIT 11`,
          ),
          rows: (await duckDb.all(`SELECT ${columns} FROM ${quoteSqlPath(from)}`)).map((cells) =>
            cells.map(String),
          ),
        }))
      expect(await read(output)).toEqual(await read(path))
    })
  })

  test('in NDJSON, as JSON that parses', async () => {
    await forAllAsync(30, [fc.array(row, { minLength: 1, maxLength: 5 })], async (rows) => {
      const path = await source(rows)
      const output = newPath('ndjson')
      await convert({ input: { paths: [path] }, output })
      const lines = readFileSync(output, 'utf8').trimEnd().split('\n')
      const expected = await withDuckDb((duckDb) =>
        duckDb.all(`SELECT to_json([name::VARCHAR, text] || list)::VARCHAR FROM ${quoteSqlPath(path)}`),
      )
      const out = lines.map((line) => {
        const { text, list } = JSON.parse(line) as { text: string; list: string[] }
        return [/^\{"name":(-?\d+),/.exec(line)?.[1], text, ...list]
      })
      expect(out).toEqual(expected.map(([list]) => JSON.parse(String(list)) as string[]))
    })
  })

  test('in NDJSON: JSON columns to the digit on one line, and what is no number as a string', async () => {
    const path = newPath('parquet')
    const json = `E'{"x":\\n12345678901234567890123.10}'::JSON AS "a ""b"`
    const sql = `SELECT ${json}, {'f': 'nan'::DOUBLE, 'l': ['-inf'::FLOAT]} AS s, 'NaN "Infinity' AS t, NULL::JSON AS n`
    await withDuckDb((duckDb) => duckDb.run(`COPY (${sql}) TO ${quoteSqlPath(path)} (FORMAT parquet)`))
    const output = newPath('ndjson')
    await convert({ input: { paths: [path] }, output })
    expect(readFileSync(output, 'utf8').slice(0, readFileSync(output, 'utf8').indexOf(',"enrich_'))).toBe(
      '{"a \\"b":{"x": 12345678901234567890123.10},"s":{"f":"NaN","l":["-Infinity"]},"t":"NaN \\"Infinity","n":null',
    )
  })

  test('in CSV, in the text form of its type', async () => {
    const path = await source([
      [
        '9007199254740993::BIGINT',
        '12345678901234567890123456789012345678::HUGEINT::DECIMAL(38, 0)',
        '1.5::DECIMAL(18, 4)',
        "TIMESTAMP '2024-02-29 23:59:59.000001'",
        "DATE '2024-02-29'",
        'true',
        "unhex('00ff41')",
        "'007'",
        "'nan'::DOUBLE",
        "['a', NULL]",
        "{'n': 1::BIGINT, 't': 'x'}",
      ],
    ])
    const output = newPath('csv')
    await convert({ input: { paths: [path] }, output, basis: 'none' })
    expect((await readTable(output)).rows[0]?.slice(0, 11)).toEqual([
      '9007199254740993',
      '12345678901234567890123456789012345678',
      '1.5000',
      '2024-02-29 23:59:59.000001',
      '2024-02-29',
      'true',
      '\\x00\\xFFA',
      '007',
      'nan',
      '["a",null]',
      '{"n":1,"t":"x"}',
    ])
  })
})

test.each(['csv', 'parquet'] as const)(
  'a run over known answers from %s writes the cells of a join in DuckDB, in the order of the rows',
  async (format) => {
    vi.stubEnv('TMPDIR', folder)
    try {
      const said: string[] = []
      const shape = { rowCount: 1_000, isDistinct: false, extraColumnCount: 2 }
      await reportRerun((line) => said.push(line), shape, [format])
      expect(said.filter((line) => line.includes('outputs alike'))).toHaveLength(1)
    } finally {
      vi.unstubAllEnvs()
    }
  },
)

import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { companiesCsv, createPlace, fixture, type CliOptions, type CliPlace } from '../support/cli.js'
import { bad, type BadCase, expectRefusal, run, write } from '../support/refusal.js'
import { queryDuckDb, rowsOfCsv } from '../support/tables.js'

const parquet = () => readFileSync(fixture('companies.parquet'))

/** The fixture with a byte turned in the middle of its rows; its footer is whole. */
function damagedParquet(): Buffer {
  const bytes = parquet()
  for (let at = 200; at < 1_200; at++) bytes[at] = bytes[at]! ^ 0x5a
  return bytes
}

/** A Parquet file whose footer names another codec than the one it is packed with. */
const withCodec = (codec: number) => async (place: CliPlace) => {
  const path = place.path('in.parquet')
  await queryDuckDb(
    `COPY (SELECT 'Acme' AS company_name) TO '${path}' (FORMAT parquet, COMPRESSION uncompressed)`,
  )
  const bytes = readFileSync(path)
  // Of the column's metadata: the end of its path, then field 4 (codec, i32) with value 0, then field 5.
  const mark = Buffer.from('company_name\x15\x00\x16', 'latin1')
  const found = bytes.lastIndexOf(mark)
  expect(found).toBeGreaterThan(0)
  bytes[found + mark.length - 2] = codec * 2 // zigzag
  writeFileSync(path, bytes)
}

const gzipped = gzipSync(companiesCsv(Array.from({ length: 5_000 }, (_, index) => `Company ${index}`)))

const inputs: readonly BadCase[] = [
  bad('a missing file', 'INPUT_NOT_FOUND', /nothere\.csv/, { args: ['nothere.csv', '-o', 'out.csv'] }),
  bad('no input at all', 'USAGE_INVALID', /companies\.csv/, { args: ['-o', 'out.csv'] }),
  {
    title: 'no name column',
    code: 'INPUT_COLUMN_MISSING',
    says: /--name-column[^]*kode, ort/,
    prepare: write('in.csv', 'kode,ort\nAcme,Lyon\n'),
  },
  {
    title: 'a name column that is not there',
    code: 'INPUT_COLUMN_MISSING',
    says: /"firma" \(--name-column\)[^]*hint: it has: company_name, city/,
    args: [...run, '--name-column', 'firma'],
  },
  ...(
    [
      ['name', 'firma', '--name-column'],
      ['location', ['firma'], '--location-columns'],
      ['context', ['firma'], '--context-columns'],
      ['identifiers', { lei: 'firma' }, '--id-columns'],
    ] as const
  ).map(([key, value, flag]): BadCase => ({
    title: `a ${key} column of the config that is not there`,
    code: 'INPUT_COLUMN_MISSING',
    says: new RegExp(`"firma" \\(input.columns.${key} in my.json\\)[^]*pass ${flag}; it has: company_name`),
    prepare: write('my.json', JSON.stringify({ input: { columns: { [key]: value } } })),
    args: [...run, '--config', 'my.json'],
  })),
  bad('a name column that a flag sets over the config', 'INPUT_COLUMN_MISSING', /"kode" \(--name-column\)/, {
    prepare: write('pipeline.config.json', '{"input":{"columns":{"name":"firma"}}}'),
    args: [...run, '--name-column', 'kode'],
  }),
  bad(
    'a column of row keys of the config that is not there',
    'INPUT_COLUMN_MISSING',
    /"id" \(input.rowKey in pipeline.config.json\)[^]*pass --row-key/,
    { prepare: write('pipeline.config.json', '{"input":{"rowKey":"id"}}') },
  ),
  bad('a spreadsheet that is called .csv', 'INPUT_FORMAT_WRONG', /zip archive[^]*unpack/, {
    prepare: write('in.csv', Buffer.from('504b0304140006000800000021000000', 'hex')),
  }),
  bad('a spreadsheet that was cut', 'INPUT_COMPRESSION_CORRUPT', /not a valid zip/i, {
    prepare: write('in.xlsx', Buffer.from('504b0304140006000800000021000000', 'hex')),
    args: ['in.xlsx', '-o', 'out.csv'],
  }),
  bad('a Parquet file that is called .csv', 'INPUT_FORMAT_WRONG', /Parquet[^]*--input-format parquet/, {
    prepare: (place) => {
      place.write('in.csv', parquet())
    },
  }),
  bad('a wrong encoding', 'INPUT_ENCODING_WRONG', /--encoding/, {
    prepare: write('in.csv', Buffer.from('name,city\nM\xfcller,K\xf6ln\n', 'latin1')),
    args: [...run, '--encoding', 'utf-8'],
  }),
  bad('UTF-8 where another encoding is stated', 'INPUT_ENCODING_WRONG', /is UTF-8.*leave out --encoding/s, {
    prepare: write('in.csv', 'Razón social,Ciudad\nLarkmoor,Córdoba\n'),
    args: [...run, '--encoding', 'windows-1252'],
  }),
  bad(
    'a line of NDJSON that is not valid JSON',
    'INPUT_JSON_INVALID',
    /line 2 of in\.ndjson is not a JSON object: its syntax is wrong/,
    {
      prepare: write('in.ndjson', '{"name":"Acme"}\n{"name":"Bolt" Planted}\n'),
      args: ['in.ndjson', '-o', 'out.csv'],
    },
  ),
  bad(
    'a query of DuckDB with a missing column',
    'QUERY_REFUSED',
    /the column colour does not exist[^]*hint: names there: name/,
    {
      prepare: async (place) => {
        place.write('query.sql', 'SELECT colour FROM t')
        await queryDuckDb(
          `ATTACH '${place.path('t.duckdb')}' AS t; CREATE TABLE t.t AS SELECT 'Acme' AS name`,
        )
      },
      args: ['duckdb:t.duckdb', '--query', 'query.sql', '-o', 'out.csv'],
    },
  ),
  bad('a corrupt Parquet file', 'INPUT_PARQUET_INVALID', /in\.parquet/, {
    prepare: (place) => {
      place.write('in.parquet', damagedParquet())
    },
    args: ['in.parquet', '-o', 'out.csv'],
  }),
  bad('a codec that is not read here', 'INPUT_PARQUET_INVALID', /LZO[^]*zstd or snappy/, {
    prepare: withCodec(3),
    args: ['in.parquet', '-o', 'out.csv'],
  }),
  bad('gzip that was cut short', 'INPUT_COMPRESSION_CORRUPT', /truncated/, {
    prepare: write('in.csv.gz', gzipped.subarray(0, gzipped.length - 200)),
    args: ['in.csv.gz', '-o', 'out.csv'],
  }),
]

describe('a bad input is refused; nothing is submitted, nothing is left', () => {
  test.concurrent.for(inputs)('$title', async (bad, context) => {
    await expectRefusal(bad, context)
  })
})

describe('is refused within bounded memory', () => {
  const kilobytesMax = 400 * 1024
  const isTimed = existsSync('/usr/bin/time')
  const bounded: CliOptions = {
    nodeFlags: ['--max-old-space-size=256'],
    ...(isTimed ? { wrapper: ['/usr/bin/time', '-f', 'peak %M'] } : {}),
  }
  const field = (place: CliPlace, name: string, head: string, tail: string) => {
    const file = openSync(place.path(name), 'w')
    writeSync(file, head)
    const block = Buffer.alloc(1024 * 1024, 'x')
    for (let mebibyte = 0; mebibyte < 100; mebibyte++) writeSync(file, block)
    writeSync(file, tail)
    closeSync(file)
  }
  const manyColumns = Array.from({ length: 1_000_000 }, (_, index) => `c${index}`)

  const cases: readonly BadCase[] = [
    bad('a field of 100 MB', 'INPUT_RECORD_TOO_LARGE', /line 2/, {
      prepare: (place) => {
        field(place, 'in.csv', 'name,city\nAcme,', '\n')
      },
    }),
    bad('a JSON text of 100 MB', 'INPUT_RECORD_TOO_LARGE', /line 1/, {
      prepare: (place) => {
        field(place, 'in.ndjson', '{"name":"', '"}\n')
      },
      args: ['in.ndjson', '-o', 'out.csv'],
    }),
    {
      title: 'a million keys',
      code: 'INPUT_COLUMNS_TOO_MANY',
      says: /10,?000/,
      prepare: write('in.ndjson', `{"name":"Acme",${manyColumns.map((name) => `"${name}":1`).join(',')}}\n`),
      args: ['in.ndjson', '-o', 'out.csv'],
    },
  ]
  test.for(cases)('$title', async (bad, context) => {
    const said = await expectRefusal(bad, context, bounded)
    if (isTimed) expect(Number(/peak (\d+)/.exec(said)?.[1])).toBeLessThan(kilobytesMax)
  })
})

test('a name that is blank or one character is invalid on its row alone', async () => {
  const place = createPlace()
  place.write('in.csv', 'company_name\nApple Inc.\n" "\nX\nMicrosoft Corporation\n')
  const { code } = await place.run(['in.csv', '-o', 'out.csv'])
  const rows = rowsOfCsv(place.read('out.csv'))
  expect(code).toBe(0)
  expect(rows.map((row) => row['company_name'])).toEqual(['Apple Inc.', ' ', 'X', 'Microsoft Corporation'])
  expect(rows.map((row) => row['enrich_status'] === 'invalid_input')).toEqual([false, true, true, false])
})

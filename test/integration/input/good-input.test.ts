import { createRequire } from 'node:module'
import { appendFileSync, existsSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openInput, type InputOptions } from '../../../src/pipeline/input/input.js'
import { quoteSqlPath } from '../../../src/parquet/duckdb.js'
import { convert, newFolder, readTable, withDuckDb } from '../output/support.js'

const folder = newFolder()

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function read(options: Partial<InputOptions> & { paths: readonly string[] }) {
  const input = await openInput({ spoolFolder: join(folder, 'spool'), ...options })
  try {
    const before = input.columns
    const rows: (string | null)[][] = []
    for await (const batch of input.rows.keys(before)) rows.push(...batch.map((row) => [...row]))
    return { before, columns: input.columns, rows, notes: input.listNotes() }
  } finally {
    await input.close()
  }
}

describe('encodings', () => {
  const text = 'name,ort\nMüller,Köln\nBéla,Łódź\n'
  const rows = [
    ['Müller', 'Köln'],
    ['Béla', 'Łódź'],
  ]
  const utf16 = Buffer.from(text, 'utf16le')
  const swapped = Buffer.from(utf16).swap16()
  const cases: [what: string, bytes: Buffer, note: RegExp | null][] = [
    ['UTF-8', Buffer.from(text), null],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`), null],
    ['UTF-16LE with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), /utf-16le/],
    ['UTF-16BE with a byte order mark', Buffer.concat([Buffer.from([0xfe, 0xff]), swapped]), /utf-16be/],
    ['UTF-16LE without one', utf16, /utf-16le, detected by/],
    ['UTF-16BE without one', swapped, /utf-16be, detected by/],
  ]
  test.each(cases)('%s is found out', async (what, bytes, note) => {
    const table = await read({ paths: [file(`${what}.csv`, bytes)] })
    expect(table.columns).toEqual(['name', 'ort'])
    expect(table.rows).toEqual(rows)
    expect(table.notes).toEqual(note === null ? [] : [expect.stringMatching(note)])
  })

  test('what is not UTF-8 is read as windows-1252, and that is told', async () => {
    const path = file('latin.csv', Buffer.from('name\nM\xfcller \x80 \x93x\x94\n', 'latin1'))
    const table = await read({ paths: [path] })
    expect(table.rows).toEqual([['Müller € “x”']])
    expect(table.notes).toEqual([expect.stringMatching(/latin\.csv.*windows-1252.*"Müller € “x”"/)])
    expect((await read({ paths: [path], encoding: 'latin1' })).notes).toEqual([])
  })

  test('a character on the edge of a chunk is whole', async () => {
    const names = Array.from({ length: 60_000 }, (_, index) => [`${'x'.repeat(index % 4)}é€😀${index}`])
    const text = `name\n${names.join('\n')}\n`
    for (const [name, bytes] of [
      ['edge8.csv', Buffer.from(text)],
      ['edge16.csv', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ] as const) {
      expect((await read({ paths: [file(name, bytes)] })).rows).toEqual(names)
    }
  })
})

describe('delimiters', () => {
  test.each([',', ';', '\t', '|'])('%j is found', async (delimiter) => {
    const text = [
      `name${delimiter}"a,b;c|d\te"`,
      `"x ""y""${delimiter}z"${delimiter}1`,
      `b${delimiter}2`,
    ].join('\n')
    const { columns, rows } = await read({ paths: [file('d.csv', text)] })
    expect(columns).toEqual(['name', 'a,b;c|d\te'])
    expect(rows).toEqual([
      [`x "y"${delimiter}z`, '1'],
      ['b', '2'],
    ])
  })

  test('a .tsv is cut at tabs, whatever else stands in it', async () => {
    expect((await read({ paths: [file('t.tsv', 'name,x;y\tb,c;d\nA,B;C\t1,2;3\n')] })).columns).toEqual([
      'name,x;y',
      'b,c;d',
    ])
  })

  test('the one that is given holds', async () => {
    expect((await read({ paths: [file('given.csv', 'a;b,c\n1;2,3\n')], delimiter: ',' })).columns).toEqual([
      'a;b',
      'c',
    ])
  })

  test('one column needs none', async () => {
    expect((await read({ paths: [file('one.csv', 'name\nAcme Ltd\n"Foo, Bar"\n')] })).rows).toEqual([
      ['Acme Ltd'],
      ['Foo, Bar'],
    ])
  })
})

describe('ragged and odd tables', () => {
  test('a short row is padded, extra cells get columns, and both are told with their lines', async () => {
    const text = 'name,ort\r\n"a\r\nb",1\r\n\r\nshort\r\nlong,2,"x",y\r\n,\r\n'
    const table = await read({ paths: [file('ragged.csv', text)] })
    expect(table.before).toEqual(['name', 'ort'])
    expect(table.columns).toEqual(['name', 'ort', 'column_3', 'column_4'])
    expect(table.rows).toEqual([
      ['a\r\nb', '1'],
      ['short', ''],
      ['long', '2'],
      ['', ''],
    ])
    expect(table.notes).toEqual([
      expect.stringMatching(/1 row has fewer.*\(line 5\)/),
      expect.stringMatching(/1 row has more.*\(line 6\)/),
    ])
    const output = join(folder, 'ragged-out.csv')
    await convert({ input: { paths: [join(folder, 'ragged.csv')] }, output, basis: 'none' })
    const out = await readTable(output)
    expect(out.columns.slice(0, 5)).toEqual(['name', 'ort', 'column_3', 'column_4', 'enrich_status'])
    expect(out.rows[2]?.slice(0, 4)).toEqual(['long', '2', 'x', 'y'])
  })

  test('only the first lines of many are named', async () => {
    const { notes } = await read({ paths: [file('many.csv', `a,b\n${'x\n'.repeat(8)}`)] })
    expect(notes).toEqual([expect.stringMatching(/8 rows have fewer.*\(line 2, 3, 4, 5, 6, …\)/)])
  })

  test('a column without a name gets one that is free', async () => {
    const { columns } = await read({ paths: [file('unnamed.csv', 'name,,column_2,\na,b,c,d\n')] })
    expect(columns).toEqual(['name', 'column_2_2', 'column_2', 'column_4'])
  })

  test('columns named like parts of an object are columns', async () => {
    const header = ['__proto__', 'constructor', 'toString']
    const csv = await read({ paths: [file('proto.csv', `${header.join(',')}\n1,2,3\n`)] })
    expect(csv).toMatchObject({ columns: header, rows: [['1', '2', '3']] })
    const ndjson = await read({
      paths: [file('proto.ndjson', '{"__proto__":"1","constructor":"2","toString":"3"}\n')],
    })
    expect(ndjson).toMatchObject({ columns: header, rows: [['1', '2', '3']] })
  })

  test('NDJSON values are text: strings as they are, the rest as its JSON, to the digit', async () => {
    const path = file(
      'values.ndjson',
      '\ufeff{"a":"x\\u00e9","b":1.10,"c":12345678901234567890}\r\n\r\n {"d":{"k":[1.0, "]}"]},"a":null,"b":false}',
    )
    const { columns, rows } = await read({ paths: [path] })
    expect(columns).toEqual(['a', 'b', 'c', 'd'])
    expect(rows).toEqual([
      ['xé', '1.10', '12345678901234567890', null],
      [null, 'false', null, '{"k":[1.0, "]}"]}'],
    ])
  })
})

describe('compressed files', () => {
  test('a gzip of several members is read to its end', async () => {
    const members = Array.from({ length: 50 }, (_, index) =>
      gzipSync(`${index === 0 ? 'name\n' : ''}${`row ${index}\n`.repeat(3_000)}`),
    )
    const { rows } = await read({
      paths: [file('members.csv.gz', Buffer.concat([...members, Buffer.alloc(512)]))],
    })
    expect(rows.length).toBe(150_000)
    expect(rows.at(-1)).toEqual(['row 49'])
  })

  test('zstd is read, also of several frames, with and without checksum', async () => {
    // Made with the zstd command line tool.
    const one = Buffer.from('KLUv/QRoIQEAbmFtZSxjaXR5CkFjbWUsIkvDtmxuIgpCw6liw6ksUGFyaXMKyOkijw==', 'base64')
    const two = Buffer.from('KLUv/QRYWQAAbmFtZQpmaXJzdArSCd4WKLUv/QBYOQAAc2Vjb25kCg==', 'base64')
    expect((await read({ paths: [file('one.csv.zst', one)] })).rows).toEqual([
      ['Acme', 'Köln'],
      ['Bébé', 'Paris'],
    ])
    expect((await read({ paths: [file('two.csv.zst', two)] })).rows).toEqual([['first'], ['second']])
    const wrong = Buffer.from(one)
    wrong[wrong.length - 1] = 0
    await expect(read({ paths: [file('wrong.csv.zst', wrong)] })).rejects.toMatchObject({
      code: 'INPUT_COMPRESSION_CORRUPT',
    })
    const cut = one.subarray(0, -5)
    await expect(read({ paths: [file('cut.csv.zst', cut)] })).rejects.toMatchObject({
      code: 'INPUT_COMPRESSION_CORRUPT',
    })
  })

  test('zstd of many blocks is read whole', async () => {
    const path = join(folder, 'blocks.ndjson.zst')
    const sql = `SELECT i AS id, 'name ' || hash(i) AS name FROM range(100000) t(i)`
    await withDuckDb((duckDb) =>
      duckDb.run(`COPY (${sql}) TO ${quoteSqlPath(path)} (FORMAT json, COMPRESSION zstd)`),
    )
    const { rows } = await read({ paths: [path] })
    expect(rows.length).toBe(100_000)
    expect(rows.at(-1)?.[0]).toBe('99999')
  })
})

describe('several files', () => {
  test('are one table: columns united by name, rows in order', async () => {
    const paths = [file('m1.csv', 'name,a\nx,1\n'), file('m2.csv', 'b;name\n2;y\n')]
    const { columns, rows } = await read({ paths })
    expect(columns).toEqual(['name', 'a', 'b'])
    expect(rows).toEqual([
      ['x', '1', null],
      ['y', null, '2'],
    ])
  })

  test('of a glob come in the order of their names', async () => {
    for (const name of ['g2', 'g10', 'g1']) file(`${name}.ndjson`, `{"name":"${name}"}\n`)
    expect((await read({ paths: [join(folder, 'g*.ndjson')] })).rows).toEqual([['g1'], ['g10'], ['g2']])
  })

  test('a file whose name looks like a pattern is taken literally, in every format', async () => {
    file('b1.csv', 'name\nwrong\n')
    expect((await read({ paths: [file('b[1].csv', 'name\nright\n')] })).rows).toEqual([['right']])
    const path = join(folder, "p[1]*?'.parquet")
    await withDuckDb((duckDb) =>
      duckDb.run(
        `COPY (SELECT 'right' AS name) TO ${quoteSqlPath(join(folder, 'p.parquet'))} (FORMAT parquet)`,
      ),
    )
    renameSync(join(folder, 'p.parquet'), path)
    expect((await read({ paths: [path] })).rows).toEqual([['right']])
  })

  test('of Parquet are united too', async () => {
    const [one, two] = [join(folder, 'u1.parquet'), join(folder, 'u2.parquet')]
    await withDuckDb(async (duckDb) => {
      await duckDb.run(`COPY (SELECT 'x' AS name, 1 AS a) TO ${quoteSqlPath(one)} (FORMAT parquet)`)
      await duckDb.run(`COPY (SELECT 2 AS b, 'y' AS name) TO ${quoteSqlPath(two)} (FORMAT parquet)`)
    })
    const { columns, rows } = await read({ paths: [one, two] })
    expect(columns).toEqual(['name', 'a', 'b'])
    expect(rows).toEqual([
      ['x', '1', null],
      ['y', null, '2'],
    ])
  })
})

describe('an input', () => {
  test('from standard input is kept for a second reading, and removed when closed', async () => {
    const spoolFolder = join(folder, 'kept')
    const stdin = Readable.from([Buffer.from('name\na\n'), Buffer.from('b\n')])
    const input = await openInput({ paths: ['-'], format: 'csv', spoolFolder }, { stdin })
    for (let pass = 0; pass < 2; pass++) {
      const rows: unknown[] = []
      for await (const batch of input.rows.keys(['name'])) rows.push(...batch)
      expect(rows).toEqual([['a'], ['b']])
    }
    expect(readdirSync(spoolFolder).length).toBe(1)
    await input.close()
    expect(readdirSync(spoolFolder)).toEqual([])
  })

  test.each(['csv', 'ndjson'] as const)('is read no further than its limit (%s)', async (format) => {
    const path = file(
      `limit.${format}`,
      format === 'csv' ? 'name\na\nb\n"c\n' : '{"name":"a"}\n{"name":"b"}\n{"c"\n',
    )
    expect((await read({ paths: [path], rowsMax: 2 })).rows).toEqual([['a'], ['b']])
  })

  test('that changes while it is used is noticed', async () => {
    const path = file('changing.csv', 'name\na\n')
    const input = await openInput({ paths: [path], spoolFolder: folder })
    input.identity.assertUnchanged()
    appendFileSync(path, 'b\n')
    expect(() => {
      input.identity.assertUnchanged()
    }).toThrow(expect.objectContaining({ code: 'INPUT_CHANGED' }))
  })

  test('has the fingerprint of its content, not of its name or time', async () => {
    const fingerprint = async (path: string) => {
      const input = await openInput({ paths: [path], spoolFolder: folder })
      try {
        return await input.identity.hashContent()
      } finally {
        await input.close()
      }
    }
    const [one, copy, other] = [
      file('f1.csv', 'name\na\n'),
      file('f2.csv', 'name\na\n'),
      file('f3.csv', 'name\nb\n'),
    ]
    utimesSync(copy, 1, 1)
    expect(await fingerprint(copy)).toBe(await fingerprint(one))
    expect(await fingerprint(other)).not.toBe(await fingerprint(one))
  })

  test.skipIf(!existsSync('/proc/self/fd'))(
    'that is not read to its end closes its file',
    async () => {
      const path = file('early.csv', `name\n${'a\n'.repeat(500_000)}`)
      const open = () => readdirSync('/proc/self/fd').length
      const before = open()
      const input = await openInput({ paths: [path], spoolFolder: folder })
      for await (const batch of input.rows.keys(['name'])) {
        expect(batch.length).toBe(1_000)
        break
      }
      await input.close()
      await expect.poll(open, { timeout: 10_000 }).toBeLessThanOrEqual(before)
    },
    20_000,
  )
})

const require = createRequire(import.meta.url)

interface ParquetjsWriter {
  appendRow(row: Record<string, unknown>): Promise<void>
  close(): Promise<void>
}
interface Parquetjs {
  ParquetSchema: new (fields: Record<string, unknown>) => unknown
  ParquetWriter: { openFile(schema: unknown, path: string): Promise<ParquetjsWriter> }
}

test('a file that parquetjs-lite wrote is read right', async () => {
  const { ParquetSchema, ParquetWriter } = require('parquetjs-lite') as Parquetjs
  const schema = new ParquetSchema({
    name: { type: 'UTF8' },
    raw: { type: 'BYTE_ARRAY' },
    count: { type: 'INT64', compression: 'SNAPPY' },
    price: { type: 'DOUBLE', optional: true },
    at: { type: 'TIMESTAMP_MILLIS' },
    flag: { type: 'BOOLEAN', compression: 'GZIP' },
    tags: { type: 'UTF8', repeated: true },
  })
  const path = join(folder, 'parquetjs.parquet')
  const writer = await ParquetWriter.openFile(schema, path)
  const at = new Date('2024-02-29T12:34:56.789Z')
  await writer.appendRow({
    name: 'Köln',
    raw: Buffer.from('Zürich'),
    count: 42,
    price: 1.5,
    at,
    flag: true,
    tags: ['a', 'b'],
  })
  await writer.appendRow({ name: '', raw: Buffer.from([0xff]), count: -1, at, flag: false, tags: [] })
  await writer.close()
  const { columns, rows } = await read({ paths: [path] })
  expect(columns).toEqual(['name', 'raw', 'count', 'price', 'at', 'flag', 'tags'])
  expect(rows).toEqual([
    ['Köln', 'Zürich', '42', '1.5', expect.stringMatching(/^2024-02-29 12:34:56.789/), 'true', '["a","b"]'],
    ['', '\\xFF', '-1', null, expect.stringMatching(/^2024-02-29 12:34:56.789/), 'false', '[]'],
  ])
})

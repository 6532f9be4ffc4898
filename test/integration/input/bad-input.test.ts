import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/core/errors.js'
import { openInput, type InputAccess, type InputOptions } from '../../../src/pipeline/input/input.js'
import { quoteSqlPath } from '../../../src/parquet/duckdb.js'
import { newFolder, withDuckDb } from '../output/support.js'

const folder = newFolder()

async function failure(
  options: Partial<InputOptions> & { paths: readonly string[] },
  access: InputAccess = {},
): Promise<UserError> {
  try {
    const input = await openInput({ spoolFolder: join(folder, 'spool'), ...options }, access)
    try {
      for await (const batch of input.rows.keys(input.columns.slice(0, 1)))
        expect(batch.length).toBeGreaterThan(0)
    } finally {
      await input.close()
    }
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
  throw new Error('nothing was wrong')
}

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const zip = gzipSync(`name\n${'Acme\n'.repeat(50_000)}`)

describe('a text file that is wrong', () => {
  const cases: [what: string, name: string, content: string | Buffer, code: string, says: RegExp][] = [
    ['is empty', 'empty.csv', '', 'INPUT_EMPTY', /is empty/],
    ['is a byte order mark alone', 'bom.csv', '\ufeff', 'INPUT_EMPTY', /is empty/],
    ['has blank lines alone', 'blank.csv', '\n\r\n\n', 'INPUT_EMPTY', /is empty/],
    ['has a header alone', 'header.csv', 'name,city\n', 'INPUT_NO_ROWS', /no rows/],
    [
      'has two columns of one name',
      'twice.csv',
      'name,city,name\na,b,c\n',
      'INPUT_COLUMNS_DUPLICATE',
      /"name"/,
    ],
    ['has a NUL byte', 'nul.csv', 'name\na\nb\0c\n', 'INPUT_NUL_BYTE', /line 3/],
    ['never closes a quote', 'quote.csv', 'name,city\na,b\nc,"d\ne,f\n', 'INPUT_QUOTE_UNCLOSED', /line 3/],
    [
      'never closes a quote after CRLF',
      'crlf.csv',
      'n,c\r\n"a\r\nb",c\r\n"d\r\n\r\n',
      'INPUT_QUOTE_UNCLOSED',
      /line 4/,
    ],
    ['has a quote that a later row closes', 'close.csv', 'name\n"a\nb"c\n', 'INPUT_CSV_INVALID', /line 2/],
    ['has too many columns', 'wide.csv', `${'c,'.repeat(10_001)}\n`, 'INPUT_COLUMNS_TOO_MANY', /10000/],
    [
      'has a row that is too wide',
      'widerow.csv',
      `name\n${','.repeat(20_000)}\n`,
      'INPUT_COLUMNS_TOO_MANY',
      /10000/,
    ],
    [
      'has a huge cell',
      'huge.csv',
      `name\n${'x'.repeat(17 * 1024 * 1024)}\n`,
      'INPUT_RECORD_TOO_LARGE',
      /line 2/,
    ],
    [
      'is UTF-8 at first, and later not',
      'later.csv',
      lateLatin1(),
      'INPUT_ENCODING_MIXED',
      /not in 1: line 300003;.*"Müller"/,
    ],
    ['is a cut gzip', 'cut.csv.gz', zip.subarray(0, 100), 'INPUT_COMPRESSION_CORRUPT', /ends in the middle/],
    [
      'is a gzip that lies about its length',
      'lie.csv.gz',
      flipped(zip, -1),
      'INPUT_COMPRESSION_CORRUPT',
      /length/,
    ],
    [
      'is a gzip of a wrong checksum',
      'sum.csv.gz',
      flipped(zip, -6),
      'INPUT_COMPRESSION_CORRUPT',
      /its checksum does not match/,
    ],
    [
      'is a gzip with rubbish behind it',
      'tail.csv.gz',
      Buffer.concat([zip, Buffer.from('rubbish')]),
      'INPUT_COMPRESSION_CORRUPT',
      /./,
    ],
    ['is called gzip and is none', 'none.csv.gz', 'name\na\n', 'INPUT_COMPRESSION_CORRUPT', /not compressed/],
    [
      'is called zstd and is none',
      'none.csv.zst',
      'name\na\n',
      'INPUT_COMPRESSION_CORRUPT',
      /not compressed/,
    ],
    [
      'has a line that is no JSON',
      'bad.ndjson',
      '{"name":"a"}\n\n{"name":\n',
      'INPUT_JSON_INVALID',
      /line 3/,
    ],
    ['has a line that is a list', 'list.ndjson', '[1]\n', 'INPUT_JSON_INVALID', /line 1/],
    ['is one JSON document', 'doc.jsonl', '{\n "name": "a"\n}\n', 'INPUT_JSON_INVALID', /line 1/],
    [
      'nests a million deep',
      'deep.ndjson',
      `{"a":${'['.repeat(1e6)}${']'.repeat(1e6)}}\n`,
      'INPUT_JSON_INVALID',
      /deeper/,
    ],
    ['is empty NDJSON', 'empty.ndjson', '', 'INPUT_EMPTY', /is empty/],
    ['has no object', 'blank.ndjson', '\n\n', 'INPUT_NO_ROWS', /no object/],
    ['has a NUL byte in NDJSON', 'nul.ndjson', '{"name":"a"}\n{"name":"\0"}\n', 'INPUT_NUL_BYTE', /line 2/],
    [
      'has a line without end',
      'line.ndjson',
      `{"name":"${'x'.repeat(17 * 1024 * 1024)}"}`,
      'INPUT_RECORD_TOO_LARGE',
      /line 1/,
    ],
    ['is empty Parquet', 'empty.parquet', '', 'INPUT_EMPTY', /is empty/],
    ['is text called Parquet', 'text.parquet', 'name\na\n', 'INPUT_PARQUET_INVALID', /./],
  ]
  test.each(cases)('that %s is refused with its code and place', async (_, name, content, code, says) => {
    const error = await failure({ paths: [file(name, content)] })
    expect(error).toMatchObject({ code, exitCode: 2 })
    expect(error.message).toMatch(says)
    expect(error.message).toContain(name)
    expect(error.hint).toBeTruthy()
  })
})

/** Far behind what is UTF-8. */
function lateLatin1(): Buffer {
  return Buffer.concat([
    Buffer.from(`name\nKöln\n${'Acme\n'.repeat(300_000)}`),
    Buffer.from('M\xfcller\n', 'latin1'),
  ])
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  const index = copy.length + at
  copy[index] = (copy[index] ?? 0) ^ 0xff
  return copy
}

describe('a Parquet file that is wrong', () => {
  async function parquet(): Promise<string> {
    const path = join(mkdtempSync(join(folder, 'p-')), 'good.parquet')
    const sql = `SELECT i AS id, 'name ' || hash(i) AS name FROM range(50000) t(i)`
    await withDuckDb((duckDb) =>
      duckDb.run(`COPY (${sql}) TO ${quoteSqlPath(path)} (FORMAT parquet, COMPRESSION gzip)`),
    )
    return path
  }
  const bytesOf = async () => readFileSync(await parquet())

  test('that was cut short is refused', async () => {
    const bytes = await bytesOf()
    const path = file('short.parquet', bytes.subarray(0, bytes.length / 2))
    expect(await failure({ paths: [path] })).toMatchObject({ code: 'INPUT_PARQUET_INVALID', exitCode: 2 })
  })

  test('whose pages are damaged is refused before a row of it is used, whatever column is asked for', async () => {
    const bytes = await bytesOf()
    const middle = Math.floor(bytes.length / 2)
    bytes.fill(0xff, middle, middle + 2_000)
    const input = await openInput({ paths: [file('damaged.parquet', bytes)], spoolFolder: folder })
    const first = input.rows.keys(['id'])[Symbol.asyncIterator]()
    await expect(first.next()).rejects.toMatchObject({ code: 'INPUT_PARQUET_INVALID' })
    await input.close()
  })

  test.each([3, 63])('whose codec is number %i, which nobody knows, is refused', async (codec) => {
    const bytes = await bytesOf()
    // In the footer's Thrift: the field `codec` (gzip is 2, in zigzag 4) and the header of the field after it.
    const known = Buffer.from([0x15, 0x04, 0x16])
    const footerAt = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
    let patched = 0
    for (let at = bytes.indexOf(known, footerAt); at !== -1; at = bytes.indexOf(known, at + 1)) {
      bytes[at + 1] = codec * 2
      patched++
    }
    expect(patched).toBeGreaterThan(0)
    const error = await failure({ paths: [file(`codec-${codec}.parquet`, bytes)] })
    expect(error).toMatchObject({ code: 'INPUT_PARQUET_INVALID', exitCode: 2 })
  })

  test('that has no rows is refused', async () => {
    const path = join(folder, 'norows.parquet')
    await withDuckDb((duckDb) =>
      duckDb.run(`COPY (SELECT 1 AS name WHERE false) TO ${quoteSqlPath(path)} (FORMAT parquet)`),
    )
    expect(await failure({ paths: [path] })).toMatchObject({ code: 'INPUT_NO_ROWS' })
  })
})

describe('paths', () => {
  test('that name nothing are refused', async () => {
    expect(await failure({ paths: [join(folder, 'nothing.csv')] })).toMatchObject({ code: 'INPUT_NOT_FOUND' })
    expect(await failure({ paths: [join(folder, 'nothing*.csv')] })).toMatchObject({
      code: 'INPUT_NOT_FOUND',
    })
    expect(await failure({ paths: [join(folder, 'empty.csv', 'x.csv')] })).toMatchObject({
      code: 'INPUT_NOT_FOUND',
    })
  })

  test('that name a folder are refused', async () => {
    mkdirSync(join(folder, 'folder.csv'))
    expect(await failure({ paths: [join(folder, 'folder.csv')] })).toMatchObject({ code: 'INPUT_IS_FOLDER' })
  })

  test('that name a device are refused', async () => {
    expect(await failure({ paths: ['/dev/null'], format: 'csv' })).toMatchObject({ code: 'INPUT_UNREADABLE' })
  })

  test('that point nowhere are refused', async () => {
    symlinkSync(join(folder, 'gone'), join(folder, 'link.csv'))
    expect(await failure({ paths: [join(folder, 'link.csv')] })).toMatchObject({ code: 'INPUT_NOT_FOUND' })
  })

  test('without a known extension need a format', async () => {
    const path = file('table.doc', 'x')
    expect(await failure({ paths: [path] })).toMatchObject({ code: 'INPUT_FORMAT_UNKNOWN' })
    expect(await failure({ paths: ['-'] }, { stdin: Readable.from(['x']) })).toMatchObject({
      code: 'INPUT_FORMAT_UNKNOWN',
    })
  })

  test('of two formats are refused', async () => {
    const paths = [file('mixed.csv', 'name\na\n'), file('mixed.ndjson', '{"name":"a"}\n')]
    expect(await failure({ paths })).toMatchObject({ code: 'INPUT_FORMATS_MIXED' })
  })
})

describe('memory stays bounded', () => {
  test('with a header of a million columns', async () => {
    const path = file(
      'million.csv',
      `${Array.from({ length: 1_000_001 }, (_, index) => `c${index}`).join(',')}\n1\n`,
    )
    expect(await failure({ paths: [path] })).toMatchObject({ code: 'INPUT_COLUMNS_TOO_MANY' })
  })

  test('with a field of 100 MB', async () => {
    const path = join(folder, 'field.csv')
    const part = Buffer.alloc(1024 * 1024, 0x78)
    await pipeline(
      Readable.from(
        (function* () {
          yield Buffer.from('name\n"')
          for (let count = 0; count < 100; count++) yield part
          yield Buffer.from('"\n')
        })(),
      ),
      createWriteStream(path),
    )
    const before = process.memoryUsage().rss
    expect(await failure({ paths: [path] })).toMatchObject({ code: 'INPUT_RECORD_TOO_LARGE' })
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(150)
  })
})

describe('text in an encoding that is not read', () => {
  const hintOf = async (name: string, content: Buffer) => {
    const error = await failure({ paths: [file(name, content)] })
    return [error.code, error.hint ?? '']
  }
  const texts = [
    'name;city\nMüller Larkmoor GmbH;Köln\n',
    'Название;Город\nНорвэйн;Казань\n',
    '名称,市\n漢字商会,東京\n',
  ]
  const toUtf32 = (text: string, isBig: boolean) => {
    const points = Array.from(text, (char) => char.codePointAt(0) ?? 0)
    const bytes = Buffer.alloc(points.length * 4)
    for (const [at, point] of points.entries())
      if (isBig) bytes.writeUInt32BE(point, at * 4)
      else bytes.writeUInt32LE(point, at * 4)
    return bytes
  }

  test('UTF-32, with and without a byte order mark', async () => {
    for (const text of texts)
      for (const mark of ['\ufeff', ''])
        for (const isBig of [true, false])
          expect(await hintOf('wide.csv', toUtf32(mark + text, isBig))).toEqual([
            'INPUT_ENCODING_WRONG',
            expect.stringContaining('iconv -f UTF-32'),
          ])
  })

  test('UTF-16 with a NUL character is not said to need its encoding', async () => {
    const content = Buffer.from('\ufeffname;city\nLarkmoor\0 Ltd;Leeds\nNorvane GmbH;Bonn\n', 'utf16le')
    const [code, hint] = await hintOf('nul16.csv', content)
    expect([code, hint]).toEqual(['INPUT_NUL_BYTE', expect.stringContaining('read as utf-16le')])
  })

  test.each([
    [
      'cp850 and cp437',
      { ü: 0x81, ä: 0x84, ö: 0x94, Ö: 0x99, ß: 0xe1 },
      'Müller Öl\nBäcker Söhne\nKöster Brüder\n',
    ],
    ['cp850 that Shift JIS fits by chance', { ü: 0x81, ö: 0x94 }, 'Müller & Söhne GmbH;Köln\n'],
    [
      'cp852',
      { ł: 0x88, ó: 0xa2, ś: 0x98, ą: 0xa5, Ł: 0x9d, ę: 0xa9 },
      'Łączność\nŚląsk\nStalowa Wąsę Główna\n',
    ],
    [
      'cp866',
      { Н: 0x8d, о: 0xae, р: 0xe0, в: 0xa2, а: 0xa0, К: 0x8a, н: 0xad, з: 0xa7 },
      'Норва\nКазан\nЗвон\n',
    ],
  ] as const)('%s', async (_, bytes: Readonly<Record<string, number>>, text) => {
    const content = Buffer.from(
      Array.from(`name\n${text}`, (char) => bytes[char] ?? char.charCodeAt(0) % 128),
    )
    expect(await hintOf('dos.csv', content)).toEqual([
      'INPUT_ENCODING_UNSURE',
      expect.stringContaining('--encoding cp850, cp852, ibm866 or macintosh'),
    ])
  })
})

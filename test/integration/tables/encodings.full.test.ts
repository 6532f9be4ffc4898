import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openInput, type InputAccess, type InputOptions } from '../../../src/pipeline/input/input.js'
import { readLabelledQueries } from '../../../src/registry/evaluate/labelled-query.js'
import { importCsv } from '../../../src/registry/import/import-csv.js'
import { importFile } from '../../../src/registry/import/file-formats.js'
import { openRegistry } from '../../../src/registry/registry.js'
import type { Encoding } from '../../../src/core/file-formats.js'
import { everyEncoding, linesAround, listIn, zstdStored } from '../../support/encoded-files.js'
import { writeZip } from '../../support/zip-file.js'
import { convert, newFolder, readTable } from '../output/support.js'
import { errorWith } from '../../support/error-with.js'

const folder = newFolder()

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** Of these the guess is doubted: they have to be named. */
const doubted: readonly Encoding[] = ['macintosh', 'iso-8859-15', 'cp850', 'cp852']

interface Reading {
  readonly names: readonly (string | null | undefined)[]
  readonly notices: readonly string[]
}

async function readInput(
  options: Partial<InputOptions> & { paths: readonly string[] },
  access: InputAccess = {},
): Promise<Reading> {
  const input = await openInput({ spoolFolder: join(folder, 'spool'), ...options }, access)
  try {
    const names: (string | null | undefined)[] = []
    for await (const batch of input.rows.keys(['name'])) names.push(...batch.map(([name]) => name))
    return { names, notices: input.listNotes() }
  } finally {
    await input.close()
  }
}

async function readRegister(path: string, encoding?: Encoding): Promise<Reading> {
  const registry = openRegistry(':memory:')
  const notices: string[] = []
  const onNotice = (text: string) => notices.push(text)
  const result = await importCsv(registry, {
    path,
    onNotice,
    ...(encoding === undefined ? {} : { encoding }),
  })
  expect(result.rejections).toEqual([])
  const rows = registry.database
    .prepare('SELECT legal_name FROM legal_entities ORDER BY source_line')
    .pluck()
    .all()
  registry.close()
  return { names: rows as string[], notices }
}

async function readQueries(path: string, encoding?: Encoding): Promise<Reading> {
  const notices: string[] = []
  const onNotice = (text: string) => notices.push(text)
  const queries = await readLabelledQueries(path, {
    onNotice,
    ...(encoding === undefined ? {} : { encoding }),
  })
  return { names: queries.map(({ name }) => name), notices }
}

interface Format {
  readonly what: string
  readonly extension: string
  readonly content: (names: readonly Buffer[]) => Buffer
  readonly read: (path: string, encoding?: Encoding) => Promise<Reading>
}

const csvContent = (names: readonly Buffer[]) =>
  linesAround(names, (index) => `${index + 1},"`, '"\n', 'id,name\n')
const formats: readonly Format[] = [
  {
    what: 'a CSV input',
    extension: 'csv',
    content: csvContent,
    read: (path, encoding) => readInput({ paths: [path], encoding }),
  },
  {
    what: 'an NDJSON input',
    extension: 'ndjson',
    content: (names) => linesAround(names, (index) => `{"id":${index + 1},"name":"`, '"}\n'),
    read: (path, encoding) => readInput({ paths: [path], encoding }),
  },
  { what: 'a register', extension: 'csv', content: csvContent, read: readRegister },
  {
    what: 'labelled queries',
    extension: 'csv',
    content: (names) => linesAround(names, (index) => `${index + 1},`, ',lei\n', 'query_id,name,expected\n'),
    read: readQueries,
  },
]

const packings: readonly [suffix: string, pack: (content: Buffer) => Buffer][] = [
  ['', (content) => content],
  ['.gz', (content) => gzipSync(content)],
  ['.zst', zstdStored],
]

describe.each(formats)('$what', ({ extension, content, read }) => {
  test.each(everyEncoding)(
    'in $encoding is read right, however it is compressed',
    async ({ encoding, names, nameBytes }) => {
      for (const [suffix, pack] of packings) {
        const path = file(`${encoding}.${extension}${suffix}`, pack(content(nameBytes)))
        const found = await read(path, doubted.includes(encoding) ? encoding : undefined)
        expect(found.names).toEqual(queryNames(names, found.names))
        const isTold = encoding !== 'utf-8' && !doubted.includes(encoding)
        expect(found.notices).toEqual(isTold ? [expect.stringMatching(/not UTF-8, detected .* "/)] : [])
      }
    },
  )

  test.each(['utf-16le', 'utf-16be'] as const)('in %s is read right', async (encoding) => {
    const { names, nameBytes } = listIn('utf-8')
    const bytes = Buffer.from(content(nameBytes).toString('utf8'), 'utf16le')
    const swapped = encoding === 'utf-16be' ? bytes.swap16() : bytes
    const found = await read(file(`${encoding}.${extension}`, swapped))
    expect(found.names).toEqual(queryNames(names, found.names))
    expect(found.notices).toEqual([expect.stringContaining(encoding)])
  })

  test.each(doubted)('in %s is refused with what the file may be, unless it is named', async (encoding) => {
    const { nameBytes } = listIn(encoding)
    await expect(read(file(`doubted.${extension}`, content(nameBytes)))).rejects.toMatchObject(
      errorWith('INPUT_ENCODING_UNSURE', { message: `${encoding}: "`, hint: `--encoding` }),
    )
  })

  test('of UTF-8 with a Latin-1 line is refused with the line and what it reads as', async () => {
    const { nameBytes } = listIn('utf-8')
    const mixed = [...nameBytes.slice(0, 3), Buffer.from('M\xfcller AG', 'latin1'), ...nameBytes.slice(3)]
    const line = extension === 'csv' ? 5 : 4
    const path = file(`mixed.${extension}`, content(mixed))
    await expect(read(path)).rejects.toMatchObject({
      code: 'INPUT_ENCODING_MIXED',
      exitCode: 2,
      message: expect.stringMatching(new RegExp(`line ${line}\\b.*M\u00fcller AG`)) as string,
      hint: expect.stringContaining('--encoding utf-8+windows-1252') as string,
    })
    const { names } = await read(path, 'utf-8+windows-1252')
    expect(names).toContain('Müller AG')
    expect(names).toHaveLength(mixed.length)
    expect(names.join()).not.toMatch(/Ã|\ufffd/)
  })

  test.each([
    ['windows-1250', 'Škoda Žižkov'],
    ['windows-1251', 'Ларкмур Фудс'],
    ['windows-1253', 'Λάρκμουρ Τρόφιμα'],
    ['windows-1255', 'לארקמור'],
    ['windows-1256', 'لاركمور'],
  ] as const)('of %s with a UTF-8 line says how to read both', async (encoding, name) => {
    const { names: own, nameBytes } = listIn(encoding)
    const path = file(`mixed-${encoding}.${extension}`, content([...nameBytes, Buffer.from(name)]))
    await expect(read(path)).rejects.toMatchObject({
      code: 'INPUT_ENCODING_MIXED',
      hint: expect.stringContaining(`--encoding utf-8+${encoding} `) as string,
    })
    const { names } = await read(path, `utf-8+${encoding}`)
    expect(names).toEqual([...own, name])
  })

  test('of windows-1252 with a UTF-8 line is refused too', async () => {
    const { nameBytes } = listIn('windows-1252')
    const path = file(`mixed1252.${extension}`, content([...nameBytes, Buffer.from('Café Zoë')]))
    await expect(read(path)).rejects.toMatchObject({ code: 'INPUT_ENCODING_MIXED' })
  })

  test('that begins with a mark of UTF-8 and is not UTF-8 is refused', async () => {
    const { nameBytes } = listIn('windows-1252')
    const path = file(`marked.${extension}`, Buffer.concat([Buffer.from('\ufeff'), content(nameBytes)]))
    await expect(read(path)).rejects.toMatchObject({ code: 'INPUT_ENCODING_MIXED' })
  })

  test('keeps a byte order mark that stands in the middle', async () => {
    const found = await read(
      file(`middle.${extension}`, content([Buffer.from('Acme'), Buffer.from('B\ufeffCD')])),
    )
    expect(found.names).toEqual(['Acme', expect.stringMatching(/^B[\ufeff ]CD$/)])
  })

  test.each(['shift_jis', 'gbk', 'euc-kr'] as const)(
    'whose last character of %s is cut is refused with its line',
    async (encoding) => {
      const { names, nameBytes } = listIn(encoding)
      const cut = [...nameBytes, Buffer.concat([nameBytes[0] ?? Buffer.alloc(0), Buffer.from([0x81])])]
      const whole = content(cut)
      const path = file(`cut-${encoding}.${extension}`, whole.subarray(0, whole.lastIndexOf(0x81) + 1))
      const line = names.length + (extension === 'csv' ? 2 : 1)
      await expect(read(path, encoding)).rejects.toMatchObject(
        errorWith('INPUT_ENCODING_WRONG', { message: `line ${line}` }),
      )
    },
  )

  test.each(['shift_jis', 'windows-1252', 'utf-8'] as const)(
    'of %s is right where characters lie across blocks',
    async (encoding) => {
      const { names, nameBytes } = listIn(encoding)
      const many = Array.from(
        { length: 20_000 },
        (_, index) => nameBytes[index % nameBytes.length] ?? Buffer.alloc(0),
      )
      const found = await read(file(`blocks-${encoding}.${extension}`, content(many)))
      const expected = many.map((_, index) => names[index % names.length] ?? '')
      expect(found.names).toEqual(queryNames(expected, found.names))
    },
  )
})

/** Names of queries are tidied as those of a run are; all else comes as it stands. */
function queryNames(names: readonly string[], found: readonly unknown[]): unknown[] {
  return names.map((name, index) => (found[index] === name.normalize('NFC').trim() ? found[index] : name))
}

describe('letters that come late', () => {
  const ascii = Buffer.from('Acme,x\n'.repeat(300_000))
  const late = Buffer.concat([
    Buffer.from('name,x\n'),
    ascii,
    Buffer.from('M\xfcller \x80 \x96 \x8aKODA,x\n', 'latin1'),
  ])

  test.each([
    ['plain', 'late.csv', late],
    ['.gz', 'late.csv.gz', gzipSync(late, { level: 1 })],
    ['.zst', 'late.csv.zst', zstdStored(late)],
  ])('after 300,000 lines tell the encoding (%s)', async (_, name, bytes) => {
    const { names, notices } = await readInput({ paths: [file(name, bytes)] })
    expect(names.at(-1)).toBe('Müller € – ŠKODA')
    expect(notices).toEqual([expect.stringMatching(/windows-1252.*"Müller € – ŠKODA"/)])
  })

  test('the same from standard input', async () => {
    const { names } = await readInput({ paths: ['-'], format: 'csv' }, { stdin: Readable.from([late]) })
    expect(names.at(-1)).toBe('Müller € – ŠKODA')
  })

  test('a line that does not fit is named, also beyond a limit of rows: nothing is read by half', async () => {
    const bytes = Buffer.concat([
      Buffer.from('name,x\nKöln,x\n'),
      ascii,
      Buffer.from('M\xfcller,x\n', 'latin1'),
    ])
    await expect(readInput({ paths: [file('late-mixed.csv', bytes)], rowsMax: 2 })).rejects.toMatchObject(
      errorWith('INPUT_ENCODING_MIXED', { message: 'line 300003' }),
    )
  })

  test('a given encoding is not doubted, and its wrong bytes are found by their line', async () => {
    const bytes = Buffer.concat([Buffer.from('name,x\n'), ascii, Buffer.from('Caf\xe9,x\n', 'latin1')])
    await expect(
      readInput({ paths: [file('late-wrong.csv', bytes)], encoding: 'utf-8' }),
    ).rejects.toMatchObject(errorWith('INPUT_ENCODING_WRONG', { message: 'line 300002' }))
  })
})

test.each(['windows-1252', 'shift_jis', 'windows-1251', 'euc-kr'] as const)(
  'An unchanged column of %s is written in UTF-8',
  async (encoding) => {
    const { names, nameBytes } = listIn(encoding)
    const path = file(`round-${encoding}.csv`, csvContent(nameBytes))
    for (const extension of ['csv', 'ndjson', 'parquet']) {
      const output = join(folder, `round-${encoding}-out.${extension}`)
      await convert({ input: { paths: [path] }, output, basis: 'none' })
      const { columns, rows } = await readTable(output)
      expect(rows.map((row) => row[columns.indexOf('name')])).toEqual(names)
    }
  },
)

describe('registers as they are published', () => {
  test('a table in windows-1252 is read right, and told', async () => {
    const notices: string[] = []
    const registry = openRegistry(':memory:')
    const path = file(
      'names.csv',
      linesAround(
        listIn('windows-1252').nameBytes,
        (index) => `${index + 1},`,
        ',former\n',
        'cik,alias,kind\n',
      ),
    )
    await importFile(registry, { format: 'sec-names', path, onNotice: (text) => notices.push(text) })
    expect(notices).toEqual([expect.stringMatching(/detected windows-1252/)])
  })

  test('in a zip, a csv register is read as well', async () => {
    const zipFolder = join(folder, 'zip')
    mkdirSync(zipFolder, { recursive: true })
    const path = writeZip(zipFolder, 'register.zip', [
      { name: 'register.csv', content: csvContent(listIn('windows-1252').nameBytes) },
    ])
    expect((await readRegister(path)).names).toEqual(listIn('windows-1252').names)
  })

  test('another encoding of the same file is another import', async () => {
    const registry = openRegistry(':memory:')
    const path = file('again.csv', Buffer.from('id,name\n1,Cr\xe8me AG\n', 'latin1'))
    await importCsv(registry, { path, encoding: 'windows-1250' })
    expect(await importCsv(registry, { path, encoding: 'windows-1252' })).toMatchObject({ unchanged: false })
    expect(registry.search({ name: 'Crème AG', limit: 1 }).hits).toMatchObject([{ name: 'Crème AG' }])
  })

  test('JSON that is not UTF-8 is refused with its line', async () => {
    const path = file(
      'tickers.json',
      Buffer.from('{"fields":["cik","name","ticker"],\n"data":[[1,"M\xfcller","M"]]}', 'latin1'),
    )
    await expect(importFile(openRegistry(':memory:'), { format: 'sec-tickers', path })).rejects.toMatchObject(
      {
        code: 'INPUT_ENCODING_WRONG',
        message: expect.stringContaining('line 2') as string,
      },
    )
  })
})

import fc from 'fast-check'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { describe, expect, test } from 'vitest'
import type { UserError } from '../../../src/core/errors.js'
import { CsvScanner, readStrictRecords, scanRecords } from '../../../src/tables/csv-scanner.js'
import { tableLimits } from '../../../src/tables/limits-and-errors.js'
import type { ChooseColumns, RecordSource, TableRecord } from '../../../src/tables/bytes.js'
import { naughtyStrings } from '../../hostile/naughty-strings.js'
import { forAllAsync } from '../../support/properties.js'

type RecordReader = (source: RecordSource, choose: ChooseColumns) => AsyncGenerator<readonly TableRecord[]>

/** Both readers of delimited text, held to the same cases. */
const readers: Readonly<Record<string, RecordReader>> = {
  strict: readStrictRecords,
  scanned: scanRecords,
}
const both = describe.each(Object.entries(readers))

interface Reading {
  readonly header: readonly string[] | null
  readonly records: readonly TableRecord[]
  readonly error: UserError | null
}

interface Given {
  readonly delimiter?: string
  readonly linesAbove?: number
  readonly choose?: ChooseColumns
  readonly onStrayQuotes?: RecordSource['onStrayQuotes']
}

function sourceOf(
  pieces: Iterable<string>,
  { delimiter = ',', linesAbove = 0, onStrayQuotes }: Given = {},
): RecordSource {
  return {
    ...(onStrayQuotes === undefined ? {} : { onStrayQuotes }),
    label: 'in.csv',
    delimiter,
    linesAbove,
    async *chunks() {
      await Promise.resolve()
      for (const piece of pieces) yield Buffer.from(piece)
    },
  }
}

/** Reads to the end, or to the error that ends it. */
async function read(reader: RecordReader, pieces: Iterable<string>, given: Given = {}): Promise<Reading> {
  let header: readonly string[] | null = null
  const records: TableRecord[] = []
  const choose: ChooseColumns = (cells) => {
    header = cells
    return given.choose?.(cells) ?? null
  }
  try {
    for await (const found of reader(sourceOf(pieces, given), choose)) records.push(...found)
    return { header, records, error: null }
  } catch (error) {
    return { header, records, error: error as UserError }
  }
}

const cellsOf = ({ records }: Reading) => records.map(({ cells }) => cells)
/** Pieces of so many characters, none of them cut. */
const cut = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []

both('the %s reader', (_name, reader) => {
  const pairs = [
    ['1', '2'],
    ['3', '4'],
  ]
  test.each<[string, string, Given, readonly (readonly string[])[]]>([
    ['plain', 'a,b\n1,2\n3,4', {}, pairs],
    ['Windows line ends', 'a,b\r\n1,2\r\n3,4\r\n', {}, pairs],
    ['Mac line ends', 'a,b\r1,2\r3,4\r', {}, pairs],
    ['line ends of all kinds', 'a,b\r1,2\r\n3,4\n', {}, pairs],
    ['quotes', 'a,b\n"1,0","2 ""x"""\n', {}, [['1,0', '2 "x"']]],
    ['a line end in quotes', 'a,b\n"1\n1","2\r\n2"\n', {}, [['1\n1', '2\r\n2']]],
    ['quotes alone', 'a,b\n"""",""""""\n', {}, [['"', '""']]],
    ['a quoted cell at the end', 'a,b\n1,"2"', {}, [['1', '2']]],
    [
      'empty cells',
      'a,b\n,\n"",\n',
      {},
      [
        ['', ''],
        ['', ''],
      ],
    ],
    ['an empty cell in quotes, where there is but one column', 'a\n""\nx\n', {}, [[''], ['x']]],
    ['blank lines', '\n\r\na,b\n\n1,2\n\r\n3,4\n\n', {}, pairs],
    ['spaces', 'a,b\n 1 ,\t2\n', {}, [[' 1 ', '\t2']]],
    ['another delimiter', 'a;b\n1,0;2\n', { delimiter: ';' }, [['1,0', '2']]],
    ['a header alone', 'a,b\n', {}, []],
    ['columns chosen', 'a,b,c\n1,"2",3\n', { choose: () => [2, 1] }, [['3', '2']]],
  ])('reads %s, however the text is cut', async (_case, text, given, expected) => {
    for (const size of [1, 2, 3, 5, text.length]) {
      const reading = await read(reader, cut(text, size), given)
      expect(reading.error).toBeNull()
      expect(cellsOf(reading)).toEqual(expected)
    }
  })

  test('gives the same as csv-parse does with a whole text, however it is cut', async () => {
    const cell = fc.stringMatching(/^[a-z "\n\r,é😀]{0,6}$/u)
    const table = fc
      .array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 })
      .map((rows) => [['h1', 'h2', 'h3'], ...rows])
    const end = fc.constantFrom('\n', '\r\n', '\r')
    await forAllAsync(
      100,
      [table, end, fc.integer({ min: 1, max: 9 })],
      async (rows, record_delimiter, size) => {
        const text = stringify(rows, { record_delimiter, quoted_match: /[\r\n]/ })
        const reading = await read(reader, cut(text, size))
        expect(reading.header).toEqual(['h1', 'h2', 'h3'])
        expect(cellsOf(reading)).toEqual(parse(text, { record_delimiter }).slice(1))
      },
    )
  })

  test('gives every naughty string back', async () => {
    const rows = naughtyStrings.map((text) => [text, 'x'])
    const text = stringify([['a', 'b'], ...rows], { quoted: true })
    expect(cellsOf(await read(reader, cut(text, 7)))).toEqual(rows)
  })

  test('gives nothing, and asks for no columns, where there is no record', async () => {
    for (const text of ['', '\n\r\n\n'])
      expect(await read(reader, [text])).toEqual({ header: null, records: [], error: null })
  })

  test('throws what the choice of columns throws', async () => {
    const choose = () => {
      throw new Error('it is another file')
    }
    const { error } = await read(reader, ['a,b\n1,2\n'], { choose })
    expect(error).toMatchObject({ message: 'it is another file' })
  })

  test('closes the file if its reader stops early', async () => {
    let isOpen = true
    const source = sourceOf([])
    const endless = {
      ...source,
      async *chunks() {
        try {
          for (;;) yield await Promise.resolve(Buffer.from('a,b\n'))
        } finally {
          isOpen = false
        }
      },
    }
    for await (const found of reader(endless, () => null)) if (found.length > 0) break
    expect(isOpen).toBe(false)
  })
})

/** What is wrong, what the strict reader says of it, and what of it the scanner gives: a line, and cells or the reason. */
const defects: readonly [
  what: string,
  text: string,
  strict: [UserError['code'], number],
  scanned: string[],
][] = [
  [
    'a quote that is never closed',
    'a,b\n1,2\n"3,4\n5,6\n7,8',
    ['INPUT_QUOTE_UNCLOSED', 3],
    ['2: 1,2', '3: a quote in it is never closed', '4: 5,6', '5: 7,8'],
  ],
  [
    'a quote that is never closed, behind cells over several lines and blank ones',
    'a,b\r\n"1\r\n1",2\r\n\r\n\r\n"3",\n"4\r\n4","5\r\n',
    ['INPUT_QUOTE_UNCLOSED', 8],
    ['2: 1\r\n1,2', '6: 3,', '7: a quote in it is never closed', '8: a quote in it is never closed'],
  ],
  [
    'a quote that is never closed, behind blank lines',
    'a,b\n\n\n"3,4\n',
    ['INPUT_QUOTE_UNCLOSED', 4],
    ['4: a quote in it is never closed'],
  ],
  [
    'a quote that a later line closes',
    'a,b\n"3,4\n5,6\n"7","8"\n9,0\n',
    ['INPUT_CSV_INVALID', 2],
    ['2: a quote in it is never closed', '3: 5,6', '4: 7,8', '5: 9,0'],
  ],
]

describe('a quote that encloses no cell', () => {
  const cases: readonly [
    title: string,
    text: string,
    rows: string[][],
    told: [line: number, isDoubtful: boolean],
  ][] = [
    [
      'inside a cell',
      'a,b\n\nx "y" z,1\n3,4\n',
      [
        ['x "y" z', '1'],
        ['3', '4'],
      ],
      [3, false],
    ],
    [
      'behind a number',
      'a,b\n1,2\n6" pipe,"3"\n',
      [
        ['1', '2'],
        ['6" pipe', '3'],
      ],
      [3, false],
    ],
    ['in Hebrew', 'a,b\nבע"מ,1\n', [['בע"מ', '1']], [2, false]],
    [
      'at the start, with text behind it',
      'a,b\n1,2\n"x" y,1\n',
      [
        ['1', '2'],
        ['"x" y', '1'],
      ],
      [3, true],
    ],
    ['within an enclosed cell', 'a,b\n"x, "y" z",1\n', [['"x, "y" z"', '1']], [2, true]],
  ]
  test.each(cases)('%s is text', async (_, text, rows, told) => {
    for (const size of [1, 3, text.length]) {
      const heard: unknown[] = []
      const onStrayQuotes = (...args: unknown[]) => heard.push(args)
      const { records, error } = await read(readStrictRecords, cut(text, size), { onStrayQuotes })
      expect(error).toBeNull()
      expect(records.map(({ cells }) => cells)).toEqual(rows)
      expect(heard).toEqual([told])
    }
  })

  test('wherever it stands, no row is lost: each is read as written, or the reading fails', async () => {
    const cell = fc.stringMatching(/^[a-z"]{0,5}$/)
    const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 })
    let readCount = 0
    await forAllAsync(300, [rows], async (made) => {
      const lines = made.filter(([one, other]) => one !== '' || other !== '').map((cells) => cells.join())
      const { records, error } = await read(readStrictRecords, [['a,b', ...lines, ''].join('\n')])
      if (error !== null) return
      readCount++
      const breakCount = records.flatMap(({ cells }) => cells.join().match(/\n/g) ?? []).length
      expect(records.length + breakCount).toBe(lines.length)
    })
    expect(readCount).toBeGreaterThan(30)
  })
})

describe('a cell of a register that begins with a quoted word', () => {
  test.each(
    [',', ';', '\t', '|'].flatMap((delimiter) =>
      [
        ['1', '"Larkmoor vino" d.o.o. Mostar', '2', '"Norvane" d.o.o.'],
        ['"Larkmoor" trgovina', 'x', '"Norvane"', '2'],
        ['1', 'PP "Larkmoor" Sarajevo', '"Norvane"', '2'],
        ['1', '"Larkmoor" i "Norvane" d.o.o.', '"Vel""mora" d.d.', '"Quelmor" d.d.'],
      ].map((cells) => [delimiter, cells] as const),
    ),
  )('is text, and takes no other cell: %j %j', async (delimiter, cells) => {
    const rows = [cells, ['3', '4', '5', '6'], cells]
    const text = ['a,b,c,d'.replaceAll(',', delimiter), ...rows.map((one) => one.join(delimiter)), '']
    const unquote = (cell: string) => (/^"\w+"$/.test(cell) ? cell.slice(1, -1) : cell)
    for (const [size, end] of [1, 7, 1_000].flatMap((one) =>
      ['\n', '\r\n'].map((two) => [one, two] as const),
    )) {
      const reading = await read(scanRecords, cut(text.join(end), size), { delimiter })
      expect(cellsOf(reading)).toEqual(rows.map((one) => one.map(unquote)))
    }
  })

  test('is enclosed if the record is whole only then', async () => {
    const text = 'a,b\n"x, "y" z",1\n"x\ny",2\n"x" y,3\n'
    expect(cellsOf(await read(scanRecords, [text]))).toEqual([
      ['x, "y" z', '1'],
      ['x\ny', '2'],
      ['"x" y', '3'],
    ])
  })
})

describe('a defect', () => {
  test.each(defects)(
    'that is %s ends the strict reading at its line, behind what is right',
    async (...args) => {
      const [, text, [code, line], scanned] = args
      const isRight = (told: string) => Number(told.split(':')[0]) < line && !/:[^,]*(quote|cells)/.test(told)
      for (const size of [1, 3, text.length]) {
        const { records, error } = await read(readStrictRecords, cut(text, size))
        expect(error).toMatchObject({ code, message: expect.stringMatching(`line ${line}\\b`) as string })
        expect(records.map(({ cells }) => cells.join())).toEqual(
          scanned.filter(isRight).map((told) => told.slice(told.indexOf(' ') + 1)),
        )
      }
    },
  )

  test.each(defects)('that is %s costs the scanner its line', async (...args) => {
    const [, text, , scanned] = args
    for (const size of [1, 3, text.length]) {
      const { records, error } = await read(readers['scanned'] ?? readStrictRecords, cut(text, size))
      expect(error).toBeNull()
      const told = records.map(({ line, reason, cells }) => `${line}: ${reason ?? cells.join()}`)
      expect(told.map((one, index) => one.slice(0, scanned[index]?.length))).toEqual(scanned)
    }
  })

  test('lines are counted as an editor does, those above the header included', async () => {
    const text = 'a,b\r\n"1\r\n1",2\r\n\r\n3\r\n4,5,"6\n6"\r\n7,8\r\n'
    for (const size of [1, 2, text.length]) {
      const strict = await read(readStrictRecords, cut(text, size), { linesAbove: 2 })
      expect(strict.records.map(({ line, cells }) => [line, cells.length])).toEqual([
        [4, 2],
        [7, 1],
        [8, 3],
        [null, 2],
      ])
      const keepRagged: RecordReader = (source, choose) => scanRecords(source, choose, { keepsRagged: true })
      const kept = await read(keepRagged, cut(text, size), { linesAbove: 2 })
      expect(kept.records.map(({ line, cells }) => [line, cells.length])).toEqual([
        [4, 2],
        [7, 1],
        [8, 3],
        [10, 2],
      ])
    }
  })
})

describe('too much', () => {
  const mebibyte = 1024 * 1024
  const cases: readonly [string, string, UserError['code'], RegExp][] = [
    [
      'columns in the header',
      `${'c,'.repeat(tableLimits.columnsMax)}c\n1\n`,
      'INPUT_COLUMNS_TOO_MANY',
      /10000.*at or before line/,
    ],
    [
      'cells in a row',
      `a\n1\n${'c,'.repeat(tableLimits.columnsMax)}c\n`,
      'INPUT_COLUMNS_TOO_MANY',
      /10000.*at or before line/,
    ],
    [
      'delimiters without an end',
      `a\n1\n${','.repeat(40 * mebibyte)}`,
      'INPUT_COLUMNS_TOO_MANY',
      /10000.*at or before line/,
    ],
    ['text in a cell', `a\n1\n${'x'.repeat(17 * mebibyte)}\n2\n`, 'INPUT_RECORD_TOO_LARGE', /line 3/],
    [
      'text in a quoted cell',
      `a\n1\n"${'x'.repeat(17 * mebibyte)}"\n2\n`,
      'INPUT_RECORD_TOO_LARGE',
      /line 3/,
    ],
    ['text behind a quote', `a\n1\n"${'x\n'.repeat(9 * mebibyte)}`, 'INPUT_QUOTE_UNCLOSED', /line 3/],
  ]
  test.each(cases)('%s is refused by the strict reader, with its line', async (_what, text, code, says) => {
    const pieces = Array.from({ length: Math.ceil(text.length / 131_072) }, (_unused, index) =>
      text.slice(index * 131_072, (index + 1) * 131_072),
    )
    const { error } = await read(readStrictRecords, pieces)
    expect(error).toMatchObject({ code, message: expect.stringMatching(says) as string })
  })

  test('columns, as many as may be, are read', async () => {
    const row = `${'c,'.repeat(tableLimits.columnsMax - 1)}c\n`
    const { header, records, error } = await read(readStrictRecords, [row, row])
    expect([header?.length, records[0]?.cells.length, error]).toEqual([10_000, 10_000, null])
  })

  test('text behind a quote costs the scanner one line', () => {
    const line = 'x'.repeat(1_000)
    const lineCount = Math.ceil(tableLimits.scannedRecordCharsMax / 1_000) + 2
    const scanner = new CsvScanner({ delimiter: ',', quoted: true }, () => null)
    const records = scanner.push('a\n"')
    for (let count = 0; count < lineCount; count++) records.push(...scanner.push(`${line}\n`))
    expect(records[0]?.reason).toMatch(/is longer than/)
    records.push(...scanner.end())
    expect(records).toHaveLength(lineCount)
  })
})

test('in tabs without quotes, the scanner takes quotes for text', async () => {
  const reader: RecordReader = (source, choose) =>
    scanRecords(source, choose, { isUnquoted: (delimiter) => delimiter === '\t' })
  expect(cellsOf(await read(reader, ['a\tb\n"x\ty"\n'], { delimiter: '\t' }))).toEqual([['"x', 'y"']])
  expect(cellsOf(await read(reader, ['a,b\n"x","y"\n']))).toEqual([['x', 'y']])
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readStrictRecords } from '../../../src/tables/csv-scanner.js'
import { readParsedRecords } from '../../../src/tables/parsed-records.js'
import { openDelimited } from '../../../src/tables/text-tables.js'
import type { RecordSource, TableRecord } from '../../../src/tables/bytes.js'
import { forAllAsync } from '../../support/properties.js'

/** A text that comes in pieces, each of whole characters. */
function sourceOf(pieces: readonly string[], delimiter: string): RecordSource {
  const chunks = async function* () {
    await Promise.resolve()
    for (const piece of pieces) if (piece !== '') yield Buffer.from(piece)
  }
  return { label: 'test.csv', delimiter, linesAbove: 0, chunks }
}

/** All records, header included, and the error that ended them. */
async function readAll(batches: AsyncIterable<readonly TableRecord[]>, header: readonly string[][] = []) {
  const records: TableRecord[] = []
  try {
    for await (const batch of batches)
      records.push(...batch.map(({ cells, line, reason }) => ({ cells: [...cells], line, reason })))
  } catch (error) {
    return { header, records, error: String(error) }
  }
  return { header, records, error: null }
}

async function expectSame(pieces: readonly string[], delimiter: string): Promise<void> {
  const header: string[][] = []
  const found = await readAll(
    readStrictRecords(sourceOf(pieces, delimiter), (cells) => {
      header.push([...cells])
      return null
    }),
  )
  const { records, error } = await readAll(readParsedRecords(sourceOf(pieces, delimiter)))
  const below = records.slice(1)
  // Lines of all records are counted by the scanner alone.
  const counted = found.records.map((record, at) => ({
    ...record,
    line: below[at]?.line === null ? null : record.line,
  }))
  expect({ records: counted, error: found.error }).toEqual({ records: below, error })
  if (records.length > 0) expect(header).toEqual([records[0]?.cells])
}

const delimiters = fc.constantFrom(',', ';', '\t', '|')

/** Cells written as programs write them: most need no quotes. */
const written = (delimiter: string) =>
  fc
    .array(
      fc.array(
        fc.oneof(
          fc.string({ maxLength: 6 }),
          fc.constantFrom('', 'a', 'é€😀', '"', 'a"b', `x${delimiter}y`, '1\n2', '1\r\n2', ' a ', '\ufeff'),
        ),
        { minLength: 3, maxLength: 3 },
      ),
      { minLength: 1, maxLength: 12 },
    )
    .chain((rows) =>
      fc.tuple(fc.constantFrom('\n', '\r\n'), fc.boolean()).map(([end, isEnded]) => {
        const text = rows.map((cells) => cells.map((cell) => quotedIfNeeded(cell, delimiter)).join(delimiter))
        return text.join(end) + (isEnded ? end : '')
      }),
    )

const quotedIfNeeded = (cell: string, delimiter: string): string =>
  /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell

/** Anything that these letters make. */
const scribbled = (delimiter: string) =>
  fc
    .array(fc.constantFrom('a', 'é', '"', '""', delimiter, `a${delimiter}b\n`, '\n', '\r', '\r\n', ' '), {
      maxLength: 40,
    })
    .map((parts) => parts.join(''))

const cutUp = (text: string) =>
  fc.array(fc.nat(text.length), { maxLength: 6 }).map((places) => {
    const ends = [...places, text.length].sort((a, b) => a - b)
    const pieces = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
    // Never between the halves of a character.
    return pieces.every((piece) => piece.isWellFormed()) ? pieces : [text]
  })

describe('records that are plain are those that csv-parse gives', () => {
  for (const [what, texts, numRuns] of [
    ['of files as programs write them', written, 300],
    ['of any text, up to its first defect', scribbled, 1_000],
  ] as const)
    test(`${what}, wherever it is cut`, async () => {
      const cases = delimiters.chain((delimiter) =>
        texts(delimiter).chain((text) => cutUp(text).map((pieces) => ({ delimiter, pieces }))),
      )
      await forAllAsync({ numRuns }, [cases], ({ delimiter, pieces }) => expectSame(pieces, delimiter))
    })

  test('also behind a byte order mark, and where a row is of another length late in a file', async () => {
    await expectSame(['\ufeffname,city\n', 'Acme,Bonn\n\n"B, Ltd",Leeds\n', 'C\nD,Rome,3\nE,Oslo'], ',')
    await expectSame(['\ufeff"na,me",city\r', '\nAcme,Bonn\r\n', '"x\r\ny",z\r\nC\r\n'], ',')
  })
})

async function openPieces(pieces: readonly string[]) {
  const bytes = async function* () {
    await Promise.resolve()
    for (const piece of pieces) if (piece !== '') yield Buffer.from(piece)
  }
  const file = await openDelimited({ label: 'test.csv', bytes }, {})
  const { records, error } = await readAll(file.records())
  const scan = await readAll(file.scan(() => null))
  const scanned = scan.records.map(({ cells }) => cells)
  return { file, rows: records.map(({ cells }) => cells), scanned, error, header: await file.readHeader() }
}

describe('quotes with a backslash in front', () => {
  const escape = (cell: string, delimiter: string) =>
    /["\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '\\"')}"` : cell
  const cell = fc.oneof(
    fc.constantFrom(
      'a "b" c',
      '"Hotel" Norvane',
      'Gasthof "Larkmoor"',
      '5"',
      '"',
      'say "x, y; z"\n"w"',
      '\n',
    ),
    fc.constantFrom('', 'a', 'é😀', 'C:\\temp', '\\N', 'a,b', 'a;b', 'x\ty'),
  )
  const row = fc.array(cell, { minLength: 3, maxLength: 3 })
  const isMarked = (rows: string[][]) => rows.flat().includes('a "b" c')

  test('are quotes of the text, wherever the file is cut', async () => {
    const cases = delimiters.chain((delimiter) =>
      fc
        .array(row, { minLength: 1, maxLength: 12 })
        .filter((rows) => isMarked(rows) && rows.every((cells) => cells.join('') !== ''))
        .chain((rows) => {
          const lines = [['id', 'name', 'note'], ...rows].map((cells) =>
            cells.map((text) => escape(text, delimiter)).join(delimiter),
          )
          return cutUp(`${lines.join('\n')}\n`).map((pieces) => ({ rows, pieces }))
        }),
    )
    await forAllAsync({ numRuns: 300 }, [cases], async ({ rows, pieces }) => {
      const read = await openPieces(pieces)
      expect(read).toMatchObject({ header: ['id', 'name', 'note'], rows, scanned: rows, error: null })
      expect(read.file.doubts).toEqual([])
      expect(read.file.notices.join()).toContain('a backslash in front of a quote')
    })
  })

  test.each<[what: string, text: string, rows: string[][]]>([
    ['JSON with doubled quotes', 'name,data\nA,"{""b"":""c\\""d""}"\n', [['A', '{"b":"c\\"d"}']]],
    [
      'a path at the end of a cell',
      'name,path\nA,"C:\\"\nB,"D:\\"\n',
      [
        ['A', 'C:\\'],
        ['B', 'D:\\'],
      ],
    ],
    [
      'inches without quotes',
      'name,size\nA,6\\" pipe\nB,"x, y"\n',
      [
        ['A', '6\\" pipe'],
        ['B', 'x, y'],
      ],
    ],
  ])('stay text in %s', async (_, text, rows) => {
    const read = await openPieces([text])
    expect(read.rows).toEqual(rows)
    expect(read.file.notices.join()).not.toContain('backslash')
  })

  test('a path at the end of a cell next to stray quotes is read as before', async () => {
    const { rows } = await openPieces(['name,path\nA,"C:\\"\nB,"the" x\n'])
    expect(rows).toEqual([
      ['A', 'C:\\'],
      ['B', '"the" x'],
    ])
  })
})

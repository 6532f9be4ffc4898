import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readStrictRecords } from '../../../src/tables/csv-scanner.js'
import { readParsedRecords } from '../../../src/tables/parsed-records.js'
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

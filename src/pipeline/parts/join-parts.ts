import { UserError } from '../../core/errors.js'
import { joinParquet, readParquetFacts, type ParquetFacts } from '../../parquet/parquet-file.js'
import { fileBytes } from '../../tables/bytes.js'
import { csvText } from '../../tables/csv-writer.js'
import { openDelimited } from '../../tables/delimited.js'
import { strictRecords } from '../../tables/csv-scanner.js'
import { basisFileColumns } from '../output/answer-cells.js'
import type { OutputForm } from '../output/output-format.js'
import { basisPathOf } from '../output/output-path.js'
import { sinkOf, type StagedFile } from '../output/staged-file.js'
import type { PublishedPart } from './part-ledger.js'

const bytesOf = (path: string): AsyncIterable<Buffer> => fileBytes(path, path).bytes()

/** Throws PARTS_UNLIKE where two parts have other columns, and PART_DAMAGED where one has not the rows that it had. */
export async function assertAlike(parts: readonly PublishedPart[], { format }: OutputForm): Promise<void> {
  switch (format) {
    case 'parquet': {
      let first: { part: PublishedPart; facts: ParquetFacts } | null = null
      for (const part of parts) {
        const facts = await readParquetFacts(part.path)
        if (facts.rowCount !== part.rowCount) throw otherRowCount(part, facts.rowCount)
        first ??= { part, facts }
        if (!facts.isLike(first.facts)) throw unlike(first.part, part, [first.facts.columns, facts.columns])
      }
      return
    }
    case 'csv': {
      let first: { part: PublishedPart; header: Buffer } | null = null
      for (const part of parts) {
        const header = await readHeader(part.path)
        first ??= { part, header }
        if (header.equals(first.header)) continue
        const names = [first.header, header].map((line) =>
          line
            .toString('utf8')
            .trimEnd()
            .split(/[,;\t|]/),
        )
        throw unlike(first.part, part, names)
      }
      return
    }
    // Each line names its own; a workbook is read by people.
    case 'ndjson':
    case 'xlsx':
  }
}

function unlike(
  one: PublishedPart,
  other: PublishedPart,
  [columns = [], otherColumns = []]: readonly (readonly string[])[],
): UserError {
  const more = otherColumns.filter((name) => !columns.includes(name))
  const fewer = columns.filter((name) => !otherColumns.includes(name))
  const said = [
    ...(more.length === 0 ? [] : [`part ${other.part} alone has ${listed(more)}`]),
    ...(fewer.length === 0 ? [] : [`part ${one.part} alone has ${listed(fewer)}`]),
  ]
  return new UserError(
    'PARTS_UNLIKE',
    `parts ${one.part} and ${other.part} have other columns: ${said.join('; ') || 'their order or types differ'}`,
    { hint: 'run all parts with the same version and settings, under another --job: answers are kept' },
  )
}

const shownMax = 5
const listed = (names: readonly string[]) =>
  names.slice(0, shownMax).join(', ') + (names.length > shownMax ? ', …' : '')

function otherRowCount({ part, path, rowCount }: PublishedPart, found: number): UserError {
  return new UserError('PART_DAMAGED', `part ${part} has ${found} rows in place of ${rowCount}: ${path}`, {
    hint: 'run that part again',
  })
}

/** Writes all rows of the parts, in order, as one file. Throws PART_DAMAGED where a part has not the rows it had. */
export async function joinRows(
  parts: readonly PublishedPart[],
  { format, isPacked }: OutputForm,
  file: StagedFile,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (format === 'parquet') {
    await joinParquet(
      parts.map(({ path }) => path),
      file.temporary,
    )
    return
  }
  const sink = sinkOf(file, isPacked)
  // A file of no bytes is one too.
  await sink.write('')
  for (const part of parts) {
    const counter = new RecordCounter(format === 'csv')
    // The header of the first is that of all.
    const header = format === 'csv' ? await readHeader(part.path) : Buffer.alloc(0)
    if (part.part === 1) await sink.write(header)
    let headerLeft = header.length
    for await (const chunk of bytesOf(part.path)) {
      signal?.throwIfAborted()
      const rows = chunk.subarray(headerLeft)
      headerLeft = Math.max(0, headerLeft - chunk.length)
      counter.add(rows)
      await sink.write(rows)
    }
    if (counter.count !== part.rowCount || !counter.endsWhole) throw otherRowCount(part, counter.count)
  }
  await sink.end()
  await file.close()
}

/** The first record of a CSV, with its line end. */
async function readHeader(path: string): Promise<Buffer> {
  const counter = new RecordCounter(true)
  const pieces: Buffer[] = []
  for await (const chunk of bytesOf(path)) {
    const end = counter.add(chunk)
    pieces.push(end === -1 ? chunk : chunk.subarray(0, end))
    if (end !== -1) break
  }
  return Buffer.concat(pieces)
}

/** Writes the basis files of the parts as one; rows in it are counted through all parts. */
export async function joinBasis(
  parts: readonly PublishedPart[],
  isPacked: boolean,
  file: StagedFile,
  signal: AbortSignal | undefined,
): Promise<void> {
  const sink = sinkOf(file, isPacked)
  const rowAt = basisFileColumns.indexOf('row_number')
  let firstRow = 0
  for (const part of parts) {
    const path = basisPathOf(part.path)
    const header = await readHeader(path)
    if (part.part === 1) await sink.write(header)
    const delimiter = delimiterOf(header)
    const source = await openDelimited(fileBytes(path, path), { delimiter, encoding: 'utf-8' })
    for await (const records of source.records(strictRecords, () => null)) {
      signal?.throwIfAborted()
      const rows = records.map(({ cells }) =>
        cells.map((cell, at) => (at === rowAt ? String(Number(cell) + firstRow) : cell)),
      )
      if (rows.length > 0) await sink.write(csvText(rows, delimiter))
    }
    firstRow += part.rowCount
  }
  await sink.end()
  await file.close()
}

/** Of our own header, whose names hold none. */
const delimiterOf = (header: Buffer): string => /[^\w\ufeff]/u.exec(header.toString('utf8'))?.[0] ?? ','

const quote = 0x22
const lineFeed = 0x0a

/**
 * Finds records in the bytes of a CSV, or lines in those of NDJSON, as we write both: records end with a line feed, and
 * within quotes it ends none.
 */
class RecordCounter {
  readonly #hasQuotes: boolean
  #isQuoted = false
  /** Whether the last record is whole. */
  endsWhole = true
  count = 0

  constructor(hasQuotes: boolean) {
    this.#hasQuotes = hasQuotes
  }

  /** Counts the records that end in a chunk; gives where the first of them ends, or -1. */
  add(chunk: Uint8Array): number {
    let firstEnd = -1
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === quote && this.#hasQuotes) this.#isQuoted = !this.#isQuoted
      else if (byte === lineFeed && !this.#isQuoted) {
        this.count++
        if (firstEnd === -1) firstEnd = at + 1
      }
    }
    if (chunk.length > 0) this.endsWhole = chunk.at(-1) === lineFeed && !this.#isQuoted
    return firstEnd
  }
}

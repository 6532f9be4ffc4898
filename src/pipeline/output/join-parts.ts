import { UserError } from '../../core/errors.js'
import { joinParquet, readParquetFacts } from '../../parquet/parquet-writer.js'
import { openDelimited, openFileBytes } from '../../tables/text-tables.js'
import { formatCsv } from '../../tables/writers.js'
import { basisFileColumns } from './answer-cells.js'
import { type OutputForm, getBasisPath } from './output-format.js'
import { createSink, type StagedFile } from './staged-file.js'
import type { PublishedPart } from './part-ledger.js'

const readBytes = (path: string): AsyncIterable<Buffer> => openFileBytes(path, path).bytes()

/** Throws PARTS_UNLIKE if parts have different columns, and PART_DAMAGED if a part's row count has changed. */
export async function assertAlike(parts: readonly PublishedPart[], { format }: OutputForm): Promise<void> {
  switch (format) {
    case 'parquet': {
      let first: { part: PublishedPart; facts: Awaited<ReturnType<typeof readParquetFacts>> } | null = null
      for (const part of parts) {
        const facts = await readParquetFacts(part.path)
        if (facts.rowCount !== part.rowCount) throw createRowCountError(part, facts.rowCount)
        first ??= { part, facts }
        if (!facts.isLike(first.facts))
          throw createUnlikeError(first.part, part, [first.facts.columns, facts.columns])
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
        throw createUnlikeError(first.part, part, names)
      }
      return
    }
    // Each line of NDJSON names its columns, and workbooks are not joined.
    case 'ndjson':
    case 'xlsx':
  }
}

function createUnlikeError(
  one: PublishedPart,
  other: PublishedPart,
  [columns = [], otherColumns = []]: readonly (readonly string[])[],
): UserError {
  const more = otherColumns.filter((name) => !columns.includes(name))
  const fewer = columns.filter((name) => !otherColumns.includes(name))
  const said = [
    ...(more.length === 0 ? [] : [`partition ${other.part} also has ${formatNames(more)}`]),
    ...(fewer.length === 0 ? [] : [`partition ${one.part} also has ${formatNames(fewer)}`]),
  ]
  return new UserError(
    'PARTS_UNLIKE',
    `partitions ${one.part} and ${other.part} have different columns: ${said.join('; ') || 'their order or types differ'}`,
    {
      hint: 'run all partitions with the same version and settings, under another --job: existing answers are reused',
    },
  )
}

const shownMax = 5
const formatNames = (names: readonly string[]) =>
  names.slice(0, shownMax).join(', ') + (names.length > shownMax ? ', …' : '')

function createRowCountError({ part, path, rowCount }: PublishedPart, found: number): UserError {
  return new UserError(
    'PART_DAMAGED',
    `partition ${part} has ${found} rows instead of ${rowCount}: ${path}`,
    {
      hint: 'run that partition again',
    },
  )
}

/** Writes all rows of the parts, in order, to one file. Throws PART_DAMAGED if a part's row count has changed. */
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
  const sink = createSink(file, isPacked)
  // Creates the file even if there are no rows.
  await sink.write('')
  for (const part of parts) {
    const counter = new RecordCounter(format === 'csv')
    // Only the first part's header is written.
    const header = format === 'csv' ? await readHeader(part.path) : Buffer.alloc(0)
    if (part.part === 1) await sink.write(header)
    let headerLeft = header.length
    for await (const chunk of readBytes(part.path)) {
      signal?.throwIfAborted()
      const rows = chunk.subarray(headerLeft)
      headerLeft = Math.max(0, headerLeft - chunk.length)
      counter.add(rows)
      await sink.write(rows)
    }
    if (counter.count !== part.rowCount || !counter.endsWhole) throw createRowCountError(part, counter.count)
  }
  await sink.end()
  await file.close()
}

/** Returns the first record of a CSV file, with its line end. */
async function readHeader(path: string): Promise<Buffer> {
  const counter = new RecordCounter(true)
  const pieces: Buffer[] = []
  for await (const chunk of readBytes(path)) {
    const end = counter.add(chunk)
    pieces.push(end === -1 ? chunk : chunk.subarray(0, end))
    if (end !== -1) break
  }
  return Buffer.concat(pieces)
}

/** Writes the basis files of the parts as one, with row numbers counted through all parts. */
export async function joinBasis(
  parts: readonly PublishedPart[],
  isPacked: boolean,
  file: StagedFile,
  signal: AbortSignal | undefined,
): Promise<void> {
  const sink = createSink(file, isPacked)
  const rowAt = basisFileColumns.indexOf('row_number')
  let firstRow = 0
  for (const part of parts) {
    const path = getBasisPath(part.path)
    const header = await readHeader(path)
    if (part.part === 1) await sink.write(header)
    const delimiter = detectDelimiter(header)
    const source = await openDelimited(openFileBytes(path, path), { delimiter, encoding: 'utf-8' })
    for await (const records of source.records()) {
      signal?.throwIfAborted()
      const rows = records.map(({ cells }) =>
        cells.map((cell, at) => (at === rowAt ? String(Number(cell) + firstRow) : cell)),
      )
      if (rows.length > 0) await sink.write(formatCsv(rows, delimiter))
    }
    firstRow += part.rowCount
  }
  await sink.end()
  await file.close()
}

/** Finds the delimiter in a basis header, whose column names contain no punctuation. */
const detectDelimiter = (header: Buffer): string => /[^\w\ufeff]/u.exec(header.toString('utf8'))?.[0] ?? ','

const quote = 0x22
const lineFeed = 0x0a

/** Counts records of CSV or lines of NDJSON from this program: a record ends at a line feed outside quotes. */
class RecordCounter {
  readonly #hasQuotes: boolean
  #isQuoted = false
  /** Whether the last record is complete. */
  endsWhole = true
  count = 0

  constructor(hasQuotes: boolean) {
    this.#hasQuotes = hasQuotes
  }

  /** Counts the records that end in a chunk. Returns the end of the first one, or -1. */
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

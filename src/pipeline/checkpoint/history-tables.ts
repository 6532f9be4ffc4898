import { getFirstLine } from '../../core/text.js'
import { getSqliteCode } from '../../platform/sqlite.js'
import { query, type SqlProgram } from '../../platform/sql-program.js'
import type { EntryFacts, LastMarks, Marks, RunRow, StateFacts } from './history-store.js'
import { UnpackableError, unpackLine, type PackedAnswer } from './packed-answer.js'
import { calculateRowChecksum, hashRow, tableNames, type TableName } from './tables.js'
import { digest } from './lookup.js'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

export const historyTables = tableNames.filter((name) => name.startsWith('history_')) as HistoryTable[]
export type HistoryTable = Extract<TableName, `history_${string}`>

export interface OutputRow {
  output_id: number
  base_id: number | null
  row_count: number
  packed: Buffer
  digest: Buffer
}

export interface MarksRow {
  series: string
  output_id: number
  /** Format of the marks; marks of another format are ignored. */
  form: string
  packed: Buffer
}

export type StateRow = PackedAnswer & StateFacts & { digest: Buffer; checksum: Buffer }

/** The columns of a state, named like those of a packed answer, because states are packed in the same way. */
export const stateColumns =
  's.status, s.confidence, s.country, s.packing, s.state_bytes AS "lineBytes", 0 AS "bodyBytes", s.packed, s.digest, s.checksum'

/** Returns the text of a state; `null` if the row is damaged. */
export function unpackValidState(row: StateRow): string | null {
  try {
    const state = unpackLine(row)
    // Earlier versions left out all sources.
    const digests = [calculateStateDigest(row, state), digestState(row, getFirstLine(state))]
    const isKnown = digests.some((one) => one.equals(row.digest))
    return isKnown && calculateStateChecksum(row.digest, state).equals(row.checksum) ? state : null
  } catch (error) {
    if (error instanceof UnpackableError) return null
    throw error
  }
}

export type EntryRow = Omit<EntryFacts, 'address'> & StateRow & { address: Buffer; ofEntry: Buffer }

/** The columns of an entry `e` with its state `s`. */
export const entryColumns = `e.address, e.row_key AS "rowKey", e.name, e.digest AS "ofEntry", ${stateColumns}`

/** Returns the text of an entry's state; `null` if one of them is damaged. */
export function unpackValidEntry(row: EntryRow): string | null {
  const state = unpackValidState(row)
  return state !== null && calculateEntryDigest(row, row.digest).equals(row.ofEntry) ? state : null
}

/** Returns the entry of each row of an output; `null` if it or its base is damaged. */
export function unpackValidOutput(
  row: OutputRow,
  baseOf: (outputId: number) => OutputRow | undefined,
): Uint32Array | null {
  const base = row.base_id === null ? null : baseOf(row.base_id)
  // A base never has a base: this program writes no chains.
  if (base === undefined || (base !== null && base.base_id !== null)) return null
  const below = base === null ? null : unpackValidOutput(base, baseOf)
  if (base !== null && below === null) return null
  try {
    const rows =
      below === null
        ? unpackNumbers(row.packed, row.row_count)
        : unpackChanges(row.packed, row.row_count, below)
    return calculateOutputDigest(rows).equals(row.digest) ? rows : null
  } catch (error) {
    if (getSqliteCode(error) !== null) throw error
    return null
  }
}

export const isSoundRun = (row: Summed<RunRow>): boolean =>
  Buffer.isBuffer(row.checksum) && calculateRunChecksum(row).equals(row.checksum)

export const isSoundMarks = (row: Summed<MarksRow>): boolean =>
  Buffer.isBuffer(row.checksum) && calculateMarksChecksum(row).equals(row.checksum)

export type Summed<Row> = Row & { checksum: Buffer }

export function calculateRunChecksum(row: RunRow): Buffer {
  return calculateRowChecksum('history_runs', { ...row })
}

function calculateMarksChecksum({ series, output_id, form, packed }: MarksRow): Buffer {
  return hashRow(['history_marks', series, output_id, form, digest(packed)])
}

/**
 * Hashes the first line of a state. The sources after it vary between editions of a registry: they count only if they are of
 * this row alone, as the reason of a row without a company is, and a decision.
 */
export function calculateStateDigest(facts: StateFacts, state: string): Buffer {
  const values = getFirstLine(state)
  const isOfRow = !values.includes('"entity_id":') || state.includes('\n{"decided by ')
  return digestState(facts, isOfRow ? state : values)
}

const digestState = ({ status, confidence, country }: StateFacts, state: string): Buffer =>
  digest(JSON.stringify([status, confidence, country, state]))

/** Hashes the whole content of a state. */
export function calculateStateChecksum(ofState: Uint8Array, state: string): Buffer {
  return hashRow(['history_states', toHex(ofState), state])
}

export function calculateEntryDigest({ address, rowKey, name }: EntryFacts, ofState: Uint8Array): Buffer {
  return digest(JSON.stringify([toHex(address), rowKey, name, toHex(ofState)]))
}

function calculateOutputDigest(rows: Uint32Array): Buffer {
  return digest(Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength))
}

const toHex = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')

/** Stores each number as the difference from its predecessor: numbers of rows and lookups are close to each other. */
export function packNumbers(numbers: Uint32Array): Buffer {
  return packDifferences(numbers, (index) => numbers[index - 1] ?? 0)
}

/** Throws if the bytes are not `count` packed numbers. */
export function unpackNumbers(packed: Uint8Array, count: number): Uint32Array {
  const numbers = new Uint32Array(count)
  return unpackDifferences(packed, numbers, (index) => numbers[index - 1] ?? 0)
}

/** Stores numbers as differences from `base`, position by position: very small if few differ. */
export function packChanges(numbers: Uint32Array, base: Uint32Array): Buffer {
  return packDifferences(numbers, (index) => base[index] ?? 0)
}

export function unpackChanges(packed: Uint8Array, count: number, base: Uint32Array): Uint32Array {
  return unpackDifferences(packed, new Uint32Array(count), (index) => base[index] ?? 0)
}

/** An output whose difference exceeds this share of its base's size is stored in full. */
const changesShareMax = 1 / 4

/** Packs the difference to `below`, whose packed size is `belowBytes`, if it is small, else all rows. */
function packOutput(
  rows: Uint32Array,
  below: Uint32Array | null,
  belowBytes: number,
): { readonly isOnBase: boolean; readonly packed: Buffer } {
  const changes = below === null ? null : packChanges(rows, below)
  const isOnBase = changes !== null && changes.length <= belowBytes * changesShareMax
  return { isOnBase, packed: isOnBase ? changes : packNumbers(rows) }
}

const digestBytes = 16

export function packMarks({ lookups, values, marks, rowsDigest }: Marks): Buffer {
  const packedLookups = packNumbers(lookups)
  const packedValues = packNumbers(values)
  const sizes = Uint32Array.of(lookups.length, packedLookups.length, packedValues.length)
  return Buffer.concat([Buffer.from(sizes.buffer), rowsDigest, packedLookups, packedValues, marks])
}

function unpackMarks(packed: Buffer): Marks {
  const count = packed.readUInt32LE(0)
  const lookupsFrom = 12 + digestBytes
  const lookupsEnd = lookupsFrom + packed.readUInt32LE(4)
  const valuesEnd = lookupsEnd + packed.readUInt32LE(8)
  return {
    lookups: unpackNumbers(packed.subarray(lookupsFrom, lookupsEnd), count),
    values: unpackNumbers(packed.subarray(lookupsEnd, valuesEnd), count),
    marks: packed.subarray(valuesEnd),
    rowsDigest: packed.subarray(12, lookupsFrom),
  }
}

/** Fast, and within 10 % of the best compression, because the content is small numbers. */
const compressionLevel = 1
/** Maximum size of a 32-bit difference at seven bits per byte. */
const differenceBytesMax = 5

function packDifferences(numbers: Uint32Array, expected: (index: number) => number): Buffer {
  const bytes = Buffer.allocUnsafe(numbers.length * differenceBytesMax)
  let at = 0
  for (let index = 0; index < numbers.length; index++) {
    const difference = (numbers[index] ?? 0) - expected(index)
    // Zigzag encoding: odd values are negative differences.
    let rest = difference < 0 ? -2 * difference - 1 : 2 * difference
    while (rest > 127) {
      bytes[at++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    bytes[at++] = rest
  }
  return deflateRawSync(bytes.subarray(0, at), { level: compressionLevel })
}

function unpackDifferences(
  packed: Uint8Array,
  numbers: Uint32Array,
  expected: (index: number) => number,
): Uint32Array {
  const bytes = inflateRawSync(packed, { maxOutputLength: Math.max(1, numbers.length * differenceBytesMax) })
  let at = 0
  for (let index = 0; index < numbers.length; index++) {
    let rest = 0
    let unit = 1
    for (let byte = bytes[at++]; ; byte = bytes[at++]) {
      if (byte === undefined) throw new Error('too few packed numbers')
      rest += (byte % 128) * unit
      if (byte < 128) break
      unit *= 128
    }
    numbers[index] = expected(index) + (rest % 2 === 1 ? -(rest + 1) / 2 : rest / 2)
  }
  if (at !== bytes.length) throw new Error('too many packed numbers')
  return numbers
}

/** Entries of a page: only their numbers are read. */
const numbersAtOnce = 50_000

/** Yields the distinct entries of rows, ascending, with their row counts. */
export function* listEntryPages(
  rows: Uint32Array,
): Generator<{ readonly entries: readonly number[]; readonly rowCounts: readonly number[] }> {
  const sorted = rows.slice().sort()
  let entries: number[] = []
  let rowCounts: number[] = []
  for (let first = 0; first < sorted.length;) {
    const entry = sorted[first] ?? 0
    let end = first + 1
    while (end < sorted.length && sorted[end] === entry) end++
    entries.push(entry)
    rowCounts.push(end - first)
    first = end
    if (entries.length < numbersAtOnce) continue
    yield { entries, rowCounts }
    entries = []
    rowCounts = []
  }
  if (entries.length > 0) yield { entries, rowCounts }
}

/** Returns the entry of each row of an output, or `null` if the output is missing or damaged. */
export function* readOutput(outputId: number): SqlProgram<Uint32Array | null> {
  const rows = yield* readOutputRows(outputId)
  const row = rows.get(outputId)
  return row === undefined ? null : unpackValidOutput(row, (id) => rows.get(id))
}

/** The output, and the one that it is stored as a difference from. */
function* readOutputRows(outputId: number): SqlProgram<Map<number, OutputRow>> {
  const rows = yield* query<OutputRow>(
    `SELECT output_id, base_id, row_count, packed, digest FROM enrich.history_outputs
     WHERE output_id = $1 OR output_id = (SELECT base_id FROM enrich.history_outputs WHERE output_id = $1)`,
    outputId,
  )
  return new Map(rows.map((row) => [row.output_id, row]))
}

/** Stores an output; see `HistoryStore.storeOutput`. Returns its number. */
export function* writeOutput(series: string, rows: Uint32Array): SqlProgram<number> {
  const ofRows = calculateOutputDigest(rows)
  const earlier = yield* query<{ outputId: number; digest: Buffer; baseId: number | null }>(
    `SELECT o.output_id AS "outputId", o.digest, o.base_id AS "baseId"
     FROM enrich.history_runs r JOIN enrich.history_outputs o USING (output_id)
     WHERE r.series = $1 ORDER BY r.run_id DESC`,
    series,
  )
  const same = earlier.find((output) => output.digest.equals(ofRows))
  if (same !== undefined && (yield* readOutput(same.outputId)) !== null) return same.outputId
  const [newest] = earlier
  const baseId = newest === undefined ? null : (newest.baseId ?? newest.outputId)
  const base = baseId === null ? undefined : (yield* readOutputRows(baseId)).get(baseId)
  const below = base === undefined ? null : unpackValidOutput(base, () => undefined)
  const { isOnBase, packed } = packOutput(rows, below, base?.packed.length ?? 0)
  const [added] = yield* query<{ outputId: number }>(
    `INSERT INTO enrich.history_outputs (base_id, row_count, packed, digest) VALUES ($1, $2, $3, $4)
     RETURNING output_id AS "outputId"`,
    isOnBase ? baseId : null,
    rows.length,
    packed,
    ofRows,
  )
  if (added === undefined) throw new Error('the output was not created')
  return added.outputId
}

/** Returns `null` if the series has no marks, or they are damaged. */
export function* readMarks(series: string): SqlProgram<LastMarks | null> {
  const [row] = yield* query<Summed<MarksRow>>(
    'SELECT series, output_id, form, packed, checksum FROM enrich.history_marks WHERE series = $1',
    series,
  )
  if (row === undefined || !isSoundMarks(row)) return null
  return { outputId: row.output_id, form: row.form, marks: unpackMarks(row.packed) }
}

/** Replaces the marks of a series; writes none that are stored. */
export function* writeMarks(row: MarksRow): SqlProgram<void> {
  const { series, output_id: outputId, form, packed } = row
  const checksum = calculateMarksChecksum(row)
  const known = yield* query(
    'SELECT 1 FROM enrich.history_marks WHERE series = $1 AND checksum = $2',
    series,
    checksum,
  )
  if (known.length > 0) return
  yield* query(
    `INSERT INTO enrich.history_marks (series, output_id, form, packed, checksum) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (series) DO UPDATE SET output_id = excluded.output_id, form = excluded.form,
       packed = excluded.packed, checksum = excluded.checksum`,
    series,
    outputId,
    form,
    packed,
    checksum,
  )
}

interface NeededEntries {
  readonly entries: ReadonlySet<number>
  /** Outputs that cannot be read. */
  readonly damaged: readonly number[]
}

/** Returns the entries of the outputs that any run still has, and of the marks. */
export function* readNeededEntries(): SqlProgram<NeededEntries> {
  const outputs = yield* query<{ outputId: number }>(
    'SELECT DISTINCT output_id AS "outputId" FROM enrich.history_runs WHERE output_id IS NOT NULL',
  )
  const needed = { entries: new Set<number>(), damaged: [] as number[] }
  for (const { outputId } of outputs) {
    const entries = yield* readOutput(outputId)
    if (entries === null) needed.damaged.push(outputId)
    for (const entry of entries ?? []) needed.entries.add(entry)
  }
  // One at a time: the marks of a series take megabytes.
  for (const { series } of yield* query<{ series: string }>('SELECT series FROM enrich.history_marks'))
    for (const entry of (yield* readMarks(series))?.marks.values ?? []) needed.entries.add(entry)
  return needed
}

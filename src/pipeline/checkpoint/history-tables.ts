import { getFirstLine } from '../../core/text.js'
import { getSqliteCode } from '../../platform/sqlite.js'
import type { EntryFacts, Marks, RunRow, StateFacts } from './history-store.js'
import { UnpackableError, unpackLine, type PackedAnswer } from './packed-answer.js'
import { calculateRowChecksum, hashRow, tableNames, type TableName } from './tables.js'
import { digest } from './lookup.js'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/**
 * - `history_runs`: one row per run; `output_id` is null if no output was written, or it was pruned.
 * - `history_outputs`: the entry of each row of an output, packed; runs with equal outputs share one, and an output may
 * be stored as a difference from another (`base_id`).
 * - `history_entries`: distinct rows of outputs, shared by all runs.
 * - `history_states`: distinct row results, as text, shared by entries. Their sources are the first that were seen.
 * - `history_marks`: let the next run of a series skip unchanged rows. Without them it compares all rows.
 *
 * No row of another table refers to these, and no billing depends on them. Each can be verified: entries, states and
 * outputs by the digest of their content, which is also their lookup key; the others by a checksum.
 */
export const makeHistory = `
  CREATE TABLE history_runs (
    run_id INTEGER PRIMARY KEY,
    series TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    exit_code INTEGER,
    is_published INTEGER NOT NULL,
    baseline INTEGER,
    output_id INTEGER,
    record BLOB NOT NULL,
    checksum BLOB NOT NULL
  ) STRICT;
  CREATE TABLE history_outputs (
    output_id INTEGER PRIMARY KEY,
    base_id INTEGER,
    row_count INTEGER NOT NULL,
    packed BLOB NOT NULL,
    digest BLOB NOT NULL
  ) STRICT;
  CREATE TABLE history_entries (
    entry_id INTEGER PRIMARY KEY,
    address BLOB NOT NULL,
    row_key TEXT,
    name TEXT,
    state_id INTEGER NOT NULL,
    digest BLOB NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE history_states (
    state_id INTEGER PRIMARY KEY,
    status TEXT NOT NULL,
    confidence INTEGER,
    country TEXT,
    packing INTEGER NOT NULL,
    state_bytes INTEGER NOT NULL,
    packed BLOB NOT NULL,
    digest BLOB NOT NULL UNIQUE,
    checksum BLOB NOT NULL
  ) STRICT;
  CREATE TABLE history_marks (
    series TEXT PRIMARY KEY,
    output_id INTEGER NOT NULL,
    form TEXT NOT NULL,
    packed BLOB NOT NULL,
    checksum BLOB NOT NULL
  ) STRICT;`

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
    const ofState = calculateStateDigest(row, state)
    const isSound = ofState.equals(row.digest) && calculateStateChecksum(ofState, state).equals(row.checksum)
    return isSound ? state : null
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

export function calculateMarksChecksum({ series, output_id, form, packed }: MarksRow): Buffer {
  return hashRow(['history_marks', series, output_id, form, digest(packed)])
}

/** Hashes only the first line of a state: the sources after it vary between editions of a registry. */
export function calculateStateDigest({ status, confidence, country }: StateFacts, state: string): Buffer {
  return digest(JSON.stringify([status, confidence, country, getFirstLine(state)]))
}

/** Hashes the whole content of a state. */
export function calculateStateChecksum(ofState: Uint8Array, state: string): Buffer {
  return hashRow(['history_states', toHex(ofState), state])
}

export function calculateEntryDigest({ address, rowKey, name }: EntryFacts, ofState: Uint8Array): Buffer {
  return digest(JSON.stringify([toHex(address), rowKey, name, toHex(ofState)]))
}

export function calculateOutputDigest(rows: Uint32Array): Buffer {
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
export function packOutput(
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

export function unpackMarks(packed: Buffer): Marks {
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

import { getFirstLine } from '../../core/text.js'
import { calculateRowChecksum, digest, hashRow, tableNames, type TableName } from './tables.js'
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

/** A row of `history_runs`, by column name. */
export interface RunRow {
  run_id: number
  series: string
  started_at_ms: number
  ended_at_ms: number | null
  exit_code: number | null
  is_published: number
  baseline: number | null
  output_id: number | null
  /** Compressed JSON. */
  record: Buffer
}

export interface OutputRow {
  output_id: number
  base_id: number | null
  row_count: number
  packed: Buffer
  digest: Buffer
}

/** The result of a row, with the values that are counted. */
export interface StateFacts {
  readonly status: string
  readonly confidence: number | null
  readonly country: string | null
}

export interface EntryFacts {
  readonly address: Uint8Array
  readonly rowKey: string | null
  readonly name: string | null
}

export interface MarksRow {
  series: string
  output_id: number
  /** Format of the marks; marks of another format are ignored. */
  form: string
  packed: Buffer
}

export function calculateRunChecksum(row: RunRow): Buffer {
  return calculateRowChecksum('history_runs', { ...row })
}

export function calculateMarksChecksum({ series, output_id, form, packed }: MarksRow): Buffer {
  return hashRow(['history_marks', series, output_id, form, digest(packed)])
}

/**
 * Hashes only what distinguishes states: the first line has the values; the sources after it vary between editions of a
 * registry.
 */
export function calculateStateDigest({ status, confidence, country }: StateFacts, state: string): Buffer {
  return digest(JSON.stringify([status, confidence, country, getFirstLine(state)]))
}

/** Hashes the whole content of a state. */
export function calculateStateChecksum(ofState: Uint8Array, state: string): Buffer {
  return hashRow(['history_states', toHex(ofState), state])
}

/** Hashes an entry with its state. */
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

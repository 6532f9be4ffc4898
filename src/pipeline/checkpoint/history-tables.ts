import { valuesOfState } from '../answers/published-state.js'
import { checksumOfRow, digest, rowChecksum, tableNames, type TableName } from './tables.js'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/**
 * - `history_runs`: one row a run; `output_id` is null where none was written, or it is not remembered any more.
 * - `history_outputs`: the entry of each row of an output, as `packed-rows.ts` has them; runs whose outputs are equal
 *   share one, and one may stand on another (`base_id`).
 * - `history_entries`: what rows of outputs were; rows alike share one, over all runs.
 * - `history_states`: what became of rows, as text; entries share them. Their sources are the first that were seen.
 * - `history_marks`: by which the next run of a series sees what is as it was. Lost, everything is looked at.
 *
 * No row of another table refers to these, and nothing that bills depends on them. Each can be proven: entries, states
 * and outputs by the digest of what they hold, which is also how they are found again; the others by a checksum.
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

/** A row of `history_runs`, by the names of its columns. */
export interface RunRow {
  run_id: number
  series: string
  started_at_ms: number
  ended_at_ms: number | null
  exit_code: number | null
  is_published: number
  baseline: number | null
  output_id: number | null
  /** JSON, compressed. */
  record: Buffer
}

export interface OutputRow {
  output_id: number
  base_id: number | null
  row_count: number
  packed: Buffer
  digest: Buffer
}

/** What became of rows, with what is counted of it. */
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
  /** How the marks were made: others say nothing. */
  form: string
  packed: Buffer
}

export function runChecksum(row: RunRow): Buffer {
  return checksumOfRow('history_runs', { ...row })
}

export function marksChecksum({ series, output_id, form, packed }: MarksRow): Buffer {
  return rowChecksum(['history_marks', series, output_id, form, digest(packed)])
}

/** Of what tells states apart: a new edition of a registry may state all the same, each in another line of its file. */
export function stateDigest({ status, confidence, country }: StateFacts, state: string): Buffer {
  return digest(JSON.stringify([status, confidence, country, valuesOfState(state)]))
}

/** Of all that a state holds. */
export function stateChecksum(ofState: Uint8Array, state: string): Buffer {
  return rowChecksum(['history_states', hexOf(ofState), state])
}

/** Of an entry, and of the state that it has. */
export function entryDigest({ address, rowKey, name }: EntryFacts, ofState: Uint8Array): Buffer {
  return digest(JSON.stringify([hexOf(address), rowKey, name, hexOf(ofState)]))
}

export function outputDigest(rows: Uint32Array): Buffer {
  return digest(Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength))
}

const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')

/** Numbers as each differs from the one before it: those of rows, or of lookups, are seldom far from each other. */
export function packNumbers(numbers: Uint32Array): Buffer {
  return packDifferences(numbers, (index) => numbers[index - 1] ?? 0)
}

/** Throws where the bytes are not `count` packed numbers. */
export function unpackNumbers(packed: Uint8Array, count: number): Uint32Array {
  const numbers = new Uint32Array(count)
  return unpackDifferences(packed, numbers, (index) => numbers[index - 1] ?? 0)
}

/** Numbers as they differ from others, place by place: next to nothing where few do. */
export function packChanges(numbers: Uint32Array, base: Uint32Array): Buffer {
  return packDifferences(numbers, (index) => base[index] ?? 0)
}

export function unpackChanges(packed: Uint8Array, count: number, base: Uint32Array): Uint32Array {
  return unpackDifferences(packed, new Uint32Array(count), (index) => base[index] ?? 0)
}

/** Quick, and within a tenth of what the highest gives: these are small numbers, not text. */
const compressionLevel = 1
/** Of a difference of two numbers of 32 bits: seven bits a byte. */
const differenceBytesMax = 5

function packDifferences(numbers: Uint32Array, expected: (index: number) => number): Buffer {
  const bytes = Buffer.allocUnsafe(numbers.length * differenceBytesMax)
  let at = 0
  for (let index = 0; index < numbers.length; index++) {
    const difference = (numbers[index] ?? 0) - expected(index)
    // Below zero, the odd ones.
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
      if (byte === undefined) throw new Error('fewer numbers than there should be')
      rest += (byte % 128) * unit
      if (byte < 128) break
      unit *= 128
    }
    numbers[index] = expected(index) + (rest % 2 === 1 ? -(rest + 1) / 2 : rest / 2)
  }
  if (at !== bytes.length) throw new Error('more numbers than there should be')
  return numbers
}

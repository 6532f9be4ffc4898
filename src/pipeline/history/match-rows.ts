import type { PublishedOutput } from './run-record.js'

/** Rows that differ between two outputs. Rows are counted from 0. */
export interface MatchedRows {
  /** In the order of the newer output; `older` is `noRow` for new rows. */
  readonly changed: { readonly newer: Uint32Array; readonly older: Uint32Array }
  /** In the order of the older output. */
  readonly gone: Uint32Array
}

export const noRow = 0xffff_ffff

/**
 * Finds the older row of each newer row. Rows with the same entry are equal, wherever they are; among the others, the
 * n-th row with an address corresponds to the n-th older row with it. Takes about 60 bytes for each differing row and 8
 * for each other row. Reads only entries that differ.
 */
export async function matchRows(older: PublishedOutput, newer: PublishedOutput): Promise<MatchedRows> {
  const [entriesBefore, entriesAfter] = isEqual(older.rows, newer.rows)
    ? [noRows, noRows]
    : [older.rows.slice().sort(), newer.rows.slice().sort()]
  const before = findDifferingRows(older.rows, entriesBefore, entriesAfter)
  const after = findDifferingRows(newer.rows, entriesAfter, entriesBefore)
  const groups = new AddressGroups(before.length + after.length)
  const groupsBefore = await findGroups(older, before, groups)
  const groupsAfter = await findGroups(newer, after, groups)
  const waiting = createRowQueues(before, groupsBefore, groups.count)
  const olderRows = after.map((_, at) => waiting.next(groupsAfter[at] ?? 0))
  return { changed: { newer: after, older: olderRows }, gone: waiting.rest() }
}

const noRows = new Uint32Array(0)

function isEqual(one: Uint32Array, other: Uint32Array): boolean {
  const toBytes = ({ buffer, byteOffset, byteLength }: Uint32Array) =>
    Buffer.from(buffer, byteOffset, byteLength)
  return toBytes(one).equals(toBytes(other))
}

/**
 * Returns the rows whose entry is missing or less frequent in the other output: of rows with the same entry, the last
 * ones. Both lists of entries are sorted.
 */
function findDifferingRows(rows: Uint32Array, entries: Uint32Array, otherEntries: Uint32Array): Uint32Array {
  const differing: number[] = []
  const sharedCounts: number[] = []
  let other = 0
  for (let at = 0; at < entries.length;) {
    const entry = entries[at] ?? 0
    const count = runLength(entries, at)
    while (other < otherEntries.length && (otherEntries[other] ?? 0) < entry) other++
    const sharedCount = otherEntries[other] === entry ? Math.min(count, runLength(otherEntries, other)) : 0
    if (sharedCount < count) {
      differing.push(entry)
      sharedCounts.push(sharedCount)
    }
    at += count
  }
  return selectRows(rows, Uint32Array.from(differing), Uint32Array.from(sharedCounts))
}

function runLength(sorted: Uint32Array, start: number): number {
  let end = start + 1
  while (end < sorted.length && sorted[end] === sorted[start]) end++
  return end - start
}

/**
 * Returns the rows whose entry is in `entries`, except the first `skipped[i]` rows of each entry: those are in both
 * outputs. Counts `skipped` down.
 */
function selectRows(rows: Uint32Array, entries: Uint32Array, skipped: Uint32Array): Uint32Array {
  if (entries.length === 0) return new Uint32Array(0)
  let count = 0
  const found = new Uint32Array(rows.length)
  for (const [row, entry] of rows.entries()) {
    const at = indexIn(entries, entry)
    if (at === -1) continue
    const left = skipped[at] ?? 0
    if (left > 0) skipped[at] = left - 1
    else found[count++] = row
  }
  return found.slice(0, count)
}

function indexIn(sorted: Uint32Array, wanted: number): number {
  let [low, high] = [0, sorted.length - 1]
  while (low <= high) {
    const middle = (low + high) >>> 1
    const value = sorted[middle] ?? 0
    if (value === wanted) return middle
    if (value < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** Returns the group of each row's address. Reads each entry once. */
async function findGroups(
  output: PublishedOutput,
  rows: Uint32Array,
  groups: AddressGroups,
): Promise<Uint32Array> {
  const entries = rows.map((row) => output.rows[row] ?? 0).sort()
  const distinct = entries.filter((entry, at) => at === 0 || entry !== entries[at - 1])
  const groupOfEntry = new Uint32Array(distinct.length)
  for await (const [number, { address }] of output.entries(distinct))
    groupOfEntry[indexIn(distinct, number)] = groups.add(address)
  return rows.map((row) => groupOfEntry[indexIn(distinct, output.rows[row] ?? 0)] ?? 0)
}

/** Queues the rows of each group, in order. */
function createRowQueues(
  rows: Uint32Array,
  groupOfRow: Uint32Array,
  groupCount: number,
): { next(group: number): number; rest(): Uint32Array } {
  const starts = new Uint32Array(groupCount + 1)
  for (const group of groupOfRow) starts[group + 1] = (starts[group + 1] ?? 0) + 1
  for (let group = 0; group < groupCount; group++)
    starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0)
  const sorted = new Uint32Array(rows.length)
  const next = starts.slice(0, groupCount)
  for (const [at, row] of rows.entries()) {
    const group = groupOfRow[at] ?? 0
    sorted[next[group] ?? 0] = row
    next[group] = (next[group] ?? 0) + 1
  }
  next.set(starts.subarray(0, groupCount))
  return {
    next: (group) => {
      const at = next[group] ?? 0
      if (at >= (starts[group + 1] ?? 0)) return noRow
      next[group] = at + 1
      return sorted[at] ?? noRow
    },
    rest: () => {
      let count = 0
      const left = new Uint32Array(rows.length)
      for (let group = 0; group < groupCount; group++)
        for (let at = next[group] ?? 0; at < (starts[group + 1] ?? 0); at++) left[count++] = sorted[at] ?? 0
      return left.slice(0, count).sort()
    },
  }
}

const addressBytes = 16

/** Numbers distinct 16-byte hashes from 0, in 24 to 32 bytes each. Their first bytes give the slot. */
export class AddressGroups {
  readonly #slots: Uint32Array
  readonly #addresses: Uint8Array
  #count = 0

  constructor(addressesMax: number) {
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * addressesMax + 2)))
    this.#addresses = new Uint8Array(addressesMax * addressBytes)
  }

  get count(): number {
    return this.#count
  }

  /** Returns the number of an address, a new one if it was not seen before. */
  add(address: Uint8Array): number {
    if (address.length !== addressBytes) throw new Error(`an address of ${address.length} bytes`)
    const mask = this.#slots.length - 1
    const [a = 0, b = 0, c = 0, d = 0] = address
    for (let slot = ((a << 24) | (b << 16) | (c << 8) | d) & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot] ?? 0
      if (found === 0) return this.#insert(slot, address)
      if (this.#isAt(found - 1, address)) return found - 1
    }
  }

  #insert(slot: number, address: Uint8Array): number {
    this.#addresses.set(address, this.#count * addressBytes)
    this.#slots[slot] = ++this.#count
    return this.#count - 1
  }

  #isAt(group: number, address: Uint8Array): boolean {
    const start = group * addressBytes
    for (let at = 0; at < addressBytes; at++) if (this.#addresses[start + at] !== address[at]) return false
    return true
  }
}

import { createHash } from 'node:crypto'
import { findCountryCode } from '../../core/countries.js'
import type { Lookup } from '../../core/lookup-identity.js'
import { type LookupIdentity, digest } from '../checkpoint/lookup.js'
import type { RowIndex } from '../input/ingest.js'
import type { LineObserver, WrittenLine } from '../answers/joined-line.js'
import { readCountedValues } from './run-record.js'
import { renderPublishedState, publishedStateVersion } from '../answers/published-state.js'
import type { HistoryStore, Marks } from '../checkpoint/checkpoint.js'

/** Returns the form of marks and states. If it changes, the next run reads every line again. */
export const getRecordedForm = (doubtThreshold: number): string =>
  `${publishedStateVersion}/${doubtThreshold}`

/** The user's row keys, in input order. Rows are counted from 0. */
export interface RowKeys {
  read(first: number, count: number): readonly string[]
}

/** The last stored output of a series. */
export interface LastOutput {
  readonly rows: Uint32Array
  /** `null` if they have another form. */
  readonly marks: Marks | null
}

export interface RecorderDeps {
  readonly index: RowIndex
  /** Aligned with the ids; `null` for unknown ones. */
  readonly identitiesOf: (lookupIds: readonly number[]) => readonly (LookupIdentity | null)[]
  readonly store: Pick<HistoryStore, 'addEntries'>
  readonly last: LastOutput | null
  readonly rowKeys: RowKeys | null
}

export interface RecordedOutput {
  readonly rows: Uint32Array
  readonly marks: Marks
}

/** Bytes stored for each answer to detect changes. */
const markBytes = 8

/** The digest of an output without row keys. */
export const noDigest: Buffer = Buffer.alloc(16)

/** Number of entries written in one transaction. */
const batchEntries = 500
const batchRows = 8_192

/**
 * Observes each answer line while the output is written, and records its lookup's result. A line with the same mark
 * keeps the entry of the last output; others get a new entry, stored in the background.
 */
export class OutputRecorder implements LineObserver {
  readonly #deps: RecorderDeps
  readonly #ids: Uint32Array
  /** Entry of each lookup in `#ids`; 0 until its line was seen. */
  readonly #entries: Uint32Array
  readonly #marks: Buffer
  readonly #lastEntries: Uint32Array
  readonly #lastMarks: Buffer
  readonly #seen: Uint8Array
  #waiting: PendingLine[] = []
  #stored: Promise<void> = Promise.resolve()

  constructor(deps: RecorderDeps) {
    this.#deps = deps
    this.#ids = deps.index.getDistinct().ids
    const count = this.#ids.length
    this.#entries = new Uint32Array(count)
    this.#seen = new Uint8Array(count)
    this.#marks = Buffer.alloc(count * markBytes)
    this.#lastEntries = new Uint32Array(count)
    this.#lastMarks = Buffer.alloc(count * markBytes)
    this.#takeLast(deps.last?.marks ?? null)
  }

  onLine(id: number, line: WrittenLine): void {
    const at = findIndexOfId(this.#ids, id)
    if (this.#seen[at] !== 0) return
    this.#seen[at] = 1
    const mark = line.mark ?? digest(line.line)
    mark.copy(this.#marks, at * markBytes, 0, markBytes)
    const known = this.#lastEntries[at] ?? 0
    const end = (at + 1) * markBytes
    if (known !== 0 && this.#lastMarks.compare(mark, 0, markBytes, at * markBytes, end) === 0)
      this.#entries[at] = known
    else {
      this.#waiting.push({ id, at, line: line.line.toString(), needsReview: line.needsReview })
      if (this.#waiting.length >= batchEntries) this.#store()
    }
  }

  /** Call after the last line, while `identitiesOf` still works. Rejects with storage errors. */
  async finish(): Promise<RecordedOutput> {
    this.#store()
    await this.#stored
    const { rowKeys } = this.#deps
    const rows = this.#listRows()
    const rowsDigest = rowKeys === null ? noDigest : this.#digestRows(rows, rowKeys)
    return {
      rows: rowKeys === null ? rows : await this.#addRowKeys(rows, rowKeys, rowsDigest),
      marks: { lookups: this.#ids, values: this.#entries, marks: this.#marks, rowsDigest },
    }
  }

  /** Both lists are in ascending order. */
  #takeLast(last: Marks | null): void {
    if (last === null) return
    let at = 0
    for (let from = 0; from < last.lookups.length; from++) {
      const lookup = last.lookups[from] ?? 0
      while (at < this.#ids.length && (this.#ids[at] ?? 0) < lookup) at++
      if (this.#ids[at] !== lookup) continue
      this.#lastEntries[at] = last.values[from] ?? 0
      last.marks.copy(this.#lastMarks, at * markBytes, from * markBytes, (from + 1) * markBytes)
    }
  }

  #store(): void {
    const batch = this.#waiting
    if (batch.length === 0) return
    this.#waiting = []
    const identities = this.#readIdentities(batch.map(({ id }) => id))
    const entries = batch.map((waiting, index) => createEntry(waiting, identities[index] ?? unknownIdentity))
    const stored = this.#deps.store.addEntries(entries).then((numbers) => {
      for (const [index, { at }] of batch.entries()) this.#entries[at] = numbers[index] ?? 0
    })
    this.#stored = Promise.all([this.#stored, stored]).then(() => undefined)
    // The error is thrown by `finish`.
    this.#stored.catch(() => undefined)
  }

  /** Invalid rows are identified by their reason. */
  #readIdentities(ids: readonly number[]): LookupIdentity[] {
    const { index, identitiesOf } = this.#deps
    const known = identitiesOf(ids.map((id) => (index.getReason(id) === null ? id : 0)))
    return ids.map((id, at) => {
      const reason = index.getReason(id)
      return reason === null ? (known[at] ?? unknownIdentity) : { ...unknownIdentity, key: digest(reason) }
    })
  }

  #listRows(): Uint32Array {
    const { index } = this.#deps
    const rows = new Uint32Array(index.rowCount)
    for (let first = 0; first < rows.length; first += batchRows)
      for (const [offset, id] of index.slice(first, batchRows).entries())
        rows[first + offset] = this.#entries[findIndexOfId(this.#ids, id)] ?? 0
    return rows
  }

  /** Gives each row an entry with its key, derived from its lookup's entry. */
  async #addRowKeys(rows: Uint32Array, keys: RowKeys, rowsDigest: Buffer): Promise<Uint32Array> {
    const { last } = this.#deps
    if (last?.marks?.rowsDigest.equals(rowsDigest) === true) return last.rows
    for (let first = 0; first < rows.length; first += batchRows) {
      const some = rows.subarray(first, first + batchRows)
      const keyed = keys.read(first, some.length).map((rowKey, offset) => ({
        rowKey,
        address: digest(JSON.stringify(rowKey)),
        like: some[offset] ?? 0,
      }))
      some.set(await this.#deps.store.addEntries(keyed))
    }
    return rows
  }

  /** Returns the digest of all keys and entries; if it is equal, so is the output. */
  #digestRows(rows: Uint32Array, keys: RowKeys): Buffer {
    const hash = createHash('sha256')
    for (let first = 0; first < rows.length; first += batchRows) {
      const some = rows.subarray(first, first + batchRows)
      hash.update(JSON.stringify(keys.read(first, some.length)))
      hash.update(Buffer.from(some.buffer, some.byteOffset, some.byteLength))
    }
    return hash.digest().subarray(0, noDigest.length)
  }
}

interface PendingLine {
  readonly id: number
  /** Index in `#ids`. */
  readonly at: number
  readonly line: string
  readonly needsReview: boolean
}

const unknownIdentity: LookupIdentity = { key: Buffer.alloc(16), name: null, location: null }

function createEntry(
  { line, needsReview }: Pick<PendingLine, 'line' | 'needsReview'>,
  { key, name, location }: LookupIdentity,
) {
  const { country, ...counted } = readCountedValues(line)
  const state = renderPublishedState(line, needsReview)
  return {
    address: key,
    rowKey: null,
    name,
    state,
    ...counted,
    country: country ?? findCountry(name, location),
  }
}

/** The country of the number, else of the location: columns are joined in an order that puts the country last. A small letter alone, as in a broken row, is no code of a vehicle. */
function findCountry(name: Lookup['name'] | null, location: Lookup['location']): string | null {
  const stated = /\(company number ([A-Z]{2})(?:-[A-Z]+)? [^()]*\d/.exec(name ?? '')?.[1]
  if (stated !== undefined) return stated
  const last = location?.split(',').at(-1)?.trim() ?? ''
  const isOther = /^(?:\s*\p{Ll}\s*|.*,\s*\d+\s*)$/su.test(location ?? '')
  return last === '' || isOther ? null : findCountryCode(last)
}

/** Returns the index of an id in ascending `ids`, which contain it. */
function findIndexOfId(ids: Uint32Array, id: number): number {
  let low = 0
  let high = ids.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ids[middle] ?? 0) < id) low = middle + 1
    else high = middle
  }
  return low
}

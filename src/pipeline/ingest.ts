import { createHash } from 'node:crypto'
import type { LookupColumns } from './rules/detect-columns.js'
import { identify, identityText, type Lookup } from '../core/identity.js'
import { openSqlite } from '../platform/sqlite.js'
import type { LookupId } from './checkpoint/checkpoint.js'
import type { Input } from './input/input.js'
import { RowIndex } from './input/row-index.js'

export interface KeyedLookup {
  key: Uint8Array
  lookup: Lookup
}

export interface IngestDeps {
  input: Input
  columns: LookupColumns
  /** Rows that ask the same share one lookup; otherwise the second of them asks on its own account. */
  dedupe: boolean
  /** Gives each lookup its id, in order; 0 where it has none. */
  place: (lookups: readonly KeyedLookup[]) => Promise<readonly LookupId[]>
  signal: AbortSignal
}

/** Bytes of a key: 128 bits of SHA-256, beyond any accidental collision. */
const keyBytes = 16

/** The first pass over the input: every row becomes a lookup or a reason why it is none. */
export async function ingest(deps: IngestDeps): Promise<RowIndex> {
  const { name, location, context } = deps.columns
  const index = new RowIndex()
  const occurrences = deps.dedupe ? null : new OccurrenceCounter()
  try {
    for await (const rows of deps.input.keyRows([name, ...location, ...context])) {
      deps.signal.throwIfAborted()
      const identified = rows.map(([nameCell = null, ...cells]) =>
        identify(nameCell, cells.slice(0, location.length), cells.slice(location.length)),
      )
      const lookups = identified
        .filter((row) => row.kind === 'lookup')
        .map(({ lookup }) => ({ key: keyOf(lookup, occurrences), lookup }))
      const ids = (await deps.place(lookups)).values()
      for (const row of identified) {
        if (row.kind === 'invalid') index.addInvalid(row.reason)
        else index.add(ids.next().value ?? 0)
      }
    }
    return index
  } finally {
    occurrences?.close()
  }
}

/** What a lookup is known by in a checkpoint. */
export const lookupKey = (lookup: Lookup): Uint8Array => hash(identityText(lookup, 0))

function keyOf(lookup: Lookup, occurrences: OccurrenceCounter | null): Uint8Array {
  const key = lookupKey(lookup)
  const occurrence = occurrences?.next(key) ?? 0
  return occurrence === 0 ? key : hash(identityText(lookup, occurrence))
}

function hash(text: string): Uint8Array {
  return createHash('sha256').update(text).digest().subarray(0, keyBytes)
}

/** How often a key was seen before; on disk, so that memory stays flat. */
class OccurrenceCounter {
  readonly #database = openSqlite('', { synchronous: 'NORMAL', journal: 'OFF' })
  readonly #next

  constructor() {
    this.#database.exec('CREATE TABLE seen (key BLOB PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID')
    this.#next = this.#database
      .prepare<[Uint8Array], number>(
        'INSERT INTO seen VALUES (?, 0) ON CONFLICT (key) DO UPDATE SET count = count + 1 RETURNING count',
      )
      .pluck()
  }

  next(key: Uint8Array): number {
    return this.#next.get(key) ?? 0
  }

  close(): void {
    this.#database.close()
  }
}

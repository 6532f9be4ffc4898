import { createHash } from 'node:crypto'
import type { LookupColumns } from './rules/detect-columns.js'
import { identify, identityText, type Lookup } from '../core/identity.js'
import { openSqlite } from '../platform/sqlite.js'
import type { LookupId } from './checkpoint/checkpoint.js'
import type { Input, MemberRow, TextRow } from './input/input.js'
import type { RowSpool } from './output/row-spool.js'
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
  /** Where rows wait for the writing of the output, if they do. */
  spool: RowSpool | null
  signal: AbortSignal
}

/** Bytes of a key: 128 bits of SHA-256, beyond any accidental collision. */
const keyBytes = 16

/** Placed at one time: each time is a commit of the checkpoint, and a sync of the disk. */
const placedRowsMin = 8_192

/** The first pass over the input: every row becomes a lookup or a reason why it is none. */
export async function ingest(deps: IngestDeps): Promise<RowIndex> {
  const { signal, spool } = deps
  const index = new RowIndex()
  const occurrences = deps.dedupe ? null : new OccurrenceCounter()
  const placer = new RowPlacer(deps, index, occurrences)
  try {
    let waiting: TextRow[] = []
    for await (const { cells, rows } of keyBatches(deps)) {
      signal.throwIfAborted()
      await spool?.add(rows)
      waiting.push(...cells)
      if (waiting.length < placedRowsMin) continue
      await placer.place(waiting)
      waiting = []
    }
    if (waiting.length > 0) await placer.place(waiting)
    await spool?.end()
    return index
  } finally {
    occurrences?.close()
  }
}

interface KeyBatch {
  readonly cells: readonly TextRow[]
  /** The same rows, where they are spooled. */
  readonly rows: readonly MemberRow[]
}

async function* keyBatches({ input, columns, spool }: IngestDeps): AsyncGenerator<KeyBatch> {
  const names = [columns.name, ...columns.location, ...columns.context]
  const memberRows = spool === null ? null : input.keyMemberRows(names)
  if (memberRows === null) for await (const cells of input.keyRows(names)) yield { cells, rows: [] }
  else for await (const rows of memberRows) yield { cells: rows.map((row) => row.cells), rows }
}

/** Finds the lookup of each row. Rows that look the same in all they ask are found without asking again. */
class RowPlacer {
  readonly #deps: IngestDeps
  readonly #index: RowIndex
  readonly #occurrences: OccurrenceCounter | null
  /** By all cells that are asked; not kept where each row counts. */
  readonly #known = new Map<string, LookupId>()

  constructor(deps: IngestDeps, index: RowIndex, occurrences: OccurrenceCounter | null) {
    this.#deps = deps
    this.#index = index
    this.#occurrences = occurrences
  }

  async place(rows: readonly TextRow[]): Promise<void> {
    const keys = rows.map(cellsKey)
    const identified = rows.map((row, at) => (this.#known.has(keys[at] ?? '') ? null : this.#identify(row)))
    const lookups = identified
      .filter((row) => row?.kind === 'lookup')
      .map(({ lookup }) => ({ key: keyOf(lookup, this.#occurrences), lookup }))
    const ids = (lookups.length === 0 ? [] : await this.#deps.place(lookups)).values()
    for (const [at, row] of identified.entries()) {
      const key = keys[at] ?? ''
      if (row === null) this.#index.add(this.#known.get(key) ?? 0)
      else if (row.kind === 'invalid') this.#index.addInvalid(row.reason)
      else this.#remember(key, ids.next().value ?? 0)
    }
    if (this.#known.size > knownRowsMax) this.#known.clear()
  }

  #identify([nameCell = null, ...cells]: TextRow) {
    const locationCount = this.#deps.columns.location.length
    return identify(nameCell, cells.slice(0, locationCount), cells.slice(locationCount))
  }

  #remember(key: string, id: LookupId): void {
    this.#index.add(id)
    if (this.#occurrences === null) this.#known.set(ownCopy(key), id)
  }
}

/** Remembered at one time: some 20 MB. */
const knownRowsMax = 100_000

/** Cells as one text, from which they could be read again: different rows never have the same. */
function cellsKey(cells: TextRow): string {
  let key = ''
  for (const cell of cells) key += cell === null ? '-' : `${cell.length}:${cell}`
  return key
}

/** The same text without the piece of the input that its cells were cut out of, which would stay in memory with it. */
const ownCopy = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')

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

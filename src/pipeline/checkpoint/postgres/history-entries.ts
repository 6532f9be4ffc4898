import { GroupCommit, type ItemResult } from '../../../platform/group-commit.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { EntryFacts, KeyedEntry, NewEntry, StateFacts } from '../history-store.js'
import { calculateEntryDigest, calculateStateChecksum, calculateStateDigest } from '../history-tables.js'
import { packAnswer } from '../packed-answer.js'
import type { SharedStore } from './store.js'

/** A state in its stored form. */
interface PackedState extends StateFacts {
  readonly packing: number
  readonly stateBytes: number
  readonly packed: Buffer
  readonly checksum: Buffer
}

interface EntryItem {
  readonly entry: EntryFacts
  readonly digest: Buffer
  readonly ofState: Buffer
  /** A number if the state is already stored. */
  readonly state: PackedState | number
}

/** Highest number of entries sent in one transaction. */
const entriesAtOnce = 5_000

/** Serialises the insertion of entries, so that those of one output get adjacent numbers. */
const entriesLock = 7_305_511_970

/** Stores entries of outputs. Groups concurrent additions in one transaction; equal entries share a row. */
export class EntryWriter {
  readonly #store: SharedStore
  readonly #commits = new GroupCommit<readonly EntryItem[], number[]>((lists) => this.#commit(lists))

  constructor(store: SharedStore) {
    this.#store = store
  }

  /** Returns the entries' numbers, aligned. */
  async add(entries: readonly (NewEntry | KeyedEntry)[]): Promise<number[]> {
    const likeOf = await this.#readLike(entries.flatMap((entry) => ('like' in entry ? [entry.like] : [])))
    return this.#commits.add(
      entries.map((entry) => {
        if (!('like' in entry)) return toItem(entry)
        const { name, stateId, ofState } = likeOf(entry.like)
        const facts = { address: entry.address, rowKey: toStorable(entry.rowKey), name }
        return { entry: facts, ofState, state: stateId, digest: calculateEntryDigest(facts, ofState) }
      }),
    )
  }

  async #readLike(numbers: readonly number[]): Promise<(number: number) => SourceEntry> {
    const rows =
      numbers.length === 0
        ? []
        : await this.#store.query<SourceEntry>(
            `SELECT e.entry_id AS "entryId", e.name, e.state_id AS "stateId", s.digest AS "ofState"
             FROM enrich.history_entries e JOIN enrich.history_states s USING (state_id)
             WHERE e.entry_id = ANY($1::bigint[])`,
            [[...new Set(numbers)]],
          )
    const byNumber = new Map(rows.map((row) => [row.entryId, row]))
    return (number) => {
      const found = byNumber.get(number)
      if (found === undefined) throw new Error(`there is no entry ${number}`)
      return found
    }
  }

  async #commit(lists: readonly (readonly EntryItem[])[]): Promise<ItemResult<number[]>[]> {
    const items = lists.flat()
    const numbers = new Map<string, number>()
    for (let start = 0; start < items.length; start += entriesAtOnce)
      await this.#write(items.slice(start, start + entriesAtOnce), numbers)
    return lists.map((list) => ({ value: list.map(({ digest }) => numbers.get(toHex(digest)) ?? 0) }))
  }

  async #write(items: readonly EntryItem[], numbers: Map<string, number>): Promise<void> {
    const fresh = indexByKey(items, ({ digest }) => toHex(digest))
    await findEntries(this.#store, fresh, numbers)
    const missing = [...fresh].filter(([digest]) => !numbers.has(digest)).map(([, item]) => item)
    if (missing.length === 0) return
    const found = new Map<string, number>()
    await this.#store.withTransaction(async (statements) => {
      found.clear()
      await statements.query('SELECT pg_advisory_xact_lock($1)', [entriesLock])
      const stateIds = await makeStates(statements, missing)
      await makeEntries(statements, missing, stateIds, found)
    })
    for (const [digest, number] of found) numbers.set(digest, number)
  }
}

interface SourceEntry {
  readonly entryId: number
  readonly name: string | null
  readonly stateId: number
  readonly ofState: Buffer
}

/** PostgreSQL text cannot contain NUL or lone surrogates. Checksums cover the stored text. */
function toStorable<Text extends string | null>(text: Text): Text | string {
  return text === null ? text : text.replaceAll('\0', ' ').toWellFormed()
}

function toItem({ address, rowKey, name, state, ...facts }: NewEntry): EntryItem {
  const counted = {
    status: toStorable(facts.status),
    confidence: facts.confidence,
    country: toStorable(facts.country),
  }
  const ofState = calculateStateDigest(counted, state)
  const { packing, lineBytes: stateBytes, packed } = packAnswer(state, '')
  const entry = { address, rowKey: toStorable(rowKey), name: toStorable(name) }
  const checksum = calculateStateChecksum(ofState, state)
  return {
    entry,
    ofState,
    digest: calculateEntryDigest(entry, ofState),
    // A copy, because the packed slice would keep its whole buffer in memory.
    state: { ...counted, packing, stateBytes, packed: Buffer.from(packed), checksum },
  }
}

async function findEntries(
  statements: PostgresStatements,
  items: ReadonlyMap<string, EntryItem>,
  numbers: Map<string, number>,
): Promise<void> {
  const rows = await statements.query<{ digest: Buffer; entryId: number }>(
    'SELECT digest, entry_id AS "entryId" FROM enrich.history_entries WHERE digest = ANY($1::bytea[])',
    [[...items.values()].map(({ digest }) => digest)],
  )
  for (const { digest, entryId } of rows) numbers.set(toHex(digest), entryId)
}

/** Returns the states' ids by digest and inserts missing states. The caller holds the lock. */
async function makeStates(
  statements: PostgresStatements,
  items: readonly EntryItem[],
): Promise<Map<string, number>> {
  const wanted = indexByKey(items, ({ ofState }) => toHex(ofState))
  const ids = new Map<string, number>()
  const note = (rows: readonly { digest: Buffer; stateId: number }[]) => {
    for (const { digest, stateId } of rows) ids.set(toHex(digest), stateId)
  }
  note(
    await statements.query(
      'SELECT digest, state_id AS "stateId" FROM enrich.history_states WHERE digest = ANY($1::bytea[])',
      [[...wanted.values()].map(({ ofState }) => ofState)],
    ),
  )
  const fresh = [...wanted].flatMap(([digest, { ofState, state }]) =>
    ids.has(digest) || typeof state === 'number' ? [] : [{ ofState, ...state }],
  )
  if (fresh.length === 0) return ids
  note(
    await statements.query(
      `INSERT INTO enrich.history_states
         (status, confidence, country, packing, state_bytes, packed, digest, checksum)
       SELECT status, confidence, country, packing, state_bytes, packed, digest, checksum
       FROM unnest($1::text[], $2::integer[], $3::text[], $4::integer[], $5::integer[], $6::bytea[], $7::bytea[],
         $8::bytea[]) WITH ORDINALITY
         AS n(status, confidence, country, packing, state_bytes, packed, digest, checksum, ordinal)
       ORDER BY ordinal RETURNING digest, state_id AS "stateId"`,
      [
        fresh.map(({ status }) => status),
        fresh.map(({ confidence }) => confidence),
        fresh.map(({ country }) => country),
        fresh.map(({ packing }) => packing),
        fresh.map(({ stateBytes }) => stateBytes),
        fresh.map(({ packed }) => packed),
        fresh.map(({ ofState }) => ofState),
        fresh.map(({ checksum }) => checksum),
      ],
    ),
  )
  return ids
}

/** In order, so that adjacent rows get adjacent numbers. */
async function makeEntries(
  statements: PostgresStatements,
  items: readonly EntryItem[],
  stateIds: ReadonlyMap<string, number>,
  numbers: Map<string, number>,
): Promise<void> {
  // Another process may have inserted some before this one got the lock.
  await findEntries(
    statements,
    indexByKey(items, ({ digest }) => toHex(digest)),
    numbers,
  )
  const fresh = items.filter(({ digest }) => !numbers.has(toHex(digest)))
  if (fresh.length === 0) return
  const rows = await statements.query<{ digest: Buffer; entryId: number }>(
    `INSERT INTO enrich.history_entries (address, row_key, name, state_id, digest)
     SELECT address, row_key, name, state_id, digest
     FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bigint[], $5::bytea[]) WITH ORDINALITY
       AS n(address, row_key, name, state_id, digest, ordinal)
     ORDER BY ordinal RETURNING digest, entry_id AS "entryId"`,
    [
      fresh.map(({ entry }) => toBytes(entry.address)),
      fresh.map(({ entry }) => entry.rowKey),
      fresh.map(({ entry }) => entry.name),
      fresh.map(({ state, ofState }) =>
        typeof state === 'number' ? state : (stateIds.get(toHex(ofState)) ?? null),
      ),
      fresh.map(({ digest }) => digest),
    ],
  )
  for (const { digest, entryId } of rows) numbers.set(toHex(digest), entryId)
}

function indexByKey<Item>(items: readonly Item[], getKey: (item: Item) => string): Map<string, Item> {
  const found = new Map<string, Item>()
  for (const item of items) if (!found.has(getKey(item))) found.set(getKey(item), item)
  return found
}

const toHex = (bytes: Buffer): string => bytes.toString('hex')

const toBytes = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

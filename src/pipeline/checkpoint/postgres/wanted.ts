import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { KeyedLookup, LookupId } from '../checkpoint.js'
import { beginKind } from './job.js'
import type { SharedStore } from './store.js'

/** Sent at a time. */
const lookupsAtOnce = 5_000

interface Asked {
  readonly lookup: KeyedLookup
  readonly scopeId: number
  readonly position: number
}

/**
 * Takes lookups into what this process wants, and gives their ids, in order. Those that nobody asked before are made; what
 * another process makes at the same time is one lookup.
 */
export async function wantLookups(
  store: SharedStore,
  lookups: readonly KeyedLookup[],
  isFirst: boolean,
): Promise<LookupId[]> {
  for (const kind of new Set(lookups.map((lookup) => lookup.kind))) await beginKind(store, kind)
  const ids: LookupId[] = []
  for (let start = 0; start < lookups.length; start += lookupsAtOnce) {
    const some = lookups.slice(start, start + lookupsAtOnce)
    for (const id of await wantSome(store, some, isFirst)) ids.push(id)
  }
  return ids
}

async function wantSome(
  store: SharedStore,
  lookups: readonly KeyedLookup[],
  isFirst: boolean,
): Promise<LookupId[]> {
  const asked = lookups.map((lookup) => ({
    lookup,
    scopeId: store.scopeId(lookup.kind),
    position: store.nextPosition(),
  }))
  const ids = new Map<number, LookupId>()
  const wantKnown = async (some: readonly Asked[]) => {
    const found = await insertWanted(store, some, isFirst)
    for (const { position, lookupId } of found) ids.set(position, lookupId)
    const nameless = new Map(found.flatMap((one) => (one.isNameless ? [[one.position, one.lookupId]] : [])))
    if (nameless.size > 0) await nameLookups(store, some, nameless)
  }
  await wantKnown(asked)
  const fresh = asked.filter(({ position }) => !ids.has(position))
  if (fresh.length > 0) {
    await insertLookups(store, fresh)
    await wantKnown(fresh)
  }
  return asked.map(({ position }) => {
    const id = ids.get(position)
    if (id === undefined) throw new Error('a lookup was not made')
    return id
  })
}

const hexOf = (key: Uint8Array): string => Buffer.from(key).toString('hex')

/** In the order of their keys: who makes the same ones at the same time waits, and never for each other. */
async function insertLookups(statements: PostgresStatements, asked: readonly Asked[]): Promise<void> {
  await statements.query(
    `INSERT INTO enrich.lookups (scope_id, key, name, location, context)
     SELECT DISTINCT ON (scope_id, key) scope_id, key, name, location, context FROM (
       SELECT a.scope_id, decode(a.key, 'hex') AS key, a.name, a.location, a.context, a.ordinal
       FROM unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY
         AS a(scope_id, key, name, location, context, ordinal)) a
     ORDER BY scope_id, key, ordinal
     ON CONFLICT (scope_id, key) DO NOTHING`,
    [
      asked.map(({ scopeId }) => scopeId),
      asked.map(({ lookup }) => hexOf(lookup.key)),
      asked.map(({ lookup }) => storable(lookup.lookup.name)),
      asked.map(({ lookup }) => storable(lookup.lookup.location)),
      asked.map(({ lookup }) => storable(lookup.lookup.context)),
    ],
  )
}

/** What was put back from a list of charges has its name again. */
async function nameLookups(
  statements: PostgresStatements,
  asked: readonly Asked[],
  ids: ReadonlyMap<number, LookupId>,
): Promise<void> {
  for (const { position, lookup } of asked) {
    const lookupId = ids.get(position)
    if (lookupId === undefined) continue
    const { name, location, context } = lookup.lookup
    await statements.query(
      `UPDATE enrich.lookups SET name = $2, location = $3, context = $4 WHERE lookup_id = $1 AND name = ''`,
      [lookupId, storable(name), storable(location), storable(context)],
    )
  }
}

/** PostgreSQL keeps no NUL in a text; no name has one after it is tidied, and a location might. */
export const storable = <Text extends string | null>(text: Text): Text | string =>
  text?.replaceAll('\0', ' ') ?? text

/** What is known of them is wanted; the first position of each counts. */
function insertWanted(
  store: SharedStore,
  asked: readonly Asked[],
  isFirst: boolean,
): Promise<{ position: number; lookupId: LookupId; isNameless: boolean }[]> {
  return store.query(
    `WITH found AS MATERIALIZED (
       SELECT a.scope_id, a.position, l.lookup_id, a.is_decided, l.name = '' AS is_nameless
       FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::boolean[]) AS a(scope_id, position, key, is_decided)
       JOIN enrich.lookups l ON l.scope_id = a.scope_id AND l.key = decode(a.key, 'hex')
     ), wanted AS (
       INSERT INTO enrich.wanted (worker_id, scope_id, position, lookup_id, is_first, is_decided)
       SELECT $1, scope_id, position, lookup_id, $6, is_decided FROM found ORDER BY position
       ON CONFLICT DO NOTHING
     )
     SELECT position, lookup_id AS "lookupId", is_nameless AS "isNameless" FROM found`,
    [
      store.workerId,
      asked.map(({ scopeId }) => scopeId),
      asked.map(({ position }) => position),
      asked.map(({ lookup }) => hexOf(lookup.key)),
      asked.map(({ lookup }) => lookup.isDecided === true),
      isFirst,
    ],
  )
}

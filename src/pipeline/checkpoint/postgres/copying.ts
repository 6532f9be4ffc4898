import { scopeOf, type LookupKind } from '../../rules/lookup-kind.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { LookupId } from '../checkpoint.js'
import { copiedColumns, type CopiedLookup, type LocalCopy } from './local-copy.js'
import type { SharedStore } from './store.js'

/** Answers take some kilobytes each. */
const copiedAtOnce = 2_000

/** Puts all that this process wants into the copy, a page at a time. */
export async function copyWanted(store: SharedStore, copy: LocalCopy): Promise<void> {
  let [scopeId, position] = [0, 0]
  for (;;) {
    const page = await store.query<CopiedLookup & { wanted_scope_id: number; position: number }>(
      `SELECT w.scope_id AS wanted_scope_id, w.position, ${copiedColumns}
       FROM enrich.wanted w JOIN enrich.lookups l ON l.lookup_id = w.lookup_id
       JOIN enrich.scopes sc ON sc.scope_id = l.scope_id LEFT JOIN enrich.answers a ON a.lookup_id = l.lookup_id
       WHERE w.worker_id = $1 AND (w.scope_id, w.position) > ($2, $3)
       ORDER BY w.scope_id, w.position LIMIT $4`,
      [store.workerId, scopeId, position, copiedAtOnce],
    )
    if (page.length > 0) await copy.put(page)
    const last = page.at(-1)
    if (last === undefined || page.length < copiedAtOnce) return store.assertRemembered()
    scopeId = last.wanted_scope_id
    position = last.position
  }
}

/** Puts what is known of lookups into the copy. */
export async function copyLookups(
  statements: PostgresStatements,
  copy: LocalCopy,
  lookupIds: readonly LookupId[],
): Promise<void> {
  for (let start = 0; start < lookupIds.length; start += copiedAtOnce) {
    const page = await statements.query<CopiedLookup>(
      `SELECT ${copiedColumns} FROM enrich.lookups l JOIN enrich.scopes sc ON sc.scope_id = l.scope_id
       LEFT JOIN enrich.answers a ON a.lookup_id = l.lookup_id WHERE l.lookup_id = ANY($1::bigint[])`,
      [lookupIds.slice(start, start + copiedAtOnce)],
    )
    if (page.length > 0) await copy.put(page)
  }
}

/** The same of lookups of one kind, by their keys. */
export async function copyKnown(
  statements: PostgresStatements,
  copy: LocalCopy,
  { base, kind }: { base: string; kind: LookupKind },
  keys: readonly Uint8Array[],
): Promise<void> {
  for (let start = 0; start < keys.length; start += copiedAtOnce) {
    const some = keys.slice(start, start + copiedAtOnce).map((key) => Buffer.from(key).toString('hex'))
    const page = await statements.query<CopiedLookup>(
      `SELECT ${copiedColumns} FROM enrich.scopes sc JOIN enrich.lookups l ON l.scope_id = sc.scope_id
       LEFT JOIN enrich.answers a ON a.lookup_id = l.lookup_id
       WHERE sc.scope = $1 AND l.key = ANY(ARRAY(SELECT decode(k, 'hex') FROM unnest($2::text[]) AS k))`,
      [scopeOf(base, kind), some],
    )
    if (page.length > 0) await copy.put(page)
  }
}

import { createHash } from 'node:crypto'
import { identityText, type Lookup } from '../core/identity.js'
import type { LookupKind } from './rules/lookup-kind.js'

/** Bytes of a key: 128 bits of SHA-256, beyond any accidental collision. */
const keyBytes = 16

/**
 * What a lookup is known by in the scope of its kind. `occurrence` counts equal names apart when each row is to be
 * asked on its own (from 0); a domain, an entity or a hierarchy is asked once.
 */
export function lookupKey(kind: LookupKind, lookup: Lookup, occurrence = 0): Uint8Array {
  const text =
    kind === 'resolution' ? identityText(lookup, occurrence) : JSON.stringify([1, kind, lookup.name])
  return createHash('sha256').update(text).digest().subarray(0, keyBytes)
}

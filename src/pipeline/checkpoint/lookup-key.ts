import { createHash } from 'node:crypto'
import { toIdentityText, type Lookup } from '../../core/lookup-identity.js'
import { toKeyText } from '../../core/lookup-state.js'
import { lookupKinds, type StageKind } from '../../core/lookup-kinds.js'
import type { CheckpointReader, KeyedLookup, LookupId } from './checkpoint.js'

/** Key length: 128 bits of SHA-256, enough to exclude accidental collisions. */
const keyBytes = 16

/** Returns the key of a resolution; `occurrence` separates equal rows if each row counts. */
export const calculateResolutionKey = (lookup: Lookup, occurrence = 0): Uint8Array =>
  hash(toIdentityText(lookup, occurrence))

/** Builds a lookup of another kind, by root domain or company id. */
export function buildStageLookup(kind: StageKind, name: string): KeyedLookup {
  return { kind, key: hash(toKeyText(kind, name)), lookup: { name, location: null, context: null } }
}

/** Returns the ids of lookups of any kinds, in their order; 0 for an unknown one. */
export function findLookupIds(
  reader: Pick<CheckpointReader, 'find'>,
  lookups: readonly KeyedLookup[],
): LookupId[] {
  const ids = lookups.map(() => 0)
  for (const kind of lookupKinds) {
    const positions = lookups.flatMap((lookup, position) => (lookup.kind === kind ? [position] : []))
    if (positions.length === 0) continue
    const keys = positions.map((position) => lookups[position]?.key ?? new Uint8Array())
    for (const [at, id] of reader.find(kind, keys).entries()) ids[positions[at] ?? 0] = id
  }
  return ids
}

/** Fetches the state of these lookups, of any kinds, so that they can be read. */
export async function fetchKnown(
  reader: Pick<CheckpointReader, 'fetch'>,
  lookups: readonly KeyedLookup[],
): Promise<void> {
  for (const kind of lookupKinds) {
    const keys = lookups.filter((lookup) => lookup.kind === kind).map(({ key }) => key)
    if (keys.length > 0) await reader.fetch({ kind, keys })
  }
}

function hash(text: string): Uint8Array {
  return createHash('sha256').update(text).digest().subarray(0, keyBytes)
}

/** Identity of a submission, which the service echoes: one attempt at one lookup of one checkpoint. */
export interface SubmissionName {
  checkpointId: string
  scopeId: number
  /** The lookup's key, in lower-case hex. */
  keyHex: string
  attempt: number
  /** Number of accepted rollbacks, so that the id of a lost submission is not used again. */
  generation: number
}

/** Formats a custom_id of at most 111 characters (200 are allowed). Generation 0 is omitted, as in earlier versions. */
export function formatCustomId(name: SubmissionName): string {
  const generation = name.generation === 0 ? '' : `_${name.generation}`
  return `enr_${name.checkpointId}_${name.scopeId}_${name.keyHex}_${name.attempt}${generation}`
}

const pattern = /^enr_([0-9a-z-]{1,40})_([1-9]\d{0,9})_([0-9a-f]{32})_([1-9]\d{0,9})(?:_([1-9]\d{0,9}))?$/

/** Parses a custom_id; null if no checkpoint created it. */
export function parseCustomId(text: string): SubmissionName | null {
  const [, checkpointId, scopeId, keyHex, attempt, generation = '0'] = pattern.exec(text) ?? []
  if (checkpointId === undefined || scopeId === undefined || keyHex === undefined) return null
  return {
    checkpointId,
    scopeId: Number(scopeId),
    keyHex,
    attempt: Number(attempt),
    generation: Number(generation),
  }
}

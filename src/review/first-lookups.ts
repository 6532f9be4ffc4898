import type { CheckpointReader, LookupId } from '../pipeline/checkpoint/checkpoint.js'
import { firstKinds } from '../pipeline/rules/lookup-kind.js'

/** What rows ask first, by name or by domain, of lookups by their keys in hexadecimal digits; aligned, 0: not known. */
export function findFirst(reader: Pick<CheckpointReader, 'find'>, lookups: readonly string[]): LookupId[] {
  const keys = lookups.map((lookup) => Buffer.from(lookup, 'hex'))
  const found = firstKinds.map((kind) => reader.find(kind, keys))
  return lookups.map((_, at) => found.map((ids) => ids[at] ?? 0).find((id) => id !== 0) ?? 0)
}

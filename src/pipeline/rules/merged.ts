import type { RunObjectLenient } from '../../contract/resolution.js'
import type { Exchange } from '../../core/exchange.js'
import { at, textOf } from '../../core/lenient.js'

/** A chain of merged ids is followed no further than this. */
const mergeHopsMax = 8
const idCharsMax = 200

/** The id that a finished run says its entity was merged into, or null. */
export function mergedIntoOf(run: RunObjectLenient): string | null {
  return textOf(at(run.data, 'merged_into'))
}

/**
 * What the reading of an entity says about a chain that has come to its id, the last one seen: it was merged
 * again, it is where the chain ends (also when it cannot be read: then it is the best that is known), or the
 * chain goes in a circle (interface: "v3 entity enrichment", merged ids); or it is the record of another entity.
 * The record of a merged id is that of the one it was merged into, and bears no id that could prove it.
 */
export function followMerge(
  seen: readonly string[],
  exchange: Exchange,
): { kind: 'end' } | { kind: 'next'; id: string } | { kind: 'circle' } | { kind: 'misdirected'; id: string } {
  const body = exchange.kind === 'reply' && exchange.status === 200 ? exchange.body : undefined
  const record = textOf(at(body, 'entity', 'id'))
  if (record?.startsWith('siq_') === true && at(body, 'status') !== 'merged' && record !== seen.at(-1)) {
    return { kind: 'misdirected', id: record.slice(0, idCharsMax) }
  }
  const id = at(body, 'status') === 'merged' ? textOf(at(body, 'merged_into')) : null
  if (id === null || seen.length > mergeHopsMax) return { kind: 'end' }
  return seen.includes(id) ? { kind: 'circle' } : { kind: 'next', id }
}

/** The run with the end of its chain in `merged_into`, and the ids on the way there kept beside it. */
export function withChain(run: RunObjectLenient, seen: readonly string[]): RunObjectLenient {
  return seen.length < 2 ? run : { ...run, data: { ...run.data, merged_into: seen.at(-1), merged_via: seen } }
}

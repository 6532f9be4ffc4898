import type { Settings } from '../../config/settings.js'
import { openCheckpointReader } from '../../pipeline/checkpoint/reader.js'
import { readStandingDecisions } from '../../pipeline/decisions/read-standing.js'
import { decisionService, type Verdict } from '../../pipeline/decisions/decision.js'
import { firstKinds } from '../../pipeline/rules/lookup-kind.js'

/** Lookups of a checkpoint that people decided, by what they said. */
export type DecidedCounts = Readonly<Record<Verdict, number>>

/** Of lookups that were asked of each service. Throws DECISIONS_* and REVIEW_STORE_*. */
export async function decidedCountsOf(
  { checkpoint: { path }, decisions }: Pick<Settings, 'checkpoint' | 'decisions'>,
  scopes: readonly string[],
): Promise<ReadonlyMap<string, DecidedCounts>> {
  const counts = new Map<string, DecidedCounts>()
  for (const scope of scopes) {
    const service = decisionService(scope.startsWith('embedded:') ? null : scope)
    const { byLookup } = await readStandingDecisions({ ...decisions, checkpointPath: path, service })
    const reader = openCheckpointReader(path, scope)
    try {
      const keys = [...byLookup.keys()].map((lookup) => Buffer.from(lookup, 'hex'))
      const found = firstKinds.map((kind) => reader?.find(kind, keys) ?? [])
      const known = [...byLookup.values()].filter((_, at) => found.some((ids) => (ids[at] ?? 0) !== 0))
      const countOf = (verdict: Verdict) => known.filter((one) => one.verdict === verdict).length
      counts.set(scope, { accepted: countOf('accepted'), none: countOf('none') })
    } finally {
      reader?.close()
    }
  }
  return counts
}

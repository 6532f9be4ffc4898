import type { Clock } from '../../../platform/clock.js'
import { createGatheredCommits, type Settled } from '../../../platform/gathered-commits.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { limitOf, windowKey, type RateDecision, type RateLimiter } from '../limits/rate-limiter.js'

interface Asked {
  readonly key: string
  readonly perMinute: number
}

interface Window {
  readonly key: string
  /** How many of those that were asked for may go. */
  readonly grantedCount: number
  readonly usedCount: number
  /** To the end of the minute, by the clock of the server. */
  readonly leftMs: number
}

/**
 * A minute is the server's; one that is behind by no more than one is the minute of whoever came first, since a
 * statement may wait for its row over the turn. Further behind, the server's clock was set back.
 */
const takeSql = `
  INSERT INTO enrich_service.rate_windows AS w (key, minute, used_count, asked_count, count_max, granted_count)
  SELECT a.key, floor(extract(epoch FROM clock_timestamp()) / 60)::bigint, least(a.asked, a.count_max), a.asked,
    a.count_max, least(a.asked, a.count_max)
  FROM unnest($1::text[], $2::integer[], $3::integer[]) AS a(key, asked, count_max) ORDER BY a.key
  ON CONFLICT (key) DO UPDATE SET
    minute = CASE WHEN w.minute - excluded.minute IN (0, 1) THEN w.minute ELSE excluded.minute END,
    used_count = CASE WHEN w.minute - excluded.minute IN (0, 1)
      THEN greatest(w.used_count, least(w.used_count + excluded.asked_count, excluded.count_max))
      ELSE excluded.used_count END,
    asked_count = excluded.asked_count,
    count_max = excluded.count_max,
    granted_count = CASE WHEN w.minute - excluded.minute IN (0, 1)
      THEN greatest(0, least(excluded.asked_count, excluded.count_max - w.used_count))
      ELSE excluded.granted_count END
  RETURNING key, granted_count AS "grantedCount", used_count AS "usedCount",
    ((minute + 1) * 60 - extract(epoch FROM clock_timestamp()))::double precision * 1000 AS "leftMs"`

/**
 * A window a key and route, which all replicas count in, by the minute of the server. Calls that come at about the same
 * time are one statement. Once a window is used up, this replica refuses without asking until its minute is over.
 */
export function createSharedRateLimiter(postgres: PostgresStatements, clock: Clock): RateLimiter {
  const usedUp = new Map<string, number>()
  const takes = createGatheredCommits<Asked, RateDecision>(async (calls) => {
    const counts = new Map<string, { count: number; perMinute: number }>()
    for (const { key, perMinute } of calls) {
      counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, perMinute })
    }
    const keys = [...counts.keys()]
    const rows = await postgres.query<Window>(takeSql, [
      keys,
      [...counts.values()].map(({ count }) => count),
      [...counts.values()].map(({ perMinute }) => perMinute),
    ])
    const windows = new Map(rows.map((row) => [row.key, { ...row, takenCount: 0 }]))
    for (const { key, usedCount, leftMs } of rows) {
      const { perMinute = 0 } = counts.get(key) ?? {}
      if (usedCount >= perMinute) usedUp.set(key, clock.monotonicMs() + leftMs)
    }
    return calls.map(({ key, perMinute }): Settled<RateDecision> => {
      const window = windows.get(key)
      if (window === undefined) return { error: new Error('a window was not counted') }
      const allowed = window.takenCount < window.grantedCount
      if (allowed) window.takenCount++
      // Each as if it had come alone, in the order in which they came.
      const usedCount = window.usedCount - window.grantedCount + window.takenCount
      return { value: decisionOf(allowed, perMinute - usedCount, window.leftMs) }
    })
  })
  return {
    take: (caller, name) => {
      const limit = limitOf(name)
      if (limit === null) return null
      const key = windowKey(caller, name, limit)
      const leftMs = (usedUp.get(key) ?? -Infinity) - clock.monotonicMs()
      if (leftMs > 0) return decisionOf(false, 0, leftMs)
      usedUp.delete(key)
      return takes.add({ key, perMinute: limit.perMinute })
    },
  }
}

const decisionOf = (allowed: boolean, remainingCount: number, leftMs: number): RateDecision => ({
  allowed,
  remainingCount: Math.max(0, remainingCount),
  resetSeconds: Math.min(60, Math.max(1, Math.ceil(leftMs / 1_000))),
})

import { createHash } from 'node:crypto'
import type { Clock, Random } from '../../../platform/clock.js'
import { ConnectionLostError, type Postgres } from '../../../platform/postgres/postgres.js'
import { calculateBackoffMs } from '../../../core/pacing.js'
import type { SharedTurns, Turn } from '../records.js'

/** Hash of service and API key: the key itself is never stored. */
export const hashKey = (base: string, apiKey: string): string =>
  createHash('sha256').update(`${base}\n${apiKey}`).digest('hex')

export interface SharedTurnsDeps {
  /** A connection without slow statements. */
  readonly prompt: Postgres
  readonly clock: Clock
  readonly random: Random
  readonly keyHash: string
  /** Name of the rate limit. */
  readonly route: string
  /** Window of the rate limit: turns are reserved at most two windows ahead. */
  readonly windowMs: number
}

/** Longest pause that a response can cause. */
const pauseMsMax = 120_000
/** A failover takes less time. */
const awayMsMax = 300_000
const awayPolicy = { delayMsBase: 100, delayMsMax: 2_000 }

/**
 * $1 key, $2 route, $3 spacing, $4 whether it is known, $5 how far ahead turns are given, $6 limit beyond which the
 * server's clock must have been set back. All in milliseconds. The first turn keeps the spacing too: another process
 * may have used the key a moment ago.
 */
const takeSql = `
  INSERT INTO enrich.paces AS p (key_hash, route, next_at, spacing_ms, given)
  VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond', $3, 1)
  ON CONFLICT (key_hash, route) DO UPDATE SET
    next_at = greatest(
      least(p.next_at, clock_timestamp() + $6 * interval '1 millisecond')
        + (CASE WHEN $4 THEN $3 ELSE greatest($3, p.spacing_ms) END) * interval '1 millisecond',
      least(p.paused_until, clock_timestamp() + ${pauseMsMax} * interval '1 millisecond'),
      clock_timestamp()),
    spacing_ms = CASE WHEN $4 THEN $3 ELSE greatest($3, p.spacing_ms) END,
    given = p.given + 1
  WHERE p.next_at <= clock_timestamp() + $5 * interval '1 millisecond'
    OR p.next_at > clock_timestamp() + $6 * interval '1 millisecond'
  RETURNING greatest(0, extract(epoch FROM p.next_at - clock_timestamp()) * 1000)::double precision AS "waitMs",
    p.given AS "givenCount"`

const pauseSql = `
  UPDATE enrich.paces
  SET paused_until = greatest(paused_until, clock_timestamp() + $3 * interval '1 millisecond')
  WHERE key_hash = $1 AND route = $2`

const pausedSql = `
  SELECT extract(epoch FROM
    least(paused_until, clock_timestamp() + ${pauseMsMax} * interval '1 millisecond') - clock_timestamp()
  )::double precision * 1000 AS ms
  FROM enrich.paces WHERE key_hash = $1 AND route = $2 AND paused_until > clock_timestamp()`

export function openSharedTurns({
  prompt,
  clock,
  random,
  keyHash,
  route,
  windowMs,
}: SharedTurnsDeps): SharedTurns {
  const row = [keyHash, route]
  const aheadMs = 2 * windowMs
  const give = async (spacingMs: number, isKnown: boolean) => {
    const [turn] = await prompt.query<Turn>(takeSql, [
      ...row,
      spacingMs,
      isKnown,
      aheadMs,
      aheadMs + pauseMsMax,
    ])
    return turn ?? null
  }
  return {
    take: async (spacingMs, isKnown, signal) => {
      const sinceMs = clock.monotonicMs()
      for (let failures = 1; !signal.aborted; failures++) {
        try {
          return await give(spacingMs, isKnown)
        } catch (error) {
          if (!(error instanceof ConnectionLostError) || clock.monotonicMs() - sinceMs > awayMsMax)
            throw error
          await clock.sleep(calculateBackoffMs(awayPolicy, failures, random.fraction()), signal)
        }
      }
      return null
    },
    pause: async (delayMs) => {
      // If this fails, only this process pauses, and others get the same refusal themselves.
      await prompt.query(pauseSql, [...row, Math.min(delayMs, pauseMsMax)]).catch(() => undefined)
    },
    pausedMs: async () => {
      const found = await prompt.query<{ ms: number }>(pausedSql, row).catch(() => [])
      return found[0]?.ms ?? 0
    },
  }
}

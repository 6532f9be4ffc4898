import type { RunId } from '../../../contract/ids.js'
import type { Clock } from '../../../platform/clock.js'
import { startDueWorkLoop, type DueWorkLoop } from '../../../platform/due-work-loop.js'
import { ConnectionLostError, type Postgres } from '../../../platform/postgres/postgres.js'
import { errorText } from '../../../core/error-text.js'
import { limits } from '../../limits.js'

interface WaitedRun {
  readonly accountNumber: number
  readonly runId: RunId
}

export interface FollowDeps {
  readonly postgres: Postgres
  readonly clock: Clock
  readonly log: (line: string) => void
  readonly streams: {
    waitedFor(): readonly WaitedRun[]
    onEnded(run: WaitedRun): void
  }
}

/**
 * Looks, one query for all, whether runs that this replica waits for were ended by another one, and tells those who
 * wait. The end is read by account and id, as a poll reads it.
 */
export function followEnds({ postgres, clock, log, streams }: FollowDeps): Pick<DueWorkLoop, 'stop'> {
  let lookedAtMs = -Infinity
  return startDueWorkLoop({
    clock,
    takeUp: async () => {
      lookedAtMs = clock.nowMs()
      const waited = streams.waitedFor()
      if (waited.length === 0) return
      const ended = await postgres.query<WaitedRun>(
        `SELECT r.account_number AS "accountNumber", r.run_id AS "runId"
         FROM unnest($1::bigint[], $2::text[]) AS w(account_number, run_id)
         JOIN enrich_service.runs r USING (account_number, run_id) WHERE r.status <> 'PENDING'`,
        [waited.map(({ accountNumber }) => accountNumber), waited.map(({ runId }) => runId)],
      )
      for (const run of ended) streams.onEnded(run)
    },
    nextDueAtMs: () => lookedAtMs + limits.endsLookMs,
    idleMsMax: limits.endsLookMs,
    retryMs: limits.endsLookMs,
    onFailure: (error) => {
      // That the database is away is said once, by whoever watches it.
      if (!(error instanceof ConnectionLostError)) log(`ends of runs are not seen: ${errorText(error)}`)
    },
  })
}

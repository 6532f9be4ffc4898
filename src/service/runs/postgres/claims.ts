import type { Deferrable } from '../../../core/awaitable.js'
import type { RunId } from '../../../contract/ids.js'
import type { Clock } from '../../../platform/clock.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { limits } from '../../limits.js'
import type { Query } from '../../knowledge.js'
import type { DueRun, RunStore } from '../run-store.js'

interface ClaimsDeps {
  readonly postgres: PostgresStatements
  readonly replicaId: string
  readonly claimMs: number
  readonly clock: Clock
}

interface ClaimedRow {
  readonly runNumber: number
  readonly runId: RunId
  readonly query: string
  readonly withBasis: boolean
}

const nowMsSql = '(extract(epoch FROM clock_timestamp()) * 1000)'

/**
 * Own claims come again with each look, and are renewed by it; those of others, once they have run out. That a claim is
 * on the disk matters to nobody: one that is lost with the server costs research that was done twice.
 */
const claimSql = `
  UPDATE enrich_service.runs r
  SET claimed_by = $1, claimed_until = clock_timestamp() + $3 * interval '1 millisecond'
  FROM (
    SELECT run_number FROM enrich_service.runs
    WHERE status = 'PENDING' AND due_at_ms <= ${nowMsSql}
      AND (claimed_by = $1 OR claimed_until IS NULL OR claimed_until < clock_timestamp())
    ORDER BY due_at_ms, run_number LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
  ) AS c
  WHERE r.run_number = c.run_number AND set_config('synchronous_commit', 'off', true) = 'off'
  RETURNING r.run_number AS "runNumber", r.run_id AS "runId", r.query, r.with_basis AS "withBasis"`

/** When there is something to claim, in milliseconds from now: what is claimed by others is theirs till then. */
const nextSql = `
  SELECT (min(greatest(due_at_ms, CASE WHEN claimed_until IS NULL THEN 0
    ELSE extract(epoch FROM claimed_until) * 1000 END)) - ${nowMsSql})::double precision AS "inMs"
  FROM enrich_service.runs WHERE status = 'PENDING'`

const bringForwardSql = `
  UPDATE enrich_service.runs SET due_at_ms = ${nowMsSql} + $1
  WHERE status = 'PENDING' AND due_at_ms > ${nowMsSql} + $1`

type Claims = Pick<Deferrable<RunStore>, 'due' | 'nextDueAtMs' | 'bringForward'>

/** What is given as due is claimed by this replica. */
export function createClaims({ postgres, replicaId, claimMs, clock }: ClaimsDeps): Claims {
  return {
    due: async (_nowMs, countMax) => {
      const rows = await postgres.query<ClaimedRow>(claimSql, [replicaId, countMax, claimMs])
      return rows.sort((one, other) => one.runNumber - other.runNumber).map(dueRun)
    },
    nextDueAtMs: async () => {
      const [next] = await postgres.query<{ inMs: number | null }>(nextSql)
      // What others store, and do not come to, is seen by a look.
      return clock.nowMs() + Math.min(next?.inMs ?? Infinity, limits.claimLookMs)
    },
    bringForward: async (dueAtMsMax) => {
      await postgres.query(bringForwardSql, [Math.max(0, dueAtMsMax - clock.nowMs())])
    },
  }
}

function dueRun({ runNumber, runId, query, withBasis }: ClaimedRow): DueRun {
  return { runNumber, runId, withBasis: withBasis ? 1 : 0, ...(JSON.parse(query) as Query) }
}

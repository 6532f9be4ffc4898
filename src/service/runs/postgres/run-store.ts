import type { Clock } from '../../../platform/clock.js'
import type { Postgres, PostgresStatements } from '../../../platform/postgres/postgres.js'
import { limits } from '../../limits.js'
import { createClaims } from './claims.js'
import { createEnds, type EndsDeps } from './ends.js'
import type { AnyRunStore, LedgerEntry, RunCount, StoredRun } from '../run-store.js'

/** Where replicas keep their runs together. */
interface SharedPlace {
  readonly postgres: Postgres
  readonly replicaId: string
  readonly claimMs: number
}

/**
 * Runs that several replicas store, research and read. A run that is due is claimed by one of them for a while, so that
 * two do not research it in vain; however often it is researched, it ends once. When it is due goes by the clock of
 * the server.
 */
export function createSharedRunStore(
  { postgres, replicaId, claimMs }: SharedPlace,
  deps: Pick<EndsDeps, 'writeEvents' | 'onEnded'> & { readonly clock: Clock },
): AnyRunStore {
  const { clock } = deps
  const read = reader(postgres)
  const claims = createClaims({ postgres, replicaId, claimMs, clock })
  const end = createEnds({ postgres, ...deps })
  return {
    byRunId: (accountNumber, runId) => read("run_id = $2 AND surface = 'v3'", accountNumber, runId),
    byJobId: (accountNumber, id) =>
      read("(job_id = $2 OR (request_id = $2 AND surface = 'v3'))", accountNumber, id),
    byRequestId: (accountNumber, id) => read("request_id = $2 AND surface = 'v2'", accountNumber, id),
    due: (nowMs, countMax) => claims.due(nowMs, countMax),
    nextDueAtMs: (afterMs) => claims.nextDueAtMs(afterMs),
    bringForward: (dueAtMsMax) => claims.bringForward(dueAtMsMax),
    finish: async (runs, finishedAtMs) => {
      await end(runs, finishedAtMs)
      claims.forget(runs.map(({ runNumber }) => runNumber))
    },
    count: counter(postgres, clock),
    ledger: (accountName) =>
      postgres.query<LedgerEntry>(
        `SELECT r.custom_id, r.run_id, l.created_at_ms FROM enrich_service.ledger l
         JOIN enrich_service.runs r USING (run_number)
         JOIN enrich_service.accounts a ON a.account_number = l.account_number
         WHERE a.name = $1 AND l.kind = 'charge' ORDER BY l.entry_number`,
        [accountName],
      ),
  }
}

function reader(postgres: PostgresStatements) {
  return async (which: string, accountNumber: number, id: string): Promise<StoredRun | undefined> => {
    const [run] = await postgres.query<StoredRun>(
      `SELECT run_id AS "runId", job_id AS "jobId", request_id AS "requestId", call_id AS "callId",
         custom_id AS "customId", status, result, basis
       FROM enrich_service.runs LEFT JOIN enrich_service.results USING (run_number)
       WHERE account_number = $1 AND ${which}`,
      [accountNumber, id],
    )
    return run
  }
}

/** Those that are open are few, and counted each time; those that have ended may be millions, and are not. */
function counter(postgres: PostgresStatements, clock: Clock): () => Promise<RunCount> {
  let ended: Omit<RunCount, 'pending'> | null = null
  let endedAtMs = -Infinity
  return async () => {
    const [open] = await postgres.query<{ pending: number }>(
      "SELECT count(*) AS pending FROM enrich_service.runs WHERE status = 'PENDING'",
    )
    if (ended === null || clock.monotonicMs() - endedAtMs >= limits.countLifeMs) {
      endedAtMs = clock.monotonicMs()
      const [counted] = await postgres.query<Omit<RunCount, 'pending'>>(
        `SELECT count(*) FILTER (WHERE status = 'COMPLETED') AS completed,
           count(*) FILTER (WHERE status = 'FAILED') AS failed FROM enrich_service.runs`,
      )
      ended = counted ?? { completed: 0, failed: 0 }
    }
    return { pending: open?.pending ?? 0, ...ended }
  }
}

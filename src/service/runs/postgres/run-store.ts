import type { Clock } from '../../../platform/clock.js'
import {
  type Postgres,
  type PostgresStatements,
  ConnectionLostError,
} from '../../../platform/postgres/postgres.js'
import { limits } from '../../limits.js'
import type { SharedStorage } from '../../storage/storage.js'
import { Claims } from './claims.js'
import type {
  AnyRunStore,
  LedgerEntry,
  RunCount,
  StoredRun,
  EndedRun,
  FinishedRun,
  OnRunEnded,
} from '../run-store.js'
import type { RunId } from '../../../contract/enums.js'
import { DueWorkLoop } from '../../../platform/due-work-loop.js'
import { getErrorText } from '../../../core/errors.js'

interface EndsDeps {
  readonly postgres: Postgres
  /** Writes the events of the ended runs in their transaction. */
  readonly writeEvents: (
    statements: PostgresStatements,
    ended: readonly EndedRun[],
    endedAtMs: number,
  ) => Promise<void>
  /** Called after the commit, for runs ended by this replica only. */
  readonly onEnded: readonly OnRunEnded[]
}

type Ended = Omit<EndedRun, 'result' | 'basis'>

/** A run has one result: a second one changes nothing and sends no event. */
const endSql = `
  WITH asked AS (
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) AS a(run_number, status, result, basis)
  ), ended AS (
    INSERT INTO enrich_service.results (run_number, finished_at_ms, result, basis)
    SELECT run_number, $5::bigint, result, basis FROM asked ORDER BY run_number
    ON CONFLICT (run_number) DO NOTHING RETURNING run_number
  )
  UPDATE enrich_service.runs r SET status = asked.status, claimed_by = NULL, claimed_until = NULL
  FROM asked JOIN ended USING (run_number) WHERE r.run_number = asked.run_number
  RETURNING r.run_number AS "runNumber", r.account_number AS "accountNumber", r.surface,
    r.webhook_url AS "webhookUrl", r.run_id AS "runId", r.job_id AS "jobId", r.request_id AS "requestId",
    r.call_id AS "callId", r.custom_id AS "customId", r.status`

const refundSql = `
  INSERT INTO enrich_service.ledger (account_number, run_number, kind, units, created_at_ms)
  SELECT account_number, run_number, 'refund', 1, $3 FROM unnest($1::bigint[], $2::bigint[]) AS a(account_number, run_number)
  ORDER BY run_number`

/**
 * Creates a function that ends runs, each with its refund and its event, in one transaction. If it throws and the
 * outcome is unknown, it can be repeated.
 */
function createEnds({ postgres, writeEvents, onEnded }: EndsDeps) {
  return async (runs: readonly FinishedRun[], finishedAtMs: number): Promise<void> => {
    const outcomes = new Map(runs.map(({ runNumber, outcome }) => [runNumber, outcome]))
    const all = [...outcomes.values()]
    const ended = await postgres.transaction(async (statements) => {
      const rows = await statements.query<Ended>(endSql, [
        [...outcomes.keys()],
        all.map(({ status }) => status),
        all.map(({ result }) => result),
        all.map(({ basis }) => basis),
        finishedAtMs,
      ])
      const whole = rows.map((row): EndedRun => {
        const { result = null, basis = null } = outcomes.get(row.runNumber) ?? {}
        return { ...row, result, basis }
      })
      const refunded = whole.filter(({ surface, status }) => surface === 'v2' && status === 'FAILED')
      if (refunded.length > 0) {
        const accounts = refunded.map(({ accountNumber }) => accountNumber)
        const numbers = refunded.map(({ runNumber }) => runNumber)
        await statements.query(refundSql, [accounts, numbers, finishedAtMs])
      }
      await writeEvents(statements, whole, finishedAtMs)
      return whole
    })
    for (const run of ended) for (const onRunEnded of onEnded) onRunEnded(run, finishedAtMs)
  }
}

/**
 * Creates the store of runs that several replicas share. One of them claims a due run for a while, so that it is not
 * researched twice; it ends only once in any case. Due times are by the server's clock.
 */
export function createSharedRunStore(
  { postgres, replicaId, claimMs }: Omit<SharedStorage, 'kind' | 'close'>,
  deps: Pick<EndsDeps, 'writeEvents' | 'onEnded'> & { readonly clock: Clock },
): AnyRunStore {
  const { clock } = deps
  const read = createRunReader(postgres)
  const claims = new Claims({ postgres, replicaId, claimMs, clock })
  const end = createEnds({ postgres, ...deps })
  return {
    byRunId: (accountNumber, runId) => read("run_id = $2 AND surface = 'v3'", accountNumber, runId),
    byJobId: (accountNumber, id) =>
      read("(job_id = $2 OR (request_id = $2 AND surface = 'v3'))", accountNumber, id),
    byRequestId: (accountNumber, id) => read("request_id = $2 AND surface = 'v2'", accountNumber, id),
    due: (nowMs, countMax) => claims.due(nowMs, countMax),
    nextDueAtMs: () => claims.nextDueAtMs(),
    limitDueTimes: (dueAtMsMax) => claims.limitDueTimes(dueAtMsMax),
    finish: async (runs, finishedAtMs) => {
      await end(runs, finishedAtMs)
      claims.forget(runs.map(({ runNumber }) => runNumber))
    },
    count: createRunCounter(postgres, clock),
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

function createRunReader(postgres: PostgresStatements) {
  return async (which: string, accountNumber: number, id: string): Promise<StoredRun | undefined> => {
    const sql = `SELECT run_id AS "runId", job_id AS "jobId", request_id AS "requestId", call_id AS "callId",
        custom_id AS "customId", status, result, basis
      FROM enrich_service.runs LEFT JOIN enrich_service.results USING (run_number)
      WHERE account_number = $1 AND ${which}`
    return (await postgres.query<StoredRun>(sql, [accountNumber, id]))[0]
  }
}

/** Counts open runs each time, because they are few. Ended runs may be millions, so their counts are cached. */
function createRunCounter(postgres: PostgresStatements, clock: Clock): () => Promise<RunCount> {
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

interface WaitedRun {
  readonly accountNumber: number
  readonly runId: RunId
}

interface FollowDeps {
  readonly postgres: Postgres
  readonly clock: Clock
  readonly log: (line: string) => void
  readonly streams: {
    waitedFor(): readonly WaitedRun[]
    onEnded(run: WaitedRun): void
  }
}

/**
 * Checks, in one query, whether other replicas have ended runs that this one waits for, and wakes the waiting
 * streams. These read the end like a poll, by account and id.
 */
export function followEnds({ postgres, clock, log, streams }: FollowDeps): Pick<DueWorkLoop, 'stop'> {
  let lookedAtMs = -Infinity
  return new DueWorkLoop({
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
      // The connection monitor logs once that the database is unreachable.
      if (!(error instanceof ConnectionLostError)) log(`ended runs cannot be read: ${getErrorText(error)}`)
    },
  })
}

import type { Postgres, PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { EndedRun, FinishedRun, OnRunEnded } from '../run-store.js'

export interface EndsDeps {
  readonly postgres: Postgres
  /** Writes what the ends are told by, in their transaction. */
  readonly writeEvents: (
    statements: PostgresStatements,
    ended: readonly EndedRun[],
    endedAtMs: number,
  ) => Promise<void>
  /** Called after the commit; another replica's ends are not. */
  readonly onEnded: readonly OnRunEnded[]
}

type Ended = Omit<EndedRun, 'result' | 'basis'>

/** A result is there once: whoever comes second changes nothing, and tells nobody. */
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
 * Ends runs, each with its refund and its event, in one transaction. Where it throws, and the end of the transaction is
 * not known, the same may be done again.
 */
export function createEnds({ postgres, writeEvents, onEnded }: EndsDeps) {
  return async (runs: readonly FinishedRun[], finishedAtMs: number): Promise<void> => {
    const outcomes = new Map(runs.map(({ runNumber, outcome }) => [runNumber, outcome]))
    const numbers = [...outcomes.keys()]
    const all = [...outcomes.values()]
    const ended = await postgres.transaction(async (statements) => {
      const rows = await statements.query<Ended>(endSql, [
        numbers,
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
        await statements.query(refundSql, [
          refunded.map(({ accountNumber }) => accountNumber),
          refunded.map(({ runNumber }) => runNumber),
          finishedAtMs,
        ])
      }
      await writeEvents(statements, whole, finishedAtMs)
      return whole
    })
    for (const run of ended) for (const onRunEnded of onEnded) onRunEnded(run, finishedAtMs)
  }
}

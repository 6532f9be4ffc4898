import type { CallId } from '../contract/ids.js'
import type { Clock } from '../platform/clock.js'
import type { Sqlite } from '../platform/sqlite.js'
import { limits } from './limits.js'
import type { Deferrable } from '../core/awaitable.js'
import type { Postgres } from '../platform/postgres/postgres.js'

/** Feedback about answers in the table `reports`, for the operator of the service. */
export interface ReportStore {
  /** Stores a report as JSON text. Durable when it returns; only the newest reports of an account are kept. */
  keep(accountNumber: number, callId: CallId, body: string): void
}

export function createReportStore(database: Sqlite, clock: Clock): ReportStore {
  const insert = database.prepare(
    'INSERT INTO reports (account_number, call_id, body, created_at_ms) VALUES (?, ?, ?, ?)',
  )
  const dropOldest = database.prepare(`
    DELETE FROM reports WHERE account_number = @account AND report_number <= (
      SELECT report_number FROM reports WHERE account_number = @account
      ORDER BY report_number DESC LIMIT 1 OFFSET @countMax)`)
  const keep = database.transaction((account: number, callId: string, body: string) => {
    insert.run(account, callId, body, clock.nowMs())
    dropOldest.run({ account, countMax: limits.reportsPerAccountMax })
  })
  return {
    keep: (accountNumber, callId, body) => {
      keep.immediate(accountNumber, callId, body)
    },
  }
}

/** Creates the report store of all replicas on PostgreSQL. Concurrent calls may leave a few older reports. */
export function createSharedReportStore(postgres: Postgres, clock: Clock): Deferrable<ReportStore> {
  return {
    keep: async (accountNumber, callId, body) => {
      await postgres.query(
        `WITH kept AS (
           INSERT INTO enrich_service.reports (account_number, call_id, body, created_at_ms) VALUES ($1, $2, $3, $4)
         )
         DELETE FROM enrich_service.reports WHERE account_number = $1 AND report_number <= (
           SELECT report_number FROM enrich_service.reports WHERE account_number = $1
           ORDER BY report_number DESC LIMIT 1 OFFSET $5)`,
        // The statement does not see the row that it inserts.
        [accountNumber, callId, body, clock.nowMs(), limits.reportsPerAccountMax - 1],
      )
    },
  }
}

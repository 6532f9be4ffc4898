import type { Deferrable } from '../../core/awaitable.js'
import type { Clock } from '../../platform/clock.js'
import type { Postgres } from '../../platform/postgres/postgres.js'
import { limits } from '../limits.js'
import type { ReportStore } from './report-store.js'

/** Those of all replicas, on PostgreSQL. Of calls at the same moment, each may leave some that are older. */
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
        // The one that is written now is not seen yet.
        [accountNumber, callId, body, clock.nowMs(), limits.reportsPerAccountMax - 1],
      )
    },
  }
}

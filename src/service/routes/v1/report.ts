import type { Clock } from '../../../platform/clock.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import { limits } from '../../limits.js'
import type { Handlers } from '../../http/mount.js'

/**
 * Feedback about an answer: kept for the operator of the service, in the table `reports`, and durable before it
 * is acknowledged. Nothing reads it, so no answer changes by it. An account has the newest of its reports.
 */
export function reportHandlers(database: Sqlite, clock: Clock): Pick<Handlers, 'report'> {
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
    report: ({ caller, callId, body }) => {
      keep.immediate(caller.accountNumber, callId, JSON.stringify(body))
      return { status: 202, body: { status: 'received', request_id: callId } }
    },
  }
}

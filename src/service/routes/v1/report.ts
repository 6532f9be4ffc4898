import { andThen, type Deferrable } from '../../../core/awaitable.js'
import type { Handlers } from '../../http/mount.js'
import type { ReportStore } from '../../reports/report-store.js'

/**
 * Feedback about an answer: kept for the operator of the service, and durable before it is acknowledged. Nothing reads
 * it, so no answer changes by it.
 */
export function reportHandlers(reports: Deferrable<ReportStore>): Pick<Handlers, 'report'> {
  return {
    report: ({ caller, callId, body }) =>
      andThen(reports.keep(caller.accountNumber, callId, JSON.stringify(body)), () => ({
        status: 202,
        body: { status: 'received', request_id: callId },
      })),
  }
}

import type { RunEnd } from '../../../src/pipeline/history/notify-message.js'
import type { RunSummary } from '../../../src/pipeline/history/run-summary.js'

export const summary: RunSummary = {
  service: 'hosted',
  stop: null,
  outputPaths: ['/srv/nightly/out.csv', '/srv/nightly/out.csv.basis.csv'],
  rowCount: 200,
  invalidRowCount: 0,
  domainCount: 0,
  lookupCount: 180,
  cachedCount: 100,
  decidedCount: 0,
  billedCount: 80,
  claimedCount: 0,
  uncertainCount: 2,
  failedCount: 1,
  rejectedCount: 0,
  pendingCount: 0,
  pollCount: 190,
  answeredCount: 80,
  pollsPerResult: 2.4,
  rateLimitedCount: 3,
  misdirectedCount: 0,
  heldCount: 0,
  contradictionCount: 0,
  deliveries: { taken: 0, unclaimed: 0, quarantined: 0 },
  rowsByStatus: { matched: 150, no_match: 49, failed: 1 },
  outcomes: { matched: 79, failed: 1 },
  schemaDeviations: {},
  basisLineCount: 0,
  stages: [],
  money: {
    currency: 'EUR',
    cost: 4.1,
    uncertainCost: 0.1,
    byKind: { resolution: { count: 82, unitPrice: 0.05 } },
  },
  alarms: [],
  notes: [],
  elapsedMs: 90_500,
  submissionsPerMinute: 600,
}

const alarms = [{ condition: 'failed>0', found: 1, message: 'failed>0: 1 of 200 rows' }]

/** A nightly run with one alarm. */
export function runEnd(parts: Partial<RunEnd> = {}): RunEnd {
  return {
    program: '0.1.0',
    series: 'nightly',
    run: 7,
    startedAtMs: Date.UTC(2026, 10, 21, 2, 0, 0),
    endedAtMs: Date.UTC(2026, 10, 21, 2, 1, 30, 500),
    exitCode: 6,
    failure: null,
    summary: { ...summary, alarms },
    changes: { lost_match: 3, renamed: 1 },
    alarms,
    money: parts.summary === null ? null : (parts.summary ?? summary).money,
    ...parts,
  }
}

import type { JobId, RequestId, RunId, StreamId } from '../../contract/enums.js'
import { rateLimitExceeded } from '../refusal.js'
import type { EndedRun, FinishedRun, NewRun, OnRunEnded, RunCount, RunStore, StoredRun } from './run-store.js'

interface KeptRun {
  readonly asked: NewRun
  ended: EndedRun | null
}

/**
 * Creates the run store of a service that bills nothing and has one caller. It keeps at most `runsMax` runs and
 * forgets the oldest ended ones first. If all of them are still open, a new run is refused with 429.
 */
export function createMemoryRunStore(runsMax: number, onEnded: readonly OnRunEnded[]): RunStore {
  /** In the order of their kickoffs. */
  const runs = new Map<number, KeptRun>()
  const open = new Map<number, KeptRun>()
  const numbers = new Map<RunId | JobId | RequestId | StreamId, number>()
  let lastNumber = 0
  const counted = { completed: 0, failed: 0 }

  const forget = () => {
    for (const [number, { asked, ended }] of runs) {
      if (runs.size <= runsMax) return
      if (ended === null) continue
      runs.delete(number)
      for (const id of listIds(asked)) numbers.delete(id)
    }
  }
  const find = (
    accountNumber: number,
    id: RunId | JobId | RequestId | StreamId,
    surface: NewRun['surface'],
  ): StoredRun | undefined => {
    const run = runs.get(numbers.get(id) ?? 0)
    if (run?.asked.accountNumber !== accountNumber || run.asked.surface !== surface) return undefined
    return run.ended ?? toStoredRun(run.asked, 'PENDING', null, null)
  }
  const finishOne = ({ runNumber, outcome }: FinishedRun, finishedAtMs: number) => {
    const run = open.get(runNumber)
    if (run === undefined) throw new Error(`run ${runNumber} has ended, or never existed`)
    const { accountNumber, surface, webhookUrl } = run.asked
    const { status, result, basis } = outcome
    run.ended = {
      runNumber,
      accountNumber,
      surface,
      webhookUrl,
      ...toStoredRun(run.asked, status, result, basis),
    }
    open.delete(runNumber)
    counted[status === 'FAILED' ? 'failed' : 'completed']++
    for (const onRunEnded of onEnded) onRunEnded(run.ended, finishedAtMs)
  }

  return {
    insert: (added) => {
      if (open.size + added.length > runsMax) throw rateLimitExceeded(1)
      for (const asked of added) {
        const run = { asked, ended: null }
        runs.set(++lastNumber, run)
        open.set(lastNumber, run)
        for (const id of listIds(asked)) numbers.set(id, lastNumber)
      }
      forget()
    },
    byRunId: (accountNumber, runId) => {
      const run = find(accountNumber, runId, 'v3')
      return run?.runId === runId ? run : undefined
    },
    byJobId: (accountNumber, id) => find(accountNumber, id, 'v3'),
    byRequestId: (accountNumber, id) => find(accountNumber, id, 'v2'),
    due: (nowMs, countMax) => {
      const due: ReturnType<RunStore['due']> = []
      for (const [runNumber, { asked }] of open) {
        if (due.length >= countMax) break
        if (asked.dueAtMs > nowMs) continue
        const { accountNumber, ids, customId, query, withBasis } = asked
        const { runId, callId } = ids
        const echoed = { customId, callId }
        due.push({ runNumber, accountNumber, runId, ...query, withBasis: withBasis ? 1 : 0, echoed })
      }
      return due
    },
    nextDueAtMs: (afterMs) => {
      let next: number | null = null
      for (const { asked } of open.values()) {
        if (asked.dueAtMs > afterMs && (next === null || asked.dueAtMs < next)) next = asked.dueAtMs
      }
      return next
    },
    // A store in memory contains no runs of earlier processes.
    limitDueTimes: () => undefined,
    finish: (finished, finishedAtMs) => {
      for (const run of finished) finishOne(run, finishedAtMs)
    },
    count: (): RunCount => ({ pending: open.size, ...counted }),
    // Nothing is billed.
    ledger: () => [],
  }
}

function listIds({ ids }: NewRun): (RunId | JobId | RequestId | StreamId)[] {
  return [ids.runId, ids.jobId, ids.requestId].filter((id) => id !== null)
}

function toStoredRun(
  { ids, customId }: NewRun,
  status: StoredRun['status'],
  result: string | null,
  basis: string | null,
): StoredRun {
  const { runId, jobId, requestId, callId } = ids
  return { runId, jobId, requestId, callId, customId, status, result, basis }
}

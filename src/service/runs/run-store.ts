import type { CallId, CustomId, JobId, RequestId, RunId, StreamId } from '../../contract/enums.js'
import type { Deferrable } from '../../platform/sql-program.js'
import { createRoundRobin } from '../../platform/due-work-loop.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { RunOutcome } from './run-outcome.js'
import type { Random } from '../../platform/clock.js'
import type { Query, ResolvedRun } from '../knowledge.js'
import { GroupCommit } from '../../platform/group-commit.js'
import { selectOpenAccounts } from '../storage/database.js'

/** The routes that may read a run: v2 cannot find runs of v3, and vice versa. */
type RunSurface = 'v3' | 'v2'

/** An accepted kickoff, before it is stored. */
export interface NewRun {
  readonly accountNumber: number
  readonly ids: RunIds
  readonly customId: CustomId | null
  readonly surface: RunSurface
  readonly query: Query
  /** Receiver of the run's event, checked when the request was received; `null` if none. */
  readonly webhookUrl: string | null
  readonly withBasis: boolean
  readonly createdAtMs: number
  readonly dueAtMs: number
}

/** A run as polled. `result` and `basis` are JSON text; `result` is `null` until the run has ended. */
export interface StoredRun {
  readonly runId: RunId
  readonly jobId: JobId | null
  readonly requestId: RequestId | StreamId | null
  readonly callId: CallId
  readonly customId: CustomId | null
  readonly status: 'PENDING' | 'COMPLETED' | 'FAILED'
  readonly result: string | null
  readonly basis: string | null
}

/** A run that has just ended, with the fields that listeners need. */
export interface EndedRun extends StoredRun {
  readonly runNumber: number
  readonly accountNumber: number
  readonly surface: RunSurface
  readonly webhookUrl: string | null
}

/** Called in the transaction that stores the end of a run; its writes are committed or rolled back with it. */
export type OnRunEnded = (run: EndedRun, endedAtMs: number) => void

export interface DueRun extends Query {
  readonly runNumber: number
  readonly accountNumber: number
  readonly runId: RunId
  readonly withBasis: 0 | 1
  /** Other ids in the body of its poll, if they are at hand. */
  readonly echoed?: Pick<ResolvedRun, 'customId' | 'callId'>
}

export interface FinishedRun {
  readonly runNumber: number
  readonly outcome: RunOutcome
}

export interface LedgerEntry {
  readonly custom_id: string | null
  readonly run_id: string
  readonly created_at_ms: number
}

export interface RunCount {
  readonly pending: number
  readonly completed: number
  readonly failed: number
}

export interface RunStore {
  /** Stores all runs or none, each with a billed unit, in one transaction. */
  insert(runs: readonly NewRun[]): void
  /** Returns `undefined` for another account's run. */
  byRunId(accountNumber: number, runId: RunId): StoredRun | undefined
  /** Finds a v3 job by its job id or its request id. */
  byJobId(accountNumber: number, id: JobId): StoredRun | undefined
  /** Finds a v2 job or stream by its request id. */
  byRequestId(accountNumber: number, id: RequestId | StreamId): StoredRun | undefined
  /** Returns due runs by round robin over accounts. */
  due(nowMs: number, countMax: number): DueRun[]
  /** Returns the first due time after `afterMs`; `null` if none. */
  nextDueAtMs(afterMs: number): number | null
  /** Limits the due time of all runs; corrects times after a clock change, or after research became shorter. */
  limitDueTimes(dueAtMsMax: number): void
  /** Ends all runs or none. A second end of a run throws. A failed v2 run is refunded. */
  finish(runs: readonly FinishedRun[], finishedAtMs: number): void
  count(): RunCount
  ledger(accountName: string): LedgerEntry[]
}

/** A run store that may answer asynchronously; runs are added by a journal. */
export type AnyRunStore = Deferrable<Omit<RunStore, 'insert'>>

const storedRun = `
  SELECT run_id AS runId, job_id AS jobId, request_id AS requestId, call_id AS callId, custom_id AS customId,
    status, result, basis
  FROM runs LEFT JOIN results USING (run_number)`

export function createRunStore(database: Sqlite, onEnded: readonly OnRunEnded[] = []): RunStore {
  const insertRun = database.prepare(`
    INSERT INTO runs (account_number, run_id, job_id, request_id, call_id, custom_id, name, location, context,
      with_basis, status, created_at_ms, due_at_ms, surface, webhook_url)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'PENDING', ?, ?, ?, ?)`)
  const bill = database.prepare(
    "INSERT INTO ledger (account_number, run_number, kind, units, created_at_ms) VALUES (?, ?, 'charge', 1, ?)",
  )
  const byRunId = database.prepare(`${storedRun} WHERE account_number = ? AND run_id = ? AND surface = 'v3'`)
  const byJobId = database.prepare(`${storedRun} WHERE account_number = ? AND job_id = ?`)
  const byRequestId = database.prepare(
    `${storedRun} WHERE account_number = ? AND request_id = ? AND surface = ?`,
  )
  const due = database.prepare(`
    SELECT run_number AS runNumber, account_number AS accountNumber, run_id AS runId, name, location, context,
      with_basis AS withBasis
    FROM runs WHERE status = 'PENDING' AND account_number = ? AND due_at_ms <= ? ORDER BY due_at_ms LIMIT ?`)
  const openAccounts = database.prepare(selectOpenAccounts('runs', "status = 'PENDING'")).pluck()
  const takeDue = createRoundRobin({
    accounts: () => openAccounts.all() as number[],
    read: (...limits) => due.all(...limits) as DueRun[],
  })
  const nextDue = database
    .prepare("SELECT min(due_at_ms) FROM runs WHERE status = 'PENDING' AND due_at_ms > ?")
    .pluck()
  const limitDueTimes = database.prepare(
    "UPDATE runs SET due_at_ms = @max WHERE status = 'PENDING' AND due_at_ms > @max",
  )

  const finish = createFinish(database, onEnded)
  const { count, ...accounting } = createLedgerQueries(database)
  // Counted once, then updated: counting a million stored runs takes too long for each call.
  let counted: RunCount | null = null

  const insert = database.transaction((runs: readonly NewRun[]) => {
    for (const run of runs) {
      const { runId, callId, jobId, requestId } = run.ids
      const { lastInsertRowid } = insertRun.run(
        run.accountNumber,
        runId,
        jobId,
        requestId,
        callId,
        run.customId,
        run.query.name,
        run.query.location,
        run.query.context,
        run.withBasis ? 1 : 0,
        run.createdAtMs,
        run.dueAtMs,
        run.surface,
        run.webhookUrl,
      )
      bill.run(run.accountNumber, lastInsertRowid, run.createdAtMs)
    }
  })

  return {
    insert: (runs) => {
      insert.immediate(runs)
      if (counted !== null) counted = { ...counted, pending: counted.pending + runs.length }
    },
    byRunId: (accountNumber, runId) => byRunId.get(accountNumber, runId) as StoredRun | undefined,
    byJobId: (accountNumber, id) =>
      (byJobId.get(accountNumber, id) ?? byRequestId.get(accountNumber, id, 'v3')) as StoredRun | undefined,
    byRequestId: (accountNumber, id) => byRequestId.get(accountNumber, id, 'v2') as StoredRun | undefined,
    due: takeDue,
    nextDueAtMs: (afterMs) => nextDue.get(afterMs) as number | null,
    limitDueTimes: (dueAtMsMax) => {
      limitDueTimes.run({ max: dueAtMsMax })
    },
    finish: (runs, finishedAtMs) => {
      finish(runs, finishedAtMs)
      if (counted !== null) counted = updateCount(counted, runs)
    },
    count: () => (counted ??= count()),
    ...accounting,
  }
}

function updateCount(counted: RunCount, ended: readonly FinishedRun[]): RunCount {
  const failedCount = ended.filter(({ outcome }) => outcome.status === 'FAILED').length
  return {
    pending: counted.pending - ended.length,
    completed: counted.completed + ended.length - failedCount,
    failed: counted.failed + failedCount,
  }
}

function createFinish(database: Sqlite, onEnded: readonly OnRunEnded[]): RunStore['finish'] {
  const setStatus = database.prepare('UPDATE runs SET status = ? WHERE run_number = ?')
  const insertResult = database.prepare(
    'INSERT INTO results (run_number, finished_at_ms, result, basis) VALUES (?, ?, ?, ?)',
  )
  const endedRun = database.prepare(`
    SELECT run_number AS runNumber, account_number AS accountNumber, surface, webhook_url AS webhookUrl,
      run_id AS runId, job_id AS jobId, request_id AS requestId, call_id AS callId, custom_id AS customId,
      status, result, basis
    FROM runs JOIN results USING (run_number) WHERE run_number = ?`)
  const refund = database.prepare(
    "INSERT INTO ledger (account_number, run_number, kind, units, created_at_ms) VALUES (?, ?, 'refund', 1, ?)",
  )
  const finish = database.transaction((runs: readonly FinishedRun[], finishedAtMs: number) => {
    for (const { runNumber, outcome } of runs) {
      insertResult.run(runNumber, finishedAtMs, outcome.result, outcome.basis)
      setStatus.run(outcome.status, runNumber)
      const ended = endedRun.get(runNumber) as EndedRun
      if (ended.surface === 'v2' && ended.status === 'FAILED') {
        refund.run(ended.accountNumber, runNumber, finishedAtMs)
      }
      for (const onRunEnded of onEnded) onRunEnded(ended, finishedAtMs)
    }
  })
  return (runs, finishedAtMs) => {
    finish.immediate(runs, finishedAtMs)
  }
}

function createLedgerQueries(database: Sqlite): Pick<RunStore, 'count' | 'ledger'> {
  const count = database.prepare('SELECT status, count(*) AS count FROM runs GROUP BY status')
  const ledger = database.prepare(`
    SELECT runs.custom_id, runs.run_id, ledger.created_at_ms
    FROM ledger JOIN runs USING (run_number) JOIN accounts ON accounts.account_number = ledger.account_number
    WHERE accounts.name = ? AND kind = 'charge' ORDER BY entry_number`)
  return {
    count: () => {
      const rows = count.all() as { status: StoredRun['status']; count: number }[]
      const findCount = (status: StoredRun['status']) => rows.find((row) => row.status === status)?.count ?? 0
      return { pending: findCount('PENDING'), completed: findCount('COMPLETED'), failed: findCount('FAILED') }
    },
    ledger: (accountName) => ledger.all(accountName) as LedgerEntry[],
  }
}

/** Group commit: kickoffs of about the same time share one synced transaction. */
export interface Journal {
  /** Resolves once the run is durable. Rejects if it is not stored; nothing was billed then. */
  append(run: NewRun): Promise<void>
}

export function createJournal(store: Pick<RunStore, 'insert'>): Journal {
  const commits = new GroupCommit((runs: readonly NewRun[]) => {
    store.insert(runs)
    return runs.map(() => ({ value: undefined }))
  })
  return { append: commits.add }
}

/** Creates a journal that stores each run at once. For a store in memory, which gains nothing from grouping. */
export function createDirectJournal(store: Pick<RunStore, 'insert'>): Journal {
  return {
    // oxlint-disable-next-line typescript/require-await -- what the store throws is a rejection
    append: async (run) => {
      store.insert([run])
    },
  }
}

/** The public ids of a run, and the id of the call that started it. */
export interface RunIds {
  readonly runId: RunId
  readonly callId: CallId
  /** `null` unless a v3 GET kickoff started the run. */
  readonly jobId: JobId | null
  /** Set if a v3 GET kickoff, a v2 submission or a v2 stream started the run. */
  readonly requestId: RequestId | StreamId | null
}

export function createCallId(random: Random): CallId {
  return random.id('req_') as CallId
}

/** The kind of call that started a run: a v3 POST or GET kickoff, a v2 submission, or a v2 stream. */
export type RunKind = 'run' | 'job' | 'async' | 'stream'

export function createRunIds(kind: RunKind, callId: CallId, random: Random, nowMs: number): RunIds {
  const createStampedId = (prefix: string) => random.id(prefix + nowMs.toString(36))
  return {
    runId: createStampedId('run_') as RunId,
    callId,
    jobId: kind === 'job' ? (createStampedId('job_') as JobId) : null,
    requestId:
      kind === 'run'
        ? null
        : (createStampedId(kind === 'stream' ? 'reqs_' : 'reqa_') as RequestId | StreamId),
  }
}

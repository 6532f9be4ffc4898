import type { CustomId, JobId, RequestId, RunId } from '../contract/ids.js'
import type { Sqlite, Statement } from '../platform/sqlite.js'
import type { Conclusion } from './conclusion.js'
import type { RunIds } from './ids.js'
import type { Query } from './knowledge.js'

/** A kickoff that is accepted once it is stored. */
export interface NewRun {
  readonly accountNumber: number
  readonly ids: RunIds
  readonly customId: CustomId | null
  readonly query: Query
  readonly withBasis: boolean
  readonly createdAtMs: number
  readonly dueAtMs: number
}

/** What a poll reads. `result` and `basis` are JSON text; `result` is null until the run has ended. */
export interface StoredRun {
  readonly runId: RunId
  readonly jobId: JobId | null
  readonly requestId: RequestId | null
  readonly callId: string
  readonly customId: CustomId | null
  readonly status: 'PENDING' | 'COMPLETED' | 'FAILED'
  readonly result: string | null
  readonly basis: string | null
}

interface DueRun extends Query {
  readonly runNumber: number
  readonly runId: RunId
  readonly withBasis: 0 | 1
}

export interface FinishedRun {
  readonly runNumber: number
  readonly conclusion: Conclusion
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
  /** All or none, with a billed unit each, in one durable transaction. */
  insert(runs: readonly NewRun[]): void
  /** Another account's run is not found. */
  byRunId(accountNumber: number, runId: RunId): StoredRun | undefined
  /** By the job id or the request id of the same job. */
  byJobId(accountNumber: number, id: JobId): StoredRun | undefined
  due(nowMs: number, countMax: number): DueRun[]
  nextDueAtMs(): number | null
  /** Nothing waits longer than until then: for what a changed clock or shorter research left behind. */
  bringForward(dueAtMsMax: number): void
  /** All or none. A run that has a result keeps it: a second one throws. */
  finish(runs: readonly FinishedRun[], finishedAtMs: number): void
  count(): RunCount
  billedUnits(accountNumber: number): number
  ledger(accountName: string): LedgerEntry[]
}

const storedRun = `
  SELECT run_id AS runId, job_id AS jobId, request_id AS requestId, call_id AS callId, custom_id AS customId,
    status, result, basis
  FROM runs LEFT JOIN results USING (run_number)`

export function createRunStore(database: Sqlite): RunStore {
  const insertRun = database.prepare(`
    INSERT INTO runs (account_number, run_id, job_id, request_id, call_id, custom_id, name, location, context,
      with_basis, status, created_at_ms, due_at_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'PENDING', ?, ?)`)
  const bill = database.prepare(
    'INSERT INTO ledger (account_number, run_number, units, created_at_ms) VALUES (?, ?, 1, ?)',
  )
  const byRunId = database.prepare(`${storedRun} WHERE account_number = ? AND run_id = ?`)
  const byJobId = database.prepare(`${storedRun} WHERE account_number = ? AND job_id = ?`)
  const byRequestId = database.prepare(`${storedRun} WHERE account_number = ? AND request_id = ?`)
  const due = database.prepare(`
    SELECT run_number AS runNumber, run_id AS runId, name, location, context, with_basis AS withBasis
    FROM runs WHERE status = 'PENDING' AND due_at_ms <= ? ORDER BY due_at_ms LIMIT ?`)
  const nextDue = database.prepare("SELECT min(due_at_ms) FROM runs WHERE status = 'PENDING'").pluck()
  const bringForward = database.prepare(
    "UPDATE runs SET due_at_ms = @max WHERE status = 'PENDING' AND due_at_ms > @max",
  )

  const insert = database.transaction((runs: readonly NewRun[]) => {
    for (const run of runs) {
      const { runId, callId, job } = run.ids
      const { lastInsertRowid } = insertRun.run(
        run.accountNumber,
        runId,
        job?.jobId ?? null,
        job?.requestId ?? null,
        callId,
        run.customId,
        run.query.name,
        run.query.location,
        run.query.context,
        run.withBasis ? 1 : 0,
        run.createdAtMs,
        run.dueAtMs,
      )
      bill.run(run.accountNumber, lastInsertRowid, run.createdAtMs)
    }
  })

  return {
    insert: (runs) => {
      insert.immediate(runs)
    },
    byRunId: (accountNumber, runId) => byRunId.get(accountNumber, runId) as StoredRun | undefined,
    byJobId: (accountNumber, id) =>
      (byJobId.get(accountNumber, id) ?? byRequestId.get(accountNumber, id)) as StoredRun | undefined,
    due: (nowMs, countMax) => due.all(nowMs, countMax) as DueRun[],
    nextDueAtMs: () => nextDue.get() as number | null,
    bringForward: (dueAtMsMax) => {
      bringForward.run({ max: dueAtMsMax })
    },
    finish: finisher(database),
    ...books(database),
  }
}

function finisher(database: Sqlite): RunStore['finish'] {
  const setStatus = database.prepare('UPDATE runs SET status = ? WHERE run_number = ?')
  const insertResult = database.prepare(
    'INSERT INTO results (run_number, finished_at_ms, result, basis) VALUES (?, ?, ?, ?)',
  )
  const finish = database.transaction((runs: readonly FinishedRun[], finishedAtMs: number) => {
    for (const { runNumber, conclusion } of runs) {
      insertResult.run(runNumber, finishedAtMs, conclusion.result, conclusion.basis)
      setStatus.run(conclusion.status, runNumber)
    }
  })
  return (runs, finishedAtMs) => {
    finish.immediate(runs, finishedAtMs)
  }
}

function books(database: Sqlite): Pick<RunStore, 'count' | 'billedUnits' | 'ledger'> {
  const count = database.prepare('SELECT status, count(*) AS count FROM runs GROUP BY status')
  const billed = database
    .prepare('SELECT coalesce(sum(units), 0) FROM ledger WHERE account_number = ?')
    .pluck() as Statement<[number], number>
  const ledger = database.prepare(`
    SELECT runs.custom_id, runs.run_id, ledger.created_at_ms
    FROM ledger JOIN runs USING (run_number) JOIN accounts ON accounts.account_number = ledger.account_number
    WHERE accounts.name = ? ORDER BY entry_number`)
  return {
    count: () => {
      const rows = count.all() as { status: StoredRun['status']; count: number }[]
      const of = (status: StoredRun['status']) => rows.find((row) => row.status === status)?.count ?? 0
      return { pending: of('PENDING'), completed: of('COMPLETED'), failed: of('FAILED') }
    },
    billedUnits: (accountNumber) => billed.get(accountNumber) ?? 0,
    ledger: (accountName) => ledger.all(accountName) as LedgerEntry[],
  }
}

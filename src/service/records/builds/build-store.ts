import type { RunId } from '../../../contract/ids.js'
import { prepare, type Sqlite } from '../../../platform/sqlite.js'
import type { BuildKind, BuildOutcome, BuildStep, BuildWaiter, StoredBuild } from './build.js'

interface Begin {
  readonly kind: BuildKind
  readonly subject: string
  /** `refresh` keeps the result there is. */
  readonly step: Exclude<BuildStep, 'none'>
  readonly startedAtMs: number
  readonly dueAtMs: number
}

export interface EndedBuild {
  readonly buildNumber: number
  readonly outcome: BuildOutcome
  readonly edition: string | null
}

/** The tables of builds and of who waits for them. Transactions are the caller's. */
export interface BuildStore {
  read(kind: BuildKind, subject: string): StoredBuild | null
  /** Takes the step and gives what is there after it. */
  begin(begin: Begin): StoredBuild
  addWaiter(build: StoredBuild, waiter: BuildWaiter, createdAtMs: number): void
  /** Open builds that are due, the oldest first. */
  due(nowMs: number, countMax: number): StoredBuild[]
  /** The first one that is due later than that. */
  nextDueAtMs(afterMs: number): number | null
  /** Nothing waits longer than until then: for what a changed clock or shorter builds left behind. */
  bringForward(dueAtMsMax: number): void
  /** Null where it had ended already. */
  end(ended: EndedBuild, finishedAtMs: number): StoredBuild | null
  waitersOf(build: StoredBuild): BuildWaiter[]
  /** The object of the waiter's event, as it stays to be polled. */
  settleWaiter(waiter: BuildWaiter, object: string): void
  /** Undefined for another account's run; null while the build goes on. */
  objectOf(accountNumber: number, runId: RunId): string | null | undefined
}

const columns = `build_number AS buildNumber, kind, subject, state, started_at_ms AS startedAtMs,
  due_at_ms AS dueAtMs, finished_at_ms AS finishedAtMs, updated_at_ms AS updatedAtMs, result, failure, edition`

export function createBuildStore(database: Sqlite): BuildStore {
  const read = prepare<[BuildKind, string], StoredBuild>(
    database,
    `SELECT ${columns} FROM builds WHERE kind = ? AND subject = ?`,
  )
  const insert = prepare<Begin, StoredBuild>(
    database,
    `INSERT INTO builds (kind, subject, state, started_at_ms, due_at_ms)
     VALUES (@kind, @subject, 'building', @startedAtMs, @dueAtMs)
     ON CONFLICT (kind, subject) DO UPDATE
       SET state = 'building', started_at_ms = @startedAtMs, due_at_ms = @dueAtMs
     RETURNING ${columns}`,
  )
  const refresh = prepare<Begin, StoredBuild>(
    database,
    `UPDATE builds SET state = 'refreshing', started_at_ms = @startedAtMs, due_at_ms = @dueAtMs
     WHERE kind = @kind AND subject = @subject RETURNING ${columns}`,
  )
  const due = prepare<[number, number], StoredBuild>(
    database,
    `SELECT ${columns} FROM builds WHERE state IN ('building', 'refreshing') AND due_at_ms <= ?
     ORDER BY due_at_ms, build_number LIMIT ?`,
  )
  const nextDue = prepare<[number], number | null>(
    database,
    "SELECT min(due_at_ms) FROM builds WHERE state IN ('building', 'refreshing') AND due_at_ms > ?",
  ).pluck()
  const bringForward = prepare<{ max: number }>(
    database,
    `UPDATE builds SET due_at_ms = @max WHERE state IN ('building', 'refreshing') AND due_at_ms > @max`,
  )
  return {
    read: (kind, subject) => read.get(kind, subject) ?? null,
    begin: (begin) => {
      const build = (begin.step === 'build' ? insert : refresh).get(begin)
      if (build === undefined) throw new Error(`there is no build of ${begin.kind} ${begin.subject}`)
      return build
    },
    due: (nowMs, countMax) => due.all(nowMs, countMax),
    nextDueAtMs: (afterMs) => nextDue.get(afterMs) ?? null,
    bringForward: (max) => {
      bringForward.run({ max })
    },
    end: createEnd(database),
    ...waiterTable(database),
  }
}

function createEnd(database: Sqlite): BuildStore['end'] {
  const complete = prepare<[number, number, string, string | null, number], StoredBuild>(
    database,
    `UPDATE builds SET state = 'complete', finished_at_ms = ?, updated_at_ms = ?, result = ?, failure = NULL, edition = ?
     WHERE build_number = ? AND state IN ('building', 'refreshing') RETURNING ${columns}`,
  )
  const fail = prepare<[number, string, string | null, number], StoredBuild>(
    database,
    `UPDATE builds SET state = CASE state WHEN 'refreshing' THEN 'complete' ELSE 'failed' END,
       finished_at_ms = ?, failure = ?, edition = ?
     WHERE build_number = ? AND state IN ('building', 'refreshing') RETURNING ${columns}`,
  )
  return ({ buildNumber, outcome, edition }, atMs) =>
    (outcome.ok
      ? complete.get(atMs, atMs, outcome.result, edition, buildNumber)
      : fail.get(atMs, outcome.failure, edition, buildNumber)) ?? null
}

function waiterTable(
  database: Sqlite,
): Pick<BuildStore, 'addWaiter' | 'waitersOf' | 'settleWaiter' | 'objectOf'> {
  const add = prepare<[number, number, string, string, string, number]>(
    database,
    `INSERT INTO build_waiters (build_number, account_number, run_id, call_id, webhook_url, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const open = prepare<[number], BuildWaiter>(
    database,
    `SELECT account_number AS accountNumber, run_id AS runId, call_id AS callId, webhook_url AS webhookUrl
     FROM build_waiters WHERE build_number = ? AND object IS NULL ORDER BY waiter_number`,
  )
  const settle = prepare<[string, number, string]>(
    database,
    'UPDATE build_waiters SET object = ? WHERE account_number = ? AND run_id = ?',
  )
  const object = prepare<[number, string], string | null>(
    database,
    'SELECT object FROM build_waiters WHERE account_number = ? AND run_id = ?',
  ).pluck()
  return {
    addWaiter: ({ buildNumber }, { accountNumber, runId, callId, webhookUrl }, createdAtMs) => {
      add.run(buildNumber, accountNumber, runId, callId, webhookUrl, createdAtMs)
    },
    waitersOf: ({ buildNumber }) => open.all(buildNumber),
    settleWaiter: ({ accountNumber, runId }, text) => {
      settle.run(text, accountNumber, runId)
    },
    objectOf: (accountNumber, runId) => object.get(accountNumber, runId),
  }
}

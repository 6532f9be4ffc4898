import type { RunId } from '../../../contract/enums.js'
import type { Deferrable } from '../../../platform/sql-program.js'
import { createRoundRobin } from '../../../platform/due-work-loop.js'
import { prepare, type Sqlite } from '../../../platform/sqlite.js'
import type { Outbox } from '../../deliveries/outbox.js'
import { selectOpenAccounts } from '../../storage/database.js'
import type { WaiterEnding, BuildKind, BuildOutcome, BuildStep, BuildWaiter, StoredBuild } from './build.js'

export interface EndedBuild {
  readonly buildNumber: number
  readonly outcome: BuildOutcome
  readonly edition: string | null
}

export interface BuildRequest {
  readonly kind: BuildKind
  readonly subject: string
  readonly accountNumber: number
  /** Returns the step to take. Called in the transaction, so that the build cannot change. */
  readonly chooseStep: (build: StoredBuild | null, nowMs: number) => BuildStep
  /** Returns the duration of a build that starts with this request; the same at each call. */
  readonly chooseMs: () => number
  /** Added if `isWaitedFor` accepts the build. The event of a failed build is written at once. */
  readonly waiter: BuildWaiter | null
  readonly isWaitedFor: (build: StoredBuild) => boolean
  /** The account charged for the first build of this subject; `null` if it is free. */
  readonly chargedAccountNumber: number | null
}

export interface RequestedBuild {
  readonly build: StoredBuild
  /** Whether this call started the build. */
  readonly hasBegun: boolean
}

/** Storage of builds and their waiters. Each call is one durable transaction. */
export interface BuildStore {
  read(kind: BuildKind, subject: string): StoredBuild | null
  /** Starts a build if a step is due, charges for the first build of a subject, and adds the waiter; all or nothing. */
  ask(asked: BuildRequest): RequestedBuild
  /** Returns due builds for this process by round robin over accounts, including those in progress here. */
  due(nowMs: number, countMax: number): StoredBuild[]
  /** Returns the first due time after `afterMs`. */
  nextDueAtMs(afterMs: number): number | null
  /** Limits the due time of all builds; corrects times after a clock change, or after builds became shorter. */
  limitDueTimes(dueAtMsMax: number): void
  /**
   * Ends the builds, each with the events of its waiters; all or nothing. Builds that have ended, or that another
   * process has taken over, stay unchanged.
   */
  end(ended: readonly EndedBuild[], finishedAtMs: number): void
  /** Returns the object of a run: `undefined` for another account's run, `null` during the build. */
  objectOf(accountNumber: number, runId: RunId): string | null | undefined
  /** Gives up the claimed builds. No build may be in progress. */
  release(): void
}

/** A `BuildStore` that may answer asynchronously. */
export type AnyBuildStore = Deferrable<BuildStore>

export interface BuildStoreDeps {
  /** Events are written in the transaction of their build. */
  readonly outbox: Pick<Outbox, 'add'>
  readonly endingOf: WaiterEnding
  readonly clock: { nowMs(): number }
}

const columns = `build_number AS buildNumber, account_number AS accountNumber, kind, subject, state, started_at_ms AS startedAtMs,
  due_at_ms AS dueAtMs, finished_at_ms AS finishedAtMs, updated_at_ms AS updatedAtMs, result, failure, edition`

export function createBuildStore(database: Sqlite, deps: BuildStoreDeps): BuildStore {
  const { clock } = deps
  const read = prepare<[BuildKind, string], StoredBuild>(
    database,
    `SELECT ${columns} FROM builds WHERE kind = ? AND subject = ?`,
  )
  const due = prepare<[number, number, number], StoredBuild>(
    database,
    `SELECT ${columns} FROM builds
     WHERE state IN ('building', 'refreshing') AND account_number = ? AND due_at_ms <= ?
     ORDER BY due_at_ms, build_number LIMIT ?`,
  )
  const openAccounts = prepare<[], number>(
    database,
    selectOpenAccounts('builds', "state IN ('building', 'refreshing')"),
  ).pluck()
  const nextDue = prepare<[number], number | null>(
    database,
    "SELECT min(due_at_ms) FROM builds WHERE state IN ('building', 'refreshing') AND due_at_ms > ?",
  ).pluck()
  const limitDueTimes = prepare<{ max: number }>(
    database,
    `UPDATE builds SET due_at_ms = @max WHERE state IN ('building', 'refreshing') AND due_at_ms > @max`,
  )
  const charge = database.prepare(
    "INSERT INTO ledger (account_number, run_number, kind, units, created_at_ms) VALUES (?, NULL, 'charge', 1, ?)",
  )
  const begin = createBegin(database)
  const endOne = createEnd(database)
  const { add, settleAll, objectOf } = createWaiterTable(database, deps)
  const ask = database.transaction((asked: BuildRequest): RequestedBuild => {
    const { kind, subject, waiter, chargedAccountNumber } = asked
    const nowMs = clock.nowMs()
    const known = read.get(kind, subject) ?? null
    const step = asked.chooseStep(known, nowMs)
    const isLeft = step === 'none' && known !== null
    const build = isLeft
      ? known
      : begin({
          kind,
          subject,
          accountNumber: asked.accountNumber,
          step,
          startedAtMs: nowMs,
          dueAtMs: nowMs + asked.chooseMs(),
        })
    if (known === null && chargedAccountNumber !== null) charge.run(chargedAccountNumber, nowMs)
    if (waiter !== null && asked.isWaitedFor(build)) {
      add(build, waiter, nowMs)
      if (build.state === 'failed') settleAll(build, nowMs)
    }
    return { build, hasBegun: !isLeft }
  })
  const end = database.transaction((ended: readonly EndedBuild[], atMs: number) => {
    for (const one of ended) {
      const build = endOne(one, atMs)
      if (build !== null) settleAll(build, atMs)
    }
  })
  return {
    read: (kind, subject) => read.get(kind, subject) ?? null,
    ask: (asked) => ask.immediate(asked),
    due: createRoundRobin({ accounts: () => openAccounts.all(), read: (...limits) => due.all(...limits) }),
    nextDueAtMs: (afterMs) => nextDue.get(afterMs) ?? null,
    limitDueTimes: (max) => {
      limitDueTimes.run({ max })
    },
    end: (ended, atMs) => {
      end.immediate(ended, atMs)
    },
    objectOf,
    release: () => undefined,
  }
}

interface Begin {
  readonly kind: BuildKind
  readonly subject: string
  readonly accountNumber: number
  /** `refresh` keeps the existing result. */
  readonly step: BuildStep
  readonly startedAtMs: number
  readonly dueAtMs: number
}

/** Returns a function that takes the step and returns the resulting build. */
function createBegin(database: Sqlite): (begin: Begin) => StoredBuild {
  const insert = prepare<Begin, StoredBuild>(
    database,
    `INSERT INTO builds (kind, subject, account_number, state, started_at_ms, due_at_ms)
     VALUES (@kind, @subject, @accountNumber, 'building', @startedAtMs, @dueAtMs)
     ON CONFLICT (kind, subject) DO UPDATE
       SET state = 'building', account_number = @accountNumber, started_at_ms = @startedAtMs, due_at_ms = @dueAtMs
     RETURNING ${columns}`,
  )
  const refresh = prepare<Begin, StoredBuild>(
    database,
    `UPDATE builds SET state = 'refreshing', account_number = @accountNumber, started_at_ms = @startedAtMs, due_at_ms = @dueAtMs
     WHERE kind = @kind AND subject = @subject RETURNING ${columns}`,
  )
  return (begin) => {
    const build = (begin.step === 'refresh' ? refresh : insert).get(begin)
    if (build === undefined) throw new Error(`there is no build of ${begin.kind} ${begin.subject}`)
    return build
  }
}

/** Returns a function that ends a build; its result is `null` if the build had ended before. */
function createEnd(database: Sqlite): (ended: EndedBuild, atMs: number) => StoredBuild | null {
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

function createWaiterTable(database: Sqlite, { outbox, endingOf }: BuildStoreDeps) {
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
    add: (build: StoredBuild, { accountNumber, runId, callId, webhookUrl }: BuildWaiter, atMs: number) => {
      add.run(build.buildNumber, accountNumber, runId, callId, webhookUrl, atMs)
    },
    /** Writes the events of all open waiters of an ended build. */
    settleAll: (build: StoredBuild, atMs: number) => {
      for (const waiter of open.all(build.buildNumber)) {
        const { object: text, event } = endingOf(build, waiter, atMs)
        settle.run(text, waiter.accountNumber, waiter.runId)
        outbox.add(event)
      }
    },
    objectOf: (accountNumber: number, runId: RunId) => object.get(accountNumber, runId),
  }
}

import type { Clock } from '../../../platform/clock.js'
import { ConnectionLostError, type PostgresStatements } from '../../../platform/postgres/postgres.js'
import { interleaveAccounts } from '../../../platform/due-work-loop.js'
import { chargeUnit } from '../../accounts/charges.js'
import type { NewEvent } from '../../deliveries/outbox.js'
import { serverMsSql } from '../../deliveries/postgres-event-store.js'
import { limits } from '../../limits.js'
import type { SharedStorage } from '../../storage/storage.js'
import { openAccountsSql } from '../../storage/postgres-schema.js'
import type { WaiterEnding, BuildKind, BuildStep, BuildWaiter, StoredBuild } from './build.js'
import type { AnyBuildStore, RequestedBuild, BuildRequest, EndedBuild } from './build-store.js'

export interface SharedBuildDeps extends Omit<SharedStorage, 'kind' | 'close'> {
  readonly clock: Clock
  /** Adds events in the transaction of their builds. */
  readonly addEvents: (statements: PostgresStatements, events: readonly NewEvent[]) => Promise<void>
  readonly endingOf: WaiterEnding
}

const columns = `build_number AS "buildNumber", account_number AS "accountNumber", kind, subject, state, started_at_ms AS "startedAtMs",
  due_at_ms AS "dueAtMs", finished_at_ms AS "finishedAtMs", updated_at_ms AS "updatedAtMs", result, failure, edition`

const isOpen = `state IN ('building', 'refreshing')`

const isMine = '(b.claimed_by IS NULL OR b.claimed_by = $1 OR b.claimed_until < clock_timestamp())'

/** Claims due builds by round robin over accounts, and those again that this replica holds. */
const dueSql = `
  WITH ${openAccountsSql('builds', isOpen)}, fair AS (
    SELECT build_number, place FROM open_accounts o CROSS JOIN LATERAL (
      SELECT build_number, due_at_ms, row_number() OVER (ORDER BY due_at_ms, build_number) AS place
      FROM (
        SELECT build_number, due_at_ms FROM enrich_service.builds b
        WHERE b.account_number = o.account_number AND ${isOpen} AND due_at_ms <= ${serverMsSql} AND ${isMine}
        ORDER BY due_at_ms, build_number LIMIT 2 * $3
      ) AS first
    ) AS placed
    ORDER BY place, due_at_ms, build_number LIMIT 2 * $3
  )
  UPDATE enrich_service.builds
  SET claimed_by = $1, claimed_until = clock_timestamp() + $2 * interval '1 millisecond'
  WHERE build_number IN (
    SELECT b.build_number FROM enrich_service.builds b JOIN fair USING (build_number)
    WHERE ${isOpen} AND ${isMine}
    ORDER BY place, due_at_ms, build_number LIMIT $3 FOR UPDATE OF b SKIP LOCKED)
  RETURNING ${columns}`

/**
 * Creates a store of the builds of all replicas: a build requested at one can be polled at another. One replica at a
 * time claims a build; the claims of a dead replica expire. Stored times are the server's.
 */
export function createSharedBuildStore(deps: SharedBuildDeps): AnyBuildStore {
  const { postgres, replicaId, claimMs, clock } = deps
  const read = async (kind: BuildKind, subject: string): Promise<StoredBuild | null> => {
    const [build] = await postgres.query<StoredBuild>(
      `SELECT ${columns} FROM enrich_service.builds WHERE kind = $1 AND subject = $2`,
      [kind, subject],
    )
    return build ?? null
  }
  const readUnchanged = createUnchangedReader(postgres)
  return {
    read,
    // Most calls find a build and change nothing; they take no lock.
    ask: async (asked) =>
      (await readUnchanged(asked)) ??
      (await retryUntilKnown(clock, () =>
        postgres.transaction((statements) => askIn(statements, asked, deps)),
      )),
    due: async (_nowMs, countMax) =>
      interleaveAccounts(await postgres.query<StoredBuild>(dueSql, [replicaId, claimMs, countMax])),
    nextDueAtMs: async (afterMs) => {
      const [next] = await postgres.query<{ dueInMs: number | null }>(
        `SELECT min(due_at_ms) - ${serverMsSql} AS "dueInMs" FROM enrich_service.builds
         WHERE ${isOpen} AND due_at_ms > ${serverMsSql} - $1::bigint AND claimed_by IS DISTINCT FROM $2`,
        [Math.max(0, clock.nowMs() - afterMs), replicaId],
      )
      const dueInMs = next?.dueInMs ?? null
      return dueInMs === null ? null : clock.nowMs() + dueInMs
    },
    limitDueTimes: async (dueAtMsMax) => {
      await postgres.query(
        `UPDATE enrich_service.builds SET due_at_ms = ${serverMsSql} + $1
         WHERE ${isOpen} AND due_at_ms > ${serverMsSql} + $1`,
        [Math.max(0, dueAtMsMax - clock.nowMs())],
      )
    },
    end: (ended) => postgres.transaction((statements) => endIn(statements, ended, deps)),
    objectOf: async (accountNumber, runId) => {
      const [waiter] = await postgres.query<{ object: string | null }>(
        'SELECT object FROM enrich_service.build_waiters WHERE account_number = $1 AND run_id = $2',
        [accountNumber, runId],
      )
      return waiter?.object
    },
    release: async () => {
      const releaseSql =
        'UPDATE enrich_service.builds SET claimed_by = NULL, claimed_until = NULL WHERE claimed_by = $1'
      try {
        await postgres.query(releaseSql, [replicaId])
      } catch (error) {
        // The claims expire by themselves.
        if (!(error instanceof ConnectionLostError)) throw error
      }
    },
  }
}

const againMs = 200

/** Repeats idempotent work while it is unknown, after a broken connection, whether it was done. */
async function retryUntilKnown<Result>(clock: Clock, work: () => Promise<Result>): Promise<Result> {
  let brokenSinceMs: number | null = null
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ConnectionLostError && error.mayHaveTakenEffect)
        brokenSinceMs ??= clock.monotonicMs()
      if (!(error instanceof ConnectionLostError) || brokenSinceMs === null) throw error
      if (clock.monotonicMs() - brokenSinceMs >= limits.kickoffUnknownMsMax) throw error
      await clock.sleep(againMs)
    }
  }
}

type TimedBuild = StoredBuild & { readonly nowMs: number }

function createUnchangedReader(
  statements: PostgresStatements,
): (asked: BuildRequest) => Promise<RequestedBuild | null> {
  return async ({ kind, subject, chooseStep, waiter, isWaitedFor }) => {
    const [known] = await findTimed(statements, kind, subject, '')
    if (known === undefined) return null
    const { nowMs, ...build } = known
    const isLeft = chooseStep(build, nowMs) === 'none' && (waiter === null || !isWaitedFor(build))
    return isLeft ? { build, hasBegun: false } : null
  }
}

const findTimed = (
  statements: PostgresStatements,
  kind: BuildKind,
  subject: string,
  lock: '' | 'FOR UPDATE',
) =>
  statements.query<TimedBuild>(
    `SELECT ${columns}, ${serverMsSql} AS "nowMs" FROM enrich_service.builds
     WHERE kind = $1 AND subject = $2 ${lock}`,
    [kind, subject],
  )

/** Idempotent: on a repetition the build exists, so nothing is charged again, and so does the waiter. */
async function askIn(
  statements: PostgresStatements,
  asked: BuildRequest,
  deps: SharedBuildDeps,
): Promise<RequestedBuild> {
  const { chooseStep, waiter, chargedAccountNumber } = asked
  const first = await insertFirst(statements, asked)
  if (first !== null && chargedAccountNumber !== null)
    await chargeUnit(statements, chargedAccountNumber, deps.clock.nowMs())
  const answered =
    first === null ? await stepOn(statements, asked, chooseStep) : { build: first, hasBegun: true }
  const { build } = answered
  if (waiter !== null && asked.isWaitedFor(build)) {
    await addWaiter(statements, build, waiter)
    if (build.state === 'failed') await settleWaiters(statements, [build], deps)
  }
  return answered
}

/** Returns `null` if the build exists. A concurrent insert first waits for the commit of the other. */
async function insertFirst(
  statements: PostgresStatements,
  { kind, subject, accountNumber, chooseMs }: BuildRequest,
): Promise<StoredBuild | null> {
  const [build] = await statements.query<StoredBuild>(
    `INSERT INTO enrich_service.builds (kind, subject, account_number, state, started_at_ms, due_at_ms)
     SELECT $1, $2, $4, 'building', now_ms, now_ms + $3 FROM (SELECT ${serverMsSql} AS now_ms) AS now
     ON CONFLICT (kind, subject) DO NOTHING RETURNING ${columns}`,
    [kind, subject, chooseMs(), accountNumber],
  )
  return build ?? null
}

async function stepOn(
  statements: PostgresStatements,
  { kind, subject, accountNumber, chooseMs }: BuildRequest,
  stepOf: BuildRequest['chooseStep'],
): Promise<RequestedBuild> {
  const [known] = await findTimed(statements, kind, subject, 'FOR UPDATE')
  if (known === undefined) throw new Error(`the build of ${kind} ${subject} is gone`)
  const { nowMs, ...build } = known
  const step = stepOf(build, nowMs)
  if (step === 'none') return { build, hasBegun: false }
  const [begun] = await statements.query<StoredBuild>(
    `UPDATE enrich_service.builds
     SET state = $2, account_number = $5, started_at_ms = $3, due_at_ms = $3::bigint + $4, claimed_by = NULL, claimed_until = NULL
     WHERE build_number = $1 RETURNING ${columns}`,
    [build.buildNumber, toState(step), nowMs, chooseMs(), accountNumber],
  )
  if (begun === undefined) throw new Error(`the build of ${kind} ${subject} is gone`)
  return { build: begun, hasBegun: true }
}

const toState = (step: Exclude<BuildStep, 'none'>) => (step === 'build' ? 'building' : 'refreshing')

async function addWaiter(
  statements: PostgresStatements,
  { buildNumber }: StoredBuild,
  { accountNumber, runId, callId, webhookUrl }: BuildWaiter,
): Promise<void> {
  await statements.query(
    `INSERT INTO enrich_service.build_waiters (build_number, account_number, run_id, call_id, webhook_url, created_at_ms)
     VALUES ($1, $2, $3, $4, $5, ${serverMsSql}) ON CONFLICT (account_number, run_id) DO NOTHING`,
    [buildNumber, accountNumber, runId, callId, webhookUrl],
  )
}

async function endIn(
  statements: PostgresStatements,
  ended: readonly EndedBuild[],
  deps: SharedBuildDeps,
): Promise<void> {
  const getFailure = ({ outcome }: EndedBuild) => (outcome.ok ? null : outcome.failure)
  const builds = await statements.query<StoredBuild>(
    `UPDATE enrich_service.builds b
     SET state = CASE WHEN e.failure IS NULL OR b.state = 'refreshing' THEN 'complete' ELSE 'failed' END,
       finished_at_ms = ${serverMsSql},
       updated_at_ms = CASE WHEN e.failure IS NULL THEN ${serverMsSql} ELSE b.updated_at_ms END,
       result = coalesce(e.result, b.result), failure = e.failure, edition = e.edition,
       claimed_by = NULL, claimed_until = NULL
     FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) AS e (build_number, result, failure, edition)
     WHERE b.build_number = e.build_number AND b.${isOpen} AND b.claimed_by = $1
     RETURNING ${columns.replace('build_number', 'b.build_number').replace(/\b(result|failure|edition)\b/g, 'b.$1')}`,
    [
      deps.replicaId,
      ended.map(({ buildNumber }) => buildNumber),
      ended.map(({ outcome }) => (outcome.ok ? outcome.result : null)),
      ended.map(getFailure),
      ended.map(({ edition }) => edition),
    ],
  )
  await settleWaiters(statements, builds, deps)
}

type OpenWaiter = BuildWaiter & {
  readonly buildNumber: number
  readonly waiterNumber: number
  readonly nowMs: number
}

/** Writes the events of all open waiters of ended builds, which are locked. */
async function settleWaiters(
  statements: PostgresStatements,
  builds: readonly StoredBuild[],
  { endingOf, addEvents }: SharedBuildDeps,
): Promise<void> {
  if (builds.length === 0) return
  const byNumber = new Map(builds.map((build) => [build.buildNumber, build]))
  const waiters = await statements.query<OpenWaiter>(
    `SELECT build_number AS "buildNumber", waiter_number AS "waiterNumber", account_number AS "accountNumber",
       run_id AS "runId", call_id AS "callId", webhook_url AS "webhookUrl", ${serverMsSql} AS "nowMs"
     FROM enrich_service.build_waiters WHERE build_number = ANY ($1::bigint[]) AND object IS NULL
     ORDER BY waiter_number`,
    [[...byNumber.keys()]],
  )
  const endings = waiters.flatMap(({ buildNumber, waiterNumber, nowMs, ...waiter }) => {
    const build = byNumber.get(buildNumber)
    return build === undefined ? [] : [{ waiterNumber, ...endingOf(build, waiter, nowMs) }]
  })
  if (endings.length === 0) return
  await statements.query(
    `UPDATE enrich_service.build_waiters w SET object = e.object
     FROM unnest($1::bigint[], $2::text[]) AS e (waiter_number, object) WHERE w.waiter_number = e.waiter_number`,
    [endings.map(({ waiterNumber }) => waiterNumber), endings.map(({ object }) => object)],
  )
  await addEvents(
    statements,
    endings.map(({ event }) => event),
  )
}

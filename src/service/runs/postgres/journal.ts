import { errorTypes } from '../../../contract/errors.js'
import type { Clock } from '../../../platform/clock.js'
import { GroupCommit, type ItemResult } from '../../../platform/group-commit.js'
import {
  ConnectionLostError,
  getSqlState,
  type Postgres,
  type PostgresStatements,
} from '../../../platform/postgres/postgres.js'
import { lockAccounts } from '../../accounts/charges.js'
import { limits } from '../../limits.js'
import { Refusal } from '../../refusal.js'
import type { Journal, NewRun } from '../run-store.js'

const againMs = 200
const conflictsMax = 20
const deadlock = '40P01'

/**
 * Creates a journal that stores concurrent kickoffs in one transaction: each run with its charge, or refused with 429
 * or 402 if its account may not be billed. If a broken connection leaves the outcome unknown, the transaction is
 * repeated with the same run ids until it is known. Rejects with a 5xx if it stays unknown, and with
 * ConnectionLostError if certainly nothing was stored.
 */
export function createSharedJournal(postgres: Postgres, clock: Clock): Journal {
  const commits = new GroupCommit<NewRun, undefined>((runs) => storeAll(postgres, clock, runs))
  return { append: commits.add }
}

async function storeAll(
  postgres: Postgres,
  clock: Clock,
  runs: readonly NewRun[],
): Promise<ItemResult<undefined>[]> {
  let brokenSinceMs: number | null = null
  for (let conflicts = 0; ;) {
    const isRepeated: boolean = brokenSinceMs !== null
    try {
      return await postgres.transaction((statements) =>
        storeIn(statements, runs, { isRepeated, nowMs: clock.nowMs() }),
      )
    } catch (error) {
      if (getSqlState(error) === deadlock && conflicts++ < conflictsMax) continue
      const isUnknown = error instanceof ConnectionLostError && error.mayHaveTakenEffect
      if (isUnknown) brokenSinceMs ??= clock.monotonicMs()
      if (brokenSinceMs === null) throw error
      if (clock.monotonicMs() - brokenSinceMs >= limits.kickoffUnknownMsMax) {
        return runs.map((run) => ({ error: createUnknownEndRefusal(run) }))
      }
      await clock.sleep(againMs)
    }
  }
}

async function storeIn(
  statements: PostgresStatements,
  runs: readonly NewRun[],
  { isRepeated, nowMs }: { isRepeated: boolean; nowMs: number },
): Promise<ItemResult<undefined>[]> {
  // Waits for the previous transaction if it is still running: it locks the same accounts.
  const takeUnit = await lockAccounts(
    statements,
    runs.map(({ accountNumber }) => accountNumber),
    nowMs,
  )
  const stored = isRepeated ? await findStored(statements, runs) : new Set<string>()
  const settled: ItemResult<undefined>[] = []
  const accepted: NewRun[] = []
  for (const run of runs) {
    const isNew = !stored.has(run.ids.runId)
    const refusal = isNew ? takeUnit(run.accountNumber) : null
    settled.push(refusal === null ? { value: undefined } : { error: refusal })
    if (isNew && refusal === null) accepted.push(run)
  }
  if (accepted.length > 0) await insert(statements, accepted)
  return settled
}

async function findStored(statements: PostgresStatements, runs: readonly NewRun[]): Promise<Set<string>> {
  const rows = await statements.query<{ runId: string }>(
    `SELECT r.run_id AS "runId" FROM unnest($1::bigint[], $2::text[]) AS a(account_number, run_id)
     JOIN enrich_service.runs r USING (account_number, run_id)`,
    [runs.map(({ accountNumber }) => accountNumber), runs.map(({ ids }) => ids.runId)],
  )
  return new Set(rows.map(({ runId }) => runId))
}

/** The due time is by the server's clock: now plus the duration of the run. */
async function insert(statements: PostgresStatements, runs: readonly NewRun[]): Promise<void> {
  await statements.query(
    `WITH added AS (
       INSERT INTO enrich_service.runs (account_number, run_id, job_id, request_id, call_id, custom_id, query,
         with_basis, surface, webhook_url, created_at_ms, due_at_ms)
       SELECT account_number, run_id, job_id, request_id, call_id, custom_id, query, with_basis, surface, webhook_url,
         created_at_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + delay_ms
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[],
         $9::text[], $10::text[], $11::bigint[], $12::bigint[]) WITH ORDINALITY
         AS a(account_number, run_id, job_id, request_id, call_id, custom_id, query, with_basis, surface, webhook_url,
           created_at_ms, delay_ms, position)
       ORDER BY position
       RETURNING run_number, account_number, created_at_ms)
     INSERT INTO enrich_service.ledger (account_number, run_number, kind, units, created_at_ms)
     SELECT account_number, run_number, 'charge', 1, created_at_ms FROM added ORDER BY run_number`,
    [
      runs.map(({ accountNumber }) => accountNumber),
      runs.map(({ ids }) => ids.runId),
      runs.map(({ ids }) => ids.jobId),
      runs.map(({ ids }) => ids.requestId),
      runs.map(({ ids }) => ids.callId),
      runs.map(({ customId }) => customId),
      runs.map(({ query }) => JSON.stringify(query)),
      runs.map(({ withBasis }) => withBasis),
      runs.map(({ surface }) => surface),
      runs.map(({ webhookUrl }) => webhookUrl),
      runs.map(({ createdAtMs }) => createdAtMs),
      runs.map(({ createdAtMs, dueAtMs }) => Math.max(0, dueAtMs - createdAtMs)),
    ],
  )
}

/** v3 lists only 500; in v2, 504 says that a retry may create a second job (interface: "Errors"). */
function createUnknownEndRefusal({ surface }: NewRun): Refusal {
  const message = 'it is unknown whether this was stored: the connection to the database broke'
  return surface === 'v3'
    ? new Refusal(500, errorTypes.apiError, message)
    : new Refusal(504, 'timeout', message)
}

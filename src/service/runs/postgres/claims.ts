import type { Deferrable } from '../../../platform/sql-program.js'
import type { RunId } from '../../../contract/enums.js'
import type { Clock } from '../../../platform/clock.js'
import { interleaveAccounts } from '../../../platform/due-work-loop.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { limits } from '../../limits.js'
import type { Query } from '../../knowledge.js'
import type { SharedStorage } from '../../storage/storage.js'
import { openAccountsSql } from '../../storage/postgres-schema.js'
import type { DueRun, RunStore } from '../run-store.js'

type ClaimsDeps = Omit<SharedStorage, 'kind' | 'close'> & { readonly clock: Clock }

interface ClaimedRow {
  readonly runNumber: number
  readonly accountNumber: number
  readonly runId: RunId
  readonly query: string
  readonly withBasis: boolean
}

const nowMsSql = '(extract(epoch FROM clock_timestamp()) * 1000)'

/** Claims need not be durable: one that is lost with the server only causes research to be repeated. */
const notSynced = "set_config('synchronous_commit', 'off', true) = 'off'"

const isFree = '(r.claimed_until IS NULL OR r.claimed_until < clock_timestamp())'

/**
 * Claims runs by round robin over accounts; `$4` and `$5` are the counts that this replica holds already. Finds more
 * than it claims, because another replica may claim the first ones at the same time.
 */
const claimSql = `
  WITH ${openAccountsSql('runs', "status = 'PENDING'")}, fair AS (
    SELECT run_number, place FROM open_accounts o
    LEFT JOIN unnest($4::bigint[], $5::integer[]) AS h (account_number, held_count) USING (account_number)
    CROSS JOIN LATERAL (
      SELECT run_number, due_at_ms, coalesce(held_count, 0) + row_number() OVER (ORDER BY due_at_ms, run_number) AS place
      FROM (
        SELECT run_number, due_at_ms FROM enrich_service.runs r
        WHERE status = 'PENDING' AND r.account_number = o.account_number AND due_at_ms <= ${nowMsSql} AND ${isFree}
        ORDER BY due_at_ms, run_number LIMIT 2 * $2
      ) AS first
    ) AS placed
    ORDER BY place, due_at_ms, run_number LIMIT 2 * $2
  )
  UPDATE enrich_service.runs r
  SET claimed_by = $1, claimed_until = clock_timestamp() + $3 * interval '1 millisecond'
  FROM (
    SELECT r.run_number FROM enrich_service.runs r JOIN fair USING (run_number)
    WHERE r.status = 'PENDING' AND ${isFree}
    ORDER BY place, due_at_ms, run_number LIMIT $2 FOR NO KEY UPDATE OF r SKIP LOCKED
  ) AS c
  WHERE r.run_number = c.run_number AND ${notSynced}
  RETURNING r.run_number AS "runNumber", r.account_number AS "accountNumber", r.run_id AS "runId", r.query,
    r.with_basis AS "withBasis"`

const renewSql = `
  UPDATE enrich_service.runs SET claimed_until = clock_timestamp() + $3 * interval '1 millisecond'
  WHERE run_number = ANY($2::bigint[]) AND claimed_by = $1 AND status = 'PENDING' AND ${notSynced}
  RETURNING run_number AS "runNumber"`

const releaseSql = `
  UPDATE enrich_service.runs SET claimed_by = NULL, claimed_until = NULL
  WHERE status = 'PENDING' AND claimed_by = $1`

/** Time until a run can be claimed, in milliseconds; claimed runs are available once their claim expires. */
const nextSql = `
  SELECT (min(greatest(due_at_ms, CASE WHEN claimed_until IS NULL THEN 0
    ELSE extract(epoch FROM claimed_until) * 1000 END)) - ${nowMsSql})::double precision AS "inMs"
  FROM enrich_service.runs WHERE status = 'PENDING'`

const limitDueTimesSql = `
  UPDATE enrich_service.runs SET due_at_ms = ${nowMsSql} + $1
  WHERE status = 'PENDING' AND due_at_ms > ${nowMsSql} + $1`

interface Claim {
  readonly run: DueRun
  /** Monotonic clock of this process, before the query was sent. */
  readonly sinceMs: number
}

/**
 * The claims of this replica. `due` claims the runs it returns, and returns them again until they have ended. It renews
 * older claims, and drops those that could not be renewed in time.
 */
export class Claims implements Pick<Deferrable<RunStore>, 'due' | 'nextDueAtMs' | 'limitDueTimes'> {
  readonly #deps: ClaimsDeps
  #held = new Map<number, Claim>()

  constructor(deps: ClaimsDeps) {
    this.#deps = deps
  }

  async due(_nowMs: number, countMax: number): Promise<DueRun[]> {
    await this.#renew()
    await this.#claim(countMax - this.#held.size)
    return interleaveAccounts([...this.#held.values()].map(({ run }) => run)).slice(0, countMax)
  }

  async nextDueAtMs(): Promise<number> {
    const { postgres, clock } = this.#deps
    const [next] = await postgres.query<{ inMs: number | null }>(nextSql)
    // Runs that other replicas store but do not research are found by a periodic read.
    return clock.nowMs() + Math.min(next?.inMs ?? Infinity, limits.claimLookMs)
  }

  async limitDueTimes(dueAtMsMax: number): Promise<void> {
    const { postgres, clock } = this.#deps
    await postgres.query(limitDueTimesSql, [Math.max(0, dueAtMsMax - clock.nowMs())])
  }

  /** Drops the claims of ended runs. */
  forget(runNumbers: readonly number[]): void {
    for (const runNumber of runNumbers) this.#held.delete(runNumber)
  }

  async #renew(): Promise<void> {
    const { postgres, replicaId, claimMs, clock } = this.#deps
    const sinceMs = clock.monotonicMs()
    this.#held = new Map([...this.#held].filter(([, claim]) => sinceMs - claim.sinceMs < claimMs))
    if (![...this.#held.values()].some((claim) => sinceMs - claim.sinceMs > claimMs / 3)) return
    const numbers = [...this.#held.keys()]
    const rows = await postgres.query<{ runNumber: number }>(renewSql, [replicaId, numbers, claimMs])
    const renewed = new Set(rows.map(({ runNumber }) => runNumber))
    this.#held = new Map(
      [...this.#held].flatMap(([number, { run }]) =>
        renewed.has(number) ? [[number, { run, sinceMs }]] : [],
      ),
    )
  }

  async #claim(countMax: number): Promise<void> {
    if (countMax <= 0) return
    const { postgres, replicaId, claimMs, clock } = this.#deps
    const sinceMs = clock.monotonicMs()
    const heldCounts = new Map<number, number>()
    for (const { run } of this.#held.values())
      heldCounts.set(run.accountNumber, (heldCounts.get(run.accountNumber) ?? 0) + 1)
    const held = [[...heldCounts.keys()], [...heldCounts.values()]]
    const rows = await postgres.query<ClaimedRow>(claimSql, [replicaId, countMax, claimMs, ...held])
    for (const row of rows.sort((one, other) => one.runNumber - other.runNumber)) {
      this.#held.set(row.runNumber, { run: toDueRun(row), sinceMs })
    }
  }
}

/** Releases the claims of a replica that ends, so that others can claim its runs at once. */
export async function releaseClaims(postgres: PostgresStatements, replicaId: string): Promise<void> {
  await postgres.query(releaseSql, [replicaId])
}

function toDueRun({ runNumber, accountNumber, runId, query, withBasis }: ClaimedRow): DueRun {
  return { runNumber, accountNumber, runId, withBasis: withBasis ? 1 : 0, ...(JSON.parse(query) as Query) }
}

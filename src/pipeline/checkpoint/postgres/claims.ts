import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { Claim, LookupId, RunHolder } from '../checkpoint.js'
import { awardRun, claimRun, disproveRun, exchangeRuns } from '../transitions.js'
import { applyChanges, contendersOf, contestOf, lockLookup, lockLookups } from './lookup-rows.js'

interface Named {
  readonly customId: string
  readonly runId: string
  readonly nowMs: number
}
interface Claimant {
  readonly scopeId: number
  readonly workerId: number
}

/** See `Checkpoint.claim`. `isWanted`: by this process, of what was claimed by it now. To be called within a transaction. */
export async function claim(
  statements: PostgresStatements,
  named: Named,
  { scopeId, workerId }: Claimant,
): Promise<{ readonly claim: Claim; readonly isWanted: boolean }> {
  const { customId, runId } = named
  const find = () =>
    statements.query<{ lookupId: LookupId; verdict: string; runId: string | null }>(
      `SELECT lookup_id AS "lookupId", verdict, run_id AS "runId" FROM enrich.submissions WHERE custom_id = $1`,
      [customId],
    )
  const [found] = await find()
  const row = found === undefined ? undefined : await lockLookup(statements, found.lookupId)
  // Once more, now that nobody changes it.
  const [submission] = row === undefined ? [] : await find()
  if (row === undefined || submission === undefined) return { claim: 'unknown', isWanted: false }
  const contenders = await contendersOf(statements, runId, scopeId)
  const { outcome, changes } = claimRun(row, submission, contenders, named)
  const kept = await applyChanges(statements, changes, workerId)
  return { claim: outcome, isWanted: kept.has(row.lookupId) }
}

/** See `Checkpoint.award`. To be called within a transaction. */
export async function award(
  statements: PostgresStatements,
  named: Named,
  { scopeId, workerId }: Claimant,
): Promise<boolean> {
  const contest = await contestOf(statements, await contendersOf(statements, named.runId, scopeId))
  const { outcome, changes } = awardRun(contest, named)
  await applyChanges(statements, changes, workerId)
  return outcome
}

/** See `Checkpoint.exchangeRuns`. To be called within a transaction. */
export async function exchange(
  statements: PostgresStatements,
  one: RunHolder,
  other: RunHolder,
  { nowMs, workerId }: { readonly nowMs: number; readonly workerId: number },
): Promise<boolean> {
  const rows = await lockLookups(statements, [one.lookupId, other.lookupId])
  const { outcome, changes } = exchangeRuns(rows, one, other, nowMs)
  await applyChanges(statements, changes, workerId)
  return outcome
}

/** See `Checkpoint.disprove`. To be called within a transaction. */
export async function disprove(
  statements: PostgresStatements,
  submission: { readonly lookupId: LookupId; readonly customId: string; readonly reason: string },
  workerId: number,
): Promise<void> {
  const row = await lockLookup(statements, submission.lookupId)
  await applyChanges(statements, disproveRun(row, submission), workerId)
}

import { runObjectLenient } from '../../../contract/resolution.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { moveLookup } from '../../rules/lookup-life.js'
import { provenOwner } from '../../rules/misdirected.js'
import type { Claim, LookupId, RunContender, RunHolder } from '../checkpoint.js'
import { unpackBody, type PackedAnswer } from '../packed-answer.js'
import {
  contendersOf,
  lockLookup,
  lockLookups,
  settleLookup,
  settleSubmission,
  stateAfter,
  type LockedLookup,
} from './lookup-rows.js'

/** Of an answer, as `PackedAnswer`. */
export const packedColumnsSql = `a.packing, a.line_bytes AS "lineBytes", a.body_bytes AS "bodyBytes", a.packed`

/** The body of the last answer to a lookup, as JSON; null where there is none. */
export async function bodyOf(statements: PostgresStatements, lookupId: LookupId): Promise<string | null> {
  const [row] = await statements.query<PackedAnswer>(
    `SELECT ${packedColumnsSql} FROM enrich.answers a WHERE a.lookup_id = $1`,
    [lookupId],
  )
  return row === undefined ? null : unpackBody(row)
}

interface Claimed {
  customId: string
  runId: string
  nowMs: number
}

/** What a process wants it looks after once it has claimed it; what it does not, whoever wants it next. */
const keeperOf = async (
  { query }: PostgresStatements,
  lookupId: LookupId,
  workerId: number,
): Promise<number | null> => {
  const sql = 'SELECT FROM enrich.wanted WHERE worker_id = $1 AND lookup_id = $2 AND NOT is_decided'
  return (await query(sql, [workerId, lookupId])).length === 0 ? null : workerId
}

/** `isWanted`: by this process, of what was claimed by it now. */
interface ClaimedRun {
  readonly claim: Claim
  readonly isWanted: boolean
}

const unclaimed = (claim: Claim): ClaimedRun => ({ claim, isWanted: false })

/** What a webhook, or the answer to another submission, that names the run of a submission comes to. */
export async function claimRun(
  statements: PostgresStatements,
  { customId, runId, nowMs }: Claimed,
  { scopeId, workerId }: { scopeId: number; workerId: number },
): Promise<ClaimedRun> {
  const find = () =>
    statements.query<{ lookupId: LookupId; verdict: string; runId: string | null }>(
      `SELECT lookup_id AS "lookupId", verdict, run_id AS "runId" FROM enrich.submissions WHERE custom_id = $1`,
      [customId],
    )
  const [submission] = await find()
  if (submission === undefined) return unclaimed('unknown')
  const row = await lockLookup(statements, submission.lookupId)
  // Once more, now that nobody changes it.
  const [named] = await find()
  if (row === undefined || named === undefined) return unclaimed('unknown')
  const isSame = named.runId === runId
  if (named.verdict === 'accepted') return unclaimed(isSame ? 'known' : 'conflict')
  const others = (await contendersOf(statements, runId, scopeId)).filter((one) => one.customId !== customId)
  if (others.length > 0) return unclaimed(isSame ? 'contested' : 'conflict')
  const settlement = { runId, acceptedAtMs: nowMs, reason: null }
  await settleSubmission(statements, { customId, verdict: 'accepted', ...settlement })
  const state = row.customId === customId ? moveLookup(row.state, 'claim') : null
  if (state === null) return unclaimed('superseded')
  const keeper = await keeperOf(statements, row.lookupId, workerId)
  await settleLookup(statements, { lookupId: row.lookupId, state, workerId: keeper, ...settlement })
  return { claim: row.state === 'intended' ? 'early' : 'claimed', isWanted: keeper !== null }
}

/** See `contestRun` of a checkpoint that one process has to itself. To be called within a transaction. */
export async function contestRun(
  statements: PostgresStatements,
  runId: string,
  contenders: readonly RunContender[],
  reason: string,
): Promise<void> {
  const rows = await lockLookups(
    statements,
    contenders.map(({ lookupId }) => lookupId),
  )
  for (const { lookupId, customId } of contenders) {
    const row = rows.get(lookupId)
    if (row === undefined || row.runId !== runId || row.customId !== customId) continue
    if (row.state === 'running')
      await statements.query('UPDATE enrich.lookups SET failure = $2 WHERE lookup_id = $1', [
        lookupId,
        reason,
      ])
    else if (!(await isProved(statements, row, customId, contenders)))
      await doubt(statements, row, runId, reason)
  }
}

async function isProved(
  statements: PostgresStatements,
  { lookupId }: LockedLookup,
  customId: string,
  contenders: readonly RunContender[],
): Promise<boolean> {
  const body = await bodyOf(statements, lookupId)
  const answer = body === null ? null : runObjectLenient.safeParse(JSON.parse(body))
  return answer?.success === true && provenOwner(answer.data, contenders)?.customId === customId
}

/** The run goes to the submission that its answer names; see `Checkpoint.award`. To be called within a transaction. */
export async function awardRun(
  statements: PostgresStatements,
  { customId, runId, nowMs }: Claimed,
  { scopeId, workerId }: { scopeId: number; workerId: number },
): Promise<boolean> {
  const contenders = await contendersOf(statements, runId, scopeId)
  const winner = contenders.find((one) => one.customId === customId)
  const rows = await lockLookups(
    statements,
    contenders.map(({ lookupId }) => lookupId),
  )
  const row = winner === undefined ? undefined : rows.get(winner.lookupId)
  const state = row?.customId === customId ? moveLookup(row.state, 'claim') : null
  if (winner === undefined || state === null) return false
  const holders = [...rows.values()].filter((one) => one.runId === runId)
  if (holders.some((holder) => holder.state !== 'running')) return false
  for (const holder of holders)
    await doubt(statements, holder, runId, `the service named ${runId}, the run of another submission`)
  const settlement = { runId, acceptedAtMs: nowMs, reason: null }
  const keeper = await keeperOf(statements, winner.lookupId, workerId)
  await settleLookup(statements, { lookupId: winner.lookupId, state, workerId: keeper, ...settlement })
  await settleSubmission(statements, { customId, verdict: 'accepted', ...settlement })
  return true
}

/** See `Checkpoint.exchangeRuns`. To be called within a transaction. */
export async function exchangeRuns(
  statements: PostgresStatements,
  one: RunHolder,
  other: RunHolder,
  { nowMs, workerId }: { nowMs: number; workerId: number },
): Promise<boolean> {
  const rows = await lockLookups(statements, [one.lookupId, other.lookupId])
  const holdsRun = ({ lookupId, runId, customId }: RunHolder) => {
    const row = rows.get(lookupId)
    return row?.state === 'running' && row.runId === runId && row.customId === customId
  }
  if (!holdsRun(one) || !holdsRun(other)) return false
  // No two lookups may hold one run, not even for a moment.
  await statements.query('UPDATE enrich.lookups SET run_id = NULL WHERE lookup_id = $1', [other.lookupId])
  for (const [{ lookupId, customId }, { runId }] of [[one, other] as const, [other, one] as const]) {
    const settlement = { runId, acceptedAtMs: nowMs, reason: null }
    const keeper = await keeperOf(statements, lookupId, workerId)
    await settleLookup(statements, { lookupId, state: 'running', workerId: keeper, ...settlement })
    await settleSubmission(statements, { customId, verdict: 'accepted', ...settlement })
  }
  return true
}

/** It may have been billed under a run that nobody knows; its submission goes on naming the contested one. */
async function doubt(
  statements: PostgresStatements,
  { lookupId, state: from, customId }: LockedLookup,
  runId: string,
  reason: string,
): Promise<void> {
  const state = moveLookup(from, 'doubt')
  if (state === null || customId === null) return
  const details = { acceptedAtMs: null, reason }
  await settleLookup(statements, { lookupId, state, workerId: null, runId: null, ...details })
  await settleSubmission(statements, { customId, verdict: 'uncertain', runId, ...details })
}

/** It runs, and the service says that it was never asked: it may be submitted again, by this process first. */
export async function disproveRun(
  statements: PostgresStatements,
  { lookupId, customId, reason }: { lookupId: LookupId; customId: string; reason: string },
  workerId: number,
): Promise<void> {
  const row = await lockLookup(statements, lookupId)
  // A webhook, or another answer, may have been faster.
  if (row?.state !== 'running' || row.customId !== customId) return
  const settlement = { runId: null, acceptedAtMs: null, reason }
  const state = stateAfter(row, lookupId, 'reopen')
  await settleLookup(statements, { lookupId, state, workerId, ...settlement })
  await settleSubmission(statements, { customId, verdict: 'not_created', ...settlement })
}

import { runObjectLenient } from '../../contract/resolution.js'
import { parseCustomId } from '../rules/custom-id.js'
import { moveLookup } from '../rules/lookup-life.js'
import { provenOwner } from '../rules/misdirected.js'
import type { Claim, LookupId, RunContender, RunHolder } from './checkpoint.js'
import { bodyOf, type Queries } from './queries.js'
import { nextChain } from './row-checksums.js'

/** Whose claims these are: this checkpoint's, and of it this scope's and this job's. */
interface Claimant {
  checkpointId: string
  scopeId: number
  jobId: number
}

/** What a webhook, or the answer to another submission, that names the run of a submission comes to. */
export function claimRun(
  queries: Queries,
  { customId, runId, nowMs }: { customId: string; runId: string; nowMs: number },
  own: Claimant,
): Claim {
  const { lookup, lookupOfSubmission, submission, contenders, settle, settleSubmission } = queries
  const lookupId = lookupOfSubmission.get(customId) ?? restoreSubmission(queries, customId, { ...own, nowMs })
  const row = lookupId === undefined ? undefined : lookup.get(lookupId)
  if (lookupId === undefined || row === undefined) return 'unknown'
  const named = submission.get(customId)
  const isSame = named?.runId === runId
  if (named?.verdict === 'accepted') return isSame ? 'known' : 'conflict'
  const others = contenders.all({ runId, scopeId: own.scopeId }).filter((one) => one.customId !== customId)
  if (others.length > 0) return isSame ? 'contested' : 'conflict'
  const settlement = { runId, acceptedAtMs: nowMs, reason: null }
  settleSubmission.run({ customId, verdict: 'accepted', ...settlement })
  const state = row.customId === customId ? moveLookup(row.state, 'claim') : null
  if (state === null) return 'superseded'
  settle.run({ lookupId, state, ...settlement })
  return row.state === 'intended' ? 'early' : 'claimed'
}

/**
 * A submission that was lost with a part of the checkpoint, and is named by a webhook: known again by its scope and
 * key. Undefined where it is none of this scope's.
 */
function restoreSubmission(
  queries: Queries,
  customId: string,
  own: Claimant & { nowMs: number },
): LookupId | undefined {
  const name = parseCustomId(customId)
  if (name?.checkpointId !== own.checkpointId || name.scopeId !== own.scopeId) return undefined
  const lookupId = queries.findLookup.get(name.scopeId, Buffer.from(name.keyHex, 'hex'))?.lookupId
  const row = lookupId === undefined ? undefined : queries.lookup.get(lookupId)
  if (lookupId === undefined || row === undefined) return undefined
  const { attempt } = name
  const { nowMs, jobId } = own
  const previous = queries.lastSubmission.get()?.chain ?? ''
  const chain = nextChain(previous, { customId, attempt, intendedAtMs: nowMs })
  queries.insertSubmission.run({ lookupId, jobId, attempt, customId, nowMs, chain })
  // Nothing was submitted for it since: it need not be.
  if (row.customId === null && moveLookup(row.state, 'claim') !== null) {
    const { state } = row
    queries.intend.run({ lookupId, state, attempt: Math.max(attempt, row.attempt), customId })
  }
  return lookupId
}

/**
 * The service gave one run to several submissions. The later one is uncertain already, and names the run; here the
 * earlier ones stop being believed: one that still runs needs attention, and its answer will have to prove whose
 * it is; one that was answered stays so only if its answer proves that. To be called within a transaction.
 */
export function contestRun(
  queries: Queries,
  runId: string,
  contenders: readonly RunContender[],
  reason: string,
): void {
  for (const { lookupId, customId } of contenders) {
    const row = queries.lookup.get(lookupId)
    if (row === undefined || row.runId !== runId || row.customId !== customId) continue
    if (row.state === 'running') queries.setNeedsAttention.run({ lookupId, reason })
    else if (!isProved(queries, lookupId, customId, contenders)) doubt(queries, lookupId, runId, reason)
  }
}

function isProved(
  queries: Queries,
  lookupId: number,
  customId: string,
  contenders: readonly RunContender[],
): boolean {
  const body = bodyOf(queries, lookupId)
  const answer = body === null ? null : runObjectLenient.safeParse(JSON.parse(body))
  return answer?.success === true && provenOwner(answer.data, contenders)?.customId === customId
}

/** The run goes to the submission that its answer names; see `Checkpoint.award`. To be called within a transaction. */
export function awardRun(
  queries: Queries,
  customId: string,
  runId: string,
  contenders: readonly RunContender[],
  nowMs: number,
): boolean {
  const winner = contenders.find((one) => one.customId === customId)
  const row = winner === undefined ? undefined : queries.lookup.get(winner.lookupId)
  const state = row?.customId === customId ? moveLookup(row.state, 'claim') : null
  if (winner === undefined || state === null) return false
  const holders = contenders.filter(({ lookupId }) => queries.lookup.get(lookupId)?.runId === runId)
  if (holders.some(({ lookupId }) => queries.lookup.get(lookupId)?.state !== 'running')) return false
  for (const { lookupId } of holders) {
    doubt(queries, lookupId, runId, `the service named ${runId}, the run of another submission`)
  }
  const settlement = { runId, acceptedAtMs: nowMs, reason: null }
  queries.settle.run({ lookupId: winner.lookupId, state, ...settlement })
  queries.settleSubmission.run({ customId, verdict: 'accepted', ...settlement })
  return true
}

/** See `Checkpoint.exchangeRuns`. To be called within a transaction. */
export function exchangeRuns(queries: Queries, one: RunHolder, other: RunHolder, nowMs: number): boolean {
  const holdsRun = ({ lookupId, runId, customId }: RunHolder) => {
    const row = queries.lookup.get(lookupId)
    return row?.state === 'running' && row.runId === runId && row.customId === customId
  }
  if (!holdsRun(one) || !holdsRun(other)) return false
  for (const [{ lookupId, customId }, { runId }] of [[one, other] as const, [other, one] as const]) {
    const settlement = { runId, acceptedAtMs: nowMs, reason: null }
    queries.settle.run({ lookupId, state: 'running', ...settlement })
    queries.settleSubmission.run({ customId, verdict: 'accepted', ...settlement })
  }
  return true
}

/** It may have been billed under a run that nobody knows; its submission goes on naming the contested one. */
function doubt(queries: Queries, lookupId: number, runId: string, reason: string): void {
  const row = queries.lookup.get(lookupId)
  const state = row === undefined ? null : moveLookup(row.state, 'doubt')
  if (state === null || row === undefined || row.customId === null) return
  const details = { acceptedAtMs: null, reason }
  queries.settle.run({ lookupId, state, runId: null, ...details })
  queries.settleSubmission.run({ customId: row.customId, verdict: 'uncertain', runId, ...details })
}

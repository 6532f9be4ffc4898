import { runObjectLenient } from '../../contract/resolution.js'
import { moveLookup } from '../rules/lookup-life.js'
import { provenOwner } from '../rules/misdirected.js'
import type { RunContender } from './checkpoint.js'
import type { prepareStatements } from './statements.js'

type Statements = ReturnType<typeof prepareStatements>

/**
 * The service gave one run to several submissions. The later one is uncertain already, and names the run; here the
 * earlier ones stop being believed: one that still runs is put under alarm, and its answer will have to prove whose
 * it is; one that was answered stays so only if its answer proves that. To be called within a transaction.
 */
export function contestRun(
  statements: Statements,
  runId: string,
  contenders: readonly RunContender[],
  reason: string,
): void {
  for (const { lookupId, customId } of contenders) {
    const row = statements.lookup.get(lookupId)
    if (row === undefined || row.runId !== runId || row.customId !== customId) continue
    if (row.state === 'running') statements.alarm.run({ lookupId, reason })
    else if (!isProved(statements, lookupId, customId, contenders)) doubt(statements, lookupId, runId, reason)
  }
}

function isProved(
  statements: Statements,
  lookupId: number,
  customId: string,
  contenders: readonly RunContender[],
): boolean {
  const body = statements.bodyOf.get(lookupId)
  const answer = body === undefined ? null : runObjectLenient.safeParse(JSON.parse(body))
  return answer?.success === true && provenOwner(answer.data, contenders)?.customId === customId
}

/** The run goes to the submission that its answer names; see `Checkpoint.award`. To be called within a transaction. */
export function awardRun(
  statements: Statements,
  customId: string,
  runId: string,
  contenders: readonly RunContender[],
  nowMs: number,
): boolean {
  const winner = contenders.find((one) => one.customId === customId)
  const row = winner === undefined ? undefined : statements.lookup.get(winner.lookupId)
  const state = row?.customId === customId ? moveLookup(row.state, 'claim') : null
  if (winner === undefined || state === null) return false
  const holders = contenders.filter(({ lookupId }) => statements.lookup.get(lookupId)?.runId === runId)
  if (holders.some(({ lookupId }) => statements.lookup.get(lookupId)?.state !== 'running')) return false
  for (const { lookupId } of holders) {
    doubt(statements, lookupId, runId, `the service named ${runId}, the run of another submission`)
  }
  const settlement = { runId, acceptedAtMs: nowMs, reason: null }
  statements.settle.run({ lookupId: winner.lookupId, state, ...settlement })
  statements.settleSubmission.run({ customId, verdict: 'accepted', ...settlement })
  return true
}

/** It may have been billed under a run that nobody knows; its submission goes on naming the contested one. */
function doubt(statements: Statements, lookupId: number, runId: string, reason: string): void {
  const row = statements.lookup.get(lookupId)
  const state = row === undefined ? null : moveLookup(row.state, 'doubt')
  if (state === null || row === undefined || row.customId === null) return
  const details = { acceptedAtMs: null, reason }
  statements.settle.run({ lookupId, state, runId: null, ...details })
  statements.settleSubmission.run({ customId: row.customId, verdict: 'uncertain', runId, ...details })
}

import { moveLookup } from '../rules/lookup-life.js'
import type { Claim } from './checkpoint.js'
import { restoreSubmission } from './restore-submission.js'
import type { prepareStatements } from './statements.js'

/** What a webhook, or the answer to another submission, that names the run of a submission comes to. */
export function claimRun(
  statements: ReturnType<typeof prepareStatements>,
  { customId, runId, nowMs }: { customId: string; runId: string; nowMs: number },
  own: { checkpointId: string; scopeId: number; jobId: number },
): Claim {
  const { lookup, lookupOfSubmission, submission, contenders, settle, settleSubmission } = statements
  const lookupId =
    lookupOfSubmission.get(customId) ?? restoreSubmission(statements, customId, { ...own, nowMs })
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

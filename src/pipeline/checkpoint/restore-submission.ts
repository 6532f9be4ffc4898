import { parseCustomId } from '../rules/custom-id.js'
import { moveLookup } from '../rules/lookup-life.js'
import type { LookupId } from './checkpoint.js'
import { nextChain } from './row-checksums.js'
import type { prepareStatements } from './statements.js'

/**
 * A submission that was lost with a part of the checkpoint, and is named by a webhook: known again by its scope and
 * key. Undefined where it is none of this scope's.
 */
export function restoreSubmission(
  statements: ReturnType<typeof prepareStatements>,
  customId: string,
  own: { checkpointId: string; scopeId: number; jobId: number; nowMs: number },
): LookupId | undefined {
  const name = parseCustomId(customId)
  if (name?.checkpointId !== own.checkpointId || name.scopeId !== own.scopeId) return undefined
  const lookupId = statements.findLookup.get(name.scopeId, Buffer.from(name.keyHex, 'hex'))?.lookupId
  const row = lookupId === undefined ? undefined : statements.lookup.get(lookupId)
  if (lookupId === undefined || row === undefined) return undefined
  const { attempt } = name
  const { nowMs, jobId } = own
  const previous = statements.lastSubmission.get()?.chain ?? ''
  const chain = nextChain(previous, { customId, attempt, intendedAtMs: nowMs })
  statements.insertSubmission.run({ lookupId, jobId, attempt, customId, nowMs, chain })
  // Nothing was submitted for it since: it need not be.
  if (row.customId === null && moveLookup(row.state, 'claim') !== null) {
    const { state } = row
    statements.intend.run({ lookupId, state, attempt: Math.max(attempt, row.attempt), customId })
  }
  return lookupId
}

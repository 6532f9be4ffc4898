import type { CheckpointReader } from '../pipeline/checkpoint/checkpoint.js'
import type { Proposals } from '../pipeline/decisions/proposals.js'
import type { Decision } from '../pipeline/lookups/decision.js'
import { toDecisionView } from './candidate-view.js'
import type { ProposalView, QueueRow } from './page-data.js'
import type { QueueEntry } from './queue.js'

/** Reads the lookups of entries. Omits those that are no longer in the checkpoint. */
export function readQueueRows(
  entries: readonly QueueEntry[],
  reader: Pick<CheckpointReader, 'readIdentities'>,
  proposals: Pick<Proposals, 'find'>,
): QueueRow[] {
  const identities = reader.readIdentities(entries.map(({ id }) => id))
  return entries.flatMap(({ status, confidence, rowCount, reason, decision }, at) => {
    const identity = identities[at] ?? null
    if (identity === null) return []
    const lookup = Buffer.from(identity.key).toString('hex')
    return {
      lookup,
      name: identity.name ?? '',
      location: identity.location,
      status,
      confidence,
      rowCount,
      reason,
      decision: decision === null ? null : toDecisionView(decision),
      proposal: toProposalView(proposals.find(lookup, decision)),
    }
  })
}

function toProposalView(proposal: Decision | null): ProposalView | null {
  if (proposal === null) return null
  const { verdict, entityId, entityName, decidedBy, decidedAtMs, note } = proposal
  return { verdict, entityId, entityName, decidedBy, decidedAtMs, note }
}

import type { KeptDecision } from '../pipeline/decisions/review-store.js'
import type { DecisionView } from './page-data.js'

export function decisionView(decision: KeptDecision): DecisionView {
  const { sequence, lookup, name, verdict, entityId, entityName, decidedBy, decidedAtMs, note } = decision
  return { sequence, lookup, name, verdict, entityId, entityName, decidedBy, decidedAtMs, note }
}

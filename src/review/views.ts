import type { KeptDecision } from '../pipeline/decisions/review-store.js'
import { isEntityId } from '../core/entity-id.js'
import type { Candidate } from '../pipeline/rules/candidate.js'
import { compareNames, comparePlaces } from './marks.js'
import type { CandidateView, DecisionView } from './page-data.js'

export interface AskedTexts {
  readonly name: string
  readonly location: string | null
}

/** A candidate as it is shown beside what was asked. */
export function candidateView(candidate: Candidate, asked: AskedTexts): CandidateView {
  const { legalName, name, place } = candidate
  const names = compareNames(asked.name, legalName ?? name)
  return {
    entityId: candidate.entityId,
    name,
    legalName,
    otherNames: candidate.otherNames,
    status: candidate.status,
    place,
    identifiers: candidate.identifiers,
    confidence: candidate.confidence,
    evidence: candidate.evidence,
    url: candidate.url,
    nameMarks: names.right,
    askedMarks: names.left,
    placeMarks: comparePlaces(asked.location, place).right,
    obstacle: obstacleOf(candidate),
  }
}

function obstacleOf({ entityId }: Candidate): string | null {
  if (entityId === null) return 'the service gives no id of a company for it'
  return isEntityId(entityId) ? null : `its id, ${entityId}, is not one of a company (siq_…)`
}

export function decisionView(decision: KeptDecision): DecisionView {
  const { sequence, lookup, name, verdict, entityId, entityName, decidedBy, decidedAtMs, note } = decision
  return { sequence, lookup, name, verdict, entityId, entityName, decidedBy, decidedAtMs, note }
}

import { isEntityId } from '../core/entity-id.js'
import { UserError } from '../core/errors.js'
import type { Lookup } from '../core/identity.js'
import type { Candidate } from '../pipeline/rules/candidate.js'
import type { Decision } from '../pipeline/rules/decision.js'
import type { CandidateBook } from './candidate-book.js'
import type { CompanyRecords } from './company-records.js'
import type { Choice } from './session.js'

export interface ChoiceDeps {
  readonly candidates: CandidateBook
  readonly records: CompanyRecords
  readonly service: string
  readonly reviewer: string
  readonly nowMs: number
}

export interface ChosenDecisions {
  readonly decisions: readonly Decision[]
  /** By lookup: the companies that were accepted, as they were shown. */
  readonly shown: ReadonlyMap<string, Candidate>
}

/**
 * What choices come to; `asked` is aligned with them. A company is accepted for a lookup that it was shown beside, or
 * whose candidates nobody has seen. Throws REVIEW_CHOICE_INVALID.
 */
export function decisionsOf(
  choices: readonly Choice[],
  asked: readonly Lookup[],
  deps: ChoiceDeps,
): ChosenDecisions {
  const shown = new Map<string, Candidate>()
  const names = new Map<string, string>()
  const kept = deps.candidates.kept(choices.map(({ lookup }) => lookup))
  for (const [at, { lookup, entityId }] of choices.entries()) {
    if (entityId === null) continue
    // Of a line with any other id no decisions file could be read again.
    if (!isEntityId(entityId)) throw notOne(entityId)
    const candidate = deps.candidates.shown(lookup, entityId)
    if (candidate === null && kept[at] !== null) throw notShown(asked[at]?.name ?? lookup, entityId)
    if (candidate === null) continue
    shown.set(lookup, candidate)
    const name = deps.records.nameOf(entityId) ?? candidate.legalName ?? candidate.name
    if (name !== null) names.set(entityId, name)
  }
  const decisions = choices.map(({ lookup, verdict, entityId, note }, at) => ({
    lookup,
    verdict,
    entityId,
    note: note?.trim() === '' ? null : note,
    name: asked[at]?.name ?? '',
    location: asked[at]?.location ?? null,
    entityName: entityId === null ? null : (names.get(entityId) ?? deps.records.nameOf(entityId)),
    decidedBy: deps.reviewer,
    decidedAtMs: deps.nowMs,
    service: deps.service,
  }))
  return { decisions, shown }
}

const notOne = (entityId: string): UserError =>
  new UserError('REVIEW_CHOICE_INVALID', `${entityId} is not the id of a company`, {
    hint: 'such an id begins with siq_; nothing was decided',
  })

const notShown = (name: string, entityId: string): UserError =>
  new UserError('REVIEW_CHOICE_INVALID', `${entityId} is not among the candidates of ${name}`, {
    hint: 'choose one of its candidates, or search for the company first; nothing was decided',
  })

import { assertNever } from '../../core/errors.js'
import { at } from '../../core/json.js'
import { type Decision, judgeDecision, explainDoubt } from '../../core/decisions.js'
import type { LookupId } from '../../core/lookup-identity.js'
import type { FindDecision } from './stage-answers.js'
import type { DecidedLookup } from './stage-questions.js'
import { answerLimits, renderResult, type BasisRow } from './answer-line.js'

export interface ReviewData {
  readonly decidedOf: FindDecision
  /** Answers with a lower confidence are doubtful, 0 to 100. */
  readonly threshold: number
  /** Returns the register's page of the company that was chosen for a lookup; `null` if unknown. */
  readonly urlOf: (decided: DecidedLookup) => string | null
  /** `null` if no row has candidates, or their column is not written. */
  readonly candidates: RowCandidates | null
}

/** Candidate companies of doubtful rows. */
export interface RowCandidates {
  isDoubtful(outcome: string, line: Buffer): boolean
  /** Returns the JSON member, without braces, for each lookup that has candidates. */
  formatMembers(ids: readonly LookupId[]): ReadonlyMap<LookupId, string>
}

export interface DecidedRecord {
  /** The record as sent by the service (interface: "v3 entity record", its envelope); null if it was not read. */
  readonly body: unknown
  /** Why it was not read. */
  readonly missing: string | null
  /** Page of the company at the register. */
  readonly url: string | null
}

/** The answer of a decided row: its outcome for counts, and its line. */
export interface DecidedAnswer {
  readonly outcome: 'matched' | 'merged' | 'not_found' | 'no_match'
  readonly line: string
  /** Whether the lookup must be reviewed again. */
  readonly needsReview: boolean
}

/**
 * Renders a decision. It determines the company, whatever its record says now; the status shows a company that was
 * merged or is gone. There is no run for it. Never throws.
 */
export function renderDecided(decision: Decision, record: DecidedRecord): DecidedAnswer {
  const standing = judgeDecision(decision, record.body)
  const needsReview = explainDoubt(decision, standing) !== null
  const entity = at(record.body, 'entity')
  const known = { type: at(entity, 'type'), subtype: at(entity, 'subtype'), entity }
  const sure = { confidence: 100, entity_id: decision.entityId, source_url: record.url }
  if (decision.verdict === 'none')
    return answer('no_match', decision, null, {
      needsReview,
      basis: [buildBasisRow(decision, 'decision', 'none', null)],
    })
  const basis = [buildBasisRow(decision, 'entity_id', decision.entityId, record.url)]
  switch (standing.kind) {
    case 'stands':
    case 'renamed':
      return answer('matched', decision, known, { ...sure, needsReview, basis })
    case 'merged':
      return answer(
        'merged',
        decision,
        { ...known, merged_into: standing.into },
        { ...sure, needsReview, basis },
      )
    case 'gone': {
      const error = `the service knows no company ${decision.entityId ?? ''}, which was decided`
      return answer('not_found', decision, null, { needsReview, basis, error })
    }
    case 'unread': {
      const missing = record.missing ?? 'not asked yet'
      const error = `a reviewer accepted this company; its record is missing (${missing}): start a run to request it`
      return answer('matched', decision, null, {
        ...sure,
        needsReview,
        display_name: decision.entityName,
        basis,
        error,
      })
    }
    default:
      return assertNever(standing)
  }
}

type Rest = Omit<Parameters<typeof renderResult>[1], 'status' | 'resolved_at'> &
  Pick<DecidedAnswer, 'needsReview'>

function answer(
  outcome: DecidedAnswer['outcome'],
  decision: Decision,
  data: object | null,
  { needsReview, ...rest }: Rest,
): DecidedAnswer {
  const reason = `Decided by ${describeReview(decision)}.`
  const resolved_at = formatInstant(decision.decidedAtMs)
  const line = renderResult(data, { status: outcome, resolved_at, reason, ...rest })
  return { outcome, line, needsReview }
}

const describeReview = ({ decidedBy, decidedAtMs }: Decision): string =>
  `${decidedBy} on ${formatInstant(decidedAtMs).slice(0, 10)}`

/** The reviewer is the source; the register page is cited for reference. */
function buildBasisRow(
  decision: Decision,
  field: string,
  value: string | null,
  url: string | null,
): BasisRow {
  const { note } = decision
  const said = `decided by ${describeReview(decision)}`
  return {
    field,
    value,
    confidence: null,
    reasoning: (note === null ? said : `${said}: ${note}`).slice(0, answerLimits.basisValueCharsMax),
    citations: url === null ? [] : [{ url, excerpt: null, source_type: null, authority_tier: null }],
  }
}

const formatInstant = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')

/** Returns the members `decision`, `decided_by` and `decided_at` of a row's line, as JSON without braces. */
export function renderDecisionMembers({ verdict, decidedBy, decidedAtMs }: Decision): string {
  const members = { decision: verdict, decided_by: decidedBy, decided_at: formatInstant(decidedAtMs) }
  return JSON.stringify(members).slice(1, -1)
}

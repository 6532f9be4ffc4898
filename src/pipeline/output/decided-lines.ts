import type { CheckpointReader, LookupId } from '../checkpoint/checkpoint.js'
import { recordsOf } from '../checkpoint/decided-records.js'
import type { DecidedOf } from '../checkpoint/stage-answers.js'
import { renderDecided, type DecidedAnswer } from '../rules/decided-answer.js'
import type { DecidedLookup } from '../rules/stage-questions.js'
import type { CandidatesOfRows } from './candidate-members.js'
import { unansweredOf } from './known-line.js'

/** What people said of rows, beside what the service did. */
export interface ReviewOfRows {
  readonly decidedOf: DecidedOf
  /** An answer that is less sure is doubtful, 0 to 100. */
  readonly threshold: number
  /** Where the register shows the company that a lookup was decided to be; null where it is not known. */
  readonly urlOf: (decided: DecidedLookup) => string | null
  /** Null where no row has any, or no column is written of them. */
  readonly candidates: CandidatesOfRows | null
}

/** The answers of lookups that people decided, by their ids; each company's record is read once. */
export function decidedAnswersOf(
  ids: readonly LookupId[],
  reader: CheckpointReader | null,
  { decidedOf, urlOf }: ReviewOfRows,
): Map<LookupId, DecidedAnswer> {
  const decided = ids.flatMap((id) => {
    const found = decidedOf(id)
    return found === null ? [] : [[id, found] as const]
  })
  const companies = decided.flatMap(([, { decision }]) => decision.entityId ?? [])
  const records = reader === null ? new Map<string, never>() : recordsOf(reader, companies)
  return new Map(
    decided.map(([id, one]) => {
      const { known = null, body = null } = records.get(one.decision.entityId ?? '') ?? {}
      const missing = unansweredOf(known)?.error ?? null
      return [id, renderDecided(one.decision, { body, missing, url: urlOf(one) })] as const
    }),
  )
}

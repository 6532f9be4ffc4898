import { at, integerOf } from '../../core/lenient.js'
import {
  packedColumns,
  packedHeadBytes,
  unpackLine,
  unpackLineHead,
  type PackedAnswer,
} from './packed-answer.js'

/** Of an answer, before it is said of which kind it is. */
export interface FoundOutcome {
  readonly lookupId: number
  readonly scopeId: number
  readonly outcome: string
  readonly packing: number
  /** Of `packed`, the beginning. */
  readonly head: Buffer
}

/** The answers that stand, among ids that are given as a JSON list. */
export const outcomesSql = `SELECT l.lookup_id AS lookupId, l.scope_id AS scopeId, a.outcome, a.packing,
     substr(a.packed, 1, ${packedHeadBytes}) AS head
   FROM json_each(?) AS given CROSS JOIN lookups l ON l.lookup_id = given.value JOIN answers a USING (lookup_id)
   WHERE l.state = 'answered'`

export const wholeAnswerSql = `SELECT ${packedColumns} FROM answers WHERE lookup_id = ?`

/** Behind the status, where lines of resolutions have it; `whole` is read where it stands elsewhere. */
export function confidenceOf(
  { packing, head }: FoundOutcome,
  whole: () => PackedAnswer | undefined,
): number | null {
  const found = /^\{"status":"[^"\\]*","confidence":(null|-?\d+),/.exec(unpackLineHead(packing, head))
  if (found !== null) return found[1] === 'null' ? null : Number(found[1])
  const answer = whole()
  return answer === undefined ? null : integerOf(at(JSON.parse(unpackLine(answer)), 'confidence'))
}

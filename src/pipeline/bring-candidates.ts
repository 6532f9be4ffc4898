import { doubtfulAmong } from './candidates/doubtful-lookups.js'
import type { CheckpointReader } from './checkpoint/checkpoint.js'
import type { RunReview } from './decisions/run-review.js'
import { lookupsOf } from './gather-candidates.js'
import type { RowIndex } from './input/row-index.js'
import type { OutputColumn } from './rules/columns.js'
import type { ReviewColumnName } from './rules/review-columns.js'

export interface BringCandidatesDeps {
  readonly review: RunReview
  /** Whose answers: of a connection. */
  readonly scope: string
  readonly index: RowIndex
  readonly reader: CheckpointReader | null
  /** Lookups that were decided, by their keys in hexadecimal digits. */
  readonly decided: readonly string[]
  readonly columns: readonly Pick<OutputColumn, 'name'>[]
  readonly doubtThreshold: number
}

/** Looked at at one time. */
const lookupsAtOnce = 2_000

/** The candidates that an output shows can be read once it resolves: of decided lookups, and, in their column, of doubtful ones. */
export async function bringCandidates(deps: BringCandidatesDeps): Promise<void> {
  const { review, scope, index, reader, decided, columns, doubtThreshold } = deps
  if (decided.length > 0) await review.bringCandidates(scope, decided)
  const isWritten = columns.some(({ name }) => name === ('candidates' satisfies ReviewColumnName))
  if (!isWritten || reader === null) return
  const ids = lookupsOf(index)
  for (let start = 0; start < ids.length; start += lookupsAtOnce) {
    const doubtful = doubtfulAmong([...ids.subarray(start, start + lookupsAtOnce)], reader, doubtThreshold)
    const keys = reader.identities(doubtful).flatMap((identity) => identity?.key ?? [])
    if (keys.length > 0)
      await review.bringCandidates(
        scope,
        keys.map((key) => Buffer.from(key).toString('hex')),
      )
  }
}

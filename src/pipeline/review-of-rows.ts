import type { DecidedLookups } from './decided-lookups.js'
import { openReviewStoreToRead } from './decisions/review-store.js'
import type { CheckpointReader } from './checkpoint/checkpoint.js'
import { candidatesOfRows } from './output/candidate-members.js'
import type { ReviewOfRows } from './output/decided-lines.js'
import type { OutputColumn } from './rules/columns.js'
import type { ReviewColumnName } from './rules/review-columns.js'

export interface OpenReviewOfRows extends ReviewOfRows {
  readonly close: () => void
}

export interface ReviewOfRowsDeps {
  readonly checkpointPath: string
  /** Whose answers: of a connection. */
  readonly scope: string
  readonly decided: DecidedLookups
  readonly reader: CheckpointReader | null
  /** Those that are written. */
  readonly columns: readonly Pick<OutputColumn, 'name'>[]
  /** An answer that is less sure is doubtful. */
  readonly doubtThreshold: number
}

/** Opens what people said of rows, while an output is written. Throws REVIEW_STORE_INVALID. */
export function openReviewOfRows(deps: ReviewOfRowsDeps): OpenReviewOfRows {
  const { checkpointPath, scope, decided, reader, columns, doubtThreshold: threshold } = deps
  const store = openReviewStoreToRead(checkpointPath)
  const isWritten = columns.some(({ name }) => name === ('candidates' satisfies ReviewColumnName))
  const hasCandidates = isWritten && store?.hasAnyCandidates(scope) === true
  return {
    threshold,
    candidates:
      hasCandidates && reader !== null ? candidatesOfRows({ store, scope, threshold, reader }) : null,
    decidedOf: (id) => decided.of(id),
    urlOf: ({ decision: { lookup, entityId } }) => {
      const [candidates = null] = store?.candidates(scope, [lookup]) ?? []
      return candidates?.find((candidate) => candidate.entityId === entityId)?.url ?? null
    },
    close: () => store?.close(),
  }
}

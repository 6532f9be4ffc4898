import type { DecidedLookups } from './decided-lookups.js'
import { openReviewStoreToRead } from './decisions/review-store.js'
import type { ReviewOfRows } from './output/decided-lines.js'

export interface OpenReviewOfRows extends ReviewOfRows {
  readonly close: () => void
}

export interface ReviewOfRowsDeps {
  readonly checkpointPath: string
  /** Whose answers: of a connection. */
  readonly scope: string
  readonly decided: DecidedLookups
}

/** Opens what people said of rows, while an output is written. Throws REVIEW_STORE_INVALID. */
export function openReviewOfRows({ checkpointPath, scope, decided }: ReviewOfRowsDeps): OpenReviewOfRows {
  const store = openReviewStoreToRead(checkpointPath)
  return {
    decidedOf: (id) => decided.of(id),
    urlOf: ({ decision: { lookup, entityId } }) => {
      const [candidates = null] = store?.candidates(scope, [lookup]) ?? []
      return candidates?.find((candidate) => candidate.entityId === entityId)?.url ?? null
    },
    close: () => store?.close(),
  }
}

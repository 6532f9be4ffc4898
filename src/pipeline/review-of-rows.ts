import type { DecidedLookups } from './decided-lookups.js'
import { openReviewStoreToRead, type ReviewReader } from './decisions/review-store.js'
import type { CheckpointReader } from './checkpoint/checkpoint.js'
import type { CandidatesOfRows, ReviewOfRows } from './output/answer-lines.js'
import type { Candidate } from './rules/candidate.js'
import type { OutputColumn } from './rules/columns.js'
import { isDoubtfulLine } from './rules/doubtful-line.js'
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

interface CandidatesOfRowsDeps {
  readonly store: Pick<ReviewReader, 'candidates'>
  readonly scope: string
  readonly threshold: number
  readonly reader: Pick<CheckpointReader, 'identities'>
}

function candidatesOfRows(deps: CandidatesOfRowsDeps): CandidatesOfRows {
  const { store, scope, threshold, reader } = deps
  return {
    isDoubtful: (outcome, line) => isDoubtfulLine(outcome, () => line.toString(), threshold),
    membersOf: (ids) => {
      const keys = reader.identities(ids).map((identity) => hexOf(identity?.key ?? new Uint8Array()))
      const kept = store.candidates(scope, keys)
      return new Map(
        ids.flatMap((id, at) => {
          const candidates = kept[at] ?? []
          return candidates.length === 0 ? [] : [[id, candidatesMember(candidates)] as const]
        }),
      )
    },
  }
}

const hexOf = (key: Uint8Array) => Buffer.from(key).toString('hex')

function candidatesMember(candidates: readonly Candidate[]): string {
  const listed = candidates.map(({ entityId, name, legalName, place, confidence, url }) => ({
    entity_id: entityId,
    name,
    legal_name: legalName,
    place,
    confidence,
    url,
  }))
  return `"candidates":${JSON.stringify(listed)}`
}

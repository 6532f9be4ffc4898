import type { CheckpointReader, LookupId } from '../checkpoint/checkpoint.js'
import type { Candidate } from '../decisions/candidate.js'
import type { ReviewReader } from '../decisions/review-store.js'
import { isDoubtfulLine } from '../rules/doubtful-line.js'

/** Companies that doubtful rows may mean, as their lines have them. */
export interface CandidatesOfRows {
  /** Whether a row of this outcome and line is doubtful. */
  isDoubtful(outcome: string, line: Buffer): boolean
  /** The member of a line, as JSON without braces, of those lookups that have candidates. */
  membersOf(ids: readonly LookupId[]): ReadonlyMap<LookupId, string>
}

export interface CandidatesOfRowsDeps {
  readonly store: Pick<ReviewReader, 'candidates'>
  readonly scope: string
  readonly threshold: number
  readonly reader: Pick<CheckpointReader, 'identities'>
}

export function candidatesOfRows(deps: CandidatesOfRowsDeps): CandidatesOfRows {
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
    ...{ entity_id: entityId, name, legal_name: legalName, place, confidence, url },
  }))
  return `"candidates":${JSON.stringify(listed)}`
}

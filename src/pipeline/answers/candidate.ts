import type { Lookup } from '../../core/lookup-identity.js'

/** Candidates of one lookup, at most. */
export const candidatesMax = 5

/** One thing that speaks for a candidate or against it. */
export interface EvidencePart {
  /** A few plain words: `name`, `place`, `legal form`, … */
  readonly label: string
  /** In plain English, of this very candidate: "the same town". */
  readonly text: string
  /** In log-odds: above 0 it speaks for the candidate; null where the service gives no number. */
  readonly weight: number | null
}

/** A company that a doubtful lookup may mean. */
export interface Candidate {
  /** `siq_…`; null for a registration that the service has no company for: it cannot be accepted. */
  readonly entityId: string | null
  /** `le_…` */
  readonly legalEntityId: string | null
  /** In use. */
  readonly name: string | null
  readonly legalName: string | null
  /** Former and other names, without the two above. */
  readonly otherNames: readonly string[]
  /** `active`, `inactive`, or as the service words it. */
  readonly status: string | null
  /** On one line. */
  readonly place: string | null
  /** ISO 3166-1, two letters. */
  readonly countryCode: string | null
  readonly jurisdiction: string | null
  readonly identifiers: readonly { readonly type: string; readonly value: string }[]
  /** 0 to 100, that it is the one that is meant. */
  readonly confidence: number | null
  readonly evidence: readonly EvidencePart[]
  /** At the register; null where none is known. */
  readonly url: string | null
}

/** Where candidates come from: the matcher of the embedded service, or `GET /v2/search` of a hosted one. */
export interface CandidateSource {
  /** Asked for every doubtful lookup of a run, beside its answer; otherwise when somebody looks at the lookup. */
  readonly isEager: boolean
  /** At most `candidatesMax`, the likeliest first. Throws UserError CANDIDATES_UNAVAILABLE where the service does not answer. */
  candidatesOf(asked: Lookup, signal?: AbortSignal): Promise<readonly Candidate[]>
  /** What a person looks for. At most ten; `countryCode` of two letters. Throws like `candidatesOf`. */
  search(text: string, countryCode: string | null, signal?: AbortSignal): Promise<readonly Candidate[]>
  /** The company of an id; of one that was merged, the one it was merged into; null: there is none. Throws like `candidatesOf`. */
  company(entityId: string, signal?: AbortSignal): Promise<Candidate | null>
}

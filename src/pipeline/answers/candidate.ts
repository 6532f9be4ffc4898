import type { Lookup } from '../../core/lookup-identity.js'

/** Most candidates of one lookup. */
export const candidatesMax = 5

/** One piece of evidence for or against a candidate. */
export interface EvidencePart {
  /** A short label: `name`, `place`, `legal form`, … */
  readonly label: string
  /** A sentence about this candidate: "the same town". */
  readonly text: string
  /** Log-odds: positive for the candidate; null if the service gives no number. */
  readonly weight: number | null
}

/** A company that may match a doubtful lookup. */
export interface Candidate {
  /** `siq_…`; null for a registration without a company at the service, which cannot be accepted. */
  readonly entityId: string | null
  /** `le_…` */
  readonly legalEntityId: string | null
  /** Name in use. */
  readonly name: string | null
  readonly legalName: string | null
  /** Former and other names. */
  readonly otherNames: readonly string[]
  /** `active`, `inactive`, or another text of the service. */
  readonly status: string | null
  /** On one line. */
  readonly place: string | null
  /** ISO 3166-1, two letters. */
  readonly countryCode: string | null
  readonly jurisdiction: string | null
  readonly identifiers: readonly { readonly type: string; readonly value: string }[]
  /** Confidence that it matches, 0 to 100. */
  readonly confidence: number | null
  readonly evidence: readonly EvidencePart[]
  /** Page at the register; null if unknown. */
  readonly url: string | null
}

/** Source of candidates: the matcher of the embedded service, or `GET /v2/search` of a hosted one. */
export interface CandidateSource {
  /** Whether candidates are gathered for every doubtful lookup during a run, or only when a reviewer opens it. */
  readonly isEager: boolean
  /**
   * Returns at most `candidatesMax` candidates, the likeliest first. Throws UserError CANDIDATES_UNAVAILABLE if the
   * service does not answer.
   */
  findCandidates(asked: Lookup, signal?: AbortSignal): Promise<readonly Candidate[]>
  /** Searches for a reviewer's text; at most ten results. `countryCode` has two letters. Throws like `candidatesOf`. */
  search(text: string, countryCode: string | null, signal?: AbortSignal): Promise<readonly Candidate[]>
  /** Returns the company of an id, or the one it was merged into; null if none. Throws like `candidatesOf`. */
  company(entityId: string, signal?: AbortSignal): Promise<Candidate | null>
}

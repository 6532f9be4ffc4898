import type { KeptCandidates } from './review-store.js'

/** What people decided, and candidates, on a server: readers read the review store beside the local checkpoint. */
export interface RunReview {
  readonly candidates: KeptCandidates
  /** What stands is there to be read once it resolves; again, what was decided since. */
  bringDecisions(): Promise<void>
  /** The candidates of lookups (hexadecimal keys) are there to be read. */
  bringCandidates(scope: string, lookups: readonly string[]): Promise<void>
}

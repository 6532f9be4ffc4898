import type { Candidate } from './candidate.js'
import type { Decision } from './decision.js'

/** A decision as the store has it. */
export interface KeptDecision extends Decision {
  /** Grows with every decision of this store. */
  readonly sequence: number
  /** Whether it was written to the decisions file. */
  readonly isInFile: boolean
}

/** The decision that somebody else made of a lookup in the meantime. */
export type DecideOutcome =
  | { readonly kind: 'decided'; readonly decisions: readonly KeptDecision[] }
  | { readonly kind: 'conflict'; readonly others: readonly KeptDecision[] }

/**
 * What reviewers decided, and the candidates that were found, of the lookups of a checkpoint: an SQLite file beside it,
 * shared by processes, so that reviewers work while a run writes the checkpoint. What a method resolves is durable.
 */
export interface ReviewStore {
  /** The decisions that stand, of one service. */
  standing(service: string): KeptDecision[]
  /** The newest first, of whatever lookups, withdrawn ones not among them. */
  newest(service: string, count: number): KeptDecision[]
  /**
   * All of them or none: `expected` has, of each lookup, the sequence of the decision that its reviewer saw (0: none).
   */
  decide(decisions: readonly Decision[], expected: ReadonlyMap<string, number>): Promise<DecideOutcome>
  /** Takes back decisions; what stood before each stands again. Returns those that were taken back. */
  withdraw(service: string, sequences: readonly number[]): Promise<KeptDecision[]>
  markInFile(sequences: readonly number[]): Promise<void>
  /** Changes whenever anything here does, by whichever process. */
  version(): number

  /** Of lookups (hexadecimal keys) of a scope; aligned, null where none were looked for. */
  candidates(scope: string, lookups: readonly string[]): (readonly Candidate[] | null)[]
  keepCandidates(
    scope: string,
    found: ReadonlyMap<string, readonly Candidate[]>,
    nowMs: number,
  ): Promise<void>
  close(): void
}

import { hash } from 'node:crypto'
import { toIdentityText, type Lookup, type LookupId } from '../../core/lookup-identity.js'
import { toKeyText, type LookupState, type StageKind, type LookupKind } from '../../core/lookup-state.js'

export { packAnswer } from './packed-answer.js'

/** 128 bits make accidental collisions impossible and take half the space of the full hash. */
export const digestBytes = 16

/** The first 128 bits of SHA-256: keys of lookups, and checksums of rows. */
export const digest = (content: Buffer | string): Buffer =>
  hash('sha256', content, 'buffer').subarray(0, digestBytes)

/** Returns the key of a resolution; `occurrence` separates equal rows if each row counts. */
export const calculateResolutionKey = (lookup: Lookup, occurrence = 0): Uint8Array =>
  digest(toIdentityText(lookup, occurrence))

/** Builds a lookup of another kind, by root domain or company id. */
export function buildStageLookup(kind: StageKind, name: string): KeyedLookup {
  return { kind, key: digest(toKeyText(kind, name)), lookup: { name, location: null, context: null } }
}

/** Identity of a submission, which the service echoes: one attempt at one lookup of one checkpoint. */
export interface SubmissionName {
  checkpointId: string
  scopeId: number
  /** The lookup's key, in lower-case hex. */
  keyHex: string
  attempt: number
  /** Number of accepted rollbacks, so that the id of a lost submission is not used again. */
  generation: number
}

/** Formats a custom_id of at most 111 characters (200 are allowed). Generation 0 is omitted, as in earlier versions. */
export function formatCustomId(name: SubmissionName): string {
  const generation = name.generation === 0 ? '' : `_${name.generation}`
  return `enr_${name.checkpointId}_${name.scopeId}_${name.keyHex}_${name.attempt}${generation}`
}

const pattern = /^enr_([0-9a-z-]{1,40})_([1-9]\d{0,9})_([0-9a-f]{32})_([1-9]\d{0,9})(?:_([1-9]\d{0,9}))?$/

/** Parses a custom_id; null if no checkpoint created it. */
export function parseCustomId(text: string): SubmissionName | null {
  const [, checkpointId, scopeId, keyHex, attempt, generation = '0'] = pattern.exec(text) ?? []
  if (checkpointId === undefined || scopeId === undefined || keyHex === undefined) return null
  return {
    checkpointId,
    scopeId: Number(scopeId),
    keyHex,
    attempt: Number(attempt),
    generation: Number(generation),
  }
}

/** A lookup with its kind and key. Equal keys of two kinds are two lookups. */
export interface KeyedLookup {
  kind: LookupKind
  key: Uint8Array
  lookup: Lookup
  /** Another key of decisions: that of the lookup without an occurrence number, or by domain. */
  plainKey?: Uint8Array
  /** A reviewer decided the lookup: runs that include it do not submit it. */
  isDecided?: boolean
  /** The lookup only checks an answer of an own registry, and no further lookups follow from it. */
  isCheck?: boolean
}

type LookupKey = Readonly<Pick<KeyedLookup, 'kind' | 'key'>>

type LookupSelection = readonly LookupKey[] | { readonly ids: readonly LookupId[] }

/** Queries of a whole checkpoint, by name: what is given, and what is found. */
export interface ReaderQueries {
  counts: { given: undefined; found: ScopeCounts[] }
  /** Billed and possibly billed submissions of a job that has not ended, by kind. */
  spent_of_job: { given: string; found: ReadonlyMap<LookupKind, number> }
  /** The first lookups that may have been billed and have no answer, including those in flight. */
  uncertain: { given: { limit: number }; found: UncertainLookup[] }
  /** Passes the name of every lookup of the scope to `take`; passes none and returns false if there may be more than `limit`. */
  names: { given: { limit: number; take: (name: string) => void }; found: boolean }
  /** Changes whenever another process has written. */
  version: { given: undefined; found: number }
}

/**
 * Read access for writers and read-only commands; needs no lock. Lists are in the order of the given ids or keys.
 *
 *     await reader.fetch(lookups)
 *     const answers = reader.readAnswers(reader.find(lookups))
 */
export interface CheckpointReader {
  /** Copies lookups from the server, if any. They can be read once the promise resolves. */
  fetch(lookups: LookupSelection): Promise<void>
  /** 0 for an unknown lookup. */
  find(lookups: readonly LookupKey[]): LookupId[]
  /** `null` for id 0. */
  readAnswers(lookupIds: readonly LookupId[]): (KnownAnswer | null)[]
  /** The fast path for most rows; `null` if `readAnswers` must be called. */
  readLines(lookupIds: readonly LookupId[], lineVersions: LineVersions): (AnsweredLine | null)[]
  /**
   * The outcome of each lookup; `null` if it has no answer or is being resubmitted. Fast enough for a large input, but
   * unverified: use `readAnswers` to read an answer. `isRead` selects the outcomes for which the confidence is read; it
   * is `null` for others.
   */
  readOutcomes(
    lookupIds: readonly LookupId[],
    isRead: (outcome: string) => boolean,
  ): (AnsweredOutcome | null)[]
  /** Keys and submitted texts; `null` for an unknown id. */
  readLookups(lookupIds: readonly LookupId[]): (StoredLookup | null)[]
  read<Name extends keyof ReaderQueries>(
    name: Name,
    ...given: undefined extends ReaderQueries[Name]['given'] ? [] : [ReaderQueries[Name]['given']]
  ): ReaderQueries[Name]['found']
  close(): void
}

/** A lookup without its answer. */
export interface StoredLookup extends Lookup {
  key: Uint8Array
  /** It was submitted or answered at least once. */
  isSubmitted: boolean
}

/** Key and submitted text of a lookup. */
export interface LookupIdentity {
  key: Uint8Array
  name: string | null
  location: string | null
}

/** The line version that readers need, for each kind. */
export type LineVersions = Readonly<Record<LookupKind, number>>

/** A lookup that is answered, or whose run failed, with a line of the requested version. */
export interface AnsweredLine {
  kind: LookupKind
  outcome: string
  /** UTF-8, copied into Parquet output without decoding. */
  line: Buffer
  /** The stored checksum of the answer. */
  mark: Buffer | null
}

/** An answered lookup, with the values that decide whether it needs review. */
export interface AnsweredOutcome {
  kind: LookupKind
  outcome: string
  confidence: number | null
}

export interface KnownAnswer {
  kind: LookupKind
  state: LookupState
  answeredAtMs: number | null
  runId: string | null
  failure: string | null
  /** Outcome of the last answer, in lower case. */
  outcome: string | null
  line: string | null
  /** Version of `line`; a line of an older version is built again from `body()`. */
  lineVersion: number | null
  body(): string
}

export interface ScopeCounts {
  /** The service's scope. */
  scope: string
  /** Counts are per kind. */
  kind: LookupKind
  /** Input files of the last job, as absolute paths. */
  lastInputs: readonly string[]
  states: Record<LookupState, number>
  outcomes: Record<string, number>
  submissions: number
  firstSubmittedAtMs: number | null
  lastAnsweredAtMs: number | null
  /** Counts of closed lookups are estimates, because there are too many to count. */
  isEstimated?: true
}

export interface UncertainLookup extends Lookup {
  scope: string
  kind: LookupKind
  customId: string
  intendedAtMs: number
  reason: string | null
}

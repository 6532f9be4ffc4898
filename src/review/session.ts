import type { Candidate, Decision } from '../core/decisions.js'
import type {
  DecideReply,
  DecisionList,
  LookupDetail,
  QueueFilter,
  QueuePage,
  QueueRow,
  QueueSort,
  QueueView,
  SearchReply,
  UndoReply,
} from './page-data.js'

export type { QueueFilter, QueueSort, QueueView } from './page-data.js'

export const queueViews = ['open', 'decided', 'all'] as const satisfies readonly QueueView[]
export const queueSorts = ['rows', 'confidence', 'input'] as const satisfies readonly QueueSort[]

export interface QueueWindow extends QueueFilter {
  readonly from: number
  readonly count: number
  /** Lookups whose places are requested. */
  readonly find: readonly string[]
}

export interface CompanySearch {
  readonly lookup: string
  readonly text: string
  /** Two letters. */
  readonly country: string | null
}

export interface Choice extends Pick<Decision, 'lookup' | 'verdict' | 'entityId' | 'note'> {
  /** Sequence of the decision that the reviewer saw; 0 if none; `null` to replace any decision. */
  readonly seen: number | null
}

/** Data on which a reviewer decides. */
export interface LookupFacts extends Pick<LookupDetail, 'candidatesError' | 'factors'> {
  readonly candidates: readonly Candidate[]
}

export interface QueueCounts {
  /** Doubtful lookups that are not decided. */
  readonly openCount: number
  /** Rows of the input with these lookups. */
  readonly openRowCount: number
  readonly decidedCount: number
  /** Lookups with a proposal of an assistant that no reviewer decided since. */
  readonly proposedCount: number
  readonly openByStatus: Readonly<Record<string, number>>
  /** Lookups of the input that are in the checkpoint, and the number without an answer. */
  readonly lookupCount: number
  readonly unansweredCount: number
}

/**
 * The review of one input. Several processes may review the same input at the same time. Every method may throw
 * REVIEW_CHECKPOINT_CHANGED if the checkpoint was replaced or deleted, and errors of its files (CHECKPOINT_*,
 * DECISIONS_*, DISK_FULL). Earlier decisions are safe then.
 */
export interface ReviewSession {
  readonly reviewer: string
  readonly isRunGoingOn: boolean
  getCounts(): QueueCounts
  /** Lookups decided by this session whose decisions are in force. */
  countOwn(): number
  /** Returns at most `count` rows, in the requested order. */
  readPage(window: QueueWindow): QueuePage
  /** Yields all rows that match a filter, in its order. */
  readRows(filter: QueueFilter): Iterable<QueueRow>
  /** Uses stored candidates, or requests and stores them. Throws REVIEW_LOOKUP_UNKNOWN. */
  readDetail(lookup: string): Promise<LookupDetail>
  /** Loads stored candidates of many lookups at once, before they are read one by one. */
  fetchCandidates(lookups: readonly string[]): Promise<void>
  /**
   * Like `readDetail`, without similar lookups. If `asks` is false, candidates are not requested; missing ones are no error.
   */
  readShown(lookup: string, asks: boolean): Promise<LookupFacts>
  /** Returns the candidates in stored form. Throws CANDIDATES_UNAVAILABLE and REVIEW_LOOKUP_UNKNOWN. */
  readCandidates(lookup: string): Promise<readonly Candidate[]>
  /** Throws CANDIDATES_UNAVAILABLE and REVIEW_LOOKUP_UNKNOWN. */
  search(wanted: CompanySearch, signal?: AbortSignal): Promise<SearchReply>
  /**
   * Returns the company with this id, or the one it was merged into; `null` if the registry or service has none. It may
   * then be accepted for the lookup. Throws CANDIDATES_UNAVAILABLE and REVIEW_LOOKUP_UNKNOWN.
   */
  findCompany(lookup: string, entityId: string, signal?: AbortSignal): Promise<Candidate | null>
  /**
   * Records all choices or none, durably, in review store and decisions file. If another reviewer changed a decision,
   * nothing is recorded: `decisions` is empty, and `others` are the new decisions. Throws REVIEW_CHOICE_INVALID for an
   * invalid id, and for a company that is neither a candidate nor a search result of the lookup, unless the lookup's
   * candidates are unknown.
   */
  decide(choices: readonly Choice[]): Promise<DecideReply>
  /** Undoes these decisions, or this session's last change with its group. Earlier ones apply again. */
  undo(sequences: readonly number[]): Promise<UndoReply>
  /** Newest first. */
  listDecisions(count: number): DecisionList
  /** Reads new answers and other reviewers' decisions. Also called periodically. */
  refresh(): Promise<void>
  close(): Promise<void>
}

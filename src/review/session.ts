import type { Candidate } from '../pipeline/answers/candidate.js'
import type { Verdict } from '../pipeline/lookups/decision.js'
import type {
  DecideReply,
  DecisionList,
  LookupDetail,
  QueueFilter,
  QueuePage,
  QueueRow,
  QueueSort,
  QueueView,
  SearchFound,
  UndoReply,
} from './page-data.js'
import type { Clock } from '../platform/clock.js'

export type { QueueFilter, QueueSort, QueueView } from './page-data.js'

export const queueViews = ['open', 'decided', 'all'] as const satisfies readonly QueueView[]
export const queueSorts = ['rows', 'confidence', 'input'] as const satisfies readonly QueueSort[]

export interface QueueWindow extends QueueFilter {
  readonly from: number
  readonly count: number
  /** Lookups whose places are asked for. */
  readonly find: readonly string[]
}

/** What a person looks for, beside a lookup. */
export interface SearchWanted {
  readonly lookup: string
  readonly text: string
  /** Two letters. */
  readonly country: string | null
}

/** What is to be decided of one lookup. */
export interface Choice {
  /** Its key in hexadecimal digits. */
  readonly lookup: string
  /** The sequence of the decision that its reviewer saw; 0: none. Null: whatever was decided before is replaced. */
  readonly seen: number | null
  readonly verdict: Verdict
  /** Null with `none`. */
  readonly entityId: string | null
  readonly note: string | null
}

/** What a lookup is decided by. */
export interface ShownLookup extends Pick<LookupDetail, 'candidatesError' | 'factors'> {
  readonly candidates: readonly Candidate[]
}

export interface QueueCounts {
  /** Doubtful lookups to be decided. */
  readonly openCount: number
  /** Rows of the input that ask them. */
  readonly openRowCount: number
  readonly decidedCount: number
  readonly openByStatus: Readonly<Record<string, number>>
  /** Lookups of the input that the checkpoint knows, and those of them that are not answered yet. */
  readonly lookupCount: number
  readonly unansweredCount: number
}

/**
 * The review of one input: what is doubtful in it, what is known of that, and what is decided. Several may be open at
 * the same time, in as many processes. Every method may throw REVIEW_CHECKPOINT_CHANGED, where the checkpoint that it
 * was opened on was replaced or is gone, and what its files throw (CHECKPOINT_*, DECISIONS_*, DISK_FULL): what was
 * decided before is safe.
 */
export interface ReviewSession {
  readonly reviewer: string
  readonly isRunGoingOn: boolean
  counts(): QueueCounts
  /** Lookups that were decided by this session, and that stand so. */
  ownCount(): number
  /** At most `count` rows, in the order of the sort. */
  page(window: QueueWindow): QueuePage
  /** All rows of a filter, in the order of the sort, read as they are taken. */
  rows(filter: QueueFilter): Iterable<QueueRow>
  /** Candidates are taken from those that were kept, else asked for and kept. Throws REVIEW_LOOKUP_UNKNOWN. */
  detail(lookup: string): Promise<LookupDetail>
  /** The candidates that are kept of these are brought at one time, for what asks for each of them then. */
  fetchCandidates(lookups: readonly string[]): Promise<void>
  /**
   * The same of one lookup of many, without those that are alike. Unless it `asks`, candidates that were not kept are not
   * asked for, which is no error.
   */
  shown(lookup: string, asks: boolean): Promise<ShownLookup>
  /** The same candidates, as they are kept. Throws CANDIDATES_UNAVAILABLE too. */
  candidatesOf(lookup: string): Promise<readonly Candidate[]>
  /** Throws CANDIDATES_UNAVAILABLE and REVIEW_LOOKUP_UNKNOWN. */
  search(wanted: SearchWanted, signal?: AbortSignal): Promise<SearchFound>
  /**
   * The company of an id, which may be accepted for the lookup from then on; of one that was merged, the one it was merged
   * into; null: the registry or the service has none. Throws CANDIDATES_UNAVAILABLE and REVIEW_LOOKUP_UNKNOWN.
   */
  companyFor(lookup: string, entityId: string, signal?: AbortSignal): Promise<Candidate | null>
  /**
   * All of them or none, durable when it resolves: in the review store and in the decisions file. `others` are what
   * somebody else decided in the meantime, which may have been taken back: without `decisions` nothing was changed.
   * Throws REVIEW_CHOICE_INVALID for what is no id of a company, and for one that is neither among the candidates of the lookup nor was found by a search for it, unless its candidates are unknown.
   */
  decide(choices: readonly Choice[]): Promise<DecideReply>
  /**
   * Takes back those named; with none, what this session decided last, all of it where that was a group. What stood
   * before stands again.
   */
  undo(sequences: readonly number[]): Promise<UndoReply>
  /** The newest first. */
  decisions(count: number): DecisionList
  /** Sees what a run answered and what others decided since; also done from time to time. */
  refresh(): Promise<void>
  close(): Promise<void>
}

interface KeepFreshDeps {
  readonly session: ReviewSession
  readonly clock: Clock
  /** Is told of what goes wrong meanwhile; whoever asks or decides is told himself. */
  readonly onTrouble: (error: unknown) => void
}

const everyMsMin = 1_000
/** Of the time, at most one part in so many goes into looking. */
const restPerLook = 4

/** Sees from time to time what a run answered and what others decided, until it is stopped. */
export function keepFresh({ session, clock, onTrouble }: KeepFreshDeps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const looking = async (): Promise<void> => {
    let waitMs = everyMsMin
    for (;;) {
      await clock.sleep(waitMs, stopping.signal)
      if (stopping.signal.aborted) return
      const beganMs = clock.monotonicMs()
      try {
        await session.refresh()
      } catch (error) {
        onTrouble(error)
      }
      waitMs = Math.max(everyMsMin, restPerLook * (clock.monotonicMs() - beganMs))
    }
  }
  const stopped = looking()
  return {
    stop: () => {
      stopping.abort()
      return stopped
    },
  }
}

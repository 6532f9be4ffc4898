import type { Candidate, KeptDecision, Verdict } from '../core/decisions.js'

/** JSON between the review page and its server. Types only, because the page's scripts import this file. */

/** `open`: undecided, or doubtful again after a decision; `decided`: decision in force. */
export type QueueView = 'open' | 'decided' | 'all'

/** `rows`: most rows first, `no_match` and `not_found` last; `confidence`: highest first; `input`: input order. */
export type QueueSort = 'rows' | 'confidence' | 'input'

export interface QueueFilter {
  readonly view: QueueView
  /** Outcomes; empty: all. */
  readonly statuses: readonly string[]
  /** Searched in name and location, ignoring case and accents; empty: no search. */
  readonly text: string
  readonly sort: QueueSort
}

export interface QueueRow {
  /** Key in hexadecimal digits. */
  readonly lookup: string
  readonly name: string
  readonly location: string | null
  /** Outcome of the answer: `inconclusive`, `no_match`, … */
  readonly status: string
  readonly confidence: number | null
  /** Rows of the input with this lookup. */
  readonly rowCount: number
  /** The reason why a decided lookup is doubtful again. */
  readonly reason: string | null
  readonly decision: DecisionView | null
  /** The newest proposal of an assistant; `null` without one, or if a reviewer decided after it. */
  readonly proposal: ProposalView | null
}

/** A verdict that counts only after a reviewer confirms it. */
export type ProposalView = Omit<DecisionView, 'sequence' | 'lookup' | 'name'>

export type DecisionView = Omit<KeptDecision, 'location' | 'service' | 'isInFile'>

/** `GET /api/session`: constant while the page is open. */
export interface SessionView {
  /** Name of the input as given on the command line. */
  readonly input: string
  readonly reviewer: string
  /** `embedded`, or the base URL of a hosted service. */
  readonly service: string
  /** The command that starts this session again. */
  readonly command: string
  /** File of the decisions. */
  readonly decisionsPath: string
}

/**
 * `GET /api/queue?from=0&count=60&view=open|decided|all&status=a,b&text=…&sort=rows|confidence|input&find=hex,hex`;
 * `find`: lookups whose places are requested, at most `findMax`.
 */
export interface QueuePage {
  /** Changes whenever the queue does. */
  readonly version: string
  /** Rows that match the filters. */
  readonly totalCount: number
  readonly from: number
  readonly rows: readonly QueueRow[]
  readonly openCount: number
  readonly decidedCount: number
  /** Counts of open lookups, without filters. */
  readonly openByStatus: Readonly<Record<string, number>>
  /** A run is writing to the checkpoint: more lookups may be added. */
  readonly isRunGoingOn: boolean
  /** Index of each lookup of `find` in the filtered queue. Lookups that do not match are omitted. */
  readonly places: Readonly<Record<string, number>>
}

/** A piece of a text, and whether it is also in the other text. */
export interface Mark {
  readonly text: string
  readonly isShared: boolean
}

export interface CandidateView extends Omit<Candidate, 'legalEntityId' | 'countryCode' | 'jurisdiction'> {
  /** Marks in `legalName` (or `name`), and in the lookup's name. */
  readonly nameMarks: readonly Mark[]
  readonly askedMarks: readonly Mark[]
  readonly placeMarks: readonly Mark[]
  /** The reason why it cannot be accepted. */
  readonly obstacle: string | null
}

/** `GET /api/lookups/{lookup}` */
export interface LookupDetail {
  readonly row: QueueRow
  readonly context: string | null
  readonly candidates: readonly CandidateView[]
  /** Message of the failed candidate request. */
  readonly candidatesError: string | null
  /** Explanations that the service returned with its answer. */
  readonly factors: readonly {
    readonly type: string | null
    readonly text: string
    readonly impact: string | null
  }[]
  /** Other open lookups with the same name, apart from legal form, case and punctuation. */
  readonly alike: readonly AlikeRow[]
}

export interface AlikeRow {
  readonly row: QueueRow
  /**
   * Ids of this lookup's candidates that may be accepted for the other one too: the common candidates, or all if those of
   * the other lookup are unknown.
   */
  readonly entityIds: readonly string[]
  /** Whether the other lookup's candidates are known. */
  readonly isLookedAt: boolean
}

/** `GET /api/search?lookup=…&text=…&country=…` */
export interface SearchReply {
  readonly candidates: readonly CandidateView[]
}

/** `POST /api/decisions` */
export interface DecideRequest {
  readonly lookups: readonly {
    readonly lookup: string
    /** Sequence of the displayed decision; 0 if none. */
    readonly seen: number
  }[]
  readonly verdict: Verdict
  readonly entityId: string | null
  readonly note: string | null
}

/** 200: durable. 409: nothing was written; `others` are another reviewer's new decisions, empty if it was undone. */
export interface DecideReply {
  readonly decisions: readonly DecisionView[]
  readonly others: readonly DecisionView[]
  readonly page: Pick<QueuePage, 'version' | 'openCount' | 'decidedCount'>
}

/**
 * `POST /api/undo` with `{ sequences }`: undoes these decisions; if empty, this session's last change, including groups.
 * 200: durable. `decisions` are those undone.
 */
export interface UndoReply {
  readonly decisions: readonly DecisionView[]
  readonly page: DecideReply['page']
}

/** `GET /api/decisions?count=50`: newest first. */
export interface DecisionList {
  readonly decisions: readonly DecisionView[]
}

/** Body of every error response. */
export interface PageError {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null }
}

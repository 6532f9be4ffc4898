import type { Verdict } from '../pipeline/lookups/decision.js'

/** What the review page and its server tell each other, as JSON. Types alone: the page's scripts share them. */

/** `open`: doubtful, and not decided or doubtful again; `decided`: decided, and that stands. */
export type QueueView = 'open' | 'decided' | 'all'

/**
 * The order: `rows` has lookups with candidates first, then those of most rows; `confidence` the likeliest first; `input` as
 * in the input.
 */
export type QueueSort = 'rows' | 'confidence' | 'input'

/** What of the queue is shown, and in which order. */
export interface QueueFilter {
  readonly view: QueueView
  /** Outcomes; empty: whatever they are. */
  readonly statuses: readonly string[]
  /** Found in the name or the location, whatever its case and accents; empty: everything. */
  readonly text: string
  readonly sort: QueueSort
}

/** A lookup in the queue. */
export interface QueueRow {
  /** Its key in hexadecimal digits. */
  readonly lookup: string
  readonly name: string
  readonly location: string | null
  /** Of the answer: `inconclusive`, `no_match`, … */
  readonly status: string
  readonly confidence: number | null
  /** Rows of the input that ask it. */
  readonly rowCount: number
  /** Why a lookup that was decided is doubtful again. */
  readonly reason: string | null
  readonly decision: DecisionView | null
}

export interface DecisionView {
  readonly sequence: number
  readonly lookup: string
  /** Of the lookup, as it was asked. */
  readonly name: string
  readonly verdict: Verdict
  readonly entityId: string | null
  readonly entityName: string | null
  readonly decidedBy: string
  readonly decidedAtMs: number
  readonly note: string | null
}

/** `GET /api/session`: what stays the same while the page is open. */
export interface SessionView {
  /** The input's name, as the command was given it. */
  readonly input: string
  readonly reviewer: string
  /** The service that is asked: `embedded`, or the base URL of a hosted one. */
  readonly service: string
  /** The command that begins this session again. */
  readonly command: string
  /** Where verdicts are written. */
  readonly decisionsPath: string
}

/**
 * `GET /api/queue?from=0&count=60&view=open|decided|all&status=a,b&text=…&sort=rows|confidence|input&find=hex,hex`;
 * `find`: lookups whose places are asked for, at most `findMax`.
 */
export interface QueuePage {
  /** Changes whenever the queue does. */
  readonly version: string
  /** After the filters. */
  readonly totalCount: number
  readonly from: number
  readonly rows: readonly QueueRow[]
  readonly openCount: number
  readonly decidedCount: number
  /** Open ones, before the filters. */
  readonly openByStatus: Readonly<Record<string, number>>
  /** A run writes the checkpoint: more may come. */
  readonly isRunGoingOn: boolean
  /** Of `find`: the index of each after the filters; those that are not among them are left out. */
  readonly places: Readonly<Record<string, number>>
}

/** A piece of a text, and whether the other text has it too. */
export interface Mark {
  readonly text: string
  readonly isShared: boolean
}

export interface CandidateView {
  readonly entityId: string | null
  readonly name: string | null
  readonly legalName: string | null
  readonly otherNames: readonly string[]
  readonly status: string | null
  readonly place: string | null
  readonly identifiers: readonly { readonly type: string; readonly value: string }[]
  readonly confidence: number | null
  readonly evidence: readonly {
    readonly label: string
    readonly text: string
    readonly weight: number | null
  }[]
  readonly url: string | null
  /** `legalName` or `name`, compared with what was asked, and the other way round. */
  readonly nameMarks: readonly Mark[]
  readonly askedMarks: readonly Mark[]
  readonly placeMarks: readonly Mark[]
  /** Why it cannot be accepted. */
  readonly obstacle: string | null
}

/** `GET /api/lookups/{lookup}` */
export interface LookupDetail {
  readonly row: QueueRow
  readonly context: string | null
  readonly candidates: readonly CandidateView[]
  /** Why there are none, where looking for them failed. */
  readonly candidatesError: string | null
  /** What the service said of its answer. */
  readonly factors: readonly {
    readonly type: string | null
    readonly text: string
    readonly impact: string | null
  }[]
  /** Other open lookups with the same doubt, this one not among them. */
  readonly alike: readonly AlikeRow[]
}

export interface AlikeRow {
  readonly row: QueueRow
  /**
   * Candidates of this one that may be accepted for that one too, by id: those that are candidates of both, or all of
   * this one where nobody looked for those of that one yet.
   */
  readonly entityIds: readonly string[]
  /** Whether the candidates of that one were looked for. */
  readonly isLookedAt: boolean
}

/** `GET /api/search?lookup=…&text=…&country=…` */
export interface SearchFound {
  readonly candidates: readonly CandidateView[]
}

/** `POST /api/decisions` */
export interface DecideRequest {
  readonly lookups: readonly {
    readonly lookup: string
    /** The sequence of the decision that was shown; 0: none. */
    readonly seen: number
  }[]
  readonly verdict: Verdict
  readonly entityId: string | null
  readonly note: string | null
}

/**
 * 200: durable. 409, without `decisions`: somebody else decided in the meantime, which `others` are, or took back what was
 * seen, which leaves none; nothing was changed.
 */
export interface DecideReply {
  readonly decisions: readonly DecisionView[]
  readonly others: readonly DecisionView[]
  readonly page: Pick<QueuePage, 'version' | 'openCount' | 'decidedCount'>
}

/**
 * `POST /api/undo` of `{ sequences }`: those named; with none, what this session decided last, all of it where that was a
 * group. 200: durable. What was taken back; empty where there was nothing.
 */
export interface UndoReply {
  readonly decisions: readonly DecisionView[]
  readonly page: DecideReply['page']
}

/** `GET /api/decisions?count=50`: the newest first. */
export interface DecisionList {
  readonly decisions: readonly DecisionView[]
}

/** Any refusal. */
export interface PageError {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null }
}

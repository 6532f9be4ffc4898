import type { ServiceClient } from '../client/client.js'
import type { Connectors } from '../connectors/connectors.js'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import type { CandidateSource } from './answers/decision.js'
import type { SharedCheckpointLocation } from './checkpoint/postgres/shared-run.js'
import type { RunObserver } from './history/run-figures.js'
import type { RunRecord, HistoryReader } from './history/read-history.js'
import type { RunOrder } from './order.js'
import type { PreparedAnswers } from './scheduler/prepared-answer.js'
import type { OpenCheckpointDeps } from './checkpoint/sqlite/sqlite-checkpoint.js'
import type { Checkpoint, CheckpointReader } from './checkpoint/checkpoint.js'
import type { KeptCandidates, RunReview } from './decisions/review-store.js'
import type { InboxAccess } from './scheduler/inbox.js'
import type { PartDatabase } from './output/output.js'

/** Storage of a run: local files, or a server shared with other processes. */
export interface RunBackend {
  /** Path for local readers. */
  readonly path: string
  openCheckpoint(options: OpenCheckpointDeps): Checkpoint | Promise<Checkpoint>
  /** Opens a reader before the checkpoint is open; null if there is no checkpoint. */
  peek(scope: string): CheckpointReader | null
  /** Inbox of deliveries. */
  readonly inbox: InboxAccess
  /** Store of candidates, created on first use. */
  openCandidates(): KeptCandidates
  /** Decisions on the server, copied to the path before they are read; null if they are local. */
  readonly review: RunReview | null
  /** Database of published parts; null if not supported. */
  readonly parts: PartDatabase | null
}

/** Everything that a run works with. Without the members after `connect`, it reads and writes local files. */
export interface RunServices {
  readonly clock: Clock
  readonly random: Random
  readonly observe: RunObserver
  /** After an abort nothing new is submitted. */
  readonly interrupt: AbortSignal
  /** Connects to a side after the input was checked, and before anything is submitted. */
  readonly connect: (side: Side) => Promise<Connection>
  /** Access to tables and objects. */
  readonly connectors?: Connectors
  /** Standard input and output. */
  readonly streams?: { readonly stdin?: NodeJS.ReadableStream; readonly stdout?: NodeJS.WritableStream }
  /** Credentials for a checkpoint on a server. */
  readonly access?: Omit<SharedCheckpointLocation, 'url'>
  /** Makes the report file. */
  readonly renderReport?: ReportRenderer
  /** Replaces members of the backend; rehearsals use it. */
  readonly wrapBackend?: (backend: RunBackend) => RunBackend
}

/** The service of the order, or the own registry that answers first. */
type Side = 'service' | 'registry'

/** An open connection to a service. */
export interface Connection {
  service: 'hosted' | 'embedded'
  /** Whether the small registry in the package answers; defaults to false. */
  isDemo?: boolean
  scope: string
  /** Returns the scope after a registry was loaded into the open file meanwhile; absent if the scope is fixed. */
  readScope?: () => string
  client: ServiceClient
  /** Candidates for doubtful lookups. */
  candidates: CandidateSource
  /** Answers that were prepared for the checkpoint where they were made; a hosted service has none. */
  prepared?: PreparedAnswers
  close(): Promise<void>
}

/**
 * Renders the report of a run after its output was published, as HTML. `end`: facts that are not in the history yet.
 * Throws CHECKPOINT_DAMAGED.
 */
export type ReportRenderer = (history: HistoryReader, run: number, end: RunEndFacts) => Promise<string>

interface RunEndFacts {
  readonly endedAtMs: number
  readonly exitCode: number
  readonly record: RunRecord
}

/** The context of every step of a run. */
export interface RunContext {
  readonly order: RunOrder
  readonly services: RunServices
  readonly backend: RunBackend
}

export function warn({ observe }: Pick<RunServices, 'observe'>, text: string): void {
  observe({ type: 'notice', text, isWarning: true })
}

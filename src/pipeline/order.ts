import type { EndingOptions } from './history/run-history.js'
import type { Prices } from '../core/money.js'
import type { FirstRule } from './answers/first-rule.js'
import type { InputOptions } from './input/input.js'
import type { NamedColumns, IdentifierUse } from './input/ingest.js'
import type { Partition } from '../core/partition.js'
import type { StageOptions, SchedulingOptions } from './scheduler/scheduling.js'
import type { OutputRequest } from './output/output.js'
import type { OwnFile } from './own-files.js'
import type { ListenAddress } from '../core/server-addresses.js'
import type { WebhookKeys } from '../core/webhooks.js'
import type { ServiceClient } from '../client/client.js'
import type { Connectors } from '../connectors/connectors.js'
import type { Clock, Random } from '../platform/clock.js'
import type { CandidateSource } from '../core/decisions.js'
import type { RunObserver } from './history/run-figures.js'
import type { RunRecord, HistoryReader } from './history/read-history.js'
import type { PreparedAnswers } from './answers/joined-line.js'
import type { RunCheckpoint, SharedCheckpointLocation } from './checkpoint/open.js'
import type { ReviewCandidates, ReviewStore } from './decisions/review-store.js'

/** Storage of a run: local files, or a server shared with other processes. */
export interface RunBackend extends Omit<RunCheckpoint, 'server'> {
  /** Store of candidates, created on first use. */
  openCandidates(): ReviewCandidates
  /** Decisions on the server, copied to the path before they are read; null if they are local. */
  readonly review: ReviewStore | null
  /** Database of published parts; null if not supported. */
  readonly parts: RunCheckpoint['server']
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

export interface Connection {
  service: 'hosted' | 'embedded'
  /** Whether the small registry in the package answers; defaults to false. */
  isDemo?: boolean
  /** Code of the country of all companies of the own registry; `null` or missing if there are several, or none is known. */
  onlyCountry?: string | null
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

/** Renders a published run as HTML. `end`: facts not in the history yet. Throws CHECKPOINT_DAMAGED. */
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

/**
 * A run as the user wants it: plain data without functions, which can be printed. Secrets in it hide their value.
 * `RunServices` has what the run works with.
 */
export interface RunOrder {
  readonly source: RunSource
  readonly target: RunTarget
  readonly store: RunStore
  readonly requests: RunRequests
  readonly reporting: RunReporting
}

interface RunSource {
  readonly input: InputOptions
  readonly columns: NamedColumns
  /** How the service accepts identifiers. */
  readonly identifierUse: IdentifierUse
  readonly dedupe: boolean
  /** Column with the user's own row keys, as the user spelled it. Without one, rows are identified by their lookup. */
  readonly rowKey?: string | null
  /** Column by whose values rows are counted, as the user spelled it; optional. */
  readonly groupBy?: string | null
  /** The part of its job that this process runs; null or absent if no other process shares input and output. */
  readonly part?: { readonly job: string; readonly partition: Partition } | null
}

interface RunTarget {
  readonly output: OutputRequest
  /** File for the changes since the previous output; optional. */
  readonly changesPath?: string | null
  /** Stored in the metadata of a Parquet output. */
  readonly metadata: Readonly<Record<string, string>>
  /** Files that no output may overwrite. */
  readonly ownFiles: readonly OwnFile[]
}

/** Where lookups, answers and decisions are stored. */
interface RunStore {
  readonly checkpoint: { readonly path: string; readonly maxAgeMs: number | null }
  /** Address of a checkpoint on a server; `checkpoint.path` is then not used. Null or absent: a file. */
  readonly sharedUrl?: string | null
  /** Set if the user knows that the checkpoint is older than its head, or a copy. */
  readonly acceptRollback?: boolean
  /** File of the reviewers' decisions; it has to exist if the user named it (`isNamed`). Optional. */
  readonly decisions?: { readonly path: string; readonly isNamed: boolean }
}

interface RunRequests {
  readonly scheduling: SchedulingOptions
  /** The own registry that answers before the service; null or absent for none. */
  readonly first?: FirstRegistry | null
  /** Kinds of lookups to send after the resolutions. */
  readonly stages: StageOptions
  /** Lookups whose last outcome is in this list are sent again. */
  readonly askAgain: readonly string[]
  readonly onLost: 'hold' | 'resubmit'
  /** Whether lookups are billed even if the input may be read wrongly; defaults to false. */
  readonly acceptsDoubtful?: boolean
  /** Answers below this confidence (0 to 100) are doubtful; defaults to the threshold of the interface. */
  readonly doubtThreshold?: number
  /** Price of a lookup; null or absent if nothing is billed or no price is known. */
  readonly prices?: Prices | null
  readonly webhooks: WebhookOptions
}

/** An own registry that answers before the service is paid. */
export interface FirstRegistry extends FirstRule {
  /** Without limits: nothing is billed. */
  readonly scheduling: SchedulingOptions
  /** Whether it also answers the stages of its rows. */
  readonly stages: boolean
}

interface RunReporting {
  readonly history: HistoryOptions
  /** Alarm conditions, metrics file and notification; defaults to none. */
  readonly ending?: EndingOptions
  /** The report file; null or absent for none. */
  readonly reportPath?: string | null
}

interface HistoryOptions {
  /** Name of the series of compared runs, and of the job with its budget; null: derived from the input. */
  readonly job: string | null
  /** Number of runs of a series whose outputs are kept. */
  readonly runsMax: number
  readonly program: string
  /** The command line without secrets. */
  readonly command: string
  /** The settings without secrets. */
  readonly settings: Readonly<Record<string, unknown>>
}

/** Options for receiving answers by webhook instead of polling. */
export interface WebhookOptions {
  /** Webhook URL of each submission; `null` sends none, and only processes waiting deliveries. */
  url: string | null
  /** `null` if a standing receiver fills the inbox. */
  receiver: { listen: ListenAddress; keys: WebhookKeys } | null
}

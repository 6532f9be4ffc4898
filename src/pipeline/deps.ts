import type { ServiceClient } from '../client/client.js'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import type { RunBackend } from './backend.js'
import type { Checkpoint } from './checkpoint/checkpoint.js'
import type { SharedCheckpointLocation } from './checkpoint/postgres/shared-run.js'
import type { DecidedLookups } from './decided-lookups.js'
import type { CandidateSource } from './answers/candidate.js'
import type { EndingOptions, Ending } from './ending/ending.js'
import type { RunObserver } from './events.js'
import type { FirstAnswers } from './first/first-answers.js'
import type { FirstRule } from './first/first-rule.js'
import type { ChangesTarget } from './history/changes-file.js'
import type { HistoryReader } from './history/remembered-runs.js'
import type { RunHistory } from './history/run-history.js'
import type { OpenWebhooks, WebhookOptions } from './inbox/webhooks.js'
import type { Input, InputOptions, SourceFile } from './input/input.js'
import type { OutputRequest, ResolvedOutput } from './output/output-path.js'
import type { RowSpool } from './output/row-spool.js'
import type { OwnFile } from './own-files.js'
import type { OpenPart } from './parts/partitioned-job.js'
import type { Partition } from './lookups/partition.js'
import type { LookupRule, IdentifierUse } from './lookups/lookup-kind.js'
import type { RunRecord, Timeline } from './figures/run-record.js'
import type { NamedColumns } from './lookups/detect-columns.js'
import type { Prices } from './figures/money.js'
import type { StageOptions } from './lookups/stage-options.js'
import type { PreparedAnswers } from './scheduler/protocol.js'
import type { SchedulingOptions } from './scheduler/scheduler.js'

/** A connection to the service, opened after the input was checked. */
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

/** The choices of the user, and everything a run works with. */
export interface PipelineDeps {
  source: RunSource
  target: RunTarget
  store: RunStore
  requests: RunRequests
  reporting: RunReporting
  connect: () => Promise<Connection>
  observe: RunObserver
  interrupt: AbortSignal
  clock: Clock
  random: Random
}

/** The rows to read. */
interface RunSource {
  input: InputOptions
  columns: NamedColumns
  /** How the service accepts identifiers. */
  identifierUse: IdentifierUse
  dedupe: boolean
  /** Column with the user's own row keys, as the user spelled it. Without one, rows are identified by their lookup. */
  rowKey?: string | null
  /** Column by whose values rows are counted, as the user spelled it; optional. */
  groupBy?: string | null
  /** The part of its job that this process runs; null or absent if the job has no parts. */
  part?: JobPart | null
}

/** The files to write. */
interface RunTarget {
  output: OutputRequest
  /** File for the changes since the previous output; optional. */
  changesPath?: string | null
  /** Stored in the metadata of a Parquet output. */
  metadata: Readonly<Record<string, string>>
  stdout?: NodeJS.WritableStream
  /** Files that no output may overwrite. */
  ownFiles: readonly OwnFile[]
}

/** Where lookups, answers and decisions are stored. */
interface RunStore {
  checkpoint: { path: string; maxAgeMs: number | null }
  /** Address of a checkpoint on a server. If set, `checkpoint.path` is not used. */
  shared?: SharedCheckpointLocation | null
  /** Set if the user knows that the checkpoint is older than its head, or a copy. */
  acceptRollback?: boolean
  /** File of the reviewers' decisions; it has to exist if the user named it (`isNamed`). Optional. */
  decisions?: { readonly path: string; readonly isNamed: boolean }
  /** Replaces members of the backend; rehearsals use it. */
  wrapBackend?: (backend: RunBackend) => RunBackend
}

/** The requests to send. */
interface RunRequests {
  scheduling: SchedulingOptions
  /** The own registry that answers before the service; null or absent for none. */
  first?: FirstRegistry | null
  /** Kinds of lookups to send after the resolutions. */
  stages: StageOptions
  /** Lookups whose last outcome is in this list are sent again. */
  askAgain: readonly string[]
  onLost: 'hold' | 'resubmit'
  /** Whether lookups are billed even if the input may be read wrongly; defaults to false. */
  acceptsDoubtful?: boolean
  /** Answers below this confidence (0 to 100) are doubtful; defaults to the threshold of the interface. */
  doubtThreshold?: number
  /** Price of a lookup; null or absent if nothing is billed or no price is known. */
  prices?: Prices | null
  webhooks: WebhookOptions
}

/** An own registry that answers before the service is paid. */
export interface FirstRegistry extends FirstRule {
  /** Opens the registry, before anything is submitted to the service. */
  connect(): Promise<Connection>
  /** Without limits: nothing is billed. */
  readonly scheduling: SchedulingOptions
  /** Whether it also answers the stages of its rows. */
  readonly stages: boolean
}

/** Records and reports of the run. */
interface RunReporting {
  history: HistoryOptions
  /** Alarm conditions, metrics file and notification; defaults to none. */
  ending?: EndingOptions
  /** The report file; null or absent for none. */
  report?: RunReport | null
}

/** A report file that is written after the output was published. */
export interface RunReport {
  readonly path: string
  /** Throws if it cannot be written or would overwrite an input or one of `others`, before anything is submitted. */
  assertApart(inputFiles: readonly SourceFile[], others: readonly string[]): void
  /** Whether the report of a run may show rows of a status. */
  readonly isListed: (record: RunRecord) => (status: string) => boolean
  /** `end`: facts that are not in the history yet. Throws OUTPUT_UNWRITABLE, DISK_FULL, CHECKPOINT_DAMAGED. */
  write(history: HistoryReader, run: number, end: RunEndFacts): Promise<void>
}

interface RunEndFacts {
  readonly endedAtMs: number
  readonly exitCode: number
  readonly record: RunRecord
}

/** The part of one of several processes that share an input and an output. */
interface JobPart {
  readonly job: string
  readonly partition: Partition
}

interface HistoryOptions {
  /** Name of the series of compared runs, and of the job with its budget; null: derived from the input. */
  job: string | null
  /** Number of runs of a series whose outputs are kept. */
  runsMax: number
  /** Version of the program. */
  program: string
  /** The command line without secrets. */
  command: string
  /** The settings without secrets. */
  settings: Readonly<Record<string, unknown>>
}

/** All open resources of a run; each was checked before the next one was opened. */
export interface OpenRun {
  deps: PipelineDeps
  backend: RunBackend
  input: Input
  rule: LookupRule
  output: ResolvedOutput
  /** As spelled in the input. */
  rowKeyColumn: string | null
  groupColumn: string | null
  changes: ChangesTarget | null
  /** Rows stored until their answers are known; null if the input is read again. */
  rowSpool: RowSpool | null
  connection: Connection
  checkpoint: Checkpoint
  /** The lookups that an own registry answers; null without one. */
  first: FirstAnswers | null
  /** Decisions at the start of the run. */
  decided: DecidedLookups
  webhooks: OpenWebhooks | null
  history: RunHistory
  /** Null if the job has no parts. */
  part: OpenPart | null
  timeline: Timeline
  ending: Ending
  startedAtMs: number
}

import type { ServiceClient } from '../client/client.js'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import type { RunBackend } from './backend.js'
import type { Checkpoint } from './checkpoint/checkpoint.js'
import type { SharedPlace } from './checkpoint/postgres/shared-run.js'
import type { DecidedLookups } from './decided-lookups.js'
import type { CandidateSource } from './answers/candidate.js'
import type { EndingOptions, Ending } from './ending/ending.js'
import type { RunObserver } from './events.js'
import type { ChangesTarget } from './history/changes-file.js'
import type { HistoryReader } from './history/remembered-runs.js'
import type { RunHistory } from './history/run-history.js'
import type { OpenWebhooks, WebhookOptions } from './inbox/webhooks.js'
import type { Input, InputOptions, SourceFile } from './input/input.js'
import type { OutputRequest, ResolvedOutput } from './output/output-path.js'
import type { RowSpool } from './output/row-spool.js'
import type { OwnFile } from './own-files.js'
import type { OpenPart } from './parts/job-of-parts.js'
import type { Partition } from './lookups/partition.js'
import type { AskingRule, IdentifierUse } from './lookups/asking-rule.js'
import type { RunRecord, Timeline } from './figures/run-record.js'
import type { AskedColumns } from './lookups/detect-columns.js'
import type { Prices } from './figures/money.js'
import type { StageOptions } from './lookups/stage-options.js'
import type { SchedulingOptions } from './scheduler/scheduler.js'

/** The service to ask: whose answers these are, and how to reach it. Opened once the input is known to be good. */
export interface Connection {
  service: 'hosted' | 'embedded'
  /** Whether the small registry that ships with the package answers; false if left out. */
  isDemo?: boolean
  scope: string
  client: ServiceClient
  /** The companies that doubtful lookups may mean. */
  candidates: CandidateSource
  close(): Promise<void>
}

/** What a run is made of: what the user chose, and what it works with. */
export interface PipelineDeps {
  input: InputOptions
  columns: AskedColumns
  /** How identifiers are asked of this service. */
  identifierUse: IdentifierUse
  dedupe: boolean
  output: OutputRequest
  /** The column of the user's own keys of rows, as the user named it; without one, rows are known by what they ask. */
  rowKey?: string | null
  /** The column by whose values rows are counted, as the user named it; none if left out. */
  groupBy?: string | null
  /** Where what changed since the output before is written, if anywhere. */
  changesPath?: string | null
  checkpoint: { path: string; maxAgeMs: number | null }
  /** Where people's decisions are; `isNamed`: by the user, so that the file has to be there. None are read if left out. */
  decisions?: { readonly path: string; readonly isNamed: boolean }
  /** An answer that is less sure is doubtful, 0 to 100; that of the interface's matches if left out. */
  doubtThreshold?: number
  /** What no output may be written over. */
  ownFiles: readonly OwnFile[]
  /** Where the checkpoint is on a server that others use too; then the path above is not looked at. */
  shared?: SharedPlace | null
  /** Another way to either: rehearsals die in it. */
  wrapBackend?: (backend: RunBackend) => RunBackend
  onLost: 'hold' | 'resubmit'
  /** The user knows that the checkpoint is older than its head, or a copy. */
  acceptRollback?: boolean
  /** Lookups whose last outcome is among these are asked again. */
  askAgain: readonly string[]
  scheduling: SchedulingOptions
  /** What lookups cost; null or left out where nobody pays, or no price is known. */
  prices?: Prices | null
  /** What is asked besides resolutions. */
  stages: StageOptions
  /** What makes the end of the run an alarm, and who hears of it; nobody if left out. */
  ending?: EndingOptions
  webhooks: WebhookOptions
  connect: () => Promise<Connection>
  observe: RunObserver
  interrupt: AbortSignal
  clock: Clock
  random: Random
  stdout?: NodeJS.WritableStream
  /** What is remembered of the run. */
  history: HistoryOptions
  /** The part of its job that this process has; null or left out: its job has no parts. */
  part?: PartOfJob | null
  /** Goes into the metadata of a Parquet output. */
  metadata: Readonly<Record<string, string>>
  /** What people read of the run; null or left out: nothing is written. */
  report?: RunReport | null
}

/** A file for people that is written once a run has published its output. */
export interface RunReport {
  readonly path: string
  /** Throws what would make writing it fail, before anything is submitted; `others` are written by the run too. */
  assertApart(inputFiles: readonly SourceFile[], others: readonly string[]): void
  /** Whether rows of a status may be shown of a run. */
  readonly isListed: (record: RunRecord) => (status: string) => boolean
  /** `end`: what is not remembered of the run yet. Throws OUTPUT_UNWRITABLE, DISK_FULL, CHECKPOINT_DAMAGED. */
  write(history: HistoryReader, run: number, end: EndOfRun): Promise<void>
}

interface EndOfRun {
  readonly endedAtMs: number
  readonly exitCode: number
  readonly record: RunRecord
}

/** One of several processes that read an input, and write an output, together. */
interface PartOfJob {
  readonly job: string
  readonly partition: Partition
}

interface HistoryOptions {
  /** Names the series of runs whose outputs are compared, and the job whose budget goes on; null: the input does. */
  job: string | null
  /** Runs of a series whose outputs are kept. */
  runsMax: number
  /** Of the program. */
  program: string
  /** As it was typed, without what is secret. */
  command: string
  /** What was chosen, without what is secret. */
  settings: Readonly<Record<string, unknown>>
}

/** Everything a run has open, each found to be good before the next was opened. */
export interface OpenRun {
  deps: PipelineDeps
  backend: RunBackend
  input: Input
  rule: AskingRule
  output: ResolvedOutput
  /** As the input spells it. */
  rowKeyColumn: string | null
  groupColumn: string | null
  changes: ChangesTarget | null
  /** Rows wait in it for their answers; null where the input is read again instead. */
  rowSpool: RowSpool | null
  connection: Connection
  checkpoint: Checkpoint
  /** What people had decided when the run began. */
  decided: DecidedLookups
  webhooks: OpenWebhooks | null
  history: RunHistory
  /** Null: the job has no parts. */
  part: OpenPart | null
  timeline: Timeline
  ending: Ending
  startedAtMs: number
}

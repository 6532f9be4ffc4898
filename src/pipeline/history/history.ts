import type { LookupKind } from '../rules/lookup-kind.js'
import type { RunRecord } from '../rules/run-record.js'

/** A run as `enrich runs` lists it. */
export interface RememberedRun {
  /** From 1, over all runs of the checkpoint; what users name it by. */
  readonly number: number
  /** Outputs of one series are compared: the name of the job, or else the paths of the input. */
  readonly series: string
  readonly startedAtMs: number
  /** Null: it goes on, or was killed. */
  readonly endedAtMs: number | null
  readonly exitCode: number | null
  /** Whether its output is remembered, and can be compared. */
  readonly isPublished: boolean
  /** The run whose output it was compared with. */
  readonly baseline: number | null
  /** Null where it was written by a version that is not known. */
  readonly record: RunRecord | null
  /** Whether its process lives; left out where that is not known of a run. */
  readonly isGoingOn?: boolean
}

/** A row of a published output; rows that are alike in all of this share one entry. */
export interface PublishedEntry {
  /** What the row is known by from run to run: the key of its first question, or the user's own, as 16 bytes. */
  readonly address: Uint8Array
  readonly rowKey: string | null
  /** As it was asked; null where the row asks for nothing. */
  readonly name: string | null
  /** What became of it, as `publishedStateOf` gives it. */
  readonly state: string
}

/** The output of one run, as it is remembered. */
export interface PublishedOutput {
  readonly run: number
  /** The number of the entry of each row, in order. Equal numbers of two runs are equal entries. */
  readonly rows: Uint32Array
  /** Entries by their number, in the order given. */
  entries(numbers: Iterable<number>): Iterable<readonly [number: number, entry: PublishedEntry]>
  /** The numbers of entries, of this output and of others, whose rows have a status that is wanted. */
  numbersOf(isWanted: (status: string) => boolean): Iterable<number>
}

/** What two runs published, to be compared, or what one did. */
export interface WantedOutputs {
  readonly newer: number
  /** Null: only the newer one is read. */
  readonly older: number | null
  /** Of which statuses all rows of the newer one are read; of none if left out. */
  readonly isListed?: (status: string) => boolean
}

/** What a checkpoint knows of its runs; read without a lock. */
export interface HistoryReader {
  /** The newest first. */
  runs(): readonly RememberedRun[]
  /** Null where the output of the run is not remembered. */
  published(run: number): PublishedOutput | null
  close(): void
}

/** Submissions of one kind in the checkpoint. */
export interface KindSubmissions {
  readonly kind: LookupKind
  /** The base URL of the service, or the edition of the registry. */
  readonly scope: string
  readonly acceptedCount: number
  /** May have been billed: the answer was lost. */
  readonly uncertainCount: number
}

/** The same, wherever the checkpoint is. */
export interface KnownHistory extends HistoryReader {
  /** All submissions that were billed, or may have been, by kind and service. */
  submissions(): readonly KindSubmissions[]
  /** What these runs published can be read, as far as they differ, once it resolves. Rejects with CHECKPOINT_*. */
  fetch(wanted: WantedOutputs): Promise<void>
}

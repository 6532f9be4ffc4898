/** What a row of a checkpoint holds, as it is moved: flags are 0 and 1. */
export type FactValue = string | number | null | Buffer
export type Fact = Readonly<Record<string, FactValue>>

/** In the order in which they are written: each refers to those before it alone. */
export const factTables = [
  'scopes',
  'carried',
  'jobs',
  'lookups',
  'submissions',
  'answers',
  'deliveries',
] as const
export type FactTable = (typeof factTables)[number]

/**
 * What is known of each, in the form of a file: a job is of one kind of lookups. A submission's `position` counts from 1
 * without gaps; its `price_micros` is what it took of the budget of money of a job that goes on. `carried`: what only a
 * checkpoint on a server has (parts of jobs, and what was published of them), as JSON; a file keeps it for the way back.
 */
export const factColumns = {
  scopes: ['scope_id', 'scope'],
  jobs: ['job_id', 'scope_id', 'input', 'started_at_ms', 'ended_at_ms'],
  lookups: [
    ...[
      'lookup_id',
      'scope_id',
      'key',
      'name',
      'location',
      'context',
      'state',
      'attempt',
      'custom_id',
      'run_id',
    ],
    ...['failure', 'submitted_at_ms', 'answered_at_ms'],
  ],
  submissions: [
    ...[
      'position',
      'custom_id',
      'lookup_id',
      'job_id',
      'attempt',
      'verdict',
      'run_id',
      'reason',
      'intended_at_ms',
    ],
    ...['accepted_at_ms', 'is_first', 'price_micros'],
  ],
  answers: [
    ...[
      'lookup_id',
      'run_id',
      'outcome',
      'line_version',
      'answered_at_ms',
      'packing',
      'line_bytes',
      'body_bytes',
    ],
    'packed',
  ],
  carried: ['position', 'what', 'fact'],
  deliveries: ['position', 'event_id', 'state', 'reason', 'body', 'received_at_ms'],
} as const satisfies Record<FactTable, readonly string[]>

/** Rows that are in memory at one time. */
export const pageCounts: Readonly<Record<FactTable, number>> = {
  scopes: 1_000,
  jobs: 1_000,
  lookups: 5_000,
  submissions: 5_000,
  answers: 500,
  carried: 1_000,
  deliveries: 100,
}

/** What is read of a checkpoint that nobody changes meanwhile. */
export interface FactSource {
  /** Where it is, for people. */
  readonly place: string
  readonly checkpointId: string
  readonly createdAtMs: number
  readonly generation: number
  /** A page at a time, in the order of their first column. */
  read(table: FactTable): AsyncIterable<readonly Fact[]>
}

export interface FactTarget {
  readonly place: string
  write(table: FactTable, facts: readonly Fact[]): Promise<void>
  /** All of the table is written. */
  ended(table: FactTable): Promise<void>
  /** What was written, read back. */
  written(): FactSource
}

/** An intention that stands when nobody works on a checkpoint was left by a process that died. */
export const recoveredReason = 'the process ended before the answer to the submission came'

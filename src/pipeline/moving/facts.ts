/** What a row of a checkpoint holds, as it is moved: flags are 0 and 1. */
export type FactValue = string | number | null | Buffer
export type Fact = Readonly<Record<string, FactValue>>

/** In the order in which they are written: each refers to those before it alone. */
const knownTables = ['scopes', 'carried', 'jobs', 'lookups', 'submissions', 'answers'] as const

/** What is remembered of runs; column for column the same on a server. */
export const historyFactTables = [
  'history_states',
  'history_entries',
  'history_outputs',
  'history_runs',
  'history_marks',
] as const

export type FactTable = (typeof knownTables)[number] | (typeof historyFactTables)[number] | 'deliveries'

/** Those that are moved; the inbox last, since it is sealed meanwhile. */
export const factTables: readonly FactTable[] = [...knownTables, ...historyFactTables, 'deliveries']

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
  history_states: [
    ...['state_id', 'status', 'confidence', 'country', 'packing', 'state_bytes', 'digest', 'checksum'],
    'packed',
  ],
  history_entries: ['entry_id', 'address', 'row_key', 'name', 'state_id', 'digest'],
  history_outputs: ['output_id', 'base_id', 'row_count', 'digest', 'packed'],
  history_runs: [
    ...[
      'run_id',
      'series',
      'started_at_ms',
      'ended_at_ms',
      'exit_code',
      'is_published',
      'baseline',
      'output_id',
    ],
    'record',
  ],
  history_marks: ['series', 'output_id', 'form', 'checksum', 'packed'],
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
  history_states: 1_000,
  history_entries: 5_000,
  history_outputs: 4,
  history_runs: 100,
  history_marks: 4,
  deliveries: 16,
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

/** The same without these columns. */
export function without<Row extends object, Key extends string>(row: Row, ...columns: Key[]): Omit<Row, Key> {
  const left = Object.entries(row).filter(([column]) => !(columns as string[]).includes(column))
  return Object.fromEntries(left) as Omit<Row, Key>
}

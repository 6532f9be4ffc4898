import { createHash } from 'node:crypto'
import { digest, digestBytes } from './lookup.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { canUnpack, type PackedAnswer } from './packed-answer.js'

/** Column type on a server; `packed` is a `bytea` of any size. A file has INTEGER, TEXT or BLOB. */
type ColumnType = 'integer' | 'bigint' | 'boolean' | 'text' | 'timestamptz' | 'bytea' | 'packed'
export type Columns = Readonly<Record<string, ColumnType>>

interface Table {
  /** Columns of both stores. The first one is the paging key. */
  readonly columns?: Columns
  /** Columns that only a file has. */
  readonly inFile?: Columns
  /** Columns that only a server has and that a migration keeps: a file stores them for the way back. */
  readonly onServer?: Columns
  /** Columns that only a server has, derived or specific to it: not migrated. */
  readonly derived?: Columns
  /** A column of both stores that the row checksum does not cover. */
  readonly uncovered?: string
}

/**
 * The tables of a checkpoint, in the order in which a migration writes them, and their columns, in the order in which
 * checksums cover them. `deliveries` is the inbox: the table `inbox` on a server, a separate file otherwise.
 * The CREATE statements are in schema.ts, history-tables.ts, postgres/schema.ts, postgres/schema-history.ts and
 * ../inbox/inbox.ts; a test proves that they agree with this list.
 */
const tables = {
  checkpoint: {
    columns: { id: 'text', created_at_ms: 'bigint', generation: 'integer' },
    inFile: { sequence: 'bigint', had_head: 'boolean', closed_head_ns: 'text', checksum: 'bytea' },
    derived: {
      schema_version: 'integer',
      system_identifier: 'text',
      timeline: 'integer',
      arriving_from: 'text',
      moved_to: 'text',
      moved_at: 'timestamptz',
    },
  },
  scopes: {
    columns: { scope_id: 'integer', scope: 'text' },
    inFile: { checksum: 'bytea' },
  },
  jobs: {
    columns: {
      job_id: 'bigint',
      scope_id: 'integer',
      input: 'text',
      started_at_ms: 'bigint',
      ended_at_ms: 'bigint',
    },
    inFile: { checksum: 'bytea' },
    onServer: { partition_count: 'integer', partition_input: 'text' },
    derived: { reserved_of_rows: 'bigint', reserved_micros: 'bigint' },
  },
  job_kinds: {
    onServer: {
      job_id: 'bigint',
      scope_id: 'integer',
      reserved_before: 'bigint',
      own_job_id: 'bigint',
      own_started_at_ms: 'bigint',
    },
    derived: { reserved: 'bigint' },
  },
  outputs: {
    onServer: {
      job_id: 'bigint',
      part: 'integer',
      attempt: 'text',
      path: 'text',
      row_count: 'bigint',
      byte_count: 'bigint',
      sha256: 'text',
      basis_byte_count: 'bigint',
      basis_sha256: 'text',
      published_at: 'timestamptz',
    },
  },
  lookups: {
    columns: {
      lookup_id: 'bigint',
      scope_id: 'integer',
      key: 'bytea',
      name: 'text',
      location: 'text',
      context: 'text',
      state: 'text',
      attempt: 'integer',
      custom_id: 'text',
      run_id: 'text',
      failure: 'text',
      submitted_at_ms: 'bigint',
      answered_at_ms: 'bigint',
    },
    inFile: { checksum: 'bytea' },
    derived: { worker_id: 'bigint' },
    uncovered: 'lookup_id',
  },
  submissions: {
    columns: {
      custom_id: 'text',
      lookup_id: 'bigint',
      job_id: 'bigint',
      attempt: 'integer',
      verdict: 'text',
      run_id: 'text',
      reason: 'text',
      intended_at_ms: 'bigint',
      accepted_at_ms: 'bigint',
    },
    inFile: { chain: 'text', checksum: 'bytea' },
    onServer: { is_first: 'boolean', price_micros: 'bigint' },
    derived: { submission_id: 'bigint', worker_id: 'bigint' },
  },
  answers: {
    columns: {
      lookup_id: 'bigint',
      run_id: 'text',
      outcome: 'text',
      line_version: 'integer',
      answered_at_ms: 'bigint',
      packing: 'integer',
      line_bytes: 'integer',
      body_bytes: 'integer',
      packed: 'packed',
    },
    inFile: { checksum: 'bytea' },
    uncovered: 'lookup_id',
  },
  history_runs: {
    columns: {
      run_id: 'bigint',
      series: 'text',
      started_at_ms: 'bigint',
      ended_at_ms: 'bigint',
      exit_code: 'integer',
      is_published: 'boolean',
      baseline: 'bigint',
      output_id: 'bigint',
      record: 'packed',
    },
    inFile: { checksum: 'bytea' },
    derived: { worker_id: 'bigint' },
  },
  history_outputs: {
    columns: {
      output_id: 'bigint',
      base_id: 'bigint',
      row_count: 'bigint',
      packed: 'packed',
      digest: 'bytea',
    },
  },
  history_entries: {
    columns: {
      entry_id: 'bigint',
      address: 'bytea',
      row_key: 'text',
      name: 'text',
      state_id: 'bigint',
      digest: 'bytea',
    },
  },
  history_states: {
    columns: {
      state_id: 'bigint',
      status: 'text',
      confidence: 'integer',
      country: 'text',
      packing: 'integer',
      state_bytes: 'integer',
      packed: 'packed',
      digest: 'bytea',
      checksum: 'bytea',
    },
  },
  history_marks: {
    columns: { series: 'text', output_id: 'bigint', form: 'text', packed: 'packed', checksum: 'bytea' },
  },
  deliveries: {
    columns: {
      position: 'bigint',
      event_id: 'text',
      state: 'text',
      reason: 'text',
      body: 'packed',
      received_at_ms: 'bigint',
    },
    derived: {
      received_at: 'timestamptz',
      custom_id: 'text',
      run_id: 'text',
      record_kind: 'text',
      record_key: 'bytea',
    },
  },
} as const satisfies Record<string, Table>

export type TableName = keyof typeof tables

export const tableNames = Object.keys(tables) as TableName[]

type Part = 'columns' | 'inFile' | 'onServer' | 'derived'

/** Returns the columns of a table with their types, from the given parts of its description. */
export function getColumns(table: TableName, ...parts: Part[]): Columns {
  const all: Table = tables[table]
  return Object.assign({}, ...parts.map((part) => all[part] ?? {})) as Columns
}

const covered = new Map(
  tableNames.map((name) => {
    const { columns = {}, inFile = {}, uncovered }: Table = tables[name]
    const names = [...Object.keys(columns), ...Object.keys(inFile)]
    return [name, names.filter((column) => column !== 'checksum' && column !== uncovered)]
  }),
)

/** The columns that a row's checksum covers in a file. */
export const listCoveredColumns = (table: TableName): readonly string[] => covered.get(table) ?? []

/** The tables whose row checksums are maintained by triggers. */
export const summedTables = ['checkpoint', 'scopes', 'jobs', 'lookups', 'submissions'] as const
export type SummedTable = (typeof summedTables)[number]

/** Returns the SQL expression of a row's checksum; `row` is the prefix of each column (`NEW.`, `l.`, `@`). */
export function buildChecksumSql(table: SummedTable | 'history_runs', row = ''): string {
  return `row_checksum('${table}', ${listCoveredColumns(table)
    .map((column) => row + column)
    .join(', ')})`
}

/** The columns that an answer's checksum covers, after the key of its lookup. */
const answerColumns = listCoveredColumns('answers')

/** Returns the SQL expression of the checksum of a packed answer. An answer that fails it is never unpacked. */
export function buildAnswerChecksumSql(answer: string, key: string): string {
  return `answer_checksum(${key}, ${answerColumns.map((column) => answer + column).join(', ')})`
}

/**
 * The columns of a reopened lookup that was not submitted again, as its last submission `s` and the answer `a` to it left
 * them. Its `failure` was kept.
 */
export const restoredSql = `state = CASE WHEN a.outcome = 'failed' THEN 'failed' WHEN a.outcome IS NOT NULL THEN 'answered'
    WHEN s.verdict = 'accepted' THEN 'running' WHEN s.verdict = 'rejected' THEN 'invalid' ELSE 'uncertain' END,
  custom_id = s.custom_id, run_id = s.run_id, submitted_at_ms = s.accepted_at_ms,
  failure = CASE WHEN a.outcome IS NULL THEN coalesce(failure, s.reason) END`

/** The answers, each with its checksum as `mark` and its validity as `is_sound`. */
export const provenAnswers = `(SELECT a.lookup_id, ${answerColumns.map((column) => `a.${column}`).join(', ')},
    a.checksum AS mark, a.checksum IS ${buildAnswerChecksumSql('a.', 'l.key')} AS is_sound
  FROM answers a LEFT JOIN lookups l USING (lookup_id))`

/** Returns the checksum of an answer row; `row` maps column names to values. */
export function calculateAnswerChecksum(row: Readonly<Record<string, unknown>>, key: Buffer): Buffer {
  return hashAnswer([key, ...answerColumns.map((column) => row[column])])
}

/** Hashes the packed bytes directly, without JSON, because they are large. */
function hashAnswer(values: readonly unknown[]): Buffer {
  const packed = values.at(-1)
  const json = toJson(['answers', ...values.slice(0, -1)])
  return createHash('sha256')
    .update(json)
    .update(Buffer.isBuffer(packed) ? packed : '')
    .digest()
    .subarray(0, digestBytes)
}

/** Registers the SQL functions that the expressions above call. */
export function registerChecksums(database: Sqlite): void {
  const options = { deterministic: true }
  database.function('row_checksum', { ...options, varargs: true }, (...values: unknown[]) => hashRow(values))
  database.function('answer_checksum', { ...options, varargs: true }, (...values: unknown[]) =>
    hashAnswer(values),
  )
  const canUnpackRow = (packing: unknown, lineBytes: unknown, bodyBytes: unknown, packed: unknown) =>
    Number(canUnpack({ packing, lineBytes, bodyBytes, packed } as PackedAnswer))
  database.function('unpacks', options, canUnpackRow)
}

/** Returns the checksum of a row; `row` maps column names to values. */
export function calculateRowChecksum(table: TableName, row: Readonly<Record<string, unknown>>): Buffer {
  return hashRow([table, ...listCoveredColumns(table).map((column) => row[column])])
}

export function hashRow(values: readonly unknown[]): Buffer {
  return digest(toJson(values))
}

function toJson(values: readonly unknown[]): string {
  return JSON.stringify(values.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : value)))
}

/** The next value of the hash chain over submissions: each value proves its row and all rows before it. */
export function calculateNextChain(
  previous: string,
  submission: { customId: string; attempt: number; intendedAtMs: number },
): string {
  const { customId, attempt, intendedAtMs } = submission
  return hashRow([previous, customId, attempt, intendedAtMs]).toString('hex')
}

/** Creates triggers that update the checksum of every row this connection changes. */
export function keepChecksums(database: Sqlite): void {
  for (const table of summedTables) {
    const update = `UPDATE ${table} SET checksum = ${buildChecksumSql(table, 'NEW.')} WHERE rowid = NEW.rowid;`
    // Lookups are inserted with their checksum: there may be millions at once.
    if (table !== 'lookups') {
      database.exec(`CREATE TEMP TRIGGER ${table}_inserted AFTER INSERT ON main.${table} BEGIN ${update} END`)
    }
    database.exec(
      `CREATE TEMP TRIGGER ${table}_updated AFTER UPDATE OF ${listCoveredColumns(table).join(', ')} ON main.${table}
       BEGIN ${update} END`,
    )
  }
}

import type { PostgresStatements, Postgres } from '../../platform/postgres/postgres.js'
import type { SharedDatabase } from '../checkpoint/postgres/open-database.js'
import { type Columns, getColumns } from '../checkpoint/tables.js'
import {
  getTransferredColumns,
  readPages,
  selectColumns,
  type TransferredRow,
  type RowSource,
  type TransferredTable,
  type RowTarget,
} from './transferred-rows.js'
import { readSubject } from '../inbox/shared-inbox.js'

export const getServerTable = (table: TransferredTable): string => (table === 'deliveries' ? 'inbox' : table)

/** Returns the paging key of a table; text keys in byte order, as in a file. */
function getKey(table: TransferredTable, columns: Columns): string {
  const [key = ''] = Object.keys(columns)
  if (table === 'submissions') return 'submission_id'
  return columns[key] === 'text' ? `${key} COLLATE "C"` : key
}

function readColumn(column: string, type: Columns[string]): string {
  if (type === 'boolean') return `${column}::integer`
  return type === 'timestamptz' ? `(extract(epoch FROM ${column}) * 1000000)::bigint` : column
}

/**
 * Queries of small tables. The kind of a job itself follows from the job. A kind without its own job number gets the
 * number that it will have in a file.
 */
const wholeSql: Readonly<Partial<Record<TransferredTable, string>>> = {
  job_kinds: `SELECT k.job_id, k.scope_id, k.reserved_before, coalesce(k.own_job_id,
      greatest((SELECT max(job_id) FROM enrich.jobs), (SELECT max(own_job_id) FROM enrich.job_kinds))
        + row_number() OVER (PARTITION BY k.own_job_id IS NULL ORDER BY k.job_id, k.scope_id)) AS own_job_id,
      coalesce(k.own_started_at_ms, j.started_at_ms) AS own_started_at_ms
    FROM enrich.job_kinds k JOIN enrich.jobs j USING (job_id) WHERE k.scope_id <> j.scope_id ORDER BY 1, 2`,
  outputs: `SELECT ${selectColumns('outputs', getTransferredColumns('outputs'), readColumn)}
    FROM enrich.outputs ORDER BY job_id, part`,
}

/** A checkpoint on PostgreSQL without workers. */
export class ServerRowSource implements RowSource {
  readonly place: string
  readonly checkpointId: string
  readonly createdAtMs: number
  readonly generation: number
  readonly #statements: PostgresStatements

  constructor(
    { url, id, generation, postgres }: SharedDatabase,
    { createdAtMs }: { readonly createdAtMs: number },
  ) {
    this.place = url
    this.checkpointId = id
    this.generation = generation
    this.createdAtMs = createdAtMs
    this.#statements = postgres
  }

  async *read(table: TransferredTable): AsyncGenerator<readonly TransferredRow[]> {
    const whole = wholeSql[table]
    if (whole !== undefined) {
      yield await this.#statements.query<TransferredRow>(whole)
      return
    }
    const columns = getTransferredColumns(table)
    const key = getKey(table, columns)
    const sql = `SELECT ${key} AS page_key, ${selectColumns(table, columns, readColumn)}
      FROM enrich.${getServerTable(table)} WHERE ${key} > $1 ORDER BY ${key} LIMIT $2`
    yield* readPages(table, (after, count) => this.#statements.query<TransferredRow>(sql, [after, count]))
  }
}

/** Writes into the empty tables of a server, which no worker uses before the migration ends. */
export class ServerRowTarget implements RowTarget {
  readonly place: string
  readonly #database: SharedDatabase
  readonly #postgres: Postgres
  readonly #createdAtMs: number
  #workerId = 0
  #submissionCount = 0

  constructor(database: SharedDatabase, { createdAtMs }: RowSource) {
    this.place = database.url
    this.#database = database
    this.#postgres = database.postgres
    this.#createdAtMs = createdAtMs
  }

  /** Adds an ended worker as the owner of all submissions. */
  async begin(from: string): Promise<void> {
    const [worker] = await this.#postgres.query<{ id: number }>(
      `INSERT INTO enrich.workers (name, job, lease_until, is_fenced, fenced_at, ended_at, is_swept)
       VALUES ($1, '', clock_timestamp(), true, clock_timestamp(), clock_timestamp(), true) RETURNING worker_id AS id`,
      [`moved from ${from}`],
    )
    this.#workerId = worker?.id ?? 0
  }

  async write(table: TransferredTable, facts: readonly TransferredRow[]): Promise<void> {
    if (table === 'submissions') {
      const rows = facts.map((fact) => ({
        ...fact,
        submission_id: ++this.#submissionCount,
        worker_id: this.#workerId,
      }))
      await this.#insert(table, getColumns(table, 'columns', 'onServer', 'derived'), rows)
    } else if (table === 'deliveries') {
      await this.#insert(table, getColumns(table, 'columns', 'derived'), facts.map(toDelivery))
    } else await this.#insert(table, getTransferredColumns(table), facts)
  }

  /** Computes the used budgets of jobs from their submissions, and advances the id sequences. */
  async finish(): Promise<void> {
    const { query } = this.#postgres
    const reserved = `s.verdict IN ('intended', 'accepted', 'uncertain')`
    await query('INSERT INTO enrich.job_kinds (job_id, scope_id) SELECT job_id, scope_id FROM enrich.jobs')
    await query(
      `UPDATE enrich.jobs j SET reserved_of_rows = g.of_rows, reserved_micros = g.micros
       FROM (SELECT s.job_id, count(*) FILTER (WHERE s.is_first) AS of_rows, sum(s.price_micros)::bigint AS micros
         FROM enrich.submissions s WHERE ${reserved} GROUP BY 1) g
       WHERE g.job_id = j.job_id`,
    )
    await query(
      `UPDATE enrich.job_kinds k SET reserved = g.total
       FROM (SELECT s.job_id, l.scope_id, count(*) AS total FROM enrich.submissions s
         JOIN enrich.lookups l USING (lookup_id) WHERE ${reserved} GROUP BY 1, 2) g
       WHERE g.job_id = k.job_id AND g.scope_id = k.scope_id`,
    )
    const numbered = await query<{ name: string; column: string }>(
      `SELECT table_name AS name, column_name AS "column" FROM information_schema.columns
       WHERE table_schema = 'enrich' AND is_identity = 'YES'`,
    )
    for (const { name, column } of numbered) {
      // In a file, the jobs of kinds have separate numbers.
      const kinds = name === 'jobs' ? 'UNION ALL SELECT own_job_id FROM enrich.job_kinds' : ''
      await query(
        `SELECT setval(pg_get_serial_sequence('enrich.${name}', '${column}'), greatest(last, 1), last > 0)
         FROM (SELECT coalesce(max(id), 0) AS last FROM (SELECT ${column} AS id FROM enrich.${name} ${kinds}) AS i) AS l`,
      )
    }
  }

  readBack(): ServerRowSource {
    return new ServerRowSource(this.#database, { createdAtMs: this.#createdAtMs })
  }

  /** Inserts all rows in one statement. Sends `packed` values as one byte string. */
  async #insert(table: TransferredTable, columns: Columns, rows: readonly TransferredRow[]): Promise<void> {
    const values: unknown[] = []
    const bind = (value: unknown, type: string) => `$${values.push(value)}::${type}`
    const [names, arrays]: [string[], string[]] = [[], []]
    const addArray = (name: string, type: string, column: readonly unknown[]) => {
      names.push(name)
      arrays.push(bind(column, `${type}[]`))
      return name
    }
    const expressions = Object.entries(columns).map(([name, type]) => {
      const column = rows.map((row) => row[name] ?? null)
      if (type === 'boolean') return `${addArray(name, 'integer', column)}::boolean`
      if (type === 'timestamptz')
        return `timestamptz 'epoch' + ${addArray(name, 'bigint', column)} * interval '1 microsecond'`
      if (type !== 'packed') return addArray(name, type, column)
      const pieces = column.map((value) => (Buffer.isBuffer(value) ? value : null))
      const lengths = pieces.map((piece) => piece?.length ?? null)
      let end = 0
      const starts = lengths.map((length) => (end += length ?? 0) - (length ?? 0) + 1)
      const all = bind(Buffer.concat(pieces.flatMap((piece) => piece ?? [])), 'bytea')
      return `substring(${all} FROM ${addArray('piece_start', 'integer', starts)} FOR ${addArray('piece_bytes', 'integer', lengths)})`
    })
    await this.#postgres.query(
      `INSERT INTO enrich.${getServerTable(table)} (${Object.keys(columns).join(', ')}) OVERRIDING SYSTEM VALUE
       SELECT ${expressions.join(', ')} FROM unnest(${arrays.join(', ')}) AS r(${names.join(', ')})`,
      values,
    )
  }
}

/** Adds the subject of the event. */
function toDelivery(fact: TransferredRow): TransferredRow {
  const { body, received_at_ms: receivedAtMs } = fact
  const subject = readSubject(Buffer.isBuffer(body) ? body : Buffer.alloc(0))
  return {
    ...fact,
    received_at: Number(receivedAtMs) * 1_000,
    custom_id: subject.customId,
    run_id: subject.runId,
    record_kind: subject.recordKind,
    record_key: subject.recordKey === null ? null : Buffer.from(subject.recordKey),
  }
}

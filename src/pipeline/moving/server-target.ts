import type { Postgres } from '../../platform/postgres/postgres.js'
import { subjectOf } from '../inbox/shared-inbox-sql.js'
import type { SharedDatabase } from '../checkpoint/postgres/open.js'
import { columnsOf, type Columns } from '../checkpoint/tables.js'
import { movedColumns, type Fact, type FactSource, type FactTable, type FactTarget } from './facts.js'
import { ServerFacts, serverTable } from './server-facts.js'

/** Writes into the tables of a server, which are empty, and which no process uses before the move has ended. */
export class ServerTarget implements FactTarget {
  readonly place: string
  readonly #database: SharedDatabase
  readonly #postgres: Postgres
  readonly #createdAtMs: number
  #workerId = 0
  #submissionCount = 0

  constructor(database: SharedDatabase, { createdAtMs }: FactSource) {
    this.place = database.url
    this.#database = database
    this.#postgres = database.postgres
    this.#createdAtMs = createdAtMs
  }

  /** Adds a process that has ended: each submission is of one. */
  async begin(from: string): Promise<void> {
    const [worker] = await this.#postgres.query<{ id: number }>(
      `INSERT INTO enrich.workers (name, job, lease_until, is_fenced, fenced_at, ended_at, is_swept)
       VALUES ($1, '', clock_timestamp(), true, clock_timestamp(), clock_timestamp(), true) RETURNING worker_id AS id`,
      [`moved from ${from}`],
    )
    this.#workerId = worker?.id ?? 0
  }

  async write(table: FactTable, facts: readonly Fact[]): Promise<void> {
    if (table === 'submissions') {
      const rows = facts.map((fact) => ({
        ...fact,
        submission_id: ++this.#submissionCount,
        worker_id: this.#workerId,
      }))
      await this.#insert(table, columnsOf(table, 'columns', 'onServer', 'derived'), rows)
    } else if (table === 'deliveries') {
      await this.#insert(table, columnsOf(table, 'columns', 'derived'), facts.map(toDelivery))
    } else await this.#insert(table, movedColumns(table), facts)
  }

  /** What jobs took of their budgets follows from their submissions; numbers that are given from here on are new. */
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
      // Jobs of kinds have numbers of their own in a file.
      const kinds = name === 'jobs' ? 'UNION ALL SELECT own_job_id FROM enrich.job_kinds' : ''
      await query(
        `SELECT setval(pg_get_serial_sequence('enrich.${name}', '${column}'), greatest(last, 1), last > 0)
         FROM (SELECT coalesce(max(id), 0) AS last FROM (SELECT ${column} AS id FROM enrich.${name} ${kinds}) AS i) AS l`,
      )
    }
  }

  written(): ServerFacts {
    return new ServerFacts(this.#database, { createdAtMs: this.#createdAtMs })
  }

  /** One statement: all rows are there, or none. What is `packed` is sent as one piece of bytes. */
  async #insert(table: FactTable, columns: Columns, rows: readonly Fact[]): Promise<void> {
    const values: unknown[] = []
    const sent = (value: unknown, type: string) => `$${values.push(value)}::${type}`
    const [names, arrays]: [string[], string[]] = [[], []]
    const unnested = (name: string, type: string, column: readonly unknown[]) => {
      names.push(name)
      arrays.push(sent(column, `${type}[]`))
      return name
    }
    const expressions = Object.entries(columns).map(([name, type]) => {
      const column = rows.map((row) => row[name] ?? null)
      if (type === 'boolean') return `${unnested(name, 'integer', column)}::boolean`
      if (type === 'timestamptz')
        return `timestamptz 'epoch' + ${unnested(name, 'bigint', column)} * interval '1 microsecond'`
      if (type !== 'packed') return unnested(name, type, column)
      const pieces = column.map((value) => (Buffer.isBuffer(value) ? value : null))
      const lengths = pieces.map((piece) => piece?.length ?? null)
      let end = 0
      const starts = lengths.map((length) => (end += length ?? 0) - (length ?? 0) + 1)
      const all = sent(Buffer.concat(pieces.flatMap((piece) => piece ?? [])), 'bytea')
      return `substring(${all} FROM ${unnested('piece_start', 'integer', starts)} FOR ${unnested('piece_bytes', 'integer', lengths)})`
    })
    await this.#postgres.query(
      `INSERT INTO enrich.${serverTable(table)} (${Object.keys(columns).join(', ')}) OVERRIDING SYSTEM VALUE
       SELECT ${expressions.join(', ')} FROM unnest(${arrays.join(', ')}) AS r(${names.join(', ')})`,
      values,
    )
  }
}

/** With what the event is about. */
function toDelivery(fact: Fact): Fact {
  const { body, received_at_ms: receivedAtMs } = fact
  const subject = subjectOf(Buffer.isBuffer(body) ? body : Buffer.alloc(0))
  return {
    ...fact,
    received_at: Number(receivedAtMs) * 1_000,
    custom_id: subject.customId,
    run_id: subject.runId,
    record_kind: subject.recordKind,
    record_key: subject.recordKey === null ? null : Buffer.from(subject.recordKey),
  }
}

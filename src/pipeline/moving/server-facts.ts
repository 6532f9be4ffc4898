import type { PostgresStatements } from '../../platform/postgres/postgres.js'
import type { SharedDatabase } from '../checkpoint/postgres/open.js'
import type { Columns } from '../checkpoint/tables.js'
import {
  movedColumns,
  readPages,
  selectColumns,
  type Fact,
  type FactSource,
  type FactTable,
} from './facts.js'

export const serverTable = (table: FactTable): string => (table === 'deliveries' ? 'inbox' : table)

/** The column that a table is read by; texts in the order of their bytes, as in a file. */
function keyOf(table: FactTable, columns: Columns): string {
  const [key = ''] = Object.keys(columns)
  if (table === 'submissions') return 'submission_id'
  return columns[key] === 'text' ? `${key} COLLATE "C"` : key
}

function readColumn(column: string, type: Columns[string]): string {
  if (type === 'boolean') return `${column}::integer`
  return type === 'timestamptz' ? `(extract(epoch FROM ${column}) * 1000000)::bigint` : column
}

/**
 * Tables of a few rows. The kind that a job is of itself follows from the job. One without a number of its own gets the one
 * that it will have in a file.
 */
const wholeSql: Readonly<Partial<Record<FactTable, string>>> = {
  job_kinds: `SELECT k.job_id, k.scope_id, k.reserved_before, coalesce(k.own_job_id,
      greatest((SELECT max(job_id) FROM enrich.jobs), (SELECT max(own_job_id) FROM enrich.job_kinds))
        + row_number() OVER (PARTITION BY k.own_job_id IS NULL ORDER BY k.job_id, k.scope_id)) AS own_job_id,
      coalesce(k.own_started_at_ms, j.started_at_ms) AS own_started_at_ms
    FROM enrich.job_kinds k JOIN enrich.jobs j USING (job_id) WHERE k.scope_id <> j.scope_id ORDER BY 1, 2`,
  outputs: `SELECT ${selectColumns('outputs', movedColumns('outputs'), readColumn)}
    FROM enrich.outputs ORDER BY job_id, part`,
}

/** A checkpoint on PostgreSQL that no process works on. */
export class ServerFacts implements FactSource {
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

  async *read(table: FactTable): AsyncGenerator<readonly Fact[]> {
    const whole = wholeSql[table]
    if (whole !== undefined) {
      yield await this.#statements.query<Fact>(whole)
      return
    }
    const columns = movedColumns(table)
    const key = keyOf(table, columns)
    const sql = `SELECT ${key} AS page_key, ${selectColumns(table, columns, readColumn)}
      FROM enrich.${serverTable(table)} WHERE ${key} > $1 ORDER BY ${key} LIMIT $2`
    yield* readPages(table, (after, count) => this.#statements.query<Fact>(sql, [after, count]))
  }
}

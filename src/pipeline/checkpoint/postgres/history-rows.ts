import { UserError } from '../../../core/errors.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { createDamagedError } from '../checkpoint-errors.js'
import type {
  KnownRun,
  LastMarks,
  OpenHistoryRows,
  StateFacts,
  StoredEntry,
  StoredSubmissions,
} from '../history-store.js'
import {
  entryColumns,
  listEntryPages,
  readMarks,
  readOutput,
  unpackValidEntry,
  type EntryRow,
} from '../history-tables.js'
import { runProgram } from '../../../platform/sql-program.js'
import { readScope } from '../../../core/lookup-state.js'
import { openSharedToRead, type OpenSharedDeps } from './open-database.js'
import { RetryingStatements, type RetryDeps } from '../../../platform/postgres/retry.js'

/** Opens the history of a checkpoint on a server; `null` if the server has no checkpoint yet. Throws CHECKPOINT_*. */
export async function openServerHistory(
  url: string,
  deps: RetryDeps & Pick<OpenSharedDeps, 'environment'>,
): Promise<OpenHistoryRows | null> {
  const shared = await openSharedToRead(url, deps)
  if (shared === null) return null
  const { query } = new RetryingStatements(shared, deps)
  return new PostgresHistoryRows(query, shared.url, () => shared.close())
}

/** Entries in one statement, if their states are read. */
const statesAtOnce = 5_000

export class PostgresHistoryRows implements OpenHistoryRows {
  readonly close: () => Promise<void>
  readonly #query: PostgresStatements['query']
  readonly #url: string

  constructor(query: PostgresStatements['query'], url: string, close = () => Promise.resolve()) {
    this.#query = query
    this.#url = url
    this.close = close
  }

  /** A process with an expired lease counts as dead. */
  readRuns(series: string | null): Promise<KnownRun[]> {
    return this.#query<KnownRun>(
      `SELECT r.run_id, r.series, r.started_at_ms, r.ended_at_ms, r.exit_code, r.is_published::integer AS is_published,
         r.baseline, r.output_id, r.record, CASE WHEN r.ended_at_ms IS NULL
           THEN NOT w.is_fenced AND w.lease_until > clock_timestamp() END AS "isGoingOn"
       FROM enrich.history_runs r LEFT JOIN enrich.workers w USING (worker_id)
       WHERE $1::text IS NULL OR r.series = $1 ORDER BY r.run_id DESC`,
      [series],
    )
  }

  /** A process has one run. */
  async countSubmissions(run: number | null): Promise<StoredSubmissions[]> {
    const rows = await this.#query<Omit<StoredSubmissions, 'kind'>>(
      `SELECT c.scope,
         count(*) FILTER (WHERE s.verdict IN ('accepted', 'uncertain', 'intended')) AS "submittedCount",
         count(*) FILTER (WHERE s.verdict = 'accepted') AS "billedCount",
         count(*) FILTER (WHERE s.verdict IN ('uncertain', 'intended')) AS "uncertainCount"
       FROM enrich.submissions s JOIN enrich.lookups l USING (lookup_id) JOIN enrich.scopes c ON c.scope_id = l.scope_id
       WHERE $1::bigint IS NULL OR s.worker_id = (SELECT worker_id FROM enrich.history_runs WHERE run_id = $1)
       GROUP BY 1`,
      [run],
    )
    return rows.map(({ scope, ...counts }) => {
      const { base, kind } = readScope(scope)
      return { ...counts, kind, scope: base }
    })
  }

  readOutput(outputId: number): Promise<Uint32Array | null> {
    return runProgram({ query: this.#query }, readOutput(outputId))
  }

  readMarks(series: string): Promise<LastMarks | null> {
    return runProgram({ query: this.#query }, readMarks(series))
  }

  async readEntries(numbers: readonly number[]): Promise<StoredEntry[]> {
    const found = new Map<number, EntryRow>()
    for (let start = 0; start < numbers.length; start += statesAtOnce) {
      const rows = await this.#query<EntryRow & { number: number }>(
        `SELECT e.entry_id AS number, ${entryColumns}
         FROM enrich.history_entries e JOIN enrich.history_states s USING (state_id) WHERE e.entry_id = ANY($1::bigint[])`,
        [numbers.slice(start, start + statesAtOnce)],
      )
      for (const row of rows) found.set(row.number, row)
    }
    return numbers.map((number) => {
      const row = found.get(number)
      if (row === undefined)
        throw new UserError('RUN_OUTPUT_UNKNOWN', 'the output of a run is no longer stored', {
          hint: 'enrich runs lists the runs; history.keep sets how many outputs are stored',
        })
      const state = unpackValidEntry(row)
      if (state === null) throw this.createDamageError('a row of an output')
      const { address, rowKey, name } = row
      return { number, address, rowKey, name, state }
    })
  }

  async findEntries(rows: Uint32Array, isWanted: (status: string) => boolean): Promise<number[]> {
    const statuses = await this.#query<{ status: string }>(
      'SELECT DISTINCT status FROM enrich.history_states',
    )
    const wanted = statuses.map(({ status }) => status).filter(isWanted)
    const found: number[] = []
    for (const { entries } of wanted.length === 0 ? [] : listEntryPages(rows)) {
      const some = await this.#query<{ entryId: number }>(
        `SELECT e.entry_id AS "entryId" FROM enrich.history_entries e JOIN enrich.history_states s USING (state_id)
         WHERE e.entry_id = ANY($1::bigint[]) AND s.status = ANY($2::text[])`,
        [entries, wanted],
      )
      for (const { entryId } of some) found.push(entryId)
    }
    return found
  }

  async countRows(rows: Uint32Array): Promise<(StateFacts & { readonly rowCount: number })[]> {
    const counted: (StateFacts & { rowCount: number })[] = []
    for (const { entries, rowCounts } of listEntryPages(rows)) {
      const found = await this.#query<StateFacts & { rowCount: number }>(
        `SELECT s.status, s.confidence, s.country, sum(n.row_count)::bigint AS "rowCount"
         FROM unnest($1::bigint[], $2::bigint[]) AS n(entry_id, row_count)
         JOIN enrich.history_entries e USING (entry_id) JOIN enrich.history_states s USING (state_id)
         GROUP BY 1, 2, 3 ORDER BY min(n.entry_id)`,
        [entries, rowCounts],
      )
      for (const one of found) counted.push(one)
    }
    return counted
  }

  createDamageError(what: string): Error {
    return createDamagedError(this.#url, undefined, `${what} is damaged in the history`)
  }
}

import type { PostgresStatements } from '../../platform/postgres/postgres.js'
import type { SharedDatabase } from '../checkpoint/postgres/open.js'
import { carriedFact, type Carried } from './carried.js'
import {
  factColumns,
  pageCounts,
  recoveredReason,
  type Fact,
  type FactSource,
  type FactTable,
  type FactValue,
  type historyFactTables,
  without,
} from './facts.js'

interface ServerJob {
  readonly job_id: number
  readonly scope_id: number
  readonly input: string
  readonly started_at_ms: number
  readonly ended_at_ms: number | null
  readonly partition_count: number | null
  readonly partition_input: string | null
}

interface KindWithin {
  readonly job_id: number
  readonly scope_id: number
  readonly reserved_before: number
  readonly own_job_id: number | null
  readonly own_started_at_ms: number | null
}

const uncertain = (of: string): string => `CASE ${of} WHEN 'intended' THEN 'uncertain' ELSE ${of} END`
const recovered = (column: string, of: string): string =>
  `CASE ${of} WHEN 'intended' THEN '${recoveredReason}' ELSE ${column} END`

type HistoryTable = (typeof historyFactTables)[number]
type PagedTable = HistoryTable | 'scopes' | 'lookups' | 'submissions' | 'answers' | 'deliveries'

/** By the first column, which is the key; texts in the order of their bytes, as in a file. */
function simple(table: HistoryTable): string {
  const [key] = factColumns[table]
  const by = table === 'history_marks' ? `${key} COLLATE "C"` : key
  const columns = factColumns[table].map((column) =>
    (column as string) === 'is_published' ? 'is_published::integer AS is_published' : column,
  )
  return `SELECT ${key} AS raw, ${columns.join(', ')} FROM enrich.${table} WHERE ${by} > $1 ORDER BY ${by} LIMIT $2`
}

/** $1 after which key, `raw`; $2 how many. */
const sqlOf: Readonly<Record<PagedTable, string>> = {
  scopes:
    'SELECT scope_id AS raw, scope_id, scope FROM enrich.scopes WHERE scope_id > $1 ORDER BY 1 LIMIT $2',
  lookups: `SELECT lookup_id AS raw, lookup_id, scope_id, key, name, location, context, ${uncertain('state')} AS state,
      attempt, custom_id, run_id, ${recovered('failure', 'state')} AS failure, submitted_at_ms, answered_at_ms
    FROM enrich.lookups WHERE lookup_id > $1 ORDER BY lookup_id LIMIT $2`,
  submissions: `SELECT s.submission_id AS raw, s.custom_id, s.lookup_id, s.job_id, s.attempt,
      ${uncertain('s.verdict')} AS verdict, s.run_id, ${recovered('s.reason', 's.verdict')} AS reason, s.intended_at_ms,
      s.accepted_at_ms, s.is_first::integer AS is_first, s.price_micros,
      (SELECT l.scope_id FROM enrich.lookups l WHERE l.lookup_id = s.lookup_id) AS scope_id
    FROM enrich.submissions s WHERE s.submission_id > $1 ORDER BY s.submission_id LIMIT $2`,
  answers: `SELECT lookup_id AS raw, lookup_id, run_id, outcome, line_version, answered_at_ms, packing, line_bytes,
      body_bytes, packed
    FROM enrich.answers WHERE lookup_id > $1 ORDER BY lookup_id LIMIT $2`,
  history_states: simple('history_states'),
  history_entries: simple('history_entries'),
  history_outputs: simple('history_outputs'),
  history_runs: simple('history_runs'),
  history_marks: simple('history_marks'),
  deliveries: `SELECT position AS raw, position, event_id, state, reason, body, received_at_ms FROM enrich.inbox
    WHERE position > $1 ORDER BY position LIMIT $2`,
}

/** What a checkpoint on PostgreSQL holds; nobody works on it meanwhile. */
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
    if (table === 'jobs' || table === 'carried') {
      const facts = await (table === 'jobs' ? this.#jobs() : this.#carried())
      for (let at = 0; at < facts.length; at += pageCounts[table])
        yield facts.slice(at, at + pageCounts[table])
      return
    }
    const complete = table === 'submissions' ? await this.#completeSubmission() : (fact: Fact) => fact
    for (let after: FactValue = table === 'history_marks' ? '' : -1; ;) {
      const rows: Fact[] = await this.#statements.query<Fact>(sqlOf[table], [after, pageCounts[table]])
      if (rows.length === 0) return
      after = rows.at(-1)?.['raw'] ?? null
      yield rows.map((row) => complete(without(row, 'raw')))
    }
  }

  /** Numbers of submissions have gaps on a server, and none in a file. */
  async #completeSubmission(): Promise<(fact: Fact) => Fact> {
    const { own } = await this.#all()
    let position = 0
    return ({ scope_id: scopeId, ...fact }) => {
      const jobId = Number(fact['job_id'])
      return { ...fact, position: ++position, job_id: own.get(`${jobId} ${String(scopeId)}`) ?? jobId }
    }
  }

  async #jobs(): Promise<Fact[]> {
    const { jobs, kinds, own } = await this.#all()
    const byId = new Map(jobs.map((job) => [job.job_id, job]))
    const ofKinds = kinds.flatMap(({ job_id: jobId, scope_id, own_started_at_ms: startedAtMs }) => {
      const job = byId.get(jobId)
      if (job === undefined) return []
      const { input, started_at_ms, ended_at_ms } = job
      const job_id = own.get(`${jobId} ${scope_id}`) ?? 0
      return [{ job_id, scope_id, input, started_at_ms: startedAtMs ?? started_at_ms, ended_at_ms }]
    })
    const whole = jobs.map((job) => without(job, 'partition_count', 'partition_input'))
    return [...whole, ...ofKinds].sort((one, other) => one.job_id - other.job_id)
  }

  async #carried(): Promise<Fact[]> {
    const { jobs, kinds, own } = await this.#all()
    const outputs = await this.#statements.query<Extract<Carried, { what: 'output' }>>(
      `SELECT 'output' AS what, job_id, part, attempt, path, row_count, byte_count, sha256, basis_byte_count, basis_sha256,
         (extract(epoch FROM published_at) * 1000000)::bigint AS published_at_us
       FROM enrich.outputs ORDER BY job_id, part`,
    )
    const carried: Carried[] = [
      ...kinds.map(({ job_id, scope_id, reserved_before }) => {
        const own_job_id = own.get(`${job_id} ${scope_id}`) ?? 0
        return { what: 'kind', job_id, scope_id, own_job_id, reserved_before } as const
      }),
      ...jobs.flatMap(({ job_id, partition_count, partition_input }) =>
        partition_count === null ? [] : [{ what: 'job', job_id, partition_count, partition_input } as const],
      ),
      ...outputs,
    ]
    return carried.map((one, at) => carriedFact(one, at + 1))
  }

  /** Jobs, what they count besides resolutions, and the number that each of these has, or gets, in a file. */
  async #all(): Promise<{ jobs: ServerJob[]; kinds: KindWithin[]; own: ReadonlyMap<string, number> }> {
    const jobs = await this.#statements.query<ServerJob>(
      `SELECT job_id, scope_id, input, started_at_ms, ended_at_ms, partition_count, partition_input
       FROM enrich.jobs ORDER BY job_id`,
    )
    const kinds = await this.#statements.query<KindWithin>(
      `SELECT k.job_id, k.scope_id, k.reserved_before, k.own_job_id, k.own_started_at_ms
       FROM enrich.job_kinds k JOIN enrich.jobs j USING (job_id) WHERE k.scope_id <> j.scope_id
       ORDER BY k.job_id, k.scope_id`,
    )
    let last = Math.max(0, ...jobs.map(({ job_id: id }) => id), ...kinds.map(({ own_job_id: id }) => id ?? 0))
    const own = kinds.map((kind) => [`${kind.job_id} ${kind.scope_id}`, kind.own_job_id ?? ++last] as const)
    return { jobs, kinds, own: new Map(own) }
  }
}

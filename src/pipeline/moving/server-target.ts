import type { Postgres } from '../../platform/postgres/postgres.js'
import { subjectOf } from '../inbox/shared-inbox-sql.js'
import type { SharedDatabase } from '../checkpoint/postgres/open.js'
import { readCarried, type Carried } from './carried.js'
import {
  without,
  type Fact,
  type FactSource,
  type FactTable,
  type FactTarget,
  type FactValue,
} from './facts.js'
import { ServerFacts } from './server-facts.js'

/** Columns and their types; `packed` and `body` are sent as one piece of bytes. */
const lookupTypes = {
  lookup_id: 'bigint',
  scope_id: 'integer',
  key: 'bytea',
  ...{
    name: 'text',
    location: 'text',
    context: 'text',
    state: 'text',
    attempt: 'integer',
    custom_id: 'text',
  },
  ...{ run_id: 'text', failure: 'text', submitted_at_ms: 'bigint', answered_at_ms: 'bigint' },
}
const submissionTypes = {
  submission_id: 'bigint',
  ...{ custom_id: 'text', lookup_id: 'bigint', job_id: 'bigint', worker_id: 'bigint', attempt: 'integer' },
  ...{ is_first: 'boolean', price_micros: 'bigint', verdict: 'text', run_id: 'text', reason: 'text' },
  ...{ intended_at_ms: 'bigint', accepted_at_ms: 'bigint' },
}
const answerTypes = {
  ...{
    lookup_id: 'bigint',
    run_id: 'text',
    outcome: 'text',
    line_version: 'integer',
    answered_at_ms: 'bigint',
  },
  ...{ packing: 'integer', line_bytes: 'integer', body_bytes: 'integer' },
}
const jobTypes = {
  ...{ job_id: 'bigint', scope_id: 'integer', input: 'text', started_at_ms: 'bigint', ended_at_ms: 'bigint' },
  ...{ partition_count: 'integer', partition_input: 'text' },
}
const kindTypes = {
  ...{ job_id: 'bigint', scope_id: 'integer', reserved_before: 'bigint', own_job_id: 'bigint' },
  own_started_at_ms: 'bigint',
}
const deliveryTypes = {
  ...{ position: 'bigint', event_id: 'text', state: 'text', reason: 'text', received_at_ms: 'bigint' },
  ...{ custom_id: 'text', run_id: 'text', record_kind: 'text', record_key: 'bytea' },
}

const historyTypes = {
  history_states: {
    ...{ state_id: 'bigint', status: 'text', confidence: 'integer', country: 'text', packing: 'integer' },
    ...{ state_bytes: 'integer', digest: 'bytea', checksum: 'bytea' },
  },
  history_entries: {
    ...{
      entry_id: 'bigint',
      address: 'bytea',
      row_key: 'text',
      name: 'text',
      state_id: 'bigint',
      digest: 'bytea',
    },
  },
  history_outputs: { output_id: 'bigint', base_id: 'bigint', row_count: 'bigint', digest: 'bytea' },
  history_runs: {
    ...{
      run_id: 'bigint',
      series: 'text',
      started_at_ms: 'bigint',
      ended_at_ms: 'bigint',
      exit_code: 'integer',
    },
    ...{ is_published: 'boolean', baseline: 'bigint', output_id: 'bigint' },
  },
  history_marks: { series: 'text', output_id: 'bigint', form: 'text', checksum: 'bytea' },
}

type Types = Readonly<Record<string, string>>
type Written = Readonly<Record<string, FactValue | boolean>>

/** Writes what is known into the tables of a server, which are empty, and nobody's before it has ended. */
export class ServerTarget implements FactTarget {
  readonly place: string
  readonly #database: SharedDatabase
  readonly #postgres: Postgres
  readonly #createdAtMs: number
  readonly #carried: Carried[] = []
  readonly #jobs: Fact[] = []
  /** Jobs of kinds that are counted within another one. */
  readonly #within = new Map<number, number>()
  #workerId = 0

  constructor(database: SharedDatabase, { createdAtMs }: FactSource) {
    this.place = database.url
    this.#database = database
    this.#postgres = database.postgres
    this.#createdAtMs = createdAtMs
  }

  /** Submissions have to be somebody's: of a process that has ended. */
  async begin(from: string): Promise<void> {
    const [worker] = await this.#postgres.query<{ id: number }>(
      `INSERT INTO enrich.workers (name, job, lease_until, is_fenced, fenced_at, ended_at, is_swept)
       VALUES ($1, '', clock_timestamp(), true, clock_timestamp(), clock_timestamp(), true) RETURNING worker_id AS id`,
      [`moved from ${from}`],
    )
    this.#workerId = worker?.id ?? 0
  }

  async write(table: FactTable, facts: readonly Fact[]): Promise<void> {
    switch (table) {
      case 'scopes':
        return this.#insert('scopes', { scope_id: 'integer', scope: 'text' }, facts)
      case 'carried':
        this.#carried.push(...facts.map(readCarried))
        return
      case 'jobs':
        this.#jobs.push(...facts)
        return
      case 'lookups':
        return this.#insert('lookups', lookupTypes, facts)
      case 'submissions':
        return this.#insert('submissions', submissionTypes, facts.map(this.#submission))
      case 'answers':
        return this.#insert('answers', answerTypes, facts, 'packed')
      case 'history_runs': {
        const published = facts.map((fact) => ({ ...fact, is_published: fact['is_published'] === 1 }))
        return this.#insert(table, historyTypes[table], published, 'record')
      }
      case 'history_entries':
        return this.#insert(table, historyTypes[table], facts)
      case 'history_states':
      case 'history_outputs':
      case 'history_marks':
        return this.#insert(table, historyTypes[table], facts, 'packed')
      case 'deliveries':
        return this.#deliveries(facts)
    }
  }

  async ended(table: FactTable): Promise<void> {
    if (table === 'jobs') await this.#writeJobs()
    if (table === 'submissions') await this.#countReserved()
    if (table === 'deliveries') await this.#setSequences()
  }

  written(): ServerFacts {
    return new ServerFacts(this.#database, { createdAtMs: this.#createdAtMs })
  }

  readonly #submission = ({ position, is_first: isFirst, ...fact }: Fact): Written => {
    const jobId = Number(fact['job_id'])
    return {
      ...fact,
      submission_id: position ?? null,
      is_first: isFirst === 1,
      job_id: this.#within.get(jobId) ?? jobId,
      worker_id: this.#workerId,
    }
  }

  async #writeJobs(): Promise<void> {
    const kinds = this.#carried.filter((one) => one.what === 'kind')
    for (const { job_id, own_job_id } of kinds) this.#within.set(own_job_id, job_id)
    const parts = new Map(this.#carried.flatMap((one) => (one.what === 'job' ? [[one.job_id, one]] : [])))
    const byId = new Map(this.#jobs.map((job) => [Number(job['job_id']), job]))
    const jobs = this.#jobs.filter(({ job_id: id }) => !this.#within.has(Number(id)))
    const none = { partition_count: null, partition_input: null }
    const whole = jobs.map((job) => ({ ...none, ...job, ...withoutWhat(parts.get(Number(job['job_id']))) }))
    const own = { reserved_before: 0, own_job_id: null, own_started_at_ms: null }
    const counted = [
      ...jobs.map(({ job_id = 0, scope_id = 0 }) => ({ job_id, scope_id, ...own })),
      ...kinds.map((kind) => ({
        ...without(kind, 'what'),
        own_started_at_ms: byId.get(kind.own_job_id)?.['started_at_ms'] ?? null,
      })),
    ]
    await this.#insertAll('jobs', jobTypes, whole)
    await this.#insertAll('job_kinds', kindTypes, counted)
    for (const output of this.#carried) if (output.what === 'output') await this.#output(output)
  }

  async #output(carried: Extract<Carried, { what: 'output' }>): Promise<void> {
    const { published_at_us: atUs, ...output } = without(carried, 'what')
    const columns = Object.keys(output)
    await this.#postgres.query(
      `INSERT INTO enrich.outputs (published_at, ${columns.join(', ')})
       VALUES (timestamptz 'epoch' + $1 * interval '1 microsecond', ${columns.map((_name, at) => `$${at + 2}`).join(', ')})`,
      [atUs, ...Object.values(output)],
    )
  }

  /** What jobs took of their budgets follows from their submissions. */
  async #countReserved(): Promise<void> {
    const reserved = `s.verdict IN ('intended', 'accepted', 'uncertain')`
    await this.#postgres.query(
      `UPDATE enrich.jobs j SET reserved_of_rows = g.of_rows, reserved_micros = g.micros
       FROM (SELECT s.job_id, count(*) FILTER (WHERE s.is_first) AS of_rows, sum(s.price_micros)::bigint AS micros
         FROM enrich.submissions s WHERE ${reserved} GROUP BY 1) g
       WHERE g.job_id = j.job_id`,
    )
    await this.#postgres.query(
      `UPDATE enrich.job_kinds k SET reserved = g.total
       FROM (SELECT s.job_id, l.scope_id, count(*) AS total FROM enrich.submissions s
         JOIN enrich.lookups l USING (lookup_id) WHERE ${reserved} GROUP BY 1, 2) g
       WHERE g.job_id = k.job_id AND g.scope_id = k.scope_id`,
    )
  }

  #deliveries(facts: readonly Fact[]): Promise<void> {
    const rows = facts.map((fact) => {
      const { body } = fact
      const subject = subjectOf(Buffer.isBuffer(body) ? body : Buffer.alloc(0))
      return {
        ...fact,
        ...{ custom_id: subject.customId, run_id: subject.runId },
        ...{ record_kind: subject.recordKind, record_key: subject.recordKey },
      }
    })
    return this.#insert('inbox', deliveryTypes, rows, 'body')
  }

  /** Numbers that are given from here on are new ones; those of jobs of kinds are taken, too. */
  async #setSequences(): Promise<void> {
    const lastJob = Math.max(0, ...this.#jobs.map(({ job_id: id }) => Number(id)))
    for (const [table, column, last] of [
      ['scopes', 'scope_id', null],
      ['lookups', 'lookup_id', null],
      ['submissions', 'submission_id', null],
      ['inbox', 'position', null],
      ['jobs', 'job_id', lastJob],
      ['history_states', 'state_id', null],
      ['history_entries', 'entry_id', null],
      ['history_outputs', 'output_id', null],
      ['history_runs', 'run_id', null],
    ] as const)
      await this.#postgres.query(
        `SELECT setval(pg_get_serial_sequence('enrich.${table}', '${column}'), greatest(last, 1), last > 0)
         FROM (SELECT coalesce($1::bigint, max(${column}), 0) AS last FROM enrich.${table}) AS l`,
        [last],
      )
    await this.#postgres.query(
      `UPDATE enrich.inbox SET received_at = timestamptz 'epoch' + received_at_ms * interval '1 millisecond'`,
    )
  }

  async #insertAll(table: string, types: Types, rows: readonly Written[]): Promise<void> {
    for (let at = 0; at < rows.length; at += 1_000)
      await this.#insert(table, types, rows.slice(at, at + 1_000))
  }

  /** A statement: all of them are there, or none. `packed`: the column of bytes, null where a row has none. */
  async #insert(table: string, types: Types, rows: readonly Written[], packed?: string): Promise<void> {
    const columns = Object.keys(types)
    const values: unknown[] = columns.map((column) => rows.map((row) => row[column] ?? null))
    const names = [...columns]
    const arrays = Object.values(types).map((type, at) => `$${at + 1}::${type}[]`)
    let extra = ''
    if (packed !== undefined) {
      const count = columns.length
      const pieces = rows.map((row) => row[packed]).map((piece) => (Buffer.isBuffer(piece) ? piece : null))
      let end = 0
      const starts = pieces.map((piece) => {
        const start = end + 1
        end += piece?.length ?? 0
        return start
      })
      values.push(
        starts,
        pieces.map((piece) => piece?.length ?? null),
        Buffer.concat(pieces.flatMap((piece) => piece ?? [])),
      )
      arrays.push(`$${count + 1}::bigint[]`, `$${count + 2}::integer[]`)
      names.push('piece_start', 'piece_bytes')
      extra = `, substring($${count + 3}::bytea FROM piece_start::integer FOR piece_bytes)`
    }
    const into = [...columns, ...(packed === undefined ? [] : [packed])]
    await this.#postgres.query(
      `INSERT INTO enrich.${table} (${into.join(', ')}) OVERRIDING SYSTEM VALUE
       SELECT ${columns.join(', ')}${extra} FROM unnest(${arrays.join(', ')}) AS r(${names.join(', ')})`,
      values,
    )
  }
}

function withoutWhat<Value extends { what: string }>(value: Value | undefined): Omit<Value, 'what'> | object {
  return value === undefined ? {} : without(value, 'what')
}

import { readScope, type LookupKind } from '../rules/lookup-kind.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { storable } from '../checkpoint/postgres/wanted.js'
import { carriedFact, readCarried, type Carried } from './carried.js'
import {
  factColumns,
  pageCounts,
  recoveredReason,
  type Fact,
  type FactSource,
  type FactTable,
  type FactValue,
  type historyFactTables,
} from './facts.js'

export interface FileFactsDeps {
  readonly place: string
  readonly database: Sqlite
  /** Beside it; null where there is none. */
  readonly inbox: Sqlite | null
  /** What one lookup of a kind costs, in millionths: a file does not say it of jobs that go on. */
  readonly priceMicrosOf: (kind: LookupKind) => number
}

interface FileJob {
  readonly job_id: number
  readonly scope_id: number
  readonly input: string
  readonly started_at_ms: number
  readonly ended_at_ms: number | null
}

/** As an intention is read that a process left behind. */
const recovered = (column: string, of: string): string =>
  `CASE ${of} WHEN 'intended' THEN '${recoveredReason}' ELSE ${column} END AS ${column}`
const uncertain = (of: string): string =>
  `CASE ${of} WHEN 'intended' THEN 'uncertain' ELSE ${of} END AS ${of}`

/** By the first column, which is the key. */
const simple = (table: (typeof historyFactTables)[number]): string => {
  const [key] = factColumns[table]
  return `SELECT ${factColumns[table].join(', ')} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`
}

const sqlOf: Readonly<Record<Exclude<FactTable, 'carried'>, string>> = {
  scopes: 'SELECT scope_id, scope FROM scopes WHERE scope_id > ? ORDER BY scope_id LIMIT ?',
  jobs: 'SELECT job_id, scope_id, input, started_at_ms, ended_at_ms FROM jobs WHERE job_id > ? ORDER BY job_id LIMIT ?',
  lookups: `SELECT lookup_id, scope_id, key, name, location, context, ${uncertain('state')}, attempt, custom_id, run_id,
      ${recovered('failure', 'state')}, submitted_at_ms, answered_at_ms
    FROM lookups WHERE lookup_id > ? ORDER BY lookup_id LIMIT ?`,
  submissions: `SELECT s.rowid AS position, s.custom_id, s.lookup_id, s.job_id, s.attempt, ${uncertain('verdict')}, s.run_id,
      ${recovered('reason', 'verdict')}, s.intended_at_ms, s.accepted_at_ms, l.scope_id
    FROM submissions s JOIN lookups l USING (lookup_id) WHERE s.rowid > ? ORDER BY s.rowid LIMIT ?`,
  answers: `SELECT lookup_id, run_id, outcome, line_version, answered_at_ms, packing, line_bytes, body_bytes, packed
    FROM answers WHERE lookup_id > ? ORDER BY lookup_id LIMIT ?`,
  history_states: simple('history_states'),
  history_entries: simple('history_entries'),
  history_outputs: simple('history_outputs'),
  history_runs: simple('history_runs'),
  history_marks: simple('history_marks'),
  deliveries: `SELECT position, event_id, state, reason, body, received_at_ms FROM deliveries
    WHERE position > ? ORDER BY position LIMIT ?`,
}

const texts = ['name', 'location', 'context', 'failure', 'reason']

/** A server keeps no NUL in a text. */
function storableFact(fact: Fact): Fact {
  const odd = texts.filter((column) => String(fact[column] ?? '').includes('\0'))
  if (odd.length === 0) return fact
  return { ...fact, ...Object.fromEntries(odd.map((column) => [column, storable(String(fact[column]))])) }
}

/** What a checkpoint in a file holds; nobody writes it meanwhile. */
export class FileFacts implements FactSource {
  readonly place: string
  readonly checkpointId: string
  readonly createdAtMs: number
  readonly generation: number
  readonly #deps: FileFactsDeps
  readonly #hasCarried: boolean

  constructor(deps: FileFactsDeps) {
    const { place, database } = deps
    this.place = place
    this.#deps = deps
    const [head] = database
      .prepare<[], { id: string; createdAtMs: number; generation: number }>(
        'SELECT id, created_at_ms AS createdAtMs, generation FROM checkpoint',
      )
      .all()
    this.checkpointId = head?.id ?? ''
    this.createdAtMs = head?.createdAtMs ?? 0
    this.generation = head?.generation ?? 0
    this.#hasCarried =
      database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'carried_facts'").get() !== undefined
  }

  async *read(table: FactTable): AsyncGenerator<readonly Fact[]> {
    if (table === 'carried') {
      const facts = this.#carried()
      for (let at = 0; at < facts.length; at += pageCounts.carried)
        yield facts.slice(at, at + pageCounts.carried)
      return
    }
    const database = table === 'deliveries' ? this.#deps.inbox : this.#deps.database
    if (database === null) return
    const page = database.prepare<[FactValue, number], Fact>(sqlOf[table])
    const complete = table === 'submissions' ? this.#completeSubmission() : storableFact
    const [key] = factColumns[table]
    for (let after: FactValue = table === 'history_marks' ? '' : 0; ;) {
      const facts = page.all(after, pageCounts[table])
      if (facts.length === 0) return
      after = facts.at(-1)?.[key] ?? null
      yield facts.map(complete)
      // So that what else this process has to do is not kept waiting: a lease, say.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** With what only a server writes down: as it was carried here, else as far as it can be told. */
  #completeSubmission(): (fact: Fact) => Fact {
    const { database, priceMicrosOf } = this.#deps
    const kinds = new Map(this.#scopes().map(({ scope_id, scope }) => [scope_id, readScope(scope).kind]))
    const open = new Set(this.#jobs().flatMap((job) => (job.ended_at_ms === null ? [job.job_id] : [])))
    const carried = this.#hasCarried
      ? database.prepare<[number], Fact>(
          'SELECT is_first, price_micros FROM carried_submissions WHERE position = ?',
        )
      : null
    return ({ scope_id: scopeId, ...fact }) => {
      const known = carried?.get(Number(fact['position']))
      if (known !== undefined) return storableFact({ ...fact, ...known })
      const kind = kinds.get(Number(scopeId)) ?? 'resolution'
      const price = open.has(Number(fact['job_id'])) ? priceMicrosOf(kind) : 0
      return storableFact({ ...fact, is_first: kind === 'resolution' ? 1 : 0, price_micros: price })
    }
  }

  /**
   * What was carried here, and which jobs of kinds go on within the job of their input: on a server they share its
   * budget. One that ended by itself stays a job.
   */
  #carried(): Fact[] {
    const jobs = new Map(this.#jobs().map((job) => [job.job_id, job]))
    const stored = this.#hasCarried
      ? this.#deps.database
          .prepare<[], Fact>('SELECT position, what, fact FROM carried_facts ORDER BY position')
          .all()
          .map(readCarried)
      : []
    const isWithin = (own: FileJob | undefined, job: FileJob | undefined) =>
      own !== undefined && job !== undefined && own.ended_at_ms === job.ended_at_ms
    const kept = stored.filter(
      (one) => one.what !== 'kind' || isWithin(jobs.get(one.own_job_id), jobs.get(one.job_id)),
    )
    const named = new Set(kept.flatMap((one) => (one.what === 'kind' ? [one.own_job_id] : [])))
    const implied = this.#openWithin(jobs).filter(({ own_job_id: id }) => !named.has(id))
    const others = kept.filter(({ what }) => what !== 'kind')
    const kinds = [...kept.filter((one) => one.what === 'kind'), ...implied]
    kinds.sort((one, other) => one.job_id - other.job_id || one.scope_id - other.scope_id)
    return [...kinds, ...others].map((one, at) => carriedFact(one, at + 1))
  }

  #openWithin(jobs: ReadonlyMap<number, FileJob>): Extract<Carried, { what: 'kind' }>[] {
    const scopes = new Map(this.#scopes().map(({ scope_id, scope }) => [scope_id, readScope(scope)]))
    const open = [...jobs.values()].filter(({ ended_at_ms: endedAtMs }) => endedAtMs === null)
    return open.flatMap(({ job_id: own, scope_id, input }) => {
      const { base, kind } = scopes.get(scope_id) ?? { base: '', kind: 'resolution' }
      if (kind === 'resolution') return []
      const main = open.find((job) => {
        const of = scopes.get(job.scope_id)
        return of?.kind === 'resolution' && of.base === base && job.input === input
      })
      if (main === undefined) return []
      return [{ what: 'kind', job_id: main.job_id, scope_id, own_job_id: own, reserved_before: 0 }]
    })
  }

  #jobs(): FileJob[] {
    return this.#deps.database.prepare<[], FileJob>('SELECT * FROM jobs ORDER BY job_id').all()
  }

  #scopes(): { scope_id: number; scope: string }[] {
    return this.#deps.database
      .prepare<[], { scope_id: number; scope: string }>('SELECT scope_id, scope FROM scopes')
      .all()
  }
}

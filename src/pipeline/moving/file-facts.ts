import { readScope, type LookupKind } from '../rules/lookup-kind.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'
import { storable } from '../checkpoint/postgres/wanted.js'
import { columnsOf } from '../checkpoint/tables.js'
import {
  readPages,
  selectColumns,
  type Fact,
  type FactSource,
  type FactTable,
  type FactValue,
} from './facts.js'

export interface FileFactsDeps {
  readonly place: string
  readonly database: Sqlite
  /** In a file next to it; null if there is none. */
  readonly inbox: Sqlite | null
  /** Price of one lookup of a kind, in millionths: a file does not hold it for jobs that go on. */
  readonly priceMicrosOf: (kind: LookupKind) => number
}

interface FileJob extends Fact {
  readonly job_id: number
  readonly scope_id: number
  readonly input: string
  readonly started_at_ms: number
  readonly ended_at_ms: number | null
}

/** Lookups of a kind within a job: on a server they share its budget; in a file they have the job `own_job_id`. */
interface KindWithin extends Fact {
  readonly job_id: number
  readonly scope_id: number
  readonly own_job_id: number
  readonly reserved_before: number
}

/** Why a row of `carried_facts` is kept: for parts of a job, a kind within a job, or a part that was published. */
export type Carried = 'job' | 'kind' | 'output'

/**
 * A checkpoint in a file that no process writes, in the form of a server. What only a server has was carried into tables
 * of the file's own, or is derived as far as it can be told.
 */
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
    if (table === 'jobs' || table === 'job_kinds' || table === 'outputs') {
      yield { jobs: () => this.#wholeJobs(), job_kinds: () => this.#kinds(), outputs: () => this.#outputs() }[
        table
      ]()
      return
    }
    const database = table === 'deliveries' ? this.#deps.inbox : this.#deps.database
    if (database === null) return
    const columns = columnsOf(table, 'columns')
    const [key] = table === 'submissions' ? ['rowid'] : Object.keys(columns)
    const select = database.prepare<[FactValue, number], Fact>(
      `SELECT ${key} AS page_key, ${selectColumns(table, columns)} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`,
    )
    const texts = Object.keys(columns).filter((column) => columns[column] === 'text')
    const complete = table === 'submissions' ? this.#completeSubmission() : (fact: Fact) => fact
    for await (const page of readPages(table, (after, count) => select.all(after, count))) {
      yield page.map((fact) => toStorable(complete(fact), texts))
      // So that what else this process has to do is not kept waiting: a lease, say.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #completeSubmission(): (fact: Fact) => Fact {
    const { database, priceMicrosOf } = this.#deps
    const kinds = new Map([...this.#scopes()].map(([scopeId, { kind }]) => [scopeId, kind]))
    const open = new Set(this.#jobs().flatMap((job) => (job.ended_at_ms === null ? [job.job_id] : [])))
    const within = new Map(this.#kinds().map((kind) => [kind.own_job_id, kind.job_id]))
    const scopeOf = prepare<[FactValue], number>(
      database,
      'SELECT scope_id FROM lookups WHERE lookup_id = ?',
    ).pluck()
    const carried = this.#hasCarried
      ? database.prepare<[FactValue], Fact>(
          'SELECT is_first, price_micros FROM carried_submissions WHERE position = ?',
        )
      : null
    return (fact) => {
      const { page_key: position = null, lookup_id: lookupId = null } = fact
      const ownJobId = Number(fact['job_id'])
      const job_id = within.get(ownJobId) ?? ownJobId
      const known = carried?.get(position)
      if (known !== undefined) return { ...fact, job_id, ...known }
      const kind = kinds.get(scopeOf.get(lookupId) ?? 0) ?? 'resolution'
      const price_micros = open.has(ownJobId) ? priceMicrosOf(kind) : 0
      return { ...fact, job_id, is_first: kind === 'resolution' ? 1 : 0, price_micros }
    }
  }

  /** Jobs but for those of kinds within others. */
  #wholeJobs(): Fact[] {
    const within = new Set(this.#kinds().map((kind) => kind.own_job_id))
    const parts = new Map(this.#carried('job').map((job) => [job['job_id'], job]))
    return this.#jobs()
      .filter((job) => !within.has(job.job_id))
      .map((job) => ({ ...job, ...parts.get(job.job_id) }))
  }

  /** Those that were carried here, and those that go on with the job of their input. One that ended by itself is a job. */
  #kinds(): KindWithin[] {
    const jobs = new Map(this.#jobs().map((job) => [job.job_id, job]))
    const carried = (this.#carried('kind') as KindWithin[]).filter((kind) => {
      const [own, job] = [jobs.get(kind.own_job_id), jobs.get(kind.job_id)]
      return own !== undefined && job !== undefined && own.ended_at_ms === job.ended_at_ms
    })
    const known = new Set(carried.map((kind) => kind.own_job_id))
    return [...carried, ...this.#openKinds().filter((kind) => !known.has(kind.own_job_id))]
      .sort((one, other) => one.job_id - other.job_id || one.scope_id - other.scope_id)
      .map((kind) => ({ ...kind, own_started_at_ms: jobs.get(kind.own_job_id)?.started_at_ms ?? null }))
  }

  #openKinds(): KindWithin[] {
    const scopes = this.#scopes()
    const open = this.#jobs().filter((job) => job.ended_at_ms === null)
    return open.flatMap(({ job_id: own_job_id, scope_id, input }) => {
      const scope = scopes.get(scope_id)
      if (scope === undefined || scope.kind === 'resolution') return []
      const main = open.find((job) => {
        const other = scopes.get(job.scope_id)
        return other?.kind === 'resolution' && other.base === scope.base && job.input === input
      })
      return main === undefined ? [] : [{ job_id: main.job_id, scope_id, own_job_id, reserved_before: 0 }]
    })
  }

  #outputs(): Fact[] {
    return this.#carried('output').map((output) => ({
      ...output,
      published_at: output['published_at_us'] ?? null,
    }))
  }

  #carried(what: Carried): Fact[] {
    if (!this.#hasCarried) return []
    const sql = 'SELECT fact FROM carried_facts WHERE what = ? ORDER BY position'
    const facts = prepare<[Carried], string>(this.#deps.database, sql).pluck().all(what)
    return facts.map((fact) => JSON.parse(fact) as Fact)
  }

  #jobs(): FileJob[] {
    const columns = Object.keys(columnsOf('jobs', 'columns')).join(', ')
    return this.#deps.database.prepare<[], FileJob>(`SELECT ${columns} FROM jobs ORDER BY job_id`).all()
  }

  #scopes(): Map<number, ReturnType<typeof readScope>> {
    const rows = this.#deps.database
      .prepare<[], { scope_id: number; scope: string }>('SELECT scope_id, scope FROM scopes')
      .all()
    return new Map(rows.map(({ scope_id: scopeId, scope }) => [scopeId, readScope(scope)]))
  }
}

/** A server keeps no NUL in a text. */
function toStorable(fact: Fact, texts: readonly string[]): Fact {
  const odd = texts.filter((column) => String(fact[column] ?? '').includes('\0'))
  if (odd.length === 0) return fact
  return { ...fact, ...Object.fromEntries(odd.map((column) => [column, storable(String(fact[column]))])) }
}

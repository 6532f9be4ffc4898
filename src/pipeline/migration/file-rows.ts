import { readScope, type LookupKind } from '../lookups/lookup-kind.js'
import { type Sqlite, prepare } from '../../platform/sqlite.js'
import { replaceNuls } from '../checkpoint/postgres/jobs.js'
import {
  getTransferredColumns,
  readPages,
  selectColumns,
  type TransferredRow,
  type RowSource,
  type TransferredTable,
  type TransferredValue,
  type RowTarget,
} from './transferred-rows.js'
import {
  calculateAnswerChecksum,
  calculateRowChecksum,
  calculateNextChain,
  getColumns,
} from '../checkpoint/tables.js'

export interface FileRowSourceDeps {
  readonly place: string
  readonly database: Sqlite
  /** The inbox file next to it, or `null`. */
  readonly inbox: Sqlite | null
  /** Price of one lookup of a kind, in millionths: a file does not store it for open jobs. */
  readonly priceMicrosOf: (kind: LookupKind) => number
}

/**
 * Tables that keep server-only data for the way back: `job`, the parts of a job; `kind`, a kind of lookups within a
 * job; `output`, a published part; and submissions that differ from the defaults of a file.
 */
const makeCarriedTables = (schema: 'main' | 'temp'): string => `
  CREATE TABLE ${schema}.carried_facts (position INTEGER PRIMARY KEY, what TEXT NOT NULL, fact TEXT NOT NULL) STRICT;
  CREATE TABLE ${schema}.carried_submissions
    (position INTEGER PRIMARY KEY, is_first INTEGER NOT NULL, price_micros INTEGER NOT NULL) STRICT`

/**
 * In a file, a kind of lookups has its own job, `own_job_id`; on a server, it shares the job of its input. This applies
 * to jobs that came from a server, and to open ones. Ended jobs stay separate.
 */
const makeKindsWithin = `
  DROP TABLE IF EXISTS temp.kinds_within;
  CREATE TABLE temp.kinds_within AS
  WITH carried AS (
    SELECT j.job_id, own.job_id AS own_job_id, k.fact ->> 'reserved_before' AS reserved_before
    FROM carried_facts k JOIN jobs j ON j.job_id = k.fact ->> 'job_id' JOIN jobs own ON own.job_id = k.fact ->> 'own_job_id'
    WHERE k.what = 'kind' AND own.ended_at_ms IS j.ended_at_ms
  ), open AS (
    SELECT job_id, input, scope_kind(scope) AS kind, scope_base(scope) AS base
    FROM jobs JOIN scopes USING (scope_id) WHERE ended_at_ms IS NULL
  ), implied AS (
    SELECT min(j.job_id) AS job_id, own.job_id AS own_job_id, 0 AS reserved_before
    FROM open own JOIN open j ON j.kind = 'resolution' AND j.base = own.base AND j.input = own.input
    WHERE own.kind <> 'resolution' AND own.job_id NOT IN (SELECT own_job_id FROM carried) GROUP BY own.job_id
  )
  SELECT k.job_id, own.scope_id, k.reserved_before, k.own_job_id, own.started_at_ms AS own_started_at_ms
  FROM (SELECT * FROM carried UNION ALL SELECT * FROM implied) k JOIN jobs own ON own.job_id = k.own_job_id
  ORDER BY k.job_id, own.scope_id;
  CREATE INDEX temp.kinds_within_own ON kinds_within (own_job_id)`

const selectJobValue = (name: string): string =>
  `(SELECT c.fact ->> '${name}' FROM carried_facts c WHERE c.what = 'job' AND c.fact ->> 'job_id' = jobs.job_id)`
const selectSubmissionValue = (name: string): string =>
  `(SELECT c.${name} FROM carried_submissions c WHERE c.position = submissions.rowid)`
const kindOfSubmission = `(SELECT scope_kind(scope) FROM lookups l JOIN scopes USING (scope_id)
  WHERE l.lookup_id = submissions.lookup_id)`

/** Tables with another form in a file: source of the rows, paging key, and differing columns. */
const otherForms: Readonly<
  Partial<
    Record<TransferredTable, { from?: string; key?: string; columns?: Readonly<Record<string, string>> }>
  >
> = {
  jobs: {
    from: '(SELECT * FROM jobs WHERE job_id NOT IN (SELECT own_job_id FROM temp.kinds_within)) AS jobs',
    columns: {
      partition_count: selectJobValue('partition_count'),
      partition_input: selectJobValue('partition_input'),
    },
  },
  job_kinds: { from: 'temp.kinds_within', key: 'rowid' },
  outputs: {
    from: "(SELECT * FROM carried_facts WHERE what = 'output')",
    key: 'position',
    columns: {
      ...Object.fromEntries(
        Object.keys(getTransferredColumns('outputs')).map((name) => [name, `fact ->> '${name}'`]),
      ),
      published_at: "fact ->> 'published_at_us'",
    },
  },
  submissions: {
    key: 'rowid',
    columns: {
      job_id: `coalesce((SELECT k.job_id FROM temp.kinds_within k WHERE k.own_job_id = submissions.job_id), job_id)`,
      is_first: `coalesce(${selectSubmissionValue('is_first')}, ${kindOfSubmission} = 'resolution')`,
      price_micros: `coalesce(${selectSubmissionValue('price_micros')}, (SELECT
        iif(j.ended_at_ms IS NULL, price_micros(${kindOfSubmission}), 0) FROM jobs j WHERE j.job_id = submissions.job_id))`,
    },
  },
}

/** A checkpoint file that no process writes, in the form of a server. */
export class FileRowSource implements RowSource {
  readonly place: string
  readonly checkpointId: string
  readonly createdAtMs: number
  readonly generation: number
  readonly #database: Sqlite
  readonly #inbox: Sqlite | null

  constructor({ place, database, inbox, priceMicrosOf }: FileRowSourceDeps) {
    this.place = place
    this.#database = database
    this.#inbox = inbox
    const head = database
      .prepare<[], { id: string; createdAtMs: number; generation: number }>(
        'SELECT id, created_at_ms AS createdAtMs, generation FROM checkpoint',
      )
      .get()
    this.checkpointId = head?.id ?? ''
    this.createdAtMs = head?.createdAtMs ?? 0
    this.generation = head?.generation ?? 0
    database.function('scope_kind', (scope) => readScope(String(scope)).kind)
    database.function('scope_base', (scope) => readScope(String(scope)).base)
    database.function('price_micros', (kind) => priceMicrosOf(kind as LookupKind))
    const carried = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'carried_facts'").get()
    if (carried === undefined) database.exec(makeCarriedTables('temp'))
    database.exec(makeKindsWithin)
  }

  async *read(table: TransferredTable): AsyncGenerator<readonly TransferredRow[]> {
    const database = table === 'deliveries' ? this.#inbox : this.#database
    if (database === null) return
    const columns = getTransferredColumns(table)
    const names = Object.keys(columns)
    const { from = table, key = names[0] ?? '', columns: others = {} } = otherForms[table] ?? {}
    const select = database.prepare<[TransferredValue, number], TransferredRow>(
      `SELECT ${key} AS page_key, ${selectColumns(table, columns, (column) => others[column] ?? column)}
       FROM ${from} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`,
    )
    const texts = names.filter((name) => columns[name] === 'text')
    for await (const page of readPages(table, (after, count) => select.all(after, count))) {
      yield page.map((fact) => toStorable(fact, texts))
      // Gives other tasks of this process a turn, for example renewing a lease.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

/** PostgreSQL text cannot contain NUL. */
function toStorable(fact: TransferredRow, texts: readonly string[]): TransferredRow {
  const odd = texts.filter((column) => String(fact[column] ?? '').includes('\0'))
  if (odd.length === 0) return fact
  return { ...fact, ...Object.fromEntries(odd.map((column) => [column, replaceNuls(String(fact[column]))])) }
}

interface FileRowTargetDeps {
  readonly place: string
  /** A new database of this version, at a temporary path; its connection maintains the checksums. */
  readonly database: Sqlite
  /** Creates the inbox for the first delivery. */
  readonly makeInbox: () => Sqlite
}

type Insert = (fact: TransferredRow) => void

/** Writes into a new file. Keeps server-only data in separate tables, for the way back. */
export class FileRowTarget implements RowTarget {
  readonly place: string
  readonly #deps: FileRowTargetDeps
  readonly #database: Sqlite
  #inbox: Sqlite | null = null
  #chain = ''
  #submissionCount = 0
  /** Job numbers in this file of the kinds within a job. */
  readonly #ownJobs = new Map<string, number>()

  constructor(deps: FileRowTargetDeps, { checkpointId, createdAtMs, generation }: RowSource) {
    this.place = deps.place
    this.#deps = deps
    this.#database = deps.database
    this.#database.exec(makeCarriedTables('main'))
    this.#database
      .prepare('INSERT INTO checkpoint (id, created_at_ms, generation) VALUES (?, ?, ?)')
      .run(checkpointId, createdAtMs, generation + 1)
  }

  write(table: TransferredTable, facts: readonly TransferredRow[]): Promise<void> {
    if (table === 'deliveries') this.#inbox ??= this.#deps.makeInbox()
    const insert = this.#createTableInsert(table)
    const database = table === 'deliveries' ? (this.#inbox ?? this.#database) : this.#database
    database.transaction(() => {
      for (const fact of facts) insert(fact)
    })()
    return Promise.resolve()
  }

  finish(): Promise<void> {
    return Promise.resolve()
  }

  readBack(): FileRowSource {
    const { place } = this
    return new FileRowSource({ place, database: this.#database, inbox: this.#inbox, priceMicrosOf: () => 0 })
  }

  #createTableInsert(table: TransferredTable): Insert {
    switch (table) {
      case 'outputs': {
        const names = Object.keys(getTransferredColumns(table)).filter((name) => name !== 'published_at')
        const carry = this.#createCarriedInsert('output', ...names, 'published_at_us')
        return (fact) => {
          carry({ ...fact, published_at_us: fact['published_at'] ?? null })
        }
      }
      case 'jobs':
        return this.#createJobInsert()
      case 'job_kinds':
        return this.#createKindInsert()
      case 'submissions':
        return this.#createSubmissionInsert()
      case 'answers':
        return this.#createAnswerInsert()
      case 'lookups':
      case 'history_runs': {
        const insert = this.#createRowInsert(table, 'checksum')
        return (fact) => {
          insert({ ...fact, checksum: calculateRowChecksum(table, fact) })
        }
      }
      default:
        return this.#createRowInsert(table)
    }
  }

  /** Inserts the columns of both stores, and `others`. */
  #createRowInsert(table: TransferredTable, ...others: string[]): Insert {
    const database = table === 'deliveries' ? (this.#inbox ?? this.#database) : this.#database
    return createInsert(database, table, [...Object.keys(getColumns(table, 'columns')), ...others])
  }

  /** Chained in send order. */
  #createSubmissionInsert(): Insert {
    const insert = this.#createRowInsert('submissions', 'chain')
    const carry = createInsert(this.#database, 'carried_submissions', [
      'position',
      'is_first',
      'price_micros',
    ])
    const scopeOf = prepare<[TransferredRow], { scopeId: number; scope: string }>(
      this.#database,
      'SELECT scope_id AS scopeId, scope FROM lookups JOIN scopes USING (scope_id) WHERE lookup_id = @lookup_id',
    )
    return (fact) => {
      this.#submissionCount++
      this.#chain = calculateNextChain(this.#chain, {
        customId: String(fact['custom_id']),
        attempt: Number(fact['attempt']),
        intendedAtMs: Number(fact['intended_at_ms']),
      })
      const { scopeId = 0, scope = '' } = scopeOf.get(fact) ?? {}
      const ownJobId = this.#ownJobs.get(`${String(fact['job_id'])} ${scopeId}`)
      insert({ ...fact, job_id: ownJobId ?? fact['job_id'] ?? null, chain: this.#chain })
      const isFirst = readScope(scope).kind === 'resolution' ? 1 : 0
      const isPlain = fact['price_micros'] === 0 && fact['is_first'] === isFirst
      if (!isPlain) carry({ ...fact, position: this.#submissionCount })
    }
  }

  #createJobInsert(): Insert {
    const insert = this.#createRowInsert('jobs')
    const carry = this.#createCarriedInsert('job', 'job_id', 'partition_count', 'partition_input')
    return (fact) => {
      insert(fact)
      if (fact['partition_count'] !== null) carry(fact)
    }
  }

  #createKindInsert(): Insert {
    const insert = prepare<[TransferredRow]>(
      this.#database,
      `INSERT INTO jobs (job_id, scope_id, input, started_at_ms, ended_at_ms)
       SELECT @own_job_id, @scope_id, input, @own_started_at_ms, ended_at_ms FROM jobs WHERE job_id = @job_id`,
    )
    const carry = this.#createCarriedInsert('kind', 'job_id', 'scope_id', 'own_job_id', 'reserved_before')
    return (fact) => {
      insert.run(fact)
      carry(fact)
      this.#ownJobs.set(`${String(fact['job_id'])} ${String(fact['scope_id'])}`, Number(fact['own_job_id']))
    }
  }

  #createCarriedInsert(what: 'job' | 'kind' | 'output', ...columns: string[]): Insert {
    const insert = createInsert(this.#database, 'carried_facts', ['what', 'fact'])
    return (fact) => {
      insert({
        what,
        fact: JSON.stringify(Object.fromEntries(columns.map((column) => [column, fact[column]]))),
      })
    }
  }

  #createAnswerInsert(): Insert {
    const insert = this.#createRowInsert('answers', 'checksum')
    const keyOf = prepare<[TransferredRow], Buffer>(
      this.#database,
      'SELECT key FROM lookups WHERE lookup_id = @lookup_id',
    ).pluck()
    return (fact) => {
      insert({ ...fact, checksum: calculateAnswerChecksum(fact, keyOf.get(fact) ?? Buffer.alloc(0)) })
    }
  }
}

/** Ignores members of a fact that are not in `columns`. */
function createInsert(database: Sqlite, table: string, columns: readonly string[]): Insert {
  const values = columns.map((column) => `@${column}`).join(', ')
  const statement = database.prepare<[TransferredRow]>(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`,
  )
  return (fact) => {
    statement.run(fact)
  }
}

import { readScope } from '../rules/lookup-kind.js'
import { prepare, type Sqlite } from '../../platform/sqlite.js'
import { answerChecksumOf, checksumOfRow, nextChain } from '../checkpoint/row-checksums.js'
import { columnsOf } from '../checkpoint/tables.js'
import { movedColumns, type Fact, type FactSource, type FactTable, type FactTarget } from './facts.js'
import { FileFacts, makeCarried } from './file-facts.js'

export interface FileTargetDeps {
  readonly place: string
  /** New, of this version, and not yet where it will be; its checksums are kept by its connection. */
  readonly database: Sqlite
  /** Makes the inbox, when there is anything to go into it. */
  readonly makeInbox: () => Sqlite
}

type Insert = (fact: Fact) => void

/** Writes into a new file. What only a server has is kept in tables of its own, for the way back. */
export class FileTarget implements FactTarget {
  readonly place: string
  readonly #deps: FileTargetDeps
  readonly #database: Sqlite
  #inbox: Sqlite | null = null
  #chain = ''
  #submissionCount = 0
  /** The number in this file of a kind within a job. */
  readonly #ownJobs = new Map<string, number>()

  constructor(deps: FileTargetDeps, { checkpointId, createdAtMs, generation }: FactSource) {
    this.place = deps.place
    this.#deps = deps
    this.#database = deps.database
    this.#database.exec(makeCarried('main'))
    this.#database
      .prepare('INSERT INTO checkpoint (id, created_at_ms, generation) VALUES (?, ?, ?)')
      .run(checkpointId, createdAtMs, generation + 1)
  }

  write(table: FactTable, facts: readonly Fact[]): Promise<void> {
    if (table === 'deliveries') this.#inbox ??= this.#deps.makeInbox()
    const insert = this.#inserting(table)
    const database = table === 'deliveries' ? (this.#inbox ?? this.#database) : this.#database
    database.transaction(() => {
      for (const fact of facts) insert(fact)
    })()
    return Promise.resolve()
  }

  finish(): Promise<void> {
    return Promise.resolve()
  }

  written(): FileFacts {
    const { place } = this
    return new FileFacts({ place, database: this.#database, inbox: this.#inbox, priceMicrosOf: () => 0 })
  }

  #inserting(table: FactTable): Insert {
    switch (table) {
      case 'outputs': {
        const names = Object.keys(movedColumns(table)).filter((name) => name !== 'published_at')
        const carry = this.#carrying('output', ...names, 'published_at_us')
        return (fact) => {
          carry({ ...fact, published_at_us: fact['published_at'] ?? null })
        }
      }
      case 'jobs':
        return this.#insertingJobs()
      case 'job_kinds':
        return this.#insertingKinds()
      case 'submissions':
        return this.#insertingSubmissions()
      case 'answers':
        return this.#insertingAnswers()
      case 'lookups':
      case 'history_runs': {
        const insert = this.#insertingRows(table, 'checksum')
        return (fact) => {
          insert({ ...fact, checksum: checksumOfRow(table, fact) })
        }
      }
      default:
        return this.#insertingRows(table)
    }
  }

  /** With the columns of both stores, and `others`. */
  #insertingRows(table: FactTable, ...others: string[]): Insert {
    const database = table === 'deliveries' ? (this.#inbox ?? this.#database) : this.#database
    return inserting(database, table, [...Object.keys(columnsOf(table, 'columns')), ...others])
  }

  /** Chained in the order in which they left. */
  #insertingSubmissions(): Insert {
    const insert = this.#insertingRows('submissions', 'chain')
    const carry = inserting(this.#database, 'carried_submissions', ['position', 'is_first', 'price_micros'])
    const scopeOf = prepare<[Fact], { scopeId: number; scope: string }>(
      this.#database,
      'SELECT scope_id AS scopeId, scope FROM lookups JOIN scopes USING (scope_id) WHERE lookup_id = @lookup_id',
    )
    return (fact) => {
      this.#submissionCount++
      this.#chain = nextChain(this.#chain, {
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

  #insertingJobs(): Insert {
    const insert = this.#insertingRows('jobs')
    const carry = this.#carrying('job', 'job_id', 'partition_count', 'partition_input')
    return (fact) => {
      insert(fact)
      if (fact['partition_count'] !== null) carry(fact)
    }
  }

  #insertingKinds(): Insert {
    const insert = prepare<[Fact]>(
      this.#database,
      `INSERT INTO jobs (job_id, scope_id, input, started_at_ms, ended_at_ms)
       SELECT @own_job_id, @scope_id, input, @own_started_at_ms, ended_at_ms FROM jobs WHERE job_id = @job_id`,
    )
    const carry = this.#carrying('kind', 'job_id', 'scope_id', 'own_job_id', 'reserved_before')
    return (fact) => {
      insert.run(fact)
      carry(fact)
      this.#ownJobs.set(`${String(fact['job_id'])} ${String(fact['scope_id'])}`, Number(fact['own_job_id']))
    }
  }

  #carrying(what: 'job' | 'kind' | 'output', ...columns: string[]): Insert {
    const insert = inserting(this.#database, 'carried_facts', ['what', 'fact'])
    return (fact) => {
      insert({
        what,
        fact: JSON.stringify(Object.fromEntries(columns.map((column) => [column, fact[column]]))),
      })
    }
  }

  #insertingAnswers(): Insert {
    const insert = this.#insertingRows('answers', 'checksum')
    const keyOf = prepare<[Fact], Buffer>(
      this.#database,
      'SELECT key FROM lookups WHERE lookup_id = @lookup_id',
    ).pluck()
    return (fact) => {
      insert({ ...fact, checksum: answerChecksumOf(fact, keyOf.get(fact) ?? Buffer.alloc(0)) })
    }
  }
}

/** Members of a fact that are no columns of these are left out. */
function inserting(database: Sqlite, table: string, columns: readonly string[]): Insert {
  const values = columns.map((column) => `@${column}`).join(', ')
  const statement = database.prepare<[Fact]>(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`,
  )
  return (fact) => {
    statement.run(fact)
  }
}

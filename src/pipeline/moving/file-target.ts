import { readScope } from '../rules/lookup-kind.js'
import type { Sqlite, Statement } from '../../platform/sqlite.js'
import { prepare } from '../../platform/sqlite.js'
import { runChecksum, type RunRow } from '../checkpoint/history-tables.js'
import { answerChecksumOf, checksumSql, nextChain } from '../checkpoint/row-checksums.js'
import { factColumns, type Fact, type FactSource, type FactTable, type FactTarget } from './facts.js'
import { FileFacts } from './file-facts.js'

export interface FileTargetDeps {
  readonly place: string
  /** New, of this version, and not yet where it will be; its checksums are kept by its connection. */
  readonly database: Sqlite
  /** Makes the inbox, when there is anything to go into it. */
  readonly makeInbox: () => Sqlite
}

type Insert = (fact: Fact) => void

const insertSql = (into: string, columns: readonly string[]): string =>
  `INSERT INTO ${into} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`

/** Writes what is known into a new file. It keeps what only a server uses, for the way back. */
export class FileTarget implements FactTarget {
  readonly place: string
  readonly #deps: FileTargetDeps
  readonly #database: Sqlite
  #inbox: Sqlite | null = null
  #chain = ''

  constructor(deps: FileTargetDeps, { checkpointId, createdAtMs, generation }: FactSource) {
    this.place = deps.place
    this.#deps = deps
    this.#database = deps.database
    this.#database.exec(
      `CREATE TABLE carried_facts (position INTEGER PRIMARY KEY, what TEXT NOT NULL, fact TEXT NOT NULL) STRICT;
       CREATE TABLE carried_submissions
         (position INTEGER PRIMARY KEY, is_first INTEGER NOT NULL, price_micros INTEGER NOT NULL) STRICT`,
    )
    this.#database
      .prepare('INSERT INTO checkpoint (id, created_at_ms, generation) VALUES (?, ?, ?)')
      .run(checkpointId, createdAtMs, generation + 1)
  }

  write(table: FactTable, facts: readonly Fact[]): Promise<void> {
    if (table === 'deliveries') this.#inbox ??= this.#deps.makeInbox()
    const database = table === 'deliveries' ? (this.#inbox ?? this.#database) : this.#database
    const insert = this.#inserting(table, database)
    database.transaction(() => {
      for (const fact of facts) insert(fact)
    })()
    return Promise.resolve()
  }

  ended(): Promise<void> {
    return Promise.resolve()
  }

  written(): FileFacts {
    const { place } = this
    return new FileFacts({ place, database: this.#database, inbox: this.#inbox, priceMicrosOf: () => 0 })
  }

  #inserting(table: FactTable, database: Sqlite): Insert {
    switch (table) {
      case 'lookups':
        return inserting(
          database,
          `${insertSql('lookups', factColumns.lookups).replace(') VALUES', ', checksum) VALUES').slice(0, -1)},
             ${checksumSql('lookups', '@')})`,
        )
      case 'submissions':
        return this.#insertingSubmissions()
      case 'answers':
        return this.#insertingAnswers()
      case 'carried':
        return inserting(database, insertSql('carried_facts', factColumns.carried))
      case 'history_runs': {
        const insert = inserting(database, insertSql(table, [...factColumns[table], 'checksum']))
        return (fact) => {
          insert({ ...fact, checksum: runChecksum(fact as unknown as RunRow) })
        }
      }
      case 'history_states':
      case 'history_entries':
      case 'history_outputs':
      case 'history_marks':
      case 'scopes':
      case 'jobs':
      case 'deliveries':
        return inserting(database, insertSql(table, factColumns[table]))
    }
  }

  /** Chained in the order in which they left; what a file would not say of it itself stands beside. */
  #insertingSubmissions(): Insert {
    const columns = factColumns.submissions.filter(
      (name) => !['position', 'is_first', 'price_micros'].includes(name),
    )
    const insert = inserting(
      this.#database,
      insertSql('submissions', ['rowid', ...columns, 'chain']).replace('@rowid', '@position'),
    )
    const carry = inserting(
      this.#database,
      insertSql('carried_submissions', ['position', 'is_first', 'price_micros']),
    )
    const scopeOfLookup: Statement<[number], string> = prepare<[number], string>(
      this.#database,
      'SELECT scope FROM lookups JOIN scopes USING (scope_id) WHERE lookup_id = ?',
    ).pluck()
    return (fact) => {
      this.#chain = nextChain(this.#chain, {
        customId: String(fact['custom_id']),
        attempt: Number(fact['attempt']),
        intendedAtMs: Number(fact['intended_at_ms']),
      })
      insert({ ...fact, chain: this.#chain })
      const { kind } = readScope(scopeOfLookup.get(Number(fact['lookup_id'])) ?? '')
      const isPlain = fact['price_micros'] === 0 && fact['is_first'] === (kind === 'resolution' ? 1 : 0)
      if (!isPlain) carry(fact)
    }
  }

  #insertingAnswers(): Insert {
    const insert = inserting(this.#database, insertSql('answers', [...factColumns.answers, 'checksum']))
    const keyOf: Statement<[number], Buffer> = prepare<[number], Buffer>(
      this.#database,
      'SELECT key FROM lookups WHERE lookup_id = ?',
    ).pluck()
    return (fact) => {
      const key = keyOf.get(Number(fact['lookup_id'])) ?? Buffer.alloc(0)
      insert({ ...fact, checksum: answerChecksumOf(fact, key) })
    }
  }
}

/** Columns that the statement does not name are left out of what is bound. */
function inserting(database: Sqlite, sql: string): Insert {
  const statement = database.prepare<[Fact]>(sql)
  return (fact) => {
    statement.run(fact)
  }
}

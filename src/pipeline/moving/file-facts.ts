import { readScope, type LookupKind } from '../rules/lookup-kind.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { storable } from '../checkpoint/postgres/wanted.js'
import {
  movedColumns,
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

/**
 * Tables for what only a server has, kept for the way back: `job`, the parts of a job; `kind`, a kind of lookups within a
 * job; `output`, a part that was published; and submissions that are not as a file would say.
 */
export const makeCarried = (schema: 'main' | 'temp'): string => `
  CREATE TABLE ${schema}.carried_facts (position INTEGER PRIMARY KEY, what TEXT NOT NULL, fact TEXT NOT NULL) STRICT;
  CREATE TABLE ${schema}.carried_submissions
    (position INTEGER PRIMARY KEY, is_first INTEGER NOT NULL, price_micros INTEGER NOT NULL) STRICT`

/**
 * Lookups of a kind have a job of their own in a file, `own_job_id`, and on a server share the job of their input: those
 * that were carried here, and those that go on with it. One that ended by itself stays a job.
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

const ofJob = (name: string): string =>
  `(SELECT c.fact ->> '${name}' FROM carried_facts c WHERE c.what = 'job' AND c.fact ->> 'job_id' = jobs.job_id)`
const ofSubmission = (name: string): string =>
  `(SELECT c.${name} FROM carried_submissions c WHERE c.position = submissions.rowid)`
const kindOfSubmission = `(SELECT scope_kind(scope) FROM lookups l JOIN scopes USING (scope_id)
  WHERE l.lookup_id = submissions.lookup_id)`

/** Tables that a file has in another form: where their rows are, what numbers them, and columns that differ. */
const otherForms: Readonly<
  Partial<Record<FactTable, { from?: string; key?: string; columns?: Readonly<Record<string, string>> }>>
> = {
  jobs: {
    from: '(SELECT * FROM jobs WHERE job_id NOT IN (SELECT own_job_id FROM temp.kinds_within)) AS jobs',
    columns: { partition_count: ofJob('partition_count'), partition_input: ofJob('partition_input') },
  },
  job_kinds: { from: 'temp.kinds_within', key: 'rowid' },
  outputs: {
    from: "(SELECT * FROM carried_facts WHERE what = 'output')",
    key: 'position',
    columns: {
      ...Object.fromEntries(Object.keys(movedColumns('outputs')).map((name) => [name, `fact ->> '${name}'`])),
      published_at: "fact ->> 'published_at_us'",
    },
  },
  submissions: {
    key: 'rowid',
    columns: {
      job_id: `coalesce((SELECT k.job_id FROM temp.kinds_within k WHERE k.own_job_id = submissions.job_id), job_id)`,
      is_first: `coalesce(${ofSubmission('is_first')}, ${kindOfSubmission} = 'resolution')`,
      price_micros: `coalesce(${ofSubmission('price_micros')}, (SELECT
        iif(j.ended_at_ms IS NULL, price_micros(${kindOfSubmission}), 0) FROM jobs j WHERE j.job_id = submissions.job_id))`,
    },
  },
}

/** A checkpoint in a file that no process writes, in the form of a server. */
export class FileFacts implements FactSource {
  readonly place: string
  readonly checkpointId: string
  readonly createdAtMs: number
  readonly generation: number
  readonly #database: Sqlite
  readonly #inbox: Sqlite | null

  constructor({ place, database, inbox, priceMicrosOf }: FileFactsDeps) {
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
    if (carried === undefined) database.exec(makeCarried('temp'))
    database.exec(makeKindsWithin)
  }

  async *read(table: FactTable): AsyncGenerator<readonly Fact[]> {
    const database = table === 'deliveries' ? this.#inbox : this.#database
    if (database === null) return
    const columns = movedColumns(table)
    const names = Object.keys(columns)
    const { from = table, key = names[0] ?? '', columns: others = {} } = otherForms[table] ?? {}
    const select = database.prepare<[FactValue, number], Fact>(
      `SELECT ${key} AS page_key, ${selectColumns(table, columns, (column) => others[column] ?? column)}
       FROM ${from} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`,
    )
    const texts = names.filter((name) => columns[name] === 'text')
    for await (const page of readPages(table, (after, count) => select.all(after, count))) {
      yield page.map((fact) => toStorable(fact, texts))
      // So that what else this process has to do is not kept waiting: a lease, say.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

/** A server keeps no NUL in a text. */
function toStorable(fact: Fact, texts: readonly string[]): Fact {
  const odd = texts.filter((column) => String(fact[column] ?? '').includes('\0'))
  if (odd.length === 0) return fact
  return { ...fact, ...Object.fromEntries(odd.map((column) => [column, storable(String(fact[column]))])) }
}

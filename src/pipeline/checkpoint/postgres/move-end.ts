import { formatCount } from '../../../core/text.js'
import { UserError } from '../../../core/errors.js'
import { formatPostgresUrl, parsePostgresUrl } from '../../../core/server-addresses.js'
import type { CloseLater } from '../../../platform/close-stack.js'
import {
  getSqlState,
  type Postgres,
  type PostgresStatements,
  replaceNuls,
} from '../../../platform/postgres/postgres.js'
import { createArrivingError, createMovedError } from '../checkpoint-errors.js'
import { movingLock, openShared, type OpenSharedDeps, type SharedDatabase } from './open-database.js'
import { sweep } from './sweep.js'
import { generationsApart } from '../sqlite/open-database.js'
import { readSubject } from '../inbox.js'
import { stageKinds } from '../../../core/lookup-state.js'
import {
  buildPageSql,
  copyRows,
  getAllColumns,
  tables,
  type End,
  type Form,
  type Forms,
  type HeldCheckpoint,
  type Row,
  type RowStore,
  type Table,
  type Value,
} from '../copy-rows.js'

interface Head extends Pick<HeldCheckpoint, 'checkpointId' | 'createdAtMs' | 'generation' | 'movedTo'> {
  readonly arrivingFrom: string | null
}

const headSql = `SELECT id AS "checkpointId", created_at_ms AS "createdAtMs", generation, moved_to AS "movedTo",
  arriving_from AS "arrivingFrom" FROM enrich.checkpoint FOR UPDATE`

/** Longest statement, and longest pause between two: a table of millions of rows takes minutes. */
const statementMsMax = 3_600_000
/** The server notices within this time that another process was killed. */
const lockMsMax = 10_000

/**
 * A checkpoint on PostgreSQL. The work of `hold` and of `fill` is one transaction, so the server rolls back what a
 * killed process did. An advisory lock keeps workers, receivers and other moves away; that of the row keeps away those
 * of earlier versions.
 */
export function createServerEnd(url: string, deps: OpenSharedDeps, closeLater: CloseLater): End {
  const place = formatPostgresUrl(parsePostgresUrl(url))
  let opened: { readonly shared: SharedDatabase; readonly bulk: Postgres } | null = null
  const open = async () => {
    if (opened !== null) return opened
    const shared = await openShared(url, { ...deps, isMover: true })
    closeLater(() => shared.close())
    const bulk = shared.connectMore({ connectionsMax: 1, statementTimeoutMs: statementMsMax })
    closeLater(() => bulk.close())
    return (opened = { shared, bulk })
  }
  const withLock = async <Result>(work: (statements: PostgresStatements, head: Head) => Promise<Result>) =>
    (await open()).bulk.transaction(async (statements) => {
      const { query } = statements
      await query(`SET LOCAL idle_in_transaction_session_timeout = ${statementMsMax}`)
      await query(`SET LOCAL lock_timeout = ${lockMsMax}`)
      await query('SELECT pg_advisory_xact_lock($1)', [movingLock]).catch((error: unknown) => {
        throw getSqlState(error) === '55P03' ? createInUseError(place, 'another process is moving it') : error
      })
      await query('SET LOCAL lock_timeout = 0')
      const [head] = await query<Head>(headSql)
      if (head === undefined) throw new Error('the checkpoint table is empty')
      return work(statements, head)
    })
  return {
    place,
    hold: (work) =>
      withLock(async (statements, head) => {
        const { shared } = await open()
        return work(await holdServer(statements, shared, head, place))
      }),
    fill: (source, from, onProgress) =>
      withLock(async (statements, head) => {
        await prepareTarget(statements, head, source.checkpointId, place)
        const counts = await copyRows(source, await openRows(statements, from), onProgress)
        await statements.query(
          'UPDATE enrich.checkpoint SET id = $1, generation = $2, created_at_ms = $3, arriving_from = $4',
          [source.checkpointId, source.generation + 1, source.createdAtMs, from],
        )
        return counts
      }),
    publish: async (checkpointId) => {
      const { postgres } = (await open()).shared
      const sql = `UPDATE enrich.checkpoint SET arriving_from = NULL WHERE arriving_from IS NOT NULL AND id = $1
        RETURNING id`
      return (await postgres.query(sql, [checkpointId])).length > 0
    },
  }
}

/** Throws CHECKPOINT_IN_USE if it has workers, and CHECKPOINT_ARRIVING. */
async function holdServer(
  statements: PostgresStatements,
  { postgres }: SharedDatabase,
  head: Head,
  place: string,
): Promise<HeldCheckpoint> {
  const { query } = statements
  if (head.movedTo === null) {
    if (head.arrivingFrom !== null) throw createArrivingError(place, head.arrivingFrom)
    // Makes in-flight submissions of dead workers uncertain.
    await sweep(postgres)
    // A worker that was suspended waits for this transaction, and then finds that it has ended.
    await query('UPDATE enrich.workers SET is_over = true WHERE is_fenced AND NOT is_over')
    await query(numberKindsSql)
  }
  const workers = await query<{ name: string; isFenced: boolean }>(
    'SELECT name, is_fenced AS "isFenced" FROM enrich.workers ORDER BY worker_id',
  )
  const living = workers.flatMap(({ name, isFenced }) => (isFenced ? [] : [name]))
  if (head.movedTo === null && living.length > 0) throw createInUseError(place, living.join(', '))
  return {
    ...head,
    read: createReader(statements),
    staysBehind: [
      ...(workers.length === 0
        ? []
        : [`its list of workers (${formatCount(workers.length)}) and the state of rate limits`]),
      'review state and decisions on the server; the local decisions file is kept',
    ],
    markMoved: async (to) => {
      await query('UPDATE enrich.checkpoint SET moved_to = $1, moved_at = clock_timestamp()', [to])
    },
    restore: async () => {
      const sql =
        'UPDATE enrich.checkpoint SET moved_to = NULL, moved_at = NULL, generation = generation + $1'
      await query(sql, [generationsApart])
    },
  }
}

const createInUseError = (place: string, by: string): UserError =>
  new UserError('CHECKPOINT_IN_USE', `the checkpoint ${place} is in use: ${by}`, {
    hint: 'wait until these have ended; enrich status lists them',
  })

/** Empties what an earlier attempt left. Throws CHECKPOINT_MOVED, and CHECKPOINT_NOT_EMPTY for other rows. */
async function prepareTarget(
  { query }: PostgresStatements,
  { movedTo, arrivingFrom, checkpointId }: Head,
  sourceId: string,
  place: string,
): Promise<void> {
  if (movedTo !== null) throw createMovedError(place, movedTo)
  if (arrivingFrom === null) {
    const used = await query(
      `SELECT FROM enrich.scopes UNION ALL SELECT FROM enrich.lookups UNION ALL SELECT FROM enrich.inbox
       UNION ALL SELECT FROM enrich.jobs UNION ALL SELECT FROM enrich.workers WHERE NOT is_fenced LIMIT 1`,
    )
    if (used.length === 0) return
  } else if (checkpointId === sourceId) {
    await query(`TRUNCATE ${tablesToEmpty} RESTART IDENTITY CASCADE`)
    return
  }
  const what = arrivingFrom === null ? 'a checkpoint that is in use' : `rows from ${arrivingFrom}`
  throw new UserError('CHECKPOINT_NOT_EMPTY', `${place} holds ${what}`, {
    hint: 'pass a database without a checkpoint, for example a new one made with createdb; this one was not changed',
  })
}

const getServerTable = (table: Table): string => `enrich.${table === 'deliveries' ? 'inbox' : table}`

const tablesToEmpty = [
  ...tables.map(getServerTable),
  'enrich.job_kinds',
  'enrich.wanted',
  'enrich.workers',
].join()

/** Gives kinds of lookups that never had a job in a file the number of one. */
const numberKindsSql = `
  UPDATE enrich.job_kinds k SET own_job_id = n.last + n.ordinal, own_started_at_ms = n.started_at_ms
  FROM (
    SELECT k.job_id, k.scope_id, j.started_at_ms, row_number() OVER (ORDER BY k.job_id, k.scope_id) AS ordinal,
      greatest((SELECT max(job_id) FROM enrich.jobs), (SELECT max(own_job_id) FROM enrich.job_kinds)) AS last
    FROM enrich.job_kinds k JOIN enrich.jobs j USING (job_id)
    WHERE k.scope_id <> j.scope_id AND k.own_job_id IS NULL
  ) n
  WHERE n.job_id = k.job_id AND n.scope_id = k.scope_id`

const reserved = `s.verdict IN ('intended', 'accepted', 'uncertain')`

/** On a server, the kinds of an open job share it; used budgets follow from the submissions. */
const joinKindsSql = [
  `WITH joined AS (
     UPDATE enrich.job_kinds k
     SET job_id = j.job_id, own_job_id = own.job_id, own_started_at_ms = own.started_at_ms
     FROM enrich.jobs own JOIN enrich.scopes os ON os.scope_id = own.scope_id,
       enrich.jobs j JOIN enrich.scopes js ON js.scope_id = j.scope_id
     WHERE k.job_id = own.job_id AND own.input = j.input AND own.ended_at_ms IS NULL AND j.ended_at_ms IS NULL
       AND os.scope IN (${stageKinds.map((kind) => `js.scope || ' ${kind}'`).join()})
     RETURNING k.job_id, k.own_job_id
   )
   UPDATE enrich.submissions s SET job_id = joined.job_id FROM joined WHERE s.job_id = joined.own_job_id`,
  'DELETE FROM enrich.jobs WHERE job_id IN (SELECT own_job_id FROM enrich.job_kinds)',
  `UPDATE enrich.jobs j SET reserved_of_rows = g.of_rows, reserved_micros = g.micros
   FROM (SELECT s.job_id, count(*) FILTER (WHERE s.is_first) AS of_rows, sum(s.price_micros)::bigint AS micros
     FROM enrich.submissions s WHERE ${reserved} GROUP BY 1) g
   WHERE g.job_id = j.job_id`,
  `UPDATE enrich.job_kinds k SET reserved = g.total
   FROM (SELECT s.job_id, l.scope_id, count(*) AS total FROM enrich.submissions s
     JOIN enrich.lookups l USING (lookup_id) WHERE ${reserved} GROUP BY 1, 2) g
   WHERE g.job_id = k.job_id AND g.scope_id = k.scope_id`,
]

/** `columns`: flags as numbers, and times as a text that PostgreSQL reads back without loss. */
const forms: Forms = {
  jobs: {
    from: `(SELECT job_id, scope_id, input, started_at_ms, ended_at_ms, partition_count, partition_input,
        0 AS reserved_before FROM enrich.jobs
      UNION ALL
      SELECT k.own_job_id, k.scope_id, j.input, k.own_started_at_ms, j.ended_at_ms, NULL, NULL, k.reserved_before
      FROM enrich.job_kinds k JOIN enrich.jobs j USING (job_id) WHERE k.own_job_id IS NOT NULL) AS jobs`,
  },
  outputs: {
    from: '(SELECT *, row_number() OVER (ORDER BY job_id, part) AS position FROM enrich.outputs) AS outputs',
    key: 'position',
    columns: { published_at: `to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')` },
  },
  submissions: {
    key: 'submission_id',
    columns: {
      job_id: `coalesce((SELECT k.own_job_id FROM enrich.lookups l JOIN enrich.job_kinds k USING (scope_id)
        WHERE l.lookup_id = submissions.lookup_id AND k.job_id = submissions.job_id), job_id)`,
      is_first: 'is_first::integer',
    },
  },
  history_runs: { columns: { is_published: 'is_published::integer' } },
  history_marks: { key: 'series COLLATE "C"' },
}

const createReader =
  ({ query }: PostgresStatements): RowStore['read'] =>
  (table, after, count) => {
    const form: Form = { from: getServerTable(table), ...forms[table] }
    return query<Row>(buildPageSql(table, form), [after, count])
  }

/** Opens empty tables. The submissions belong to a worker that has ended. */
async function openRows(statements: PostgresStatements, from: string): Promise<RowStore> {
  const { query } = statements
  const [worker] = await query<{ worker_id: number }>(
    `INSERT INTO enrich.workers (name, job, lease_until, is_fenced, fenced_at, ended_at, is_swept)
     VALUES ($1, '', clock_timestamp(), true, clock_timestamp(), clock_timestamp(), true) RETURNING worker_id`,
    [`moved from ${from}`],
  )
  let submission_id = 0
  const insert = (table: string, columns: readonly string[], rows: readonly Row[]) => {
    const names = columns.join(', ')
    const values = rows.map((row) =>
      Object.fromEntries(columns.map((name) => [name, toJsonValue(row[name])])),
    )
    // The server reads the values by the types of its columns.
    const sql = `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE
      SELECT ${names} FROM json_populate_recordset(NULL::${table}, $1)`
    return query(sql, [JSON.stringify(values)])
  }
  return {
    read: createReader(statements),
    async write(table, rows) {
      const columns = getAllColumns(table).filter((name) => name !== 'reserved_before')
      if (table === 'submissions') {
        const owned = rows.map((row) => ({ ...row, ...worker, submission_id: ++submission_id }))
        await insert('enrich.submissions', [...columns, 'worker_id', 'submission_id'], owned)
      } else if (table === 'deliveries') {
        await insert('enrich.inbox', [...columns, ...derivedOfDeliveries], rows.map(deriveDelivery))
      } else await insert(getServerTable(table), columns, rows)
      if (table === 'jobs') await insert('enrich.job_kinds', ['job_id', 'scope_id', 'reserved_before'], rows)
    },
    async finish() {
      for (const sql of joinKindsSql) await query(sql)
      const numbered = await query<{ name: string; column: string }>(
        `SELECT table_name AS name, column_name AS "column" FROM information_schema.columns
         WHERE table_schema = 'enrich' AND is_identity = 'YES'`,
      )
      for (const { name, column } of numbered) {
        // In a file, the jobs of kinds have separate numbers.
        const kinds = name === 'jobs' ? 'UNION ALL SELECT own_job_id FROM enrich.job_kinds' : ''
        await query(
          `SELECT setval(pg_get_serial_sequence('enrich.${name}', '${column}'), greatest(last, 1), last > 0)
           FROM (SELECT coalesce(max(id), 0) AS last FROM (SELECT ${column} AS id FROM enrich.${name} ${kinds}) AS i) AS l`,
        )
      }
    },
  }
}

function toJsonValue(value: Value = null): string | number | null {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  return typeof value === 'string' ? replaceNuls(value) : value
}

const derivedOfDeliveries = ['custom_id', 'run_id', 'record_kind', 'record_key', 'received_at'] as const

function deriveDelivery(row: Row): Row {
  const { body, received_at_ms: receivedAtMs } = row
  const subject = readSubject(Buffer.isBuffer(body) ? body : Buffer.alloc(0))
  return {
    ...row,
    custom_id: subject.customId,
    run_id: subject.runId,
    record_kind: subject.recordKind,
    record_key: subject.recordKey,
    received_at: new Date(Number(receivedAtMs)).toISOString(),
  }
}

import { UserError } from '../../../core/errors.js'
import { parsePostgresUrl, shownPostgresUrl, type PostgresAddress } from '../../../core/postgres-address.js'
import type { Clock } from '../../../platform/clock.js'
import { connectPostgres, type ConnectOptions } from '../../../platform/postgres/connect.js'
import type { Postgres, PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { Random } from '../../../platform/random.js'
import { explainPostgresError, foreign, grantsMissing } from './explain.js'
import { assertNotMoved } from './moved.js'
import { sharedMigrations } from './schema.js'
import { assertFit, readServer, type ServerIdentity } from './server.js'

/** A checkpoint on PostgreSQL that was found fit to be worked on. */
export interface SharedDatabase {
  /** Of the checkpoint. */
  readonly id: string
  /** How often the names of its submissions began anew. */
  readonly generation: number
  /** As it may be shown. */
  readonly url: string
  readonly postgres: Postgres
  /** Of one connection, on which nothing takes long: for leases and paces, which cannot wait behind work. */
  readonly prompt: Postgres
  readonly server: ServerIdentity
  /** Another way to the same database, with bounds of its own; to be closed by who asked for it. */
  readonly connectMore: (
    options: Pick<ConnectOptions, 'connectionsMax' | 'connectTimeoutMs' | 'statementTimeoutMs'>,
  ) => Postgres
  /** Says in a user's words what the server refused; what is none of that is given back as it is. */
  readonly explain: (error: unknown) => unknown
  close(): Promise<void>
}

export interface OpenSharedDeps {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly random: Pick<Random, 'id'>
  readonly environment?: ConnectOptions['environment']
  /** The user knows that the server is another one than before, or was restored. */
  readonly acceptRollback?: boolean
  /** Opened by who settles what a rollback lost: nothing is submitted by it. */
  readonly settlesRollback?: boolean
  /** Opened by who moves it: also where it has moved, or is being filled. */
  readonly isMover?: boolean
}

/** What takes longer on it has no use. */
const promptMsMax = 5_000

/** Opens it to work on, made and brought to this version as needed. Throws CHECKPOINT_*. */
export async function openShared(url: string, deps: OpenSharedDeps): Promise<SharedDatabase> {
  const { database } = await opened(url, deps, async (postgres, address) => {
    const server = await readServer(postgres)
    assertFit(server, shownPostgresUrl(address))
    const shown = shownPostgresUrl(address)
    const found = (await readHead(postgres, shown)) ?? (await make(postgres, shown, server, deps))
    const head = await migrated(postgres, shown, found)
    await assertGrants(postgres, shown, ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])
    if (deps.isMover !== true) await assertNotMoved(postgres, shown, 'write')
    const isFit = isSame(head, server) || deps.settlesRollback === true
    return { head: isFit ? head : await goOnWith(postgres, shown, head, server, deps), server }
  })
  return database
}

export interface SharedToRead extends SharedDatabase {
  /** Why a run with it would stop; null where it would not. */
  readonly problem: UserError | null
}

/** Opens it to look at it, and changes nothing; null where the database holds none yet. Throws CHECKPOINT_*. */
export async function openSharedToRead(
  url: string,
  deps: Pick<OpenSharedDeps, 'environment'> = {},
): Promise<SharedToRead | null> {
  const found = await opened(url, deps, async (postgres, address) => {
    const shown = shownPostgresUrl(address)
    const server = await readServer(postgres)
    assertFit(server, shown)
    const head = await readHead(postgres, shown)
    if (head === null) return null
    assertKnown(head, shown)
    if (head.version < sharedMigrations.length) throw notUpdated(shown)
    await assertGrants(postgres, shown, ['SELECT'])
    await assertNotMoved(postgres, shown, 'read')
    return { head, server }
  })
  if (found === null) return null
  const { database, head } = found
  return { ...database, problem: isSame(head, database.server) ? null : serverChanged(database.url) }
}

const notUpdated = (url: string) =>
  new UserError('CHECKPOINT_NOT_UPDATED', `the checkpoint ${url} was made by an earlier version of enrich`, {
    hint: 'enrich doctor with the same checkpoint, as the owner of its tables, brings it to this version; so does a run',
  })

interface Head extends ServerIdentity {
  readonly id: string
  readonly version: number
}
type Found = { readonly head: Head; readonly server: ServerIdentity }

async function opened<Result extends Found | null>(
  url: string,
  { environment }: Pick<OpenSharedDeps, 'environment'>,
  find: (postgres: Postgres, address: PostgresAddress) => Promise<Result>,
): Promise<{ database: SharedDatabase; head: Head } | Extract<Result, null>> {
  const address = parsePostgresUrl(url)
  const options = environment === undefined ? {} : { environment }
  const postgres = connectPostgres(address, options)
  const prompt = connectPostgres(address, { ...options, connectionsMax: 1, statementTimeoutMs: promptMsMax })
  const close = async () => {
    await Promise.all([postgres.close(), prompt.close()])
  }
  const explain = (error: unknown) => explainPostgresError(address, error)
  try {
    const found = await find(postgres, address)
    if (found === null) {
      await close()
      return null as Extract<Result, null>
    }
    const { head, server } = found
    const shown = shownPostgresUrl(address)
    const connectMore = (more: object) => connectPostgres(address, { ...options, ...more })
    const generation = await generationOf(postgres)
    const { id } = head
    return {
      database: { id, generation, url: shown, postgres, prompt, server, connectMore, explain, close },
      head,
    }
  } catch (error) {
    await close()
    throw explain(error)
  }
}

async function generationOf({ query }: PostgresStatements): Promise<number> {
  const [row] = await query<{ generation: number }>('SELECT generation FROM enrich.checkpoint')
  return row?.generation ?? 0
}

/** Null where there is none, and room for one. What else has our names is refused. */
async function readHead(statements: PostgresStatements, url: string): Promise<Head | null> {
  const tables = await statements.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_catalog.pg_class c
     WHERE c.relnamespace = to_regnamespace('enrich') AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`,
  )
  if (tables.length === 0) return null
  if (!tables.some(({ name }) => name === 'checkpoint')) {
    throw foreign(url, 'its schema enrich holds other tables')
  }
  const heads = await statements.query<Head>(
    `SELECT id, schema_version AS version, system_identifier AS "systemIdentifier", timeline
     FROM enrich.checkpoint`,
  )
  const [head] = heads
  if (head === undefined || heads.length > 1)
    throw foreign(url, 'its table enrich.checkpoint holds something else')
  return head
}

/** Of several processes that come first, one makes it, and the others find it made. */
function make(
  postgres: Postgres,
  url: string,
  { systemIdentifier, timeline }: ServerIdentity,
  { clock, random }: OpenSharedDeps,
): Promise<Head> {
  return locked(postgres, async (statements) => {
    const found = await readHead(statements, url)
    if (found !== null) return found
    // Where somebody else made the schema for us, the right to make schemas is not needed.
    const [schema] = await statements.query("SELECT 1 WHERE to_regnamespace('enrich') IS NOT NULL")
    if (schema === undefined) await statements.query('CREATE SCHEMA enrich')
    for (const migration of sharedMigrations) await statements.query(migration)
    const head: Head = { id: random.id(''), version: sharedMigrations.length, systemIdentifier, timeline }
    await statements.query(
      `INSERT INTO enrich.checkpoint (id, schema_version, created_at_ms, system_identifier, timeline)
       VALUES ($1, $2, $3, $4, $5)`,
      [head.id, head.version, clock.nowMs(), systemIdentifier, timeline],
    )
    return head
  })
}

function assertKnown({ version }: Head, url: string): void {
  if (version <= sharedMigrations.length) return
  throw new UserError(
    'CHECKPOINT_TOO_NEW',
    `the checkpoint ${url} was written by a newer version of enrich`,
    {
      hint: 'use that version, or another --checkpoint',
    },
  )
}

async function migrated(postgres: Postgres, url: string, head: Head): Promise<Head> {
  assertKnown(head, url)
  if (head.version === sharedMigrations.length) return head
  return locked(postgres, async (statements) => {
    const found = (await readHead(statements, url)) ?? head
    for (const migration of sharedMigrations.slice(found.version)) await statements.query(migration)
    await statements.query('UPDATE enrich.checkpoint SET schema_version = $1', [sharedMigrations.length])
    return { ...found, version: sharedMigrations.length }
  })
}

/** Any number: who makes or changes the tables holds it, until it commits. */
const makersLock = 7_305_511_968

const locked = <Result>(postgres: Postgres, work: (statements: PostgresStatements) => Promise<Result>) =>
  postgres.transaction(async (statements) => {
    await statements.query('SELECT pg_advisory_xact_lock($1)', [makersLock])
    return work(statements)
  })

async function assertGrants(
  statements: PostgresStatements,
  url: string,
  rights: readonly string[],
): Promise<void> {
  const missing = await statements.query<{ name: string; right: string }>(
    `SELECT c.relname AS name, r.name AS right
     FROM pg_catalog.pg_class c CROSS JOIN unnest($1::text[]) AS r(name)
     WHERE c.relnamespace = to_regnamespace('enrich') AND c.relkind = 'r' AND NOT has_table_privilege(c.oid, r.name)
     ORDER BY 2, 1`,
    [rights],
  )
  if (missing.length === 0) return
  const [first] = missing
  throw grantsMissing(
    url,
    `the role has no right to ${first?.right ?? ''} on enrich.${first?.name ?? ''}${missing.length === 1 ? '' : `, and ${missing.length - 1} more`}`,
  )
}

const isSame = (head: ServerIdentity, server: ServerIdentity): boolean =>
  head.systemIdentifier === server.systemIdentifier && head.timeline === server.timeline

async function goOnWith(
  postgres: Postgres,
  url: string,
  head: Head,
  { systemIdentifier, timeline }: ServerIdentity,
  { acceptRollback = false }: OpenSharedDeps,
): Promise<Head> {
  if (!acceptRollback) throw serverChanged(url)
  return locked(postgres, async (statements) => {
    const found = (await readHead(statements, url)) ?? head
    // Another process was faster.
    if (found.systemIdentifier === systemIdentifier && found.timeline === timeline) return found
    // It goes into the name of each submission: those that were lost have names that are not given again.
    await statements.query(
      'UPDATE enrich.checkpoint SET generation = generation + 1, system_identifier = $1, timeline = $2',
      [systemIdentifier, timeline],
    )
    return { ...found, systemIdentifier, timeline }
  })
}

const serverChanged = (url: string) =>
  new UserError(
    'CHECKPOINT_SERVER_CHANGED',
    `the server of ${url} is another one than before, or was restored`,
    {
      hint: 'what it had not yet received may be billed again: see docs/several-machines.md on failover, then pass --accept-rollback once',
    },
  )

import { UserError } from '../../../core/errors.js'
import { parsePostgresUrl, formatPostgresUrl, type PostgresAddress } from '../../../core/server-addresses.js'
import type { Clock, Random } from '../../../platform/clock.js'
import { connectPostgres, type ConnectOptions } from '../../../platform/postgres/connect.js'
import {
  explainServerChange,
  createServerChangedError,
  type DatabaseTexts,
} from '../../../platform/postgres/explain.js'
import {
  assertGrants,
  assertKnownVersion,
  withMakersLock,
  ensureOwnTables,
  readOwnHead,
  type OwnSchema,
  assertFit,
  isSameServer,
  readServer,
  type ServerIdentity,
} from '../../../platform/postgres/own-database.js'
import type { Postgres, PostgresStatements } from '../../../platform/postgres/postgres.js'
import { sharedMigrations } from './schema.js'
import { createArrivingError, createMovedError } from '../checkpoint-errors.js'
import type { LookupId } from '../../../core/lookup-identity.js'

/** Any number. A move holds this lock until it commits; workers and receivers share it. */
export const movingLock = 7_305_511_973

/** Whether no move is running; if none is, none starts before the transaction ends. Evaluated before rows are locked. */
const isFreeSql = `pg_try_advisory_xact_lock_shared(${movingLock})`

/** Whether workers may join `enrich.checkpoint c`, which the statement must lock FOR SHARE. */
export const isOpenSql = `c.moved_to IS NULL AND c.arriving_from IS NULL AND ${isFreeSql}`

/**
 * Throws CHECKPOINT_MOVED, CHECKPOINT_ARRIVING and, for writing, CHECKPOINT_IN_USE during a move. For writing, keeps a
 * move from starting before the transaction ends.
 */
export async function assertNotMoved(
  { query }: PostgresStatements,
  url: string,
  use: 'read' | 'write',
): Promise<void> {
  const [found] = await query<{ movedTo: string | null; arrivingFrom: string | null }>(
    `SELECT moved_to AS "movedTo", arriving_from AS "arrivingFrom" FROM enrich.checkpoint
     ${use === 'read' ? '' : `WHERE ${isFreeSql} FOR SHARE`}`,
  )
  if (found === undefined)
    throw new UserError('CHECKPOINT_IN_USE', `the checkpoint ${url} is being moved`, {
      hint: 'wait until the move ends, then use the checkpoint that it was moved to',
    })
  if (found.movedTo !== null) throw createMovedError(url, found.movedTo)
  if (found.arrivingFrom !== null) throw createArrivingError(url, found.arrivingFrom)
}

/** An opened checkpoint on PostgreSQL that passed all checks. */
export interface SharedDatabase {
  readonly id: string
  /** Generation of custom ids: grows with each accepted rollback. */
  readonly generation: number
  /** The URL without credentials. */
  readonly url: string
  readonly postgres: Postgres
  /** A single connection without slow statements, for leases and rate limits. */
  readonly prompt: Postgres
  readonly server: ServerIdentity
  /** Opens more connections to the same database with separate limits; the caller closes them. */
  readonly connectMore: (
    options: Pick<ConnectOptions, 'connectionsMax' | 'connectTimeoutMs' | 'statementTimeoutMs'>,
  ) => Postgres
  /** Translates server errors for users; returns other errors unchanged. */
  readonly explain: (error: unknown) => unknown
  close(): Promise<void>
}

export interface OpenSharedDeps {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly random: Pick<Random, 'id'>
  readonly environment?: ConnectOptions['environment']
  /** The user accepts that the server was replaced or restored. */
  readonly acceptRollback?: boolean
  /** For reconciliation: settles a rollback and submits nothing. */
  readonly settlesRollback?: boolean
  /** For a move: also opens a checkpoint that was moved or is filled. */
  readonly isMover?: boolean
}

/** Statement timeout of the prompt connection. */
const promptMsMax = 5_000

/** Opens a checkpoint for work; creates or updates its schema as needed. Throws CHECKPOINT_*. */
export async function openShared(url: string, deps: OpenSharedDeps): Promise<SharedDatabase> {
  const { database } = await connectCheckpoint(url, deps, async (postgres, address) => {
    const server = await readServer(postgres)
    assertFit(server, formatPostgresUrl(address))
    const shown = formatPostgresUrl(address)
    const head = await ensureOwnTables(postgres, shown, buildSchema(server, deps))
    await assertGrants(postgres, shown, readSchema, ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])
    if (deps.isMover !== true) await assertNotMoved(postgres, shown, 'write')
    const isFit = isSameServer(head, server) || deps.settlesRollback === true
    return { head: isFit ? head : await acceptChangedServer(postgres, shown, head, server, deps), server }
  })
  return database
}

export interface SharedToRead extends SharedDatabase {
  /** The error that would stop a run, or `null`. */
  readonly problem: UserError | null
}

/** Opens a checkpoint read-only; `null` if the database has none yet. Throws CHECKPOINT_*. */
export async function openSharedToRead(
  url: string,
  deps: Pick<OpenSharedDeps, 'environment'> = {},
): Promise<SharedToRead | null> {
  const found = await connectCheckpoint(url, deps, async (postgres, address) => {
    const shown = formatPostgresUrl(address)
    const server = await readServer(postgres)
    assertFit(server, shown)
    const head = await readOwnHead(postgres, shown, readSchema)
    if (head === null) return null
    assertKnownVersion(head, shown, readSchema)
    if (head.version < sharedMigrations.length) throw createNotUpdatedError(shown)
    await assertGrants(postgres, shown, readSchema, ['SELECT'])
    await assertNotMoved(postgres, shown, 'read')
    return { head, server }
  })
  if (found === null) return null
  const { database, head } = found
  return {
    ...database,
    problem: isSameServer(head, database.server) ? null : createServerChangedError(database.url),
  }
}

const createNotUpdatedError = (url: string) =>
  new UserError('CHECKPOINT_NOT_UPDATED', `the checkpoint ${url} was made by an earlier version of enrich`, {
    hint: 'run enrich doctor with the same checkpoint as the owner of its tables to update it; a run updates it as well',
  })

interface Head extends ServerIdentity {
  readonly id: string
  readonly version: number
}
type Found = { readonly head: Head; readonly server: ServerIdentity }

async function connectCheckpoint<Result extends Found | null>(
  url: string,
  { environment }: Pick<OpenSharedDeps, 'environment'>,
  find: (postgres: Postgres, address: PostgresAddress) => Promise<Result>,
): Promise<{ database: SharedDatabase; head: Head } | Extract<Result, null>> {
  const address = parsePostgresUrl(url)
  const words = checkpointTexts
  const options = environment === undefined ? { words } : { words, environment }
  const postgres = connectPostgres(address, options)
  const prompt = connectPostgres(address, { ...options, connectionsMax: 1, statementTimeoutMs: promptMsMax })
  const close = async () => {
    await Promise.all([postgres.close(), prompt.close()])
  }
  const explain = (error: unknown) => explainServerChange(formatPostgresUrl(address), error)
  try {
    const found = await find(postgres, address)
    if (found === null) {
      await close()
      return null as Extract<Result, null>
    }
    const { head, server } = found
    const shown = formatPostgresUrl(address)
    const connectMore = (more: object) => connectPostgres(address, { ...options, ...more })
    const generation = await readGeneration(postgres)
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

async function readGeneration({ query }: PostgresStatements): Promise<number> {
  const [row] = await query<{ generation: number }>('SELECT generation FROM enrich.checkpoint')
  return row?.generation ?? 0
}

const checkpointTexts: DatabaseTexts = {
  grantsHint:
    'as the owner, create the tables with `enrich doctor` and the same checkpoint, and grant the privileges listed in docs/manual/several-machines.md',
  foreign: (url, what, cause) =>
    new UserError('CHECKPOINT_DATABASE_FOREIGN', `${url} is not a checkpoint of enrich: ${what}`, {
      hint: 'use a separate database; this one was not changed',
      cause,
    }),
}

const readSchema: Omit<OwnSchema<Head>, 'insertHead'> = {
  ...checkpointTexts,
  name: 'enrich',
  headTable: 'checkpoint',
  migrations: sharedMigrations,
  readHeads: (statements) =>
    statements.query<Head>(
      `SELECT id, schema_version AS version, system_identifier AS "systemIdentifier", timeline
       FROM enrich.checkpoint`,
    ),
  tooNew: (url) =>
    new UserError('CHECKPOINT_TOO_NEW', `the checkpoint ${url} was written by a newer version of enrich`, {
      hint: 'use that version, or another --checkpoint',
    }),
}

/** The schema, with the head row of a checkpoint that is created now. */
const buildSchema = (
  { systemIdentifier, timeline }: ServerIdentity,
  { clock, random }: OpenSharedDeps,
): OwnSchema<Head> => ({
  ...readSchema,
  insertHead: async (statements) => {
    const head: Head = { id: random.id(''), version: sharedMigrations.length, systemIdentifier, timeline }
    await statements.query(
      `INSERT INTO enrich.checkpoint (id, schema_version, created_at_ms, system_identifier, timeline)
       VALUES ($1, $2, $3, $4, $5)`,
      [head.id, head.version, clock.nowMs(), systemIdentifier, timeline],
    )
    return head
  },
})

async function acceptChangedServer(
  postgres: Postgres,
  url: string,
  head: Head,
  { systemIdentifier, timeline }: ServerIdentity,
  { acceptRollback = false }: OpenSharedDeps,
): Promise<Head> {
  if (!acceptRollback) throw createServerChangedError(url)
  return withMakersLock(postgres, async (statements) => {
    const found = (await readOwnHead(statements, url, readSchema)) ?? head
    // Another process was faster.
    if (isSameServer(found, { systemIdentifier, timeline })) return found
    // The generation is part of each custom id, so the ids of lost submissions are never given again.
    await statements.query(
      'UPDATE enrich.checkpoint SET generation = generation + 1, system_identifier = $1, timeline = $2',
      [systemIdentifier, timeline],
    )
    return { ...found, systemIdentifier, timeline }
  })
}

/** Whether any worker of the checkpoint is alive. */
export async function isAnyAlive(statements: PostgresStatements): Promise<boolean> {
  const rows = await statements.query(
    'SELECT 1 FROM enrich.workers WHERE NOT is_fenced AND lease_until > clock_timestamp() LIMIT 1',
  )
  return rows.length > 0
}

/** Lookups per statement. */
const lookupsAtOnce = 20_000

/** Returns the lookups that have an answer, or never will. */
export async function filterAnswered(
  statements: PostgresStatements,
  lookupIds: readonly LookupId[],
): Promise<LookupId[]> {
  const found: LookupId[] = []
  for (let start = 0; start < lookupIds.length; start += lookupsAtOnce) {
    const rows = await statements.query<{ lookupId: LookupId }>(
      `SELECT lookup_id AS "lookupId" FROM enrich.lookups
       WHERE lookup_id = ANY($1::bigint[]) AND state IN ('answered', 'invalid', 'failed')`,
      [lookupIds.slice(start, start + lookupsAtOnce)],
    )
    for (const { lookupId } of rows) found.push(lookupId)
  }
  return found
}

import { UserError } from '../../core/errors.js'
import { createGrantsMissingError, type DatabaseTexts, createStandbyError } from './explain.js'
import type { Postgres, PostgresStatements } from './postgres.js'

/** The row that identifies the tables of a schema. */
export interface OwnHead {
  /** Number of applied migrations. */
  readonly version: number
}

/** Tables of this program in a separate schema. */
export interface OwnSchema<Head extends OwnHead> extends DatabaseTexts {
  readonly name: string
  /** The table of the head row, with a column `schema_version`. */
  readonly headTable: string
  /** Each runs once, in a transaction under an exclusive lock. */
  readonly migrations: readonly string[]
  readonly readHeads: (statements: PostgresStatements) => Promise<Head[]>
  /** Writes the head row of newly created tables. */
  readonly insertHead: (statements: PostgresStatements) => Promise<Head>
  /** Returns the error for tables of a newer version. */
  readonly tooNew: (url: string) => UserError
}

/** Returns `null` if no tables exist. Throws the error of `foreign` if other tables have our names. */
export async function readOwnHead<Head extends OwnHead>(
  statements: PostgresStatements,
  url: string,
  schema: Omit<OwnSchema<Head>, 'insertHead'>,
): Promise<Head | null> {
  const { name, headTable } = schema
  const tables = await statements.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_catalog.pg_class c
     WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`,
    [name],
  )
  if (tables.length === 0) return null
  if (!tables.some((table) => table.name === headTable)) {
    throw schema.foreign(url, `its schema ${name} contains other tables`)
  }
  const heads = await schema.readHeads(statements)
  const [head] = heads
  if (head === undefined || heads.length > 1)
    throw schema.foreign(url, `its table ${name}.${headTable} has unexpected content`)
  return head
}

/** Creates or migrates the tables, once across processes. Throws the errors of `foreign` and `tooNew`. */
export async function ensureOwnTables<Head extends OwnHead>(
  postgres: Postgres,
  url: string,
  schema: OwnSchema<Head>,
): Promise<Head> {
  const found = (await readOwnHead(postgres, url, schema)) ?? (await makeTables(postgres, url, schema))
  return migrateTables(postgres, url, found, schema)
}

function makeTables<Head extends OwnHead>(
  postgres: Postgres,
  url: string,
  schema: OwnSchema<Head>,
): Promise<Head> {
  return withMakersLock(postgres, async (statements) => {
    const found = await readOwnHead(statements, url, schema)
    if (found !== null) return found
    // If the schema exists, the right to create schemas is not needed.
    const [named] = await statements.query('SELECT 1 WHERE to_regnamespace($1) IS NOT NULL', [schema.name])
    if (named === undefined) await statements.query(`CREATE SCHEMA ${schema.name}`)
    for (const migration of schema.migrations) await statements.query(migration)
    return schema.insertHead(statements)
  })
}

export function assertKnownVersion<Head extends OwnHead>(
  { version }: Head,
  url: string,
  { migrations, tooNew }: Pick<OwnSchema<Head>, 'migrations' | 'tooNew'>,
): void {
  if (version > migrations.length) throw tooNew(url)
}

async function migrateTables<Head extends OwnHead>(
  postgres: Postgres,
  url: string,
  head: Head,
  schema: OwnSchema<Head>,
): Promise<Head> {
  const { migrations, name, headTable } = schema
  assertKnownVersion(head, url, schema)
  if (head.version === migrations.length) return head
  return withMakersLock(postgres, async (statements) => {
    const found = (await readOwnHead(statements, url, schema)) ?? head
    for (const migration of migrations.slice(found.version)) await statements.query(migration)
    await statements.query(`UPDATE ${name}.${headTable} SET schema_version = $1`, [migrations.length])
    return { ...found, version: migrations.length }
  })
}

/** Any number: a transaction that creates or migrates tables holds this lock until it commits. */
const makersLock = 7_305_511_968

export const withMakersLock = <Result>(
  postgres: Postgres,
  work: (statements: PostgresStatements) => Promise<Result>,
): Promise<Result> =>
  postgres.transaction(async (statements) => {
    await statements.query('SELECT pg_advisory_xact_lock($1)', [makersLock])
    return work(statements)
  })

/** Throws CHECKPOINT_GRANTS_MISSING if the role lacks a privilege on a table. */
export async function assertGrants(
  statements: PostgresStatements,
  url: string,
  schema: DatabaseTexts & { readonly name: string },
  rights: readonly string[],
): Promise<void> {
  const missing = await statements.query<{ name: string; right: string }>(
    `SELECT c.relname AS name, r.name AS right
     FROM pg_catalog.pg_class c CROSS JOIN unnest($2::text[]) AS r(name)
     WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r' AND NOT has_table_privilege(c.oid, r.name)
     ORDER BY 2, 1`,
    [schema.name, rights],
  )
  const [first] = missing
  if (first === undefined) return
  const more = missing.length === 1 ? '' : `, and ${missing.length - 1} more`
  throw createGrantsMissingError(
    url,
    schema,
    `the role lacks the privilege ${first.right} on ${schema.name}.${first.name}${more}`,
  )
}

/** Identifies a server and its timeline: another one may lack commits of this one. */
export interface ServerIdentity {
  readonly systemIdentifier: string
  readonly timeline: number
}

export const isSameServer = (one: ServerIdentity, other: ServerIdentity): boolean =>
  one.systemIdentifier === other.systemIdentifier && one.timeline === other.timeline

interface Server extends ServerIdentity {
  readonly versionNumber: number
  readonly isInRecovery: boolean
  /** Settings that are off and must be on. */
  readonly settingsOff: readonly string[]
  readonly isolation: string
}

/** Fails on a server in recovery, which writes no log. */
export const timelineSql = `('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::integer`
export const systemIdentifierSql = '(SELECT system_identifier::text FROM pg_control_system())'

export async function readServer(statements: PostgresStatements): Promise<Server> {
  const [row] = await statements.query<Server>(
    `SELECT current_setting('server_version_num')::integer AS "versionNumber",
       pg_is_in_recovery() AS "isInRecovery",
       CASE WHEN pg_is_in_recovery() THEN 0 ELSE ${timelineSql} END AS timeline,
       ${systemIdentifierSql} AS "systemIdentifier",
       ARRAY(SELECT name FROM unnest(ARRAY['fsync', 'full_page_writes', 'synchronous_commit']) AS name
         WHERE current_setting(name) = 'off') AS "settingsOff",
       current_setting('default_transaction_isolation') AS isolation`,
  )
  if (row === undefined) throw new Error('the server returned no settings')
  return row
}

/** The oldest version that PostgreSQL still supports. */
const versionNumberMin = 140_000

/** Throws CHECKPOINT_SERVER_*. */
export function assertFit(server: Server, url: string): void {
  const { versionNumber, isInRecovery, settingsOff, isolation } = server
  if (versionNumber < versionNumberMin) {
    throw new UserError(
      'CHECKPOINT_SERVER_TOO_OLD',
      `${url} is PostgreSQL ${Math.floor(versionNumber / 10_000)}; version 14 or newer is required`,
      { hint: 'use a newer server' },
    )
  }
  if (isInRecovery) throw createStandbyError(url)
  if (settingsOff.length > 0) {
    throw new UserError(
      'CHECKPOINT_SERVER_NOT_DURABLE',
      `${url} may lose confirmed commits: ${settingsOff.join(' and ')} ${settingsOff.length === 1 ? 'is' : 'are'} off`,
      { hint: 'switch it on: ALTER ROLE … SET synchronous_commit = on, or in postgresql.conf' },
    )
  }
  if (isolation !== 'read committed') {
    throw new UserError(
      'CHECKPOINT_SERVER_NOT_DURABLE',
      `${url}: default_transaction_isolation is ${isolation}, and must be read committed`,
      { hint: "ALTER ROLE … SET default_transaction_isolation = 'read committed'" },
    )
  }
}

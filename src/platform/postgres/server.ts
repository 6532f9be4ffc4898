import { UserError } from '../../core/errors.js'
import type { PostgresStatements } from './postgres.js'
import { standby } from './explain.js'

/** Which history of which server: another one may lack what was committed in this one. */
export interface ServerIdentity {
  readonly systemIdentifier: string
  readonly timeline: number
}

export const isSameServer = (one: ServerIdentity, other: ServerIdentity): boolean =>
  one.systemIdentifier === other.systemIdentifier && one.timeline === other.timeline

interface Server extends ServerIdentity {
  readonly versionNumber: number
  readonly isInRecovery: boolean
  /** Settings that are off, and have to be on. */
  readonly settingsOff: readonly string[]
  readonly isolation: string
}

/** Fails on a server in recovery, which has no log of its own. */
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
  if (row === undefined) throw new Error('the server said nothing of itself')
  return row
}

/** The oldest that its makers still look after. */
const versionNumberMin = 140_000

/** Throws CHECKPOINT_SERVER_*. */
export function assertFit(server: Server, url: string): void {
  const { versionNumber, isInRecovery, settingsOff, isolation } = server
  if (versionNumber < versionNumberMin) {
    throw new UserError(
      'CHECKPOINT_SERVER_TOO_OLD',
      `${url} is PostgreSQL ${Math.floor(versionNumber / 10_000)}, and 14 or newer is needed`,
      { hint: 'use a newer server' },
    )
  }
  if (isInRecovery) throw standby(url)
  if (settingsOff.length > 0) {
    throw new UserError(
      'CHECKPOINT_SERVER_NOT_DURABLE',
      `${url} may lose what it has confirmed: ${settingsOff.join(' and ')} ${settingsOff.length === 1 ? 'is' : 'are'} off`,
      { hint: 'switch it on: ALTER ROLE … SET synchronous_commit = on, or in postgresql.conf' },
    )
  }
  if (isolation !== 'read committed') {
    throw new UserError(
      'CHECKPOINT_SERVER_NOT_DURABLE',
      `${url}: default_transaction_isolation is ${isolation}, and has to be read committed`,
      { hint: "ALTER ROLE … SET default_transaction_isolation = 'read committed'" },
    )
  }
}

import { UserError } from '../../../core/errors.js'
import { parsePostgresUrl, shownPostgresUrl } from '../../../core/postgres-address.js'
import type { Clock } from '../../../platform/clock.js'
import { connectPostgres, type ConnectOptions } from '../../../platform/postgres/connect.js'
import { explainServerChange } from '../../../platform/postgres/explain.js'
import {
  assertGrants,
  assertKnownVersion,
  makeOwn,
  readOwnHead,
  type OwnSchema,
} from '../../../platform/postgres/own-schema.js'
import type { Postgres } from '../../../platform/postgres/postgres.js'
import { assertFit, readServer } from '../../../platform/postgres/server.js'
import type { Random } from '../../../platform/random.js'
import { serviceMigrations } from './schema.js'

/** The data of a service on PostgreSQL, which several replicas may have open at once. */
export interface ServiceDatabase {
  /** As it may be shown. */
  readonly url: string
  readonly postgres: Postgres
  /** Says in a user's words what the server refused; what is none of that is given back as it is. */
  readonly explain: (error: unknown) => unknown
  close(): Promise<void>
}

export interface OpenServiceDeps {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly random: Pick<Random, 'id'>
  readonly environment?: ConnectOptions['environment']
  /** At most so many connections of this process. */
  readonly connectionsMax?: number
}

interface Head {
  readonly id: string
  readonly version: number
}

/**
 * Opens it, made and brought to this version as needed; of several that come first one makes it. Throws
 * SERVICE_DATA_INVALID where the schema `enrich_service` holds something else or what a newer version made, and the
 * codes of a checkpoint on PostgreSQL (CHECKPOINT_URL_*, CHECKPOINT_SERVER_*, …) for a URL or a server that does not do.
 * `whereNone`: SERVICE_DATA_NOT_FOUND where nothing was made yet and nothing may be.
 */
export async function openServiceDatabase(
  url: string,
  deps: OpenServiceDeps,
  whereNone: 'make' | 'refuse' = 'make',
): Promise<ServiceDatabase> {
  const address = parsePostgresUrl(url, "the service's data")
  const { environment, connectionsMax = 4 } = deps
  const postgres = connectPostgres(address, {
    connectionsMax,
    statementTimeoutMs: statementMsMax,
    connectTimeoutMs: connectMsMax,
    words,
    ...(environment === undefined ? {} : { environment }),
  })
  const shown = shownPostgresUrl(address)
  const explain = (error: unknown) => explainServerChange(shown, error)
  try {
    const schema = schemaMadeBy(deps)
    assertFit(await readServer(postgres), shown)
    const found = await readOwnHead(postgres, shown, schema)
    if (found === null && whereNone === 'refuse') throw notFound(shown)
    if (found !== null) assertKnownVersion(found, shown, schema)
    await makeOwn(postgres, shown, schema)
    await assertGrants(postgres, shown, schema, ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])
    return { url: shown, postgres, explain, close: () => postgres.close() }
  } catch (error) {
    await postgres.close()
    throw explain(error)
  }
}

/** A caller waits behind each statement. */
const statementMsMax = 20_000
const connectMsMax = 5_000

const words = {
  grantsHint:
    'an owner of the database starts one service, which makes the tables, and grants what docs/serve.md lists',
  foreign: (url: string, what: string, cause?: Error) =>
    new UserError('SERVICE_DATA_INVALID', `${url} holds no data of enrich serve: ${what}`, {
      hint: 'use a database of its own; nothing in this one was touched',
      cause,
    }),
}

const schemaMadeBy = ({ clock, random }: OpenServiceDeps): OwnSchema<Head> => ({
  ...words,
  name: 'enrich_service',
  headTable: 'service',
  migrations: serviceMigrations,
  readHeads: (statements) =>
    statements.query<Head>('SELECT id, schema_version AS version FROM enrich_service.service'),
  insertHead: async (statements) => {
    const head: Head = { id: random.id(''), version: serviceMigrations.length }
    await statements.query(
      'INSERT INTO enrich_service.service (id, schema_version, created_at_ms) VALUES ($1, $2, $3)',
      [head.id, head.version, clock.nowMs()],
    )
    return head
  },
  tooNew: (url) =>
    new UserError(
      'SERVICE_DATA_INVALID',
      `the service's data in ${url} was made by a newer version of enrich`,
      {
        hint: 'use that version, or another database',
      },
    ),
})

function notFound(url: string): UserError {
  return new UserError('SERVICE_DATA_NOT_FOUND', `there is no service's data in ${url}`, {
    hint: 'pass --data with the database of enrich serve, or make a first account: enrich accounts add NAME',
  })
}

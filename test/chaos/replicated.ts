import { parsePostgresUrl } from '../../src/core/server-addresses.js'
import { connectPostgres } from '../../src/platform/postgres/connect.js'
import { startPostgres, type PostgresServer } from '../support/postgres-server.js'
import { startTcpProxy } from '../support/tcp-proxy.js'
import type { ChaosServer } from './chaos.js'

/** Whether a commit waits for the standby. */
export type Replication = 'asynchronous' | 'synchronous'

/** So long the standby receives nothing before the primary dies. */
const lagMs = 1_500
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * A primary, and a standby that streams from it, at one address that follows the primary. `failOver` holds up what goes to
 * the standby for a moment, kills the primary, and promotes the standby, which then gets a standby of its own.
 */
export async function startReplicated(programs: string, replication: Replication): Promise<ChaosServer> {
  let primary = await startPostgres(programs)
  let standby = await joinStandby(primary, replication)
  const proxy = await startTcpProxy(primary.port)
  return {
    url: () => primary.url().replace(`:${primary.port}/`, `:${proxy.port}/`),
    sql: (text) => primary.sql(text),
    crash: () => Promise.reject(new Error('a primary fails over')),
    startAgain: () => Promise.reject(new Error('a primary fails over')),
    failOver: async () => {
      // The process of the primary that sends to the standby; of a network that is held up it knows nothing either.
      process.kill(Number(primary.sql('SELECT pid FROM pg_stat_replication')), 'SIGSTOP')
      await pause(lagMs)
      await primary.kill()
      standby.promote()
      proxy.leadTo(standby.port)
      proxy.cut()
      const old = primary
      primary = standby
      standby = await joinStandby(primary, replication)
      await old.stop()
    },
    stop: async () => {
      proxy.close()
      await Promise.all([primary.stop(), standby.stop()])
    },
  }
}

async function joinStandby(primary: PostgresServer, replication: Replication): Promise<PostgresServer> {
  const standby = await primary.standby()
  if (replication === 'synchronous') {
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
    primary.sql('SELECT pg_reload_conf()')
  }
  const state = replication === 'synchronous' ? 'sync' : 'async'
  const postgres = connectPostgres(parsePostgresUrl(primary.url()))
  try {
    for (;;) {
      const rows = await postgres.query<{ state: string }>(
        `SELECT sync_state AS state FROM pg_stat_replication WHERE state = 'streaming'`,
      )
      if (rows.some((row) => row.state === state)) return standby
      await pause(50)
    }
  } finally {
    await postgres.close()
  }
}

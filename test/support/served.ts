import { expect } from 'vitest'
import { loadDriver, type Sqlite } from '../../src/platform/sqlite.js'
import { freePort } from './loopback-server.js'
import { canary, type CliPlace } from './cli.js'

const Database = loadDriver()

/** `enrich serve` as a second process, beside the place that its callers are started in. */
export interface Served {
  /** The same after it was stopped and started again. */
  readonly baseUrl: string
  /** Reads its database. It is stopped for that, and started again: it shares its file with nobody. */
  read<Result>(query: (database: Sqlite) => Result): Promise<Result>
}

/** Runs, and builds of records, take so many seconds; without limits a minute. */
export async function serve(place: CliPlace, researchSeconds: number): Promise<Served> {
  const start = async (listen: string) => {
    // Threads take longer to start than these tests have names to match.
    const flags = ['--limits', 'none', '--matchers', '0', '--research-seconds', String(researchSeconds)]
    const running = place.start(['serve', '--listen', listen, '--data', '../service', ...flags], {
      env: { ENRICH_SERVE_API_KEY: canary },
    })
    const [, baseUrl = ''] = await running.sees(/Serving at (http:\S+),/)
    return { running, baseUrl }
  }
  let { running, baseUrl } = await start(`127.0.0.1:${await freePort()}`)
  return {
    baseUrl,
    read: async (query) => {
      running.child.kill('SIGTERM')
      expect((await running.ended).code).toBe(0)
      const database = new Database(place.path('../service/service.sqlite'), { readonly: true })
      try {
        return query(database)
      } finally {
        database.close()
        ;({ running, baseUrl } = await start(new URL(baseUrl).host))
      }
    },
  }
}

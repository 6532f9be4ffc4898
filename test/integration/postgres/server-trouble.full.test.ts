import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UserError } from '../../../src/core/errors.js'
import { createWorkplace, servicesOfTests } from '../../support/pipeline-job.js'
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres-server.js'
import {
  startStatementProxy,
  type StatementFate,
  type StatementProxy,
} from '../../support/statement-proxy.js'

const programs = findPostgres()
const startService = servicesOfTests()
/** Statements that are tried, each with one trouble; beyond what a run has, each is tried with all of them. */
const triedCount = Number(process.env['TROUBLE_STATEMENTS'] ?? 10)
/** At one time: a run waits for its pace and its leases most of the time. */
const laneCount = 4

/** Functions of ours write too. */
const writes = /\b(INSERT|UPDATE|DELETE|TRUNCATE|CREATE|ALTER|COPY)\b|enrich\.\w+_\d+\(/

interface Trouble {
  readonly title: string
  readonly fate: StatementFate
  /** Until the run has ended: at each later statement, or at each that writes. */
  readonly lasts?: 'all' | 'writes'
}

const troubles: readonly Trouble[] = [
  { title: 'a connection that is cut', fate: 'cut' },
  { title: 'a reply that is lost', fate: 'cut_reply' },
  { title: 'a session that is ended', fate: 'terminate' },
  { title: 'a server that is read-only', fate: { refuse: '25006' }, lasts: 'writes' },
  { title: 'a lock that is not to be had', fate: { refuse: '55P03' }, lasts: 'all' },
  { title: 'a statement that is cancelled', fate: { refuse: '57014' } },
  { title: 'a serialization failure', fate: { refuse: '40001' } },
  { title: 'a full disk', fate: { refuse: '53100' }, lasts: 'writes' },
  { title: 'rights that are taken away', fate: { refuse: '42501' }, lasts: 'all' },
  { title: 'a table that is gone', fate: { refuse: '42P01' }, lasts: 'all' },
  { title: 'a failure inside the server', fate: { refuse: 'XX000' }, lasts: 'all' },
]

describe.skipIf(programs === null)('PostgreSQL that is in trouble at a statement of a run', () => {
  let server: PostgresServer
  let proxies: StatementProxy[] = []
  let jobCount = 0

  beforeAll(async () => {
    server = await startPostgres(programs ?? '', { settings: { max_connections: '200' } })
    proxies = await Promise.all(Array.from({ length: laneCount }, () => startStatementProxy(server.port)))
  })
  afterAll(async () => {
    for (const proxy of proxies) proxy.close()
    await server.stop()
  })

  /** Three lookups of their own, over a checkpoint that other jobs share; `null` makes a database for this one. */
  async function open(proxy: StatementProxy, database: string | null) {
    const job = ++jobCount
    const name = database ?? `trouble${job}`
    if (database === null) server.sql(`CREATE DATABASE ${name} TEMPLATE template0`)
    const names = ['Acme', 'Bolt', 'Cargo'].map((word) => `${word} ${job}`)
    const at = createWorkplace()
    at.writeRows(names.map((one) => `${one},Lyon`))
    const service = await startService({ runTakes: { polls: 1 } })
    const url = `postgres://postgres@127.0.0.1:${proxy.port}/${name}`
    const run = () => at.run(service, { checkpoint: { path: url } })
    /** As after some time: the leases of processes that ended without a word have run out. */
    const endLeases = () => {
      const isMade = server.sql(`SELECT to_regclass('enrich.workers') IS NOT NULL`, name) === 't'
      if (isMade) server.sql(`UPDATE enrich.workers SET lease_until = now() - interval '1 hour'`, name)
    }
    return { names, at, service, run, endLeases, name }
  }

  async function countStatements(
    proxy: StatementProxy,
    database: string | null,
  ): Promise<{ count: number; name: string }> {
    const { run, name } = await open(proxy, database)
    proxy.begin(() => 'pass')
    await run()
    return { count: proxy.count, name }
  }

  /** The end of a run that meets it at this statement, and of the same command once the server is well. */
  async function expectSurvived(
    proxy: StatementProxy,
    { fate, lasts }: Trouble,
    number: number,
    database: string | null,
  ) {
    const { names, at, service, run, endLeases } = await open(proxy, database)
    proxy.begin((current, text) => {
      if (current === number) return fate
      if (current < number || lasts === undefined) return 'pass'
      return text !== 'ROLLBACK' && (lasts === 'all' || writes.test(text)) ? fate : 'pass'
    })
    const error = await run().then(
      () => null,
      (thrown: unknown) => thrown,
    )
    if (error !== null) {
      expect(error).toBeInstanceOf(UserError)
      const { code, exitCode, hint } = error as UserError
      expect(code).toMatch(/^CHECKPOINT_/)
      expect(hint).toBeDefined()
      expect([code, exitCode]).toEqual([code, service.runs.length > 0 ? 5 : expect.toBeOneOf([2, 5])])
    }
    proxy.begin(() => 'pass')
    endLeases()
    const summary = await run()
    expect(summary.stop).toBeNull()
    expect(new Set(service.runs.map(({ query }) => query.name)).size).toBe(service.runs.length)
    const rows = at.readOutput()
    expect(rows.map((row) => row['company_name'])).toEqual(names)
    for (const { enrich_status: status = '' } of rows) expect(['no_match', 'uncertain']).toContain(status)
    return error instanceof UserError ? error.code : null
  }

  test(
    'the end has a code, and the same command resumes: nothing is billed twice, and no row is lost',
    { timeout: Math.max(300_000, triedCount * 60_000) },
    async () => {
      const [first] = await Promise.all(proxies.slice(0, 1).map((proxy) => countStatements(proxy, null)))
      const known = await Promise.all(
        proxies.map(async (proxy) => countStatements(proxy, (await countStatements(proxy, null)).name)),
      )
      const ofFirst = first?.count ?? 0
      const total = ofFirst + Math.min(...known.map(({ count }) => count))
      const isAll = triedCount >= total
      const numbers = Array.from(
        { length: Math.min(triedCount, total) },
        (_, at) => 1 + Math.floor((at * total) / Math.min(triedCount, total)),
      )
      const tries = numbers.flatMap((number, at) =>
        (isAll ? troubles : [troubles[at % troubles.length]!]).map((trouble) => ({ number, trouble })),
      )
      const codes = new Set<string | null>()
      const work = async (proxy: StatementProxy, database: string) => {
        for (let next = tries.shift(); next !== undefined; next = tries.shift()) {
          const { number, trouble } = next
          // The statements that make the tables are met by a database of its own.
          const isFirst = number <= ofFirst
          const at = isFirst ? number : number - ofFirst
          try {
            codes.add(await expectSurvived(proxy, trouble, at, isFirst ? null : database))
          } catch (error) {
            const where = `at statement ${at} of ${isFirst ? 'the first run' : 'a later run'}`
            throw new Error(`${trouble.title}, ${where}: ${String(error)}`, { cause: error })
          }
        }
      }
      await Promise.all(proxies.map((proxy, lane) => work(proxy, known[lane]!.name)))
      expect(codes).toContain('CHECKPOINT_SERVER_READ_ONLY')
    },
  )
})

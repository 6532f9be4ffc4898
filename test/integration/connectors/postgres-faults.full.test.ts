import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import * as postgresConnector from '../../../src/connectors/databases/postgres.js'
import { parsePostgresUrl } from '../../../src/core/server-addresses.js'
import { openSession } from '../../../src/platform/postgres/session.js'
import { startProgram } from '../../support/child-process.js'
import { hasPgbouncer, startPgbouncer } from '../../support/pgbouncer.js'
import {
  findPostgres,
  sharedPostgres,
  startPostgres,
  type SharedPostgres,
} from '../../support/postgres-server.js'
import { startStatementProxy, type StatementFate } from '../../support/statement-proxy.js'
import { startTcpProxy } from '../../support/tcp-proxy.js'
import {
  fetchTable,
  makeFolder,
  openTarget,
  publishTable,
  queryDuckDb,
  writeParquet,
} from './copied-tables.js'
import { errorWith } from '../../support/error-with.js'

const programs = findPostgres()

/** The first ones, and those that change something: after any other, the server is as it was before. */
const isTelling = (number: number, text: string) =>
  number <= 3 || !/^(SELECT|SET) /.test(text) || text.includes('pg_current_xact_id')

describe.skipIf(programs === null)('PostgreSQL, with faults', () => {
  let server: SharedPostgres
  beforeAll(async () => {
    server = await sharedPostgres(programs!)
  })
  afterAll(() => server.stop())

  const throughPort = (port: number, table = '') =>
    server.url().replace(`:${server.port}/`, `:${port}/`) + table
  const publish = (address: string, path: string, options = {}) =>
    openTarget(postgresConnector, address, options).publish(path)
  const startStatements = async () => {
    const proxy = await startStatementProxy(server.port)
    onTestFinished(() => {
      proxy.close()
    })
    return proxy
  }
  const fill = (table: string) => {
    server.sql(
      `DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (id integer PRIMARY KEY, name text); INSERT INTO ${table} SELECT i, 'old' FROM generate_series(1, 100) i`,
    )
  }
  const summarize = (table: string) => server.sql(`SELECT count(*), min(name), max(name) FROM ${table}`)
  const newRows = `SELECT i::INTEGER AS id, 'new' AS name FROM range(1, 2001) r(i)`
  const listTables = () =>
    server.sql(
      `SELECT string_agg(relname, ',' ORDER BY relname) FROM pg_class WHERE relkind = 'r' AND relname ~ 'enrich'`,
    )

  test.each([
    ['in place', newRows],
    ['with other columns', `SELECT *, 0.5::DOUBLE AS enrich_score FROM (${newRows})`],
    ['by upsert', newRows],
  ])(
    'killed at any statement of a replacement %s that changes something, the table is old or new',
    async (how, select) => {
      const mode = how === 'by upsert' ? 'upsert' : 'replace'
      const path = await writeParquet(select)
      const proxy = await startStatements()
      const program = new URL('../../support/publish-child.ts', import.meta.url).href
      const seen: string[] = []
      for (let killed = 1; ; killed++) {
        fill('killed')
        const child = startProgram(program, throughPort(proxy.port, '#killed'), path, mode)
        let tellingCount = 0
        proxy.begin((number, text) => {
          if (isTelling(number, text) && ++tellingCount === killed) void child.kill()
          return 'pass'
        })
        await child.nextLine()
        const isDone = (await child.nextLine().catch(() => null)) === 'done'
        await child.kill()
        await expect
          .poll(() =>
            server.sql(
              `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'enrich' AND datname = current_database()`,
            ),
          )
          .toBe('0')
        seen.push(summarize('killed'))
        if (isDone) break
      }
      expect(seen.length).toBeGreaterThan(7)
      expect(seen.at(-1)).toBe('2000|new|new')
      expect(new Set(seen)).toEqual(new Set(['100|old|old', '2000|new|new']))
      expect(listTables()).toBe('')
    },
  )

  test.each(['cut', 'cut_reply', 'terminate'] as const)(
    'rows are added once if the connection fails at any statement that changes something: %s',
    async (fate) => {
      const path = await writeParquet(newRows.replace('1, 2001', '101, 201'))
      const proxy = await startStatements()
      const add = () => publish(throughPort(proxy.port, '#added_once'), path, { mode: 'append' })
      fill('added_once')
      const telling: number[] = []
      proxy.begin((number, text) => {
        if (isTelling(number, text)) telling.push(number)
        return 'pass'
      })
      await add()
      expect(telling.length).toBeGreaterThan(5)
      for (const at of telling) {
        fill('added_once')
        proxy.begin((number, text) => {
          if (number !== at) return 'pass'
          // The proxy ends a session by a SELECT, which the driver cannot take for a COPY.
          return fate === 'terminate' && text.startsWith('COPY') ? 'cut' : fate
        })
        await add()
        expect(server.sql('SELECT count(*) FROM added_once'), `statement ${at}`).toBe('200')
      }
    },
  )

  test('a connection that is cut while rows are copied is made again, in both directions', async () => {
    server.sql(
      `CREATE TABLE copied_large AS SELECT i AS id, repeat(md5(i::text), 20) AS text FROM generate_series(1, 100000) i`,
    )
    const proxy = await startTcpProxy(server.port)
    onTestFinished(() => {
      proxy.close()
    })
    // Each copy is some 60 MB.
    const fetchIsCut = proxy.cutAfter(5_000_000)
    const { path } = await fetchTable(postgresConnector, throughPort(proxy.port, '#copied_large'))
    await fetchIsCut
    expect(await queryDuckDb(`SELECT count(*), sum(id) FROM '${path}'`)).toEqual([[100_000n, 5_000_050_000n]])
    const publishIsCut = proxy.cutAfter(5_000_000)
    await publish(throughPort(proxy.port, '#copied_back'), path)
    await publishIsCut
    expect(server.sql('SELECT count(*) FROM (TABLE copied_back EXCEPT TABLE copied_large) x')).toBe('0')
    expect(server.sql('SELECT count(*) FROM copied_back')).toBe('100000')
  })

  test('readers of other sessions see the old table or the new one, and are not blocked', async () => {
    fill('observed')
    const open = () => openSession(parsePostgresUrl(server.url()), {})
    const [reader, older, waiting] = [await open(), await open(), await open()]
    await older.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await older.query('SELECT 1')
    const path = await writeParquet(newRows.replace('2001', '200001'))
    const state = { isDone: false }
    const publishing = publish(`${server.url()}#observed`, path).then(() => {
      state.isDone = true
    })
    const seen = new Set<string>()
    while (!state.isDone) {
      const [row] = await reader.query('SELECT count(*) || min(name) || max(name) AS found FROM observed')
      seen.add(row?.found ?? '')
    }
    await publishing
    const [last] = await reader.query('SELECT count(*) || min(name) || max(name) AS found FROM observed')
    expect([...seen, last?.found]).toEqual(expect.arrayContaining(['100oldold', '200000newnew']))
    expect(seen.size).toBeLessThanOrEqual(2)
    // A snapshot from before, in which the table is read for the first time.
    expect(await older.query('SELECT count(*) AS n FROM observed')).toEqual([{ n: '100' }])
    // A new table is not empty for such a snapshot either.
    await waiting.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await waiting.query('SELECT 1')
    await publish(`${server.url()}#observed_new`, path)
    expect(await waiting.query('SELECT count(*) AS n FROM observed_new')).toEqual([{ n: '200000' }])
    for (const session of [reader, older, waiting]) await session.close()
  })

  test('the signal ends the statement on the server', async () => {
    const stop = new AbortController()
    const fetching = fetchTable(postgresConnector, server.url(), {
      query: 'SELECT pg_sleep(600)::text AS s',
      signal: stop.signal,
    })
    const countSleeping = () =>
      server.sql(
        `SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND state = 'active' AND pid <> pg_backend_pid()`,
      )
    await expect.poll(countSleeping).toBe('1')
    stop.abort(new Error('stopped'))
    await expect(fetching).rejects.toThrow('stopped')
    await expect.poll(countSleeping).toBe('0')
  })

  test.each([
    ['57014', 'STORE_UNREACHABLE'],
    ['53100', 'OUTPUT_UNWRITABLE'],
    ['55P03', 'OUTPUT_UNWRITABLE'],
    ['25006', 'OUTPUT_UNWRITABLE'],
    ['42501', 'ACCESS_DENIED'],
    ['22P02', 'OUTPUT_TABLE_UNFIT'],
    ['XX000', 'OUTPUT_UNWRITABLE'],
  ])('the SQLSTATE %s of a copy is %s, and the table is unchanged', async (refuse, code) => {
    fill('refused')
    const proxy = await startStatements()
    const fate: StatementFate = { refuse }
    proxy.begin((_number, text) => (text.startsWith('COPY') ? fate : 'pass'))
    const address = throughPort(proxy.port, '#refused')
    await expect(publish(address, await writeParquet(newRows))).rejects.toMatchObject({ code })
    expect(summarize('refused')).toBe('100|old|old')
  })

  test('missing rights are named before anything is written', async () => {
    const role = `limited_${process.pid}`
    fill('protected')
    server.sql(
      `CREATE ROLE ${role} LOGIN; REVOKE CREATE ON SCHEMA public FROM public; CREATE TABLE secured (id integer, name text); ALTER TABLE secured ENABLE ROW LEVEL SECURITY; GRANT ALL ON secured TO ${role}`,
    )
    const url = server.url({ user: role })
    const path = await writeParquet(newRows)
    const attempt = (table: string, options = {}) =>
      openTarget(postgresConnector, `${url}#${table}`, options).tryWriting(path)
    const denied = (message: string) => ({
      code: 'ACCESS_DENIED',
      message: expect.stringContaining(message) as string,
    })
    await expect(fetchTable(postgresConnector, `${url}#protected`)).rejects.toMatchObject(
      denied('no right to use the table protected'),
    )
    await expect(attempt('protected')).rejects.toMatchObject(denied('INSERT,DELETE'))
    await expect(attempt('protected', { mode: 'append' })).rejects.toMatchObject(denied('INSERT'))
    await expect(attempt('not_there')).rejects.toMatchObject(denied('no right to use the schema public'))
    await expect(attempt('secured')).rejects.toMatchObject(denied('row-level security'))
    server.sql(`GRANT SELECT, INSERT, DELETE ON protected TO ${role}`)
    await attempt('protected')
    const notices: string[] = []
    const append = {
      mode: 'append',
      markTable: 'enrich_mark_1',
      notice: (text: string) => notices.push(text),
    } as const
    const other = await writeParquet(`SELECT 101::INTEGER AS id, 'new' AS name`)
    const appending = openTarget(postgresConnector, `${url}#protected`, append)
    await appending.tryWriting(other)
    expect(notices).toEqual([expect.stringContaining('GRANT CREATE ON SCHEMA')])
    await appending.publish(other, 'mark')
    await publish(`${url}#protected`, path)
    expect(summarize('protected')).toBe('2000|new|new')
    await expect(
      openTarget(postgresConnector, `${url}#protected`).tryWriting(await writeParquet('SELECT 1 AS other')),
    ).rejects.toMatchObject(denied('not its owner'))
    server.sql(`ALTER ROLE ${role} SET default_transaction_read_only = on`)
    await expect(attempt('protected')).rejects.toMatchObject(
      errorWith('OUTPUT_UNWRITABLE', { message: 'does not accept writes' }),
    )
    server.sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })

  test('a server that does not answer, and a missing database, are named', async () => {
    const path = await writeParquet(newRows)
    const proxy = await startTcpProxy(server.port)
    const { port } = proxy
    proxy.close()
    // Each tries again for a while.
    const address = throughPort(port, '#t')
    const unreachable = { code: 'STORE_UNREACHABLE' }
    await Promise.all([
      expect(fetchTable(postgresConnector, address)).rejects.toMatchObject(unreachable),
      expect(publish(address, path)).rejects.toMatchObject(unreachable),
    ])
    const url = server.url({ database: 'not_there' })
    await expect(fetchTable(postgresConnector, `${url}#t`)).rejects.toMatchObject({ code: 'INPUT_NOT_FOUND' })
    await expect(publish(`${url}#t`, path)).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
  })

  test('a standby is read, and refused as an output', async () => {
    const primary = await startPostgres(programs!)
    onTestFinished(() => primary.stop())
    primary.sql('CREATE TABLE t AS SELECT 1 AS a')
    const standby = await primary.standby()
    onTestFinished(() => standby.stop())
    const { path } = await fetchTable(postgresConnector, `${standby.url()}#t`)
    expect(await queryDuckDb(`FROM '${path}'`)).toEqual([[1]])
    for (const table of ['t', 'another']) {
      await expect(
        openTarget(postgresConnector, `${standby.url()}#${table}`).tryWriting(path),
      ).rejects.toMatchObject(errorWith('OUTPUT_UNWRITABLE', { message: 'does not accept writes' }))
    }
  })

  test('no message contains a password', async () => {
    const secured = await startPostgres(programs!, { auth: 'scram-sha-256' })
    onTestFinished(() => secured.stop())
    secured.sql(`ALTER ROLE postgres PASSWORD 'sEcReT'`)
    const path = await writeParquet(newRows)
    const url = `${secured.url()}#t`
    const HOME = makeFolder()
    const attempt = (environment: Record<string, string>) =>
      publishTable(postgresConnector, url, path, { environment })
    await attempt({ HOME, PGPASSWORD: 'sEcReT' })
    expect(secured.sql('SELECT count(*) FROM t')).toBe('2000')
    const errors = await Promise.all(
      [
        attempt({ HOME, PGPASSWORD: 'sEcReTx' }),
        attempt({ HOME }),
        fetchTable(postgresConnector, url, { environment: { HOME, PGPASSWORD: 'sEcReTx' } }),
      ].map((attempted) =>
        attempted.then(
          () => null,
          (error: unknown) => error,
        ),
      ),
    )
    expect(errors).toMatchObject([
      { code: 'ACCESS_DENIED' },
      { code: 'CREDENTIALS_MISSING' },
      { code: 'ACCESS_DENIED' },
    ])
    const open = (address: string) => () => openTarget(postgresConnector, address)
    for (const [address, code] of [
      ['postgres://u:sEcReT@h/d#t', 'ADDRESS_HAS_SECRET'],
      ['postgres://h/d?password=sEcReT#t', 'ADDRESS_HAS_SECRET'],
      ['postgres://u:sEc#ReT@h/d#t', 'ADDRESS_INVALID'],
      ['postgres://h/d', 'ADDRESS_INVALID'],
      ['postgres://h/#t', 'ADDRESS_INVALID'],
      [`postgres://h/d#${'n'.repeat(64)}`, 'ADDRESS_INVALID'],
      ['postgres://h/d?sslmode=disable#t', 'ADDRESS_INVALID'],
    ] as const) {
      expect(open(address), address).toThrow(expect.objectContaining({ code }))
      try {
        open(address)()
      } catch (error) {
        errors.push(error)
      }
    }
    for (const error of errors) {
      const { message, hint, cause } = error as { message: string; hint?: string; cause?: unknown }
      expect(`${message} ${hint ?? ''} ${String(cause)}`).not.toMatch(/sEcReT|ReT@/)
    }
  })

  test('a Unix socket and pgbouncer lead to the same tables', async () => {
    const path = await writeParquet(newRows)
    const database = new URL(server.url()).pathname
    const bySocket = `postgres://${database}?host=${server.folder}&port=${server.port}&user=postgres`
    await publishTable(postgresConnector, `${bySocket}#by_socket`, path)
    expect(
      (
        await queryDuckDb(
          `SELECT count(*) FROM '${(await fetchTable(postgresConnector, `${bySocket}#by_socket`)).path}'`,
        )
      )[0],
    ).toEqual([2000n])
    if (!hasPgbouncer()) return
    const bouncer = await startPgbouncer(server)
    onTestFinished(() => bouncer.stop())
    const throughBouncer = `${bouncer.url({ database: database.slice(1) })}#by_socket`
    await publishTable(postgresConnector, throughBouncer, path, { mode: 'upsert', keyColumn: 'id' })
    await publishTable(
      postgresConnector,
      throughBouncer,
      await writeParquet('SELECT 1::INTEGER AS id, 2 AS more'),
    )
    expect(await queryDuckDb(`FROM '${(await fetchTable(postgresConnector, throughBouncer)).path}'`)).toEqual(
      [[1, 2]],
    )
  })
})

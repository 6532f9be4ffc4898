import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parsePostgresUrl } from '../../../src/core/server-addresses.js'
import { connectPostgres, type ConnectOptions } from '../../../src/platform/postgres/connect.js'
import {
  ConnectionLostError,
  StatementError,
  type Postgres,
} from '../../../src/platform/postgres/postgres.js'
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres-server.js'

const programs = findPostgres()

describe.skipIf(programs === null)('a connection to PostgreSQL', () => {
  let server: PostgresServer
  const open: Postgres[] = []
  const connect = (options: ConnectOptions = {}) => {
    const postgres = connectPostgres(parsePostgresUrl(server.url()), options)
    open.push(postgres)
    return postgres
  }

  beforeAll(async () => {
    server = await startPostgres(programs ?? '', { fsync: false })
    server.sql('CREATE TABLE facts (id bigint PRIMARY KEY, body bytea)')
  })
  afterEach(async () => {
    await Promise.all(open.splice(0).map((postgres) => postgres.close()))
    server.sql('TRUNCATE facts')
  })
  afterAll(() => server.stop())

  const idsOf = async (postgres: Postgres) =>
    (await postgres.query<{ id: number }>('SELECT id FROM facts ORDER BY id')).map(({ id }) => id)

  test('int8 is a number, and bytea a Buffer, alone and in arrays', async () => {
    const postgres = connect()
    const ids = [1, 4_294_967_295, Number.MAX_SAFE_INTEGER]
    const bodies = ids.map((id) => Buffer.from(`body of ${id}`))
    await postgres.query('INSERT INTO facts SELECT * FROM unnest($1::bigint[], $2::bytea[])', [ids, bodies])
    const rows = await postgres.query('SELECT id, body FROM facts ORDER BY id')
    expect(rows).toEqual(ids.map((id, index) => ({ id, body: bodies[index] })))
  })

  test('a transaction that throws leaves nothing, and its connection is good for more', async () => {
    const postgres = connect({ connectionsMax: 1 })
    const failed = postgres.transaction(async ({ query }) => {
      await query('INSERT INTO facts VALUES (1)')
      throw new Error('changed its mind')
    })
    await expect(failed).rejects.toThrow('changed its mind')
    await postgres.transaction(({ query }) => query('INSERT INTO facts VALUES (2)'))
    expect(await idsOf(postgres)).toEqual([2])
  })

  test('a transaction that goes on after a statement failed does not count as committed', async () => {
    const postgres = connect()
    const deaf = postgres.transaction(async ({ query }) => {
      await query('INSERT INTO facts VALUES (1)')
      await query('INSERT INTO facts VALUES (1)').catch(() => undefined)
    })
    await expect(deaf).rejects.toThrow('a statement failed')
    expect(await idsOf(postgres)).toEqual([])
  })

  test('what the server refuses bears its SQLSTATE', async () => {
    const postgres = connect()
    await postgres.query('INSERT INTO facts VALUES (1)')
    const again = postgres.query('INSERT INTO facts VALUES (1)')
    await expect(again).rejects.toBeInstanceOf(StatementError)
    await expect(again).rejects.toMatchObject({ sqlState: '23505' })
  })

  test('more callers than connections are served in turn, each of them', async () => {
    const postgres = connect({ connectionsMax: 2, connectTimeoutMs: 1_000 })
    const callers = Array.from({ length: 8 }, () =>
      postgres.query('SELECT pg_sleep(0.4), pg_backend_pid() AS id'),
    )
    const rows = (await Promise.all(callers)).flat()
    expect(rows).toHaveLength(8)
    expect(new Set(rows.map(({ id }) => id)).size).toBeLessThanOrEqual(2)
  })

  test('a crash of the server ends no process: statements fail, and later ones reach the restarted server', async () => {
    let isBack = false
    const postgres = connect()
    await postgres.query('SELECT 1')
    const asleep = postgres.query('SELECT pg_sleep(60)')
    const inTransaction = postgres.transaction(async ({ query }) => {
      await query('INSERT INTO facts VALUES (1)')
      await query('SELECT pg_sleep(60)')
    })
    const ends = Promise.allSettled([asleep, inTransaction])
    while (
      (await postgres.query(`SELECT 1 FROM pg_stat_activity WHERE query LIKE '%sleep(60)%'`)).length < 3
    ) {
      await sleep(20)
    }
    await server.crash()
    onTestFinished(() => (isBack ? undefined : server.startAgain()))
    const reasons = (await ends).map((end) => (end.status === 'rejected' ? (end.reason as unknown) : null))
    expect(reasons).toEqual([expect.any(ConnectionLostError), expect.any(ConnectionLostError)])
    // The transaction had not come to its COMMIT.
    expect(reasons).toMatchObject([{ mayHaveTakenEffect: true }, { mayHaveTakenEffect: false }])
    // The third connection may learn of it only when it is used.
    const next = () =>
      postgres.query('SELECT 1').then(
        () => null,
        (error: unknown) => error,
      )
    const first = await next()
    expect(first).toBeInstanceOf(ConnectionLostError)
    expect([first, await next()]).toContainEqual(expect.objectContaining({ mayHaveTakenEffect: false }))
    await server.startAgain()
    isBack = true
    expect(await idsOf(postgres)).toEqual([])
  })

  test('a connection that the server ends while a transaction says nothing does not end the process', async () => {
    const postgres = connect()
    const ended = postgres.transaction(async ({ query }) => {
      const [row] = await query<{ id: number }>('SELECT pg_backend_pid() AS id')
      server.sql(`SELECT pg_terminate_backend(${row?.id ?? 0})`)
      await sleep(200)
      await query('SELECT 1')
    })
    await expect(ended).rejects.toBeInstanceOf(ConnectionLostError)
    expect(await postgres.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('a statement that takes too long is given up, and so are its locks', async () => {
    const postgres = connect({ statementTimeoutMs: 300 })
    await expect(postgres.query('SELECT pg_sleep(60)')).rejects.toBeInstanceOf(ConnectionLostError)
    const slow = postgres.transaction(async ({ query }) => {
      await query('INSERT INTO facts VALUES (1)')
      await query('SELECT pg_sleep(60)')
    })
    await expect(slow).rejects.toBeInstanceOf(ConnectionLostError)
    await expect(slow).rejects.toMatchObject({ mayHaveTakenEffect: false })
    await postgres.query('INSERT INTO facts VALUES (1)')
  })

  test('a host that does not listen is a lost connection, and nothing has taken effect', async () => {
    const postgres = connectPostgres(parsePostgresUrl('postgres://x@127.0.0.1:1/x'))
    await expect(postgres.query('SELECT 1')).rejects.toMatchObject({
      code: 'CHECKPOINT_UNREACHABLE',
      exitCode: 5,
      systemCode: 'ECONNREFUSED',
      mayHaveTakenEffect: false,
    })
    await postgres.close()
  })

  test('close waits for what is under way', async () => {
    const postgres = connectPostgres(parsePostgresUrl(server.url()))
    const slow = postgres.query('SELECT pg_sleep(0.2), 1 AS one')
    await postgres.query('SELECT 1')
    await postgres.close()
    expect(await Promise.race([slow, Promise.resolve([])])).toMatchObject([{ one: 1 }])
  })
})

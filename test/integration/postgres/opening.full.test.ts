import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { UserError } from '../../../src/core/errors.js'
import { parsePostgresUrl } from '../../../src/core/server-addresses.js'
import {
  openShared,
  openSharedToRead,
  type OpenSharedDeps,
  type SharedDatabase,
} from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import { assertFit } from '../../../src/platform/postgres/own-database.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { connectPostgres } from '../../../src/platform/postgres/connect.js'
import { canMount, mountSmallDisk } from '../../crash/small-disk.js'
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres-server.js'
import { makeFolder } from '../../support/temporary-folder.js'
import { errorWith } from '../../support/error-with.js'

const programs = findPostgres() ?? ''
const password = 'correct horse battery'

describe.skipIf(programs === '')('opening a checkpoint on PostgreSQL', () => {
  let server: PostgresServer
  let databaseCount = 0
  let database = ''
  const opened: SharedDatabase[] = []
  const folder = makeFolder()

  beforeAll(async () => {
    server = await startPostgres(programs, { auth: 'scram-sha-256' })
    server.sql(`CREATE ROLE worker LOGIN PASSWORD '${password}'`)
  })
  beforeEach(() => {
    database = `checkpoint_${++databaseCount}`
    server.sql(`CREATE DATABASE ${database}`)
    server.sql(`GRANT CREATE ON DATABASE ${database} TO worker`)
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()))
  })
  afterAll(async () => {
    await server.stop()
  })

  const urlOf = (of: PostgresServer = server) => of.url({ user: 'worker', database })
  const environment = { PGPASSWORD: password }
  const deps: OpenSharedDeps = { clock: systemClock, random: systemRandom, environment }
  const open = async (more: Partial<OpenSharedDeps> = {}, url = urlOf()) => {
    const one = await openShared(url, { ...deps, ...more })
    opened.push(one)
    return one
  }
  /** What a user is shown of an error; nothing in it may be secret. */
  const errorOf = async (opening: Promise<unknown>) => {
    const error: unknown = await opening.then(
      () => null,
      (reason: unknown) => reason,
    )
    if (!(error instanceof UserError)) throw new Error(`no user error: ${String(error)}`)
    const { code, message, hint = '', exitCode } = error
    expect([message, hint, error.stack, String(error.cause)].join('\n')).not.toContain(password)
    expect(hint).not.toBe('')
    return { code, message, exitCode }
  }

  test('of several that come first, one makes it, and all find the same', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => open()))
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(server.sql('SELECT count(*) FROM enrich.checkpoint', database)).toBe('1')
    expect((await open()).id).toBe(all[0]?.id)
  })

  test('whoever only looks makes nothing', async () => {
    expect(await openSharedToRead(urlOf(), { environment })).toBeNull()
    expect(server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'enrich'", database)).toBe('0')
    const { id } = await open()
    const looking = await openSharedToRead(urlOf(), { environment })
    expect(looking).toMatchObject({ id, problem: null, url: urlOf() })
    await looking?.close()
  })

  test('the password comes from PGPASSWORD, or from a private file', async () => {
    const path = join(folder, 'pgpass')
    writeFileSync(
      path,
      `# of tests\n*:*:other:worker:wrong\n127.0.0.1:${server.port}:*:worker:${password}\n`,
      { mode: 0o600 },
    )
    await open({ environment: { PGPASSFILE: path } })
    const escaped = join(folder, 'escaped')
    server.sql(`CREATE ROLE "odd:user" LOGIN PASSWORD 'a:b\\c' IN ROLE worker`)
    writeFileSync(escaped, `*:*:*:odd\\:user:a\\:b\\\\c\n`, { mode: 0o600 })
    await open({ environment: { PGPASSFILE: escaped } }, server.url({ user: 'odd%3Auser', database }))
    chmodSync(path, 0o640)
    expect(await errorOf(open({ environment: { PGPASSFILE: path } }))).toMatchObject({
      code: 'CHECKPOINT_PASSWORD_MISSING',
    })
    expect(await errorOf(open({ environment: { HOME: folder } }))).toMatchObject({
      code: 'CHECKPOINT_PASSWORD_MISSING',
    })
  })

  test('a wrong password and a wrong user are refused alike', async () => {
    const wrong = await errorOf(open({ environment: { PGPASSWORD: 'wrong' } }))
    expect(wrong).toMatchObject({ code: 'CHECKPOINT_LOGIN_REFUSED', exitCode: 2 })
    const nobody = await errorOf(open({}, server.url({ user: 'nobody', database })))
    expect(nobody).toMatchObject({ code: 'CHECKPOINT_LOGIN_REFUSED' })
  })

  test('a database that is not there', async () => {
    const url = server.url({ user: 'worker', database: 'absent' })
    expect(await errorOf(open({}, url))).toMatchObject({ code: 'CHECKPOINT_DATABASE_MISSING' })
  })

  test('a host that cannot be reached ends with 5: the same command resumes', async () => {
    const nobody = await errorOf(open({}, 'postgres://worker@127.0.0.1:1/x'))
    expect(nobody).toMatchObject({ code: 'CHECKPOINT_UNREACHABLE', exitCode: 5 })
    const noName = await errorOf(open({}, 'postgres://worker@host.invalid/x'))
    expect(noName).toMatchObject({ code: 'CHECKPOINT_UNREACHABLE' })
    const noSocket = await errorOf(open({}, `postgres:///x?host=${folder}&user=worker`))
    expect(noSocket).toMatchObject({ code: 'CHECKPOINT_UNREACHABLE' })
  })

  test('by the folder of its socket it is reached without TCP', async () => {
    const url = `postgres:///${database}?host=${server.folder}&port=${server.port}&user=worker`
    expect(await open({}, url)).toMatchObject({
      url: `postgres:///${database}?host=${server.folder}&port=${server.port}`,
    })
  })

  test('a role that may not make the tables is told so, and may work once they are made and granted', async () => {
    server.sql(`REVOKE CREATE ON DATABASE ${database} FROM worker`)
    expect(await errorOf(open())).toMatchObject({ code: 'CHECKPOINT_GRANTS_MISSING' })
    const owner = await openShared(
      `postgres:///${database}?host=${server.folder}&port=${server.port}&user=postgres`,
      deps,
    )
    await owner.close()
    expect(await errorOf(open())).toMatchObject({ code: 'CHECKPOINT_GRANTS_MISSING' })
    server.sql(
      'GRANT USAGE ON SCHEMA enrich TO worker; GRANT SELECT ON ALL TABLES IN SCHEMA enrich TO worker',
      database,
    )
    const partly = await errorOf(open())
    expect(partly.message).toContain('the privilege DELETE on enrich.answers, and')
    await (await openSharedToRead(urlOf(), { environment }))?.close()
    server.sql('GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA enrich TO worker', database)
    await open()
  })

  test('tables of our names that are not ours are refused, and not touched', async () => {
    server.sql('CREATE SCHEMA enrich; CREATE TABLE enrich.lookups (a int)', database)
    server.sql(
      'GRANT ALL ON SCHEMA enrich TO worker; GRANT ALL ON ALL TABLES IN SCHEMA enrich TO worker',
      database,
    )
    expect(await errorOf(open())).toMatchObject({ code: 'CHECKPOINT_DATABASE_FOREIGN' })
    server.sql('CREATE TABLE enrich.checkpoint (a int); GRANT ALL ON enrich.checkpoint TO worker', database)
    expect(await errorOf(open())).toMatchObject({ code: 'CHECKPOINT_DATABASE_FOREIGN' })
    expect(await errorOf(openSharedToRead(urlOf(), { environment }))).toMatchObject({
      code: 'CHECKPOINT_DATABASE_FOREIGN',
    })
    expect(
      server.sql(
        "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = to_regnamespace('enrich')",
        database,
      ),
    ).toBe('checkpoint lookups')
  })

  test('a schema of a newer version is left alone', async () => {
    await open()
    server.sql('UPDATE enrich.checkpoint SET schema_version = 99', database)
    expect(await errorOf(open())).toMatchObject({ code: 'CHECKPOINT_TOO_NEW' })
    expect(await errorOf(openSharedToRead(urlOf(), { environment }))).toMatchObject({
      code: 'CHECKPOINT_TOO_NEW',
    })
  })

  test('a server, a database or a role that may lose commits is refused', async () => {
    server.sql(`ALTER ROLE worker SET synchronous_commit = off`)
    const off = await errorOf(open())
    expect(off).toMatchObject({ code: 'CHECKPOINT_SERVER_NOT_DURABLE' })
    expect(off.message).toContain('synchronous_commit is off')
    server.sql('ALTER ROLE worker RESET synchronous_commit')
    server.sql(`ALTER DATABASE ${database} SET default_transaction_isolation = 'serializable'`)
    expect(await errorOf(open())).toMatchObject({ code: 'CHECKPOINT_SERVER_NOT_DURABLE' })
    const unsafe = await startPostgres(programs, { fsync: false })
    try {
      expect(await errorOf(open({}, unsafe.url()))).toMatchObject(
        errorWith('CHECKPOINT_SERVER_NOT_DURABLE', { message: 'fsync is off' }),
      )
    } finally {
      await unsafe.stop()
    }
  })

  test('a standby is refused; promoted, it is another server, until the user accepts it', async () => {
    const { id } = await open()
    const standby = await server.standby()
    try {
      expect(await errorOf(open({}, urlOf(standby)))).toMatchObject({ code: 'CHECKPOINT_SERVER_STANDBY' })
      standby.promote()
      expect(await errorOf(open({}, urlOf(standby)))).toMatchObject({ code: 'CHECKPOINT_SERVER_CHANGED' })
      const looking = await openSharedToRead(urlOf(standby), { environment })
      expect(looking).toMatchObject({ id, problem: { code: 'CHECKPOINT_SERVER_CHANGED' } })
      await looking?.close()
      const accepted = await Promise.all([1, 2, 3].map(() => open({ acceptRollback: true }, urlOf(standby))))
      // What the lost ones were called is not given again.
      expect(accepted.map((one) => [one.id, one.generation])).toEqual(accepted.map(() => [id, 1]))
      expect(await open({}, urlOf(standby))).toMatchObject({ id, generation: 1 })
      // The old primary came back: it knows nothing of the other.
      expect(await open()).toMatchObject({ id, generation: 0 })
    } finally {
      await Promise.all(opened.splice(0).map((one) => one.close()))
      await standby.stop()
    }
  })

  test('a database that was put back on another server is another one', async () => {
    await open()
    server.sql(`UPDATE enrich.checkpoint SET system_identifier = '1'`, database)
    expect(await errorOf(open())).toMatchObject({ code: 'CHECKPOINT_SERVER_CHANGED' })
  })

  test('too many connections', async () => {
    server.sql('ALTER ROLE worker CONNECTION LIMIT 0')
    try {
      expect(await errorOf(open())).toMatchObject({ code: 'CHECKPOINT_CONNECTIONS_EXHAUSTED', exitCode: 5 })
    } finally {
      server.sql('ALTER ROLE worker CONNECTION LIMIT -1')
    }
  })

  test('a server that has no room for one more connection', async () => {
    const settings = { max_connections: '4', superuser_reserved_connections: '3' }
    const narrow = await startPostgres(programs, { settings })
    try {
      narrow.sql('CREATE ROLE worker LOGIN')
      narrow.sql('CREATE DATABASE narrow OWNER worker')
      const taking = connectPostgres(parsePostgresUrl(narrow.url({ user: 'worker', database: 'narrow' })))
      const isTaken = () => taking.query('SELECT 1').then(Boolean, () => false)
      // Who made the role may not have left yet.
      await vi.waitUntil(isTaken, { timeout: 30_000 })
      const refused = await errorOf(open({}, narrow.url({ user: 'worker', database: 'narrow' })))
      expect(refused).toMatchObject({ code: 'CHECKPOINT_CONNECTIONS_EXHAUSTED', exitCode: 5 })
      await taking.close()
      const isOpened = () =>
        open({}, narrow.url({ user: 'worker', database: 'narrow' })).then(Boolean, () => false)
      await vi.waitUntil(isOpened, { timeout: 30_000 })
    } finally {
      await Promise.all(opened.splice(0).map((one) => one.close()))
      await narrow.stop()
    }
  })

  test('a server that is too old is named with its version', () => {
    // There is no such server here to ask: what it would say of itself is given.
    const old = { versionNumber: 130_012, isInRecovery: false, settingsOff: [], isolation: 'read committed' }
    const fit = () => {
      assertFit({ ...old, systemIdentifier: '1', timeline: 1 }, 'postgres://host/db')
    }
    expect(fit).toThrow(
      expect.objectContaining({
        code: 'CHECKPOINT_SERVER_TOO_OLD',
        message: 'postgres://host/db is PostgreSQL 13; version 14 or newer is required',
      }) as Error,
    )
  })

  test.skipIf(!canMount())(
    'a full disk of the server says so, and nothing is lost where room is made',
    async () => {
      const full = await startPostgres(programs)
      const path = join(full.folder, 'small')
      const disk = mountSmallDisk(path, '16m')
      try {
        const { uid, gid } = statSync(full.folder)
        mkdirSync(join(path, 'space'))
        for (const owned of [path, join(path, 'space')]) chownSync(owned, uid, gid)
        full.sql(`CREATE TABLESPACE small LOCATION '${join(path, 'space')}'`)
        full.sql('CREATE DATABASE small TABLESPACE small')
        const { postgres, explain } = await open({}, full.url({ database: 'small' }))
        const write = () =>
          postgres.query(
            'INSERT INTO enrich.scopes (scope) SELECT gen_random_uuid()::text FROM generate_series(1, 2000)',
          )
        disk?.fillBut(0)
        const written = write().catch((error: unknown) => {
          throw explain(error)
        })
        expect(await errorOf(written)).toMatchObject({ code: 'CHECKPOINT_SERVER_FULL', exitCode: 5 })
        disk?.empty()
        await write()
        expect(full.sql('SELECT count(*) FROM enrich.scopes', 'small')).toBe('2000')
      } finally {
        await Promise.all(opened.splice(0).map((one) => one.close()))
        await full.halt()
        disk?.unmount()
        await full.stop()
      }
    },
  )

  test('the password stands in nothing that is kept on the server', async () => {
    await open()
    const dump = server.sql(
      `SELECT string_agg(query_to_xml('SELECT * FROM enrich.' || relname, true, true, '')::text, '')
       FROM pg_class WHERE relnamespace = to_regnamespace('enrich') AND relkind = 'r'`,
      database,
    )
    expect(dump).toContain('schema_version')
    expect(dump).not.toContain(password)
    expect(
      server.sql(`SELECT string_agg(application_name || query, '') FROM pg_stat_activity`),
    ).not.toContain(password)
  })
})

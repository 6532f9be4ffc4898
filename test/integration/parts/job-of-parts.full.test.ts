import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assertWithoutParts, findJob, joinJob } from '../../../src/pipeline/output/partitioned-job.js'
import { PartLedger, type WrittenPart } from '../../../src/pipeline/output/part-ledger.js'
import { systemClock } from '../../../src/platform/clock.js'
import { ConnectionLostError, type Postgres } from '../../../src/platform/postgres/postgres.js'
import { connectTo, databaseOf, makeDatabase } from '../../support/part-run.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../../support/postgres-server.js'
import { errorWith } from '../../support/error-with.js'

const programs = findPostgres()

describe.skipIf(programs === null)('jobs of parts', () => {
  let server: SharedPostgres
  let url: string
  let postgres: Postgres
  beforeAll(async () => {
    server = await sharedPostgres(programs ?? '')
    url = await makeDatabase(server, 'jobs')
    postgres = connectTo(url)
  }, 60_000)
  afterAll(async () => {
    await postgres.close()
    await server.stop()
  })

  const scope = 'https://service.test'
  const joined = (name: string, index = 1, count = 4) => ({
    name,
    partition: { index, count },
    scope,
    inputFingerprint: 'abc',
    nowMs: 1,
  })
  const written = (part: number, attempt: string): WrittenPart => ({
    part,
    attempt,
    path: `/out/${attempt}`,
    rowCount: 10,
    byteCount: 100,
    sha256: 'ff',
    basis: null,
  })
  const ledgerOf = async (name: string, through = postgres) =>
    new PartLedger(databaseOf(through), await joinJob(postgres, joined(name)), systemClock)
  const endedCount = (name: string) =>
    server.sql(
      `SELECT count(*) FROM enrich.jobs WHERE input = 'job ${name}' AND ended_at_ms IS NOT NULL`,
      'jobs',
    )

  test('processes that begin one at the same time are in one', async () => {
    const others = Array.from({ length: 6 }, () => connectTo(url))
    try {
      const ids = await Promise.all(others.map((one, at) => joinJob(one, joined('at once', 1 + (at % 4)))))
      expect(new Set(ids).size).toBe(1)
    } finally {
      await Promise.all(others.map((one) => one.close()))
    }
  })

  test('another number of parts, other files and runs without parts are refused, also once it has ended', async () => {
    await joinJob(postgres, joined('kept'))
    const refusals = async () => {
      await expect(joinJob(postgres, joined('kept', 1, 5))).rejects.toMatchObject(
        errorWith('JOB_PARTS_DIFFER', { message: 'has 4 partitions' }),
      )
      await expect(joinJob(postgres, { ...joined('kept'), inputFingerprint: 'other' })).rejects.toMatchObject(
        { code: 'JOB_INPUT_DIFFERS' },
      )
      await expect(assertWithoutParts(postgres, 'kept', scope)).rejects.toMatchObject({
        code: 'JOB_NAME_TAKEN',
      })
    }
    await refusals()
    const ledger = await ledgerOf('kept')
    for (const part of [1, 2, 3, 4]) await ledger.publish(written(part, `a${part}`), null)
    expect(endedCount('kept')).toBe('1')
    await refusals()
    expect(await joinJob(postgres, joined('kept'))).toBe(ledger.jobId)
    await expect(assertWithoutParts(postgres, 'another', scope)).resolves.toBeUndefined()
  })

  test('a job that goes on without parts gets none', async () => {
    await joinJob(postgres, joined('seed'))
    server.sql(
      `INSERT INTO enrich.jobs (scope_id, input, started_at_ms)
       SELECT scope_id, 'job plain', 1 FROM enrich.scopes WHERE scope = '${scope}'`,
      'jobs',
    )
    await expect(joinJob(postgres, joined('plain'))).rejects.toMatchObject({ code: 'JOB_NAME_TAKEN' })
  })

  test('a part is of the first of several attempts', async () => {
    const others = Array.from({ length: 5 }, () => connectTo(url))
    try {
      const jobId = await joinJob(postgres, joined('raced'))
      const won = await Promise.all(
        others.map((one, at) =>
          new PartLedger(databaseOf(one), jobId, systemClock).publish(written(2, `try${at}`), null),
        ),
      )
      expect(new Set(won.map(({ attempt }) => attempt)).size).toBe(1)
      expect(await (await ledgerOf('raced')).readAll()).toEqual([won[0]])
      expect(endedCount('raced')).toBe('0')
    } finally {
      await Promise.all(others.map((one) => one.close()))
    }
  })

  test('parts that are published at the same time end the job with the last', async () => {
    const others = Array.from({ length: 4 }, () => connectTo(url))
    try {
      const jobId = await joinJob(postgres, joined('ended'))
      await Promise.all(
        others.map((one, at) =>
          new PartLedger(databaseOf(one), jobId, systemClock).publish(written(at + 1, 'x'), null),
        ),
      )
      expect(endedCount('ended')).toBe('1')
    } finally {
      await Promise.all(others.map((one) => one.close()))
    }
  })

  test('where the end of the commit is not known, what is there says who won', async () => {
    for (const tookEffect of [true, false]) {
      const name = `cut off ${tookEffect}`
      let cuts = 2
      const cutting: Postgres = {
        ...postgres,
        query: (text, values) => postgres.query(text, values),
        transaction: async (work) => {
          if (cuts-- <= 0) return postgres.transaction(work)
          if (tookEffect) await postgres.transaction(work)
          throw new ConnectionLostError(
            { code: 'CHECKPOINT_UNREACHABLE', message: 'cut off', hint: undefined },
            true,
            null,
            null,
          )
        },
      }
      const clock = { ...systemClock, sleep: () => Promise.resolve() }
      const ledger = new PartLedger(databaseOf(cutting), await joinJob(postgres, joined(name)), clock)
      expect(await ledger.publish(written(1, 'mine'), null)).toMatchObject({ attempt: 'mine' })
      expect(await (await ledgerOf(name)).readAll()).toHaveLength(1)
      expect(await ledger.publish(written(1, 'another'), null)).toMatchObject({ attempt: 'mine' })
    }
  })

  test('only the attempt that was found damaged is replaced', async () => {
    const ledger = await ledgerOf('replaced')
    await ledger.publish(written(3, 'old'), null)
    expect(await ledger.publish(written(3, 'late'), 'older')).toMatchObject({ attempt: 'old' })
    expect(await ledger.publish(written(3, 'new'), 'old')).toMatchObject({ attempt: 'new', path: '/out/new' })
    expect(await ledger.readPart(3)).toMatchObject({ attempt: 'new' })
  })

  test('of two services with a job of one name, the one that is named is found', async () => {
    const other = 'https://other.test'
    const [one, two] = [
      await joinJob(postgres, joined('shared name')),
      await joinJob(postgres, { ...joined('shared name'), scope: other }),
    ]
    await expect(findJob(postgres, 'shared name', null)).rejects.toMatchObject({ code: 'JOB_NAME_TAKEN' })
    expect(await findJob(postgres, 'shared name', other)).toEqual({ jobId: two, partCount: 4 })
    expect(await findJob(postgres, 'shared name', scope)).toEqual({ jobId: one, partCount: 4 })
    await expect(findJob(postgres, 'nobody', null)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' })
  })
})

import { afterAll, describe, expect, test } from 'vitest'
import { settleSharedCharges } from '../../../src/pipeline/checkpoint/postgres/settle-charges.js'
import { openShared } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import { verifyShared } from '../../../src/pipeline/checkpoint/postgres/verify.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { findPostgres } from '../../support/postgres-server.js'
import { lose, toChargesRequest, type SettleOptions } from './openers.js'
import { SharedPlace } from './shared-place.js'
import { keyed, startMs } from './support.js'
import { makeFolder } from '../../support/temporary-folder.js'

const programs = findPostgres()
const hold = { nowMs: startMs, maxAgeMs: null, onLost: 'hold' } as const

describe.skipIf(programs === null)('charges and a checkpoint on PostgreSQL', () => {
  const place = new SharedPlace(programs ?? '')
  const folder = makeFolder()
  afterAll(async () => {
    await place.remove()
  })

  const reconcile = async (name: string, csv: string, options: SettleOptions = {}) =>
    settleSharedCharges({
      path: await place.url(name),
      clock: systemClock,
      ...(await toChargesRequest(folder, csv, options)),
    })

  test('A list leaves what a living process has in flight', async () => {
    const { checkpoint } = await place.open('living')
    const [id = 0] = await checkpoint.store.register(keyed('Acme'))
    await checkpoint.intend(id, startMs)
    const report = await reconcile('living', 'custom_id\n', { untilMs: startMs + 1 })
    expect(report).toMatchObject({ notCreated: [], leftUncertain: [] })
    await checkpoint.close()
  })

  test('A list restores what a failover lost, and its attempts still count for the lookup', async () => {
    const { checkpoint, postgres } = await place.open('lost')
    const [acme = '', beta = ''] = await lose(checkpoint, 'Acme', 'Beta')
    // As a standby that had received neither has it; and another server than before.
    await postgres.query(`DELETE FROM enrich.submissions`)
    await postgres.query(`DELETE FROM enrich.wanted`)
    await postgres.query(
      `UPDATE enrich.lookups SET state = 'new', attempt = 0, custom_id = NULL, worker_id = NULL, failure = NULL WHERE name = 'Acme'`,
    )
    await postgres.query(`DELETE FROM enrich.lookups WHERE name = 'Beta'`)
    await postgres.query('UPDATE enrich.jobs SET reserved_of_rows = 0')
    await postgres.query('UPDATE enrich.job_kinds SET reserved = 0')
    await postgres.query('UPDATE enrich.checkpoint SET timeline = timeline + 1')
    await checkpoint.close()
    const url = await place.url('lost')
    const open = () => openShared(url, { clock: systemClock, random: systemRandom })
    expect(await reconcile('lost', `custom_id,run_id\n${acme},run_a\n`)).toMatchObject({
      restored: [acme],
      accepted: [acme],
      problem: { code: 'CHECKPOINT_SERVER_CHANGED', isSettled: false },
    })
    await expect(open()).rejects.toMatchObject({ code: 'CHECKPOINT_SERVER_CHANGED' })
    expect(
      await reconcile('lost', `custom_id,run_id\n${acme},run_a\n${beta},run_b\n`, { untilMs: startMs }),
    ).toMatchObject({ restored: [beta], accepted: [beta], problem: { isSettled: true } })
    const { checkpoint: next } = await place.open('lost')
    const ids = await next.store.register(keyed('Acme', 'Beta', 'Gamma'))
    expect(await next.plan(hold)).toMatchObject({ poll: 2, submit: 1 })
    expect((await next.read('pending_runs')).map(({ name }) => name).sort()).toEqual(['Acme', 'Beta'])
    // Names of those that were lost are not given again.
    expect(await next.intend(ids[2] ?? 0, startMs)).toMatchObject({
      customId: expect.stringMatching(/_1_1$/) as string,
    })
    await next.close()
    await place.assertSound('lost')
  })

  test('A submission that was said to be never created, and is charged, is taken of the budget', async () => {
    const { checkpoint } = await place.open('twice')
    const [acme = '', beta = ''] = await lose(checkpoint, 'Acme', 'Beta')
    await checkpoint.close()
    await reconcile('twice', `custom_id\trun_id\n${acme}\trun_1\n`, { untilMs: startMs })
    const report = await reconcile(
      'twice',
      `custom_id\trun_id\n${acme}\trun_1\n${acme}\trun_2\n${beta}\trun_3\n`,
    )
    expect(report).toMatchObject({ billedTwice: [acme], accepted: [beta] })
    await place.assertSound('twice')
  })

  test('verify names what does not agree, and changes nothing', async () => {
    const { checkpoint, postgres } = await place.open('wrong')
    await lose(checkpoint, 'Acme')
    await postgres.query(`UPDATE enrich.lookups SET state = 'invalid', attempt = 0`)
    await postgres.query('UPDATE enrich.job_kinds SET reserved = 7')
    await checkpoint.close()
    const before = await place.everyRow('wrong')
    const found = await verifyShared(await place.url('wrong'), {})
    expect(found?.damage).toMatchObject([
      { where: 'jobs', count: 1 },
      { where: 'lookups', count: 1, examples: ['Acme'] },
      { where: 'lookups', count: 1, examples: ['Acme'] },
    ])
    expect(await place.everyRow('wrong')).toEqual(before)
    expect(await verifyShared(await place.url('none'), {})).toBeNull()
  })
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../../src/pipeline/checkpoint/checkpoint.js'
import { settleSharedCharges } from '../../../src/pipeline/checkpoint/postgres/settle-charges.js'
import { openShared } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import { verifyShared } from '../../../src/pipeline/checkpoint/postgres/verify.js'
import { readLedger } from '../../../src/pipeline/checkpoint/charges.js'
import { buildStageLookup } from '../../../src/pipeline/checkpoint/lookup.js'
import { systemClock } from '../../../src/platform/clock.js'
import { systemRandom } from '../../../src/platform/random.js'
import { findPostgres } from '../../support/postgres-server.js'
import { SharedPlace } from './shared-place.js'
import { keyed, scope, startMs } from './support.js'

const programs = findPostgres()
const hold = { nowMs: startMs, maxAgeMs: null, onLost: 'hold' } as const

describe.skipIf(programs === null)('the service’s list of charges, and a checkpoint on PostgreSQL', () => {
  const place = new SharedPlace(programs ?? '')
  const folder = mkdtempSync(join(tmpdir(), 'enrich-ledger-'))
  afterAll(async () => {
    await place.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  async function reconcile(name: string, csv: string, options: { until?: number; isDryRun?: boolean } = {}) {
    writeFileSync(join(folder, 'ledger.csv'), csv)
    const { charges } = await readLedger(join(folder, 'ledger.csv'))
    return settleSharedCharges({
      path: await place.url(name),
      charges,
      scope,
      nowMs: startMs,
      clock: systemClock,
      random: systemRandom,
      completeUntilMs: options.until ?? null,
      isDryRun: options.isDryRun ?? false,
    })
  }

  /** Submits, and learns no answer. */
  async function lose(checkpoint: Checkpoint, ...names: string[]): Promise<string[]> {
    const customIds: string[] = []
    for (const id of await checkpoint.registerLookups(keyed(...names))) {
      const intended = await checkpoint.intend(id, startMs)
      if (typeof intended === 'string') throw new Error(intended)
      await checkpoint.apply({ event: 'lose', lookupId: id, customId: intended.customId, reason: 'reset' })
      customIds.push(intended.customId)
    }
    return customIds
  }

  test('settles what is uncertain: charged is fetched, not in a complete list is submitted again', async () => {
    const { checkpoint } = await place.open('settles')
    const [acme = '', beta = '', gamma = ''] = await lose(checkpoint, 'Acme', 'Beta', 'Gamma')
    const csv = `run_id;custom_id;units\nrun_a;${acme};1\n;${beta};1\nrun_z;order-17;1\n`
    const before = await place.everyRow('settles')
    const tried = await reconcile('settles', csv, { until: startMs, isDryRun: true })
    expect(await place.everyRow('settles')).toEqual(before)
    const report = await reconcile('settles', csv, { until: startMs })
    expect(report).toEqual(tried)
    expect(report).toMatchObject({
      accepted: [acme],
      charged: [beta],
      notCreated: [gamma],
      otherCount: 1,
      problem: null,
    })
    await checkpoint.close()
    const { checkpoint: next } = await place.open('settles')
    await next.registerLookups(keyed('Acme', 'Beta', 'Gamma'))
    expect(await next.plan(hold)).toMatchObject({ poll: 1, uncertain: 1, submit: 1 })
    expect(await next.read('pending_runs')).toMatchObject([{ runId: 'run_a' }])
    await next.close()
    await place.assertSound('settles')
    // Once more, it settles nothing.
    expect(await reconcile('settles', csv, { until: startMs })).toMatchObject({
      accepted: [],
      notCreated: [],
    })
    expect(await verifyShared(await place.url('settles'), {})).toMatchObject({ damage: [], problem: null })
  })

  test('leaves what a living process has in flight, and domains, which bear no custom_id', async () => {
    const { checkpoint } = await place.open('living')
    const [id = 0] = await checkpoint.registerLookups(keyed('Acme'))
    await checkpoint.intend(id, startMs)
    const domains = checkpoint.forKind('domain')
    await domains.follow([buildStageLookup('domain', 'acme.com')], hold)
    const [entry] = await domains.read('to_submit', { after: 0, count: 1 })
    const lookupId = entry?.lookup.lookupId ?? 0
    const intended = await domains.intend(lookupId, startMs)
    if (typeof intended === 'string') throw new Error(intended)
    await domains.apply({ event: 'lose', lookupId, customId: intended.customId, reason: 'reset' })
    const report = await reconcile('living', 'custom_id\n', { until: startMs + 1 })
    expect(report).toMatchObject({ notCreated: [], leftUncertain: [] })
    await checkpoint.close()
  })

  test('that does not say that it is complete, or is older, leaves what is not in it', async () => {
    const { checkpoint } = await place.open('older')
    const [acme] = await lose(checkpoint, 'Acme')
    await checkpoint.close()
    for (const until of [undefined, startMs - 1])
      expect(await reconcile('older', 'custom_id\n', until === undefined ? {} : { until })).toMatchObject({
        leftUncertain: [acme],
        notCreated: [],
      })
  })

  test('puts back what a failover lost, and what it bore goes on counting for its lookup', async () => {
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
      await reconcile('lost', `custom_id,run_id\n${acme},run_a\n${beta},run_b\n`, { until: startMs }),
    ).toMatchObject({ restored: [beta], accepted: [beta], problem: { isSettled: true } })
    const { checkpoint: next } = await place.open('lost')
    const ids = await next.registerLookups(keyed('Acme', 'Beta', 'Gamma'))
    expect(await next.plan(hold)).toMatchObject({ poll: 2, submit: 1 })
    expect((await next.read('pending_runs')).map(({ name }) => name).sort()).toEqual(['Acme', 'Beta'])
    // Names of those that were lost are not given again.
    expect(await next.intend(ids[2] ?? 0, startMs)).toMatchObject({
      customId: expect.stringMatching(/_1_1$/) as string,
    })
    await next.close()
    await place.assertSound('lost')
  })

  test('tells of two charges for one submission; what was said to be never created, and was charged, is taken of the budget', async () => {
    const { checkpoint } = await place.open('twice')
    const [acme = '', beta = ''] = await lose(checkpoint, 'Acme', 'Beta')
    await checkpoint.close()
    await reconcile('twice', `custom_id\trun_id\n${acme}\trun_1\n`, { until: startMs })
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

import { copyFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { buildStageLookup } from '../../../src/pipeline/checkpoint/lookup.js'
import { settleFileCharges } from '../../../src/pipeline/checkpoint/sqlite/settle-charges.js'
import { describeCheckpoints, lose, toChargesRequest } from './openers.js'
import { checkpointFolder, keyed, startMs } from './support.js'

const hold = { nowMs: startMs, maxAgeMs: null, onLost: 'hold' } as const

describeCheckpoints('the list of charges of the service', (at) => {
  const lost = async (name: string, ...names: string[]) => {
    const customIds = await lose(await at.open(name), ...names)
    await at.close()
    return customIds
  }

  test('A charged submission is fetched, and one that is not in a complete list is submitted again', async () => {
    const [acme = '', beta = '', gamma = ''] = await lost('settles', 'Acme', 'Beta', 'Gamma')
    const csv = `run_id;custom_id;units\nrun_a;${acme};1\n;${beta};1\nrun_z;order-17;1\n`
    const before = await at.everyRow('settles')
    const tried = await at.settle('settles', csv, { untilMs: startMs, isDryRun: true })
    expect(await at.everyRow('settles')).toEqual(before)
    const report = await at.settle('settles', csv, { untilMs: startMs })
    expect(report).toEqual(tried)
    expect(report).toMatchObject({
      accepted: [acme],
      charged: [beta],
      notCreated: [gamma],
      otherCount: 1,
      problem: null,
    })
    const next = await at.open('settles')
    await next.store.register(keyed('Acme', 'Beta', 'Gamma'))
    expect(await next.plan(hold)).toMatchObject({ poll: 1, uncertain: 1, submit: 1 })
    expect(await next.read('pending_runs')).toMatchObject([{ runId: 'run_a' }])
    await at.assertSound('settles')
    expect(await at.settle('settles', csv, { untilMs: startMs })).toMatchObject({
      accepted: [],
      notCreated: [],
    })
  })

  test('A list does not settle domains, which have no custom_id', async () => {
    const domain = buildStageLookup('domain', 'acme.com')
    const domains = (await at.open('domains')).forKind('domain')
    await domains.follow([domain], hold)
    const [entry] = await domains.read('to_submit', { after: 0, count: 1 })
    const lookupId = entry?.lookup.lookupId ?? 0
    const { customId } = await domains.intend(lookupId, startMs)
    await domains.apply({ event: 'lose', lookupId, customId, reason: 'reset' })
    await at.close()
    const report = await at.settle('domains', 'custom_id\n', { untilMs: startMs + 1 })
    expect(report).toMatchObject({ notCreated: [], leftUncertain: [] })
    const next = (await at.open('domains')).forKind('domain')
    expect((await next.follow([domain], hold)).plan).toMatchObject({ uncertain: 1, submit: 0 })
  })

  test('A list that is older, or does not say that it is complete, leaves what it does not have', async () => {
    const [acme] = await lost('older', 'Acme')
    for (const options of [{}, { untilMs: startMs - 1 }])
      expect(await at.settle('older', 'custom_id\n', options)).toMatchObject({
        leftUncertain: [acme],
        notCreated: [],
      })
  })

  test('Two charges for one submission are reported', async () => {
    const [acme = '', beta = ''] = await lost('twice', 'Acme', 'Beta')
    const csv = `custom_id\trun_id\n${acme}\trun_1\n${acme}\trun_2\n${beta}\trun_3\n`
    expect(await at.settle('twice', csv)).toMatchObject({
      billedTwice: [acme],
      charged: [acme],
      accepted: [beta],
    })
    await at.assertSound('twice')
  })

  test('A list is read as enrich accounts ledger --json prints it', async () => {
    const [acme = ''] = await lost('json', 'Acme')
    const line = (entry: object) => `${JSON.stringify({ at: '2026-01-01T00:00:00Z', units: 1, ...entry })}\n`
    const lines =
      line({ kind: 'grant', runId: null, customId: null }) +
      line({ kind: 'charge', runId: 'run_a', customId: acme })
    expect(await at.settle('json', lines)).toMatchObject({ accepted: [acme] })
  })

  test.each<[how: string, pack: (csv: string) => string | Buffer]>([
    ['compressed', (csv) => gzipSync(csv)],
    ['in UTF-16', (csv) => Buffer.from(`\ufeff${csv}`, 'utf16le')],
    ['in an unknown encoding', (csv) => Buffer.from(csv, 'latin1')],
    ['below titles', (csv) => `Charges of January\n\n${csv}`],
  ])('A list %s is read', async (how, pack) => {
    const [acme = ''] = await lost(how, 'Acme')
    const csv = `run_id;custom_id;units;note\nrun_a;${acme};1;M\xfcller\nrun_b;other;1;x\n`
    expect(await at.settle(how, pack(csv))).toMatchObject({ accepted: [acme], otherCount: 1 })
  })

  test.each(['', 'name,units\nAcme,1\n', '{"a":1}\n', '{"customId":\n', 'custom_id\n"a\n'])(
    '%j is not a list of charges',
    async (text) => {
      await at.open('none')
      await expect(at.settle('none', text)).rejects.toMatchObject({ code: 'LEDGER_INVALID', exitCode: 2 })
    },
  )
})

test('The list restores what a rollback of the file lost, and runs are refused until all of it is found', async () => {
  const at = checkpointFolder()
  onTestFinished(at.remove)
  const settle = async (csv: string, options = {}) =>
    settleFileCharges({ path: at.path(), ...(await toChargesRequest(at.path('.'), csv, options)) })
  at.open()
  at.close()
  await at.open().store.register(keyed('Acme', 'Beta', 'Gamma'))
  at.close()
  copyFileSync(at.path(), at.path('backup'))
  const [acme = '', beta = ''] = await lose(at.open(), 'Acme', 'Beta')
  at.close()
  copyFileSync(at.path('backup'), at.path())
  expect(await settle(`custom_id,run_id\n${acme},run_a\n`)).toMatchObject({
    restored: [acme],
    problem: { code: 'CHECKPOINT_BEHIND', isSettled: false },
  })
  expect(() => at.open()).toThrow(expect.objectContaining({ exitCode: 2 }) as Error)
  expect(
    await settle(`custom_id,run_id\n${acme},run_a\n${beta},run_b\n`, { untilMs: startMs }),
  ).toMatchObject({ restored: [beta], problem: { isSettled: true } })
  const next = at.open()
  await next.store.register(keyed('Acme', 'Beta', 'Gamma'))
  expect(await next.plan(hold)).toMatchObject({ poll: 2, submit: 1 })
})

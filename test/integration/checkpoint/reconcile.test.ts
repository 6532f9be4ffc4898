import { copyFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type OwnCheckpoint as Checkpoint,
  openCheckpoint,
} from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import {
  settleFileCharges,
  type ChargesRequest,
} from '../../../src/pipeline/checkpoint/sqlite/settle-charges.js'
import { buildStageLookup } from '../../../src/pipeline/checkpoint/lookup.js'
import { verifyFile } from '../../../src/pipeline/checkpoint/sqlite/verify.js'
import { readLedger } from '../../../src/pipeline/checkpoint/charges.js'
import { systemRandom } from '../../../src/platform/random.js'
import { checkpointFolder, everyRow, job, keyed, scope, startMs } from './support.js'

let at: ReturnType<typeof checkpointFolder>
beforeEach(() => {
  at = checkpointFolder()
})
afterEach(() => {
  at.remove()
})

const hold = { nowMs: startMs, maxAgeMs: null, onLost: 'hold' } as const
const open = () => openCheckpoint({ path: at.path(), scope, job, nowMs: startMs, random: systemRandom })

/** Submits, and learns no answer. */
async function lose(checkpoint: Checkpoint, ...names: string[]): Promise<string[]> {
  const customIds: string[] = []
  for (const id of await checkpoint.registerLookups(keyed(...names))) {
    const { customId } = await checkpoint.intend(id, startMs)
    await checkpoint.apply({ event: 'lose', lookupId: id, customId, reason: 'reset' })
    customIds.push(customId)
  }
  return customIds
}

async function reconcile(csv: string | Buffer, options: Partial<ChargesRequest> = {}) {
  writeFileSync(at.path('ledger.csv'), csv)
  const { charges } = await readLedger(at.path('ledger.csv'))
  const request = {
    path: at.path(),
    charges,
    completeUntilMs: null,
    scope,
    isDryRun: false,
    nowMs: startMs,
    random: systemRandom,
  }
  return settleFileCharges({ ...request, ...options })
}

describe('the service’s list of charges', () => {
  test('settles what is uncertain: charged is fetched, not in a complete list is submitted again', async () => {
    const checkpoint = open()
    const [acme = '', beta = '', gamma = ''] = await lose(checkpoint, 'Acme', 'Beta', 'Gamma')
    checkpoint.close()
    const csv = `run_id;custom_id;units\nrun_a;${acme};1\n;${beta};1\nrun_z;order-17;1\n`
    const before = everyRow(at.path())
    const tried = await reconcile(csv, { isDryRun: true, completeUntilMs: startMs })
    expect(everyRow(at.path())).toEqual(before)
    const report = await reconcile(csv, { completeUntilMs: startMs })
    expect(report).toEqual(tried)
    expect(report).toMatchObject({
      accepted: [acme],
      charged: [beta],
      notCreated: [gamma],
      otherCount: 1,
      problem: null,
    })
    const next = open()
    await next.registerLookups(keyed('Acme', 'Beta', 'Gamma'))
    expect(await next.plan(hold)).toMatchObject({ poll: 1, uncertain: 1, submit: 1 })
    expect(await next.read('pending_runs')).toEqual([expect.objectContaining({ runId: 'run_a' })])
    next.close()
    expect(verifyFile(at.path())).toMatchObject({ damage: [], problem: null })
  })

  test('says nothing of domains, which bear no custom_id: one that is uncertain stays held', async () => {
    const domain = buildStageLookup('domain', 'acme.com')
    const first = open()
    await first.forKind('domain').follow([domain], hold)
    const [entry] = await first.forKind('domain').read('to_submit', { after: 0, count: 1 })
    const lookupId = entry?.lookup.lookupId ?? 0
    const { customId } = await first.forKind('domain').intend(lookupId, startMs)
    await first.forKind('domain').apply({ event: 'lose', lookupId, customId, reason: 'reset' })
    first.close()
    const report = await reconcile('custom_id\n', { completeUntilMs: startMs + 1 })
    expect(report).toMatchObject({ notCreated: [], leftUncertain: [] })
    const next = open()
    expect((await next.forKind('domain').follow([domain], hold)).plan).toMatchObject({
      uncertain: 1,
      submit: 0,
    })
    next.close()
  })

  test('that does not say that it is complete, or is older, leaves what is not in it', async () => {
    const checkpoint = open()
    const [acme] = await lose(checkpoint, 'Acme')
    checkpoint.close()
    for (const completeUntilMs of [null, startMs - 1])
      expect(await reconcile('custom_id\n', { completeUntilMs })).toMatchObject({
        leftUncertain: [acme],
        notCreated: [],
      })
  })

  test('puts back what a rollback lost, and settles it once all of it is found', async () => {
    open().close()
    const first = open()
    await first.registerLookups(keyed('Acme', 'Beta', 'Gamma'))
    first.close()
    copyFileSync(at.path(), at.path('backup'))
    const later = open()
    const [acme = '', beta = ''] = await lose(later, 'Acme', 'Beta')
    later.close()
    copyFileSync(at.path('backup'), at.path())
    expect(await reconcile(`custom_id,run_id\n${acme},run_a\n`)).toMatchObject({
      restored: [acme],
      problem: { code: 'CHECKPOINT_BEHIND', isSettled: false },
    })
    expect(() => open()).toThrow(expect.objectContaining({ exitCode: 2 }) as Error)
    expect(
      await reconcile(`custom_id,run_id\n${acme},run_a\n${beta},run_b\n`, { completeUntilMs: startMs }),
    ).toMatchObject({
      restored: [beta],
      problem: { isSettled: true },
    })
    const next = open()
    await next.registerLookups(keyed('Acme', 'Beta', 'Gamma'))
    expect(await next.plan(hold)).toMatchObject({ poll: 2, submit: 1 })
    next.close()
  })

  test('tells of two charges for one submission, and of a run that another has', async () => {
    const checkpoint = open()
    const [acme = '', beta = ''] = await lose(checkpoint, 'Acme', 'Beta')
    checkpoint.close()
    const report = await reconcile(`custom_id\trun_id\n${acme}\trun_1\n${acme}\trun_2\n${beta}\trun_3\n`)
    expect(report).toMatchObject({ billedTwice: [acme], charged: [acme], accepted: [beta] })
  })

  test('is read as enrich accounts ledger --json prints it', async () => {
    const checkpoint = open()
    const [acme = ''] = await lose(checkpoint, 'Acme')
    checkpoint.close()
    const line = (entry: object) => `${JSON.stringify({ at: '2026-01-01T00:00:00Z', units: 1, ...entry })}\n`
    const lines =
      line({ kind: 'grant', runId: null, customId: null }) +
      line({ kind: 'charge', runId: 'run_a', customId: acme })
    expect(await reconcile(lines)).toMatchObject({ accepted: [acme] })
  })

  test.each<[string, (csv: string) => string | Buffer]>([
    ['packed', (csv) => gzipSync(csv)],
    ['in UTF-16', (csv) => Buffer.from(`\ufeff${csv}`, 'utf16le')],
    ['in an encoding nobody can tell', (csv) => Buffer.from(csv, 'latin1')],
    ['below titles', (csv) => `Charges of January\n\n${csv}`],
  ])('is read %s', async (_how, packed) => {
    const checkpoint = open()
    const [acme = ''] = await lose(checkpoint, 'Acme')
    checkpoint.close()
    const csv = `run_id;custom_id;units;note\nrun_a;${acme};1;M\xfcller\nrun_b;other;1;x\n`
    expect(await reconcile(packed(csv))).toMatchObject({ accepted: [acme], otherCount: 1 })
  })

  test.each(['', 'name,units\nAcme,1\n', '{"a":1}\n', '{"customId":\n', 'custom_id\n"a\n'])(
    '%j is no such list',
    async (text) => {
      open().close()
      await expect(reconcile(text)).rejects.toMatchObject({ code: 'LEDGER_INVALID', exitCode: 2 })
    },
  )
})

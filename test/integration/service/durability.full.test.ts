import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startService, type ServiceOptions } from '../../../src/service/service.js'
import { callUntilKilled, startChild, type Child } from '../../support/child-process.js'
import { fakeKnowledge, matchOf } from '../../support/fake-knowledge.js'
import { connect, kickoffPath, type ServiceClient } from '../../support/service-client.js'
import { keys } from '../../support/keys.js'
import { makeFolder } from '../../support/temporary-folder.js'

const childModule = import.meta.resolve('../../support/service-child.ts')

const folder = makeFolder()

function options(dataFolder: string, more: Partial<ServiceOptions> = {}): ServiceOptions {
  return {
    knowledge: fakeKnowledge({ answers: { Acme: matchOf() } }),
    dataFolder,
    listen: { host: '127.0.0.1', port: 0 },
    accounts: [{ name: 'alice', apiKey: keys.alice }],
    rateLimits: 'none',
    ...more,
  }
}

/** Kicks off until the service is gone; what it acknowledged. */
const kickOffUntilKilled = (client: ServiceClient, child: Child, killAfterCount: number) =>
  callUntilKilled(child, killAfterCount, async () => {
    const body = { name: 'Acme', include: 'basis', custom_id: 'x' }
    const reply = await client.post(kickoffPath, body).catch(() => null)
    if (reply === null) return null
    expect(reply.status).toBe(202)
    return String(reply.json.run_id)
  })

describe('durability', () => {
  test('DUR-01 KICK-32 RUN-12 ID-18 what was acknowledged before kill -9 is billed once and finishes', async () => {
    const dataFolder = join(folder, 'killed')
    const acknowledged = new Set<string>()
    const seen = new Map<string, string>()
    for (const killAfterCount of [1, 40, 300]) {
      const child = startChild(childModule, dataFolder, '200')
      const client = connect(await child.nextLine(), keys.alice)
      for (const [runId, text] of seen) expect((await client.get(`/v3/runs/${runId}`)).text).toBe(text)
      for (const id of await kickOffUntilKilled(client, child, killAfterCount)) acknowledged.add(id)
      await child.kill()
      // A result seen in one life is the same in the next.
      const between = await startService(options(dataFolder, { researchMs: { min: 0, max: 600_000 } }))
      const reader = connect(between.url, keys.alice)
      for (const runId of [...acknowledged].slice(0, 40)) {
        const reply = await reader.get(`/v3/runs/${runId}?include=basis`)
        if (reply.status === 200) seen.set(`${runId}?include=basis`, reply.text)
      }
      await between.close()
    }

    const service = await startService(options(dataFolder))
    const client = connect(service.url, keys.alice)
    for (const runId of acknowledged) {
      const run = await client.untilDone(`/v3/runs/${runId}`)
      expect(run.json).toMatchObject({ run_id: runId, custom_id: 'x', status: 'COMPLETED' })
    }
    const billed = service.ledger('alice').map((entry) => entry.run_id)
    expect(new Set(billed).size).toBe(billed.length)
    expect(billed).toEqual(expect.arrayContaining([...acknowledged]))
    // Whatever was stored without its answer arriving is billed as well, and finishes as well.
    for (const runId of billed) await client.untilDone(`/v3/runs/${runId}`)
    expect(service.runCount()).toEqual({ pending: 0, completed: billed.length, failed: 0 })
    await service.close()
  })

  test('runs that were open at a close finish after the next start, though research takes less time now', async () => {
    const dataFolder = join(folder, 'reopened')
    const first = await startService(options(dataFolder, { researchMs: { min: 3_600_000, max: 3_600_000 } }))
    const kickoff = await connect(first.url, keys.alice).get(`${kickoffPath}?name=Acme`)
    await first.close()
    const second = await startService(options(dataFolder))
    const job = await connect(second.url, keys.alice).untilDone(`/v3/jobs/${String(kickoff.json.job_id)}`)
    expect(job.json.status).toBe('matched')
    await second.close()
  })

  test('credit used in an earlier life stays used', async () => {
    const dataFolder = join(folder, 'credit')
    const accounts = [{ name: 'alice', apiKey: keys.alice, creditUnits: 2 }]
    const statuses: number[] = []
    for (let life = 0; life < 3; life++) {
      const service = await startService(options(dataFolder, { accounts }))
      statuses.push((await connect(service.url, keys.alice).post(kickoffPath, { name: 'Acme' })).status)
      await service.close()
    }
    expect(statuses).toEqual([202, 202, 402])
  })
})

describe('starting', () => {
  test('a data folder serves one process at a time', async () => {
    const dataFolder = join(folder, 'shared')
    const child = startChild(childModule, dataFolder, '0')
    await child.nextLine()
    await expect(startService(options(dataFolder))).rejects.toMatchObject({
      code: 'SERVICE_DATA_IN_USE',
      exitCode: 11,
    })
    await child.kill()
    const after = await startService(options(dataFolder))
    await after.close()
  })

  test('a port that is taken is a LISTEN_FAILED that says so, and the data folder is free again', async () => {
    const dataFolder = join(folder, 'port')
    const first = await startService(options(join(folder, 'port-holder')))
    const listen = { host: first.host, port: first.port }
    await expect(startService(options(dataFolder, { listen }))).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: `cannot listen on 127.0.0.1:${first.port}: the port is taken`,
    })
    await first.close()
    const second = await startService(options(dataFolder, { listen }))
    expect(second.url).toBe(first.url)
    await second.close()
  })

  test('an address that is not ours is a LISTEN_FAILED', async () => {
    const listen = { host: '203.0.113.1', port: 0 }
    await expect(startService(options(join(folder, 'address'), { listen }))).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
    })
  })

  test('a service.sqlite that is none, or of a newer version, is SERVICE_DATA_INVALID', async () => {
    const none = mkdtempSync(join(folder, 'none-'))
    writeFileSync(join(none, 'service.sqlite'), 'this is no database'.repeat(1_000))
    await expect(startService(options(none))).rejects.toMatchObject({ code: 'SERVICE_DATA_INVALID' })
    const file = join(none, 'a-file')
    writeFileSync(file, '')
    await expect(startService(options(file))).rejects.toMatchObject({ code: 'SERVICE_DATA_INVALID' })
  })

  test('close can be called twice, and leaves nothing listening', async () => {
    const service = await startService(options(join(folder, 'twice')))
    await Promise.all([service.close(), service.close()])
    await expect(connect(service.url, keys.alice).get('/v3/runs/run_1')).rejects.toThrow()
  })
})

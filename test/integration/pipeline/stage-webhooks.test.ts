import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseWebhookSecrets } from '../../../src/core/webhook-signature.js'
import { readInboxCounts } from '../../../src/pipeline/inbox/inbox.js'
import { companyWorld, runStages, tapService, writeCompanies } from '../../support/stage-job.js'
import { startWebhookService } from '../../support/webhook-service.js'
import { freePort } from '../../support/webhook-sender.js'

const nameCount = 8
const companyCount = 4

const folder = mkdtempSync(join(tmpdir(), 'enrich-stage-webhooks-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('records and domains that are still being built are sent, and need not be polled for', async () => {
  writeCompanies(folder, nameCount)
  const it = await startWebhookService({
    knowledge: companyWorld(nameCount, companyCount),
    researchMs: { min: 0, max: 50 },
    buildMs: { min: 200, max: 400 },
  })
  const tap = await tapService(it.service.url)
  afterAll(tap.close)
  const port = await freePort()
  const summary = await runStages(folder, tap.url, {
    webhooks: {
      url: `http://127.0.0.1:${port}/enrich`,
      receiver: {
        listen: { host: '127.0.0.1', port },
        keys: parseWebhookSecrets(it.secretsOf('alice').join(' ')),
      },
    },
  })
  expect(summary.stop).toBeNull()
  for (const stage of summary.stages)
    expect(stage).toMatchObject({ answeredCount: companyCount, pendingCount: 0, uncertainCount: 0 })
  // A poll below webhooks would come minutes later: each event was taken, and answered what it was for.
  expect(readInboxCounts(join(folder, 'checkpoint.sqlite'))).toEqual({
    waiting: 0,
    taken: nameCount + 2 * companyCount,
    unclaimed: 0,
    quarantined: 0,
  })
}, 60_000)

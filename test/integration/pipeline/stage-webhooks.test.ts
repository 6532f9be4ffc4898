import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseWebhookSecrets } from '../../../src/core/webhooks.js'
import { readInboxCounts } from '../../../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import type { InboxCounts } from '../../../src/pipeline/checkpoint/inbox.js'
import type { RunSummary } from '../../../src/pipeline/history/run-summary.js'
import { createFaults, faultPlan, type FaultPlan } from '../../../src/service/faults.js'
import { companyWorld, runStages, tapService, writeCompanies, type Tap } from '../../support/stage-job.js'
import { startWebhookService } from '../../support/webhook-service.js'
import { freePort } from '../../support/loopback-server.js'
import { makeFolder } from '../../support/temporary-folder.js'

const nameCount = 8
const companyCount = 4

const base = makeFolder()

/** A run with all stages whose answers are sent to it. */
async function runReceiving(
  name: string,
  faults: FaultPlan,
): Promise<{ summary: RunSummary; tap: Tap; inbox: InboxCounts | null }> {
  const folder = join(base, name)
  writeCompanies(folder, nameCount)
  const it = await startWebhookService({
    knowledge: companyWorld(nameCount, companyCount),
    researchMs: { min: 0, max: 50 },
    buildMs: { min: 200, max: 400 },
    faults: createFaults(faults),
  })
  const tap = await tapService(it.service.url)
  afterAll(() => tap.close())
  const port = await freePort()
  const summary = await runStages(folder, tap.url, {
    requests: {
      webhooks: {
        url: `http://127.0.0.1:${port}/enrich`,
        receiver: {
          listen: { host: '127.0.0.1', port },
          keys: parseWebhookSecrets(it.secretsOf('alice').join(' ')),
        },
      },
    },
  })
  return { summary, tap, inbox: readInboxCounts(join(folder, 'checkpoint.sqlite')) }
}

test('records and domains that are still being built are sent, and need not be polled for', async () => {
  const { summary, inbox } = await runReceiving('whole', faultPlan.parse({}))
  expect(summary.stop).toBeNull()
  for (const stage of summary.stages)
    expect(stage).toMatchObject({ answeredCount: companyCount, pendingCount: 0, uncertainCount: 0 })
  // A poll below webhooks would come minutes later: each event was taken, and answered what it was for.
  expect(inbox).toEqual({
    waiting: 0,
    taken: nameCount + 2 * companyCount,
    unclaimed: 0,
    quarantined: 0,
  })
}, 60_000)

test('a domain whose answer was lost is named by its event, and is uncertain no more', async () => {
  const lost = { fault: 'lost_answer', rate: 1, routes: ['requestDomain'] }
  const { summary, tap, inbox } = await runReceiving('lost', faultPlan.parse({ requests: [lost] }))
  expect(summary.stages.find(({ kind }) => kind === 'domain')).toMatchObject({
    answeredCount: companyCount,
    uncertainCount: 0,
    stop: null,
  })
  expect(inbox).toMatchObject({ waiting: 0, unclaimed: 0, quarantined: 0 })
  expect([...tap.begun].filter(([, count]) => count > 1)).toEqual([])
}, 60_000)

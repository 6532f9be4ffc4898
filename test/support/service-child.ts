import { systemClock } from '../../src/platform/clock.js'
import { startService } from '../../src/service/service.js'
import { fakeKnowledge, fullRecord, matchOf } from './fake-knowledge.js'
import { keys } from './keys.js'

/**
 * Serves a data folder until it is killed, with local webhooks, by a clock that is so much ahead; says its address
 * on standard output.
 */
export async function main(dataFolder: string, researchMsMax: string, aheadMs = '0'): Promise<void> {
  const service = await startService({
    knowledge: fakeKnowledge({
      answers: { Acme: matchOf(), Broken: new Error('the index is gone') },
      entities: [fullRecord()],
    }),
    dataFolder,
    listen: { host: '127.0.0.1', port: 0 },
    accounts: [{ name: 'alice', apiKey: keys.alice }],
    rateLimits: 'none',
    allowLocalWebhooks: true,
    // Nobody here looks at one.
    pages: false,
    researchMs: { min: 0, max: Number(researchMsMax) },
    buildMs: { min: 0, max: Number(researchMsMax) },
    clock: { ...systemClock, nowMs: () => systemClock.nowMs() + Number(aheadMs) },
  })
  process.stdout.write(`${service.url}\n`)
}

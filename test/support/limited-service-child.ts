import { systemClock } from '../../src/platform/clock.js'
import { startService } from '../../src/service/service.js'
import { fakeKnowledge } from './fake-knowledge.js'
import { keys } from './keys.js'

/**
 * Serves a data folder under the limits of the interface until it is killed, at a time that stands still, so
 * that no minute ends meanwhile; says its address on standard output.
 */
export async function main(dataFolder: string, nowMs: string): Promise<void> {
  const service = await startService({
    knowledge: fakeKnowledge(),
    dataFolder,
    listen: { host: '127.0.0.1', port: 0 },
    accounts: [{ name: 'alice', apiKey: keys.alice }],
    rateLimits: 'spec',
    pages: false,
    clock: { ...systemClock, nowMs: () => Number(nowMs) },
  })
  process.stdout.write(`${service.url}\n`)
}

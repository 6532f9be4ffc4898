import { afterAll } from 'vitest'
import { startService, type RunningService, type ServiceOptions } from '../../src/service/service.js'
import { fakeKnowledge, matchOf, sampleRecord } from './fake-knowledge.js'
import { keys } from './keys.js'
import { connect, type ServiceClient } from './service-client.js'

export { keys } from './keys.js'

export interface TestService {
  readonly service: RunningService
  readonly alice: ServiceClient
  readonly bob: ServiceClient
  /** Of an account that v3 is not enabled for. */
  readonly closed: ServiceClient
  readonly nobody: ServiceClient
  readonly logged: string[]
}

/**
 * The real service on a free port of the loopback, in memory and without limits unless told otherwise, with a
 * knowledge of `Acme` (a match) and `Broken` (research that throws). Closed when the test file ends.
 */
export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const logged: string[] = []
  const service = await startService({
    knowledge: fakeKnowledge({
      answers: { Acme: matchOf(), Broken: new Error('the index is gone: /secret/path') },
      entities: [sampleRecord()],
      merged: { siq_older: 'siq_old', siq_old: 'siq_acme' },
    }),
    dataFolder: null,
    listen: { host: '127.0.0.1', port: 0 },
    accounts: [
      { name: 'alice', apiKey: keys.alice },
      { name: 'bob', apiKey: keys.bob },
      { name: 'closed', apiKey: keys.closed, v3Enabled: false },
    ],
    rateLimits: 'none',
    log: (line) => logged.push(line),
    ...options,
  })
  afterAll(() => service.close())
  return {
    service,
    alice: connect(service.url, keys.alice),
    bob: connect(service.url, keys.bob),
    closed: connect(service.url, keys.closed),
    nobody: connect(service.url, null),
    logged,
  }
}

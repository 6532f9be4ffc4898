import { afterAll, describe, expect, test } from 'vitest'
import { createMatcherPool } from '../../../src/app/matcher-pool.js'
import { createKnowledge } from '../../../src/app/registry-adapter.js'
import { createServiceClient } from '../../../src/client/client.js'
import { createLocalTransport } from '../../../src/client/transport.js'
import { toResolutionText } from '../../../src/service/runs/run-outcome.js'
import { startLocalService } from '../../../src/service/local-service.js'
import type { Exchange } from '../../../src/core/http-exchange.js'
import { leiOf } from '../../support/made-identifiers.js'
import { registryOf, sampleRows } from '../../support/registry.js'
import { kickoffPath } from '../../support/service-client.js'
import { keys, startTestService } from '../../support/test-service.js'

const registry = registryOf(sampleRows)
afterAll(() => {
  registry.close()
})
const knowledge = createKnowledge(registry)
const ibm = 'International Business Machines Corporation'

/** What is asked, and what the answer says: its status, its confidence, and whom it names. */
const questions = {
  'LEI VGRQXHF3J8VDLUA7XE92': ['matched', 99, ibm],
  'company number GB 1234567': ['matched', 99, 'Acme Widgets Limited'],
  'IBM (CIK 51143)': ['matched', 99, ibm],
  'Acme Widgets (CIK 51143)': ['inconclusive', 50, ibm],
  'CIK 51143, company number GB 01234567': ['inconclusive', 50, ibm],
  [`LEI ${leiOf(1)}`]: ['no_match', 0, null],
  'LEI VGRQXHF3J8VDLUA7XE93': ['not_found', 0, null],
  'www.ibm.com': ['matched', 96, ibm],
} as const

interface Body {
  readonly run_id: string
  readonly status: string
  readonly data: {
    readonly status: string
    readonly match_confidence: number
    readonly entity: { readonly legal_name: string } | null
    readonly candidate: { readonly legal_name: string } | null
  } | null
}

const saidBy = ({ data }: Body) =>
  data && [data.status, data.match_confidence, data.entity?.legal_name ?? data.candidate?.legal_name ?? null]

function bodyOf(exchange: Exchange): Body {
  if (exchange.kind !== 'reply') throw new Error('no reply')
  return exchange.body as Body
}

describe('a question by identifier', () => {
  test('over HTTP', async () => {
    const { alice } = await startTestService({ knowledge })
    for (const [name, said] of Object.entries(questions)) {
      const { run_id } = (await alice.post(kickoffPath, { name })).json as unknown as Body
      const done = await alice.untilDone(`/v3/runs/${run_id}`)
      expect([name, saidBy(done.json as unknown as Body)]).toEqual([name, said])
    }
    const found = (await alice.get('/v2/search?name=CIK%2051143')).json['results'] as { name: string }[]
    expect(found.map(({ name }) => name)).toEqual([ibm])
    const args = { name: 'search_legal_entities', arguments: { name: 'IBM (CIK 51143)' } }
    const tool = await alice.post('/v1/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: args })
    expect(tool.text).toContain(ibm)
  })

  test('by a domain that no register states: said in plain words, in whatever form it was asked', async () => {
    const { alice } = await startTestService({ knowledge })
    for (const domain of ['norvane.co.uk', 'https://shop.norvane.co.uk/x', 'jane@mail.norvane.co.uk']) {
      let { json } = await alice.post('/v3/domain-intelligence', { domain })
      while (json['status'] === 'building')
        ({ json } = await alice.post('/v3/domain-intelligence', { domain }))
      expect(json).toMatchObject({
        domain: 'norvane.co.uk',
        message: expect.stringContaining('No register') as string,
        data: {
          status: 'no_match',
          factors: [{ description: 'No register in this registry states a website under norvane.co.uk.' }],
        },
      })
    }
  })

  test('in process, the same', async () => {
    const service = startLocalService({ knowledge, apiKey: keys.alice, runsMax: 100 })
    const client = createServiceClient({ apiKey: keys.alice }, createLocalTransport(service.answer))
    for (const [name, said] of Object.entries(questions)) {
      const kickoff = bodyOf(await client.kickoffRun({ name }))
      let body = bodyOf(await client.pollRun(kickoff.run_id, {}))
      while (body.status === 'PENDING') {
        await new Promise((resolve) => setImmediate(resolve))
        body = bodyOf(await client.pollRun(kickoff.run_id, {}))
      }
      expect([name, saidBy(body)]).toEqual([name, said])
    }
    await client.close()
    await service.close()
  })

  test('needs no thread: before there are any, this one answers, and the same', async () => {
    const pool = createMatcherPool({
      registry,
      registryPath: null,
      threadCount: 1,
      start: 'with_work',
      log: () => undefined,
    })
    for (const name of Object.keys(questions)) {
      const query = { name, location: null, context: null }
      expect(pool.resolve(query)).toEqual(toResolutionText(knowledge.resolve(query)))
    }
    expect(pool.openThreadCount()).toBe(0)
    await pool.close()
  })
})

import { describe, expect, test } from 'vitest'
import type { Transport, TransportRequest } from '../../src/client/transport.js'
import { decideSome, judgeDecided, openDecidedWorld } from './decided-world.js'
import { assertAnswersStand, assertResolutionWentOn } from './stage-invariants.js'
import type { LookupOnDisk } from './invariants.js'
import { answeredWithAnother, readBeforeAsked, readThrice, sentAgainAfterLoss } from './sabotage.js'
import { simulate, type WorldOptions } from './simulate.js'
import type { FailingService } from './failing-service.js'

/** What the judge says of the first of these worlds that is found broken; null where he lets all of them pass. */
async function foundIn(options: WorldOptions): Promise<string | null> {
  for (let seed = 1; seed <= 40; seed++) {
    try {
      await simulate(seed, options)
    } catch (error) {
      return (error as Error).message
    }
  }
  return null
}

describe('a rule that is broken on purpose is found', () => {
  test('what is decided is submitted, or waited for', () => {
    const world = openDecidedWorld(1)
    const asked = [{ kind: 'resolution', name: 'Company 1' } as const]
    while (world.standing.size === 0) decideSome(world, asked, 1)
    const transport: Transport = {
      exchange: () => Promise.resolve({ kind: 'no_reply', sent: 'no', reason: 'refused' }),
      close: () => Promise.resolve(),
    }
    const ledger = [{ runId: 'run_1', name: 'Company 1' }]
    const service = { ledger } as unknown as FailingService
    const requests: TransportRequest[] = [
      { method: 'POST', path: '/v3/entity-resolution/async', headers: {}, body: '{"name":"Company 1"}' },
      { method: 'GET', path: '/v3/runs/run_1?include=basis', headers: {} },
    ]
    for (const request of requests) {
      const heard = { ...world, broken: null }
      void judgeDecided(transport, heard, service, false).exchange(request)
      expect(heard.broken).toMatch(/Company 1, which is decided/)
      const undecided = { ...world, standing: new Map(), broken: null }
      void judgeDecided(transport, undecided, service, false).exchange(request)
      expect(undecided.broken).toBeNull()
    }
  })

  test.each([
    [
      'research is asked for again after a loss',
      sentAgainAfterLoss('hierarchyPosts'),
      /^hierarchy .* asked for 2 times/,
    ],
    [
      'a domain is asked for again after a loss',
      sentAgainAfterLoss('domains'),
      /^domain .* asked for 2 times/,
    ],
    ['a domain is read before it was asked for', readBeforeAsked, /^domain .* begun by a read/],
    ['a row gets the record and the owners of another', answeredWithAnother, /has the answer of/],
    ['more is read than a minute allows', readThrice, /requests of \w+ by .* in a minute/],
  ])('%s', async (_, sabotage, message) => {
    expect(await foundIn({ stages: true, sabotage })).toMatch(message)
  })

  test('the service is asked for what the own registry answers', async () => {
    expect(await foundIn({ first: 'unread' })).toMatch(/was submitted, which the registry answers/)
  })

  const lookup: LookupOnDisk = {
    lookupId: 1,
    kind: 'resolution',
    base: 'https://service.test',
    name: 'Company 1',
    state: 'answered',
    runId: 'run_1',
    outcome: null,
    line: '{"a":1}',
    answeredRunId: 'run_1',
  }

  test('an answer is written over', () => {
    const lines = new Map<number, string>()
    assertAnswersStand({ lookups: [lookup], submissions: [] }, lines)
    const after = { lookups: [{ ...lookup, line: '{"a":2}' }], submissions: [] }
    expect(() => {
      assertAnswersStand(after, lines)
    }).toThrow(/written over/)
  })

  test('the stop of a stage stops resolution', () => {
    expect(() => {
      assertResolutionWentOn({ lookups: [{ ...lookup, state: 'new' }], submissions: [] })
    }).toThrow(/left new/)
  })
})

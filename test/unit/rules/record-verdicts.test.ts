import { describe, expect, test } from 'vitest'
import type { Exchange } from '../../../src/core/http-exchange.js'
import {
  judgeEntityKickoff,
  judgeRecordKickoff,
  judgeRecordPoll,
  readRecordOutcome,
} from '../../../src/pipeline/scheduler/record-verdicts.js'

const reply = (status: number, body: unknown, headers: Record<string, string> = {}): Exchange => ({
  kind: 'reply',
  status,
  headers,
  body,
  bodyFault: body === undefined ? 'the body is empty' : null,
})
const noReply = (sent: 'no' | 'maybe'): Exchange => ({ kind: 'no_reply', sent, reason: 'reset' })

const entity = (parts: object = {}) => ({
  status: 'matched',
  merged_into: null,
  entity: { id: 'siq_a' },
  enrichment: { status: 'complete', updated_at: null },
  ...parts,
})
const hierarchy = (status: string, data: unknown = null) => ({ entity_id: 'siq_a', status, data })
const domain = (status: string, data: unknown = null) => ({ domain: 'acme.com', status, data })

describe('the first read of an entity costs nothing, so nothing about it is uncertain', () => {
  test.each<[string, Exchange, string]>([
    ['complete: answered at once', reply(200, entity()), 'answered'],
    ['no enrichment: taken as it is', reply(200, entity({ enrichment: undefined })), 'answered'],
    ['building: it runs', reply(200, entity({ enrichment: { status: 'building' } })), 'accepted'],
    ['a state that nobody knows: it runs', reply(200, entity({ enrichment: { status: 'x' } })), 'accepted'],
    ['failed', reply(200, entity({ enrichment: { status: 'failed' } })), 'answered'],
    [
      'merged: the record is that of the other',
      reply(200, entity({ status: 'merged', entity: { id: 'siq_b' } })),
      'answered',
    ],
    ['another entity', reply(200, entity({ entity: { id: 'siq_b' } })), 'not_sent'],
    ['no entity', reply(200, {}), 'not_sent'],
    ['no body', reply(200, undefined), 'not_sent'],
    ['unknown', reply(404, {}), 'answered'],
    ['malformed id', reply(400, {}), 'invalid'],
    ['wrong key', reply(401, {}), 'refused'],
    ['not enabled', reply(403, {}), 'refused'],
    ['minute full', reply(429, {}), 'rate_limited'],
    ['server error', reply(500, {}), 'not_sent'],
    ['gateway', reply(502, {}), 'not_sent'],
    ['lost', noReply('maybe'), 'not_sent'],
    ['never sent', noReply('no'), 'not_sent'],
  ])('%s', (_, exchange, kind) => {
    expect(judgeEntityKickoff(exchange, 'siq_a', 0).kind).toBe(kind)
  })

  test('an unknown id is an answer', () => {
    const verdict = judgeEntityKickoff(reply(404, {}), 'siq_a', 0)
    if (verdict.kind !== 'answered') throw new Error(verdict.kind)
    expect(readRecordOutcome('entity', verdict.run, verdict.failed)).toBe('not_found')
  })
})

describe('a request for research, or for a domain, may have been taken where its answer is lost', () => {
  test.each<['hierarchy' | 'domain', string, Exchange, string]>([
    ['hierarchy', 'in progress', reply(202, hierarchy('in_progress')), 'accepted'],
    ['hierarchy', 'completed', reply(200, hierarchy('completed', { evidence: [] })), 'answered'],
    ['hierarchy', 'not begun yet', reply(202, hierarchy('not_started')), 'accepted'],
    ['hierarchy', 'failed before', reply(202, hierarchy('failed')), 'accepted'],
    ['hierarchy', 'of another', reply(202, { ...hierarchy('in_progress'), entity_id: 'siq_b' }), 'unknown'],
    ['hierarchy', 'no body', reply(202, undefined), 'unknown'],
    ['hierarchy', 'lost', noReply('maybe'), 'unknown'],
    ['hierarchy', 'server error', reply(500, {}), 'unknown'],
    ['domain', 'building', reply(200, domain('building')), 'accepted'],
    ['domain', 'pending', reply(200, domain('pending')), 'accepted'],
    ['domain', 'complete', reply(200, domain('complete', { status: 'matched' })), 'answered'],
    ['domain', 'complete without data', reply(200, domain('complete')), 'accepted'],
    ['domain', 'of another', reply(200, { ...domain('building'), domain: 'other.com' }), 'unknown'],
    ['domain', 'no credit', reply(402, {}), 'out_of_credit'],
    ['domain', 'not enabled', reply(403, {}), 'refused'],
    ['domain', 'no domain', reply(400, {}), 'invalid'],
    ['domain', 'minute full', reply(429, {}), 'rate_limited'],
    ['domain', 'plan', reply(429, { error: { type: 'plan_limit', message: '' } }), 'plan_limit'],
    ['domain', 'lost', noReply('maybe'), 'unknown'],
    ['domain', 'never sent', noReply('no'), 'not_sent'],
    ['domain', 'gateway', reply(504, {}), 'unknown'],
  ])('%s, %s', (kind, _, exchange, verdict) => {
    const name = kind === 'domain' ? 'acme.com' : 'siq_a'
    expect(judgeRecordKickoff(kind, exchange, name, 0).kind).toBe(verdict)
  })

  test('a domain that a service takes for another root is the one that was asked', () => {
    const said = reply(200, { ...domain('building'), domain: 'github.io' })
    expect(judgeRecordKickoff('domain', said, 'acme.github.io', 0).kind).toBe('accepted')
  })
})

test.each<['entity' | 'hierarchy' | 'domain', string, Exchange, string]>([
  ['entity', 'building', reply(200, entity({ enrichment: { status: 'building' } })), 'pending'],
  ['entity', 'complete', reply(200, entity()), 'finished'],
  ['entity', 'gone', reply(404, {}), 'finished'],
  ['entity', 'of another', reply(200, entity({ entity: { id: 'siq_b' } })), 'misdirected'],
  ['hierarchy', 'never begun', reply(200, hierarchy('not_started')), 'not_created'],
  ['hierarchy', 'in progress', reply(200, hierarchy('in_progress')), 'pending'],
  ['hierarchy', 'completed', reply(200, hierarchy('completed', {})), 'finished'],
  ['hierarchy', 'completed without data', reply(200, hierarchy('completed')), 'retry'],
  ['hierarchy', 'failed', reply(200, hierarchy('failed')), 'finished'],
  ['domain', 'building', reply(200, domain('building')), 'pending'],
  ['domain', 'complete', reply(200, domain('complete', { status: 'no_match' })), 'finished'],
  ['domain', 'would be billed', reply(402, {}), 'run_unknown'],
  ['domain', 'wrong key', reply(401, {}), 'refused'],
  ['domain', 'minute full', reply(429, {}), 'rate_limited'],
  ['domain', 'server error', reply(500, {}), 'retry'],
  ['domain', 'lost', noReply('maybe'), 'retry'],
])('A later read, which is free, is repeated: %s, %s', (kind, _, exchange, verdict) => {
  const name = kind === 'domain' ? 'acme.com' : 'siq_a'
  expect(judgeRecordPoll(kind, exchange, name, 0).kind).toBe(verdict)
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Exchange } from '../../../src/core/http-exchange.js'
import {
  judgeKickoff,
  judgePoll,
  requestedWaitMsMax,
  type KickoffVerdict,
  type PollVerdict,
} from '../../../src/pipeline/scheduler/outcome.js'
import { forAll } from '../../support/properties.js'

const nowMs = Date.UTC(2026, 0, 1)

function reply(status: number, body?: unknown, headers: Record<string, string> = {}): Exchange {
  return { kind: 'reply', status, headers, body, bodyFault: body === undefined ? 'the body is empty' : null }
}
const error = (type: string, message = 'm') => ({ error: { type, message } })
const reset: Exchange = { kind: 'no_reply', sent: 'maybe', reason: 'ECONNRESET' }
const unsent: Exchange = { kind: 'no_reply', sent: 'no', reason: 'ECONNREFUSED' }

const anyBody = fc.oneof(
  fc.anything(),
  fc.constant(undefined),
  fc.record(
    {
      run_id: fc.oneof(fc.constant('run_1'), fc.anything()),
      status: fc.oneof(fc.constantFrom('pending', 'COMPLETED', 'failed', 'Queued'), fc.anything()),
      data: fc.oneof(fc.constant(null), fc.dictionary(fc.string(), fc.anything())),
      error: fc.oneof(fc.anything(), fc.record({ type: fc.constantFrom('quota', 'bad_request') })),
    },
    { requiredKeys: [] },
  ),
)
const anyHeaders = fc.dictionary(
  fc.constantFrom('retry-after', 'ratelimit-reset', 'x-ratelimit-remaining-minute'),
  fc.oneof(fc.string(), fc.nat().map(String)),
)
const anyExchange = fc.oneof(
  fc
    .tuple(fc.integer({ min: 100, max: 599 }), anyBody, anyHeaders)
    .map(([status, body, headers]) => reply(status, body, headers)),
  fc.constant(reset),
  fc.constant(unsent),
)

describe('what the answer to a submission means', () => {
  const plan = { 'x-ratelimit-remaining-minute': '3' }
  const cases: [Exchange, KickoffVerdict['kind']][] = [
    [reply(202, { status: 'pending', run_id: 'run_1' }), 'accepted'],
    [reply(200, { run_id: 'anything at all', new_key: 1 }), 'accepted'],
    [reply(202, { status: 'pending' }), 'unknown'],
    [reply(202, { run_id: '' }), 'unknown'],
    [reply(202), 'unknown'],
    [reply(204), 'unknown'],
    [reply(302, '', { location: 'https://elsewhere.example' }), 'wrong_address'],
    [reply(302, '', { location: '/login?next=%2Fv3%2Fentity-resolution%2Fasync' }), 'wrong_address'],
    [reply(308, '', { location: 'https://host.example/v3/entity-resolution/async' }), 'wrong_address'],
    [reply(307), 'wrong_address'],
    [reply(302, '', { location: 'https://host.example/v3/runs/run_1' }), 'unknown'],
    [reply(301, '', { location: '/api/v3/jobs/77?include=basis' }), 'unknown'],
    [reply(303, '', { location: '/results/77' }), 'unknown'],
    [reply(303), 'unknown'],
    [reply(400, error('bad_request')), 'invalid'],
    [reply(413), 'invalid'],
    [reply(422), 'invalid'],
    [reply(401, error('unauthorized')), 'refused'],
    [reply(403, error('no_pricing_configured')), 'refused'],
    [reply(402, error('insufficient_credits')), 'out_of_credit'],
    [reply(404), 'wrong_address'],
    [reply(405), 'wrong_address'],
    [reply(408), 'unknown'],
    [reply(409), 'unknown'],
    [reply(429), 'rate_limited'],
    [reply(429, error('rate_limit_exceeded')), 'rate_limited'],
    [reply(429, error('rate_limit_exceeded'), { 'x-ratelimit-remaining-minute': '0' }), 'rate_limited'],
    [reply(429, error('rate_limit_exceeded'), plan), 'plan_limit'],
    [reply(429, error('monthly_quota_exceeded')), 'plan_limit'],
    [reply(500, error('api_error')), 'unknown'],
    [reply(502), 'unknown'],
    [reply(503), 'unknown'],
    [reply(504), 'unknown'],
    [reply(101), 'unknown'],
    [reset, 'unknown'],
    [unsent, 'not_sent'],
  ]
  test.each(cases)('%j', (exchange, kind) => {
    expect(judgeKickoff(exchange, nowMs).kind).toBe(kind)
  })

  test('the run id is kept as it came', () => {
    expect(judgeKickoff(reply(202, { run_id: 'run_Ä/..' }), nowMs)).toEqual({
      kind: 'accepted',
      runId: 'run_Ä/..',
    })
  })

  test.each([
    [{}, 15_000],
    [{ 'ratelimit-reset': '7' }, 7_000],
    [{ 'ratelimit-reset': '0' }, 250],
    [{ 'ratelimit-reset': '7', 'retry-after': '60' }, 7_000],
    [{ 'ratelimit-reset': '7', 'retry-after': '3600' }, 3_600_000],
  ])('the wait after a 429 with %j', (headers, waitMs) => {
    expect(judgeKickoff(reply(429, undefined, headers), nowMs)).toEqual({ kind: 'rate_limited', waitMs })
  })

  test.each([
    ['3601', 'it asks to wait 1h00m'],
    ['99999', 'it asks to wait 1d03h'],
  ])('Retry-After: %s is no wait of a run', (text, wait) => {
    const exchange = reply(429, undefined, { 'retry-after': text })
    const reason = `HTTP 429; ${wait}`
    expect(judgeKickoff(exchange, nowMs)).toMatchObject({ kind: 'plan_limit', reason })
    const asked = { runId: 'run_1', customId: null, name: null }
    expect(judgePoll(exchange, asked, nowMs)).toEqual({ kind: 'unreachable', reason })
  })

  test.each(['1' + '0'.repeat(20), 'Fri, 31 Dec 9999 23:59:59 GMT'])('Retry-After: %s is ignored', (text) => {
    const verdict = judgeKickoff(reply(429, undefined, { 'retry-after': text }), nowMs)
    expect(verdict).toMatchObject({
      kind: 'rate_limited',
      waitMs: expect.toSatisfy((ms) => Number(ms) <= 120_000) as number,
    })
  })

  test('a time of Retry-After is one of the clock of the server', () => {
    const date = (atMs: number) => new Date(atMs).toUTCString()
    const serverMs = nowMs + 5 * 3_600_000
    const headers = { date: date(serverMs), 'retry-after': date(serverMs + 60_000) }
    expect(judgeKickoff(reply(429, undefined, headers), nowMs).kind).toBe('rate_limited')
    expect(judgeKickoff(reply(429, undefined, { 'retry-after': headers['retry-after'] }), nowMs).kind).toBe(
      'plan_limit',
    )
  })

  test('the reason names status, type and message', () => {
    expect(judgeKickoff(reply(402, error('insufficient_credits', 'top\nup')), nowMs)).toEqual({
      kind: 'out_of_credit',
      reason: 'HTTP 402: insufficient_credits: top up',
    })
  })

  test('every exchange has a verdict, and a wait is within its bounds', () => {
    forAll(500, [anyExchange, fc.nat()], (exchange, atMs) => {
      const verdict = judgeKickoff(exchange, atMs)
      if (verdict.kind === 'rate_limited') {
        expect(verdict.waitMs).toBeGreaterThanOrEqual(250)
        expect(verdict.waitMs).toBeLessThanOrEqual(requestedWaitMsMax)
      }
      if (verdict.kind === 'accepted') expect(verdict.runId).not.toBe('')
    })
  })

  test('what may have been billed is never said to be free to submit again, or final', () => {
    const mayBeBilled = fc.oneof(
      fc.constant(reset),
      fc
        .tuple(fc.constantFrom(408, 500, 501, 502, 503, 504, 520, 599), anyBody, anyHeaders)
        .map(([status, body, headers]) => reply(status, body, headers)),
    )
    forAll(500, [mayBeBilled], (exchange) => {
      expect(judgeKickoff(exchange, nowMs).kind).toBe('unknown')
    })
  })

  test('the word of who knows the service better makes a 500 not created, and nothing else', () => {
    expect(judgeKickoff(reply(500), nowMs, 'not_created').kind).toBe('not_sent')
    forAll(100, [anyExchange], (exchange) => {
      fc.pre(exchange.kind === 'no_reply' || exchange.status !== 500)
      expect(judgeKickoff(exchange, nowMs, 'not_created')).toEqual(judgeKickoff(exchange, nowMs))
    })
  })

  test.each(['.', '..', 'a\nb', 'a\u0000', '\ud800', 'x'.repeat(501)])(
    'a run id that can never be asked for is none: %j',
    (runId) => {
      expect(judgeKickoff(reply(202, { run_id: runId }), nowMs).kind).toBe('unknown')
    },
  )

  test('a run id means that a run exists, whatever the status says', () => {
    const statuses = fc.integer({ min: 300, max: 599 })
    forAll(200, [statuses, anyHeaders], (status, headers) => {
      const body = { ...error('bad_request'), run_id: 'run_1', custom_id: 'ENR_1' }
      const judge = (customId: string) =>
        judgeKickoff(reply(status, body, headers), nowMs, 'unknown', customId)
      expect(judge('enr_1')).toEqual({ kind: 'accepted', runId: 'run_1' })
      expect(judge('enr_2').kind).toBe('unknown')
      expect(judgeKickoff(reply(status, { run_id: 'run_1' }, headers), nowMs).kind).toBe('unknown')
    })
  })

  test('a success is accepted or unknown, never free to submit again', () => {
    forAll(100, [fc.integer({ min: 200, max: 299 }), anyBody, anyHeaders], (status, body, headers) => {
      expect(['accepted', 'unknown']).toContain(judgeKickoff(reply(status, body, headers), nowMs).kind)
    })
  })

  test('only a 429 and a request that never left may be submitted again', () => {
    forAll(500, [anyExchange], (exchange) => {
      const { kind } = judgeKickoff(exchange, nowMs)
      if (kind === 'rate_limited') expect(exchange).toMatchObject({ status: 429 })
      if (kind === 'not_sent') expect(exchange).toBe(unsent)
    })
  })
})

describe('what a poll says', () => {
  const asked = { runId: 'run_1', customId: 'enr_1', name: 'Acme' }
  const run = (change: object) => ({ run_id: 'run_1', status: 'COMPLETED', data: {}, ...change })
  const cases: [Exchange, PollVerdict['kind']][] = [
    [reply(202, run({ status: 'PENDING', data: null })), 'pending'],
    [reply(200, run({ status: 'PENDING', data: null })), 'pending'],
    [reply(200, run({ status: 'SOMETHING_NEW' })), 'pending'],
    [reply(200, run({})), 'finished'],
    [reply(202, run({ status: 'completed' })), 'finished'],
    [reply(200, run({ data: null })), 'retry'],
    [reply(200, run({ status: 'FAILED', data: null })), 'finished'],
    [reply(200, run({ run_id: 'run_2' })), 'misdirected'],
    [reply(202, run({ run_id: 'run_2', status: 'PENDING', data: null })), 'misdirected'],
    [reply(200, { status: 'COMPLETED', data: {} }), 'retry'],
    [reply(200), 'retry'],
    [reply(401), 'refused'],
    [reply(403), 'refused'],
    [reply(404), 'run_unknown'],
    [reply(410), 'run_unknown'],
    [reply(400), 'retry'],
    [reply(402), 'retry'],
    [reply(429), 'rate_limited'],
    [reply(429, error('monthly_quota_exceeded')), 'rate_limited'],
    [reply(302), 'retry'],
    [reply(500), 'retry'],
    [reply(504), 'retry'],
    [reset, 'retry'],
    [unsent, 'retry'],
  ]
  test.each(cases)('%j', (exchange, kind) => {
    expect(judgePoll(exchange, asked, nowMs).kind).toBe(kind)
  })

  test('a failed run is told from a completed one', () => {
    expect(judgePoll(reply(200, run({ status: 'Failed' })), asked, nowMs)).toMatchObject({ failed: true })
    expect(judgePoll(reply(200, run({ status: 'Completed' })), asked, nowMs)).toMatchObject({
      failed: false,
    })
  })

  test('every exchange has a verdict; only an answer about this very run finishes it', () => {
    forAll(500, [anyExchange, fc.nat()], (exchange, atMs) => {
      const verdict = judgePoll(exchange, asked, atMs)
      if (verdict.kind === 'finished') {
        expect(verdict.run.run_id).toBe('run_1')
        expect(exchange.kind === 'reply' && exchange.status >= 200 && exchange.status < 300).toBe(true)
        if (!verdict.failed) expect(verdict.run.data).not.toBeNull()
      }
      if (verdict.kind === 'rate_limited') expect(verdict.waitMs).toBeLessThanOrEqual(requestedWaitMsMax)
    })
  })
})

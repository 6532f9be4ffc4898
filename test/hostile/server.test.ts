import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { rateWaitMsMax } from '../../src/core/pacing.js'
import type { Clock } from '../../src/platform/clock.js'
import { hurriedClock } from '../support/hurried-clock.js'
import { completedRun } from '../support/true-service.js'
import { hostileJob } from './hostile-job.js'
import { sendJson, sendText, startHostileServer, type Act } from './hostile-server.js'

const bomb = gzipSync(Buffer.alloc(30_000_000, ' '))

/** Bytes as fast as they are taken, until the other side has had enough. */
function pourEndlessly(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, '[')
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', pour)
  pour()
}

/** A byte a second, as if the answer were on its way. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 1_000)
  response.write('{')
  response.on('close', () => {
    clearInterval(timer)
  })
}

/** Answers that are none, whatever was asked; the status is that of success. */
const nonAnswers: Readonly<Record<string, (response: ServerResponse, status: number) => true>> = {
  'a bomb of gzip': (response, status) => sendText(response, status, bomb, { 'content-encoding': 'gzip' }),
  'encodings upon encodings': (response, status) => {
    const name = Array.from({ length: 9 }, () => 'gzip').join(', ')
    return sendText(response, status, bomb, { 'content-encoding': name })
  },
  'a body without an end': (response, status) => {
    response.writeHead(status)
    pourEndlessly(response)
    return true
  },
  'a byte a second': (response, status) => {
    response.writeHead(status)
    drip(response)
    return true
  },
  'JSON 90,000 levels deep': (response, status) => {
    const deep = `${'['.repeat(90_000)}${']'.repeat(90_000)}`
    return sendText(response, status, `{"run_id":"run_1","status":"COMPLETED","data":{"status":${deep}}}`)
  },
  'a page of HTML': (response, status) =>
    sendText(response, status, '<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }),
  'half of an answer': (response, status) => sendText(response, status, '{"run_id":"run_1","status":"COMP'),
  'bytes that are no UTF-8': (response, status) =>
    sendText(response, status, Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])),
  'a list': (response, status) => sendJson(response, status, [completedRun('run_1', 'Acme')]),
  null: (response, status) => sendJson(response, status, null),
  'a status of an enum nobody knows, as a number': (response, status) =>
    sendJson(response, status, { run_id: 7, status: 7, data: 7 }),
}

describe('a kickoff whose answer is none', () => {
  test.each(Object.entries(nonAnswers))('%s: the lookup is uncertain', async (_, send) => {
    const job = await hostileJob(['Acme'], { kickoff: (response) => send(response, 202) })
    expect(await job.run()).toMatchObject({ stop: null, uncertainCount: 1, billedCount: 0 })
    expect(job.states()).toEqual({ Acme: 'uncertain' })
    expect(job.server.calls).toHaveLength(1)
  })

  // What follows is the same for all: the checkpoint does not say which it was.
  test.each(['a bomb of gzip', 'half of an answer', 'null'])(
    '%s: the lookup is asked again only when told to',
    async (kind) => {
      const job = await hostileJob(['Acme'], {
        kickoff: (response) => nonAnswers[kind]!(response, 202),
      })
      expect(await job.run()).toMatchObject({ stop: null, uncertainCount: 1, billedCount: 0 })
      job.behave()
      expect(await job.run()).toMatchObject({ stop: null, uncertainCount: 1 })
      expect(job.server.calls).toHaveLength(1)
      expect(await job.run({ submission: { onLost: 'resubmit' } })).toMatchObject({ answeredCount: 1 })
      expect(job.states()).toEqual({ Acme: 'answered' })
      expect(job.place.readOutput()).toMatchObject([{ enrich_status: 'matched' }])
    },
  )

  test.each([
    ['of 10 MB', 'r'.repeat(10_000_000)],
    ['of 501 characters', 'r'.repeat(501)],
    ['with control characters', 'run_\u0000\u001b[2J\n'],
    ['with half a surrogate pair', 'run_\ud800'],
    ['that is empty', ''],
    ['that names the folder above', '..'],
    ['that is a number', 12],
    ['that is an object', { toString: 'run_1' }],
  ])('a run id %s is none that could ever be asked for: uncertain', async (_, runId) => {
    const job = await hostileJob(['Acme'], {
      kickoff: (response) => sendJson(response, 202, { status: 'pending', run_id: runId }),
    })
    const options = { answerBounds: { responseBytesMax: 32_000_000 } }
    expect(await job.run({}, options)).toMatchObject({ stop: null, uncertainCount: 1 })
    expect(job.states()).toEqual({ Acme: 'uncertain' })
    expect(job.server.calls.filter(({ method }) => method === 'GET')).toEqual([])
  })

  test.each(['../../x', '/../../etc/passwd', 'a?include=nothing#b', '%2e%2e', 'run_é 😀', '__proto__'])(
    'a run id like %j stays one segment of the path, and is answered',
    async (runId) => {
      const job = await hostileJob(['Acme'], {
        kickoff: (response) => sendJson(response, 202, { status: 'pending', run_id: runId }),
      })
      expect(await job.run()).toMatchObject({ stop: null, answeredCount: 1 })
      const [poll] = job.server.calls.filter(({ method }) => method === 'GET')
      expect(poll?.url).toBe(`/v3/runs/${encodeURIComponent(runId)}?include=basis`)
      expect(job.place.readOutput()).toMatchObject([{ enrich_run_id: runId }])
    },
  )
})

describe('a poll whose answer is none', () => {
  test.each(Object.entries(nonAnswers))(
    '%s: asked for again, and answered once the server behaves',
    async (_, send) => {
      const job = await hostileJob(['Acme'], {
        poll: (response, { attempt }) => attempt <= 2 && send(response, 200),
      })
      expect(await job.run()).toMatchObject({ stop: null, answeredCount: 1, billedCount: 1 })
      expect(job.states()).toEqual({ Acme: 'answered' })
    },
  )

  const forGood: Record<string, Act> = {
    'a page of HTML': (response) => sendText(response, 200, '<html>'),
    'a finished run without data': (response, { runId }) =>
      sendJson(response, 200, { run_id: runId, status: 'COMPLETED', data: null }),
  }
  test.each(Object.entries(forGood))(
    '%s each time: the run stops with an error and is kept, and the same command finishes it',
    async (_, poll) => {
      const job = await hostileJob(['Acme', 'Bolt'], { poll })
      expect((await job.run()).stop).toMatchObject({ kind: 'unreachable' })
      expect(job.states()).toEqual({ Acme: 'running', Bolt: 'running' })
      job.behave()
      expect(await job.run()).toMatchObject({ stop: null, answeredCount: 2, billedCount: 0 })
      expect(job.server.billed).toEqual(['Acme', 'Bolt'])
      expect(job.place.readOutput()).toMatchObject([
        { enrich_legal_name: 'Acme SA' },
        { enrich_legal_name: 'Bolt SA' },
      ])
    },
  )

  test('a refusal with a bomb for a body is a refusal: nothing is marked failed, and the run is kept', async () => {
    const refuse: Act = (response) => sendText(response, 401, bomb, { 'content-encoding': 'gzip' })
    const job = await hostileJob(['Acme'], { poll: refuse })
    expect((await job.run()).stop).toMatchObject({ kind: 'refused', reason: 'HTTP 401' })
    expect(job.states()).toEqual({ Acme: 'running' })
    job.behave()
    expect(await job.run()).toMatchObject({ stop: null, answeredCount: 1 })
  })
})

test.each([301, 302, 303, 307, 308])('The key does not follow a redirect with HTTP %i', async (status) => {
  const other = await startHostileServer()
  try {
    const location = `${other.baseUrl}/v3/entity-resolution/async`
    const redirect: Act = (response) => sendText(response, status, '', { location })
    const job = await hostileJob(['Acme'], { kickoff: redirect })
    expect((await job.run()).stop).toMatchObject({ kind: 'wrong_address', reason: `HTTP ${status}` })
    expect(job.states()).toEqual({ Acme: 'new' })
    job.behave()
    expect(await job.run()).toMatchObject({ stop: null, answeredCount: 1 })

    const polled = await hostileJob(['Acme'], {
      poll: (response, call) => call.attempt <= 2 && redirect(response, call),
    })
    expect(await polled.run()).toMatchObject({ stop: null, answeredCount: 1 })
    expect(other.calls).toEqual([])
  } finally {
    await other.close()
  }
})

/** Remembers how long was slept; waits for something to happen have no length. */
function watchedClock(): { clock: Clock; sleptMs: number[] } {
  const inner = hurriedClock(20_000)
  const sleptMs: number[] = []
  const clock: Clock = {
    ...inner,
    sleep: (delayMs, signal) => {
      if (delayMs !== Infinity) sleptMs.push(delayMs)
      return inner.sleep(delayMs, signal)
    },
  }
  return { clock, sleptMs }
}

describe('absurd rate-limit headers', () => {
  const absurd: readonly Record<string, string>[] = [
    { 'ratelimit-reset': '-1' },
    { 'ratelimit-reset': '1000000000' },
    { 'ratelimit-reset': '99999' },
    { 'ratelimit-reset': 'soon', 'x-ratelimit-limit-minute': 'many' },
    { 'ratelimit-reset': 'NaN', 'x-ratelimit-remaining-minute': 'NaN' },
    { 'ratelimit-reset': 'Infinity', 'retry-after': '1e9' },
    { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' },
    { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' },
    { 'retry-after': '1' + '0'.repeat(20) },
    { 'retry-after': 'Fri, 99 Foo 0000 99:99:99 GMT' },
    { 'x-ratelimit-limit-minute': '-600', 'x-ratelimit-remaining-minute': '-5' },
    { 'x-ratelimit-remaining-minute': '0', 'ratelimit-reset': '0' },
    { 'x-ratelimit-remaining-minute': '9'.repeat(100) },
    {},
  ]

  test.each(absurd)('%j: waited for a bounded time, and no lookup is lost or paid twice', async (headers) => {
    const limit: Act = (response, { attempt }) =>
      attempt <= 2 && sendText(response, 429, '{"error":{"type":"rate_limit_exceeded"}}', headers)
    const job = await hostileJob(['Acme', 'Bolt'], { kickoff: limit, poll: limit })
    const { clock, sleptMs } = watchedClock()
    const options = { clock, answerBounds: {} }
    expect(await job.run({}, options)).toMatchObject({ stop: null, answeredCount: 2, billedCount: 2 })
    expect(Math.max(...sleptMs)).toBeLessThanOrEqual(rateWaitMsMax)
    expect([...job.server.billed].sort()).toEqual(['Acme', 'Bolt'])
    expect(job.states()).toEqual({ Acme: 'answered', Bolt: 'answered' })
  })

  test.each(['3601', '2592000'])('Retry-After: %s ends the run, and the next one continues', async (text) => {
    const limit: Act = (response, { attempt }) =>
      attempt <= 1 && sendText(response, 429, '{"error":{"type":"x"}}', { 'retry-after': text })
    const job = await hostileJob(['Acme', 'Bolt'], { kickoff: limit, poll: limit })
    const { clock } = watchedClock()
    const stops: (string | null)[] = []
    for (let runs = 0; runs < 9 && stops.at(-1) !== null; runs++)
      stops.push((await job.run({}, { clock, answerBounds: {} })).stop?.kind ?? null)
    expect(new Set(stops)).toEqual(new Set(['plan_limit', 'unreachable', null]))
    expect([...job.server.billed].sort()).toEqual(['Acme', 'Bolt'])
    expect(job.states()).toEqual({ Acme: 'answered', Bolt: 'answered' })
  })
})

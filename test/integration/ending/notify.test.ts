import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../src/core/local-path.js'
import { notifyOfRun, type NotifyDeps } from '../../../src/pipeline/history/ending.js'
import type { RunEnd } from '../../../src/pipeline/history/notify-message.js'
import { systemClock } from '../../../src/platform/clock.js'
import { startHookReceiver, type HookReceiver } from '../../support/hook-receiver.js'
import { hurriedClock } from '../../support/hurried-clock.js'
import { listenOnLoopback } from '../../support/loopback-server.js'
import { runEnd } from './run-ends.js'

const token = 'T0KEN-never-to-be-seen'

async function receiver(answer: HookReceiver['answer'] = 200): Promise<HookReceiver> {
  const started = await startHookReceiver(answer)
  onTestFinished(() => started.close())
  return started
}

/** Waits are a fifth as long. What it says must hold nothing of the address. */
async function notify(
  url: string,
  deps: Partial<Omit<NotifyDeps, 'url'>> = {},
  end: RunEnd = runEnd(),
): Promise<string | null> {
  const options = {
    format: 'json',
    when: 'always',
    hasNames: false,
    clock: hurriedClock(5),
    ...deps,
  } as const
  const said = await notifyOfRun(end, { ...options, url: new Secret(url) })
  expect(said ?? '').not.toContain(token)
  expect(said ?? '').not.toContain(new URL(url).hostname)
  return said
}

const addressOf = ({ port }: HookReceiver, host = '127.0.0.1') =>
  `http://${host}:${port}/services/${token}?k=${token}`
const undelivered = (reason: string) =>
  `The message to the notify URL was not delivered: ${reason}. The result of the run is not affected.`

describe('a message at the end of a run', () => {
  test('is one POST of JSON, to this machine too, with what the run came to', async () => {
    const hook = await receiver()
    expect(await notify(addressOf(hook))).toBeNull()
    const [sent] = await hook.has(1)
    expect(sent).toMatchObject({
      method: 'POST',
      path: `/services/${token}?k=${token}`,
      headers: { 'content-type': 'application/json', 'user-agent': 'enrich/0.1.0' },
    })
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({
      type: 'enrich.run_ended',
      version: 1,
      program: '0.1.0',
      job: 'nightly',
      run: 7,
      output: 'out.csv',
      started_at: '2026-11-21T02:00:00.000Z',
      ended_at: '2026-11-21T02:01:30.500Z',
      duration_seconds: 90.5,
      exit_code: 6,
      failure: null,
      counts: {
        rows: 200,
        lookups: 180,
        answered_before: 100,
        decided: 0,
        submitted: 80,
        answered: 80,
        uncertain: 2,
        failed: 1,
        pending: 0,
      },
      rows_by_status: { matched: 150, no_match: 49, failed: 1 },
      doubtful_rows: null,
      changes: { lost_match: 3, renamed: 1 },
      cost: { currency: 'EUR', amount: 4.1, uncertain: 0.1 },
      alarms: [{ condition: 'failed>0', found: 1, message: 'failed>0: 1 of 200 rows' }],
    })
  })

  test('is sent to localhost by either family of addresses', async () => {
    const hook = await receiver()
    expect(await notify(addressOf(hook, 'localhost'))).toBeNull()
    await hook.has(1)
  })

  test('of a run that ended by an error says so, with no counts', async () => {
    const hook = await receiver()
    const failure = { code: 'INPUT_NOT_FOUND', message: 'there is no companies.csv' }
    const end = runEnd({ exitCode: 2, failure, summary: null, changes: null, alarms: [], run: null })
    expect(await notify(addressOf(hook), {}, end)).toBeNull()
    const [sent] = await hook.has(1)
    expect(JSON.parse(sent?.body.toString() ?? '')).toMatchObject({
      exit_code: 2,
      failure,
      counts: null,
      cost: null,
      output: null,
    })
  })

  test('is sent after failures alone where that is asked for', async () => {
    const hook = await receiver()
    expect(await notify(addressOf(hook), { when: 'failure' }, runEnd({ exitCode: 0 }))).toBeNull()
    await hook.has(0)
    expect(await notify(addressOf(hook), { when: 'failure' })).toBeNull()
    await hook.has(1)
  })
})

describe('a receiver that does not take it', () => {
  test.each([500, 503, 429])('HTTP %i: it is sent once more, and no third time', async (status) => {
    const hook = await receiver(status)
    expect(await notify(addressOf(hook))).toBe(undelivered(`HTTP ${status}`))
    await hook.has(2)
  })

  test('what takes the second one has it', async () => {
    const hook = await receiver((response, _, index) => response.writeHead(index === 0 ? 502 : 200).end())
    expect(await notify(addressOf(hook))).toBeNull()
    await hook.has(2)
  })

  test.each([400, 403, 404, 410])('HTTP %i: it is not sent again', async (status) => {
    const hook = await receiver(status)
    expect(await notify(addressOf(hook))).toBe(undelivered(`HTTP ${status}`))
    await hook.has(1)
  })

  test('a redirect is not followed', async () => {
    const elsewhere = await receiver()
    const hook = await receiver((response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${elsewhere.port}/${token}` }).end(),
    )
    expect(await notify(addressOf(hook))).toBe(undelivered('HTTP 307 (redirects are not followed)'))
    await hook.has(1)
    expect(elsewhere.connectionCount()).toBe(0)
  })

  test('one that never answers is given up, and is not asked again', async () => {
    const hook = await receiver(() => undefined)
    expect(await notify(addressOf(hook), { clock: hurriedClock(20) })).toBe(undelivered('no answer in time'))
    await hook.has(1)
  })

  test('one that trickles its answer has answered', async () => {
    const hook = await receiver((response) => {
      response.writeHead(200)
      response.write('o')
    })
    expect(await notify(addressOf(hook))).toBeNull()
  })

  test('one that resets the connection is tried twice', async () => {
    const hook = await receiver((response) => response.socket?.resetAndDestroy())
    expect(await notify(addressOf(hook))).toMatch(
      /not delivered: the connection .+ before an answer came \((ECONNRESET|UND_ERR_SOCKET)\)\./,
    )
    await hook.has(2)
  })

  test('one that answers no HTTP', async () => {
    const server = createServer((socket) => socket.end('220 mail.example.com ESMTP\r\n'))
    const port = await listenOnLoopback(server)
    onTestFinished(() => void server.close())
    expect(await notify(`http://127.0.0.1:${port}/${token}`)).toMatch(
      /not delivered: (it sent no valid HTTP|the connection broke before an answer came) \(\w+\)\./,
    )
  })

  test('one that is not there', async () => {
    const hook = await startHookReceiver()
    await hook.close()
    expect(await notify(addressOf(hook))).toBe(undelivered('it refused the connection (ECONNREFUSED)'))
  })

  test('an interrupted run does not wait for a second try', async () => {
    const hook = await receiver(500)
    expect(await notify(addressOf(hook), {}, runEnd({ exitCode: 130 }))).toBe(undelivered('HTTP 500'))
    await hook.has(1)
  })
})

describe('an address that may not be used', () => {
  test.each([
    ['a private network', ['10.1.2.3']],
    ['this machine by a name of its own', ['127.0.0.1']],
    ['what answers to every cloud machine', ['169.254.169.254']],
    ['a public address beside a private one', ['93.184.216.34', '192.168.0.7']],
    ['nowhere', []],
  ])('a name that leads to %s is not connected to', async (_, addresses) => {
    const resolve = () => Promise.resolve(addresses)
    const said = await notify(`https://hooks.example.com/${token}`, { resolve })
    expect(said).toMatch(/^The message .* not delivered: the host of the notify URL cannot be used: it /)
  })

  test('a name that does not come back from its name servers is given up', async () => {
    const resolve = () => new Promise<string[]>(() => undefined)
    const clock = hurriedClock(50)
    const said = await notify(`https://hooks.example.com/${token}`, { resolve, clock })
    expect(said).toMatch(/cannot be used|in time/)
  })

  test.each([
    `http://hooks.example.com/${token}`,
    `https://10.0.0.1/${token}`,
    `https://[fd00::1]/${token}`,
    `https://user:${token}@hooks.example.com/`,
    `https://printer.local/${token}`,
  ])('%s is refused without a request', async (url) => {
    const resolve = () => Promise.reject(new Error('it was looked up'))
    expect(await notify(url, { resolve, clock: systemClock })).toMatch(
      /not delivered: the notify URL (is|has|holds|contains) /,
    )
  })
})

import { createServer, type Server, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { errorBody } from '../../src/contract/errors.js'
import { isPublicAddress, judgeWebhookUrl } from '../../src/core/server-addresses.js'
import { startService } from '../../src/service/service.js'
import { checkAddress, createAddressGuard } from '../../src/platform/outbound/address-guard.js'
import { createConnect, type Connect, createPost } from '../../src/platform/outbound/pinned-connect.js'
import { startHookReceiver } from '../support/hook-receiver.js'
import { fakeKnowledge } from '../support/fake-knowledge.js'
import { manualClock } from '../support/manual-clock.js'
import { kickoffPath } from '../support/service-client.js'
import { startTestService, type TestService } from '../support/test-service.js'
import { nameServer, publicAddress, startWebhookService } from '../support/webhook-service.js'

const good = 'hooks.example.com'
const names = nameServer({
  [good]: [publicAddress, '2606:2800:220:1::1'],
  'xn--bcher-kva.example.com': [publicAddress],
  'mixed.example.com': [publicAddress, '10.0.0.7'],
  'mixed6.example.com': [publicAddress, 'fd00::1'],
  'loopback.example.com': ['127.0.0.1'],
  'link.example.com': ['169.254.169.254'],
  'mapped.example.com': ['::ffff:93.184.216.34'],
})
let it: TestService
beforeAll(async () => {
  it = await startTestService({ resolveHost: names.resolve, researchMs: { min: 3_600_000, max: 3_600_000 } })
})

/** Whether a kickoff with this address is taken; one that is not must leave nothing behind, by either method. */
async function isTaken(webhookUrl: string): Promise<boolean> {
  const before = { ledger: it.service.ledger('alice'), runs: it.service.runCount() }
  const replies = [
    await it.alice.post(kickoffPath, { name: 'Acme', webhook_url: webhookUrl }),
    await it.alice.get(`${kickoffPath}?name=Acme&webhook_url=${encodeURIComponent(webhookUrl)}`),
  ]
  const [status, other] = replies.map((reply) => reply.status)
  expect(other).toBe(status)
  if (status === 202) return true
  for (const reply of replies) {
    expect(reply.status).toBe(400)
    const { type, message } = errorBody.parse(reply.json).error
    expect(type).toBe('bad_request')
    expect(message).toContain('webhook_url: ')
    if (webhookUrl.length > 12) expect(message).not.toContain(webhookUrl)
  }
  expect({ ledger: it.service.ledger('alice'), runs: it.service.runCount() }).toEqual(before)
  return false
}

describe('KICK-17 URL-13 a webhook_url', () => {
  test.each([
    ['URL-02 without a port', `https://${good}/enrich?team=1`],
    ['URL-02 with port 443', `https://${good}:443/`],
    ['URL-02 with port 1025', `https://${good}:1025`],
    ['URL-02 with port 65535', `https://${good}:65535/`],
    ['in capitals', `HTTPS://HOOKS.EXAMPLE.COM/Enrich`],
    ['with an @ in its path and query', `https://${good}/@me?mail=a@b`],
    ['of a name in punycode', 'https://xn--bcher-kva.example.com/'],
    ['URL-17 of 2,048 characters', `https://${good}/${'a'.repeat(2_048 - good.length - 9)}`],
  ])('%s is taken', async (_, url) => {
    expect(await isTaken(url)).toBe(true)
  })

  test.each([
    ...['http', 'ftp', 'file', 'javascript', 'ws', 'wss'].map((scheme) => `${scheme}://${good}/`),
    `//${good}/`,
    good,
    `https:${good}/`,
    `https:/${good}/`,
    `https:///${good}/`,
    'javascript:alert(1)',
    'data:text/plain,x',
    '',
    ' ',
  ])('URL-01 %j is refused: https alone', async (url) => {
    expect(await isTaken(url)).toBe(false)
  })

  test.each([0, 1, 22, 80, 444, 1023, 1024, 65_536, 99_999])('URL-02 port %s is refused', async (port) => {
    expect(await isTaken(`https://${good}:${port}/`)).toBe(false)
  })

  test.each(['me@', 'me:secret@', '@', ':@', 'a%40b@', `${good}@`])(
    'URL-03 a user %j is refused, though it be empty',
    async (user) => {
      expect(await isTaken(`https://${user}${good}/`)).toBe(false)
    },
  )

  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'printer.local',
    'printer.LOCAL.',
    'api.internal',
    'api.internal.',
    'metadata.google.internal',
    'hooks',
    'hooks.',
    'router.lan',
    'nas.home.arpa',
    'nas.localdomain',
  ])('URL-04 %s is refused: it is not a public name', async (host) => {
    names.names.set(host.toLowerCase(), [publicAddress])
    expect(await isTaken(`https://${host}:8443/`)).toBe(false)
  })

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[fe80::1]',
    '[fd00::1]',
  ])('URL-05 the address %s is refused', async (host) => {
    expect(await isTaken(`https://${host}/`)).toBe(false)
  })

  test.each([
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0177.1',
    '127.1',
    '127.0.1',
    '127.0.0.1.',
    '１２７.０.０.１',
    '①②⑦.0.0.1',
    '%31%32%37.0.0.1',
    '127%2e0.0.1',
    'ⓛocalhost',
    '127。0。0。1',
    '0x5db8d822',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
    `${good}%00`,
    `%68ooks.example.com`,
  ])('URL-06 the spelling %s is refused', async (host) => {
    expect(await isTaken(`https://${host}/`)).toBe(false)
  })

  test.each([
    '[::ffff:93.184.216.34]',
    '[64:ff9b::5db8:d822]',
    '[64:ff9b:1::1]',
    '[2002:5db8:d822::1]',
    '[2001:0:5db8:d822::1]',
    '[::5db8:d822]',
  ])('URL-07 %s is refused: an IPv4 address hides in it', async (host) => {
    expect(await isTaken(`https://${host}/`)).toBe(false)
  })

  test.each(['93.184.216.34', '[2606:2800:220:1::1]', '8.8.8.8'])(
    'URL-12 the public address %s is refused: a name is wanted',
    async (host) => {
      expect(await isTaken(`https://${host}/`)).toBe(false)
    },
  )

  test.each(['mixed', 'mixed6', 'loopback', 'link', 'mapped'])(
    'URL-09 %s.example.com is refused for one bad address among those it leads to',
    async (label) => {
      expect(await isTaken(`https://${label}.example.com/`)).toBe(false)
    },
  )

  test('URL-11 a name that does not resolve is refused', async () => {
    expect(await isTaken('https://nowhere.example.com/')).toBe(false)
  })

  test.each([
    ['a tab', `https://hooks.exa\tmple.com/`],
    ['a line end', `https://${good}/\n`],
    ['a NUL', `https://${good}/\0`],
    ['a space before', ` https://${good}/`],
    ['a space behind', `https://${good}/ `],
    ['a space within', `https://${good}/a b`],
    ['a backslash', `https:\\\\${good}\\x`],
    ['a backslash before the user', `https://evil.example.com\\@${good}/`],
    ['DEL', `https://${good}/\x7f`],
    ['a letter outside ASCII', `https://bücher.example.com/`],
    ['2,049 characters', `https://${good}/${'a'.repeat(2_049 - good.length - 9)}`],
    ['an empty label', `https://hooks..example.com/`],
    ['a label of 64 characters', `https://${'a'.repeat(64)}.example.com/`],
    ['a zone', 'https://[fe80::1%25eth0]/'],
  ])('URL-17 %s is refused', async (_, url) => {
    expect(await isTaken(url)).toBe(false)
  })

  test('URL-13 KICK-16 is judged on every v3 request that takes one, before anything is begun or charged', async () => {
    const bad = 'https://10.0.0.1/hook'
    const before = it.service.ledger('alice').length
    const asked = encodeURIComponent(bad)
    const replies = [
      await it.alice.get(`/v3/domain-intelligence?domain=acme.example&webhook_url=${asked}`),
      await it.alice.post('/v3/domain-intelligence', { domain: 'acme.example', webhook_url: bad }),
      await it.alice.get(`/v3/entities/siq_acme?webhook_url=${asked}`),
      await it.alice.get(`${kickoffPath}?name=Acme&webhook_url=${asked}`),
      await it.alice.post(kickoffPath, { name: 'Acme', webhook_url: bad }),
    ]
    for (const reply of replies) {
      expect(reply.status).toBe(400)
      expect(errorBody.parse(reply.json).error.message).toMatch(/^webhook_url: /)
    }
    expect(it.service.ledger('alice')).toHaveLength(before)
    expect(it.service.eventCount()).toEqual({ waiting: 0, delivered: 0, exhausted: 0 })
  })

  test('KICK-17 that is refused comes before a lack of credit', async () => {
    const poor = await startTestService({
      accounts: [{ name: 'alice', apiKey: 'k', creditUnits: 0 }],
      resolveHost: names.resolve,
    })
    const kickOff = (webhookUrl: string) =>
      poor.nobody.raw(kickoffPath, {
        method: 'POST',
        headers: { apikey: 'k', 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Acme', webhook_url: webhookUrl }),
      })
    expect((await kickOff('https://10.0.0.1/')).status).toBe(400)
    expect((await kickOff(`https://${good}/`)).status).toBe(402)
  })

  test('a name server that never answers refuses it in the end', async () => {
    const clock = manualClock()
    const slow = await startTestService({ clock, resolveHost: () => new Promise(() => undefined) })
    const reply = slow.alice.post(kickoffPath, { name: 'Acme', webhook_url: `https://${good}/` })
    const ticking = setInterval(() => {
      clock.advance(1_000)
    }, 5)
    expect((await reply).status).toBe(400)
    clearInterval(ticking)
    expect(slow.service.ledger('alice')).toEqual([])
  })
})

describe('an address of the internet', () => {
  test.each([
    '0.0.0.1',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '169.254.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::5db8:d822',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '5f00::1',
    '2001::1',
    '2001:2::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:808:808::1',
    '3fff::1',
    'fc00::1',
    'fd00::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '4000::1',
    'no address',
    '',
  ])('URL-08 is not %j', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each(['8.8.8.8', '93.184.216.34', '100.128.0.1', '172.32.0.1', '192.0.1.1', '2606:2800::1'])(
    'is %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )
})

/** Listens where nothing may ever connect to. */
async function startCanary(): Promise<{ port: number; connectionCount: () => number }> {
  let connectionCount = 0
  const server: Server = createServer((socket) => {
    connectionCount++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connectionCount: () => connectionCount }
}

describe('at delivery', () => {
  test('URL-10 a name that changes between check and connect reaches nothing, in 1,000 tries', async () => {
    const canary = await startCanary()
    let askedCount = 0
    const guard = createAddressGuard({
      resolve: () => Promise.resolve([askedCount++ % 2 === 0 ? publicAddress : '127.0.0.1']),
      allowsLocal: false,
    })
    const real = createConnect()
    const targets: string[] = []
    // Nothing here connects to the internet; whatever else is asked for is really connected to.
    const connect: Connect = (target, callback) => {
      targets.push(target.hostname)
      if (target.hostname === publicAddress) callback(new Error('not from a test'), null)
      else real({ ...target, hostname: '127.0.0.1' }, callback)
    }
    const post = createPost(connect)
    const { signal } = new AbortController()
    let refusedCount = 0
    for (let tryNumber = 0; tryNumber < 1_000; tryNumber++) {
      const check = await guard.judge(`https://${good}:${canary.port}/`, signal)
      if (check.kind === 'refused') {
        refusedCount++
        continue
      }
      const outcome = await post({ ...check, headers: {}, body: Buffer.from('{}'), signal })
      expect(outcome.kind).toBe('unanswered')
    }
    expect(refusedCount).toBe(500)
    expect(targets).toEqual(Array.from({ length: 500 }, () => publicAddress))
    expect(canary.connectionCount()).toBe(0)
  })

  test('URL-14 URL-10 a name that leads elsewhere by then is a failed attempt, and nothing is connected to', async () => {
    const canary = await startCanary()
    const clock = manualClock()
    const names = nameServer({ [good]: [publicAddress] })
    const research = { researchMs: { min: 1_000, max: 1_000 } }
    const it = await startWebhookService({ clock, resolveHost: names.resolve, ...research })
    await it.kickOff(`https://${good}:${canary.port}/`)
    names.names.set(good, ['127.0.0.1'])
    clock.advance(1_000)
    const stored = await it.attempts(1)
    expect(stored.last_failure).toContain('not public')
    expect(stored.next_attempt_at_ms).toBe(clock.nowMs() + 10_000)
    names.names.set(good, [])
    clock.advance(10_000)
    expect((await it.attempts(2)).last_failure).toContain('does not resolve')
    expect(canary.connectionCount()).toBe(0)
  })

  test('URL-16 proxies of the environment are not used', async () => {
    const canary = await startCanary()
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
      process.env[name] = `http://127.0.0.1:${canary.port}`
      onTestFinished(() => {
        // oxlint-disable-next-line typescript/no-dynamic-delete -- the names are those above
        delete process.env[name]
      })
    }
    process.env['NODE_USE_ENV_PROXY'] = '1'
    onTestFinished(() => {
      delete process.env['NODE_USE_ENV_PROXY']
    })
    const receiver = await startHookReceiver()
    const it = await startWebhookService()
    await it.kickOff(receiver.url)
    await receiver.has(1)
    expect(canary.connectionCount()).toBe(0)
    await receiver.close()
  })

  test('checkAddress takes a name or a URL, and neither addresses nor what leads to one that is bad', async () => {
    const { signal } = new AbortController()
    const check = (target: string | URL) => checkAddress(target, names.resolve, signal)
    const allowed = { kind: 'allowed', addresses: [publicAddress, '2606:2800:220:1::1'] }
    expect(await check(good)).toEqual(allowed)
    expect(await check(new URL(`http://${good}/`))).toEqual(allowed)
    for (const target of ['93.184.216.34', 'localhost', 'mixed.example.com', 'nowhere.example.com', 'a..b']) {
      expect((await check(target)).kind).toBe('refused')
    }
    const failing = () => Promise.reject(new Error('SERVFAIL'))
    expect((await checkAddress(good, failing, signal)).kind).toBe('refused')
  })
})

describe('URL-18 receivers on this machine', () => {
  test('are refused unless they are allowed', async () => {
    expect(await isTaken('http://127.0.0.1:9000/hook')).toBe(false)
    expect(await isTaken('https://localhost:9000/hook')).toBe(false)
    expect(it.logged.join()).not.toContain('ATTENTION')
  })

  test('are allowed on purpose, said loudly; nothing else that is private is', async () => {
    const local = await startTestService({
      allowLocalWebhooks: true,
      resolveHost: names.resolve,
      researchMs: { min: 3_600_000, max: 3_600_000 },
    })
    expect(local.logged.join()).toMatch(/^ATTENTION: local webhooks are allowed/)
    const statusOf = async (webhookUrl: string) =>
      (await local.alice.post(kickoffPath, { name: 'Acme', webhook_url: webhookUrl })).status
    for (const url of ['http://127.0.0.1:9000/hook', 'http://localhost:80/', 'https://[::1]:8443/']) {
      expect(await statusOf(url)).toBe(202)
    }
    for (const url of [
      'http://10.0.0.1:9000/',
      'http://0x7f.1:9000/',
      'http://me@127.0.0.1:9000/',
      `http://${good}/`,
      'https://loopback.example.com/',
      'ftp://127.0.0.1/',
      'http://127.0.0.1:9000/a b',
    ]) {
      expect(await statusOf(url)).toBe(400)
    }
  })

  test.each(['0.0.0.0', '::', '192.0.2.1'])(
    'are not to be had of a service that listens on %s',
    async (host) => {
      const starting = startService({
        knowledge: fakeKnowledge(),
        dataFolder: null,
        listen: { host, port: 0 },
        accounts: [],
        rateLimits: 'none',
        allowLocalWebhooks: true,
      })
      await expect(starting).rejects.toMatchObject({ code: 'USAGE_INVALID', exitCode: 2 })
    },
  )
})

test('the client’s rule is the same one, but for public addresses', () => {
  const rules = { allowsLoopback: false, allowsAddresses: true }
  expect(judgeWebhookUrl('https://93.184.216.34/', rules).kind).toBe('allowed')
  expect(judgeWebhookUrl('https://10.0.0.1/', rules).kind).toBe('refused')
  expect(judgeWebhookUrl('https://[2002:5db8:d822::1]/', rules).kind).toBe('refused')
})

afterAll(() => it.service.close())

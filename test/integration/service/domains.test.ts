import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buildConnector } from 'undici'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UserError } from '../../../src/core/errors.js'
import { systemClock } from '../../../src/platform/clock.js'
import { limits } from '../../../src/service/limits.js'
import { loadDomainLists, noDomainLists } from '../../../src/service/records/domains/domain-lists.js'
import { createWebsiteCheck, type SiteVisit } from '../../../src/service/records/domains/website-check.js'
import type { Connect } from '../../../src/platform/outbound/pinned-connect.js'
import { manualClock } from '../../support/manual-clock.js'
import { nameServer, publicAddress } from '../../support/webhook-service.js'
import { makeFolder } from '../../support/temporary-folder.js'

type Site = (request: IncomingMessage, response: ServerResponse) => void

const page =
  '<html><head><meta name="description" content="Anvils &amp; more"></head><body>Hello</body></html>'
const names = {
  'acme.example': [publicAddress],
  'www.acme.example': [publicAddress],
  'rockets.example': [publicAddress],
  'inside.example': ['10.0.0.7'],
  'both.example': [publicAddress, '127.0.0.1'],
}

let server: Server
let asked: string[]
let connected: string[]
const sites = new Map<string, Site>()

beforeEach(async () => {
  sites.clear()
  asked = []
  connected = []
  server = createServer((request, response) => {
    asked.push(`${request.headers.host ?? ''}${request.url ?? ''}`)
    const site = sites.get(request.headers.host ?? '')
    if (site === undefined) response.writeHead(404).end()
    else site(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/**
 * The way to the internet, that ends on this machine: every public address is the server above, which speaks
 * http alone. What is connected to, and for which name, is remembered.
 */
function detour({ isHttpsOpen = true } = {}): Connect {
  const connect = buildConnector({})
  return (target, callback) => {
    connected.push(`${target.protocol}//${target.hostname}`)
    if (target.protocol === 'https:' && !isHttpsOpen) {
      callback(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), null)
      return
    }
    const { port } = server.address() as AddressInfo
    connect({ ...target, protocol: 'http:', hostname: '127.0.0.1', port: String(port) }, callback)
  }
}

function check(
  domain: string,
  options: { isHttpsOpen?: boolean; signal?: AbortSignal } = {},
): Promise<SiteVisit> {
  const { resolve } = nameServer(names)
  const visit = createWebsiteCheck({ resolve, connect: detour(options), clock: systemClock })
  return visit(domain, options.signal ?? new AbortController().signal)
}

const redirectTo =
  (location: string, statusCode = 301): Site =>
  (_request, response) => {
    response.writeHead(statusCode, { location }).end()
  }
const answerWith =
  (text: string, statusCode = 200): Site =>
  (_request, response) => {
    response.writeHead(statusCode, { 'content-type': 'text/html' }).end(text)
  }

describe('a website', () => {
  test('D3-08 that answers is there, with its status, its content and what it says of itself', async () => {
    sites.set('acme.example', answerWith(page))
    const visit = await check('acme.example')
    expect(visit).toMatchObject({
      status: {
        status: 200,
        is_resolvable: true,
        is_webserver_responsive: true,
        has_content: true,
        failure_reason: null,
      },
      url: 'https://acme.example/',
      redirect: null,
      facts: { description: 'Anvils & more' },
    })
    expect(new Date(visit.status.last_checked ?? '').getTime()).toBeGreaterThan(0)
    expect(asked).toEqual(['acme.example/'])
    expect(connected).toEqual([`https://${publicAddress}`])
  })

  test.each([404, 500, 204])('D3-08 that answers %i is responsive', async (statusCode) => {
    sites.set('acme.example', answerWith('', statusCode))
    expect((await check('acme.example')).status).toMatchObject({
      status: statusCode,
      is_webserver_responsive: true,
      has_content: false,
    })
  })

  test('D3-08 that is not there by https is asked by http', async () => {
    sites.set('acme.example', answerWith(page))
    const visit = await check('acme.example', { isHttpsOpen: false })
    expect(visit).toMatchObject({
      status: { status: 200, failure_reason: null },
      url: 'http://acme.example/',
    })
  })

  test('D3-08 a name that does not resolve is a fact', async () => {
    expect((await check('nowhere.example')).status).toMatchObject({
      status: null,
      is_resolvable: false,
      is_webserver_responsive: false,
      has_content: false,
      failure_reason: 'it does not resolve',
    })
    expect(connected).toEqual([])
  })

  test.each(['inside.example', 'both.example'])(
    'D3-08 %s leads inside, and is never connected to',
    async (domain) => {
      expect((await check(domain)).status).toMatchObject({
        is_resolvable: true,
        is_webserver_responsive: false,
        failure_reason: 'it leads to an address that is not public',
      })
      expect(connected).toEqual([])
    },
  )

  test('D3-08 a connection that is cut is a fact, told by its code', async () => {
    sites.set('acme.example', (request) => {
      request.socket.destroy()
    })
    const { status } = await check('acme.example')
    expect(status).toMatchObject({ status: null, is_resolvable: true, is_webserver_responsive: false })
    expect(status.failure_reason).toMatch(/^[A-Z_]+$/)
  })

  test('of a body without end only the beginning is read', async () => {
    let sentBytes = 0
    sites.set('acme.example', (_request, response) => {
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) sentBytes += 16_384
      }
      response.on('drain', write)
      write()
    })
    expect((await check('acme.example')).status).toMatchObject({ status: 200, has_content: true })
    expect(sentBytes).toBeLessThan(limits.websiteBodyBytesMax * 100)
  })

  test('one that never ends its answer is given up after ten seconds', async () => {
    const clock = manualClock()
    const isAsked = new Promise<void>((resolve) => {
      sites.set('acme.example', () => {
        resolve()
      })
    })
    const { resolve } = nameServer(names)
    const visiting = createWebsiteCheck({ resolve, connect: detour(), clock })(
      'acme.example',
      new AbortController().signal,
    )
    await isAsked
    clock.advance(limits.websiteMsMax)
    expect((await visiting).status).toMatchObject({
      is_webserver_responsive: false,
      failure_reason: 'no answer in time',
    })
  })

  test('an abort ends it', async () => {
    const closing = new AbortController()
    sites.set('acme.example', () => {
      closing.abort()
    })
    expect((await check('acme.example', { signal: closing.signal })).status.status).toBeNull()
  })
})

describe('redirects', () => {
  test('D3-07 within the domain they are followed and no redirect of it', async () => {
    sites.set('acme.example', redirectTo('https://www.acme.example/en'))
    sites.set('www.acme.example', answerWith(page))
    const visit = await check('acme.example')
    expect(visit).toMatchObject({
      status: { status: 200 },
      url: 'https://www.acme.example/en',
      redirect: null,
    })
  })

  test('D3-07 to another domain they are told, with the status of the answer that left', async () => {
    sites.set('acme.example', redirectTo('http://www.acme.example/', 302))
    sites.set('www.acme.example', redirectTo('//rockets.example/', 308))
    sites.set('rockets.example', answerWith(page))
    const visit = await check('acme.example')
    expect(visit.redirect).toEqual({ finalDomain: 'rockets.example', statusCode: 308 })
    // What the other domain says of itself is none of this one's.
    expect(visit).toMatchObject({ url: 'http://www.acme.example/', facts: { description: null } })
  })

  test('D3-07 one that leads away and home again is none', async () => {
    sites.set('acme.example', (request, response) => {
      const isBack = request.url === '/home'
      if (isBack) response.end(page)
      else response.writeHead(302, { location: 'http://rockets.example/' }).end()
    })
    sites.set('rockets.example', redirectTo('http://acme.example/home'))
    expect(await check('acme.example')).toMatchObject({ redirect: null, url: 'http://acme.example/home' })
  })

  test('D3-07 to a domain that does not answer are told all the same', async () => {
    sites.set('acme.example', redirectTo('https://dead.example/'))
    const visit = await check('acme.example')
    expect(visit.redirect).toEqual({ finalDomain: 'dead.example', statusCode: 301 })
    expect(visit.status).toMatchObject({
      status: 301,
      is_resolvable: true,
      is_webserver_responsive: true,
      failure_reason: 'it does not resolve',
    })
  })

  test('no more than five are followed', async () => {
    sites.set('acme.example', redirectTo('/again'))
    const { status } = await check('acme.example')
    expect(asked).toHaveLength(1 + limits.websiteRedirectsMax)
    expect(status).toMatchObject({ status: 301, failure_reason: 'more than 5 redirects' })
  })

  test.each([
    'http://127.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://localhost/',
    'http://inside.example/',
    'http://both.example/',
  ])('D3-08 to %s none is followed', async (location) => {
    sites.set('acme.example', redirectTo(location))
    const { status } = await check('acme.example')
    expect(status).toMatchObject({ status: 301 })
    expect(status.failure_reason).toMatch(/^it /)
    expect(connected).toEqual([`https://${publicAddress}`])
  })

  test.each([
    'ftp://rockets.example/',
    'javascript:alert(1)',
    'http://rockets.example:8080/',
    'http://[',
    'file:///etc/passwd',
  ])('to %s, which is no website, none is followed', async (location) => {
    sites.set('acme.example', redirectTo(location))
    const { status } = await check('acme.example')
    expect(status.failure_reason).toBe('it redirects to an address that is not a website')
    expect(connected).toHaveLength(1)
  })
})

describe('lists of domains', () => {
  const folder = makeFolder()
  const refusalOf = async (loading: Promise<unknown>): Promise<UserError> => {
    const error: unknown = await loading.catch((reason: unknown) => reason)
    if (error instanceof UserError) return error
    throw new Error('it was not refused')
  }
  const write = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }

  test('ranks are read from rank,domain; the better one stands', async () => {
    const ranks = write(
      'ranks.csv',
      '\ufeff1,google.com\r\n2,Example.COM.\n7,bücher.de\n\n9,example.com\n"10","quoted.example"',
    )
    const lists = await loadDomainLists({ ranks })
    const rankOf = (domain: string) => lists.getRank(domain)
    expect(
      ['google.com', 'example.com', 'xn--bcher-kva.de', 'quoted.example', 'other.example'].map(rankOf),
    ).toEqual([1, 2, 7, 10, null])
    expect(lists.isDisposable('google.com')).toBeNull()
  })

  test('a list may have a head', async () => {
    const lists = await loadDomainLists({ ranks: write('head.csv', 'rank,domain\n3,example.com\n') })
    expect(lists.getRank('example.com')).toBe(3)
  })

  test('disposable mailboxes are read a line each, without comments; what is not listed is not one', async () => {
    const disposable = write(
      'disposable.txt',
      '# providers\nMailinator.com\n\n  trash.example  # here since May\n',
    )
    const lists = await loadDomainLists({ disposable })
    expect(
      ['mailinator.com', 'trash.example', 'example.com'].map((domain) => lists.isDisposable(domain)),
    ).toEqual([true, true, false])
  })

  test('without a list nothing is said', async () => {
    const lists = await loadDomainLists({})
    for (const one of [lists, noDomainLists]) {
      expect([one.getRank('example.com'), one.isDisposable('example.com')]).toEqual([null, null])
    }
  })

  test('a long list is read in pieces that cut lines anywhere', async () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => `${index + 1},d${index}.example`)
    const lists = await loadDomainLists({ ranks: write('long.csv', lines.join('\n')) })
    expect(lines.filter((_, index) => lists.getRank(`d${index}.example`) !== index + 1)).toEqual([])
  })

  test.each([
    ['ranks', 'example.com\n', 'line 1 is not rank,domain'],
    ['ranks', '1,example.com\nx,example.org\n', 'line 2 is not rank,domain'],
    ['ranks', '0,example.com', 'line 1 is not rank,domain'],
    ['ranks', '1,example.com\n\n2,exa mple.org', 'line 3 is not rank,domain'],
    ['disposable', 'example.com\na@b@c\n', 'line 2 is not a domain'],
    ['disposable', 'x'.repeat(1_001), 'line 1 has more than 1000 characters'],
    ['ranks', `1,${'x'.repeat(300_000)}`, 'line 1 has more than 1000 characters'],
  ] as const)('a broken list of %s is refused by its line', async (kind, text, reason) => {
    const refusal = await refusalOf(loadDomainLists({ [kind]: write('broken.txt', text) }))
    expect(refusal.code).toBe('DOMAIN_LIST_INVALID')
    expect(refusal.message).toContain(reason)
  })

  test('a list that is not there, or a folder, is refused', async () => {
    for (const path of [join(folder, 'nowhere.csv'), folder]) {
      expect((await refusalOf(loadDomainLists({ ranks: path }))).code).toBe('DOMAIN_LIST_INVALID')
    }
  })
})

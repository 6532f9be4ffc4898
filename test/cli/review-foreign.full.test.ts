import { existsSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser } from '../support/browser.js'
import { createPlace, type CliPlace } from '../support/cli.js'
import { closeAtOnce, listenOnLoopback } from '../support/loopback-server.js'
import { rowShown, startReview, type ServedReview } from '../support/review-page.js'

const browserPath = findBrowser()

/** A name of somebody else that leads to this machine, as an address that was rebound does. */
const rebound = 'rebound.example'

let place: CliPlace
let review: ServedReview
let foreign: Server
let foreignPort = 0
let browser: Browser
let context: BrowserContext
/** A lookup that is in the queue: whoever attacks may know as much. */
let lookup = ''
let openCount = 0

const base = () => new URL('/', review.url).href
const port = () => new URL(review.url).port

/** A request as no browser sends it; the review's own cookie with it where `cookie` is given. */
function ask(headers: Readonly<Record<string, string>>, path = '/api/queue?count=1'): Promise<number> {
  return new Promise((resolve, reject) => {
    request(new URL(path, review.url), { headers }, (reply) => {
      reply.resume()
      resolve(reply.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

beforeEach(async () => {
  place = createPlace()
  place.write('in.csv', 'company_name,city\nApple,London\nDelta,\n')
  await place.run(['in.csv', '-o', 'out.csv', '--quiet'])
  review = await startReview(place, ['in.csv', '--reviewer', 'Ana'])
  foreign = createServer((_request, reply) => {
    reply.setHeader('content-type', 'text/html')
    reply.end('<!doctype html><title>elsewhere</title><body></body>')
  })
  foreignPort = await listenOnLoopback(foreign)
  browser = await chromium.launch({
    executablePath: browserPath ?? '',
    args: ['--no-sandbox', `--host-resolver-rules=MAP ${rebound} 127.0.0.1`],
  })
  context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(review.url)
  await rowShown(page)
  const replied = await page.evaluate<{ openCount: number; rows: { lookup: string }[] }>(
    `fetch('/api/queue?count=1').then((reply) => reply.json())`,
  )
  lookup = replied.rows[0]?.lookup ?? ''
  openCount = replied.openCount
  expect(lookup).toMatch(/^[0-9a-f]{32}$/)
})
afterEach(async () => {
  await browser.close()
  await closeAtOnce(foreign)
})

const body = () =>
  JSON.stringify({ lookups: [{ lookup, seen: 0 }], verdict: 'none', entityId: null, note: null })

/** What a page can try; each gives what it could read, or how it was kept out. */
const attempts = (target: string, decision: string) => `(async () => {
  const target = ${JSON.stringify(target)}
  const decision = ${JSON.stringify(decision)}
  const read = async (path, init) => {
    try {
      const reply = await fetch(target + path, { credentials: 'include', ...init })
      const text = await reply.text().catch(() => '')
      return reply.type === 'opaque' || text === '' ? 'nothing of ' + reply.status : text
    } catch { return 'nothing' }
  }
  const loaded = (tag, attribute, path) => new Promise((resolve) => {
    const part = document.createElement(tag)
    part[attribute] = target + path
    part.onload = () => resolve('loaded')
    part.onerror = () => resolve('nothing')
    document.body.append(part)
    setTimeout(() => resolve('nothing'), 3000)
  })
  const framed = new Promise((resolve) => {
    const frame = document.createElement('iframe')
    frame.src = target
    frame.onload = () => { try { resolve(frame.contentDocument?.body.innerText || 'nothing') } catch { resolve('nothing') } }
    document.body.append(frame)
    setTimeout(() => resolve('nothing'), 3000)
  })
  const talked = (address) => new Promise((resolve) => {
    const socket = new WebSocket(address)
    socket.onmessage = ({ data }) => resolve(String(data))
    socket.onopen = () => resolve('open')
    socket.onerror = () => resolve('nothing')
  })
  const streamed = new Promise((resolve) => {
    const source = new EventSource(target + 'api/queue', { withCredentials: true })
    source.onmessage = ({ data }) => resolve(data)
    source.onerror = () => { source.close(); resolve('nothing') }
  })
  const formed = (type, name, value) => new Promise((resolve) => {
    const sink = document.createElement('iframe')
    sink.name = 'sink' + Math.random()
    const form = document.createElement('form')
    Object.assign(form, { method: 'POST', action: target + 'api/decisions', enctype: type, target: sink.name })
    const field = document.createElement('input')
    Object.assign(field, { name, value })
    form.append(field)
    document.body.append(sink, form)
    sink.onload = () => { try { resolve(sink.contentDocument?.body.innerText || 'nothing') } catch { resolve('nothing') } }
    form.submit()
    setTimeout(() => resolve('nothing'), 3000)
  })
  const json = { 'content-type': 'application/json' }
  const half = decision.length - 1
  return {
    queue: await read('api/queue?count=5'),
    queueBlind: await read('api/queue?count=5', { mode: 'no-cors' }),
    search: await read('api/search?lookup=' + JSON.parse(decision).lookups[0].lookup + '&text=Apple', { mode: 'no-cors' }),
    page: await read(''),
    decide: await read('api/decisions', { method: 'POST', headers: json, body: decision }),
    decideBlind: await read('api/decisions', { method: 'POST', mode: 'no-cors', body: decision }),
    undo: await read('api/undo', { method: 'POST', mode: 'no-cors', body: '{"sequences":[]}' }),
    put: await read('api/decisions', { method: 'PUT', headers: json, body: decision }),
    beacon: navigator.sendBeacon(target + 'api/decisions', new Blob([decision], { type: 'text/plain' })) ? 'nothing' : 'nothing',
    picture: await loaded('img', 'src', 'api/queue'),
    script: await loaded('script', 'src', 'api/queue'),
    ownScript: await loaded('script', 'src', 'scripts/core/text.js'),
    object: await loaded('object', 'data', ''),
    framed: await framed,
    socket: await talked(target.replace('http', 'ws') + 'api/queue'),
    streamed: await streamed,
    formPlain: await formed('text/plain', decision.slice(0, half) + ',"x":"', '"}'),
    formUrl: await formed('application/x-www-form-urlencoded', 'lookups', decision),
  }
})()`

async function expectNothingDecided(): Promise<void> {
  expect(
    existsSync(place.path('enrich.decisions.csv')) ? place.read('enrich.decisions.csv') : '',
  ).not.toContain(lookup)
  const page = context.pages()[0]
  const found = await page?.evaluate<{ openCount: number; decidedCount: number }>(
    `fetch('/api/queue?count=1').then((reply) => reply.json())`,
  )
  expect(found).toMatchObject({ openCount, decidedCount: 0 })
}

/** Tries everything from a page that the reviewer's own browser opens, beside the review. */
async function attackFrom(address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address)
  const gained = await page.evaluate<Record<string, string>>(attempts(base(), body()))
  const kept = Object.entries(gained).filter(([, text]) => !text.startsWith('nothing'))
  expect(kept).toEqual([])
  return page
}

describe.runIf(browserPath !== null)('a page of another origin, in the browser of the reviewer', () => {
  test('of another port of this machine, where cookies go with it: reads nothing, decides nothing', async () => {
    await attackFrom(`http://127.0.0.1:${foreignPort}/`)
    await expectNothingDecided()
  }, 90_000)

  test('of another site: reads nothing, decides nothing', async () => {
    await attackFrom(`http://${rebound}:${foreignPort}/`)
    await expectNothingDecided()
  }, 90_000)

  test('a name that was pointed at this machine leads to no page, whatever is asked of it', async () => {
    const page = await context.newPage()
    const reply = await page.goto(`http://${rebound}:${port()}/`)
    expect(reply?.status()).toBe(421)
    expect(await page.locator('body').innerText()).not.toContain('Apple')
    const gained = await page.evaluate<number[]>(`Promise.all([
      fetch('/api/queue').then((reply) => reply.status),
      fetch('/api/decisions', { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body())} }).then((reply) => reply.status),
    ])`)
    expect(gained).toEqual([421, 421])
    await expectNothingDecided()
  })

  test('a window that it opens is none that it can look into, and none that looks back', async () => {
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${foreignPort}/`)
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(`void (window.seen = window.open(${JSON.stringify(base())}))`),
    ])
    await opened.waitForLoadState()
    const looked = await page.evaluate<string>(
      `(() => { try { return String(window.seen.document.body.innerText) } catch (error) { return error.name } })()`,
    )
    expect(looked).toBeOneOf(['SecurityError', 'TypeError', ''])
    expect(await opened.evaluate('window.opener === null')).toBe(true)
    await expectNothingDecided()
  })

  test('another browser, and one that comes with the address a second time, are refused', async () => {
    const other = await browser.newContext()
    const page = await other.newPage()
    expect((await page.goto(review.url))?.status()).toBe(403)
    expect((await page.goto(base()))?.status()).toBe(403)
    expect(await page.locator('body').innerText()).not.toContain('Apple')
    await other.close()
  })

  test('no browser: without the cookie nothing, with it nothing that is not our name', async () => {
    const cookies = await context.cookies(base())
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }])
    expect(await ask({})).toBe(403)
    expect(await ask({ cookie })).toBe(200)
    expect(await ask({ cookie, host: `${rebound}:${port()}` })).toBe(421)
    expect(await ask({ cookie, 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await ask({ cookie, 'sec-fetch-site': 'cross-site' })).toBe(403)
  })
})

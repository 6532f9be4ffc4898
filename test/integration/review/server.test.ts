import { afterEach, describe, expect, test } from 'vitest'
import { UserError } from '../../../src/core/errors.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import type { LookupDetail, PageError, SearchReply } from '../../../src/review/page-data.js'
import { startReviewServer, type ReviewServer } from '../../../src/review/server/review-server.js'
import type { ReviewSession } from '../../../src/review/session.js'
import { sendHead } from '../../support/raw-http.js'
import { askPage, visitReview, type PageVisitor } from '../../support/review-client.js'
import { inventedNames, reviewPlaces, type ReviewPlace } from '../../support/review-place.js'
import { errorWith } from '../../support/error-with.js'

const createPlace = reviewPlaces()
const names = inventedNames(6)
const servers: ReviewServer[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

const assets = {
  pageHtml: '<!doctype html><title>Review</title>',
  pageCss: 'body{margin:0}',
  scripts: new Map([['review/page/browser/main.js', 'void 0']]),
}

interface Served {
  readonly server: ReviewServer
  readonly reuses: readonly number[]
  readonly url: string
  readonly origin: string
  readonly bugs: readonly unknown[]
  readonly session: ReviewSession
}

async function serve(session: ReviewSession, host = '127.0.0.1'): Promise<Served> {
  const bugs: unknown[] = []
  const reuses: number[] = []
  const server = await startReviewServer({
    session,
    assets,
    address: { host, port: 0 },
    clock: systemClock,
    random: systemRandom,
    about: {
      input: 'companies.csv',
      reviewer: 'ada',
      service: 'embedded',
      command: 'enrich review companies.csv',
      decisionsPath: 'd.csv',
    },
    onBug: (error) => bugs.push(error),
    onReused: (firstUsedAtMs) => reuses.push(firstUsedAtMs),
  })
  servers.push(server)
  return { server, reuses, url: server.url, origin: new URL(server.url).origin, bugs, session }
}

async function answered(): Promise<ReviewPlace> {
  const place = createPlace()
  place.writeInput(names.map((name) => [name, ''] as const))
  await place.run()
  return place
}

async function served(): Promise<Served & { readonly place: ReviewPlace }> {
  const place = await answered()
  return { place, ...(await serve((await place.open()).session)) }
}

const errorOf = (body: string) => (JSON.parse(body) as PageError).error
const firstLookup = async (visitor: PageVisitor) => (await visitor.queue()).rows[0]?.lookup ?? ''
const none = (lookup: string, seen = 0) =>
  ({ lookups: [{ lookup, seen }], verdict: 'none', entityId: null, note: null }) as const

describe('who comes in', () => {
  test('the printed address admits the first browser, which may open it again, and leaves nothing of it in the bar', async () => {
    const { url, origin } = await served()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-z]{24}$/)
    const entered = await askPage(url)
    expect([entered.status, entered.headers.location]).toEqual([303, '/'])
    expect(entered.headers['set-cookie']).toHaveLength(1)
    const port = new URL(url).port
    expect(entered.headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^enrich_review_${port}=[0-9a-z]{24}; Path=/; HttpOnly; SameSite=Strict$`),
    )
    const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    expect((await askPage(`${origin}/`, { headers: { cookie } })).body).toBe(assets.pageHtml)
    // The browser that is in already is led to the page again.
    const led = await askPage(url, { headers: { cookie } })
    expect([led.status, led.headers.location, led.headers['set-cookie']]).toEqual([303, '/', undefined])
  })

  test('whoever opens a used address is told when it was used first, and both browsers are shut out', async () => {
    const { server, origin, reuses } = await served()
    const first = server.url
    const taken = await visitReview(first)
    expect((await taken.get('/api/queue')).status).toBe(200)
    const refused = await askPage(first, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect([refused.status, refused.headers['set-cookie'], refused.headers['refresh']]).toEqual([
      403,
      undefined,
      undefined,
    ])
    expect(refused.body).toMatch(/^Refused: another browser opened this URL first, at 20\d\d-/)
    expect(refused.body).toContain('open the new URL that enrich review has just printed')
    expect(reuses).toHaveLength(1)
    for (const path of ['/', '/api/queue', '/api/decisions'])
      expect((await taken.get(path)).status, path).toBe(403)
    expect(errorOf((await taken.get('/api/queue')).body)).toMatchObject({
      code: 'REVIEW_ACCESS_REFUSED',
      message: expect.stringContaining('the URL of enrich review admitted') as string,
      hint: 'open the URL that enrich review printed last',
    })
    expect((await taken.decide(none('0'.repeat(32)))).status).toBe(403)
    expect(await askPage(first)).toMatchObject({
      status: 403,
      body: expect.stringContaining('not valid') as string,
    })
    expect(new URL(server.url).origin).toBe(origin)
    expect((await (await visitReview(server.url)).get('/api/queue')).status).toBe(200)
    expect(reuses).toHaveLength(1)
  })

  test('a browser led here by a file gets its cookie by a page that goes on by itself', async () => {
    const { url } = await served()
    const entered = await askPage(url, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect([entered.status, entered.headers['refresh'], entered.headers['set-cookie']?.length]).toEqual([
      200,
      '0; url=/',
      1,
    ])
  })

  test('without its cookie nothing is served, nor with that of another server', async () => {
    const { origin, url } = await served()
    const paths = [
      '/',
      '/review.css',
      '/scripts/review/page/browser/main.js',
      '/api/session',
      '/api/queue',
      '/api/decisions',
      '/nowhere',
      '/?token=',
      `/?token=${'0'.repeat(24)}`,
    ]
    const foreign = await visitReview((await serve((await (await answered()).open()).session)).url)
    for (const path of paths) {
      expect((await askPage(`${origin}${path}`)).status, path).toBe(403)
      expect((await askPage(`${origin}${path}`, { headers: { cookie: foreign.cookie } })).status, path).toBe(
        403,
      )
    }
    // A wrong token used nothing up.
    expect((await askPage(url)).status).toBe(303)
  })

  test('a browser that a page of another site led here asks once more, with its cookie', async () => {
    const { origin } = await served()
    const led = await askPage(`${origin}/`, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect([led.status, led.headers.refresh]).toEqual([403, '0'])
    const asked = await askPage(`${origin}/`, { headers: { 'sec-fetch-site': 'same-origin' } })
    expect([asked.status, asked.headers.refresh]).toEqual([403, undefined])
  })
})

describe('requests that are refused', () => {
  test('by another name than its own: 421, whatever else they show', async () => {
    const { origin, url } = await served()
    const { cookie } = await visitReview(url)
    const { port } = new URL(url)
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1:1',
      '127.0.0.1',
      `0.0.0.0:${port}`,
    ])
      expect((await askPage(`${origin}/api/queue`, { headers: { cookie, host } })).status, host).toBe(421)
    expect((await askPage(`${origin}/?token=x`, { headers: { host: 'evil.example' } })).status).toBe(421)
    for (const host of [`localhost:${port}`, `[::1]:${port}`])
      expect((await askPage(`${origin}/api/queue`, { headers: { cookie, host } })).status, host).toBe(200)
    const without = await sendHead({ host: '127.0.0.1', port: Number(port) }, 'GET /api/queue', { cookie })
    expect(without.status).toBe(400)
  })

  test.each<[string, Record<string, string>, number]>([
    ['of another origin', { origin: 'https://evil.example' }, 403],
    ['of another port of this machine', { origin: 'http://127.0.0.1:1' }, 403],
    ['of a page without an origin', { origin: 'null' }, 403],
    ['that the browser says another site made', { 'sec-fetch-site': 'cross-site' }, 403],
    ['as text', { 'content-type': 'text/plain' }, 415],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['as part of a form', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['without the cookie', { cookie: '' }, 403],
  ])('a change %s changes nothing', async (_, headers, status) => {
    const { place, url } = await served()
    const visitor = await visitReview(url)
    const refused = await visitor.post('/api/decisions', none(await firstLookup(visitor)), headers)
    expect(refused.status).toBe(status)
    expect(errorOf(refused.body).code).toBe('REVIEW_ACCESS_REFUSED')
    expect((await visitor.post('/api/undo', { sequences: [] }, headers)).status).toBe(status)
    expect(place.decisions()).toEqual([])
    expect((await visitor.queue()).decidedCount).toBe(0)
  })

  test('without an origin, as other programs send it', async () => {
    const { url } = await served()
    const { origin, cookie } = await visitReview(url)
    const headers = { cookie, 'content-type': 'application/json' }
    expect(
      (await askPage(`${origin}/api/undo`, { method: 'POST', headers, body: '{"sequences":[]}' })).status,
    ).toBe(403)
  })

  test('too large, no JSON, or not as the page sends it: the error is explained in our words', async () => {
    const { url, bugs } = await served()
    const { origin, cookie, post } = await visitReview(url)
    const huge = await post('/api/decisions', { note: 'x'.repeat(1_100_000) })
    expect([huge.status, errorOf(huge.body)]).toMatchObject([
      413,
      { code: 'REVIEW_REQUEST_INVALID', message: 'the request is too large' },
    ])
    const headers = { cookie, origin, 'content-type': 'application/json' }
    for (const body of ['{', '', '{"__proto__":{"a":1}}']) {
      const broken = await askPage(`${origin}/api/decisions`, { method: 'POST', headers, body })
      expect([broken.status, errorOf(broken.body).code], body).toEqual([400, 'REVIEW_REQUEST_INVALID'])
    }
    const wrong = await post('/api/decisions', { lookups: [] })
    expect([wrong.status, errorOf(wrong.body).message]).toEqual([400, expect.stringContaining('lookups')])
    expect(
      (await askPage(`${origin}/api/queue`, { headers: { cookie: `${cookie}; ${'x'.repeat(9_000)}` } }))
        .status,
    ).toBe(431)
    expect(bugs).toEqual([])
  })

  test('of routes and methods that there are not', async () => {
    const { url } = await served()
    const { origin, cookie, get } = await visitReview(url)
    for (const path of ['/nowhere', '/api', '/scripts/../package.json', '/scripts/', '/api/lookups/%2e%2e'])
      expect([400, 404], path).toContain((await get(path)).status)
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const headers = { cookie, origin, 'content-type': 'application/json' }
      expect([400, 404], method).toContain((await askPage(`${origin}/api/queue`, { method, headers })).status)
    }
  })
})

test('every reply forbids what the page does not need, and being kept', async () => {
  const { url } = await served()
  const { origin, get } = await visitReview(url)
  for (const reply of [
    await get('/'),
    await get('/api/queue'),
    await get('/nowhere'),
    await askPage(`${origin}/`),
    await get('/api/lookups/x'),
  ]) {
    expect(reply.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    expect(reply.headers['access-control-allow-origin']).toBeUndefined()
  }
})

describe('what it serves', () => {
  test('the page, its style and its scripts', async () => {
    const { url } = await served()
    const { get } = await visitReview(url)
    for (const [path, type, body] of [
      ['/', 'text/html', assets.pageHtml],
      ['/review.css', 'text/css', assets.pageCss],
      ['/scripts/review/page/browser/main.js', 'text/javascript', 'void 0'],
    ] as const) {
      const reply = await get(path)
      expect([reply.status, reply.headers['content-type'], reply.body]).toEqual([
        200,
        `${type}; charset=utf-8`,
        body,
      ])
    }
    expect((await get('/favicon.ico')).status).toBe(204)
    expect(JSON.parse((await get('/api/session')).body)).toMatchObject({
      reviewer: 'ada',
      input: 'companies.csv',
    })
  })

  test('the queue, a lookup, what is searched for, decisions and what is taken back', async () => {
    const { url, place } = await served()
    const visitor = await visitReview(url)
    const page = await visitor.queue('from=1&count=2&sort=input')
    expect(page.rows.map(({ name }) => name)).toEqual(names.slice(1, 3))
    expect(page).toMatchObject({
      from: 1,
      totalCount: 6,
      openCount: 6,
      decidedCount: 0,
      isRunGoingOn: false,
      places: {},
    })
    const lookup = page.rows[0]?.lookup ?? ''
    const detail = JSON.parse((await visitor.get(`/api/lookups/${lookup}`)).body) as LookupDetail
    expect(detail.candidates).toHaveLength(2)
    const query = new URLSearchParams({ lookup, text: names[4] ?? '', country: 'gb' })
    const found = JSON.parse((await visitor.get(`/api/search?${query.toString()}`)).body) as SearchReply
    expect(found.candidates[0]?.legalName).toContain(names[4])
    const entityId = detail.candidates[1]?.entityId ?? ''
    const accepted = await visitor.decide({
      lookups: [{ lookup, seen: 0 }],
      verdict: 'accepted',
      entityId,
      note: 'ok',
    })
    expect(accepted).toMatchObject({
      status: 200,
      reply: { decisions: [{ lookup, entityId, decidedBy: 'ada', note: 'ok' }], others: [] },
    })
    expect(place.decisions()).toMatchObject([{ lookup, entity_id: entityId }])
    const listed = JSON.parse((await visitor.get('/api/decisions?count=5')).body) as { decisions: unknown[] }
    expect(listed.decisions).toHaveLength(1)
    const late = await visitor.decide(none(lookup))
    expect(late).toMatchObject({ status: 409, reply: { decisions: [], others: [{ entityId }] } })
    expect((await visitor.undo()).decisions).toMatchObject([{ lookup }])
    expect(place.decisions()).toEqual([])
    // What it saw was taken back meanwhile.
    const gone = await visitor.decide(none(lookup, accepted.reply.decisions[0]?.sequence))
    expect(gone).toMatchObject({ status: 409, reply: { decisions: [], others: [] } })
  })

  test('errors by their codes, without a stack', async () => {
    const { url, bugs } = await served()
    const { get, post } = await visitReview(url)
    const unknown = await get(`/api/lookups/${'0'.repeat(32)}`)
    expect([unknown.status, errorOf(unknown.body)]).toMatchObject([
      404,
      { code: 'REVIEW_LOOKUP_UNKNOWN', hint: 'reload the page' },
    ])
    const decided = await post('/api/decisions', none('0'.repeat(32)))
    expect([decided.status, errorOf(decided.body).code]).toEqual([404, 'REVIEW_LOOKUP_UNKNOWN'])
    expect(bugs).toEqual([])
  })

  test('of a bug the page learns that it is one, and the terminal the rest; of an address no secret', async () => {
    const { session } = await (await answered()).open()
    const broken: ReviewSession = new Proxy(session, {
      get: (target, name) => {
        if (name === 'getCounts') return () => target.getCounts()
        if (name === 'listDecisions')
          return () => {
            throw new UserError(
              'DECISIONS_UNWRITABLE',
              'cannot reach https://user:secret@example.org/x?key=secret',
            )
          }
        return () => {
          throw new Error('the index is gone: /secret/path')
        }
      },
    })
    const { url, bugs } = await serve(broken)
    const { get } = await visitReview(url)
    const bug = await get('/api/queue')
    expect([bug.status, errorOf(bug.body).code]).toEqual([500, 'BUG'])
    const told = await get('/api/decisions')
    expect([told.status, errorOf(told.body).code]).toEqual([500, 'DECISIONS_UNWRITABLE'])
    expect(bug.body + told.body).not.toMatch(/secret/)
    expect(bugs).toMatchObject([{ message: 'the index is gone: /secret/path' }])
  })
})

test('two servers have each their own port, cookie and token', async () => {
  const place = await answered()
  const [one, other] = [
    await serve((await place.open()).session),
    await serve((await place.open({ review: { reviewer: 'bob' } })).session),
  ]
  const [ada, bob] = [await visitReview(one.url), await visitReview(other.url)]
  // A browser sends the cookies of all ports of a machine together.
  const both = `${ada.cookie}; ${bob.cookie}`
  expect((await ada.get('/api/queue', { cookie: both })).status).toBe(200)
  expect((await bob.get('/api/queue', { cookie: both })).status).toBe(200)
  const lookup = await firstLookup(ada)
  expect((await ada.decide(none(lookup))).status).toBe(200)
  const late = await bob.decide(none(lookup))
  expect(late).toMatchObject({ status: 409, reply: { others: [{ decidedBy: 'ada' }] } })
})

test('told to listen beyond this machine, it prints an address that opens, and takes whatever name it is called by', async () => {
  const { session } = await (await answered()).open()
  const { url, origin } = await serve(session, '0.0.0.0')
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/)
  const { cookie } = await visitReview(url)
  expect((await askPage(`${origin}/api/queue`, { headers: { cookie, host: 'desk.example' } })).status).toBe(
    200,
  )
  expect((await askPage(`${origin}/api/queue`, { headers: { host: 'desk.example' } })).status).toBe(403)
})

test('an address that is taken is told', async () => {
  const place = await answered()
  const { session } = await place.open()
  const { url } = await serve(session)
  const taken = startReviewServer({
    session,
    assets,
    clock: systemClock,
    random: systemRandom,
    onBug: () => undefined,
    address: { host: '127.0.0.1', port: Number(new URL(url).port) },
    about: { input: '', reviewer: '', service: '', command: '', decisionsPath: '' },
  })
  await expect(taken).rejects.toMatchObject(errorWith('LISTEN_FAILED', { hint: '--listen' }))
})

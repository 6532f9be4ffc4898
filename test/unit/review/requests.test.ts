import { describe, expect, test } from 'vitest'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { Access, judgeRequest, type PageRequest } from '../../../src/review/server/access.js'
import { decideBody, parseRequest, queueQuery, searchQuery } from '../../../src/review/server/requests.js'

const listening = { port: 8791, isLoopback: true }

const read: PageRequest = {
  method: 'GET',
  host: '127.0.0.1:8791',
  origin: undefined,
  fetchSite: undefined,
  contentType: undefined,
  isForPage: false,
  isEntry: false,
  isIn: true,
}
const change: PageRequest = {
  ...read,
  method: 'POST',
  origin: 'http://127.0.0.1:8791',
  contentType: 'application/json',
}
const statusOf = (request: PageRequest, where = listening) =>
  judgeRequest(request, where)?.status ?? 'allowed'

describe('whom the server of the review page refuses', () => {
  test.each(['127.0.0.1:8791', 'localhost:8791', 'LocalHost:8791', '[::1]:8791'])(
    'it is called %s',
    (host) => {
      expect(statusOf({ ...read, host })).toBe('allowed')
    },
  )

  test.each([
    'evil.example',
    'evil.example:8791',
    'localhost.evil.example:8791',
    '127.0.0.1.evil.example:8791',
    '127.0.0.1:8792',
    '127.0.0.1',
    '127.0.0.2:8791',
    '0.0.0.0:8791',
    '127.0.0.1:8791.evil.example',
    'user@127.0.0.1:8791',
    '',
    undefined,
  ])('it is not called %j', (host) => {
    expect(statusOf({ ...read, host })).toBe(421)
    expect(statusOf({ ...read, host, isIn: false, isEntry: true })).toBe(421)
  })

  test('told to listen beyond this machine, it has names that it cannot know', () => {
    expect(statusOf({ ...read, host: 'desk.example:8791' }, { ...listening, isLoopback: false })).toBe(
      'allowed',
    )
  })

  test('behind a proxy with TLS its own page may decide, where it listens beyond this machine', () => {
    const beyond = { ...listening, isLoopback: false }
    const own = { ...change, host: 'desk.example', origin: 'https://desk.example' }
    expect(statusOf(own, beyond)).toBe('allowed')
    expect(statusOf({ ...own, origin: 'https://evil.example' }, beyond)).toBe(403)
    expect(statusOf({ ...own, origin: 'null' }, beyond)).toBe(403)
    expect(statusOf({ ...change, origin: 'https://127.0.0.1:8791' })).toBe(403)
  })

  test.each(['same-site', 'cross-site'])(
    'asked from elsewhere (%s), with the cookie: the page and no more',
    (fetchSite) => {
      expect(statusOf({ ...read, fetchSite })).toBe(403)
      expect(statusOf({ ...read, fetchSite, isForPage: true })).toBe('allowed')
      expect(statusOf({ ...change, fetchSite, isForPage: true })).toBe(403)
      for (const own of ['same-origin', 'none', undefined])
        expect(statusOf({ ...read, fetchSite: own })).toBe('allowed')
    },
  )

  test('without the cookie nothing is served but the entrance, and that only to look', () => {
    expect(statusOf({ ...read, isIn: false })).toBe(403)
    expect(statusOf({ ...change, isIn: false })).toBe(403)
    expect(statusOf({ ...read, isIn: false, isEntry: true })).toBe('allowed')
    expect(statusOf({ ...change, isIn: false, isEntry: true })).toBe(403)
  })

  test.each<[string, Partial<PageRequest>, number]>([
    ['of another site', { origin: 'https://evil.example' }, 403],
    ['of another port of this machine', { origin: 'http://127.0.0.1:3000' }, 403],
    ['of another name of this machine', { origin: 'http://localhost:8791' }, 403],
    ['of a sandboxed page', { origin: 'null' }, 403],
    ['without an origin', { origin: undefined }, 403],
    ['of another site by what the browser says', { fetchSite: 'cross-site' }, 403],
    ['of a neighbour by what the browser says', { fetchSite: 'same-site' }, 403],
    ['typed by a user by what the browser says', { fetchSite: 'none' }, 403],
    ['as text', { contentType: 'text/plain' }, 415],
    ['as a form', { contentType: 'application/x-www-form-urlencoded' }, 415],
    ['as something that begins like JSON', { contentType: 'application/json-p' }, 415],
    ['without a type', { contentType: undefined }, 415],
  ])('a change %s', (_, wrong, status) => {
    expect(statusOf({ ...change, ...wrong })).toBe(status)
  })

  test('a change of our page, by whichever name it was opened', () => {
    expect(statusOf(change)).toBe('allowed')
    expect(statusOf({ ...change, fetchSite: 'same-origin' })).toBe('allowed')
    expect(statusOf({ ...change, contentType: 'application/json; charset=utf-8' })).toBe('allowed')
    const other = { host: '[::1]:8791', origin: 'http://[::1]:8791' }
    expect(statusOf({ ...change, ...other })).toBe('allowed')
  })
})

describe('who comes in', () => {
  test('the token counts once, and the cookie is of this port', () => {
    const access = new Access(systemRandom, systemClock)
    expect(access.enter(`${access.entryToken}x`, 1)).toEqual({ kind: 'unknown' })
    expect(access.enter('', 1)).toEqual({ kind: 'unknown' })
    const cookie = enterFirst(access)
    expect(cookie).toMatch(/^enrich_review_8791=[0-9a-z]{24}; Path=\/; HttpOnly; SameSite=Strict$/)
    const [pair = ''] = cookie.split(';')
    expect(access.isIn(`other=1; ${pair}; more=2`, 8791)).toBe(true)
    for (const wrong of [
      undefined,
      '',
      pair.replace('8791', '8792'),
      `${pair}x`,
      pair.replace('=', '=x'),
      'enrich_review_8791',
    ])
      expect(access.isIn(wrong, 8791)).toBe(false)
    expect(access.isIn(pair, 8792)).toBe(false)
    expect(access.entryToken).not.toBe(pair.split('=')[1])
  })

  test('a token shown a second time shuts the first browser out, and a new token is in force', () => {
    const access = new Access(systemRandom, { nowMs: () => 1_000 })
    const first = access.entryToken
    const [pair = ''] = enterFirst(access).split(';')
    expect(access.enter(first, 8791)).toEqual({ kind: 'reused', firstUsedAtMs: 1_000 })
    expect(access.isIn(pair, 8791)).toBe(false)
    expect(access.enter(first, 8791)).toEqual({ kind: 'unknown' })
    expect(access.entryToken).not.toBe(first)
    expect(access.isIn(enterFirst(access).split(';')[0], 8791)).toBe(true)
  })

  function enterFirst(access: Access): string {
    const entry = access.enter(access.entryToken, 8791)
    return entry.kind === 'admitted' ? entry.cookie : ''
  }
})

describe('what the page may ask', () => {
  const lookup = '0123456789abcdef0123456789abcdef'
  const wrong = (text: string): unknown =>
    expect.objectContaining({
      code: 'REVIEW_REQUEST_INVALID',
      message: expect.stringContaining(text) as string,
    })
  const verdict = { lookups: [{ lookup, seen: 0 }], verdict: 'accepted', entityId: 'siq_1', note: null }

  test('a window of the queue, with what is left out filled in', () => {
    expect(parseRequest(queueQuery, {})).toEqual({
      from: 0,
      count: 60,
      view: 'open',
      status: [],
      text: '',
      sort: 'rows',
      find: [],
    })
    expect(parseRequest(queueQuery, { status: 'no_match,inconclusive', find: lookup })).toMatchObject({
      status: ['no_match', 'inconclusive'],
      find: [lookup],
    })
    for (const query of [
      { from: '-1' },
      { count: '0' },
      { count: '501' },
      { from: '1e9' },
      { view: 'closed' },
      { sort: 'x' },
      { find: 'x' },
      { text: 'x'.repeat(501) },
      { from: ['1', '2'] },
    ])
      expect(() => parseRequest(queueQuery, query), JSON.stringify(query)).toThrow(
        wrong(Object.keys(query)[0] ?? ''),
      )
  })

  test('a country of two letters, or none', () => {
    expect(parseRequest(searchQuery, { lookup, text: ' Acme ', country: 'de' })).toEqual({
      lookup,
      text: 'Acme',
      country: 'DE',
    })
    expect(parseRequest(searchQuery, { lookup, text: 'Acme', country: '' }).country).toBeNull()
    for (const query of [
      { lookup, text: ' ' },
      { lookup, text: 'a', country: 'DEU' },
      { lookup: 'x', text: 'a' },
    ])
      expect(() => parseRequest(searchQuery, query)).toThrow(wrong(''))
  })

  test.each<[string, object]>([
    ['a company where none is meant', { verdict: 'none' }],
    ['none where a company is meant', { entityId: null }],
    ['another verdict', { verdict: 'maybe' }],
    ['nothing', { lookups: [] }],
    ['a lookup twice', { lookups: [...verdict.lookups, ...verdict.lookups] }],
    ['a lookup that is none', { lookups: [{ lookup: '../../etc/passwd', seen: 0 }] }],
    ['what it did not see', { lookups: [{ lookup }] }],
    ['more than is asked', { ...verdict, also: 1 }],
    ['a note that is a book', { note: 'x'.repeat(2_001) }],
    [
      'too many at once',
      {
        lookups: Array.from({ length: 10_001 }, (_, at) => ({
          lookup: String(at).padStart(32, '0'),
          seen: 0,
        })),
      },
    ],
  ])('it may not decide: %s', (_, change) => {
    expect(parseRequest(decideBody, verdict)).toEqual(verdict)
    expect(() => parseRequest(decideBody, { ...verdict, ...change })).toThrow(wrong(''))
  })
})

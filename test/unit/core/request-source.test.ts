import { describe, expect, test } from 'vitest'
import { judgeSource } from '../../../src/platform/http-server.js'

const judged = (source: { host?: string; origin?: string; path?: string }, listenAddress = '127.0.0.1') =>
  judgeSource({ host: source.host, origin: source.origin, path: source.path ?? '/metrics' }, listenAddress)

describe('a service that listens on loopback', () => {
  test.each('127.0.0.1 127.0.0.1:8787 127.8.9.1:1 localhost LOCALHOST:8787 [::1] [::1]:8787'.split(' '))(
    'is called by %s',
    (host) => {
      for (const address of ['127.0.0.1', '127.0.0.5', '::1', '::ffff:127.0.0.1', 'localhost']) {
        expect(judged({ host }, address)).toBe('allowed')
      }
    },
  )

  test.each([
    'evil.example',
    'evil.example:8787',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost:8787:8787',
    'localhost:8787.evil.example',
    '127.0.0.1@evil.example',
    'user@localhost',
    '10.0.0.1',
    '0.0.0.0',
    '[::]',
    '[::2]:8787',
    '2130706433',
    'localhost/',
    '',
  ])('is not called by %j', (host) => {
    expect(judged({ host })).toBe('foreign_host')
    expect(judged({ host }, '::1')).toBe('foreign_host')
  })

  test('tells at any address that it is well, and at no foreign name', () => {
    for (const host of ['10.0.0.1:8787', '[fd00::1]:8787', '169.254.1.1']) {
      expect(judged({ host, path: '/healthz' })).toBe('allowed')
      expect(judged({ host, path: '/healthz/x' })).toBe('foreign_host')
    }
    expect(judged({ host: 'evil.example', path: '/healthz' })).toBe('foreign_host')
  })

  test('takes a caller without a Host, whom no browser is', () => {
    expect(judged({})).toBe('allowed')
  })
})

test('a service that listens beyond loopback has names that it cannot know', () => {
  for (const address of ['0.0.0.0', '::', '10.0.0.1', '192.168.1.7']) {
    expect(judged({ host: 'api.example.com' }, address)).toBe('allowed')
  }
})

describe('a web page', () => {
  test.each(['http://localhost:3000', 'http://127.0.0.1:8080', 'https://[::1]:1', 'https://127.8.9.10'])(
    'of %s may call',
    (origin) => {
      expect(judged({ origin, host: 'localhost' })).toBe('allowed')
    },
  )

  test.each([
    'http://evil.example',
    'https://localhost.evil.example',
    'null',
    '',
    'file://',
    'vscode-webview://localhost',
    'http://127.0.0.1.evil.example',
  ])('of %j may not, wherever the service listens', (origin) => {
    for (const address of ['127.0.0.1', '0.0.0.0', '10.0.0.1']) {
      expect(judged({ origin, host: 'evil.example' }, address)).toBe('foreign_origin')
    }
  })

  test('of the address listened on may call', () => {
    expect(judged({ origin: 'https://10.0.0.1:8443' }, '10.0.0.1')).toBe('allowed')
    expect(judged({ origin: 'https://10.0.0.2:8443' }, '10.0.0.1')).toBe('foreign_origin')
  })
})

describe('guests of a part of a service', () => {
  const guests = { path: '/reconcile', origins: ['https://refine.example.com'] }
  const guest = (path: string, origin = 'https://refine.example.com', host = 'localhost') =>
    judgeSource({ host, origin, path }, '127.0.0.1', guests)

  test.each(['/reconcile', '/reconcile/', '/reconcile/suggest/entity'])('may call %s', (path) => {
    expect(guest(path)).toBe('allowed')
  })

  test.each([
    '/',
    '/metrics',
    '/reconciled',
    '/v3/reconcile',
    '/Reconcile',
    'http://localhost/reconcile',
    '',
  ])('may not call %j', (path) => {
    expect(guest(path)).toBe('foreign_origin')
  })

  test.each([
    'http://refine.example.com',
    'https://refine.example.com:8443',
    'https://refine.example.com.evil.example',
    'https://evil.example',
    'null',
  ])('are not %s', (origin) => {
    expect(guest('/reconcile', origin)).toBe('foreign_origin')
  })

  test('call by a name of this machine all the same', () => {
    expect(guest('/reconcile', 'https://refine.example.com', 'evil.example')).toBe('foreign_host')
  })
})

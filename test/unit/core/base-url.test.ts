import { inspect } from 'node:util'
import { anyText } from './any-text.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLoopback, parseBaseUrl } from '../../../src/core/server-addresses.js'
import { UserError } from '../../../src/core/errors.js'
import { forAll } from '../../support/properties.js'

function errorOf(text: string): UserError | null {
  try {
    parseBaseUrl(text)
    return null
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
}

describe('base URL', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com/tenant/a//', 'https://api.example.com/tenant/a'],
    ['HTTPS://API.Example.com:443/', 'https://api.example.com'],
    ['https://api.example.com:8443', 'https://api.example.com:8443'],
    ['http://localhost:8080/', 'http://localhost:8080'],
    ['http://127.0.0.1:1', 'http://127.0.0.1:1'],
    ['http://127.8.9.10', 'http://127.8.9.10'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('%s is taken as %s', (text, baseUrl) => {
    expect(parseBaseUrl(text)).toBe(baseUrl)
  })

  test.each([
    '',
    'api.example.com',
    'ftp://api.example.com',
    'file:///etc/passwd',
    'http://api.example.com',
    'http://10.0.0.1',
    'http://0.0.0.0:80',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'https://user@api.example.com',
    'https://user:word@api.example.com',
    'https://api.example.com/?apikey=abc',
    'https://api.example.com/#abc',
  ])('%s is refused', (text) => {
    expect(errorOf(text)).toMatchObject({ code: 'BASE_URL_INVALID', exitCode: 2 })
  })

  test('a key pasted into the URL is not repeated by the error', () => {
    for (const text of [
      'https://CANARY@api.example.com',
      'https://api.example.com/?apikey=CANARY',
      'https://api.example.com/#CANARY',
      'http://CANARY.example.com',
      'CANARY',
      'CANARY://x',
    ]) {
      const error = errorOf(text)
      expect(error?.code).toBe('BASE_URL_INVALID')
      expect(inspect(error, { depth: 10, showHidden: true }).toUpperCase().includes('CANARY')).toBe(false)
    }
  })

  test('any text is either refused or becomes an address without a key, a query or a trailing slash', () => {
    forAll(
      100,
      [fc.oneof(anyText, fc.webUrl({ withQueryParameters: true, withFragments: true }))],
      (text) => {
        if (errorOf(text) !== null) return
        const baseUrl = parseBaseUrl(text)
        const url = new URL(baseUrl)
        expect(url.protocol === 'https:' || isLoopback(url.hostname)).toBe(true)
        expect(url.username + url.password + url.search + url.hash).toBe('')
        expect(baseUrl.endsWith('/')).toBe(false)
        expect(parseBaseUrl(baseUrl)).toBe(baseUrl)
      },
    )
  })
})

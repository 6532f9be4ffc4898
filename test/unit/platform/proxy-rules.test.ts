import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { UserError } from '../../../src/core/errors.js'
import { hasProxyVariable } from '../../../src/core/server-addresses.js'
import { findProxy } from '../../../src/platform/outbound/proxy.js'
import { forAll } from '../../support/properties.js'

const find = (address: string, environment: Record<string, string>) =>
  findProxy(new URL(address), environment)
const originOf = (address: string, environment: Record<string, string>) =>
  find(address, environment)?.origin ?? null

const a = 'http://a.example:3128'
const service = 'https://api.example.com/v3'

describe('the proxy of a connection', () => {
  test.for<[string, string, Record<string, string>, string | null]>([
    ['no variable', service, {}, null],
    ['an empty variable', service, { HTTPS_PROXY: ' ', ALL_PROXY: '' }, null],
    ['upper case', service, { HTTPS_PROXY: a }, a],
    ['lower case', service, { https_proxy: a }, a],
    ['lower case before upper case', service, { HTTPS_PROXY: 'http://b.example', https_proxy: a }, a],
    ['for all protocols', service, { ALL_PROXY: a }, a],
    ['for all protocols, lower case', service, { all_proxy: a }, a],
    ['of the protocol before all', service, { ALL_PROXY: 'http://b.example', HTTPS_PROXY: a }, a],
    ['of another protocol', service, { HTTP_PROXY: a }, null],
    ['without a scheme', service, { HTTPS_PROXY: 'a.example:3128' }, a],
    ['that speaks TLS', service, { HTTPS_PROXY: 'https://a.example' }, 'https://a.example'],
    ['at an IPv6 address', service, { HTTPS_PROXY: 'http://[::1]:3128' }, 'http://[::1]:3128'],
    ['to this machine by https', 'https://127.0.0.1:8443', { HTTPS_PROXY: a }, a],
    ['by http: elsewhere, the key would leave this machine', 'http://127.0.0.1:80', { HTTP_PROXY: a }, null],
    ['by http, on this machine', 'http://localhost', { http_proxy: 'localhost:1' }, 'http://localhost:1'],
    ['to the metadata of a machine', 'http://169.254.169.254/', { HTTP_PROXY: 'localhost:1' }, null],
  ])('%s', ([, address, environment, expected]) => {
    expect(originOf(address, environment)).toBe(expected)
    if (expected !== null) expect(hasProxyVariable(environment)).toBe(true)
  })

  test.for<[string, string, boolean]>([
    ['*', service, true],
    ['api.example.com', service, true],
    ['API.Example.COM', service, true],
    ['example.com', service, true],
    ['.example.com', service, true],
    ['*.example.com', service, true],
    ['other.test, example.com', service, true],
    ['other.test example.com', service, true],
    ['example.com:443', service, true],
    ['example.com:8443', service, false],
    ['example.com:8443', 'https://example.com:8443', true],
    ['ample.com', service, false],
    ['api.example.com.evil.test', service, false],
    ['com', service, true],
    ['.', service, false],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['1.2.3', 'https://10.1.2.3', false],
    ['127.0.0.1:8443', 'https://127.0.0.1:8443', true],
    ['::1', 'https://[::1]:8443', true],
    ['[::1]:8443', 'https://[::1]:8443', true],
    ['fd00::/8', 'https://[fd00::5]', true],
    ['fd00::/8', 'https://10.1.2.3', false],
    ['localhost', 'https://127.0.0.1', false],
  ])('NO_PROXY=%s for %s: direct is %s', ([exceptions, address, isDirect]) => {
    for (const name of ['NO_PROXY', 'no_proxy'])
      expect(originOf(address, { HTTPS_PROXY: a, [name]: exceptions }) === null).toBe(isDirect)
  })

  test.for([
    'http://',
    'http://a b',
    'http://user:%zz@a.example',
    'http://user:%0d%0a@a.example',
    'socks5://secret-word:secret-word@a.example:1080',
    'ftp://secret-word@a.example',
    'secret-word@@@:x',
  ])('%s is refused, and not repeated', (value) => {
    const refuse = () => find(service, { HTTPS_PROXY: value })
    expect(refuse).toThrow(expect.objectContaining({ code: 'PROXY_INVALID' }) as UserError)
    try {
      refuse()
    } catch (error) {
      expect(inspect(error, { showHidden: true }) + String((error as UserError).hint)).not.toContain(
        'secret-word',
      )
    }
  })

  test('users and passwords are decoded, sent, and shown by nothing', () => {
    forAll(
      100,
      [fc.stringMatching(/^[!-~]{6,20}$/), fc.stringMatching(/^[!-~]{6,20}$/)],
      (user, password) => {
        const url = `http://${encodeURIComponent(user)}:${encodeURIComponent(password)}@a.example:3128`
        const proxy = find(service, { HTTPS_PROXY: url })
        expect(proxy?.createHeaders()['proxy-authorization']).toBe(
          `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
        )
        const shown =
          inspect(proxy, { showHidden: true, depth: 9 }) + JSON.stringify(proxy) + String(proxy?.origin)
        expect(shown).not.toContain(password)
        expect(shown).not.toContain(encodeURIComponent(password))
      },
    )
  })
})

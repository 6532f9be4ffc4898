import { describe, expect, test } from 'vitest'
import { parseListenAddress, parseWebhookUrl } from '../../../src/core/server-addresses.js'

describe('the address of deliveries', () => {
  test.each([
    'https://hooks.example.com/enrich',
    'https://hooks.example.com:443/enrich?team=1',
    'https://hooks.example.com:8443',
    'https://93.184.216.34/hook',
    'https://[2606:2800:220:1::1]/hook',
  ])('%s may be one', (text) => {
    expect(parseWebhookUrl(text)).toBe(new URL(text).href)
  })

  test.each([
    ['no address', 'hooks'],
    ['http', 'http://hooks.example.com/'],
    ['another scheme', 'ftp://hooks.example.com/'],
    ['a low port', 'https://hooks.example.com:80/'],
    ['port 1024', 'https://hooks.example.com:1024/'],
    ['a user', 'https://me@hooks.example.com/'],
    ['a password', 'https://me:secret@hooks.example.com/'],
    ['a fragment', 'https://hooks.example.com/#here'],
    ['a name of one word', 'https://hooks/'],
    ['.local', 'https://laptop.local/'],
    ['.internal', 'https://hooks.corp.internal./'],
    ['localhost', 'https://localhost:8443/'],
    ['loopback', 'https://127.0.0.1:8443/'],
    ['loopback as a number', 'https://2130706433/'],
    ['a private address', 'https://10.1.2.3/'],
    ['a private address of 172', 'https://172.20.0.1/'],
    ['a private address of 192', 'https://192.168.0.1/'],
    ['link-local', 'https://169.254.169.254/'],
    ['carrier NAT', 'https://100.64.0.1/'],
    ['IPv6 loopback', 'https://[::1]:8443/'],
    ['IPv6 private', 'https://[fd00::1]/'],
    ['IPv6 link-local', 'https://[fe80::1]/'],
    ['IPv4 in IPv6', 'https://[::ffff:10.0.0.1]/'],
    ['2,049 characters', `https://hooks.example.com/${'a'.repeat(2_023)}`],
  ])('%s is none, and the error does not repeat it', (_, text) => {
    expect(() => parseWebhookUrl(text)).toThrow(expect.objectContaining({ code: 'WEBHOOK_URL_INVALID' }))
    expect(() => parseWebhookUrl(text)).not.toThrow(text)
  })

  test('a service on this machine may deliver to this machine, and to nothing else that is private', () => {
    expect(parseWebhookUrl('http://127.0.0.1:9000/hook', true)).toBe('http://127.0.0.1:9000/hook')
    expect(() => parseWebhookUrl('http://10.0.0.1:9000/hook', true)).toThrow('not https')
  })
})

test.each([
  ['127.0.0.1:8787', { host: '127.0.0.1', port: 8787 }],
  ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
  ['[::1]:9000', { host: '::1', port: 9000 }],
  ['hooks:9000', { host: 'hooks', port: 9000 }],
  ['9000', { host: '127.0.0.1', port: 9000 }],
  ['', null],
  ['127.0.0.1', null],
  ['127.0.0.1:', null],
  [':9000', null],
  ['127.0.0.1:70000', null],
  ['::1:9000', null],
])('An address to listen on is parsed: %j', (text, address) => {
  expect(parseListenAddress(text)).toEqual(address)
})

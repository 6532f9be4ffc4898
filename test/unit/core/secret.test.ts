import { format, inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/core/local-path.js'

describe('secret', () => {
  const secret = new Secret('CANARY-5d1f')

  test('it is shown to who asks by name', () => {
    expect(secret.reveal()).toBe('CANARY-5d1f')
  })

  test.each([
    ['a template', () => `key ${String(secret)}`],
    ['joining', () => ['key', secret].join('=')],
    ['JSON', () => JSON.stringify({ apiKey: secret })],
    ['inspect', () => inspect({ apiKey: secret }, { depth: 10, showHidden: true, getters: true })],
    ['format', () => format('%s %o %O %j', secret, secret, secret, secret)],
    [
      'a walk over its keys',
      () => JSON.stringify(Reflect.ownKeys(secret)) + JSON.stringify(Object.assign({}, secret)),
    ],
    ['a clone', () => inspect(structuredClone(Object.assign({}, secret)))],
    ['an error', () => inspect(new Error('no', { cause: secret }))],
  ])('%s does not show it', (_, show) => {
    expect(show()).not.toContain('CANARY')
  })
})

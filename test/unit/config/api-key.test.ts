import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/core/errors.js'
import { parseConfig, readConfigFile, type Environment } from '../../../src/config/file-config.js'
import { resolveApiKey, resolveSettings } from '../../../src/config/settings.js'
import { makeFolder } from '../../support/temporary-folder.js'

const canary = 'CANARY-4f3a9c'
const folder = makeFolder()

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function errorOf(action: () => unknown): UserError {
  try {
    action()
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** Everything of a value that could reach a log, a screen or a file. */
function everythingShown(value: unknown): string {
  const parts = [
    String(value),
    JSON.stringify(value),
    inspect(value, { depth: 20, showHidden: true, getters: true }),
  ]
  if (value instanceof UserError) {
    parts.push(value.message, value.hint ?? '', value.stack ?? '', everythingShown(value.cause))
  }
  return parts.join('\n')
}

describe('where the API key comes from', () => {
  test.each<[string, Environment, string]>([
    ['ENRICH_API_KEY', { ENRICH_API_KEY: canary }, canary],
    ['spaces and line ends around it are not part of it', { ENRICH_API_KEY: ` ${canary}\r\n` }, canary],
    ['the file', { ENRICH_API_KEY_FILE: write('key', `${canary}\n`) }, canary],
    ['a file with a byte order mark', { ENRICH_API_KEY_FILE: write('bom', `\ufeff${canary}`) }, canary],
    ['the variable goes above the file', { ENRICH_API_KEY: 'a', ENRICH_API_KEY_FILE: write('b', 'b') }, 'a'],
    ['an empty variable is not set', { ENRICH_API_KEY: '', ENRICH_API_KEY_FILE: write('c', 'c') }, 'c'],
  ])('%s', (_, environment, key) => {
    expect(resolveApiKey(environment).reveal()).toBe(key)
  })

  test.each<[string, Environment]>([
    ['nothing is set', {}],
    ['the variable is blank', { ENRICH_API_KEY: '  ' }],
    ['the file is empty', { ENRICH_API_KEY_FILE: write('empty', '\n') }],
    ['the file is not there', { ENRICH_API_KEY_FILE: join(folder, 'none') }],
    ['the file is a folder', { ENRICH_API_KEY_FILE: folder }],
    ['the name of the file is empty', { ENRICH_API_KEY_FILE: '' }],
  ])('%s: API_KEY_MISSING', (_, environment) => {
    expect(errorOf(() => resolveApiKey(environment))).toMatchObject({ code: 'API_KEY_MISSING', exitCode: 2 })
  })

  test.each(['a b', 'a\nb', 'a"\u201d', 'schlüssel', 'a\u0000b', 'x'.repeat(513)])('%j is no key', (key) => {
    expect(errorOf(() => resolveApiKey({ ENRICH_API_KEY: key })).code).toBe('API_KEY_INVALID')
  })
})

describe('the API key is shown nowhere', () => {
  test('not by what holds it', () => {
    const environment = { ENRICH_API_KEY: canary, ENRICH_BASE_URL: 'https://api.example.com' }
    expect(everythingShown(resolveApiKey(environment))).not.toContain(canary)
    expect(everythingShown(resolveSettings({}, environment))).not.toContain(canary)
  })

  test.each<[string, () => unknown]>([
    ['a key with a space', () => resolveApiKey({ ENRICH_API_KEY: `${canary} x` })],
    ['a key file with two lines', () => resolveApiKey({ ENRICH_API_KEY_FILE: write('two', `${canary}\nx`) })],
    ['the key where the path of its file belongs', () => resolveApiKey({ ENRICH_API_KEY_FILE: canary })],
    [
      'the key in the base URL',
      () => resolveSettings({}, { ENRICH_BASE_URL: `https://${canary}@a.example` }),
    ],
    [
      'the key in its query',
      () => resolveSettings({ service: { baseUrl: `https://a.example?k=${canary}` } }, {}),
    ],
    ['the key as a value of the config', () => parseConfig({ service: { apiKey: canary } }, 'x')],
    [
      'the key as a value of the wrong kind',
      () => parseConfig({ input: { format: canary, limit: canary } }, 'x'),
    ],
    ['the key in place of the config', () => parseConfig(canary, 'x')],
    ['the key in a config that is not JSON', () => readConfigFile(write('a.json', `{"k": "${canary}" x}`))],
    ['the key alone in the config', () => readConfigFile(write('b.json', canary))],
    ['the key without quotes', () => readConfigFile(write('c.json', `{"k": ${canary}}`))],
    ['the key over two lines', () => readConfigFile(write('d.json', `{"a": x\n"\n${canary}"}`))],
  ])('not by the error about %s', (_, action) => {
    expect(everythingShown(errorOf(action))).not.toContain(canary)
  })
})

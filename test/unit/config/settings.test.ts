import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/cli/config-flags.js'
import type { UserError } from '../../../src/core/errors.js'
import { parseConfig, readConfigFile } from '../../../src/config/file-config.js'
import { resolveSettings, resolveWebhookKeys, type Settings } from '../../../src/config/settings.js'
import { makeFolder } from '../../support/temporary-folder.js'
import { errorWith } from '../../support/error-with.js'

const folder = makeFolder()

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('defaults', () => {
  test('without a base URL the embedded service has no limits and answers within moments', () => {
    const unlimited: Settings['stages']['kinds']['entity'] = {
      maxAgeMs: null,
      lookupsMax: null,
      limits: { submissionsPerWindow: null, pollsPerWindow: null },
      polling: { firstAfterMs: 0, intervalMs: 50, deadlineMs: 3_600_000 },
    }
    const expected: Omit<Settings, 'asConfigured'> = {
      input: { columns: {}, header: true, acceptDoubtful: false, dedupe: true },
      output: { prefix: 'enrich_' },
      checkpoint: { path: '.enrich/checkpoint.sqlite', maxAgeMs: null },
      decisions: { path: 'enrich.decisions.csv', isNamed: false },
      review: { threshold: 80, reviewer: null, listen: { host: '127.0.0.1', port: 0 } },
      service: { baseUrl: null, registryPath: null, matchers: null },
      first: null,
      budget: { lookupsMax: null, durationMsMax: null },
      prices: null,
      identifierUse: 'first',
      onLost: 'hold',
      serverErrorMeans: 'unknown',
      limits: {
        submissionsPerWindow: null,
        pollsPerWindow: null,
        windowMs: 60_000,
        inFlightRunsMax: 500,
        submitConcurrency: 128,
      },
      polling: { firstAfterMs: 0, intervalMs: 50, deadlineMs: 3_600_000 },
      stages: {
        asked: [],
        kinds: { entity: unlimited, hierarchy: unlimited, domain: unlimited },
      },
      alarms: { conditions: [], notify: null },
      metricsPath: null,
      reportBy: null,
      watch: null,
      webhook: { url: null, listen: null },
      job: { name: null, partition: null },
      history: { keep: 90 },
    }
    expect(resolveSettings({}, {})).toMatchObject(expected)
    expect(resolveSettings({}, { ENRICH_BASE_URL: '' })).toMatchObject(expected)
  })

  test('what is recorded of a run has the keys and units of the config, and no address', () => {
    const secret = 'https://hooks.example.com/token-1'
    const { asConfigured } = resolveSettings(
      parseConfig(
        {
          input: { paths: ['in.csv'], columns: { name: 'firm' } },
          billing: { unitPrice: 0.05, currency: 'EUR' },
          budget: { costMax: 2.5 },
          checkpoint: { path: 'c.sqlite', maxAge: '30d' },
          alarms: { failOn: 'rows<5', notify: secret },
          webhook: { url: secret },
          stages: { with: ['entity'] },
        },
        'x',
      ),
      { ENRICH_BASE_URL: secret },
    )
    expect(asConfigured).toMatchObject({
      input: { columns: { name: 'firm' }, dedupe: true },
      billing: { unitPrice: 0.05, currency: 'EUR' },
      budget: { costMax: 2.5 },
      checkpoint: { maxAge: '30d' },
      limits: { submitPerMinute: 600, windowSeconds: 60 },
      alarms: { failOn: 'rows<5' },
      stages: { with: ['entity'], entity: { perMinute: expect.any(Number) as number } },
    })
    expect(JSON.stringify(asConfigured)).not.toMatch(/example\.com|in\.csv|c\.sqlite/)
    expect(Object.keys(resolveSettings({}, {}).asConfigured['stages'] as object)).toEqual([])
  })

  test('a hosted service gets its documented limits', () => {
    const { service, limits, polling } = resolveSettings(
      { service: { baseUrl: 'https://api.example.com/' } },
      {},
    )
    expect(service).toEqual({ baseUrl: 'https://api.example.com', registryPath: null, matchers: null })
    expect(limits).toEqual({
      submissionsPerWindow: 600,
      pollsPerWindow: 100,
      windowMs: 60_000,
      inFlightRunsMax: 2_000,
      submitConcurrency: 16,
    })
    expect(polling).toEqual({ firstAfterMs: 60_000, intervalMs: 10_000, deadlineMs: 3_600_000 })
  })

  test('what is set goes above them, in plain units', () => {
    const settings = resolveSettings(
      parseConfig(
        {
          checkpoint: { path: 'c.sqlite', maxAge: '30d' },
          budget: { lookupsMax: 0, durationMax: '6h' },
          submission: { onLost: 'resubmit', onServerError: 'resubmit' },
          limits: { submitPerMinute: 60, windowSeconds: 0.5 },
          polling: { firstAfterSeconds: 0, deadlineMinutes: 5 },
          input: { dedupe: false, limit: 10 },
          output: { prefix: 'x_', basis: 'none' },
        },
        'x',
      ),
      { ENRICH_BASE_URL: 'http://127.0.0.1:8080' },
    )
    expect(settings).toMatchObject({
      service: { baseUrl: 'http://127.0.0.1:8080' },
      checkpoint: { path: 'c.sqlite', maxAgeMs: 2_592_000_000 },
      budget: { lookupsMax: 0, durationMsMax: 21_600_000 },
      onLost: 'resubmit',
      serverErrorMeans: 'not_created',
      limits: { submissionsPerWindow: 60, pollsPerWindow: 100, windowMs: 500 },
      polling: { firstAfterMs: 0, intervalMs: 10_000, deadlineMs: 300_000 },
      input: { dedupe: false, limit: 10 },
      output: { prefix: 'x_', basis: 'none' },
    })
  })

  test('stages have the limits of the interface, and those that are set', () => {
    const { stages } = resolveSettings(
      parseConfig(
        {
          service: { baseUrl: 'https://api.example.com' },
          stages: {
            hierarchy: { maxAge: '2d', lookupsMax: 5, pollPerMinute: 7 },
            domain: {},
          },
        },
        'x',
      ),
      {},
    )
    expect(stages.asked).toEqual(['hierarchy', 'domain'])
    const limitsOf = (submissionsPerWindow: number, pollsPerWindow: number) => ({
      maxAgeMs: null,
      lookupsMax: null,
      limits: { submissionsPerWindow, pollsPerWindow },
    })
    expect(stages.kinds).toMatchObject({
      entity: limitsOf(100, 100),
      hierarchy: { ...limitsOf(600, 7), maxAgeMs: 172_800_000, lookupsMax: 5 },
      domain: limitsOf(600, 600),
    })
  })

  test.each([
    [{ entity: {} }, ['entity']],
    [{ with: ['domain', 'entity'], hierarchy: { maxAge: '1d' } }, ['entity', 'domain']],
    [{ with: [], entity: {} }, []],
    [{}, []],
  ] as const)('of stages %j are asked %j', (stages, asked) => {
    expect(resolveSettings(parseConfig({ stages }, 'x'), {}).stages.asked).toEqual(asked)
  })

  test('a bad base URL is refused wherever it comes from', () => {
    for (const attempt of [
      () => resolveSettings({ service: { baseUrl: 'http://api.example.com' } }, {}),
      () => resolveSettings({}, { ENRICH_BASE_URL: 'api.example.com' }),
    ]) {
      expect(attempt).toThrow(expect.objectContaining({ code: 'BASE_URL_INVALID' }))
    }
  })
})

test('Settings are frozen at every depth', () => {
  const settings = resolveSettings(
    parseConfig({ input: { paths: ['a'], columns: { location: ['b'] } } }, 'x'),
    {},
  )
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    expect(Object.isFrozen(value)).toBe(true)
    Object.values(value).forEach(walk)
  }
  walk(settings)
  expect(() => {
    ;(settings as { onLost: string }).onLost = 'resubmit'
  }).toThrow(TypeError)
})

describe('flag over environment over file', () => {
  const config = write(
    'order.json',
    '{"service": {"baseUrl": "https://file.example"}, "input": {"limit": 3}}',
  )
  const environment = { ENRICH_BASE_URL: 'https://environment.example' }

  test.each([
    ['the flag', { config, baseUrl: 'https://flag.example' }, environment, 'https://flag.example'],
    ['the environment', { config }, environment, 'https://environment.example'],
    ['the file', { config }, {}, 'https://file.example'],
    ['an empty variable is not set', { config }, { ENRICH_BASE_URL: '' }, 'https://file.example'],
  ])('%s', (_, flags, variables, baseUrl) => {
    expect(resolveSettings(readConfig([], flags, variables), variables).service.baseUrl).toBe(baseUrl)
  })

  test('flags leave the other keys of the file as they are', () => {
    expect(readConfig(['a.csv'], { config, dedupe: true }, {}).input).toEqual({ paths: ['a.csv'], limit: 3 })
    expect(readConfig([], { config, limit: 9, dedupe: false }, {}).input).toEqual({ limit: 9, dedupe: false })
  })
})

describe('config files', () => {
  test('one with a byte order mark is read', () => {
    expect(readConfigFile(write('bom.json', '\ufeff{"input": {"limit": 3}}'))).toEqual({
      input: { limit: 3 },
    })
  })

  test('one that is not there is CONFIG_NOT_FOUND, a folder too', () => {
    for (const path of [join(folder, 'none.json'), folder]) {
      expect(() => readConfigFile(path)).toThrow(errorWith('CONFIG_NOT_FOUND', { message: path }))
    }
  })

  test.each(['', '{', '{"input": {},}', '// no\n{}', "{'a': 1}"])('%j is CONFIG_NOT_JSON', (text) => {
    const path = write('broken.json', text)
    expect(() => readConfigFile(path)).toThrow(expect.objectContaining({ code: 'CONFIG_NOT_JSON' }))
  })

  test('an invalid one is named in its error', () => {
    const path = write('invalid.json', '{"input": {"limit": "many"}}')
    expect.assertions(2)
    try {
      readConfigFile(path)
    } catch (error) {
      expect((error as UserError).code).toBe('CONFIG_INVALID')
      expect((error as UserError).message).toContain(`${path}: "input.limit"`)
    }
  })
})

describe('webhooks', () => {
  const hosted = { baseUrl: 'https://api.example.com' }

  test('an address and where to listen; empty ones are none', () => {
    const webhook = { url: 'https://hooks.example.com/enrich', listen: '[::1]:8788' }
    expect(resolveSettings({ service: hosted, webhook }, {}).webhook).toEqual({
      url: 'https://hooks.example.com/enrich',
      listen: { host: '::1', port: 8788 },
    })
    const empty = { url: '', listen: '' }
    expect(resolveSettings({ webhook: empty }, {}).webhook).toEqual({ url: null, listen: null })
  })

  test('an address on this machine is for a service on this machine', () => {
    const webhook = { url: 'http://127.0.0.1:8788/' }
    const local = { service: { baseUrl: 'http://127.0.0.1:8787' }, webhook }
    expect(resolveSettings(local, {}).webhook.url).toBe('http://127.0.0.1:8788/')
    expect(() => resolveSettings({ service: hosted, webhook }, {})).toThrow(
      expect.objectContaining({ code: 'WEBHOOK_URL_INVALID' }),
    )
  })

  test('where to listen is checked with the config, and a secret has no place there', () => {
    expect(() => parseConfig({ webhook: { listen: 'here' } }, 'it')).toThrow('host:port')
    expect(() => parseConfig({ webhook: { secret: 'whsec_x' } }, 'it')).toThrow(
      errorWith('CONFIG_INVALID', { hint: 'ENRICH_WEBHOOK_SECRET' }),
    )
  })

  test('the secrets come from the environment alone', () => {
    const secret = `whsec_${'A'.repeat(32)}`
    expect(resolveWebhookKeys({ ENRICH_WEBHOOK_SECRET: `${secret} ${secret}` }).count).toBe(2)
    for (const environment of [{}, { ENRICH_WEBHOOK_SECRET: ' ' }]) {
      expect(() => resolveWebhookKeys(environment)).toThrow(
        expect.objectContaining({ code: 'WEBHOOK_SECRET_MISSING' }),
      )
    }
  })
})

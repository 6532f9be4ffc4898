import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/core/errors.js'
import { mergeConfigs, parseConfig } from '../../../src/config/file-config.js'
import { errorWith } from '../../support/error-with.js'

function errorOf(config: unknown): UserError {
  try {
    parseConfig(config, 'pipeline.config.json')
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
  throw new Error('the config was taken')
}

describe('a bad config is CONFIG_INVALID and names the key', () => {
  test.each<[string, unknown]>([
    ['input.paths', { input: { paths: [] } }],
    ['input.paths', { input: { paths: 'a.csv' } }],
    ['input.paths.1', { input: { paths: ['a.csv', ''] } }],
    ['input.format', { input: { format: 'xls' } }],
    ['input.delimiter', { input: { delimiter: '||' } }],
    ['input.delimiter', { input: { delimiter: '' } }],
    ['input.encoding', { input: { encoding: 'utf8' } }],
    ['input.columns.name', { input: { columns: { name: '' } } }],
    ['input.columns.location', { input: { columns: { location: 'city' } } }],
    ['input.columns.context.0', { input: { columns: { context: [1] } } }],
    ['input.limit', { input: { limit: 0 } }],
    ['input.limit', { input: { limit: 1.5 } }],
    ['input.dedupe', { input: { dedupe: 'no' } }],
    ['output.path', { output: { path: null } }],
    ['output.format', { output: { format: 'json' } }],
    ['output.basis', { output: { basis: 'all' } }],
    ['output.columns', { output: { columns: [] } }],
    ['output.prefix', { output: { prefix: '=x' } }],
    ['output.prefix', { output: { prefix: '' } }],
    ['output.partial', { output: { partial: 1 } }],
    ['checkpoint.path', { checkpoint: { path: '' } }],
    ['checkpoint.maxAge', { checkpoint: { maxAge: '30 days' } }],
    ['checkpoint.maxAge', { checkpoint: { maxAge: 30 } }],
    ['service.baseUrl', { service: { baseUrl: '' } }],
    ['service.registry', { service: { registry: 5 } }],
    ['budget.lookupsMax', { budget: { lookupsMax: -1 } }],
    ['budget.durationMax', { budget: { durationMax: '' } }],
    ['submission.onLost', { submission: { onLost: 'retry' } }],
    ['submission.onServerError', { submission: { onServerError: true } }],
    ['limits.submitPerMinute', { limits: { submitPerMinute: 0 } }],
    ['limits.pollPerMinute', { limits: { pollPerMinute: 1_000_001 } }],
    ['limits.windowSeconds', { limits: { windowSeconds: 0 } }],
    ['limits.inFlightRunsMax', { limits: { inFlightRunsMax: 100_001 } }],
    ['limits.submitConcurrency', { limits: { submitConcurrency: 257 } }],
    ['polling.firstAfterSeconds', { polling: { firstAfterSeconds: -1 } }],
    ['polling.intervalSeconds', { polling: { intervalSeconds: 0 } }],
    ['polling.deadlineMinutes', { polling: { deadlineMinutes: '60' } }],
    ['stages.with.0', { stages: { with: ['owners'] } }],
    ['stages.with', { stages: { with: ['entity', 'entity'] } }],
    ['stages.entity.maxAge', { stages: { entity: { maxAge: 'old' } } }],
    ['stages.domain.perMinute', { stages: { domain: { perMinute: 0 } } }],
    ['limits', { limits: [] }],
    ['output', { output: 'out.csv' }],
  ])('%s: %j', (key, config) => {
    const error = errorOf(config)
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', exitCode: 2 })
    expect(error.message).toContain(`pipeline.config.json: "${key}"`)
    expect(error.hint).not.toBeUndefined()
  })

  test.each<[string, unknown]>([
    ['outputs', { outputs: {} }],
    ['apiKey', { apiKey: 'CANARY' }],
    ['service.apiKey', { service: { apiKey: 'CANARY' } }],
    ['input.columns.names', { input: { columns: { names: 'x' } } }],
    ['limits.submitPerminute', { limits: { submitPerminute: 5 } }],
    ['stages.owners', { stages: { owners: {} } }],
    ['stages.entity.pollPerMinute', { stages: { entity: { pollPerMinute: 1 } } }],
    ['constructor', { constructor: 'CANARY' }],
  ])('%s is an unknown key, whose value is not repeated', (key, config) => {
    const error = errorOf(config)
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toBe(`pipeline.config.json: unknown key "${key}"`)
    expect(String(error.cause)).not.toContain('CANARY')
  })

  test.each([null, [], 'text', 5, true])('the whole of %j is refused', (config) => {
    expect(errorOf(config)).toMatchObject(errorWith('CONFIG_INVALID', { message: 'the whole' }))
  })
})

test('Every key of the config is optional', () => {
  expect(parseConfig({}, 'x')).toEqual({})
  expect(parseConfig({ input: {}, polling: {} }, 'x')).toEqual({ input: {}, polling: {} })
})

describe('merging', () => {
  test('the upper one wins key by key, and lists are replaced', () => {
    const file = {
      input: { paths: ['a.csv', 'b.csv'], limit: 5, columns: { name: 'firma', context: ['x'] } },
      output: { path: 'file.csv' },
    }
    const flags = {
      input: { paths: ['c.csv'], columns: { context: ['y', 'z'] } },
      budget: { lookupsMax: 0 },
    }
    expect(mergeConfigs(file, flags)).toEqual({
      input: { paths: ['c.csv'], limit: 5, columns: { name: 'firma', context: ['y', 'z'] } },
      output: { path: 'file.csv' },
      budget: { lookupsMax: 0 },
    })
  })

  test('neither of the two is changed', () => {
    const file = Object.freeze({ input: Object.freeze({ limit: 5 }) })
    const flags = Object.freeze({ input: Object.freeze({ dedupe: false }) })
    expect(mergeConfigs(file, flags)).toEqual({ input: { limit: 5, dedupe: false } })
  })

  test('a value that is false or 0 wins too', () => {
    expect(mergeConfigs({ output: { partial: true } }, { output: { partial: false } })).toEqual({
      output: { partial: false },
    })
  })

  test('a key of another value never reaches the prototype', () => {
    const evil = JSON.parse(
      '{"__proto__": {"polluted": 1}, "input": {"__proto__": {"polluted": 1}}}',
    ) as object
    mergeConfigs({ input: {} }, evil)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

test.each([
  [{ input: { country: 'PE' } }, '"lookup.country"'],
  [{ output: { MaxAge: '3d' } }, '"stages.entity.maxAge" or '],
  [{ failOn: 'rows>0' }, '"alarms.failOn"'],
])('a key of another part is named: %j', (config, meant) => {
  expect(errorOf(config).hint).toContain(`did you mean ${meant}`)
})

test('a key that no part has is not guessed', () => {
  expect(errorOf({ input: { foo: 1 } }).hint).not.toContain('did you mean')
})

import { describe, expect, test } from 'vitest'
import { errorCodes } from '../../../src/core/errors.js'
import { explainStop, shouldWaitForRuns, type Stop } from '../../../src/pipeline/scheduler/scheduling.js'

const stops: [Stop, { waits: boolean; exitCode: number | null }][] = [
  [{ kind: 'interrupted' }, { waits: false, exitCode: null }],
  [{ kind: 'duration_max' }, { waits: false, exitCode: 10 }],
  [
    { kind: 'refused', reason: 'HTTP 401' },
    { waits: false, exitCode: 4 },
  ],
  [
    { kind: 'wrong_address', reason: 'HTTP 404' },
    { waits: false, exitCode: 5 },
  ],
  [
    { kind: 'unreachable', reason: 'ECONNREFUSED' },
    { waits: false, exitCode: 5 },
  ],
  [
    { kind: 'out_of_credit', reason: 'HTTP 402' },
    { waits: true, exitCode: 8 },
  ],
  [
    { kind: 'plan_limit', reason: 'HTTP 429' },
    { waits: true, exitCode: 8 },
  ],
  [
    { kind: 'lookups_max', lookupsMax: 1_234 },
    { waits: true, exitCode: 8 },
  ],
]

describe.each(stops)('stop %o', (stop, { waits, exitCode }) => {
  test('what was paid for is fetched only where money or budget ended the submissions', () => {
    expect(shouldWaitForRuns(stop)).toBe(waits)
  })

  test('its exit code is the documented one, and its hint says that the same command resumes', () => {
    const explained = explainStop({ kind: 'resolution', stop })
    expect(explained === null ? null : errorCodes[explained.code]).toBe(exitCode)
    if (explained === null) return
    expect(explained.hint).toContain('the same command resumes')
    if ('reason' in stop) expect(explained.message).toContain(stop.reason)
    if ('lookupsMax' in stop) expect(explained.message).toContain('1234')
  })

  test.each([
    [0, false],
    [1, true],
    [null, false],
  ])('with %j submissions, its hint promises something about them: %s', (submittedCount, isPromised) => {
    const { hint = '' } = explainStop({ kind: 'resolution', stop, submittedCount }) ?? {}
    if (!isPromised) expect(hint).not.toMatch(/saved|billed/)
    const isTold = stop.kind === 'unreachable' || stop.kind === 'wrong_address'
    if (isTold) expect(hint.includes('submitted lookups are saved')).toBe(isPromised)
    if (isTold) expect(hint.includes('this run submitted nothing')).toBe(submittedCount === 0)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isContradiction, readDelivery } from '../../../src/pipeline/scheduler/outcome.js'
import {
  getDeliveryMsMax,
  findNextFallbackPoll,
  type FallbackRun,
} from '../../../src/pipeline/scheduler/polling.js'
import { forAll } from '../../support/properties.js'

const run = {
  run_id: 'run_1',
  custom_id: 'enr_1',
  status: 'COMPLETED',
  data: { status: 'matched', match_confidence: 91, entity: { id: 'siq_1' }, basis: [] as unknown },
}
const read = (event: unknown, basisWanted = true) =>
  readDelivery(new TextEncoder().encode(JSON.stringify(event)), basisWanted)
const event = (object: unknown, envelope: object = {}) => ({ data: { object }, ...envelope })

describe('what a delivery says', () => {
  test('an answer, whole', () => {
    expect(read(event(run))).toEqual({
      kind: 'finished',
      runId: 'run_1',
      customId: 'enr_1',
      run,
      failed: false,
    })
    const failed = { run_id: 'run_1', status: 'Failed' }
    expect(read(event(failed))).toMatchObject({ kind: 'finished', customId: null, failed: true })
  })

  test.each([
    ['truncated', event({ ...run, data: null }, { data_truncated: true })],
    ['truncated, whatever is left of it', event(run, { data_truncated: true })],
    ['completed without data', event({ ...run, data: null })],
    ['without the basis', event({ ...run, data: { ...run.data, basis: undefined } })],
    ['of another status', event({ ...run, status: 'ARCHIVED' })],
  ])('has to be polled for: %s', (_, body) => {
    expect(read(body)).toMatchObject({ kind: 'incomplete', runId: 'run_1', customId: 'enr_1' })
  })

  test('an answer without a basis is whole where none was asked for', () => {
    expect(read(event({ ...run, data: { ...run.data, basis: undefined } }), false).kind).toBe('finished')
  })

  test.each([
    ['nothing', {}],
    ['no run', event({ id: 'siq_1' })],
    ['a run id that is no text', event({ ...run, run_id: 7 })],
    ['a run id that no path can hold', event({ ...run, run_id: '..' })],
    ['a custom id that is no text', event({ ...run, custom_id: {} })],
  ])('names no run: %s', (_, body) => {
    expect(read(body).kind).toBe('unreadable')
  })

  test('a byte order mark and UTF-16 change nothing', () => {
    const text = '\ufeff {"data":{"object":{"run_id":"run_1","status":"FAILED","data":{}}}}'
    const read = (bytes: Buffer) => readDelivery(bytes, false)
    const expected = read(Buffer.from(text.slice(2)))
    expect(expected).toMatchObject({ kind: 'finished', runId: 'run_1' })
    const encoded = [Buffer.from(text), Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()]
    for (const bytes of encoded) expect(read(bytes)).toEqual(expected)
  })

  test('bytes of any kind are read without an error', () => {
    forAll(
      { seed: 4 },
      [
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => new TextEncoder().encode(text)),
        ),
      ],
      (body) => {
        expect(['unreadable', 'incomplete', 'finished']).toContain(readDelivery(body, true).kind)
      },
    )
    const deep = new TextEncoder().encode('['.repeat(200_000))
    expect(readDelivery(deep, true).kind).toBe('unreadable')
  })
})

test.each<[string, object, boolean]>([
  ['the same', {}, false],
  ['without its basis', { data: { ...run.data, basis: undefined } }, false],
  ['sent by another request', { data: { ...run.data, request_id: 'req_2' } }, false],
  ['another company', { data: { ...run.data, entity: { id: 'siq_2' } } }, true],
  ['another certainty', { data: { ...run.data, match_confidence: 40 } }, true],
  ['another outcome', { data: { ...run.data, status: 'no_match' } }, true],
  ['failed', { status: 'FAILED', data: null }, true],
])('Two answers to one run are compared: %s', (_, change, differs) => {
  expect(isContradiction(run, { ...run, ...change })).toBe(differs)
})

describe('while deliveries are expected', () => {
  const pace = { firstAfterMs: 60_000, intervalMs: 10_000, deadlineMs: 3_600_000 }
  const open = (change: Partial<FallbackRun> = {}): FallbackRun => ({
    openedAtMs: 0,
    submittedAtMs: 0,
    lastPolledAtMs: null,
    seenRunningAtMs: null,
    notBeforeMs: 0,
    isBeingPolled: false,
    isScout: false,
    asked: null,
    ...change,
  })
  const dueAtMs = (change: Partial<FallbackRun>) => findNextFallbackPoll([open(change)], pace)?.dueAtMs

  test('a run is due when it is late: after research and all tries of its delivery', () => {
    expect(getDeliveryMsMax(pace)).toBe(730_000)
    expect(dueAtMs({})).toBe(730_000)
    expect(dueAtMs({ lastPolledAtMs: 730_000 })).toBe(740_000)
  })

  test('a deadline that comes sooner is asked before', () => {
    expect(getDeliveryMsMax({ deadlineMs: 300_000 })).toBe(240_000)
  })

  test('one that was asked for is due at once, and then at every interval', () => {
    expect(dueAtMs({ asked: 'once' })).toBe(0)
    expect(dueAtMs({ asked: 'until_answered', lastPolledAtMs: 5_000 })).toBe(15_000)
    expect(dueAtMs({ asked: 'until_answered', notBeforeMs: 99_000 })).toBe(99_000)
  })

  test('the earliest comes first; one that is being asked is left out', () => {
    const late = open({ submittedAtMs: 5 })
    const asked = open({ asked: 'once' })
    expect(findNextFallbackPoll([late, asked], pace)?.run).toBe(asked)
    expect(findNextFallbackPoll([late, { ...asked, isBeingPolled: true }], pace)?.run).toBe(late)
    expect(findNextFallbackPoll([{ ...late, isBeingPolled: true }], pace)).toBeNull()
  })
})

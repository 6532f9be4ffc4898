import { Interruption, getInterruptionCode } from '../../../src/core/errors.js'
import { describe, expect, test } from 'vitest'
import {
  readCountedValues,
  calculateFigures,
  createTimeline,
} from '../../../src/pipeline/history/run-record.js'
import { renderUnanswered } from '../../../src/pipeline/answers/answer-line.js'
import { getExitCode, type RunSummary } from '../../../src/pipeline/history/run-summary.js'
import { parsePublishedState, renderPublishedState } from '../../../src/pipeline/answers/published-state.js'
import type { Stop } from '../../../src/pipeline/scheduler/scheduling.js'

describe('the timeline of a run', () => {
  const pointAt = (second: number) => ({
    elapsedMs: second * 1_000,
    submissions: second,
    polls: 0,
    answered: 0,
    rateLimited: 0,
  })
  const timelineOf = (count: number) => {
    const timeline = createTimeline()
    for (let second = 0; second < count; second++) timeline.add(pointAt(second))
    return timeline.points()
  }

  test.each([0, 1, 2, 238, 239, 240, 241, 1_000, 86_400])(
    'of %i points at most 240 stay, evenly apart, from the first to the newest',
    (count) => {
      const points = timelineOf(count)
      expect(points.length).toBeLessThanOrEqual(240)
      expect(points.length).toBeGreaterThanOrEqual(Math.min(count, 120))
      if (count === 0) return
      expect([points[0], points.at(-1)]).toEqual([pointAt(0), pointAt(count - 1)])
      const apart = points
        .slice(1, -1)
        .map((point, index) => point.elapsedMs - (points[index]?.elapsedMs ?? 0))
      expect(new Set(apart).size).toBeLessThanOrEqual(1)
    },
  )
})

describe('what is counted of a line', () => {
  const lineOf = (change: object) =>
    JSON.stringify({ ...(JSON.parse(renderUnanswered({ status: 'pending' })) as object), ...change })

  test('its status, confidence and country; what is none of these is null', () => {
    expect(readCountedValues(lineOf({ status: 'Matched', confidence: 97, country_code: 'de' }))).toEqual({
      status: 'matched',
      confidence: 97,
      country: 'DE',
    })
    expect(readCountedValues(lineOf({ confidence: 101, country_code: 'Germany' }))).toEqual({
      status: 'pending',
      confidence: null,
      country: null,
    })
  })

  test('a state says nothing of when and by which run it came', () => {
    const [one, other] = [
      { run_id: 'run_1', resolved_at: '2026-01-01T00:00:00Z', from_cache: false },
      { run_id: 'run_2', resolved_at: '2026-02-02T00:00:00Z', from_cache: true },
    ].map((change) => renderPublishedState(lineOf({ legal_name: 'Acme "A"', ...change })))
    expect(one).toBe(other)
    expect(parsePublishedState(one ?? '').get('legal_name')?.value).toBe('Acme "A"')
  })
})

test('Rows of an output are counted by status, confidence and country, the largest first', () => {
  const figures = calculateFigures([
    { status: 'matched', confidence: 90, country: 'FR', rowCount: 2 },
    { status: 'no_match', confidence: 0, country: 'DE', rowCount: 3 },
    { status: 'matched', confidence: 90, country: 'DE', rowCount: 4 },
    { status: 'invalid_input', confidence: null, country: null, rowCount: 1 },
  ])
  expect(figures).toMatchObject({
    rowCount: 10,
    rowsByStatus: { matched: 6, no_match: 3, invalid_input: 1 },
    byCountry: [
      { value: 'DE', rowCount: 7, matchedCount: 4 },
      { value: 'FR', rowCount: 2, matchedCount: 2 },
      { value: null, rowCount: 1, matchedCount: 0 },
    ],
  })
  expect(figures.rowsByConfidence).toHaveLength(101)
  expect([figures.rowsByConfidence[0], figures.rowsByConfidence[90]]).toEqual([3, 6])
  expect(figures.rowsByConfidence.reduce((sum, count) => sum + count, 0)).toBe(9)
})

describe('the exit code of a run', () => {
  const summaryOf = (change: object) =>
    ({
      stop: null,
      invalidRowCount: 0,
      rejectedCount: 0,
      failedCount: 0,
      uncertainCount: 0,
      pendingCount: 0,
      stages: [],
      alarms: [],
      ...change,
    }) as unknown as RunSummary
  const stopped = (stop: Stop) => summaryOf({ stop })

  test.each([
    [summaryOf({}), 0],
    [summaryOf({ invalidRowCount: 1 }), 0],
    [summaryOf({ invalidRowCount: 1, alarms: [{}] }), 6],
    [stopped({ kind: 'lookups_max', lookupsMax: 5 }), 8],
    [stopped({ kind: 'duration_max' }), 10],
    [stopped({ kind: 'refused', reason: '401' }), 4],
    [stopped({ kind: 'interrupted' }), 143],
  ])('%#: %i', (summary, code) => {
    expect(getExitCode(summary, getInterruptionCode(new Interruption(143)))).toBe(code)
  })

  test('who aborts without saying by which signal interrupts as SIGINT does', () => {
    expect(getInterruptionCode(new DOMException('gone', 'AbortError'))).toBe(130)
  })
})

test('rows that a reviewer decided to be no company are not counted as rows that need a register', () => {
  const of = (status: string, confidence: number | null) => ({
    status,
    confidence,
    country: 'NO',
    rowCount: 2,
  })
  const { byCountry } = calculateFigures([
    of('no_match', 0),
    of('no_match', null),
    of('matched', 99),
    of('not_found', 0),
  ])
  expect(byCountry).toEqual([{ value: 'NO', rowCount: 8, matchedCount: 2, unmatchedCount: 4 }])
})

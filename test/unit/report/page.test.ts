import { describe, expect, test } from 'vitest'
import {
  calculateBins,
  findMostInMinute,
  renderTimelineChart,
  renderCostChart,
} from '../../../src/report/charts/over-time.js'
import { calculateHeights } from '../../../src/report/charts/outcomes.js'
import { calculateCeiling } from '../../../src/web/charts.js'
import {
  isUnanswered,
  toOutcomeGroup,
  formatPercent,
  type ReportData,
} from '../../../src/report/report-data.js'
import { renderReportPage } from '../../../src/report/report.js'
import type { RunSummary } from '../../../src/pipeline/history/run-summary.js'
import { buildHeadline } from '../../../src/report/sections/run-facts.js'
import {
  hostile,
  sampleFigures,
  sampleReport,
  sampleRun,
  sampleTimeline,
} from '../../support/report-samples.js'

const megabyte = 1_000_000

describe('the size of a report', () => {
  test.each([
    ['a million rows and 12,345 changes', sampleReport({ rowCount: 1_000_000, changeCount: 12_345 })],
    [
      'the same with hostile words in every field',
      sampleReport({ rowCount: 1_000_000, changeCount: 12_345, words: hostile }),
    ],
    [
      'the same with words that grow when they are escaped',
      sampleReport({
        rowCount: 1_000_000,
        changeCount: 12_345,
        words: (_, index) => `${index}${'\u202e'.repeat(5_000)}`,
      }),
    ],
  ])('%s: below two megabytes', (_, data) => {
    const bytes = Buffer.byteLength(renderReportPage(data))
    expect(bytes).toBeLessThan(2 * megabyte)
    expect(bytes).toBeGreaterThan(megabyte / 10)
  })

  test('the page says what is left out', () => {
    const page = renderReportPage(sampleReport({ rowCount: 1_000_000, changeCount: 12_345 }))
    expect(page).toContain('The first 100 of 12,345 changes.')
    expect(page).toContain('The first 300 of 20,000 rows.')
    expect(page).toContain('The first 200 of 300 groups.')
  })
})

test('lookups that people decided have a figure where there are any, and none in runs of before', () => {
  const data = sampleReport()
  const pageOf = (decidedCount: number | undefined) => {
    const { record } = data.run
    if (record === null || record.summary === null) throw new Error('the sample has a record')
    const summary = { ...record.summary, decidedCount } as RunSummary
    return renderReportPage({ ...data, run: { ...data.run, record: { ...record, summary } } })
  }
  expect(pageOf(1_234)).toMatch(/Lookups decided by reviewers<\/dt>\s*<dd>1,234</)
  for (const none of [0, undefined]) expect(pageOf(none)).not.toContain('decided by reviewers')
})

describe('what happened, in a sentence', () => {
  const night = sampleReport()

  test('rows, matched share and its change, changes, cost, alarms and the end', () => {
    expect(buildHeadline(night)).toBe(
      '12,345 rows, 11,901 of them matched (96.4 %, 1.4 points more than in the previous run). ' +
        '143 changes since run 30: 43 new rows, 22 rows gone, 14 rows gained a match and more. ' +
        'It cost EUR\u00a012.30, and EUR\u00a00.06 more may have been billed. ' +
        'One ALARM, see below. ' +
        'It ended with exit code 6: output written, and a condition of --fail-on is met.',
    )
  })

  test.each<[string, Partial<ReportData>, string]>([
    [
      'nothing changed',
      { changes: { baseline: 30, counts: {}, largest: [] } },
      'Nothing changed since run 30.',
    ],
    ['the first run', { changes: null, earlier: [] }, 'there is nothing to compare with'],
    [
      'one change',
      { changes: { baseline: 30, counts: { renamed: 1 }, largest: [] } },
      '1 change since run 30: 1 company renamed.',
    ],
    ['no rows', { run: sampleRun(31, { figures: sampleFigures(0) }) }, 'The input has no rows.'],
    [
      'no output',
      { run: sampleRun(31, { figures: null }, { isPublished: false }) },
      'This run published no output.',
    ],
    [
      'the embedded service',
      { run: sampleRun(31, { service: 'embedded', money: null }) },
      'which costs nothing',
    ],
    ['an end without an end', { run: sampleRun(31, {}, { endedAtMs: null, exitCode: null }) }, 'was killed'],
    [
      'the same share',
      { earlier: [sampleRun(30, { figures: sampleFigures(12_345) })] },
      '(96.4 %, as in the previous run)',
    ],
  ])('%s', (_, over, sentence) => {
    expect(buildHeadline({ ...night, ...over })).toContain(sentence)
  })
})

test.each([
  [0, 10, '0.0 %'],
  [10, 10, '100.0 %'],
  [1, 1_000_000, 'under 0.1 %'],
  [999_999, 1_000_000, 'over 99.9 %'],
  [0, 0, '–'],
])('A share of %d of %d is %s', (part, whole, text) => {
  expect(formatPercent(part, whole)).toBe(text)
})

describe('pictures', () => {
  test('one night of ten thousand does not flatten thirty of a hundred, and is marked as cut', () => {
    const usual = Array.from({ length: 30 }, (_, index) => 90 + index)
    expect(calculateCeiling([...usual, 10_000])).toBeCloseTo(119 * 1.25)
    expect(calculateCeiling(usual)).toBe(119)
    expect(calculateCeiling([1, 10_000])).toBe(10_000)
    expect(calculateCeiling([])).toBe(1)
    expect(String(renderCostChart(sampleReport().earlier.toReversed()))).toContain(
      'cut off: run 3 (EUR\u00a0740.00)',
    )
  })

  test('a row of a million is to be seen, and a column is never higher than the picture', () => {
    const heights = calculateHeights([999_998, 1, 1])
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(1.5)
    expect(heights.reduce((sum, height) => sum + height, 0)).toBeCloseTo(100)
  })

  test('counts over the time of a run add up to what was done', () => {
    const bins = calculateBins(sampleTimeline)
    const done = bins.reduce((sum, bin) => sum + bin.polls, 0)
    expect(done).toBeCloseTo(sampleTimeline.at(-1)?.polls ?? 0)
    expect(bins.filter(({ rateLimited }) => rateLimited > 0).length).toBe(6)
    expect(bins.length).toBe(60)
  })

  /** Requests sent at the distance that keeps a limit of 600 a minute, counted each second or so. */
  const evenTimeline = (seconds: number) =>
    Array.from({ length: seconds }, (_, index) => {
      const elapsedMs = (index + 1) * 1_006
      return { ...sampleTimeline[0]!, elapsedMs, submissions: Math.floor(elapsedMs / 100.067) + 1 }
    })

  test('the most of a minute is counted in a minute, and never exceeds a limit that was kept', () => {
    for (const seconds of [61, 90, 239]) {
      const most = findMostInMinute(evenTimeline(seconds), 'submissions')
      expect([most! <= 600, most! >= 598]).toEqual([true, true])
    }
    expect(findMostInMinute(evenTimeline(50), 'submissions')).toBe(null)
    const text = String(renderTimelineChart(evenTimeline(50)))
    expect(text).toContain('503 in all<')
    expect(text).not.toContain('in a minute')
    expect(String(renderTimelineChart(evenTimeline(90)))).toMatch(
      /905 in all, at most (?:599|600) in a minute/,
    )
  })

  test('points further apart than a minute give the average of the stretch between them', () => {
    const points = [0, 300_000].map((elapsedMs) => ({
      ...sampleTimeline[0]!,
      elapsedMs,
      polls: elapsedMs / 1_000,
    }))
    expect(findMostInMinute(points, 'polls')).toBe(60)
  })

  test('points that are unevenly apart, or repeated, make no rate that is none', () => {
    const points = [0, 1_000, 1_000, 50_000].map((elapsedMs, index) => ({
      ...sampleTimeline[index]!,
      elapsedMs,
    }))
    for (const bin of calculateBins(points))
      for (const value of Object.values(bin)) expect(value).toSatisfy(Number.isFinite)
  })

  test('a run of a moment has no course', () => {
    expect(renderTimelineChart([])).toBe(null)
    expect(renderTimelineChart([{ ...sampleTimeline[1]!, elapsedMs: 1_900 }])).toBe(null)
  })

  test('what is not drawn is in words: no SVG holds text but its titles', () => {
    expect(renderReportPage(sampleReport())).not.toMatch(/<text\b/)
  })
})

test.each([
  ['matched', 'matched', false],
  ['merged', 'matched', false],
  ['partial_match', 'doubtful', false],
  ['inconclusive', 'doubtful', false],
  ['no_match', 'none', false],
  ['pending', 'open', false],
  ['uncertain', 'open', true],
  ['failed', 'failed', true],
  ['invalid_input', 'failed', true],
  ['a status to come', 'doubtful', true],
])('The status %s is in the group %s, and is final: %s', (status, group, isOver) => {
  expect([toOutcomeGroup(status), isUnanswered(status)]).toEqual([group, isOver])
})

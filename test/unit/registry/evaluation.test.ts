import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { formatComparison, formatEvaluation } from '../../../src/cli/terminal/evaluation-text.js'
import { measureWidth } from '../../../src/core/text.js'
import { compareOutcomes, type QueryOutcome } from '../../../src/registry/evaluate/evaluation.js'
import { isChosen } from '../../../src/registry/evaluate/evaluate.js'
import { measure, type Judgement } from '../../../src/registry/evaluate/measure.js'
import { forAll } from '../../support/properties.js'

const judgement = (given: Partial<Judgement>): Judgement => ({
  stratum: 'all',
  isPositive: true,
  confidence: 90,
  isAccepted: true,
  isCorrect: true,
  rank: 1,
  latencyMs: 1,
  ...given,
})
const right = judgement({})
const wrong = judgement({ isCorrect: false, rank: null })
const held = judgement({ confidence: 60, isAccepted: false })
const unnamed = judgement({ confidence: 0, isAccepted: false, isCorrect: false, rank: 3 })
const falseAccept = judgement({ isPositive: false, isCorrect: false, rank: null, stratum: 'absent' })
const rejected = judgement({ ...falseAccept, confidence: 0, isAccepted: false })

describe('figures', () => {
  test.each<[string, Judgement[], object]>([
    ['all right', [right, right], { precision: 1, recall: 1, top5Recall: 1, falseAcceptShare: null }],
    ['one wrong', [right, wrong], { precision: 0.5, recall: 0.5, top5Recall: 0.5 }],
    ['held below 80', [right, held], { precision: 1, recall: 0.5, top5Recall: 1 }],
    ['found, not named', [unnamed], { precision: null, recall: 0, top1Recall: 0, top5Recall: 1 }],
    ['found far down', [judgement({ rank: 6 }), right], { top1Recall: 0.5, top5Recall: 0.5 }],
    [
      'accepted where nothing was to be found',
      [right, falseAccept, rejected],
      { precision: 0.5, recall: 1, falseAcceptCount: 1, falseAcceptShare: 0.5 },
    ],
    ['nothing to be found', [rejected], { precision: null, recall: null, top5Recall: null }],
    ['nothing asked', [], { queryCount: 0, precision: null, recall: null, falseAcceptShare: null }],
  ])('%s', (_case, judgements, figures) => {
    expect(measure(judgements).overall).toMatchObject(figures)
  })

  it('each stratum is counted on its own, and all of them together', () => {
    const { overall, strata } = measure([right, wrong, falseAccept])
    expect(Object.keys(strata)).toEqual(['absent', 'all'])
    expect(strata['absent']).toMatchObject({ acceptedCount: 1, correctCount: 0, positiveCount: 0 })
    expect(overall).toMatchObject({ queryCount: 3, acceptedCount: 3, correctCount: 1 })
  })
})

describe('companies left out', () => {
  it('accepted answers are counted, and those without a namesake apart', () => {
    const judgements = [
      { isAccepted: true, isNamesake: true },
      { isAccepted: true, isNamesake: false },
      { isAccepted: false, isNamesake: true },
      { isAccepted: false, isNamesake: false },
    ]
    expect(measure([], { share: 0.2, judgements }).leaveOut).toMatchObject({
      share: 0.2,
      queryCount: 4,
      acceptedCount: 2,
      acceptedShare: 0.5,
      acceptedBesideNamesakesCount: 1,
      acceptedShareBesideNamesakes: 0.25,
    })
    expect(measure([]).leaveOut).toBeNull()
  })

  it('are chosen by what is expected: the same again, about so many, and all queries of a company', () => {
    const expecting = (value: string) => ({
      expected: [{ type: 'entity' as const, value, jurisdiction: null }],
    })
    const chosen = Array.from({ length: 2000 }, (_, at) => isChosen(expecting(`siq_${at}`), 0.2))
    const count = chosen.filter(Boolean).length
    expect(count).toBeGreaterThan(330)
    expect(count).toBeLessThan(470)
    expect(isChosen(expecting('siq_1'), 0.2)).toBe(chosen[1])
    expect(isChosen(expecting('siq_1'), 1)).toBe(true)
    expect(isChosen(expecting('siq_1'), 0)).toBe(false)
    expect(isChosen({ expected: [] }, 1)).toBe(false)
  })
})

describe('a comparison', () => {
  const outcome = (given: Partial<QueryOutcome>): QueryOutcome => ({
    id: 'q1',
    name: 'Zorvex',
    location: null,
    stratum: 'all',
    isPositive: true,
    confidence: 95,
    isAccepted: true,
    isCorrect: true,
    answeredName: 'Zorvex Inc',
    ...given,
  })
  const held60 = outcome({ isAccepted: false, confidence: 60 })
  const mistaken = outcome({ isCorrect: false, answeredName: 'Zorvex Ltd' })
  const nothing = outcome({ isAccepted: false, isCorrect: false, confidence: 0, answeredName: null })
  const absentAccepted = outcome({ isPositive: false, isCorrect: false })
  const absentRejected = outcome({ ...nothing, isPositive: false })

  test.each<[string, QueryOutcome, QueryOutcome, string[], number, number]>([
    ['the same', held60, held60, [], 0, 0],
    ['accepted now', held60, outcome({}), ['gained'], 0, 0],
    ['accepted no more', outcome({}), held60, ['lost'], 0, 0],
    ['right, and now wrong', outcome({}), mistaken, ['lost'], 1, 0],
    ['wrong, and now held', mistaken, nothing, ['other'], 0, 1],
    ['wrong in another way', mistaken, { ...mistaken, answeredName: 'Zorvex GmbH' }, ['other'], 0, 0],
    ['only the confidence differs', outcome({}), outcome({ confidence: 99 }), [], 0, 0],
    ['absent, and accepted no more', absentAccepted, absentRejected, ['gained'], 0, 1],
    ['absent, and accepted now', absentRejected, absentAccepted, ['lost'], 1, 0],
  ])('%s', (_case, before, after, kinds, wrongGainedCount, wrongLostCount) => {
    const comparison = compareOutcomes([before], [after])
    expect(comparison.changes.map(({ kind }) => kind)).toEqual(kinds)
    expect(comparison).toMatchObject({ queryCount: 1, wrongGainedCount, wrongLostCount })
  })

  it('is of the queries that both were asked, the lost first', () => {
    const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)
    const before = [
      ...ids('g', 8).map((id) => ({ ...held60, id })),
      ...ids('l', 2).map((id) => outcome({ id })),
      outcome({ id: 'there alone' }),
    ]
    const after = [
      ...ids('g', 8).map((id) => outcome({ id })),
      ...ids('l', 2).map((id) => ({ ...held60, id })),
      outcome({ id: 'here alone' }),
    ]
    const comparison = compareOutcomes(before, after)
    expect(comparison).toMatchObject({ queryCount: 10, uncomparedCount: 1, gainedCount: 8, lostCount: 2 })
    expect(comparison.changes[0]?.kind).toBe('lost')
    // Of ten coins two or fewer fall on one side, either side: 2 (1 + 10 + 45) / 1024.
    expect(comparison.chance).toBeCloseTo(112 / 1024, 10)
    expect(compareOutcomes([held60], [held60]).chance).toBe(1)
    const text = formatComparison(comparison, 'other.sqlite')
    expect(text).toContain('8 gained, 2 lost')
    expect(text).toContain(
      'right there, not here:\n  Zorvex\n    there 95 Zorvex Inc\n    here  60 Zorvex Inc',
    )
  })

  it('no line is wider than a terminal, and of very many changes the rest is counted', () => {
    const long = 'Zorvex Robotics and Advanced Industrial Systems International Holdings '.repeat(3)
    const before = Array.from({ length: 100 }, (_, at) =>
      outcome({ id: String(at), name: long, location: long, answeredName: long }),
    )
    const after = before.map((one) => ({ ...one, isAccepted: false, confidence: 7 }))
    const lines = formatComparison(compareOutcomes(before, after), 'other.sqlite').split('\n')
    expect(lines.filter((line) => measureWidth(line) > 80)).toEqual([])
    expect(lines).toContain('and 40 more, with --json')
  })
})

describe('calibration', () => {
  const many = (count: number, given: Partial<Judgement>) =>
    Array.from({ length: count }, () => judgement(given))

  it('what is stated and comes true as often has no error', () => {
    const judgements = [...many(9, { confidence: 90 }), ...many(1, { confidence: 90, isCorrect: false })]
    expect(measure(judgements).calibration).toMatchObject({ expectedError: 0, expectedErrorEqualMass: 0 })
  })

  it('the error is the distance of each bin, weighted by how often it was stated', () => {
    const judgements = [...many(3, { confidence: 100 }), ...many(1, { confidence: 40, isCorrect: false })]
    expect(measure(judgements).calibration.expectedError).toBeCloseTo(0.1, 10)
  })

  it('bands are narrow where most answers are, and what is accepted has an error of its own', () => {
    const judgements = [
      ...many(8, { confidence: 99 }),
      ...many(2, { confidence: 82, isCorrect: false }),
      ...many(4, { confidence: 60, isAccepted: false, isCorrect: false }),
    ]
    const { bands, accepted } = measure(judgements).calibration
    expect(
      bands.map(({ confidenceMin, confidenceMax, count }) => [confidenceMin, confidenceMax, count]),
    ).toEqual([
      [50, 64, 4],
      [80, 84, 2],
      [98, 100, 8],
    ])
    expect(bands[2]).toMatchObject({ accuracy: 1, meanConfidence: 99 })
    expect(accepted.count).toBe(10)
    expect(accepted.expectedError).toBeCloseTo((8 * 0.01 + 2 * 0.82) / 10, 10)
  })

  it('a query to which nothing was named states no confidence', () => {
    expect(measure([right, unnamed, rejected]).calibration).toMatchObject({ count: 1 })
  })

  it('bins hold every named query once, whatever was stated', () => {
    const any = fc.array(fc.record({ confidence: fc.integer({ min: 0, max: 100 }), isCorrect: fc.boolean() }))
    forAll(100, [any], (given) => {
      const { calibration } = measure(given.map(judgement))
      const held = calibration.bins.reduce((sum, { count }) => sum + count, 0)
      expect(held).toBe(given.filter(({ confidence }) => confidence > 0).length)
      for (const error of [calibration.expectedError, calibration.expectedErrorEqualMass]) {
        expect(error).toBeGreaterThanOrEqual(0)
        expect(error).toBeLessThanOrEqual(1)
      }
    })
  })
})

it('latency is that of the middle and of the slow end', () => {
  const judgements = Array.from({ length: 100 }, (_, index) => judgement({ latencyMs: index + 1 }))
  expect(measure(judgements).latencyMs).toEqual({ p50: 51, p95: 96, max: 100 })
})

it('the report for people names each stratum, the calibration and the latency', () => {
  const text = formatEvaluation(measure([right, wrong, falseAccept, rejected]))
  for (const part of ['absent', 'overall', '1/2', 'expected calibration error', 'latency p50']) {
    expect(text).toContain(part)
  }
})

it('the report is no wider than a terminal, whatever strata are called and however many were asked', () => {
  const stratum = 'lists of suppliers as their ledgers write them, cut at thirty'
  const many = Array.from({ length: 12_345 }, (_, at) => judgement({ stratum, isCorrect: at % 7 > 0 }))
  const leftOut = { share: 0.25, judgements: [{ isAccepted: true, isNamesake: false }] }
  const lines = formatEvaluation(measure([...many, falseAccept, rejected], leftOut)).split('\n')
  expect(lines.filter((line) => measureWidth(line) > 80)).toEqual([])
  expect(lines.join('\n')).toMatch(/^ +accepted, no namesake +1 +100 20-100$/m)
})

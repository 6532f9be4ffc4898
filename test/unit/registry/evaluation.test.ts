import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { evaluationText } from '../../../src/cli/terminal/registry-evaluate-text.js'
import { measure, type Judgement } from '../../../src/registry/evaluate/measure.js'

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
    ['found, not named', [unnamed], { precision: null, recall: 0, top5Recall: 1 }],
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

  it('a query to which nothing was named states no confidence', () => {
    expect(measure([right, unnamed, rejected]).calibration).toMatchObject({ count: 1 })
  })

  it('bins hold every named query once, whatever was stated', () => {
    const any = fc.array(fc.record({ confidence: fc.integer({ min: 0, max: 100 }), isCorrect: fc.boolean() }))
    fc.assert(
      fc.property(any, (given) => {
        const { calibration } = measure(given.map(judgement))
        const held = calibration.bins.reduce((sum, { count }) => sum + count, 0)
        expect(held).toBe(given.filter(({ confidence }) => confidence > 0).length)
        for (const error of [calibration.expectedError, calibration.expectedErrorEqualMass]) {
          expect(error).toBeGreaterThanOrEqual(0)
          expect(error).toBeLessThanOrEqual(1)
        }
      }),
    )
  })
})

it('latency is that of the middle and of the slow end', () => {
  const judgements = Array.from({ length: 100 }, (_, index) => judgement({ latencyMs: index + 1 }))
  expect(measure(judgements).latencyMs).toEqual({ p50: 51, p95: 96, max: 100 })
})

it('the report for people names each stratum, the calibration and the latency', () => {
  const text = evaluationText(measure([right, wrong, falseAccept, rejected]))
  for (const part of ['absent', 'overall', '1/2', 'expected calibration error', 'latency p50']) {
    expect(text).toContain(part)
  }
})

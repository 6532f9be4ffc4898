import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { isDoubtful } from '../../../src/core/lookup-state.js'
import { adviseThreshold, type ReviewedAnswer } from '../../../src/registry/evaluate/accept-advice.js'
import { forAll } from '../../support/properties.js'

const answers = (count: number, confidence: number, wrongCount = 0, status = 'partial_match') =>
  Array.from({ length: count }, (_, at): ReviewedAnswer => ({
    status,
    confidence,
    isCorrect: at >= wrongCount,
  }))

describe('what a threshold would have spared', () => {
  const advice = adviseThreshold([
    ...answers(10, 79, 1),
    ...answers(20, 75),
    ...answers(5, 74, 5),
    ...answers(4, 96, 0, 'matched'),
    ...answers(7, 79, 7, 'inconclusive'),
    ...answers(4, 0, 4, 'no_match'),
  ])
  const at = (threshold: number) => advice.thresholds.find((one) => one.threshold === threshold)

  it('is counted at it and above, with what of that would have been wrong', () => {
    expect(advice.reviewedCount).toBe(50)
    expect(at(75)).toMatchObject({ sparedCount: 34, sparedShare: 0.68, wrongCount: 1 })
    expect(at(70)).toMatchObject({ sparedCount: 39, wrongCount: 6 })
    expect(at(80)).toMatchObject({ sparedCount: 4, wrongCount: 0, wrongShare: 0 })
    expect(at(75)?.risk?.map((end) => Number(end.toFixed(3)))).toEqual([0.005, 0.149])
  })

  it('is told for each step on its own; the last one has no end', () => {
    expect(at(70)?.band).toEqual({ count: 5, wrongCount: 5 })
    expect(at(75)?.band).toEqual({ count: 30, wrongCount: 1 })
    expect(at(95)?.band).toEqual({ count: 4, wrongCount: 0 })
  })

  it('nothing that names no company for certain is spared, however certain it is', () => {
    expect(
      adviseThreshold(answers(9, 99, 0, 'inconclusive')).thresholds.every((one) => one.sparedCount === 0),
    ).toBe(true)
  })

  it('is what the queue of a review would be without, at that threshold', () => {
    const statuses = ['matched', 'partial_match', 'inconclusive', 'no_match', 'not_found']
    for (const status of statuses)
      for (const confidence of [0, 49, 50, 74, 75, 79, 80, 95, 100])
        for (const { threshold, sparedCount } of adviseThreshold(answers(1, confidence, 0, status))
          .thresholds) {
          const isQueued = isDoubtful({ state: 'answered', outcome: status, confidence }, threshold)
          expect([status, confidence, threshold, sparedCount]).toEqual([
            status,
            confidence,
            threshold,
            isQueued ? 0 : 1,
          ])
        }
  })

  it('thresholds are those of a team: 50 to 95', () => {
    expect(advice.thresholds.map(({ threshold }) => threshold)).toEqual([
      50, 55, 60, 65, 70, 75, 80, 85, 90, 95,
    ])
  })
})

describe('a threshold is recommended', () => {
  test.each<[string, ReviewedAnswer[], object]>([
    [
      'the lowest that is surely right enough',
      [...answers(100, 70), ...answers(40, 60)],
      { kind: 'recommended', threshold: 60 },
    ],
    [
      'not below a step that is surely wrong more often, even where all together are not',
      [...answers(1000, 80), ...answers(20, 65), ...answers(10, 60, 5), ...answers(99, 50)],
      { kind: 'recommended', threshold: 65 },
    ],
    [
      'not by a step of which hardly anything is known',
      [...answers(1000, 80), ...answers(9, 75)],
      { kind: 'recommended', threshold: 80 },
    ],
    // Wilson's interval of none of 73 ends at 4.999 %.
    ['73 right ones are enough', answers(73, 78), { kind: 'recommended', threshold: 75 }],
    ['72 are one too few', answers(72, 78), { kind: 'too_few', threshold: 75, moreCount: 1 }],
    ['nothing is known yet', [], { kind: 'too_few', threshold: 50, moreCount: 73 }],
    [
      'enough in all, and few in each step',
      [55, 60, 65, 70, 75, 80, 85, 90, 95].flatMap((confidence) => answers(9, confidence)),
      { kind: 'too_few', threshold: 60, moreCount: 1 },
    ],
    [
      'the wrong ones so far are counted with the further ones',
      [...answers(30, 85), ...answers(30, 72, 1)],
      { kind: 'too_few', threshold: 85, moreCount: 43 },
    ],
    ['all wrong, up to the highest', answers(50, 97, 50), { kind: 'too_wrong' }],
    ['as often wrong as may be', answers(100, 97, 5), { kind: 'too_wrong' }],
  ])('%s', (_case, reviewed, recommendation) => {
    expect(adviseThreshold(reviewed).recommendation).toEqual(recommendation)
  })

  it('never where more may be wrong than is said, and more answers as right as before bring one', () => {
    const any = fc.array(
      fc.record({
        status: fc.constantFrom('matched', 'partial_match', 'inconclusive'),
        confidence: fc.integer({ min: 0, max: 100 }),
        isCorrect: fc.boolean(),
      }),
      { maxLength: 300 },
    )
    forAll(100, [any], (reviewed) => {
      const { recommendation, thresholds, riskMax } = adviseThreshold(reviewed)
      const found = thresholds.find(
        (one) => 'threshold' in recommendation && one.threshold === recommendation.threshold,
      )
      if (recommendation.kind === 'recommended') expect(found?.risk?.[1]).toBeLessThanOrEqual(riskMax)
      if (recommendation.kind !== 'too_few') return
      const { moreCount, threshold } = recommendation
      expect(moreCount).toBeGreaterThan(0)
      if (found?.wrongCount !== 0) return
      const further = adviseThreshold([...reviewed, ...answers(moreCount, threshold)])
      expect(further.recommendation).toEqual({ kind: 'recommended', threshold })
    })
  })
})

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { formatAcceptAdvice } from '../../../src/cli/terminal/evaluation-text.js'
import { measureWidth } from '../../../src/core/text.js'
import { adviseAccept, type ReviewedAnswer } from '../../../src/registry/evaluate/accept-advice.js'
import { forAll } from '../../support/properties.js'

const answers = (count: number, confidence: number, wrongCount = 0, status = 'matched') =>
  Array.from({ length: count }, (_, at): ReviewedAnswer => ({
    status,
    confidence,
    isCorrect: at >= wrongCount,
  }))

describe('lookups that accept would settle', () => {
  it('are the matched answers at or above it, as a share of all lookups', () => {
    const { lookupCount, thresholds } = adviseAccept(
      [
        ...answers(10, 99),
        ...answers(8, 94, 1),
        ...answers(2, 80, 2),
        ...answers(15, 79, 0, 'partial_match'),
        ...answers(5, 99, 5, 'inconclusive'),
      ],
      0.95,
    )
    expect(lookupCount).toBe(40)
    expect(
      thresholds.map(({ accept, settledCount, rightCount }) => [accept, settledCount, rightCount]),
    ).toEqual([
      [80, 20, 17],
      [90, 18, 17],
      [95, 10, 10],
      [99, 10, 10],
    ])
    expect(thresholds[0]).toMatchObject({ settledShare: 0.5, precision: 0.85 })
    expect(thresholds[3]?.precisionInterval?.map((end) => Number(end.toFixed(4)))).toEqual([0.7225, 1])
  })

  it('have no precision if there are none', () => {
    expect(adviseAccept([], 0.95).thresholds).toHaveLength(4)
    expect(adviseAccept([], 0.95).thresholds[0]).toMatchObject({ settledShare: 0, precision: null })
  })
})

describe('accept is recommended', () => {
  test.each<[string, ReviewedAnswer[], number, object]>([
    ['73 right answers are enough for 95 %', answers(73, 97), 0.95, { kind: 'recommended', threshold: 97 }],
    ['72 are one too few', answers(72, 97), 0.95, { kind: 'too_few', threshold: 97, moreCount: 1 }],
    ['without answers, at the default', [], 0.95, { kind: 'too_few', threshold: 95, moreCount: 73 }],
    [
      'the lowest confidence that occurs and is right often enough',
      [...answers(100, 99), ...answers(40, 87), ...answers(20, 83, 10)],
      0.95,
      { kind: 'recommended', threshold: 87 },
    ],
    [
      'any whole number, and 99 for 100',
      [...answers(100, 100), ...answers(9, 91)],
      0.95,
      { kind: 'recommended', threshold: 99 },
    ],
    [
      'not below answers that are surely too often wrong, even if all together are right often enough',
      [...answers(1000, 99), ...answers(20, 88, 10), ...answers(30, 81)],
      0.95,
      { kind: 'recommended', threshold: 99 },
    ],
    [
      'one wrong answer of few at the top does not rule out the others',
      [...answers(2, 99, 1), ...answers(200, 94)],
      0.95,
      { kind: 'recommended', threshold: 94 },
    ],
    ['a lower precision needs fewer answers', answers(35, 90), 0.9, { kind: 'recommended', threshold: 90 }],
    [
      'a higher precision needs more',
      answers(73, 90),
      0.99,
      { kind: 'too_few', threshold: 90, moreCount: 308 },
    ],
    ['as often wrong as tolerated', answers(100, 99, 5), 0.95, { kind: 'too_wrong' }],
    ['all wrong', answers(50, 99, 50), 0.95, { kind: 'too_wrong' }],
    [
      'answers that are not matched do not count',
      answers(200, 79, 0, 'partial_match'),
      0.95,
      { kind: 'too_few', threshold: 95, moreCount: 73 },
    ],
  ])('%s', (_case, reviewed, precisionMin, recommendation) => {
    expect(adviseAccept(reviewed, precisionMin).recommendation).toEqual(recommendation)
  })

  it('only if the interval of the precision begins at the required precision or above', () => {
    const any = fc.array(
      fc.record({
        status: fc.constantFrom('matched', 'partial_match'),
        confidence: fc.integer({ min: 75, max: 100 }),
        isCorrect: fc.integer({ min: 0, max: 9 }).map((digit) => digit > 0),
      }),
      { maxLength: 300 },
    )
    const precision = fc.constantFrom(0.5, 0.75, 0.8, 0.9, 0.95, 0.999)
    forAll(100, [any, precision], (reviewed, precisionMin) => {
      const advice = adviseAccept(reviewed, precisionMin)
      const { recommendation, support } = advice
      if (recommendation.kind === 'too_wrong') expect(support).toBeNull()
      else expect(support?.accept).toBe(recommendation.threshold)
      if (recommendation.kind !== 'recommended') return
      expect(support?.precisionInterval?.[0]).toBeGreaterThan(precisionMin - 1e-9)
      expect(support?.settledCount).toBe(
        reviewed.filter(
          ({ status, confidence }) => status === 'matched' && confidence >= recommendation.threshold,
        ).length,
      )
    })
  })
})

test.each<[string, ReviewedAnswer[], string]>([
  [
    'a recommendation',
    [...answers(11_800, 99), ...answers(545, 93, 1)],
    'recommended: accept 93, from 12,345 settled lookups (100 %). At least',
  ],
  [
    'too few lookups',
    answers(12, 96),
    'lookups at 96 or above are needed, ten of them near 96, as right as so far.',
  ],
  ['too many wrong answers', answers(99, 96, 50), 'precision of 95 %.'],
])('%s is printed with its reason, no wider than a terminal', (_case, reviewed, line) => {
  for (const isDecided of [true, false]) {
    const lines = formatAcceptAdvice(adviseAccept(reviewed, 0.95), isDecided).split('\n')
    expect(lines).toContain(line)
    expect(lines.filter((one) => measureWidth(one) > 80)).toEqual([])
    expect(lines.some((one) => one.startsWith('Reviewers mostly decide doubtful rows.'))).toBe(isDecided)
  }
})

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { matchedConfidenceMin } from '../../../src/contract/result.js'
import { calibration } from '../../../src/registry/match/calibration.js'
import { decide } from '../../../src/registry/match/decide.js'
import { evidenceKinds, queryFeatureNames } from '../../../src/registry/match/evidence.js'
import { featureNames } from '../../../src/registry/match/features.js'
import {
  toCoefficients,
  estimateConfidence,
  computeScore,
  computeShares,
  repeatLine,
  type ConfidenceCurve,
} from '../../../src/registry/match/model.js'
import type { Ranking } from '../../../src/registry/match/rank.js'
import { namedBy, rank, type Held } from '../../support/matching.js'

const score = fc.double({ min: -50, max: 50, noNaN: true })

describe('shares', () => {
  it('of all companies and of none add up to 1, and rank as the scores do', () => {
    fc.assert(
      fc.property(fc.array(score, { maxLength: 30 }), score, (scores, noneScore) => {
        const { shares, noneShare } = computeShares(scores, noneScore)
        expect(shares.reduce((sum, share) => sum + share, noneShare)).toBeCloseTo(1, 9)
        for (const [at, share] of shares.entries())
          for (const [other, value] of scores.entries())
            if ((scores[at] ?? 0) > value) expect(share).toBeGreaterThanOrEqual(shares[other] ?? NaN)
      }),
    )
  })

  it('two with equal evidence get equal shares; one more takes from all', () => {
    const { shares } = computeShares([3, 3], 0)
    expect(shares[0]).toBe(shares[1])
    expect(computeShares([3], 0).shares[0]).toBeGreaterThan(shares[0] ?? NaN)
    expect(computeShares([3, 3, 3], 0).noneShare).toBeLessThan(computeShares([3], 0).noneShare)
  })

  it('scores of any size give numbers', () => {
    const { shares, noneShare } = computeShares([1e6, -1e6, 1e6], -1e6)
    expect([...shares, noneShare]).toEqual([0.5, 0, 0.5, 0])
    expect(computeShares([], 5)).toEqual({ shares: [], noneShare: 1 })
  })

  it('a coefficient that is not named counts nothing', () => {
    const { company, none } = toCoefficients({ company: { exact: 2 }, none: {}, confidence: repeatLine([]) })
    expect(company).toHaveLength(featureNames.length)
    expect(
      computeScore(
        featureNames.map(() => 1),
        company,
      ),
    ).toBe(2)
    expect(none).toEqual(queryFeatureNames.map(() => 0))
  })
})

describe('the coefficients that the registry answers by', () => {
  it('name features that exist, with finite numbers', () => {
    expect(featureNames).toEqual(expect.arrayContaining(Object.keys(calibration.company)))
    expect(queryFeatureNames).toEqual(expect.arrayContaining(Object.keys(calibration.none)))
    for (const value of [...Object.values(calibration.company), ...Object.values(calibration.none)])
      expect(Number.isFinite(value)).toBe(true)
  })

  it.each(evidenceKinds)('the line from share to confidence rises, and leaves no gap: %s', (kind) => {
    const corners: ConfidenceCurve = calibration.confidence[kind]
    const stated = Array.from({ length: 10_001 }, (_, at) => estimateConfidence(at / 10_000, corners))
    expect(stated).toEqual([...stated].sort((a, b) => a - b))
    // Evidence that is right too seldom is never enough.
    const isEverAccepted = calibration.acceptShares[kind] < 1
    expect([stated[0], stated.at(-1)]).toEqual([0, isEverAccepted ? 99 : matchedConfidenceMin - 1])
    const reached = new Set(stated)
    const last = isEverAccepted ? 90 : matchedConfidenceMin - 1
    for (let confidence = matchedConfidenceMin - 1; confidence <= last; confidence++)
      expect(reached.has(confidence), String(confidence)).toBe(true)
  })

  it('what is accepted of kinds that were not fitted on is right as often as is promised', () => {
    const { precision, recall, falseAccepts, calibrationError } = calibration.overall
    expect(precision).toBeGreaterThanOrEqual(0.985)
    expect(recall).toBeGreaterThanOrEqual(0.85)
    expect(falseAccepts).toBeLessThanOrEqual(0.015)
    expect(calibrationError).toBeLessThanOrEqual(0.015)
  })
})

describe('a line of corners', () => {
  const corners: ConfidenceCurve = [
    [0, 0],
    [0.5, 40],
    [0.5, 80],
    [1, 90],
  ]

  test.each([
    [-1, 0],
    [0, 0],
    [0.25, 20],
    [0.5, 40],
    [0.500001, 80],
    [0.75, 85],
    [1, 90],
    [2, 90],
  ])('gives share %d the confidence %d', (share, confidence) => {
    expect(estimateConfidence(share, corners)).toBe(confidence)
  })

  it('of no corners gives none', () => {
    expect(estimateConfidence(0.9, [])).toBe(0)
  })
})

/** A model that is easily reckoned with: a name is worth 3, a place 2, none 0. */
const plain = toCoefficients({
  company: { exact: 3, prefix: 1, near: -1, city: 2, context: 1, removed: -2, inactive: -1, exactAlone: 1 },
  none: { always: 0 },
  confidence: repeatLine([
    [0, 0],
    [1, 100],
  ]),
})

const ranked = (name: string, held: readonly Held[], location: string | null = null): Ranking =>
  rank({ name, location, held, coefficients: plain })

describe('ranking', () => {
  it('of each company the name and the variant count that speak for it most', () => {
    const { ranked: companies } = ranked('Zorvex - Plant 7', [
      { name: 'Zorvex Robotics', company: 1 },
      { name: 'Zorvex', company: 1, kind: 'former' },
    ])
    expect(companies).toHaveLength(1)
    expect(companies[0]?.evidence.comparison).toMatchObject({
      matchType: 'exact',
      variant: { kind: 'site' },
      candidate: { name: 'Zorvex' },
    })
  })

  it('counts companies, not names, that bear a name or begin with it', () => {
    const { ranked: companies } = ranked('Zorvex', [
      { name: 'Zorvex Robotics', company: 1, listed: true },
      { name: 'Zorvex Robotics International', company: 1, listed: true },
      { name: 'Zorvex Software', company: 2 },
      { name: 'Zorvexland', company: 3 },
    ])
    expect(companies[0]?.evidence.siblings).toMatchObject({
      exactCount: 0,
      prefixCount: 2,
      listedPrefixCount: 1,
      ownsRarestWord: false,
    })
  })

  it('of companies with such a name it counts those that fit the place as well', () => {
    const { ranked: companies } = ranked(
      'Zorvex',
      [
        { name: 'Zorvex Robotics', city: 'Reno', region: 'NV' },
        { name: 'Zorvex Software', city: 'Austin', region: 'TX' },
      ],
      'Reno, NV',
    )
    expect(companies.map(({ evidence }) => evidence.siblings.placedPrefixCount)).toEqual([1, 2])
  })

  it('counts the names that a cut text may go on as', () => {
    const { ranked: companies } = ranked('Zorvex Municipal Incom', [
      { name: 'Zorvex Municipal Income Trust' },
      { name: 'Zorvex Municipal Income Fund' },
    ])
    expect(companies.map(({ evidence }) => evidence.siblings.completedCount)).toEqual([2, 2])
  })

  it('two of equal evidence: the one in use first, then the older record', () => {
    const numbers = (held: readonly Held[]) =>
      rank({
        name: 'Zorvex',
        held,
        coefficients: toCoefficients({ company: { exact: 1 }, none: {}, confidence: repeatLine([]) }),
      }).ranked.map(({ evidence }) => evidence.comparison.candidate.entityNumber)
    expect(numbers([{ name: 'Zorvex Inc', active: false }, { name: 'Zorvex Ltd' }])).toEqual([2, 1])
    expect(numbers([{ name: 'Zorvex Inc' }, { name: 'Zorvex Ltd' }])).toEqual([1, 2])
  })

  it('the order in which names are found changes nothing', () => {
    const held = [
      { name: 'Zorvex Inc', company: 1 },
      { name: 'Zorvex Robotics', company: 2 },
      { name: 'Zorvix', company: 3 },
    ]
    const shares = (rows: readonly Held[]) =>
      ranked('Zorvex', rows).ranked.map(({ share, evidence }) => [
        evidence.comparison.candidate.name,
        share.toFixed(9),
      ])
    expect(shares([...held].reverse())).toEqual(shares(held))
  })
})

describe('one company in two registers', () => {
  const twin = { name: 'Zorvex Inc', source: 1 }

  test.each<[string, Held, Held, boolean]>([
    ['the same name in another register', twin, { ...twin, source: 2 }, true],
    ['without a form in one of them', twin, { name: 'Zorvex', source: 2 }, true],
    ['where the countries are not known', { ...twin, country: '' }, { ...twin, source: 2 }, true],
    ['the same name in one register', twin, twin, false],
    ['another name', twin, { name: 'Zorvex Robotics Inc', source: 2 }, false],
    ['another form', twin, { name: 'Zorvex LP', source: 2 }, false],
    ['another country', twin, { ...twin, country: 'GB', source: 2 }, false],
  ])('%s', (_what, one, other, isOne) => {
    const { ranked: companies, noneShare } = ranked('Zorvex', [one, other])
    expect(companies).toHaveLength(isOne ? 1 : 2)
    expect(companies[0]?.alike).toHaveLength(isOne ? 1 : 0)
    expect(companies.reduce((sum, { share }) => sum + share, noneShare)).toBeCloseTo(1, 9)
  })

  it('no more than a few are put together', () => {
    const held = Array.from({ length: 12 }, (_, at) => ({ ...twin, source: at + 1 }))
    const { ranked: companies } = ranked('Zorvex', held)
    expect(companies.map(({ alike }) => alike.length)).toEqual([3, 3, 3])
  })
})

describe('deciding', () => {
  const decided = (name: string, held: readonly Held[]) => decide(ranked(name, held), plain)

  it('nothing found is nothing, and neither is what is hardly likely', () => {
    expect(decide({ ranked: [], noneShare: 1 }, plain)).toEqual({ kind: 'none' })
    const scarce = { ...ranked('Zorvex', [{ name: 'Zorvex' }]), noneShare: 0.9 }
    const [best] = scarce.ranked
    const of = (share: number) => decide({ ranked: [{ ...best!, share }], noneShare: 1 - share }, plain)
    expect([of(0.19).kind, of(0.2).kind, of(0.49).kind, of(0.7).kind, of(0.95).kind]).toEqual([
      'none',
      'candidate',
      'candidate',
      'entity',
      'entity',
    ])
  })

  it('one company alone is the answer, by how likely it is', () => {
    const decision = decided('Zorvex', [{ name: 'Zorvex Inc' }])
    expect(decision).toMatchObject({ kind: 'entity', rivals: [] })
    expect(decision.kind !== 'none' && decision.confidence).toBe(
      Math.round(100 * (Math.exp(4) / (Math.exp(4) + 1))),
    )
  })

  it('two of one name are rivals, and either is only a guess', () => {
    const decision = decided('Zorvex', [{ name: 'Zorvex Inc' }, { name: 'Zorvex Ltd' }])
    expect(decision.kind).toBe('candidate')
    expect(decision.kind !== 'none' && decision.rivals.map(({ share }) => share)).toEqual([
      decision.kind !== 'none' && decision.best.share,
    ])
  })

  it('a body that is no company is a guess, however likely', () => {
    const decision = decided('Zorvex', [{ name: 'Zorvex', supported: false }])
    expect(decision).toMatchObject({ kind: 'candidate', rivals: [] })
    expect(decision.kind !== 'none' && decision.confidence).toBeGreaterThanOrEqual(matchedConfidenceMin)
    expect(namedBy(decision)).toBe('Zorvex')
  })
})

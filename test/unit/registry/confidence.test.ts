import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { matchedConfidenceMin } from '../../../src/contract/result.js'
import { shareParts } from '../../../src/registry/answer/candidates.js'
import { findConfidenceLimit } from '../../../src/registry/match/confidence-limit.js'
import { decide, type Ranking } from '../../../src/registry/match/rank.js'
import { featureNames } from '../../../src/registry/match/features.js'
import fittedModel from '../../../src/registry/match/fitted-model.json' with { type: 'json' }
import {
  computeDecisionFeatures,
  computeScore,
  decisionFeatureNames,
  toCoefficients,
} from '../../../src/registry/match/model.js'
import { match, namedBy, rank, type Held } from '../../support/matching.js'
import { forAll } from '../../support/properties.js'

describe('the model', () => {
  it('weighs features that exist, by finite numbers', () => {
    expect(featureNames).toEqual(expect.arrayContaining(Object.keys(fittedModel.company)))
    expect(decisionFeatureNames).toEqual(expect.arrayContaining(Object.keys(fittedModel.decision)))
    for (const value of [...Object.values(fittedModel.company), ...Object.values(fittedModel.decision)])
      expect(Number.isFinite(value)).toBe(true)
  })

  it('a weight that is missing counts nothing', () => {
    const { company, decision } = toCoefficients({ company: { found: 2 }, decision: {} })
    expect(company).toHaveLength(featureNames.length)
    expect(computeScore(Array<number>(featureNames.length).fill(1), company)).toBe(2)
    expect(decision).toEqual(decisionFeatureNames.map(() => 0))
  })

  const score = fc.double({ min: -1e6, max: 1e6, noNaN: true })
  const features = fc.array(fc.double({ min: 0, max: 5, noNaN: true }), {
    minLength: featureNames.length,
    maxLength: featureNames.length,
  })

  it('decision features are finite, whatever the scores', () => {
    forAll(100, [features, score, fc.array(score, { maxLength: 60 })], (own, best, others) => {
      const values = computeDecisionFeatures(own, best, others)
      expect(values).toHaveLength(decisionFeatureNames.length)
      for (const value of values) expect(Math.abs(value)).toBeLessThan(30)
    })
  })

  it('the closer another company comes, the smaller the gaps', () => {
    const gaps = [-20, -3, 0, 2, 4].map((other) => {
      const values = computeDecisionFeatures([], 4, [other])
      return (['gap', 'gapToOthers'] as const).map(
        (name) => values[decisionFeatureNames.indexOf(name)] ?? NaN,
      )
    })
    for (const at of [0, 1]) {
      const row = gaps.map((gap) => gap[at] ?? NaN)
      expect(row).toEqual([...row].sort((a, b) => b - a))
      expect(new Set(row).size).toBeGreaterThan(3)
    }
  })
})

/** A model that is easily reckoned with: the log-odds are the score; the name is worth 3, a place 2. */
const plain = toCoefficients({
  company: { kindExact: 3, found: 1, prefix: 1, completed: 1, city: 2, removed: -2, inactive: -1 },
  decision: { score: 1 },
})
const ranked = (name: string, held: readonly Held[], location: string | null = null): Ranking =>
  rank({ name, location, held, coefficients: plain })

const words = 'Zorvex|Calder|Robotics|Foods|Fund|II|Ltd|Inc|Zorvix|(UK)|- Plant 7'.split('|')
const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((some) => some.join(' '))
const company = fc.record({
  name: text.filter((name) => /^[ZCRF]/.test(name)),
  country: fc.constantFrom('US', 'GB', 'DE'),
  source: fc.constantFrom(1, 2),
  listed: fc.boolean(),
})
const total = fc.constantFrom(20, 1_000, 100_000)
const registry = fc.array(company, { minLength: 1, maxLength: 6 })
const location = fc.constantFrom(null, 'US', 'Leeds, GB', 'Austin, TX')

describe('shares', () => {
  it('of all companies and of none are probabilities that add up to 1', () => {
    forAll(100, [text, location, registry], (name, place, held) => {
      const { ranked: companies, noneShare } = rank({ name, location: place, held })
      const shares = companies.map(({ share }) => share)
      for (const share of [...shares, noneShare]) expect(share >= 0 && share <= 1).toBe(true)
      expect(shares.reduce((sum, share) => sum + share, noneShare)).toBeCloseTo(1, 9)
      // The first has what the model says of it; the others share the rest. A likelier one is behind only if its limit is lower.
      const rest = companies.slice(1)
      for (const [at, { share, evidence }] of rest.entries())
        for (const likelier of rest.slice(at + 1).filter((other) => other.share > share))
          expect(findConfidenceLimit(likelier.evidence)).toBeLessThan(findConfidenceLimit(evidence))
    })
  })

  it('are the same for companies with the same evidence', () => {
    forAll(
      100,
      [text, fc.integer({ min: 2, max: 6 }), fc.boolean(), total],
      (name, count, isListed, size) => {
        const held = Array.from({ length: count }, () => ({ name, listed: isListed }))
        const shares = rank({ name, held, total: size }).ranked.map(({ share }) => share)
        expect(shares).toHaveLength(count)
        for (const share of shares) expect(share).toBeCloseTo(shares[0] ?? NaN, 9)
        expect(shares[0]).toBeLessThan(1 / count)
      },
    )
  })
})

const weightsOf = (ranking: Ranking, at = 0) => {
  const company = ranking.ranked[at]
  return new Map(
    company === undefined ? [] : shareParts(company, ranking).map(({ part, weight }) => [part, weight]),
  )
}

describe('the parts of the evidence', () => {
  it('add up to the log-odds of the share of each company', () => {
    forAll(100, [text, location, registry], (name, place, held) => {
      const ranking = rank({ name, location: place, held, contextCount: () => 1 })
      for (const [at, { share }] of ranking.ranked.entries()) {
        const sum = [...weightsOf(ranking, at).values()].reduce((total, weight) => total + weight, 0)
        // No share is told to be less than one of a million.
        expect(sum).toBeCloseTo(Math.max(Math.log(1e-6), Math.log(share / (1 - share))), 5)
      }
    })
  })

  it('each weighs for or against by its own subject', () => {
    const held = [{ name: 'Zorvex Calder', city: 'Leeds', country: 'GB', active: false }]
    const weigh = (location: string | null, more: Partial<Held> = {}, total = 100_000) =>
      weightsOf(
        rank({ name: 'Zorvex Calder', location, held: held.map((row) => ({ ...row, ...more })), total }),
      )
    expect(weigh('Leeds, GB').get('place')).toBeGreaterThan(0)
    expect(weigh('Austin, TX, US').get('place')).toBeLessThan(0)
    expect(weigh(null, { listed: true }).get('listed')).toBeGreaterThan(0)
    expect(weigh(null).has('listed')).toBe(false)
    expect(weigh(null, {}, 20).get('size of the registry')).toBeLessThan(0)
    expect(weigh(null).has('size of the registry')).toBe(false)
  })
})

describe('ranking', () => {
  it('of each company the name counts that speaks for it most', () => {
    const { ranked: companies } = ranked('Zorvex - Plant 7', [
      { name: 'Zorvex Robotics', company: 1 },
      { name: 'Zorvex', company: 1, kind: 'former' },
    ])
    expect(companies.map(({ evidence }) => evidence.comparison.candidate.name)).toEqual(['Zorvex'])
  })

  it('counts companies, not names, that have a name or begin with it', () => {
    const { ranked: companies } = ranked('Zorvex', [
      { name: 'Zorvex Robotics', company: 1, listed: true },
      { name: 'Zorvex Robotics International', company: 1, listed: true },
      { name: 'Zorvex Software', company: 2 },
      { name: 'Calder', company: 3 },
    ])
    expect(companies[0]?.evidence.siblings).toMatchObject({
      exactCount: 0,
      prefixCount: 2,
      listedPrefixCount: 1,
      ownsRarestWord: false,
    })
  })

  it('two of equal evidence: the one in use first, then the older record', () => {
    const coefficients = toCoefficients({ company: { found: 1 }, decision: {} })
    const numbers = (held: readonly Held[]) =>
      rank({ name: 'Zorvex', held, coefficients }).ranked.map(
        ({ evidence }) => evidence.comparison.candidate.entityNumber,
      )
    expect(numbers([{ name: 'Zorvex Inc', active: false }, { name: 'Zorvex Ltd' }])).toEqual([2, 1])
    expect(numbers([{ name: 'Zorvex Inc' }, { name: 'Zorvex Ltd' }])).toEqual([1, 2])
  })

  it('the order in which names are found changes nothing', () => {
    forAll(100, [text, registry], (name, held) => {
      const numbered = held.map((row, at) => ({ ...row, company: at + 1 }))
      const told = (rows: readonly Held[]) =>
        rank({ name, held: rows }).ranked.map(({ share, evidence }) => [
          evidence.comparison.candidate.entityNumber,
          share.toFixed(9),
        ])
      expect(told([...numbered].reverse())).toEqual(told(numbered))
    })
  })
})

describe('one company in two registers', () => {
  const twin = { name: 'Zorvex Inc', source: 1 }
  const unplaced = { ...twin, country: '' }

  test.each<[string, Held, Held, boolean]>([
    ['the same name in another register', twin, { ...twin, source: 2 }, true],
    ['without a form in one of them', twin, { name: 'Zorvex', source: 2 }, true],
    ['where the countries are not known', unplaced, { ...twin, source: 2 }, true],
    ['the same name in one register that states no place', unplaced, twin, true],
    ['the same name in one register', twin, twin, false],
    ['another name', twin, { name: 'Zorvex Robotics Inc', source: 2 }, false],
    ['another form', twin, { name: 'Zorvex LP', source: 2 }, false],
    ['another country', twin, { ...twin, country: 'GB', source: 2 }, false],
  ])('%s', (_what, one, other, isOne) => {
    const { ranked: companies } = ranked('Zorvex', [one, other])
    expect(companies).toHaveLength(isOne ? 1 : 2)
    expect(companies[0]?.alike).toHaveLength(isOne ? 1 : 0)
  })

  it('no more than a few are put together', () => {
    const held = Array.from({ length: 12 }, (_, at) => ({ ...twin, source: at + 1 }))
    expect(ranked('Zorvex', held).ranked.map(({ alike }) => alike.length)).toEqual([3, 3, 3])
  })
})

describe('deciding', () => {
  const alone = { decisionFeatures: [], unseenWeight: 0 }
  const kindOf = (name: string, held: string, share: number) => {
    const [best] = ranked(name, [{ name: held }]).ranked
    return decide({ ranked: [{ ...best!, share }], noneShare: 1 - share, ...alone }).kind
  }

  it('nothing found is nothing, and neither is what is hardly likely', () => {
    expect(decide({ ranked: [], noneShare: 1, ...alone })).toEqual({ kind: 'none' })
    const kinds = [0.19, 0.2, 0.49, 0.7, 0.95].map((share) => kindOf('Zorvex', 'Zorvex Robotics', share))
    expect(kinds).toEqual(['none', 'candidate', 'candidate', 'entity', 'entity'])
  })

  it('the very name is a candidate, however unlikely', () => {
    expect(kindOf('Zorvex', 'Zorvex', 0.01)).toBe('candidate')
  })

  it('one company alone is the answer, by how likely it is', () => {
    const decision = decide(ranked('Zorvex', [{ name: 'Zorvex Inc' }]))
    expect(decision).toMatchObject({ kind: 'entity', rivals: [], confidence: 99 })
  })

  it('two of one name are rivals, and either is only a guess', () => {
    const decision = decide(ranked('Zorvex', [{ name: 'Zorvex Inc' }, { name: 'Zorvex Ltd' }]))
    if (decision.kind === 'none') throw new Error('one was to be found')
    expect(decision.kind).toBe('candidate')
    expect(decision.rivals.map(({ share }) => share)).toEqual([expect.closeTo(decision.best.share, 9)])
    expect(decision.confidence).toBeLessThanOrEqual(50)
  })

  it('a body that is no company is a guess, however likely', () => {
    const decision = decide(ranked('Zorvex', [{ name: 'Zorvex', supported: false }]))
    expect(decision).toMatchObject({ kind: 'candidate', rivals: [] })
    expect(decision.kind !== 'none' && decision.confidence).toBeGreaterThanOrEqual(matchedConfidenceMin)
    expect(namedBy(decision)).toBe('Zorvex')
  })

  it('no answer is more certain than 99, nor than 94 for a company only in another country', () => {
    forAll(100, [text, location, registry], (name, place, held) => {
      const decision = match({ name, location: place, held })
      if (decision.kind === 'none') return
      const isAbroad = decision.best.evidence.place === 'country_conflict'
      expect(decision.confidence).toBeLessThanOrEqual(isAbroad ? 94 : 99)
      expect(decision.confidence).toBeGreaterThanOrEqual(0)
    })
    const confidences = [null, 'Berlin, Germany'].map((place) => {
      const decision = match({
        name: 'Zorvex Calder Inc',
        location: place,
        held: [{ name: 'Zorvex Calder Inc' }],
      })
      return decision.kind === 'none' ? 0 : decision.confidence
    })
    expect(confidences[0]).toBe(99)
    expect(confidences[1]).toBeLessThanOrEqual(94)
  })

  test.each(['Zorvex', 'First Capital', 'Zorvex Calder'])(
    '%s is less sure where few companies are held',
    (name) => {
      const held = [{ name: `${name} Robotics` }]
      const shares = [20, 1_000, 100_000].map((total) => rank({ name, held, total }).ranked[0]?.share ?? NaN)
      expect(shares).toEqual([...shares].sort((a, b) => a - b))
      expect(shares[0]).toBeLessThan(shares[2] ?? NaN)
    },
  )
})

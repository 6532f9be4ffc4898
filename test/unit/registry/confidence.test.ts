import { describe, expect, it, test } from 'vitest'
import { fitLogistic, type Sample } from '../../../bench/logistic.js'
import { seededFractions } from '../../../src/platform/random.js'
import { calibration } from '../../../src/registry/match/calibration.js'
import { featureNames, featuresOf, marginPointsMax } from '../../../src/registry/match/features.js'
import { parseName } from '../../../src/registry/normalize/parsed-name.js'
import { probabilityOf, sigmoid } from '../../../src/registry/match/probability.js'
import type { ScoredName } from '../../../src/registry/match/score.js'

const parsed = parseName('Acme Widgets Limited')
const exact: ScoredName = {
  candidate: {
    entityNumber: 1,
    legalEntityNumber: 1,
    kind: 'legal',
    name: 'Acme Widgets Limited',
    ...parsed,
    active: true,
    removed: false,
    supported: true,
    place: {
      cityKey: '',
      regionCode: '',
      postalKey: '',
      countryCode: 'GB',
      jurisdictionCountry: 'GB',
      jurisdictionRegion: '',
    },
  },
  matchType: 'exact',
  points: 96,
  place: 'none',
  form: 'same',
  similarity: 1,
  firstAgrees: true,
  isSubset: false,
  isMisspelled: false,
  numbersAgree: true,
  isGeneric: false,
  isLonger: false,
  isFormStated: true,
  tellingWeight: 16,
  isDistinctive: true,
  variant: 'whole',
  isTruncated: false,
  missingShare: 0,
  isOneOfSeries: false,
  isFullLegalName: true,
}
const alone = { rivalCount: 0, marginPoints: marginPointsMax }
const certainty = probabilityOf(exact, alone)

describe('how likely a match is', () => {
  it('the registered name in full, borne by nobody else, is as good as certain', () => {
    expect(certainty).toBeGreaterThan(0.95)
  })

  test.each<[string, Partial<ScoredName>]>([
    ['a name that is only near', { matchType: 'near', similarity: 0.8, isFullLegalName: false }],
    ['words on one side', { matchType: 'near', similarity: 0.8, isSubset: true, isFullLegalName: false }],
    ['a part of what was asked', { variant: 'part', isFullLegalName: false }],
    ['another number', { numbersAgree: false }],
    ['initials', { matchType: 'acronym', isFullLegalName: false }],
    ['another legal form', { form: 'hard_conflict', isFullLegalName: false }],
    ['a name of everyday words', { isGeneric: true, tellingWeight: 4 }],
    ['another region', { place: 'region_conflict' }],
    ['another country', { place: 'country_conflict' }],
  ])('%s makes it less likely', (_what, change) => {
    expect(probabilityOf({ ...exact, ...change }, alone)).toBeLessThan(certainty)
  })

  it('the place makes it more likely', () => {
    expect(probabilityOf({ ...exact, place: 'city' }, alone)).toBeGreaterThan(certainty)
  })

  it('the more companies fit as well, the less likely is any of them', () => {
    const stated = [0, 1, 2, 5, 20].map((rivalCount) => probabilityOf(exact, { ...alone, rivalCount }))
    expect(stated).toEqual([...stated].sort((a, b) => b - a))
    expect(stated.at(-1)).toBeLessThan(0.1)
  })
})

describe('the coefficients', () => {
  it('are one for each feature, and features are finite numbers', () => {
    expect(Object.keys(calibration.weights)).toEqual(featureNames)
    const features = featuresOf({ ...exact, tellingWeight: 1e9 }, { rivalCount: 1_000, marginPoints: 0 })
    expect(features).toHaveLength(featureNames.length)
    expect(features.every((value) => Number.isFinite(value) && Math.abs(value) < 20)).toBe(true)
  })

  test.each(calibration.figures)(
    '$name: held out they give what they give fitted, and mean what they say',
    (set) => {
      for (const figure of ['precision', 'recall', 'calibrationError'] as const)
        expect(Math.abs(set.heldOut[figure] - set.fitted[figure])).toBeLessThanOrEqual(0.01)
      expect(set.heldOut.calibrationError).toBeLessThanOrEqual(0.03)
      expect(set.heldOut.precision).toBeGreaterThanOrEqual(0.985)
    },
  )
})

it('the fit finds the coefficients that chance was made from, the same each time', () => {
  const truth = [-1, 2, -3]
  const fraction = seededFractions(7)
  const samples: Sample[] = Array.from({ length: 20_000 }, () => {
    const features = [1, fraction(), fraction() < 0.5 ? 1 : 0]
    const sum = features.reduce((total, value, at) => total + value * (truth[at] ?? 0), 0)
    return { features, isCorrect: fraction() < sigmoid(sum), weight: 1 }
  })
  const fitted = fitLogistic(samples, 0.1)
  for (const [at, weight] of fitted.entries()) expect(Math.abs(weight - (truth[at] ?? 0))).toBeLessThan(0.2)
  expect(fitLogistic(samples, 0.1)).toEqual(fitted)
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scoreParts, shareParts } from '../../../src/registry/answer/candidates.js'
import { rank, type Held } from '../../support/matching.js'

const held: readonly Held[] = [
  { name: 'Zorvex Robotics Inc', city: 'Reno', region: 'NV', listed: true, lei: true },
  { name: 'Zorvex Robotics Holdings LLC', city: 'Austin', region: 'TX' },
  { name: 'Zorvex Foods Limited', country: 'GB', city: 'Leeds' },
  { name: 'Zorvex Foods', country: 'GB', city: 'Leeds', source: 2 },
  { name: 'Old Zorvex Ltd', kind: 'former', company: 3, country: 'GB', active: false },
  { name: 'Zorvex Fund II', supported: false },
  { name: 'First Capital Bank', removed: true },
]
const words = [
  'Zorvex',
  'Robotics',
  'Robotic',
  'Foods',
  'Holdings',
  'II',
  '3',
  'Inc',
  'Ltd',
  'First',
  'Bank',
  '(UK)',
]
const name = fc.oneof(
  fc.constantFrom('Zorvex Foods', 'Zorvex Foods Ltd'),
  fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }).map((some) => some.join(' ')),
)
const location = fc.constantFrom(null, 'Reno, NV', 'Leeds', 'GB', 'Germany', 'LS1 4AP')
const sum = (parts: readonly { readonly weight: number }[]) =>
  parts.reduce((total, { weight }) => total + weight, 0)

describe('the parts of the evidence', () => {
  test('those of the features add up to the score of the model, whatever is asked', () => {
    fc.assert(
      fc.property(name, location, (asked, place) => {
        for (const company of rank({ name: asked, location: place, held, contextCount: () => 1 }).ranked)
          expect(sum(scoreParts(company))).toBeCloseTo(company.score, 9)
      }),
    )
  })

  test('all of them add up to the log-odds of the share: the twins, the rivals and the start among them', () => {
    let twinCount = 0
    fc.assert(
      fc.property(name, location, (asked, place) => {
        const ranking = rank({ name: asked, location: place, held })
        for (const company of ranking.ranked) {
          const rest = ranking.ranked.filter((other) => other !== company)
          const against = rest.reduce((total, { share }) => total + share, ranking.noneShare)
          expect(sum(shareParts(company, ranking))).toBeCloseTo(Math.log(company.share / against), 6)
          const twins = shareParts(company, ranking).find(({ part }) => part === 'other registers')
          expect(Math.abs(twins?.weight ?? NaN) > 1e-9).toBe(company.alike.length > 0)
          twinCount += company.alike.length
        }
      }),
    )
    expect(twinCount).toBeGreaterThan(0)
  })
})

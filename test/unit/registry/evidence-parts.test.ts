import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareParts } from '../../../src/registry/answer/candidates.js'
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

test('the parts of the evidence add up to the log-odds of the share: twins, rivals and the start among them', () => {
  let [twinCount, rivalCount] = [0, 0]
  fc.assert(
    fc.property(name, location, (asked, place) => {
      const ranking = rank({ name: asked, location: place, held, contextCount: () => 1 })
      for (const company of ranking.ranked) {
        const rest = ranking.ranked.filter((other) => other !== company)
        const against = rest.reduce((total, { share }) => total + share, ranking.noneShare)
        // No share is told to be less than one of a million.
        const logOdds = Math.max(Math.log(1e-6), Math.log(company.share / against))
        expect(sum(shareParts(company, ranking))).toBeCloseTo(logOdds, 5)
        twinCount += company.alike.length
        rivalCount += rest.length
      }
    }),
  )
  expect(Math.min(twinCount, rivalCount)).toBeGreaterThan(0)
})

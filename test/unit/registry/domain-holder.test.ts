import { describe, expect, test } from 'vitest'
import { classifySite } from '../../../src/core/domain-name.js'
import { decideHolder, type DomainHolder } from '../../../src/registry/model/identifiers.js'

test.each([
  ['https://www.acme.com', 'root'],
  ['acme.com', 'root'],
  ['HTTP://WWW2.ACME.CO.UK:8080/', 'root'],
  ['https://www.acme.com/uk/', 'root'],
  ['https://www.acme.com/gb/en', 'root'],
  ['https://acme.com/zh-cn?x=/y#z', 'root'],
  ['https://acme.com/index.html', 'root'],
  ['https://home.barclays', 'root'],
  ['https://acme.github.io', 'root'],
  ['https://www.münchen.de', 'root'],
  ['https://uk.virginmoney.com', 'subdomain'],
  ['https://www.business.hsbc.uk/en', 'subdomain'],
  ['https://www.facebook.com/acme', 'page'],
  ['https://sites.google.com/view/acme', 'page'],
])('The website %s is the %s of its domain', (website, fit) => {
  expect(classifySite(website)).toBe(fit)
})

const holder = (entityNumber: number, website = 'https://acme.com', isActive = true): DomainHolder => ({
  entityNumber,
  legalEntityNumber: entityNumber * 10,
  website,
  isActive,
})
/** `{ 2: [1] }`: 1 is above 2. */
const owners =
  (above: Record<number, number[]> = {}) =>
  (number: number) =>
    new Set(above[number])

describe('whose domain it is', () => {
  const decide = (holders: readonly DomainHolder[], above?: Record<number, number[]>) => {
    const decision = decideHolder(holders, owners(above))
    if (decision.kind === 'none') return 'none'
    const who =
      decision.kind === 'one' ? decision.holder.entityNumber : decision.holders.map((one) => one.entityNumber)
    return [who, decision.fit]
  }

  test.each<[string, readonly DomainHolder[], Record<number, number[]>, unknown]>([
    ['nobody gives it: nobody', [], {}, 'none'],
    ['one gives it: that one', [holder(1)], {}, [1, 'root']],
    [
      'the site at the root outdoes others',
      [holder(1, 'https://acme.com/x'), holder(2), holder(3, 'https://a.acme.com')],
      {},
      [2, 'root'],
    ],
    ['a page is better than nothing', [holder(1, 'https://acme.com/x')], {}, [1, 'page']],
    ['two give it: both', [holder(1), holder(2)], {}, [[1, 2], 'root']],
    ['two registrations of one company are one', [holder(1), holder(1)], {}, [1, 'root']],
    ['who is active outdoes who is not', [holder(1, 'https://acme.com', false), holder(2)], {}, [2, 'root']],
    ['the one above all others', [holder(2), holder(1), holder(3)], { 2: [9, 1], 3: [2, 1] }, [1, 'root']],
    ['the one above some is not enough', [holder(1), holder(2), holder(3)], { 2: [1] }, [[1, 2, 3], 'root']],
    ['two above each other: both', [holder(1), holder(2)], { 1: [2], 2: [1] }, [[1, 2], 'root']],
  ])('%s', (_rule, holders, above, decision) => {
    expect(decide(holders, above)).toEqual(decision)
  })
})

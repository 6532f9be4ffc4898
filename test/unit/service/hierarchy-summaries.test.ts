import { describe, expect, test } from 'vitest'
import { hierarchyData } from '../../../src/contract/hierarchy.js'
import { hierarchyOf } from '../../../src/service/records/hierarchies/hierarchy.js'
import { ownershipOf } from '../../support/ownerships.js'

const shortOf = (links: readonly string[], ultimateParentId: string | null = null) =>
  hierarchyOf(ownershipOf('a', links, { ultimateParentId })).summary_short

describe('the short summary', () => {
  test.each([
    [['a > b'], 'No parent of A Ltd is known.'],
    [['b > a'], 'A Ltd belongs to B Ltd, its ultimate parent.'],
    [['b > a', 'c > b'], 'A Ltd belongs to B Ltd. Its ultimate parent is C Ltd.'],
    [
      ['b > a', 'a > b'],
      'A Ltd belongs to B Ltd. Its owners own one another, so that none of them is the ultimate parent.',
    ],
  ])('%j is %j', (links, sentence) => {
    expect(shortOf(links)).toBe(sentence)
  })

  test('an ultimate parent without a way up is named', () => {
    expect(shortOf(['z > b'], 'z')).toBe('The ultimate parent of A Ltd is Z Ltd.')
  })
})

describe('the long summary', () => {
  test('tells the chain with its shares, further owners, what is below and beside, and the sources', () => {
    const links = ['b > a 60', 'c > b', 'd > a 10', 'a > e', 'b > f', 'b > g 100']
    const data = hierarchyOf(ownershipOf('a', links, { evidence: ['https://register.example/1'] }))
    expect(data.summary_long).toBe(
      'A Ltd belongs to B Ltd. Its ultimate parent is C Ltd. B Ltd owns the majority of A Ltd (60%). ' +
        'C Ltd is the parent of B Ltd. D Ltd also owns a minority of it (10%). Below A Ltd: E Ltd. ' +
        'Beside it below B Ltd: F Ltd, G Ltd. Read with 1 public record.',
    )
  })

  test('of many companies the first are named', () => {
    const links = Array.from({ length: 13 }, (_, index) => `a > b${index}`)
    expect(hierarchyOf(ownershipOf('a', links)).summary_long).toMatch(/B9 Ltd and 3 more\. No public record/)
  })
})

test('H-08 a relationship with somebody unknown is left out', () => {
  const known = ownershipOf('a', ['b > a'])
  const stray = { ...known.relationships[0]!, id: 'r2', from: 'nobody' }
  const data = hierarchyOf({ ...known, relationships: [...known.relationships, stray] })
  expect(hierarchyData.parse(data).relationships).toEqual(known.relationships)
})

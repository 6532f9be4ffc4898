import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { climb } from '../../../src/service/records/hierarchies/hierarchy.js'
import { ownershipOf } from '../../support/ownerships.js'

const way = (links: readonly string[], ultimateParentId: string | null = null) => {
  const climbed = climb(ownershipOf('a', links, { ultimateParentId }))
  return [
    climbed.chain.map(({ parent_id: id }) => id).join(' '),
    climbed.ultimateParentId,
    climbed.endsInCircle,
  ]
}

describe('the way up', () => {
  test.each<[string, readonly string[], string, string | null]>([
    ['H-10 with nobody above there is no parent', ['a > b'], '', null],
    ['H-09 it goes to the top', ['c > b', 'b > a', 'd > c'], 'b c d', 'd'],
    ['a parent without a share counts', ['b > a'], 'b', 'b'],
    ['who owns half or less is on no way up', ['b > a 50', 'c > a 50', 'd > a 20'], '', null],
    ['of two parents the one with the larger share is taken', ['b > a', 'c > a 51'], 'c', 'c'],
    ['of two alike the first is taken', ['c > a', 'b > a'], 'c', 'c'],
    ['an owner above another owner is passed over', ['c > a', 'b > a', 'c > b'], 'b c', 'c'],
    ['and so is one further above', ['d > a 99', 'b > a', 'c > b', 'd > c'], 'b c d', 'd'],
    ['who owns itself owns nobody else', ['a > a', 'b > a'], 'b', 'b'],
  ])('%s', (_rule, links, chain, top) => {
    expect(way(links)).toEqual([chain, top, false])
  })

  test('H-09 a circle ends before it closes, and has no top', () => {
    expect(way(['b > a', 'a > b'])).toEqual(['b', null, true])
    expect(way(['b > a', 'c > b', 'b > c'])).toEqual(['b c', null, true])
  })

  test('a way out of a circle is taken', () => {
    expect(way(['b > a', 'a > b', 'c > b'])).toEqual(['b c', 'c', false])
  })

  test('a small share back down is no circle', () => {
    expect(way(['b > a', 'a > b 10'])).toEqual(['b', 'b', false])
  })

  test('H-10 the ultimate parent may be known where the way to it is not', () => {
    expect(way(['b > a', 'z > b 30'], 'z')).toEqual(['b', 'z', false])
    expect(way(['z > x'], 'z')).toEqual(['', 'z', false])
  })

  test('a statement that the way leads beyond is not believed', () => {
    expect(way(['b > a', 'c > b'], 'b')).toEqual(['b c', 'c', false])
  })
})

test('H-09 whatever is said, every company stands in the chain once, linked to the one before', () => {
  const company = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  const link = fc
    .tuple(company, company, fc.constantFrom('', ' 40', ' 60', ' 100'))
    .map(([from, to, share]) => `${from} > ${to}${share}`)
  fc.assert(
    fc.property(fc.array(link, { maxLength: 20 }), fc.option(company), (links, ultimate) => {
      const { chain, ultimateParentId } = climb(ownershipOf('a', links, { ultimateParentId: ultimate }))
      const stops = ['a', ...chain.map(({ parent_id: id }) => id)]
      expect(new Set(stops).size).toBe(stops.length)
      expect(chain.map(({ entity_id: id }) => id)).toEqual(stops.slice(0, -1))
      expect(ultimateParentId).not.toBe('a')
    }),
  )
})

import { naughtyStrings } from '../../hostile/naughty-strings.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findOwnershipChain, buildHierarchy, renderMermaid } from '../../../src/service/records/hierarchy.js'
import { ownershipOf } from '../../support/ownerships.js'
import { hierarchyData } from '../../../src/contract/hierarchy.js'
import { forAll } from '../../support/properties.js'

const way = (links: readonly string[], ultimateParentId: string | null = null) => {
  const climbed = findOwnershipChain(ownershipOf('a', links, { ultimateParentId }))
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

test('H-09 every company is in the chain once, linked to the one before', () => {
  const company = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  const link = fc
    .tuple(company, company, fc.constantFrom('', ' 40', ' 60', ' 100'))
    .map(([from, to, share]) => `${from} > ${to}${share}`)
  forAll(100, [fc.array(link, { maxLength: 20 }), fc.option(company)], (links, ultimate) => {
    const { chain, ultimateParentId } = findOwnershipChain(
      ownershipOf('a', links, { ultimateParentId: ultimate }),
    )
    const stops = ['a', ...chain.map(({ parent_id: id }) => id)]
    expect(new Set(stops).size).toBe(stops.length)
    expect(chain.map(({ entity_id: id }) => id)).toEqual(stops.slice(0, -1))
    expect(ultimateParentId).not.toBe('a')
  })
})

const shortOf = (links: readonly string[], ultimateParentId: string | null = null) =>
  buildHierarchy(ownershipOf('a', links, { ultimateParentId })).summary_short

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
  test('has the chain with its shares, further owners, subsidiaries, siblings and sources', () => {
    const links = ['b > a 60', 'c > b', 'd > a 10', 'a > e', 'b > f', 'b > g 100']
    const data = buildHierarchy(ownershipOf('a', links, { evidence: ['https://register.example/1'] }))
    expect(data.summary_long).toBe(
      'A Ltd belongs to B Ltd. Its ultimate parent is C Ltd. B Ltd owns the majority of A Ltd (60%). ' +
        'C Ltd is the parent of B Ltd. D Ltd also owns a minority of it (10%). Below A Ltd: E Ltd. ' +
        'Beside it below B Ltd: F Ltd, G Ltd. Read with 1 public record.',
    )
  })

  test('of many companies the first are named', () => {
    const links = Array.from({ length: 13 }, (_, index) => `a > b${index}`)
    expect(buildHierarchy(ownershipOf('a', links)).summary_long).toMatch(
      /B9 Ltd and 3 more\. No public record/,
    )
  })
})

test('H-08 a relationship with an unknown company is left out', () => {
  const known = ownershipOf('a', ['b > a'])
  const stray = { ...known.relationships[0]!, id: 'r2', from: 'nobody' }
  const data = buildHierarchy({ ...known, relationships: [...known.relationships, stray] })
  expect(hierarchyData.parse(data).relationships).toEqual(known.relationships)
})

/** A diagram of two companies, the first of this name. */
function diagramOf(name: string): string[] {
  const { entities, relationships } = ownershipOf('a', ['b > a 60.5'])
  const [first, ...others] = entities
  return renderMermaid({ entities: [{ ...first!, name }, ...others], relationships }).split('\n')
}

const box = /^ {2}n\d+\["((?:[\p{L}\p{M}\p{N} .,'_-]|#\d{1,7};)+)"\]$/u

const labelIn = (line: string) =>
  (box.exec(line)?.[1] ?? '').replace(/#(\d+);/g, (_code, digits) => String.fromCodePoint(Number(digits)))

describe('a diagram', () => {
  test('has a box for each company and an arrow for each relationship', () => {
    expect(diagramOf('A Ltd')).toEqual([
      'flowchart TD',
      '  n1["A Ltd"]',
      '  n2["B Ltd"]',
      '  n2 -->|"owns the majority, 60.5#37;"| n1',
      '',
    ])
  })

  test.each([
    ['H-14 a quote', 'A"] --> X["B'],
    ['H-14 brackets', 'A[(B)]{C}'],
    ['H-14 a line end', 'A\nclick n1 "javascript:alert(1)"\r\u2028\u2029B'],
    ['H-14 a directive', "%%{init: {'securityLevel': 'loose'}}%%"],
    ['H-14 a comment', '%% A'],
    ['H-14 HTML', '<img src=x onerror=alert(1)>&lt;b&gt;'],
    ['H-14 an entity code', '#quot;] #35;'],
    ['H-14 what Mermaid puts in the place of a code', 'ﬂ°°60¶ßscript'],
    ['H-14 a Markdown text', '"`**A**`"'],
    ['H-14 a style before a semicolon', 'style A: #fff;'],
    ['H-14 an arrow', 'A --> B & C | D'],
  ])('%s cannot leave its box, and is shown as it is', (_what, name) => {
    const lines = diagramOf(name)
    expect(lines).toHaveLength(5)
    expect(lines[1]).toMatch(box)
    expect(labelIn(lines[1]!)).toBe(name.replace(/\s+/g, ' ').trim())
    expect(lines.slice(2)).toEqual(diagramOf('x').slice(2))
  })

  test('H-14 any name stays in its box', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: fc.constantFrom('"', ']', '%', '{', '}', '\n', '<', '#', ';', '`', '&', 'a') }),
      fc.constantFrom(...naughtyStrings),
    )
    forAll(100, [hostile], (name) => {
      const lines = diagramOf(name)
      expect(lines).toHaveLength(5)
      expect(lines[1]).toMatch(box)
      expect(Array.from(labelIn(lines[1]!)).length).toBeLessThanOrEqual(80)
    })
  })

  test('a name of nothing that shows is called unnamed', () => {
    expect(diagramOf('\u0000\u202e \u200b')[1]).toBe('  n1["unnamed"]')
  })

  test('H-14 ids are never read as syntax', () => {
    const { entities, relationships } = ownershipOf('end', ['x"]-->y > end'])
    expect(renderMermaid({ entities, relationships }).split('\n').slice(1, -1)).toEqual([
      '  n1["END Ltd"]',
      '  n2["X#34;#93;--#62;Y Ltd"]',
      '  n2 -->|"is parent"| n1',
    ])
  })
})

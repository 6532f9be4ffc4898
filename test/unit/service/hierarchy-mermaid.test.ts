import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mermaidOf } from '../../../src/service/records/hierarchies/texts.js'
import { naughtyStrings } from '../../hostile/naughty-strings.js'
import { ownershipOf } from '../../support/ownerships.js'

/** A diagram of two companies, the first of this name. */
function diagramOf(name: string): string[] {
  const { entities, relationships } = ownershipOf('a', ['b > a 60.5'])
  const [first, ...others] = entities
  return mermaidOf({ entities: [{ ...first!, name }, ...others], relationships }).split('\n')
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
    fc.assert(
      fc.property(hostile, (name) => {
        const lines = diagramOf(name)
        expect(lines).toHaveLength(5)
        expect(lines[1]).toMatch(box)
        expect(Array.from(labelIn(lines[1]!)).length).toBeLessThanOrEqual(80)
      }),
    )
  })

  test('a name of nothing that shows is called unnamed', () => {
    expect(diagramOf('\u0000\u202e \u200b')[1]).toBe('  n1["unnamed"]')
  })

  test('H-14 ids are never read as syntax', () => {
    const { entities, relationships } = ownershipOf('end', ['x"]-->y > end'])
    expect(mermaidOf({ entities, relationships }).split('\n').slice(1, -1)).toEqual([
      '  n1["END Ltd"]',
      '  n2["X#34;#93;--#62;Y Ltd"]',
      '  n2 -->|"is parent"| n1',
    ])
  })
})

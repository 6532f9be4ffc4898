import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { JsonElements, type JsonElement } from '../../../src/registry/import/table.js'
import { errorWith } from '../../support/error-with.js'
import { forAll } from '../../support/properties.js'

function elementsOf(pieces: readonly string[]): JsonElement[] {
  const reader = new JsonElements('file.json')
  const elements = pieces.flatMap((piece) => reader.push(piece))
  reader.end()
  return elements
}

describe('elements of arrays', () => {
  test.each<[string, string, [string | null, string][]]>([
    [
      'of an object',
      '{"a":[1,"x"],"b":{"c":[2]},"d":[[3],{"e":[4]}]}',
      [
        ['a', '1'],
        ['a', '"x"'],
        ['d', '[3]'],
        ['d', '{"e":[4]}'],
      ],
    ],
    [
      'of a list',
      '[ {"a":1} , null ]',
      [
        [null, '{"a":1}'],
        [null, 'null'],
      ],
    ],
    ['empty', '{"a":[ ],"b":"[1]"}', []],
    [
      'with brackets and quotes in texts',
      '["a]\\"[", "b\\\\"]',
      [
        [null, '"a]\\"["'],
        [null, '"b\\\\"'],
      ],
    ],
  ])('%s', (_case, text, expected) => {
    expect(elementsOf([text]).map(({ key, text: found }) => [key, found])).toEqual(expected)
  })

  it('of a member of the object too, where they are asked for', () => {
    const text = '{"head":{"vars":["a"]},"results":{"x":{"y":[0]},"bindings":[{"a":[1]},2]},"top":[3]}'
    const reader = new JsonElements('file.json', true)
    const found = (text.match(/[^]/g) ?? []).flatMap((piece) => reader.push(piece))
    reader.end()
    expect(found.map(({ key, text: of }) => [key, of])).toEqual([
      ['vars', '"a"'],
      ['bindings', '{"a":[1]}'],
      ['bindings', '2'],
      ['top', '3'],
    ])
  })

  it('are the same however the text is cut, and those that JSON.parse finds', () => {
    const list = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 })
    forAll(100, [list, fc.integer({ min: 1, max: 7 }), fc.constantFrom(0, 2)], (values, size, indent) => {
      const text = JSON.stringify({ head: { list: [1] }, records: values, tail: 'x' }, null, indent)
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const found = elementsOf(pieces)
      expect(found.map((element) => JSON.parse(element.text) as unknown)).toEqual(
        JSON.parse(JSON.stringify(values)),
      )
      for (const { key, line, text: of } of found) {
        expect(key).toBe('records')
        expect(text.split('\n')[line - 1]).toContain(of.split('\n')[0])
      }
    })
  })
})

describe('what is no JSON', () => {
  test.each([
    ['', 'it is truncated'],
    ['{"a":[1', 'it is truncated'],
    ['{"a":["x]}', 'it is truncated'],
    ['LEI,BIC', 'it is not JSON'],
    ['[1]]', 'a "]" has no opening bracket'],
    ['{"a":[1}', 'a "}" has no opening bracket'],
    ['[1] [2]', 'there is text after its end'],
    ['[1]\n x', 'it is not JSON'],
    ['['.repeat(200), 'it is nested too deeply'],
  ])('%j: %s', (text, reason) => {
    expect(() => elementsOf([text])).toThrow(errorWith('INPUT_JSON_INVALID', { message: reason }))
  })

  it('the line number of the trouble is reported', () => {
    expect(() => elementsOf(['[1,\n2}\n'])).toThrow(
      'file.json cannot be read, line 2: a "}" has no opening bracket',
    )
  })
})

import { describe, expect, test } from 'vitest'
import { cutToWidth, measureWidth } from '../../../src/core/text.js'

describe('the columns a text takes in a terminal', () => {
  test.each([
    ['Müller', 6],
    ['Mu\u0308ller', 6],
    ['株式会社', 8],
    ['ﾃﾞｰﾀ', 4],
    ['주식회사', 8],
    ['ＡＢＣ', 6],
    ['ok 🚀', 5],
    ['a\u200bb', 2],
    ['ООО «Ромашка»', 13],
    ['ลูกค้า', 4],
    ['𠮷野家', 6],
  ])('%s takes %i', (text, columnCount) => {
    expect(measureWidth(text)).toBe(columnCount)
  })

  test('a cut leaves no half of a character, and nothing beyond the width', () => {
    expect([0, 1, 2, 3, 4].map((columns) => cutToWidth('𠮷野', columns))).toEqual([
      '',
      '',
      '𠮷',
      '𠮷',
      '𠮷野',
    ])
    expect(cutToWidth('Mu\u0308ller', 2)).toBe('Mu\u0308')
    expect(cutToWidth('abc', -1)).toBe('')
  })
})

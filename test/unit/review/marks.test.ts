import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Mark } from '../../../src/review/page-data.js'
import { compareNames, comparePlaces } from '../../../src/review/candidate-view.js'
import { splitAtWords } from '../../../src/review/page/browser/page-text.js'
import { forAll } from '../../support/properties.js'

/** What the other text does not have stands in brackets. */
const shown = (marks: readonly Mark[]): string =>
  marks.map(({ text, isShared }) => (isShared ? text : `[${text}]`)).join('')

const compared = (left: string | null, right: string | null): [string, string] => {
  const marks = compareNames(left, right)
  return [shown(marks.left), shown(marks.right)]
}

test.each([
  ['Siemens AG', 'Siemens Aktiengesellschaft', 'Siemens [AG]', 'Siemens [Aktiengesellschaft]'],
  ['Acme Ltd', 'ACME Limited', 'Acme [Ltd]', 'ACME [Limited]'],
  ['AT&T Inc.', 'AT & T', 'AT&T [Inc].', 'AT & T'],
  ['3M', '3M Company', '3M', '3M [Company]'],
  ['Apple', 'Microsoft', '[Apple]', '[Microsoft]'],
  ['Baker Hughes Oil', 'Halliburton', '[Baker Hughes Oil]', '[Halliburton]'],
  ['A.B.C. Trading', 'ABC Trading Co., Ltd.', 'A.B.C. Trading', 'ABC Trading [Co., Ltd].'],
])('Different words of names are marked: %s and %s', (left, right, leftMarks, rightMarks) => {
  expect(compared(left, right)).toEqual([leftMarks, rightMarks])
})

test.each([
  ['Müller GmbH', 'Mueller GmbH'],
  ['Müller GmbH', 'Muller G.m.b.H.'],
  ['Société Générale', 'SOCIETE GENERALE'],
  ['Straße & Co', 'Strasse Co'],
  ['Søren Åse Æble', 'Soeren Aase Aeble'],
  ['Exxon Mobil Corp', 'ExxonMobil Corp'],
  ['Ｔｏｙｏｔａ', 'Toyota'],
  ['Deutsche Bank', 'Bank Deutsche'],
  ['株式会社トヨタ自動車', 'トヨタ自動車株式会社'],
  ['Яндекс ООО', 'ООО «Яндекс»'],
])('Another notation is not marked: %s and %s', (left, right) => {
  expect(compared(left, right)).toEqual([left, right])
})

test.each([
  ['Seimens Healthcare', 'Siemens Healthcare', 'S[e]imens Healthcare', 'Si[e]mens Healthcare'],
  ['Helthcare', 'Healthcare', 'Helthcare', 'He[a]lthcare'],
  ['Acme Holding', 'Acme Holdings', 'Acme Holding', 'Acme Holding[s]'],
])('Different letters of similar words are marked: %s and %s', (left, right, leftMarks, rightMarks) => {
  expect(compared(left, right)).toEqual([leftMarks, rightMarks])
})

test('words are found where no spaces are', () => {
  const [left, right] = compared('トヨタ自動車', 'トヨタ紡織株式会社')
  expect(left).toMatch(/^トヨタ\[/)
  expect(right).toMatch(/^トヨタ\[/)
  expect(compared('삼성전자', '삼성전자 주식회사')).toEqual(['삼성전자', '삼성전자 [주식회사]'])
})

test('a letter of another script is no accent', () => {
  // In Japanese a mark makes another letter: ハ and バ are two.
  expect(compared('ハス', 'バス')[0]).toContain('[')
})

test('where there is nothing to compare with, all is marked, and of nothing nothing is', () => {
  expect(compared('Acme', null)).toEqual(['[Acme]', ''])
  expect(compared(null, null)).toEqual(['', ''])
})

test('a place is compared in whatever order it is written', () => {
  const { left, right } = comparePlaces('Berlin, Germany', 'Friedrichstr. 1, 10117 Berlin, Germany')
  expect(shown(left)).toBe('Berlin, Germany')
  expect(shown(right)).toBe('[Friedrichstr. 1, 10117] Berlin, Germany')
})

test.each([
  ['London, UK', 'London, United Kingdom', 'London, United Kingdom'],
  [
    'Austin, TX, USA',
    'One Road, Dallas, TX 75201, United States',
    '[One Road, Dallas], TX [75201], United States',
  ],
  ['München, Deutschland', 'Berlin, Germany', '[Berlin], Germany'],
  ['Dover, DE', 'Berlin, Germany', '[Berlin, Germany]'],
  ['Sydney, New South Wales', 'Cardiff, United Kingdom', '[Cardiff, United Kingdom]'],
])('the country of a place is shared in other words too, if it is certain: %s, %s', (one, other, marked) => {
  expect(shown(comparePlaces(one, other).right)).toBe(marked)
})

test('marks, joined, are the text, and what is marked in neither is the same in both', () => {
  const joined = (marks: readonly Mark[]) => marks.map(({ text }) => text).join('')
  const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.lorem({ maxCount: 6 }))
  forAll(100, [text, text], (one, other) => {
    const { left, right } = compareNames(one, other)
    expect([joined(left), joined(right)]).toEqual([one, other])
    expect(left.every(({ text: piece }) => piece !== '')).toBe(true)
    const same = compareNames(one, one)
    expect(same.left.filter(({ isShared }) => !isShared)).toEqual([])
    const places = comparePlaces(one, other)
    expect([joined(places.left), joined(places.right)]).toEqual([one, other])
  })
})

test('hostile texts are compared in few steps', () => {
  for (const word of ['ab ', 'ba ', 'a', 'é ', '自', '👩‍👩‍👧‍👦 ']) {
    const long = word.repeat(Math.floor(1_000 / word.length))
    const { left, right } = compareNames(long, long.slice(1))
    expect(left.map(({ text }) => text).join('')).toBe(long)
    expect(right.map(({ text }) => text).join('')).toBe(long.slice(1))
  }
  const beyond = 'word '.repeat(2_000)
  expect(compareNames(beyond, 'word').left).toEqual([{ text: beyond, isShared: true }])
})

test('marked words of a place begin and end with a letter or a digit, and nothing of the text is lost', () => {
  expect(splitAtWords(', Germany')).toEqual([', ', 'Germany', ''])
  expect(splitAtWords(' (GB), ')).toEqual([' (', 'GB', '), '])
  expect(splitAtWords('東京都、日本')).toEqual(['', '東京都、日本', ''])
  const places = fc.array(
    fc.constantFrom('Berlin', 'Germany', 'São Paulo', '東京', '10117', ', ', ' (', ')', '; '),
  )
  forAll(100, [places, places], (one, other) => {
    const { right } = comparePlaces(one.join(''), other.join(''))
    for (const { text } of right) {
      const [before, words, after] = splitAtWords(text)
      expect(before + words + after).toBe(text)
      expect(words).toMatch(/^(?:[\p{L}\p{M}\p{N}](?:.*[\p{L}\p{M}\p{N}])?)?$/su)
    }
  })
})

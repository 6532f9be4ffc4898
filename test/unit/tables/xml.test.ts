import { expect, test } from 'vitest'
import { findText, parseXml, createPlaceReader } from '../../../src/platform/xml.js'

const compatibility = 'http://schemas.openxmlformats.org/markup-compatibility/2006'

test('elements and attributes of another namespace are not those of the reply, whatever their prefix', () => {
  const root = parseXml(
    `<s:List xmlns:s="urn:store" xmlns:o="urn:other"><o:Key>other</o:Key><o:Item><s:Key>inside</s:Key></o:Item>
     <Key xmlns="urn:third">third</Key><s:Key o:Encoded="true"> a<o:b>not</o:b>b </s:Key></s:List>`,
  )
  expect([root?.name, root?.children.length, findText(root, 'Key')]).toEqual(['List', 1, ' ab '])
  expect(root?.children[0]?.attribute('Encoded')).toBeUndefined()
  expect(root?.children[0]?.attribute('Encoded', ['urn:other'])).toBe('true')
})

test.each([
  ['an unclosed element', '<a><b></a>'],
  ['a document type', '<!DOCTYPE a><a/>'],
  ['a prefix without a namespace', '<x:a/>'],
  ['text', 'none'],
  ['21 levels', `${'<a>'.repeat(22)}${'</a>'.repeat(22)}`],
])('%s is no reply', (_, text) => {
  expect(parseXml(text)).toBeNull()
})

/** The texts of places, as `place=text`. */
function readPlaces(xml: string, places: readonly string[]): string[] {
  const found: string[] = []
  const reader = createPlaceReader(
    {
      places,
      open: (place, attribute) => found.push(`${place}:${attribute('a') ?? ''}`),
      text: (text, place) => found.push(`${place}=${text}`),
    },
    ['urn:main', 'urn:strict'],
  )
  reader.write(xml)
  reader.close()
  return found
}

test('only elements at their place are read', () => {
  const xml = '<r xmlns="urn:main"><x><v a="1">no</v></x><v a="2">yes<w>no</w></v></r>'
  expect(readPlaces(xml, ['r/v'])).toEqual(['r:', 'r/v:2', 'r/v=yes'])
  expect(readPlaces(xml.replace('urn:main', 'urn:strict'), ['r/v'])).toEqual(['r:', 'r/v:2', 'r/v=yes'])
})

test('of alternatives, the first one that is understood is read as if it stood alone', () => {
  const choose = (branches: string) =>
    readPlaces(
      `<r xmlns="urn:main" xmlns:m="urn:main" xmlns:n="urn:new" xmlns:mc="${compatibility}"><mc:AlternateContent>${branches}</mc:AlternateContent></r>`,
      ['r/v'],
    ).filter((text) => text.startsWith('r/v='))
  const branch = (requires: string, text: string) =>
    `<mc:Choice Requires="${requires}"><v>${text}</v></mc:Choice>`
  const fallback = '<mc:Fallback><v>fallback</v></mc:Fallback>'
  expect(choose(branch('n', 'new') + fallback)).toEqual(['r/v=fallback'])
  expect(choose(branch('n', 'new') + branch('m', 'own') + fallback)).toEqual(['r/v=own'])
  expect(choose(branch('m n', 'both'))).toEqual([])
})

test('a root of another namespace is an error', () => {
  expect(() => readPlaces('<r xmlns="urn:other"/>', ['r'])).toThrow('unknown namespace "urn:other"')
})

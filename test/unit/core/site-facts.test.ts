import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extractFacts } from '../../../src/service/records/domains/website-check.js'
import { forAll } from '../../support/properties.js'

describe('what a page says of itself', () => {
  test.each([
    ['in double quotes', '<meta name="description" content="Anvils and rockets.">', 'Anvils and rockets.'],
    ['in single quotes', "<meta content='It is \"it\"' name='description'>", 'It is "it"'],
    ['in capitals', '<META NAME=Description CONTENT="Anvils">', 'Anvils'],
    ['for networks', '<meta property="og:description" content="Anvils">', 'Anvils'],
    [
      'with characters by name and number',
      '<meta name="description" content="A &amp; B&#39;s &#x1F680;">',
      "A & B's 🚀",
    ],
    ['over lines', '<meta name="description"\n content="A\n  B">', 'A B'],
    [
      'the first that is not empty',
      '<meta name="description" content=" "><meta name="og:description" content="B">',
      'B',
    ],
    ['with half a surrogate pair', '<meta name="description" content="a&#xD83D;b">', 'a&#xD83D;b'],
  ])('%s', (_rule, html, description) => {
    expect(extractFacts(html).description).toBe(description)
  })

  test.each(['', '<meta name="keywords" content="x">', 'description', '<meta name="description"'])(
    'nothing: %s',
    (html) => {
      expect(extractFacts(html).description).toBeNull()
    },
  )

  test('a description is bounded', () => {
    const html = `<meta name="description" content="${'ü'.repeat(3_000)}">`
    expect(Array.from(extractFacts(html).description ?? '')).toHaveLength(1_000)
  })

  test('blank pages have no content', () => {
    expect(['', ' \n\t', 'x'].map((html) => extractFacts(html).hasContent)).toEqual([false, false, true])
  })
})

describe('D3-09 profiles that a page links to', () => {
  test('the first of each network', () => {
    const html = `
      <a href="https://www.linkedin.com/company/acme-inc/about">x</a>
      <a href='//de.linkedin.com/company/second'>x</a>
      <a href="https://www.facebook.com/AcmeInc?ref=x">x</a>
      <a href="https://x.com/acme">x</a>
      <a href="https://www.crunchbase.com/organization/acme">x</a>`
    expect(extractFacts(html).profiles).toEqual({
      linkedin: { handle: 'acme-inc' },
      facebook: { handle: 'AcmeInc' },
      twitter: { handle: 'acme' },
      crunchbase: { handle: 'acme' },
    })
  })

  test.each([
    'https://www.facebook.com/sharer/sharer.php?u=x',
    'https://www.facebook.com/tr?id=1',
    'https://twitter.com/intent/tweet?text=x',
    'https://x.com/share',
    'https://www.linkedin.com/shareArticle?url=x',
    'https://www.linkedin.com/in/jane',
    'https://notfacebook.com/acme',
    'https://netflix.com/acme',
    'https://connect.facebook.net/en_US/sdk.js',
  ])('%s belongs to no company', (url) => {
    expect(extractFacts(`<a href="${url}">x</a>`).profiles).toEqual({})
  })
})

test('any text is read without an error and in no time that grows out of hand', () => {
  forAll(100, [fc.string({ unit: 'binary', maxLength: 500 })], (text) => {
    extractFacts(`<meta name="description" content="${text}"><a href="//x.com/${text}">`)
  })
  for (const piece of [
    '<meta ',
    '<meta name="description" content="',
    'http://www.',
    '//x.com/',
    '&#x',
    'content=\'"',
  ]) {
    expect(extractFacts(piece.repeat(65_536 / piece.length)).hasContent).toBe(true)
  }
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cut, isolateText, html, renderSource } from '../../../src/web/html.js'
import { forAll } from '../../support/properties.js'

describe('html', () => {
  test('what is put in is escaped, for text and for attributes; what it made itself is not escaped again', () => {
    const inner = html`<b title="${`"'<&>`}">${'<i>'}</b>`
    expect(String(html`<p>${inner}${[inner, ' & ', 3, null]}</p>`)).toBe(
      '<p><b title="&quot;&#39;&lt;&amp;&gt;">&lt;i&gt;</b><b title="&quot;&#39;&lt;&amp;&gt;">&lt;i&gt;</b> &amp; 3</p>',
    )
  })

  test('no text brings a tag, an entity, a control character or a turn of direction into a page', () => {
    forAll(100, [fc.string({ unit: 'binary', maxLength: 60 })], (text) => {
      const made = String(isolateText(text)).replace(/^<bdi>|<\/bdi>$/g, '')
      expect(made).not.toMatch(/[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/)
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      expect(made).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
    })
  })

  test('a sentence with a name from right to left reads from left to right, and such a name does not', () => {
    expect(String(isolateText('"شركة" is a partnership, not a company.'))).toMatch(/^<bdi dir="ltr">/)
    expect(String(isolateText('"לארקמור בע״מ" is held by several registers.'))).toMatch(/^<bdi dir="ltr">/)
    for (const name of ['شركة المراعي', 'STC شركة الاتصالات السعودية', 'Larkmoor Ltd', ''])
      expect(String(isolateText(name))).toMatch(/^<bdi>/)
  })

  test('an object that looks like HTML is none: its text is escaped or it is not taken', () => {
    const forged = { toString: () => '<script>' } as unknown as string
    expect(() => String(html`${forged}`)).toThrow()
  })
})

test.each([
  ['short', 10, 'short'],
  ['exactly ten', 11, 'exactly ten'],
  ['longer than that', 7, 'longer…'],
  ['12345😀', 7, '12345😀'],
  ['12345😀8', 7, '12345…'],
  [`Z${'\u0301'.repeat(50)}algo`, 20, `Z${'\u0301'.repeat(4)}algo`],
])('%j is cut to %d characters: %j', (text, charsMax, shown) => {
  expect(cut(text, charsMax)).toBe(shown)
})

describe('a source', () => {
  test.each([
    ['https://example.com/a?b=1&c', 'https://example.com/a?b=1&amp;c'],
    ['HTTP://example.com', 'http://example.com/'],
    ['https://example.com/"><img src=x>', 'https://example.com/%22%3E%3Cimg%20src=x%3E'],
  ])('%s becomes a link that tells nothing of where it was', (source, address) => {
    expect(String(renderSource(source))).toContain(`<a href="${address}" rel="noreferrer">`)
  })

  test.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.com/',
    '//example.com/',
    'https://user:password@example.com/',
    'http://[::1',
    `https://example.com/${'x'.repeat(3_000)}`,
    'the annual report of 2025',
  ])('%s stays text', (source) => {
    expect(String(renderSource(source))).not.toContain('<a')
  })
})

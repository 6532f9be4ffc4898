import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toRootDomain } from '../../../src/core/domain-name.js'
import { forAll } from '../../support/properties.js'

const forms: [rule: string, text: string, domain: string][] = [
  ['a root domain stays', 'example.com', 'example.com'],
  ['letter case', 'EXAMPLE.Com', 'example.com'],
  ['space around it', '  example.com\n', 'example.com'],
  ['a trailing dot', 'example.com.', 'example.com'],
  ['a port', 'example.com:8443', 'example.com'],
  ['an empty port', 'example.com:/', 'example.com'],
  ['www', 'www.example.com', 'example.com'],
  ['a subdomain', 'a.b.c.example.com', 'example.com'],
  ['a service name', '_dmarc.example.com', 'example.com'],
  ['a suffix of two labels', 'a.b.co.uk', 'b.co.uk'],
  ['a URL', 'https://example.com', 'example.com'],
  ['a URL with everything', 'HTTPS://user:pa@ss@Shop.Example.com.:8443/a/b?x=y@z.org#f', 'example.com'],
  ['a URL whose query follows the host', 'http://example.com?x=http://other.org', 'example.com'],
  ['a URL without its scheme', '//example.com/path', 'example.com'],
  ['a path', 'example.com/path', 'example.com'],
  ['a path with an at sign', 'example.com/@jane', 'example.com'],
  ['an e-mail address', 'Jane.Doe+list@mail.example.com', 'example.com'],
  ['mailto', 'mailto:jane@example.com?subject=x@y.org', 'example.com'],
  ['another scheme', 'ftp://ftp.example.com', 'example.com'],
  ['an IDN in letters', 'Bücher.de', 'xn--bcher-kva.de'],
  ['an IDN as a name server knows it', 'xn--BCHER-kva.de', 'xn--bcher-kva.de'],
  ['an IDN in an e-mail address', 'jane@post.bücher.de', 'xn--bcher-kva.de'],
  ['an IDN suffix', 'https://example.公司.cn/', 'example.xn--55qx5d.cn'],
  ['ideographic full stops', '例え。jp', 'xn--r8jz45g.jp'],
  ['full-width letters', 'ｅｘａｍｐｌｅ．ｃｏｍ', 'example.com'],
  ['an emoji before a suffix', '💩.la', 'xn--ls8h.la'],
  ['a name let by a host is its own', 'blog.acme.github.io', 'acme.github.io'],
  ['the host that lets names is its own', 'https://github.io/', 'github.io'],
  ['an ending that no list knows', 'acme.example', 'acme.example'],
]

const nothing: [rule: string, text: string][] = [
  ['nothing', ''],
  ['spaces', '   '],
  ['a single label', 'a'],
  ['localhost', 'localhost'],
  ['localhost with a port', 'http://localhost:3000/'],
  ['a name of one’s own network', 'printer.local'],
  ['a name under localhost', 'app.localhost'],
  ['a suffix', 'com'],
  ['a suffix of two labels', 'co.uk'],
  ['an IPv4 address', '93.184.216.34'],
  ['an IPv4 address in a URL', 'https://93.184.216.34/x'],
  ['an IPv4 address in octal and hex', '0x7f.0.0.01'],
  ['an IPv4 address as one number', '2130706433'],
  ['an IPv4 address after an at sign', 'jane@127.0.0.1'],
  ['an IPv6 address', 'http://[2606:2800:220:1::1]/'],
  ['an IPv6 address without brackets', '2606:2800:220:1::1'],
  ['an emoji alone', '💩'],
  ['emoji', '🎉🎊'],
  ['300 characters', 'a'.repeat(300)],
  ['a name of more than 253 characters', `${'abcdefghi.'.repeat(26)}com`],
  ['a label of more than 63 characters', `${'a'.repeat(64)}.com`],
  ['a text of more than 2,048 characters', `example.com/${'a'.repeat(2_048)}`],
  ['an empty label', 'a..com'],
  ['two dots at the end', 'example.com..'],
  ['a hyphen first', '-example.com'],
  ['a hyphen last', 'example-.com'],
  ['an underscore in the root', 'ex_ample.com'],
  ['a space within', 'exa mple.com'],
  ['a NUL', 'example.com\0'],
  ['a comma', 'a@example.com,b@example.org'],
  ['a mailbox with a name', 'Jane <jane@example.com>'],
  ['a wildcard', '*.example.com'],
  ['punycode that decodes to nothing', 'xn--zz.com'],
  ['an at sign and no host', 'jane@'],
  ['a scheme alone', 'https://'],
  ['a script', 'javascript:alert(1)'],
  ['half a surrogate pair', '\ud83d.com'],
  ['a text', 'Acme Trading Limited'],
]

describe('the root domain of a text', () => {
  test.each(forms)('D3-02 D3-03 D3-04 %s', (_rule, text, domain) => {
    expect(toRootDomain(text)).toBe(domain)
  })

  test.each(nothing)('D3-16 %s is none', (_rule, text) => {
    expect(toRootDomain(text)).toBeNull()
  })

  test('D3-02 a root domain is its own, and what is written round it changes nothing', () => {
    forAll(40, [fc.domain(), fc.webPath(), fc.nat(65_535)], (name, path, port) => {
      const domain = toRootDomain(name)
      // A provider gives its customers the names below its own.
      if (domain === null || toRootDomain(`www.${domain}`) !== domain) return
      expect(toRootDomain(domain)).toBe(domain)
      expect(toRootDomain(`https://www.${name.toUpperCase()}.:${port}${path}`)).toBe(domain)
      expect(toRootDomain(`someone@${name}`)).toBe(domain)
    })
  })

  test('any text gives a name of a public form, or none, and never an error', () => {
    forAll(2_000, [fc.string({ unit: 'binary', maxLength: 60 })], (text) => {
      expect(toRootDomain(text) ?? 'a.b').toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
    })
  })
})

import type { SocialProfilesV1 } from '../contract/entity-v1.js'

/** What a page says of itself and links to. */
export interface SiteFacts {
  readonly hasContent: boolean
  /** The description in its head, for search engines. */
  readonly description: string | null
  readonly profiles: SocialProfilesV1
}

const descriptionCharsMax = 1_000

/**
 * Reads a page, or the beginning of one, without building it: the HTML may be broken anywhere. The first link
 * to a profile in each network counts; buttons that share the page lead to nobody's.
 */
export function siteFactsOf(html: string): SiteFacts {
  return { hasContent: /\S/.test(html), description: descriptionIn(html), profiles: profilesIn(html) }
}

function descriptionIn(html: string): string | null {
  for (const [tag] of html.matchAll(/<meta\b[^<>]{1,4000}>/gi)) {
    if (!/\b(?:name|property)\s*=\s*["']?(?:og:)?description\b/i.test(tag)) continue
    const [, quoted, single] = /\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag) ?? []
    const text = plainText(quoted ?? single ?? '')
    if (text !== '') return Array.from(text).slice(0, descriptionCharsMax).join('')
  }
  return null
}

const namedCharacters: Partial<Record<string, string>> = {
  amp: '&',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  nbsp: ' ',
}

function plainText(text: string): string {
  return text
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
      if (typeof name === 'string') return namedCharacters[name.toLowerCase()] ?? whole
      const code = typeof decimal === 'string' ? Number(decimal) : parseInt(String(hex), 16)
      const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      return isCharacter ? String.fromCodePoint(code) : whole
    })
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

type Network = keyof SocialProfilesV1

/** The part of an address that names somebody, by network. */
const links: readonly [network: Network, pattern: RegExp][] = [
  ['crunchbase', /\/\/(?:www\.)?crunchbase\.com\/organization\/([\w.%-]{1,100})/gi],
  ['linkedin', /\/\/(?:[a-z]{2,3}\.)?linkedin\.com\/(?:company|school|showcase)\/([\w.%-]{1,100})/gi],
  ['facebook', /\/\/(?:[a-z]{1,3}\.)?facebook\.com\/([\w.%-]{1,100})/gi],
  ['twitter', /\/\/(?:www\.|mobile\.)?(?:twitter|x)\.com\/@?(\w{1,15})(?![\w.])/gi],
]

/** Pages of the networks themselves. */
const nobodies =
  /^(?:sharer(?:\.php)?|share|dialog|plugins|tr|pages|groups|events|profile\.php|login(?:\.php)?|help|policies|privacy|legal|intent|home|hashtag|search|i|tos|v\d[\d.]*|en_us)$/i

function profilesIn(html: string): SocialProfilesV1 {
  const profiles: Partial<Record<Network, { handle: string }>> = {}
  for (const [network, pattern] of links) {
    for (const [, handle = ''] of html.matchAll(pattern)) {
      if (nobodies.test(handle)) continue
      profiles[network] = { handle }
      break
    }
  }
  return profiles
}

import { parse } from 'tldts'
import { isPublicName } from './public-url.js'

/** As long as a URL may be that somebody types; the name in it is bounded by what a name server takes. */
const textCharsMax = 2_048

/**
 * The root domain that is meant by a domain, a URL or an e-mail address, in lower-case ASCII: `example.co.uk`
 * by `https://Shop.Example.co.uk:8443/x`, by `EXAMPLE.co.uk.` and by `mailto:jane@mail.example.co.uk` (interface:
 * "v3 domain intelligence"). Names that a host lets to its customers (`acme.github.io`) are root domains of
 * their own; the host's own name (`github.io`) is one too. Null where no such name can be meant: an IP
 * address in any spelling, a single label, a bare suffix (`co.uk`), names that are kept from the internet.
 */
export function domainNameOf(text: string): string | null {
  if (text.length > textCharsMax) return null
  const host = asciiHostOf(hostIn(text.trim()))
  if (host === null || !isPublicName(host)) return null
  const options = { extractHostname: false, detectIp: false }
  const domain =
    parse(host, { ...options, allowPrivateDomains: true }).domain ??
    parse(host, { ...options, allowPrivateDomains: false }).domain
  return domain !== null && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?\./.test(domain) ? domain : null
}

/** What stands where the host does: scheme, user, port, path and the rest taken off. */
function hostIn(text: string): string {
  const address = text.replace(/^mailto:/i, '').replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\//i, '')
  const authority = /^[^/?#\\]*/.exec(address)?.[0] ?? ''
  // Several addresses in one line mean no one name.
  if (authority.includes(',')) return ''
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d{0,5}$/, '')
    .replace(/\.$/, '')
}

/** As name servers know it (UTS 46), or null where it cannot be a name. */
function asciiHostOf(host: string): string | null {
  // What a URL would take for something else than a part of its host, or leave out.
  if (!/^[^\s\p{Cc}:/?#[\]@\\<>|^"'`{};]+$/u.test(host) || !URL.canParse(`http://${host}`)) return null
  return new URL(`http://${host}`).hostname
}

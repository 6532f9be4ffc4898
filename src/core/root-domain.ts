import { parse } from 'tldts'

/**
 * The registrable domain in a domain, a URL or an e-mail address, in lower-case ASCII: "example.co.uk" of
 * "https://Shop.Example.co.uk/x". Null where there is none: an IP address, a bare suffix, any other text.
 * Names that a host lets to its customers ("acme.github.io") are domains of their own.
 */
export function rootDomainOf(text: string): string | null {
  const { domain } = parse(text.trim(), { allowPrivateDomains: true })
  return domain === null ? null : asciiOf(domain)
}

function asciiOf(domain: string): string | null {
  try {
    const { hostname } = new URL(`http://${domain}`)
    return hostname === '' ? null : hostname
  } catch {
    return null
  }
}

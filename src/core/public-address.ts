import ipaddr from 'ipaddr.js'

/**
 * Whether an address leads somewhere on the internet: false for private, loopback, link-local, multicast,
 * documentation and otherwise reserved ones, for what is no address, and for IPv6 that has an IPv4 address
 * inside (mapped, NAT64, 6to4, Teredo), which could be any of these.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast)
}

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** `10.0.0.1` and `[fe80::1]`, as a URL's host is spelled once it is parsed. */
export function isAddressLiteral(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname)
}

/** A name that is nobody's own network's: at least two labels, and no ending that is kept from the internet. */
export function isPublicName(hostname: string): boolean {
  const labels = hostname.toLowerCase().split('.')
  return (
    hostname.length <= nameCharsMax &&
    labels.length >= 2 &&
    labels.every((label) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '') &&
    !keptNames.test(hostname)
  )
}

const nameCharsMax = 253
const keptNames =
  /\.(local|localhost|localdomain|internal|intranet|private|lan|home|corp|test|invalid|onion|alt)$|\.home\.arpa$/i

import { isLoopback } from './base-url.js'
import { UserError } from './errors.js'

const urlCharsMax = 2_000

/**
 * The address that deliveries are sent to, as the interface wants it ("webhook_url requirements"): https, a
 * public host, port 443 or above 1024, no user and no password. The service checks it again, by its
 * addresses too; what can be seen here is refused before anything is submitted. A service on this machine
 * (`isLocalService`) may deliver to this machine, http too: for rehearsals. Throws WEBHOOK_URL_INVALID; the
 * message never repeats what was given.
 */
export function parseWebhookUrl(text: string, isLocalService = false): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || text.length > urlCharsMax) {
    throw invalid(`the webhook URL is not an address of at most ${urlCharsMax} characters`)
  }
  if (url.username !== '' || url.password !== '') throw invalid('the webhook URL holds a user or a password')
  if (url.hash !== '') throw invalid('the webhook URL holds a fragment, which is never sent')
  const isOnThisMachine = isLoopback(url.hostname)
  if (isLocalService && isOnThisMachine && /^https?:$/.test(url.protocol)) return url.href
  if (url.protocol !== 'https:') throw invalid('the webhook URL is not https')
  // 443 is the default of https: the parser leaves it out.
  if (url.port !== '' && Number(url.port) <= 1024) {
    throw invalid('the port of the webhook URL is neither 443 nor above 1024')
  }
  if (isOnThisMachine || !isPublicHost(url.hostname)) {
    throw invalid('the host of the webhook URL is not public: the service cannot reach it')
  }
  return url.href
}

/** Names that are none on the internet, and addresses that lead nowhere on it. */
function isPublicHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (host.startsWith('[')) return isPublicIpv6(host.slice(1, -1))
  const parts = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host)
  if (parts !== null) return isPublicIpv4(Number(parts[1]), Number(parts[2]))
  return (
    host.includes('.') &&
    !/\.(local|localhost|internal|intranet|lan|home|corp|test|invalid)$|\.home\.arpa$/.test(host)
  )
}

function isPublicIpv4(first: number, second: number): boolean {
  if (first === 0 || first === 10 || first === 127 || first >= 224) return false
  if (first === 100) return second < 64 || second > 127
  if (first === 169) return second !== 254
  if (first === 172) return second < 16 || second > 31
  if (first === 192) return second !== 168
  if (first === 198) return second !== 18 && second !== 19
  return true
}

/** Global unicast alone; an IPv4 address inside it is not looked for there. */
function isPublicIpv6(address: string): boolean {
  return /^[23]/.test(address) && !address.startsWith('2001:db8:') && !address.startsWith('2002:')
}

function invalid(message: string): UserError {
  return new UserError('WEBHOOK_URL_INVALID', message, {
    hint: 'a public https address that leads to --webhook-listen, like https://hooks.example.com/enrich',
  })
}

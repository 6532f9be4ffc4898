import { UserError } from './errors.js'

/**
 * The base address of a service, without a trailing slash. https, or http to this machine alone: the key
 * would cross the network in the clear. Throws BASE_URL_INVALID; the message never repeats what was given,
 * since people paste keys into URLs.
 */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw invalid('the base URL is not an http(s) address', 'for example https://api.example.com')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw invalid(
      'the base URL holds more than scheme, host, port and path',
      'the key goes into ENRICH_API_KEY',
    )
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw invalid(
      'the base URL is http and not on this machine',
      'use https: the API key is sent in a header',
    )
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

function invalid(message: string, hint: string): UserError {
  return new UserError('BASE_URL_INVALID', message, { hint })
}

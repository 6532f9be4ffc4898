import type { DomainResult, WebsiteStatus } from '../../../contract/domain.js'
import { toRootDomain } from '../../../core/domain-name.js'
import { systemClock, type Clock, withTimeout } from '../../../platform/clock.js'
import { limits } from '../../limits.js'
import { checkAddress, systemResolver, type HostResolver } from '../../../platform/outbound/address-guard.js'
import { createConnect, createPinnedClient, type Connect } from '../../../platform/outbound/pinned-connect.js'
import type { SocialProfilesV1 } from '../../../contract/earlier-versions.js'

interface SiteFacts {
  readonly hasContent: boolean
  /** The description for search engines, from the head of the page. */
  readonly description: string | null
  readonly profiles: SocialProfilesV1
}

const descriptionCharsMax = 1_000

/**
 * Extracts facts from a page or its beginning by patterns, because the HTML may be broken. The first link to a
 * profile in each network counts; share buttons are ignored.
 */
export function extractFacts(html: string): SiteFacts {
  return { hasContent: /\S/.test(html), description: findDescription(html), profiles: findProfiles(html) }
}

function findDescription(html: string): string | null {
  for (const [tag] of html.matchAll(/<meta\b[^<>]{1,4000}>/gi)) {
    if (!/\b(?:name|property)\s*=\s*["']?(?:og:)?description\b/i.test(tag)) continue
    const [, quoted, single] = /\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag) ?? []
    const text = decodeText(quoted ?? single ?? '')
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

function decodeText(text: string): string {
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

/** The part of an address that names a profile, by network. */
const links: readonly [network: Network, pattern: RegExp][] = [
  ['crunchbase', /\/\/(?:www\.)?crunchbase\.com\/organization\/([\w.%-]{1,100})/gi],
  ['linkedin', /\/\/(?:[a-z]{2,3}\.)?linkedin\.com\/(?:company|school|showcase)\/([\w.%-]{1,100})/gi],
  ['facebook', /\/\/(?:[a-z]{1,3}\.)?facebook\.com\/([\w.%-]{1,100})/gi],
  ['twitter', /\/\/(?:www\.|mobile\.)?(?:twitter|x)\.com\/@?(\w{1,15})(?![\w.])/gi],
]

/** Names used for pages of the networks themselves. */
const reservedNames =
  /^(?:sharer(?:\.php)?|share|dialog|plugins|tr|pages|groups|events|profile\.php|login(?:\.php)?|help|policies|privacy|legal|intent|home|hashtag|search|i|tos|v\d[\d.]*|en_us)$/i

function findProfiles(html: string): SocialProfilesV1 {
  const profiles: Partial<Record<Network, { handle: string }>> = {}
  for (const [network, pattern] of links) {
    for (const [, handle = ''] of html.matchAll(pattern)) {
      if (reservedNames.test(handle)) continue
      profiles[network] = { handle }
      break
    }
  }
  return profiles
}

/** The outcome of a visit to the front page of a domain. */
export interface SiteVisit {
  readonly status: WebsiteStatus
  /** The last address within the domain that answered. */
  readonly url: string | null
  /** The target of a redirect out of the domain; `statusCode` is that of the redirect. */
  readonly redirect: { readonly finalDomain: string; readonly statusCode: number } | null
  /** Facts of the page within the domain; `null` if there was none. */
  readonly facts: SiteFacts | null
}

/** Never throws: a failure is a fact about the domain. */
export type WebsiteCheck = (domain: string, signal: AbortSignal) => Promise<SiteVisit>

interface Deps {
  readonly resolve: HostResolver
  readonly connect: Connect
  readonly clock: Clock
}

/**
 * Creates a check that requests `/` over https, and over http if no server answers. It connects only to public
 * addresses, after redirects too; it limits the number of redirects, the bytes read and the total time.
 */
export function createWebsiteCheck(deps: Deps): WebsiteCheck {
  const { clock } = deps
  return (domain, signal) =>
    withTimeout({ clock, msMax: limits.websiteMsMax, signals: [signal] }, async (limited) => {
      const visit = await follow(`https://${domain}/`, domain, { ...deps, signal: limited })
      const { is_webserver_responsive: isResponsive, is_resolvable: isResolvable } = visit.status
      if (isResponsive === true || isResolvable !== true || limited.aborted) return visit
      return follow(`http://${domain}/`, domain, { ...deps, signal: limited })
    })
}

/** Creates a check that uses the internet and the system's name servers. */
export function createSystemWebsiteCheck(): WebsiteCheck {
  return createWebsiteCheck({ resolve: systemResolver, connect: createConnect(), clock: systemClock })
}

interface VisitDeps extends Deps {
  readonly signal: AbortSignal
}

async function follow(start: string, domain: string, trip: VisitDeps): Promise<SiteVisit> {
  let visit = createEmptyVisit(trip.clock.nowMs())
  let address: URL | null = new URL(start)
  for (let hop = 0; address !== null; hop++) {
    if (hop > limits.websiteRedirectsMax) {
      return withStatus(visit, { failure_reason: `more than ${limits.websiteRedirectsMax} redirects` })
    }
    const page = await getPage(address, trip)
    if (page.kind === 'unanswered') {
      const { isResolvable, reason } = page
      // If only a redirect leads nowhere, the first answer remains valid.
      return withStatus(visit, {
        failure_reason: reason,
        ...(hop === 0 ? { is_resolvable: isResolvable } : {}),
      })
    }
    visit = addPage(visit, address, page, domain)
    const next = parseLocation(address, page)
    if (next.kind === 'refused') return withStatus(visit, { failure_reason: next.reason })
    if (next.kind === 'elsewhere') visit = addRedirect(visit, domain, next.url, page.statusCode)
    address = next.kind === 'elsewhere' ? next.url : null
  }
  return visit
}

function createEmptyVisit(nowMs: number): SiteVisit {
  return {
    status: {
      status: null,
      is_resolvable: null,
      is_webserver_responsive: false,
      has_content: false,
      failure_reason: null,
      last_checked: new Date(nowMs).toISOString(),
    },
    url: null,
    redirect: null,
    facts: null,
  }
}

const withStatus = (visit: SiteVisit, parts: Partial<WebsiteStatus>): SiteVisit => ({
  ...visit,
  status: { ...visit.status, ...parts },
})

function addPage(visit: SiteVisit, address: URL, page: Page, domain: string): SiteVisit {
  const facts = extractFacts(page.text)
  const status = {
    ...visit.status,
    status: page.statusCode,
    is_resolvable: true,
    is_webserver_responsive: true,
    has_content: facts.hasContent,
  }
  if (toRootDomain(address.hostname) !== domain) return { ...visit, status }
  return { ...visit, status, url: address.href, facts }
}

function addRedirect(visit: SiteVisit, domain: string, to: URL, statusCode: number): SiteVisit {
  const finalDomain = toRootDomain(to.hostname)
  if (finalDomain === null) return visit
  // A redirect that returns to the domain does not count.
  if (finalDomain === domain) return { ...visit, redirect: null }
  return { ...visit, redirect: { finalDomain, statusCode: visit.redirect?.statusCode ?? statusCode } }
}

interface Page {
  readonly kind: 'page'
  readonly statusCode: number
  readonly location: string | null
  readonly text: string
}

type Fetched = Page | { readonly kind: 'unanswered'; readonly isResolvable: boolean; readonly reason: string }

type Next =
  | { readonly kind: 'here' }
  | { readonly kind: 'elsewhere'; readonly url: URL }
  | { readonly kind: 'refused'; readonly reason: string }

const redirectStatuses = [301, 302, 303, 307, 308]

function parseLocation(address: URL, { statusCode, location }: Page): Next {
  if (!redirectStatuses.includes(statusCode) || location === null) return { kind: 'here' }
  const url = URL.canParse(location, address.href) ? new URL(location, address) : null
  // Only the default ports of browsers: other ports are not websites, and may belong to another service.
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && ['', '80', '443'].includes(url.port)
  return isWeb
    ? { kind: 'elsewhere', url }
    : { kind: 'refused', reason: 'it redirects to an address that is not a website' }
}

async function getPage(url: URL, { resolve, connect, signal }: VisitDeps): Promise<Fetched> {
  let isResolvable = false
  const watchResolution: HostResolver = async (hostname, aborted) => {
    const addresses = await resolve(hostname, aborted)
    isResolvable = addresses.length > 0
    return addresses
  }
  const check = await checkAddress(url.hostname, watchResolution, signal)
  if (check.kind === 'refused') return { kind: 'unanswered', isResolvable, reason: check.reason }
  const client = createPinnedClient(url, check.addresses, connect, signal)
  try {
    const headers = { accept: 'text/html', 'accept-encoding': 'identity', 'user-agent': userAgent }
    const reply = await client.request({ method: 'GET', path: url.pathname + url.search, headers, signal })
    const { location } = reply.headers
    return {
      kind: 'page',
      statusCode: reply.statusCode,
      location: typeof location === 'string' ? location : null,
      text: await readBeginning(reply.body as AsyncIterable<Buffer>),
    }
  } catch (error) {
    return {
      kind: 'unanswered',
      isResolvable,
      reason: signal.aborted ? 'no answer in time' : getErrorCode(error),
    }
  } finally {
    // Discards whatever the server still sends.
    client.destroy().catch(() => undefined)
  }
}

const userAgent = 'enrich-website-check/1'

/** Reads the beginning of a body, also of one that breaks off. */
async function readBeginning(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let byteCount = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      byteCount += chunk.length
      if (byteCount >= limits.websiteBodyBytesMax) break
    }
  } catch {
    // The status has arrived, which is enough.
  }
  return Buffer.concat(chunks).subarray(0, limits.websiteBodyBytesMax).toString('utf8')
}

/** Returns a code of Node.js or undici instead of the message, which may contain addresses. */
function getErrorCode(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return code ?? 'no answer'
}

const permanentStatuses = [301, 308]

/** Present only if the domain redirects to another. */
export function buildRedirectPart(
  domain: string,
  redirect: SiteVisit['redirect'],
): Pick<DomainResult, 'redirect_info'> {
  if (redirect === null) return {}
  const { finalDomain, statusCode } = redirect
  return {
    redirect_info: {
      is_redirect: true,
      original_domain: domain,
      final_domain: finalDomain,
      redirect_status_code: statusCode,
      redirect_type: permanentStatuses.includes(statusCode) ? 'permanent' : 'temporary',
    },
  }
}

import { at, toBoolean, toList, toObject, toText } from '../core/json.js'
import { readError, type Exchange } from '../core/http-exchange.js'
import { type Candidate, type CandidateSource, candidatesMax, toRecordCandidate } from '../core/decisions.js'
import { readRateHeaders } from '../core/pacing.js'
import type { FullServiceClient } from '../client/client.js'
import type { Clock } from '../platform/clock.js'
import { createPace } from '../platform/pace.js'
import { rateLimits, fieldLimits } from '../contract/limits.js'
import type { Lookup } from '../core/lookup-identity.js'
import { UserError } from '../core/errors.js'

const textCharsMax = 500

const text = (value: unknown, ...keys: string[]): string | null => {
  const found = toText(at(value, ...keys), textCharsMax)
  return found === null || found.trim() === '' ? null : found
}

/**
 * The result of a search (interface: "Search result (v2)"): the companies in the order of the service, without
 * duplicates. A result without a company is a registration. `retryMs`: the pause that the service requests.
 */
export type SearchVerdict =
  | { readonly kind: 'found'; readonly candidates: readonly Candidate[] }
  | {
      readonly kind: 'refused'
      readonly reason: string
      readonly hint: string
      readonly retryMs: number | null
    }

/** Pause after a 429 without a reset time. */
const rateLimitedMs = 15_000

export function judgeSearch(exchange: Exchange, nowMs: number): SearchVerdict {
  if (exchange.kind === 'no_reply')
    return createRefusal(exchange.reason, 'check that the service can be reached, and try again')
  const { status, body, headers, bodyFault } = exchange
  if (status >= 200 && status < 300) {
    const results = at(body, 'results')
    return Array.isArray(results)
      ? { kind: 'found', candidates: removeDuplicates(toList(results).flatMap(toCandidates)) }
      : createRefusal(bodyFault ?? 'the response contains no results', otherServiceHint)
  }
  const { type, message } = readError(body)
  const reason = [`HTTP ${status}`, type, message].filter((part) => part !== null && part !== '').join(': ')
  if (status === 429) {
    const retryMs = readRateHeaders(headers, nowMs).resetMs ?? rateLimitedMs
    return { ...createRefusal(reason, formatWaitHint(retryMs)), retryMs }
  }
  return createRefusal(reason, getHint(status))
}

const createRefusal = (reason: string, hint: string) =>
  ({ kind: 'refused', reason, hint, retryMs: null }) as const

const formatWaitHint = (retryMs: number): string =>
  `the service is rate limiting: try again in ${Math.max(1, Math.ceil(retryMs / 1000))} s`

const otherServiceHint = 'check that the base URL is that of the service'
const [unfitText, noSearch] = [
  'the service does not accept this search text: use another one',
  'the service has no search at this base URL',
]
/** Hints by the status of the reply. */
const hints: Readonly<Record<number, string | undefined>> = {
  400: unfitText,
  401: 'check ENRICH_API_KEY',
  402: 'the balance of the account is exhausted',
  403: 'the account is not enabled for searches',
  404: noSearch,
  405: noSearch,
  410: noSearch,
  422: unfitText,
}
const redirectHint = 'redirects are not followed: set the base URL to the redirect target'

const getHint = (status: number): string =>
  hints[status] ?? (status < 400 ? redirectHint : 'try again in a moment')

const ofBranch = 'most likely a branch, or a foreign qualification'

function toCandidates(result: unknown): Candidate[] {
  if (toObject(result) === null) return []
  const country = text(result, 'jurisdiction', 'country')
  const isBranch = toBoolean(at(result, 'is_branch')) === true
  return [
    {
      entityId: text(result, 'entity_id'),
      legalEntityId: text(result, 'id'),
      name: text(result, 'name'),
      legalName: null,
      otherNames: [],
      status: text(result, 'status'),
      place: country,
      countryCode: text(result, 'jurisdiction', 'country_code'),
      jurisdiction: text(result, 'jurisdiction', 'jurisdiction_code'),
      identifiers: [],
      confidence: null,
      evidence: isBranch ? [{ label: 'kind of registration', text: ofBranch, weight: null }] : [],
      url: null,
    },
  ]
}

/** Keeps the first registration of each company; the service lists companies before registrations without one. */
function removeDuplicates(candidates: readonly Candidate[]): Candidate[] {
  const ids = candidates.map(({ entityId, legalEntityId }) => entityId ?? legalEntityId)
  return candidates.filter((_, at) => ids[at] === null || ids.indexOf(ids[at] ?? null) === at)
}

/** Result of reading the record of a company; `company` is null if the service has none with that id. */
type CompanyVerdict =
  { readonly kind: 'found'; readonly company: Candidate | null } | Extract<SearchVerdict, { kind: 'refused' }>

/** Statuses for an unknown or invalid id. */
const unknownIdStatuses: ReadonlySet<number> = new Set([400, 404, 410, 422])

/** Judges `GET /v3/entities/{id}` (interface: "v3 entity record"); the record of a merged id is that of the new id. */
export function judgeCompany(exchange: Exchange, nowMs: number): CompanyVerdict {
  if (exchange.kind === 'reply') {
    if (unknownIdStatuses.has(exchange.status)) return { kind: 'found', company: null }
    const company = exchange.status >= 200 && exchange.status < 300 ? toRecordCandidate(exchange.body) : null
    if (company !== null) return { kind: 'found', company }
  }
  const verdict = judgeSearch(exchange, nowMs)
  if (verdict.kind === 'refused') return verdict
  return createRefusal('the response contains no company', otherServiceHint)
}

interface HostedCandidatesDeps {
  readonly client: Pick<FullServiceClient, 'calls'>
  readonly clock: Clock
  readonly windowMs: number
}

/**
 * Candidates of a hosted service, from `GET /v2/search`, requested when a lookup is shown. The interface states no rate
 * limit for it, so the lowest stated limit and the response headers apply.
 */
export function createHostedCandidates({ client, clock, windowMs }: HostedCandidatesDeps): CandidateSource {
  const pace = createPace(clock, rateLimits.entityReadsPerMinute, windowMs)
  let refusedUntilMs = -Infinity
  const requestCandidates = async (ask: () => Promise<Exchange>, signal: AbortSignal) => {
    const pausedMs = refusedUntilMs - clock.monotonicMs()
    if (pausedMs > 0) throw createUnavailable('it was asked too often', formatWaitHint(pausedMs))
    await pace.waitForTurn(signal)
    signal.throwIfAborted()
    const exchange = await ask()
    if (exchange.kind === 'reply') pace.follow(readRateHeaders(exchange.headers, clock.nowMs()))
    return exchange
  }
  const createRefused = ({ retryMs, reason, hint }: Extract<SearchVerdict, { kind: 'refused' }>) => {
    if (retryMs !== null) refusedUntilMs = clock.monotonicMs() + retryMs
    return createUnavailable(reason, hint)
  }
  const search = async (text: string, countryCode: string | null, signal = never) => {
    signal.throwIfAborted()
    // The interface accepts no shorter names, so no request is sent.
    if (Array.from(text).length < fieldLimits.nameCharsMin) return []
    const country = countryCode === null ? {} : { country_code: countryCode }
    const query = { name: text, limit: String(fieldLimits.searchResultsMax), ...country }
    const verdict = judgeSearch(
      await requestCandidates(() => client.calls.search({ query }), signal),
      clock.nowMs(),
    )
    if (verdict.kind === 'found') return verdict.candidates
    throw createRefused(verdict)
  }
  const company = async (entityId: string, signal = never) => {
    signal.throwIfAborted()
    const read = () => client.calls.readEntity({ params: { id: entityId }, query: {} })
    const verdict = judgeCompany(await requestCandidates(read, signal), clock.nowMs())
    if (verdict.kind === 'found') return verdict.company
    throw createRefused(verdict)
  }
  return {
    isEager: false,
    findCandidates: async ({ name, location }: Lookup, signal) => {
      // Imported here, because loading the lists of countries and regions is slow.
      const { readIdentifiers } = await import('../core/numbers/stated-identifiers.js')
      const { name: asked } = readIdentifiers(name)
      if (asked === null) return []
      const { findCertainCountry } = await import('../registry/normalize/places.js')
      const found = await search(asked, findCertainCountry(location), signal)
      return found.slice(0, candidatesMax)
    },
    search,
    company,
  }
}

export const never: AbortSignal = new AbortController().signal

export const createUnavailable = (reason: string, hint: string, cause?: unknown) =>
  new UserError('CANDIDATES_UNAVAILABLE', `the service returned no candidates: ${reason}`, { hint, cause })

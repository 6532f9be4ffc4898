import type { WholeClient } from '../client/client.js'
import { fieldLimits, rateLimits } from '../contract/limits.js'
import { errorText } from '../core/error-text.js'
import { UserError } from '../core/errors.js'
import type { Exchange } from '../core/exchange.js'
import type { Lookup } from '../core/identity.js'
import { readIdentifiers } from '../core/stated-identifiers.js'
import { candidatesMax, type CandidateSource } from '../pipeline/rules/candidate.js'
import { readRateHeaders } from '../pipeline/rules/pacing.js'
import { judgeCompany } from '../pipeline/rules/company-record.js'
import { judgeSearch, waitHint, type SearchVerdict } from '../pipeline/rules/search-candidates.js'
import { createPace } from '../pipeline/scheduler/pace.js'
import type { Clock } from '../platform/clock.js'
import type { Registry } from '../registry/registry.js'
import type { MatcherPool } from './matcher-pool.js'

const never = new AbortController().signal

/** Candidates of the embedded service: its matcher has them beside each answer. */
export function embeddedCandidates(
  matchers: Pick<MatcherPool, 'candidates'>,
  registry: Pick<Registry, 'searchCompanies' | 'company'>,
): CandidateSource {
  const explained = async <Found>(work: () => Promise<Found>, signal = never) => {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      throw error instanceof UserError ? error : unavailable(errorText(error), 'try again in a moment', error)
    }
  }
  return {
    isEager: true,
    candidatesOf: ({ name, location, context }, signal) =>
      explained(() => matchers.candidates({ name, location, context }), signal),
    search: (text, countryCode, signal) => {
      const limit = fieldLimits.searchResultsMax
      const country = countryCode === null ? {} : { countryCode }
      return explained(
        () => Promise.resolve(registry.searchCompanies({ name: text, limit, ...country })),
        signal,
      )
    },
    company: (entityId, signal) => explained(() => Promise.resolve(registry.company(entityId)), signal),
  }
}

export interface HostedCandidatesDeps {
  readonly client: Pick<WholeClient, 'calls'>
  readonly clock: Clock
  readonly windowMs: number
}

/**
 * Candidates of a hosted service: `GET /v2/search`, when somebody looks at a lookup. The interface states no limit for
 * it: it is kept to the lowest of those that it states, and to what the service's headers say.
 */
export function hostedCandidates({ client, clock, windowMs }: HostedCandidatesDeps): CandidateSource {
  const pace = createPace(clock, rateLimits.entityReadsPerMinute, windowMs)
  let refusedUntilMs = -Infinity
  const asked = async (ask: () => Promise<Exchange>, signal: AbortSignal) => {
    const pausedMs = refusedUntilMs - clock.monotonicMs()
    if (pausedMs > 0) throw unavailable('it was asked too often', waitHint(pausedMs))
    await pace.turn(signal)
    signal.throwIfAborted()
    const exchange = await ask()
    if (exchange.kind === 'reply') pace.follow(readRateHeaders(exchange.headers, clock.nowMs()))
    return exchange
  }
  const refused = ({ retryMs, reason, hint }: Extract<SearchVerdict, { kind: 'refused' }>) => {
    if (retryMs !== null) refusedUntilMs = clock.monotonicMs() + retryMs
    return unavailable(reason, hint)
  }
  const search = async (text: string, countryCode: string | null, signal = never) => {
    signal.throwIfAborted()
    // Nothing can be asked by less; and nobody is to wait for the end of a pause before the page answers.
    if (Array.from(text).length < fieldLimits.nameCharsMin) return []
    const country = countryCode === null ? {} : { country_code: countryCode }
    const query = { name: text, limit: String(fieldLimits.searchResultsMax), ...country }
    const verdict = judgeSearch(await asked(() => client.calls.search({ query }), signal), clock.nowMs())
    if (verdict.kind === 'found') return verdict.candidates
    throw refused(verdict)
  }
  const company = async (entityId: string, signal = never) => {
    signal.throwIfAborted()
    const read = () => client.calls.readEntity({ params: { id: entityId }, query: {} })
    const verdict = judgeCompany(await asked(read, signal), clock.nowMs())
    if (verdict.kind === 'found') return verdict.company
    throw refused(verdict)
  }
  return {
    isEager: false,
    candidatesOf: async ({ name, location }: Lookup, signal) => {
      const { name: asked } = readIdentifiers(name)
      if (asked === null) return []
      // Loaded when it is needed: the lists of countries and regions take longer than all else of a start.
      const { certainCountry } = await import('./certain-country.js')
      const found = await search(asked, certainCountry(location), signal)
      return found.slice(0, candidatesMax)
    },
    search,
    company,
  }
}

const unavailable = (reason: string, hint: string, cause?: unknown) =>
  new UserError('CANDIDATES_UNAVAILABLE', `the service gives no candidates: ${reason}`, { hint, cause })

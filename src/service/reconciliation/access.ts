import type { FastifyReply, FastifyRequest } from 'fastify'
import { apiKeyHeader } from '../../contract/limits.js'
import { andThen, type Awaitable, type Deferrable } from '../../core/awaitable.js'
import { UserError } from '../../core/errors.js'
import { isLoopback } from '../../core/server-addresses.js'
import type { Clock } from '../../platform/clock.js'
import { authenticate, type Caller, type Callers } from '../accounts/accounts.js'
import { takeOne, type RateWindow } from '../accounts/rate-limiter.js'
import { limits } from '../limits.js'
import { rateLimitExceeded } from '../refusal.js'

/** Who may ask: whoever is on this machine, or who shows a key. */
export type ReconciliationAccess = 'local' | 'key'

/**
 * A client like OpenRefine sends no key. Who listens on this machine alone need ask for none; beyond it a key is asked
 * for, which a proxy can add. Throws USAGE_INVALID where all the world would be let in.
 */
export function settleAccess(asked: ReconciliationAccess | null, host: string): ReconciliationAccess {
  const isLocal = isLoopback(host.includes(':') ? `[${host}]` : host)
  if (asked === 'local' && !isLocal) {
    throw new UserError(
      'USAGE_INVALID',
      `reconciliation without a key is for this machine alone, and the service listens on ${host}`,
      { hint: 'leave out "local": callers then show a key, which a proxy can add' },
    )
  }
  return asked ?? (isLocal ? 'local' : 'key')
}

interface GateDeps {
  readonly access: ReconciliationAccess
  readonly callers: Deferrable<Callers>
  /** Null lifts the limit a minute. */
  readonly clock: Clock | null
}

/** Lets a request in, or throws 401 or 429. `isOpen`: the manifest, which says how to ask. */
export type Gate = (request: FastifyRequest, isOpen: boolean) => Awaitable<void>

/**
 * A key that is sent has to be one, also where none is needed. Each key has a minute of its own on each path; all without
 * one share theirs.
 */
export function createGate({ access, callers, clock }: GateDeps): Gate {
  const windows = new Map<string, RateWindow>()
  return ({ headers, routeOptions: { url = '' } }, isOpen) => {
    const key = headers[apiKeyHeader]
    const needsKey = access === 'key' && !isOpen
    const count = (caller: Caller | null): void => {
      if (clock === null) return
      const holder = `${url} ${caller?.keyHash ?? ''}`
      const taken = takeOne(windows.get(holder), limits.reconciliation.requestsPerMinute, clock.nowMs())
      if (!taken.allowed)
        throw rateLimitExceeded(taken.resetSeconds, { 'retry-after': String(taken.resetSeconds) })
      windows.set(holder, taken.window)
    }
    return andThen(needsKey || key !== undefined ? authenticate(callers, key) : null, count)
  }
}

/**
 * Pages that may call are of this machine or named by the operator: others are refused before this. CORS is uniform for
 * all of the service (v0.2, "Cross-Origin Access"), refusals included.
 */
export function allowOrigin({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
  reply.header('vary', 'origin')
  if (origin !== undefined) reply.header('access-control-allow-origin', origin)
}

export const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': `content-type, ${apiKeyHeader}`,
  'access-control-max-age': '600',
} as const

import type { FastifyReply, FastifyRequest } from 'fastify'
import { apiKeyHeader } from '../../contract/limits.js'
import { applyWhenReady, type Awaitable, type Deferrable } from '../../core/awaitable.js'
import { UserError } from '../../core/errors.js'
import { isLoopback } from '../../core/server-addresses.js'
import type { Clock } from '../../platform/clock.js'
import { authenticate, type Caller, type Callers } from '../accounts/accounts.js'
import { countRequest, type RateWindow } from '../accounts/rate-limiter.js'
import { limits } from '../limits.js'
import { rateLimitExceeded } from '../refusal.js'

/** Access to reconciliation: any caller on this machine, or callers with a key. */
export type ReconciliationAccess = 'local' | 'key'

/**
 * Returns the access to use. Clients like OpenRefine send no key: a service that listens only on this machine needs
 * none by default, others require one, which a proxy can add. Throws USAGE_INVALID if other machines would need no
 * key.
 */
export function settleAccess(asked: ReconciliationAccess | null, host: string): ReconciliationAccess {
  const isLocal = isLoopback(host.includes(':') ? `[${host}]` : host)
  if (asked === 'local' && !isLocal) {
    throw new UserError(
      'USAGE_INVALID',
      `reconciliation without a key is only for this machine, but the service listens on ${host}`,
      { hint: 'remove "local": callers must then send a key, which a proxy can add' },
    )
  }
  return asked ?? (isLocal ? 'local' : 'key')
}

interface GateDeps {
  readonly access: ReconciliationAccess
  readonly callers: Deferrable<Callers>
  /** `null` disables the limit per minute. */
  readonly clock: Clock | null
}

/** Admits a request, or throws 401 or 429. `isOpen` marks the manifest, which needs no key. */
export type Gate = (request: FastifyRequest, isOpen: boolean) => Awaitable<void>

/**
 * Creates the gate. A key that is sent must be valid, even if none is needed. Each key has its own limit per minute
 * on each path; callers without a key share one.
 */
export function createGate({ access, callers, clock }: GateDeps): Gate {
  const windows = new Map<string, RateWindow>()
  return ({ headers, routeOptions: { url = '' } }, isOpen) => {
    const key = headers[apiKeyHeader]
    const needsKey = access === 'key' && !isOpen
    const count = (caller: Caller | null): void => {
      if (clock === null) return
      const holder = `${url} ${caller?.keyHash ?? ''}`
      const taken = countRequest(windows.get(holder), limits.reconciliation.requestsPerMinute, clock.nowMs())
      if (!taken.allowed)
        throw rateLimitExceeded(taken.resetSeconds, { 'retry-after': String(taken.resetSeconds) })
      windows.set(holder, taken.window)
    }
    return applyWhenReady(needsKey || key !== undefined ? authenticate(callers, key) : null, count)
  }
}

/**
 * Adds the CORS headers to a reply. Only pages of this machine and origins named by the operator get here; others are
 * refused earlier. CORS is the same for all of the service (v0.2, "Cross-Origin Access"), including refusals.
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

import { routes, type Route, type RouteLimit, type RouteName } from '../../contract/routes.js'
import type { Clock } from '../../platform/clock.js'
import type { Caller } from '../accounts/accounts.js'
import { takeOne, type RateDecision, type RateWindow } from './rate-window.js'

/** A budget for each route and key, or account where its keys share it (interface: "Limits"). */
export interface RateLimiter {
  /** Null where no limit holds. */
  take(caller: Caller, route: RouteName): RateDecision | null
}

export const unlimited: RateLimiter = { take: () => null }

/** At most one window a key and route is kept: the memory is bounded by the number of keys. */
export function createRateLimiter(clock: Clock): RateLimiter {
  const windows = new Map<string, RateWindow>()
  return {
    take: (caller, name) => {
      const limit = limitOf(routes[name])
      if (limit === null) return null
      const holder = limit.per === 'key' ? caller.keyHash : String(caller.accountNumber)
      const key = `${name} ${holder}`
      const decision = takeOne(windows.get(key), limit.perMinute, clock.nowMs())
      windows.set(key, decision.window)
      return decision
    },
  }
}

function limitOf(route: Route): RouteLimit | null {
  return route.limit
}

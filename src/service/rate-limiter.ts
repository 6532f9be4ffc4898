import { routes, type Route, type RouteName } from '../contract/routes.js'
import type { Clock } from '../platform/clock.js'
import type { Caller } from './accounts.js'
import { takeOne, type RateDecision, type RateWindow } from './rate-window.js'

/** A budget for each key on each route; two keys of one account do not share (interface: "Limits"). */
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
      const perMinute = perMinuteOf(routes[name])
      if (perMinute === null) return null
      const key = `${name} ${caller.keyHash}`
      const decision = takeOne(windows.get(key), perMinute, clock.nowMs())
      windows.set(key, decision.window)
      return decision
    },
  }
}

function perMinuteOf(route: Route): number | null {
  return route.perMinute
}

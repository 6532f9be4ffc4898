import { routes, type Route, type RouteLimit, type RouteName } from '../../../contract/routes.js'
import type { Clock } from '../../../platform/clock.js'
import type { Caller } from '../accounts.js'
import { minuteOf, takeOne, type RateDecision } from './rate-window.js'
import { forgetfulStore, type WindowStore } from './window-store.js'

/** A budget for each route and key, or account where its keys share it (interface: "Limits"). */
export interface RateLimiter {
  /** Null where no limit holds. What is counted is kept before this returns. */
  take(caller: Caller, route: RouteName): RateDecision | null
}

export const unlimited: RateLimiter = { take: () => null }

/** One window a key and route that called in this minute. */
export function createRateLimiter(clock: Clock, store: WindowStore = forgetfulStore): RateLimiter {
  let minute = minuteOf(clock.nowMs())
  let windows = store.load(minute)
  return {
    take: (caller, name) => {
      const limit = limitOf(routes[name])
      if (limit === null) return null
      const nowMs = clock.nowMs()
      if (minuteOf(nowMs) !== minute) {
        minute = minuteOf(nowMs)
        windows = new Map()
      }
      const holder = limit.per === 'key' ? caller.keyHash : String(caller.accountNumber)
      const key = `${name} ${holder}`
      const decision = takeOne(windows.get(key), limit.perMinute, nowMs)
      if (decision.allowed) {
        windows.set(key, decision.window)
        store.save(key, decision.window)
      }
      return decision
    },
  }
}

function limitOf(route: Route): RouteLimit | null {
  return route.limit
}

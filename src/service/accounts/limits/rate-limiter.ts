import { routes, type Route, type RouteLimit, type RouteName } from '../../../contract/routes.js'
import type { Awaitable } from '../../../core/awaitable.js'
import type { Clock } from '../../../platform/clock.js'
import type { Caller } from '../accounts.js'
import { forgetfulStore, type RateWindow, type WindowStore } from './window-store.js'

/** A budget for each route and key, or account where its keys share it (interface: "Limits"). */
export interface RateLimiter {
  /** Null where no limit holds. What is counted is kept before this answers. */
  take(caller: Caller, route: RouteName): Awaitable<RateDecision | null>
}

export const unlimited: RateLimiter = { take: () => null }

/** One window a key and route that called in this minute. */
export function createRateLimiter(clock: Clock, store: WindowStore = forgetfulStore): RateLimiter {
  let minute = minuteOf(clock.nowMs())
  let windows = store.load(minute)
  return {
    take: (caller, name) => {
      const limit = limitOf(name)
      if (limit === null) return null
      const nowMs = clock.nowMs()
      if (minuteOf(nowMs) !== minute) {
        minute = minuteOf(nowMs)
        windows = new Map()
      }
      const key = windowKey(caller, name, limit)
      const decision = takeOne(windows.get(key), limit.perMinute, nowMs)
      if (decision.allowed) {
        windows.set(key, decision.window)
        store.save(key, decision.window)
      }
      return decision
    },
  }
}

export function limitOf(name: RouteName): RouteLimit | null {
  const route: Route = routes[name]
  return route.limit
}

/** Whose window it is: the key's, or the account's where its keys share it. */
export const windowKey = (caller: Caller, name: RouteName, { per }: RouteLimit): string =>
  `${name} ${per === 'key' ? caller.keyHash : String(caller.accountNumber)}`

const windowMs = 60_000

export interface RateDecision {
  readonly allowed: boolean
  readonly remainingCount: number
  /** Whole seconds to the end of the window, 1 to 60. */
  readonly resetSeconds: number
}

const minuteOf = (nowMs: number): number => Math.floor(nowMs / windowMs)

/**
 * Counts one request against a fixed window of a calendar minute (interface: "Limits"; the text leaves the
 * kind of window open). A refused request takes nothing from the budget.
 */
export function takeOne(
  window: RateWindow | undefined,
  perMinute: number,
  nowMs: number,
): RateDecision & { readonly window: RateWindow } {
  const minute = minuteOf(nowMs)
  const usedCount = window?.minute === minute ? window.usedCount : 0
  const allowed = usedCount < perMinute
  const usedAfterCount = allowed ? usedCount + 1 : usedCount
  return {
    allowed,
    window: { minute, usedCount: usedAfterCount },
    remainingCount: perMinute - usedAfterCount,
    resetSeconds: Math.ceil(((minute + 1) * windowMs - nowMs) / 1_000),
  }
}

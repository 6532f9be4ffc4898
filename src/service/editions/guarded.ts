import { errorTypes } from '../../contract/errors.js'
import type { RouteName } from '../../contract/routes.js'
import type { Awaitable } from '../../core/awaitable.js'
import type { Handlers } from '../http/mount.js'
import type { Knowledge } from '../knowledge.js'
import { Refusal } from '../refusal.js'
import type { EditionGuard } from './edition-guard.js'

type Guard = Pick<EditionGuard, 'problem'>

/** These answer what is stored, whatever is known now. */
const alwaysAnswered: readonly RouteName[] = ['pollRun', 'pollJob', 'pollResolution', 'report']

/** Handlers that refuse with 503, before anything is done, while there is a problem. */
export function guardedHandlers(handlers: Handlers, guard: Guard): Handlers {
  const guarded = Object.entries(handlers).map(([name, handler]) => {
    if (alwaysAnswered.includes(name as RouteName)) return [name, handler] as const
    const call = (asked: never) => {
      assertOpen(guard)
      return (handler as (asked: never) => unknown)(asked)
    }
    return [name, call] as const
  })
  return Object.fromEntries(guarded) as unknown as Handlers
}

/** For callers beside the interface: what finds companies refuses in the same way. */
export function guardedKnowledge(knowledge: Knowledge, guard: Guard): Knowledge {
  const guarded =
    <Args extends unknown[], Result>(ask: (...args: Args) => Result) =>
    (...args: Args): Result => {
      assertOpen(guard)
      return ask(...args)
    }
  return {
    ...knowledge,
    search: guarded((request) => knowledge.search(request)),
    likelyCompanies: guarded((query, countMax) => knowledge.likelyCompanies(query, countMax)),
    suggest: guarded((prefix, countMax) => knowledge.suggest(prefix, countMax)),
    entity: guarded((id) => knowledge.entity(id)),
  }
}

/** A store of due work that gives out none while there is a problem: other replicas take it. */
export function guardedDue<Due extends { due(nowMs: number, countMax: number): Awaitable<unknown[]> }>(
  store: Due,
  guard: Guard,
): Due {
  const due = ((nowMs, countMax) =>
    guard.problem() === null ? store.due(nowMs, countMax) : []) as Due['due']
  return { ...store, due }
}

function assertOpen(guard: Guard): void {
  const problem = guard.problem()
  if (problem === null) return
  throw new Refusal(503, errorTypes.apiError, problem, { headers: { 'retry-after': '5' } })
}

import { createHash } from 'node:crypto'
import { getErrorText, UserError } from '../core/errors.js'
import type { Clock } from '../platform/clock.js'
import { DueWorkLoop } from '../platform/due-work-loop.js'
import { ConnectionLostError, type Postgres } from '../platform/postgres/postgres.js'
import { limits } from './limits.js'
import { errorTypes } from '../contract/errors.js'
import type { RouteName } from '../contract/routes.js'
import type { Awaitable } from '../platform/sql-program.js'
import type { Handlers } from './http/mount.js'
import type { Knowledge } from './knowledge.js'
import { Refusal } from './refusal.js'

/** Ensures that all replicas of a service answer from the same edition of the knowledge. */
export interface EditionGuard {
  /** Returns the reason why this replica accepts no new work, or `null`. Cheap: every request calls it. */
  problem(): string | null
  stop(): Promise<void>
}

/** The guard of a service without other replicas. */
export const unguarded: EditionGuard = { problem: () => null, stop: () => Promise.resolve() }

export interface EditionGuardDeps {
  readonly postgres: Postgres
  /** Returns the edition that this replica answers from. */
  readonly edition: () => string
  /** The edition that this one replaces; `null` for none. */
  readonly replaces: string | null
  readonly clock: Clock
  readonly log: (line: string) => void
  /** Interval between reads of the served edition, and the time for which a read is valid. */
  readonly times?: { readonly lookMs: number; readonly lifeMs: number }
}

const usualTimes = { lookMs: limits.editionLookMs, lifeMs: limits.editionLifeMs }

/** Returns the edition of the knowledge: of the registry and, if present, the lists of domains. */
export function calculateServedEdition(registryEdition: string | null, listsHash: string | null): string {
  const registry = registryEdition ?? 'none'
  if (listsHash === null) return registry
  return createHash('sha256').update(`${registry} ${listsHash}`).digest('hex').slice(0, 16)
}

/** `ageMs`: time since it became the served edition. */
type ServedEdition = Readonly<{ edition: string; ageMs: number }>

/**
 * Opens the guard. The first replica sets the edition that all answer from. One with another edition gets
 * SERVICE_EDITION_DIFFERS, unless it replaces exactly the served edition. Then it waits until the other replicas
 * accept no new work: they have read the new edition, or can no longer read the served one. Resolves when this
 * replica may answer.
 */
export async function openEditionGuard(deps: EditionGuardDeps): Promise<EditionGuard> {
  const { postgres, clock, times: { lookMs, lifeMs } = usualTimes } = deps
  const own = deps.edition()
  const settledAtMs = clock.monotonicMs()
  const served = await setServedEdition(postgres, own, deps.replaces)
  if (served.edition !== own) throw createEditionDiffersError(own, served.edition)
  const waitMs = lifeMs + lookMs - served.ageMs
  if (waitMs > 0) {
    const reason = 'waiting until replicas of the previous edition have ended their work'
    deps.log(`the service changes to edition ${own}: ${reason}`)
    await clock.sleep(waitMs)
  }
  return watch(deps, waitMs > 0 ? clock.monotonicMs() : settledAtMs)
}

async function setServedEdition(
  postgres: Postgres,
  own: string,
  replaces: string | null,
): Promise<ServedEdition> {
  await postgres.query(
    'INSERT INTO enrich_service.served_edition (edition) VALUES ($1) ON CONFLICT DO NOTHING',
    [own],
  )
  if (replaces !== null) {
    await postgres.query(
      `UPDATE enrich_service.served_edition SET edition = $1, since = clock_timestamp()
       WHERE edition = $2 AND edition <> $1`,
      [own, replaces],
    )
  }
  const served = await readServed(postgres)
  if (served === null) throw new Error('the served edition is missing in the database')
  return served
}

async function readServed(postgres: Postgres): Promise<ServedEdition | null> {
  const [served] = await postgres.query<ServedEdition>(
    `SELECT edition, least(extract(epoch FROM clock_timestamp() - greatest(since, '1970-01-01')) * 1000, 1e12)::float8
       AS "ageMs" FROM enrich_service.served_edition`,
  )
  return served ?? null
}

function watch(deps: EditionGuardDeps, fromMs: number): EditionGuard {
  const { postgres, edition, clock, log, times: { lookMs, lifeMs } = usualTimes } = deps
  let served: string | null = edition()
  let seenAtMs = fromMs
  let nextLookAtMs = -Infinity
  let said: string | null = null
  const problem = (): string | null => {
    const own = edition()
    if (served !== own) return describeChangedEdition(own, served ?? 'none')
    const isSeen = clock.monotonicMs() - seenAtMs < lifeMs
    return isSeen ? null : 'the served edition cannot be checked: the database does not answer'
  }
  const loop = new DueWorkLoop({
    clock,
    takeUp: async () => {
      nextLookAtMs = clock.nowMs() + lookMs
      // Taken before the query is sent: the result is at least as recent.
      const sentAtMs = clock.monotonicMs()
      const found = await readServed(postgres)
      served = found?.edition ?? null
      seenAtMs = sentAtMs
      const now = problem()
      if (now !== said) log(now ?? 'this replica answers from the served edition again')
      said = now
    },
    nextDueAtMs: () => nextLookAtMs,
    idleMsMax: lookMs,
    retryMs: lookMs,
    onFailure: (error) => {
      // The connection monitor logs once that the database is unreachable.
      if (!(error instanceof ConnectionLostError))
        log(`the served edition cannot be read: ${getErrorText(error)}`)
    },
  })
  return { problem, stop: () => loop.stop() }
}

const describeChangedEdition = (own: string, served: string) =>
  `this replica answers from edition ${own}, but the service from ${served}: it accepts no new work until it is ` +
  'restarted with that edition'

const createEditionDiffersError = (own: string, served: string) =>
  new UserError(
    'SERVICE_EDITION_DIFFERS',
    `this registry is edition ${own}, but the service on this database answers from ${served}`,
    {
      hint: `start it with the registry of the other replicas; to change all replicas to this edition, pass --replace-edition ${served}`,
    },
  )

type Guard = Pick<EditionGuard, 'problem'>

/** Routes that only return stored data, independent of the edition. */
const alwaysAnswered: readonly RouteName[] = ['pollRun', 'pollJob', 'pollResolution', 'report']

/** Returns handlers that answer 503, before doing anything, while there is a problem. */
export function guardHandlers(handlers: Handlers, guard: Guard): Handlers {
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

/**
 * Returns knowledge that refuses answers while the editions of replicas differ. For callers outside the interface:
 * searches are refused in the same way.
 */
export function guardKnowledge(knowledge: Knowledge, guard: Guard): Knowledge {
  const guardCall =
    <Args extends unknown[], Result>(ask: (...args: Args) => Result) =>
    (...args: Args): Result => {
      assertOpen(guard)
      return ask(...args)
    }
  return {
    ...knowledge,
    search: guardCall((request) => knowledge.search(request)),
    likelyCompanies: guardCall((query, countMax) => knowledge.likelyCompanies(query, countMax)),
    suggest: guardCall((prefix, countMax) => knowledge.suggest(prefix, countMax)),
    entity: guardCall((id) => knowledge.entity(id)),
  }
}

/** Returns a store that hands out no due work while there is a problem, so that other replicas take it. */
export function guardDueWork<Due extends { due(nowMs: number, countMax: number): Awaitable<unknown[]> }>(
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

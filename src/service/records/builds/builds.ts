import type { RunId } from '../../../contract/ids.js'
import { andThen, type Awaitable, type Deferrable } from '../../../core/awaitable.js'
import type { Clock } from '../../../platform/clock.js'
import type { Random } from '../../../platform/random.js'
import type { OutboxWakes } from '../../deliveries/outbox.js'
import {
  stepOnDemand,
  stepOnRequest,
  type BuildKind,
  type BuildWaiter,
  type Compiler,
  type StoredBuild,
} from './build.js'
import { isWaitedFor, runObjectOf } from './build-events.js'
import type { AnyBuildStore, AskedBuild } from './build-store.js'
import { startBuilder } from './builder.js'

export interface BuildsDeps {
  readonly store: AnyBuildStore
  readonly clock: Clock
  readonly random: Random
  /** How long a build takes, evenly spread. */
  readonly buildMs: { readonly min: number; readonly max: number }
  readonly compilers: Readonly<Record<BuildKind, Compiler>>
  /** What is known now, by name; another name makes what was built before old. Cheap: every read asks it. */
  readonly edition: () => string | null
  /** Woken after the commit of what the store added. */
  readonly outbox: Pick<OutboxWakes, 'wake'>
  /** How often it is looked for what other processes began, or left; Infinity where there are none. */
  readonly lookEveryMs?: number
  readonly log: (line: string) => void
  /** Whether requests are coming in, which wait for the thread. */
  readonly isBusy: () => boolean
}

interface Asked {
  readonly waiter?: BuildWaiter | null
  /** Whose unit the first build of this subject is; every later one is free. */
  readonly chargedAccountNumber?: number | null
}

/**
 * What is compiled on first demand: exactly one build a subject at a time, however many callers ask.
 * Everything that these calls acknowledge is durable when they return, and goes on after a restart.
 */
export interface Builds {
  /** Never starts anything. */
  read(kind: BuildKind, subject: string): StoredBuild | null
  /**
   * What a read does: starts the first build, one some time after a failure, and a refresh of what is old. A
   * waiter is taken where the build goes on, and gets its event in the transaction that ends it.
   */
  demand(kind: BuildKind, subject: string, asked?: Asked): StoredBuild
  /** A build is under way when this returns: a new one, a refresh of what is complete, or the one that was. */
  start(kind: BuildKind, subject: string, waiter?: BuildWaiter): StoredBuild
  /** The run object of a waiter as JSON text; undefined for another account's, or an unknown one. */
  runObject(
    accountNumber: number,
    runId: RunId,
  ): { readonly isPending: boolean; readonly text: string } | undefined
  /** Resolves when nothing is being built and nothing will be. */
  stop(): Promise<void>
}

export function createBuilds(deps: BuildsDeps): Deferrable<Builds> & Pick<Builds, 'stop'> {
  const { clock, random, buildMs, edition, outbox, store } = deps
  const ask = (
    kind: BuildKind,
    subject: string,
    stepOf: AskedBuild['stepOf'],
    { waiter = null, chargedAccountNumber = null }: Asked,
  ): Awaitable<StoredBuild> => {
    const takesMs = Math.round(buildMs.min + random.fraction() * (buildMs.max - buildMs.min))
    const asked = { kind, subject, stepOf, takesMs, waiter, isWaitedFor, chargedAccountNumber }
    return andThen(store.ask(asked), ({ build, hasBegun }) => {
      outbox.wake()
      if (hasBegun) builder.expect(clock.nowMs() + takesMs)
      return build
    })
  }
  const builder = startBuilder({
    ...deps,
    dueAtMsMax: clock.nowMs() + buildMs.max,
    onEnded: outbox.wake,
  })
  return {
    read: (kind, subject) => store.read(kind, subject),
    demand: (kind, subject, asked = {}) =>
      ask(kind, subject, (build, nowMs) => stepOnDemand(build, edition(), nowMs), asked),
    start: (kind, subject, waiter) => ask(kind, subject, stepOnRequest, { waiter: waiter ?? null }),
    runObject: (accountNumber, runId) =>
      andThen(store.objectOf(accountNumber, runId), (object) => {
        if (object === undefined) return undefined
        return { isPending: object === null, text: object ?? runObjectOf(runId, 'PENDING', null) }
      }),
    stop: () => builder.stop(),
  }
}

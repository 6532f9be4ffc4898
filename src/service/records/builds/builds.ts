import type { RunId } from '../../../contract/ids.js'
import type { Clock } from '../../../platform/clock.js'
import type { Random } from '../../../platform/random.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import {
  stepOnDemand,
  stepOnRequest,
  type BuildKind,
  type BuildState,
  type BuildStep,
  type BuildWaiter,
  type Compiler,
  type EventData,
  type StoredBuild,
} from './build.js'
import { createBuildStore, type BuildStore, type EndedBuild } from './build-store.js'
import { startBuilder } from './builder.js'
import type { Outbox } from '../../deliveries/outbox.js'

export interface BuildsDeps {
  readonly database: Sqlite
  readonly clock: Clock
  readonly random: Random
  /** How long a build takes, evenly spread. */
  readonly buildMs: { readonly min: number; readonly max: number }
  readonly compilers: Readonly<Record<BuildKind, Compiler>>
  readonly eventData: Readonly<Record<'entity' | 'domain', EventData>>
  /** What is known now, by name; another name makes what was built before old. Cheap: every read asks it. */
  readonly edition: () => string | null
  /** Events are added in the transaction that ends their build, and woken after it. */
  readonly outbox: Pick<Outbox, 'add' | 'wake'>
  readonly log: (line: string) => void
  /** Whether requests are coming in, which wait for the thread. */
  readonly isBusy: () => boolean
}

interface Asked {
  readonly waiter?: BuildWaiter | null
  /** Whose unit the first build of this subject is; every later one is free. */
  readonly chargedAccountNumber?: number
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

/** In which states of a build a call gets its event at the end; that of a failed one is written at once. */
const eventStates: Readonly<Record<BuildKind, readonly BuildState[]>> = {
  entity: ['building'],
  domain: ['building', 'failed'],
  hierarchy: [],
}

export function createBuilds(deps: BuildsDeps): Builds {
  const { database, clock, random, buildMs, edition, outbox } = deps
  const store = createBuildStore(database)
  const eventWriter = createEventWriter(store, deps)
  store.bringForward(clock.nowMs() + buildMs.max)
  const charge = database.prepare(
    "INSERT INTO ledger (account_number, run_number, kind, units, created_at_ms) VALUES (?, NULL, 'charge', 1, ?)",
  )

  const ask = database.transaction(
    (kind: BuildKind, subject: string, stepOf: (build: StoredBuild | null) => BuildStep, asked: Asked) => {
      const nowMs = clock.nowMs()
      const known = store.read(kind, subject)
      const step = stepOf(known)
      const dueAtMs = nowMs + Math.round(buildMs.min + random.fraction() * (buildMs.max - buildMs.min))
      const build =
        step === 'none' && known !== null
          ? known
          : store.begin({
              kind,
              subject,
              step: step === 'refresh' ? step : 'build',
              startedAtMs: nowMs,
              dueAtMs,
            })
      if (known === null && asked.chargedAccountNumber !== undefined) {
        charge.run(asked.chargedAccountNumber, nowMs)
      }
      if (asked.waiter && eventStates[kind].includes(build.state)) {
        store.addWaiter(build, asked.waiter, nowMs)
        if (build.state === 'failed') eventWriter.writeAll(build, nowMs)
      }
      return build
    },
  )
  const begin = (...parts: Parameters<typeof ask>) => {
    const build = ask.immediate(...parts)
    outbox.wake()
    builder.expect(build.dueAtMs)
    return build
  }
  const end = database.transaction((ended: readonly EndedBuild[], atMs: number) => {
    for (const one of ended) {
      const build = store.end(one, atMs)
      if (build !== null) eventWriter.writeAll(build, atMs)
    }
  })
  const builder = startBuilder({
    ...deps,
    store,
    end: (ended, atMs) => {
      end.immediate(ended, atMs)
      outbox.wake()
    },
  })

  return {
    read: (kind, subject) => store.read(kind, subject),
    demand: (kind, subject, asked = {}) =>
      begin(kind, subject, (build) => stepOnDemand(build, edition(), clock.nowMs()), asked),
    start: (kind, subject, waiter) => begin(kind, subject, stepOnRequest, { waiter: waiter ?? null }),
    runObject: (accountNumber, runId) => {
      const object = store.objectOf(accountNumber, runId)
      if (object === undefined) return undefined
      return { isPending: object === null, text: object ?? runObjectOf(runId, 'PENDING', null) }
    },
    stop: () => builder.stop(),
  }
}

function runObjectOf(runId: RunId, status: 'PENDING' | 'COMPLETED' | 'FAILED', data: object | null): string {
  return JSON.stringify({ run_id: runId, status, data })
}

/** Writes the event of every open waiter of a build that has ended. */
function createEventWriter(
  store: BuildStore,
  { eventData, outbox }: Pick<BuildsDeps, 'eventData' | 'outbox'>,
) {
  const eventNames = { entity: 'entity', domain: 'domain_intelligence' } as const
  return {
    writeAll: (build: StoredBuild, atMs: number) => {
      const { kind } = build
      if (kind === 'hierarchy') return
      const isFailed = build.state === 'failed'
      for (const waiter of store.waitersOf(build)) {
        const data = eventData[kind](build, waiter)
        const object = runObjectOf(waiter.runId, isFailed ? 'FAILED' : 'COMPLETED', data)
        store.settleWaiter(waiter, object)
        const { accountNumber, webhookUrl, runId } = waiter
        const type = `${eventNames[kind]}.${isFailed ? 'failed' : 'completed'}` as const
        outbox.add({ accountNumber, type, webhookUrl, runId, customId: null, object, createdAtMs: atMs })
      }
    },
  }
}

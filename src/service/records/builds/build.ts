import type { BuildMetadata } from '../../../contract/earlier-versions.js'
import type { CallId, RunId } from '../../../contract/enums.js'
import { limits } from '../../limits.js'
import type { NewEvent } from '../../deliveries/outbox.js'

/** Kinds of records built on first demand, for all accounts. The subject is an entity id or a domain. */
export type BuildKind = 'entity' | 'domain' | 'hierarchy'

/** A failed refresh leaves the build `complete` with its earlier result (interface: "Entity data build"). */
export type BuildState = 'building' | 'refreshing' | 'complete' | 'failed'

export interface StoredBuild {
  readonly buildNumber: number
  /** The account that requested it last; 0 if unknown. Research takes turns among accounts. */
  readonly accountNumber: number
  readonly kind: BuildKind
  readonly subject: string
  readonly state: BuildState
  readonly startedAtMs: number
  readonly dueAtMs: number
  /** Time of the last end, successful or not. */
  readonly finishedAtMs: number | null
  /** Time at which `result` was made. */
  readonly updatedAtMs: number | null
  /** The compiler's result as JSON text; `null` if none yet. */
  readonly result: string | null
  /** The reason for the last failure, in words for the caller; `null` after a success. */
  readonly failure: string | null
  /** Edition of the knowledge at the last end; `null` if it has none. */
  readonly edition: string | null
}

/** A call that requested an event at the end of a build. */
export interface BuildWaiter {
  readonly accountNumber: number
  /** New for each call; the object of its event is polled by it. */
  readonly runId: RunId
  readonly callId: CallId
  /** Checked when the request was received. */
  readonly webhookUrl: string
}

/**
 * A failure in words for the caller, stored as the build's `failure`. Any other error of a compiler is reported as an
 * internal error, and its message is only logged.
 */
export class BuildFailure extends Error {
  override readonly name = 'BuildFailure'
}

export type BuildOutcome =
  { readonly ok: true; readonly result: string } | { readonly ok: false; readonly failure: string }

/** The step to take when a build is requested. */
export type BuildStep = 'none' | 'build' | 'refresh'

/** The step of a read: builds a new subject, retries some time after a failure, refreshes an old record. */
export function stepOnDemand(build: StoredBuild | null, edition: string | null, nowMs: number): BuildStep {
  if (build === null) return 'build'
  const restedMs = nowMs - (build.finishedAtMs ?? nowMs)
  switch (build.state) {
    case 'building':
    case 'refreshing':
      return 'none'
    case 'failed':
      return restedMs >= limits.buildRetryMs ? 'build' : 'none'
    case 'complete':
      return build.edition !== edition || restedMs >= limits.recordMsMax ? 'refresh' : 'none'
  }
}

/** Returns the step of a request for research: starts it again unless it is in progress. */
export function stepOnRequest(build: StoredBuild | null): BuildStep {
  if (build === null || build.state === 'failed') return 'build'
  return build.state === 'complete' ? 'refresh' : 'none'
}

export const isUnderWay = ({ state }: StoredBuild): boolean => state === 'building' || state === 'refreshing'

/** Returns the `metadata` in the envelope of a build. */
export function toBuildMetadata(build: StoredBuild): BuildMetadata {
  return {
    last_updated: toIsoTime(build.updatedAtMs),
    processing_started_at: toIsoTime(build.startedAtMs),
    estimated_completion: isUnderWay(build) ? toIsoTime(build.dueAtMs) : null,
  }
}

export function toIsoTime(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString()
}

/**
 * Builds the result of a subject as JSON text. An error ends the build as failed; only the message of a
 * `BuildFailure` is shown to the caller. The signal is aborted when the service closes; the build then runs again
 * after the next start.
 */
export type Compiler = (subject: string, signal: AbortSignal) => string | Promise<string>

/** Returns `data.object.data` for the event of an ended build. */
export type EventData = (build: StoredBuild, waiter: BuildWaiter) => object

/** Returns the event for a waiter of an ended build, and the object that polls of its run return. */
export type WaiterEnding = (
  build: StoredBuild,
  waiter: BuildWaiter,
  atMs: number,
) => { readonly object: string; readonly event: NewEvent }

/** States of a build in which a call gets an event at the end; that of a failed build is written at once. */
const eventStates: Readonly<Record<BuildKind, readonly BuildState[]>> = {
  entity: ['building'],
  domain: ['building', 'failed'],
  hierarchy: [],
}

export const isWaitedFor = ({ kind, state }: StoredBuild): boolean => eventStates[kind].includes(state)

const eventNames = { entity: 'entity', domain: 'domain_intelligence' } as const

export function createWaiterEndings(
  eventData: Readonly<Record<'entity' | 'domain', EventData>>,
): WaiterEnding {
  return (build, waiter, atMs) => {
    const { kind } = build
    if (kind === 'hierarchy') throw new Error('a hierarchy has no waiters')
    const isFailed = build.state === 'failed'
    const data = eventData[kind](build, waiter)
    const object = formatRunObject(waiter.runId, isFailed ? 'FAILED' : 'COMPLETED', data)
    const { accountNumber, webhookUrl, runId } = waiter
    const type = `${eventNames[kind]}.${isFailed ? 'failed' : 'completed'}` as const
    const event = { accountNumber, type, webhookUrl, runId, customId: null, object, createdAtMs: atMs }
    return { object, event }
  }
}

/** Returns the run object as JSON text, as the poll of the run shows it. */
export function formatRunObject(
  runId: RunId,
  status: 'PENDING' | 'COMPLETED' | 'FAILED',
  data: object | null,
): string {
  return JSON.stringify({ run_id: runId, status, data })
}

/** Returns compilers that fail as a plan of faults says. */
export function withFailures(
  compilers: Readonly<Record<BuildKind, Compiler>>,
  isFailing: (kind: BuildKind) => boolean,
): Readonly<Record<BuildKind, Compiler>> {
  const withFailure =
    (kind: BuildKind): Compiler =>
    (subject, signal) => {
      if (isFailing(kind)) throw new BuildFailure('failed by the plan of faults')
      return compilers[kind](subject, signal)
    }
  return { entity: withFailure('entity'), domain: withFailure('domain'), hierarchy: withFailure('hierarchy') }
}

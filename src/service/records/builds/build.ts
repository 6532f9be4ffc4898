import type { BuildMetadata } from '../../../contract/earlier-versions.js'
import type { CallId, RunId } from '../../../contract/ids.js'
import { limits } from '../../limits.js'
import type { NewEvent } from '../../deliveries/outbox.js'

/** What is made on first demand, for all accounts alike. The subject is an entity id or a domain. */
export type BuildKind = 'entity' | 'domain' | 'hierarchy'

/**
 * `failed` has no result: one that was refreshing when it failed is `complete` again, with the result it had
 * (interface: "Entity data build").
 */
export type BuildState = 'building' | 'refreshing' | 'complete' | 'failed'

export interface StoredBuild {
  readonly buildNumber: number
  readonly kind: BuildKind
  readonly subject: string
  readonly state: BuildState
  readonly startedAtMs: number
  readonly dueAtMs: number
  /** The last end, good or bad. */
  readonly finishedAtMs: number | null
  /** When `result` was made. */
  readonly updatedAtMs: number | null
  /** JSON text, what the compiler made; null while there is none. */
  readonly result: string | null
  /** Why the last end was bad, in words for the caller; null after a good one. */
  readonly failure: string | null
  /** The edition of the knowledge at the last end; null where it has none. */
  readonly edition: string | null
}

/** A call that wants an event at the end of a build. */
export interface BuildWaiter {
  readonly accountNumber: number
  /** New for each call; the object of its event is polled by it. */
  readonly runId: RunId
  readonly callId: CallId
  /** Checked before. */
  readonly webhookUrl: string
}

/**
 * Why there is no result, in words for the caller: it becomes the build's `failure`. Anything else that a
 * compiler throws is reported as an internal error, and its own words go to the log alone.
 */
export class BuildFailure extends Error {
  override readonly name = 'BuildFailure'
}

/** The end of a build. */
export type BuildOutcome =
  { readonly ok: true; readonly result: string } | { readonly ok: false; readonly failure: string }

/** What there is to do about a build that somebody asks for. */
export type BuildStep = 'none' | 'build' | 'refresh'

/**
 * What a read does: it builds what there is none of, tries again some time after a failure, and refreshes what
 * is old or was made of another edition of the knowledge.
 */
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

/** What a request for research does: whatever is not under way begins anew. */
export function stepOnRequest(build: StoredBuild | null): BuildStep {
  if (build === null || build.state === 'failed') return 'build'
  return build.state === 'complete' ? 'refresh' : 'none'
}

/** `metadata` of the envelopes of a build. */
export function buildMetadataOf(build: StoredBuild): BuildMetadata {
  const isUnderWay = build.state === 'building' || build.state === 'refreshing'
  return {
    last_updated: isoOf(build.updatedAtMs),
    processing_started_at: isoOf(build.startedAtMs),
    estimated_completion: isUnderWay ? isoOf(build.dueAtMs) : null,
  }
}

export function isoOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString()
}

/**
 * Makes the result of a subject, JSON text. What it throws ends the build as failed; the message of a
 * `BuildFailure` is shown to the caller. Aborted when the service closes: the build is then made again after the
 * next start.
 */
export type Compiler = (subject: string, signal: AbortSignal) => string | Promise<string>

/** What the event of a build that has ended holds in `data.object.data`. */
export type EventData = (build: StoredBuild, waiter: BuildWaiter) => object

/** What is written for a waiter of a build that has ended: its object stays to be polled. */
export type WaiterEnding = (
  build: StoredBuild,
  waiter: BuildWaiter,
  atMs: number,
) => { readonly object: string; readonly event: NewEvent }

/** In which states of a build a call gets its event at the end; that of a failed one is written at once. */
const eventStates: Readonly<Record<BuildKind, readonly BuildState[]>> = {
  entity: ['building'],
  domain: ['building', 'failed'],
  hierarchy: [],
}

export const isWaitedFor = ({ kind, state }: StoredBuild): boolean => eventStates[kind].includes(state)

const eventNames = { entity: 'entity', domain: 'domain_intelligence' } as const

export function waiterEndings(eventData: Readonly<Record<'entity' | 'domain', EventData>>): WaiterEnding {
  return (build, waiter, atMs) => {
    const { kind } = build
    if (kind === 'hierarchy') throw new Error('nobody waits for a hierarchy')
    const isFailed = build.state === 'failed'
    const data = eventData[kind](build, waiter)
    const object = runObjectOf(waiter.runId, isFailed ? 'FAILED' : 'COMPLETED', data)
    const { accountNumber, webhookUrl, runId } = waiter
    const type = `${eventNames[kind]}.${isFailed ? 'failed' : 'completed'}` as const
    const event = { accountNumber, type, webhookUrl, runId, customId: null, object, createdAtMs: atMs }
    return { object, event }
  }
}

/** JSON text, as the poll of the run shows it. */
export function runObjectOf(
  runId: RunId,
  status: 'PENDING' | 'COMPLETED' | 'FAILED',
  data: object | null,
): string {
  return JSON.stringify({ run_id: runId, status, data })
}

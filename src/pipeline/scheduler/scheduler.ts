import type { ServiceClient } from '../../client/client.js'
import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import { WakeSignal } from '../../platform/wake-signal.js'
import type { Checkpoint } from '../checkpoint/checkpoint.js'
import type { Inbox } from '../inbox/inbox.js'
import type { ServerErrorMeaning } from '../rules/outcome.js'
import type { PollingPace } from '../rules/polling.js'
import type { Stop } from '../rules/stop.js'
import { deliveryMsMax } from '../rules/webhook-fallback.js'
import { AnswerRecorder } from './answer-recorder.js'
import type { Backlog } from './backlog.js'
import { createPace, type Pace } from './pace.js'
import { Poller } from './poller.js'
import type { RunCounter } from './run-counter.js'
import { Stopping } from './stopping.js'
import { Submitter } from './submitter.js'
import { WebhookAddress } from './webhook-address.js'
import { WebhookIngestor } from './webhook-ingestor.js'

export interface SchedulerLimits {
  /** Requests a window; null is no limit (the embedded service). */
  submissionsPerWindow: number | null
  pollsPerWindow: number | null
  windowMs: number
  /** Runs that wait for an answer at one time. */
  inFlightRunsMax: number
  submitConcurrency: number
}

/** What the user chooses, or the service says. */
export interface SchedulingOptions {
  limits: SchedulerLimits
  polling: PollingPace
  serverErrorMeans: ServerErrorMeaning
  /** Submissions of the job, over all its processes; reserved before they leave. */
  lookupsMax: number | null
  durationMsMax: number | null
}

export interface SchedulerDeps extends SchedulingOptions {
  checkpoint: Checkpoint
  client: ServiceClient
  clock: Clock
  random: Random
  backlog: Backlog
  /** Whether the service holds its answers to the contract of this version; false if left out. */
  answersAreChecked?: boolean
  /**
   * Where the deliveries of this checkpoint wait, what is rung when this process receives one, and the address that
   * each submission bears, if any.
   */
  webhooks?: { url: string | null; inbox: Inbox; received: WakeSignal }
  /** Aborted: the user asked to stop. */
  interrupt: AbortSignal
  /** Gets what happens; nothing is read back from it. */
  counter: RunCounter
}

/**
 * Submits what is new and polls what runs, until every wanted lookup has its answer, is parked, or the run is
 * stopped; null is "nothing is left to wait for". Throws only for bugs and for a checkpoint that cannot be written.
 */
export async function runUntilAnswered(deps: SchedulerDeps): Promise<Stop | null> {
  const stopping = new Stopping()
  const interrupt = () => {
    stopping.stop({ kind: 'interrupted' })
  }
  deps.interrupt.addEventListener('abort', interrupt, { once: true })
  if (deps.interrupt.aborted) interrupt()
  const ended = new AbortController()
  const { clock, durationMsMax } = deps
  const timer = durationMsMax === null ? null : stopAfter(durationMsMax, clock, stopping, ended.signal)
  try {
    const { submitter, poller, ingestor } = await connectParts(deps, stopping)
    poller.takeOver(await deps.checkpoint.openRuns())
    // A failure of one (the disk is full, say) ends the other before it is thrown: nothing goes on unseen.
    const submitting = submitter.run().then(() => ingestor?.lostAreOver())
    const parts = [
      submitting.finally(poller.noMoreRuns),
      poller.run().finally(ingestor?.end),
      ingestor?.run() ?? Promise.resolve(),
    ]
    const all = parts.map((part) =>
      part.catch((error: unknown) => {
        stopping.stop({ kind: 'interrupted' })
        throw error
      }),
    )
    for (const part of await Promise.allSettled(all)) if (part.status === 'rejected') throw part.reason
    return stopping.reason
  } finally {
    deps.interrupt.removeEventListener('abort', interrupt)
    ended.abort()
    await timer
  }
}

interface Parts {
  submitter: Submitter
  poller: Poller
  /** Null without webhooks. */
  ingestor: WebhookIngestor | null
}

/** Each part gets what it uses, and no more; what two of them share is made first and handed to both. */
async function connectParts(deps: SchedulerDeps, stopping: Stopping): Promise<Parts> {
  const { checkpoint, client, clock, random, limits, polling, backlog, counter } = deps
  const { answersAreChecked = false } = deps
  const { submitPace, pollPace } = await openPaces(deps)
  const address = new WebhookAddress(deps.webhooks?.url ?? null, counter)
  const submitterSignal = new WakeSignal(clock)
  const stopSignal = stopping.polling
  const recorder = new AnswerRecorder({
    ...{ checkpoint, client, clock, pace: pollPace, stopSignal, counter },
    answersAreChecked,
  })
  const poller = new Poller({
    checkpoint,
    client,
    clock,
    random,
    polling,
    submissionsPerWindow: limits.submissionsPerWindow,
    windowMs: limits.windowMs,
    pace: pollPace,
    stopping,
    recorder,
    backlog,
    address,
    roomSignal: submitterSignal,
    counter,
  })
  let ingestor: WebhookIngestor | null = null
  if (deps.webhooks !== undefined) {
    const { inbox, received } = deps.webhooks
    const shared = { checkpoint, clock, polling, stopSignal, counter }
    ingestor = new WebhookIngestor({ ...shared, inbox, received, poller, recorder })
    if (address.isInUse) await expectLost(ingestor, deps)
  }
  const submitter = new Submitter({
    checkpoint,
    client,
    clock,
    random,
    submitConcurrency: limits.submitConcurrency,
    inFlightRunsMax: limits.inFlightRunsMax,
    lookupsMax: deps.lookupsMax,
    serverErrorMeans: deps.serverErrorMeans,
    pace: submitPace,
    stopping,
    backlog,
    address,
    poller,
    ingestor,
    wakeSignal: submitterSignal,
    counter,
  })
  return { submitter, poller, ingestor }
}

/**
 * A process that was killed a moment ago has used the window too: its starts keep the distance to ours, so that
 * restarts never add up to a burst. Submissions are known by the checkpoint. Polls are not written down: the last
 * one is taken to have left just now, which is the latest that it can have, and costs one poll's time a start.
 */
async function openPaces({
  checkpoint,
  clock,
  limits,
}: Pick<SchedulerDeps, 'checkpoint' | 'clock' | 'limits'>): Promise<Record<'submitPace' | 'pollPace', Pace>> {
  const { submissionsPerWindow, pollsPerWindow, windowMs } = limits
  const nowMs = clock.nowMs()
  const submittedAtMs =
    submissionsPerWindow === null
      ? []
      : await checkpoint.recentSubmissions(nowMs - windowMs, submissionsPerWindow)
  const monotonicMs = clock.monotonicMs()
  // The wall clock may have been set back since: nothing left in the future.
  const starts = submittedAtMs.map((atMs) => monotonicMs - Math.max(0, nowMs - atMs))
  return {
    submitPace: createPace(clock, submissionsPerWindow, windowMs, starts),
    pollPace: createPace(clock, pollsPerWindow, windowMs, [monotonicMs]),
  }
}

/** Submissions that were lost not long ago, by an earlier process too, may yet be named by a webhook. */
async function expectLost(
  ingestor: WebhookIngestor,
  { checkpoint, clock, polling }: Pick<SchedulerDeps, 'checkpoint' | 'clock' | 'polling'>,
): Promise<void> {
  const nowMs = clock.nowMs()
  for (const { lookupId, intendedAtMs } of await checkpoint.lostSince(nowMs - deliveryMsMax(polling))) {
    ingestor.expect(lookupId, Math.max(0, nowMs - intendedAtMs))
  }
}

async function stopAfter(
  delayMs: number,
  clock: Clock,
  stopping: Stopping,
  ended: AbortSignal,
): Promise<void> {
  await clock.sleep(delayMs, ended)
  if (!ended.aborted) stopping.stop({ kind: 'duration_max' })
}

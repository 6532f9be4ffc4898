import { deliveryMsMax } from '../rules/webhook-fallback.js'
import type { Stop } from '../rules/stop.js'
import { AnswerRecorder } from './answer-recorder.js'
import { WebhookIngestor } from './webhook-ingestor.js'
import { createPace, type Pace } from './pace.js'
import { Poller } from './poller.js'
import type { SchedulerDeps, SchedulerOptions } from './deps.js'
import { Stopping } from './stopping.js'
import { Submitter } from './submitter.js'
import { createTally } from './tally.js'

/**
 * Submits what is new and polls what runs, until every wanted lookup has its answer, is parked, or the run is
 * stopped; null is "nothing is left to wait for". Throws only for bugs and for a checkpoint that cannot be written.
 */
export async function runUntilAnswered(options: SchedulerOptions): Promise<Stop | null> {
  const stopping = new Stopping()
  const deps: SchedulerDeps = { ...options, tally: options.tally ?? createTally(), stopping }
  const interrupt = () => {
    stopping.stop({ kind: 'interrupted' })
  }
  options.interrupt.addEventListener('abort', interrupt, { once: true })
  if (options.interrupt.aborted) interrupt()
  const ended = new AbortController()
  const timer = options.durationMsMax === null ? null : stopAfter(options.durationMsMax, deps, ended.signal)
  try {
    const { submitPace, pollPace } = await openPaces(options)
    const recorder = new AnswerRecorder(deps, pollPace)
    const poller = new Poller(deps, pollPace, recorder)
    const desk = await openDesk(deps, poller, recorder)
    const submitter = new Submitter(deps, submitPace, poller, desk)
    poller.takeOver(await options.checkpoint.openRuns())
    // A failure of one (the disk is full, say) ends the other before it is thrown: nothing goes on unseen.
    const submitting = submitter.run().then(() => desk?.lostAreOver())
    const parts = [
      submitting.finally(poller.noMoreRuns),
      poller.run().finally(desk?.end),
      desk?.run() ?? Promise.resolve(),
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
    options.interrupt.removeEventListener('abort', interrupt)
    ended.abort()
    await timer
  }
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
}: SchedulerOptions): Promise<Record<'submitPace' | 'pollPace', Pace>> {
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

/** Null without webhooks. Submissions that were lost not long ago, by an earlier process too, may yet be named by one. */
async function openDesk(
  deps: SchedulerDeps,
  poller: Poller,
  recorder: AnswerRecorder,
): Promise<WebhookIngestor | null> {
  const { webhooks, checkpoint, clock, polling } = deps
  if (webhooks === undefined) return null
  const desk = new WebhookIngestor(deps, webhooks.inbox, poller, recorder)
  if (webhooks.url === null) return desk
  const nowMs = clock.nowMs()
  for (const { lookupId, intendedAtMs } of await checkpoint.lostSince(nowMs - deliveryMsMax(polling))) {
    desk.expect(lookupId, Math.max(0, nowMs - intendedAtMs))
  }
  return desk
}

async function stopAfter(delayMs: number, deps: SchedulerDeps, ended: AbortSignal): Promise<void> {
  await deps.clock.sleep(delayMs, ended)
  if (!ended.aborted) deps.stopping.stop({ kind: 'duration_max' })
}

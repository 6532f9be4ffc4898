import type { Clock } from '../../platform/clock.js'
import type { Checkpoint } from '../checkpoint/checkpoint.js'
import { createPace, type Pace } from './pace.js'

/** The paces of one kind of lookups: one and the same where its requests and its polls are of one limit. */
export interface KindPaces {
  submissions: Pace
  polls: Pace
}

export interface KindPaceDeps {
  checkpoint: Pick<Checkpoint, 'recentSubmissions'>
  clock: Clock
  limits: { submissionsPerWindow: number | null; pollsPerWindow: number | null; windowMs: number }
  sharesLimit: boolean
}

/**
 * A process that was killed a moment ago has used the window too: its starts keep the distance to ours, so that
 * restarts never add up to a burst. Submissions are known by the checkpoint. Polls are not written down: the last
 * one is taken to have left just now, which is the latest that it can have, and costs one poll's time a start.
 */
export async function openPaces({
  checkpoint,
  clock,
  limits,
  sharesLimit,
}: KindPaceDeps): Promise<KindPaces> {
  const { submissionsPerWindow, pollsPerWindow, windowMs } = limits
  const nowMs = clock.nowMs()
  const submittedAtMs =
    submissionsPerWindow === null
      ? []
      : await checkpoint.recentSubmissions(nowMs - windowMs, submissionsPerWindow)
  const monotonicMs = clock.monotonicMs()
  // The wall clock may have been set back since: nothing left in the future.
  const starts = submittedAtMs.map((atMs) => monotonicMs - Math.max(0, nowMs - atMs))
  const lastPoll = sharesLimit && starts.length > 0 ? [monotonicMs] : []
  const submissions = createPace(clock, submissionsPerWindow, windowMs, [...starts, ...lastPoll])
  return {
    submissions,
    polls: sharesLimit ? submissions : createPace(clock, pollsPerWindow, windowMs, [monotonicMs]),
  }
}

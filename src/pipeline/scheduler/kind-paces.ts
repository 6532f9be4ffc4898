import type { Clock } from '../../platform/clock.js'
import type { Checkpoint } from '../checkpoint/checkpoint.js'
import { createPace, type Pace } from './pace.js'
import { createSharedPace } from './shared-pace.js'

/** The paces of one kind of lookups: one and the same where its requests and its polls are of one limit. */
export interface KindPaces {
  submissions: Pace
  polls: Pace
}

export interface KindPaceDeps {
  checkpoint: Pick<Checkpoint, 'kind' | 'recentSubmissions' | 'sharedTurns'>
  clock: Clock
  limits: { submissionsPerWindow: number | null; pollsPerWindow: number | null; windowMs: number }
  sharesLimit: boolean
}

/**
 * A process that was killed a moment ago has used the window too: its starts keep the distance to ours, so that
 * restarts never add up to a burst. Submissions are known by the checkpoint. Polls are not written down: the last
 * one is taken to have left just now, which is the latest that it can have, and costs one poll's time a start.
 */
export async function openPaces(deps: KindPaceDeps): Promise<KindPaces> {
  return openSharedPaces(deps) ?? (await openOwnPaces(deps))
}

/** Where others use the key too, and keep their starts where this process keeps its own; null where nobody does. */
function openSharedPaces({ checkpoint, clock, limits, sharesLimit }: KindPaceDeps): KindPaces | null {
  const { submissionsPerWindow, pollsPerWindow, windowMs } = limits
  if (checkpoint.sharedTurns === undefined) return null
  const open = (what: string, perWindow: number | null) => {
    const turns = checkpoint.sharedTurns?.(`${checkpoint.kind} ${what}`, windowMs)
    return turns === undefined || perWindow === null
      ? createPace(clock, perWindow, windowMs)
      : createSharedPace(clock, turns, perWindow, windowMs)
  }
  const submissions = open('submissions', submissionsPerWindow)
  return { submissions, polls: sharesLimit ? submissions : open('polls', pollsPerWindow) }
}

async function openOwnPaces({ checkpoint, clock, limits, sharesLimit }: KindPaceDeps): Promise<KindPaces> {
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

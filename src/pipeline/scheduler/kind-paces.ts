import type { Clock } from '../../platform/clock.js'
import type { Checkpoint } from '../checkpoint/checkpoint.js'
import { createPace, type Pace, type StartRight } from './pace.js'
import type { SharedTurns } from '../checkpoint/limit-turns.js'
import { createBudget, noteReading, noteRefusal, noteStart, spacingMs, type Budget } from '../pace/pacing.js'

/** A turn that is used later than usual by more than this could meet the next ones: it is given up. */
const lateMsMax = 250
/** What all starts of so long are late by is usual: they are late alike, and so keep the distance. */
const usualOverMs = 10_000
/** In a wait that is longer, others may have been refused. */
const recheckedMs = 250

/**
 * `perWindow` starts in `windowMs`, by all processes that use the key together: each holds one turn at a time, that
 * PostgreSQL gave it. The service may lead as it leads one process alone (rules/pacing).
 */
export function createSharedPace(
  clock: Clock,
  turns: SharedTurns,
  perWindow: number,
  windowMs: number,
): Pace {
  const budget = createBudget(perWindow, windowMs)
  // What fits into a window fits also where some of it is late.
  budget.marginMs += lateMsMax
  const counted = countedStarts(clock, budget)
  let pausedUntilMs = 0
  let knownUntilMs = -Infinity
  const pause = (delayMs: number) => {
    pausedUntilMs = Math.max(pausedUntilMs, clock.monotonicMs() + delayMs)
    void turns.pause(delayMs)
  }
  const spacing = () => spacingMs(budget, clock.monotonicMs())

  const comings = createPunctuality(clock)
  const departures = createPunctuality(clock)
  /** Null where it was not come by in time. */
  const takeOne = async (signal: AbortSignal): Promise<StartRight | null> => {
    if (pausedUntilMs > clock.monotonicMs()) await clock.sleep(pausedUntilMs - clock.monotonicMs(), signal)
    const askedAtMs = clock.monotonicMs()
    const turn = await turns.take(spacing(), askedAtMs < knownUntilMs, signal)
    if (turn === null) {
      await clock.sleep(spacing(), signal)
      return null
    }
    counted.note(turn.givenCount)
    if (turn.waitMs > 0) await clock.sleep(turn.waitMs, signal)
    if (turn.waitMs > recheckedMs && (await turns.pausedMs()) > 0) return null
    if (clock.monotonicMs() < pausedUntilMs) return null
    const lateMs = () => clock.monotonicMs() - askedAtMs - turn.waitMs
    if (!comings.isInTime(lateMs())) return null
    return { leave: () => departures.isInTime(lateMs()) }
  }
  const takeInTime = async (signal: AbortSignal): Promise<StartRight> => {
    while (!signal.aborted) {
      const right = await takeOne(signal)
      if (right !== null) return right
    }
    return noRight
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    turn: (signal) => {
      // One after another: more than one turn held at a time would be taken from other processes.
      const own = last.then(() => takeInTime(signal))
      last = own.catch(() => undefined)
      return own
    },
    pause,
    refused: (delayMs) => {
      noteRefusal(budget, delayMs, clock.monotonicMs())
      pause(delayMs)
    },
    follow: (reading) => {
      const nowMs = clock.monotonicMs()
      noteReading(budget, counted.isWhole() ? reading : { ...reading, remaining: null }, nowMs)
      if (reading.limit !== null) knownUntilMs = nowMs + windowMs
    },
    perMs: () => 1 / spacing(),
  }
}

const noRight: StartRight = { leave: () => false }

/**
 * Whether turns are used in time. Between its turn and when it leaves, a request may wait for a disk, or for PostgreSQL;
 * what waited through the same halt would leave all at once.
 */
function createPunctuality(clock: Clock) {
  const last: { atMs: number; lateMs: number }[] = []
  return {
    isInTime: (lateMs: number): boolean => {
      const nowMs = clock.monotonicMs()
      while ((last[1]?.atMs ?? nowMs) <= nowMs - usualOverMs) last.shift()
      const isLongEnough = last[0] !== undefined && last[0].atMs <= nowMs - usualOverMs
      const usualMs = isLongEnough ? Math.min(...last.map((one) => one.lateMs)) : 0
      last.push({ atMs: nowMs, lateMs })
      return lateMs - usualMs <= lateMsMax
    },
  }
}

/** Starts of all processes in the last window, as far as this one can know: each of its turns says how many there were. */
function countedStarts(clock: Clock, budget: Budget) {
  let sinceMs: number | null = null
  let givenCount = 0
  return {
    note: (nowGivenCount: number) => {
      const nowMs = clock.monotonicMs()
      const newCount = sinceMs === null ? 1 : Math.min(nowGivenCount - givenCount, budget.limit)
      sinceMs ??= nowMs
      givenCount = nowGivenCount
      for (let count = 0; count < newCount; count++) noteStart(budget, nowMs)
    },
    /** A window is known from its beginning: before, what others of ours used would seem to be used by strangers. */
    isWhole: () => sinceMs !== null && clock.monotonicMs() - sinceMs >= budget.windowMs,
  }
}

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

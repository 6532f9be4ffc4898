import type { Clock } from '../../platform/clock.js'
import type { Checkpoint, SharedTurns } from '../checkpoint/checkpoint.js'
import { createPace, type Pace, type StartPermit } from '../../platform/pace.js'
import {
  createBudget,
  noteReading,
  noteRefusal,
  noteStart,
  getSpacingMs,
  type Budget,
} from '../../core/pacing.js'

/** A turn used later than usual by more than this could collide with the next ones, so it is dropped. */
const lateMsMax = 250
/** The smallest delay in this period counts as usual: all starts share it, so their distance is kept. */
const usualOverMs = 10_000
/** After a longer wait, pauses by other processes are checked again. */
const recheckedMs = 250

/**
 * A pace of `perWindow` starts in `windowMs` over all processes that use the key. Each process holds one turn at a
 * time, given by PostgreSQL. Rate headers of the service apply as in pace.ts.
 */
export function createSharedPace(
  clock: Clock,
  turns: SharedTurns,
  perWindow: number,
  windowMs: number,
): Pace {
  const budget = createBudget(perWindow, windowMs)
  // The margin covers late starts.
  budget.marginMs += lateMsMax
  const counted = createStartCounter(clock, budget)
  let pausedUntilMs = 0
  let knownUntilMs = -Infinity
  const pause = (delayMs: number) => {
    pausedUntilMs = Math.max(pausedUntilMs, clock.monotonicMs() + delayMs)
    void turns.pause(delayMs)
  }
  const getSpacing = () => getSpacingMs(budget, clock.monotonicMs())

  const turnTimes = createPunctuality(clock)
  const startTimes = createPunctuality(clock)
  /** Returns null if the turn could not be used in time. */
  const takeOne = async (signal: AbortSignal): Promise<StartPermit | null> => {
    if (pausedUntilMs > clock.monotonicMs()) await clock.sleep(pausedUntilMs - clock.monotonicMs(), signal)
    const askedAtMs = clock.monotonicMs()
    const turn = await turns.take(getSpacing(), askedAtMs < knownUntilMs, signal)
    if (turn === null) {
      await clock.sleep(getSpacing(), signal)
      return null
    }
    counted.note(turn.givenCount)
    if (turn.waitMs > 0) await clock.sleep(turn.waitMs, signal)
    if (turn.waitMs > recheckedMs && (await turns.pausedMs()) > 0) return null
    if (clock.monotonicMs() < pausedUntilMs) return null
    const lateMs = () => clock.monotonicMs() - askedAtMs - turn.waitMs
    if (!turnTimes.isInTime(lateMs())) return null
    return { leave: () => startTimes.isInTime(lateMs()) }
  }
  const takeInTime = async (signal: AbortSignal): Promise<StartPermit> => {
    while (!signal.aborted) {
      const permit = await takeOne(signal)
      if (permit !== null) return permit
    }
    return noPermit
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    waitForTurn: (signal) => {
      // Sequential: holding several turns would block other processes.
      const own = last.then(() => takeInTime(signal))
      last = own.catch(() => undefined)
      return own
    },
    pause,
    onRateLimited: (delayMs) => {
      noteRefusal(budget, delayMs, clock.monotonicMs())
      pause(delayMs)
    },
    follow: (reading) => {
      const nowMs = clock.monotonicMs()
      noteReading(budget, counted.isWhole() ? reading : { ...reading, remaining: null }, nowMs)
      if (reading.limit !== null) knownUntilMs = nowMs + windowMs
    },
    getStartsPerMs: () => 1 / getSpacing(),
  }
}

const noPermit: StartPermit = { leave: () => false }

/**
 * Detects late starts. Between its turn and its start, a request may wait for a disk or PostgreSQL; all requests
 * delayed by the same pause would start at once.
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

/** Counts the starts of all processes in the last window; each turn of this process reports their number. */
function createStartCounter(clock: Clock, budget: Budget) {
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
    /** Before a whole window was observed, starts of our other processes would look like those of other clients. */
    isWhole: () => sinceMs !== null && clock.monotonicMs() - sinceMs >= budget.windowMs,
  }
}

/** The paces of one kind of lookups; both are the same object if requests and polls share a limit. */
export interface KindPaces {
  submissions: Pace
  polls: Pace
}

export interface KindPaceDeps {
  checkpoint: Pick<Checkpoint, 'kind' | 'read' | 'store'>
  clock: Clock
  limits: { submissionsPerWindow: number | null; pollsPerWindow: number | null; windowMs: number }
  sharesLimit: boolean
}

/**
 * Opens the paces of one kind. Starts of a process that ended a moment ago count as well, so that restarts do not
 * exceed the limit. The checkpoint knows recent submissions. Polls are not stored: the last one is assumed to have
 * started just now.
 */
export async function openPaces(deps: KindPaceDeps): Promise<KindPaces> {
  return openSharedPaces(deps) ?? (await openOwnPaces(deps))
}

/** Opens paces shared by several processes; null if the checkpoint is not shared. */
function openSharedPaces({ checkpoint, clock, limits, sharesLimit }: KindPaceDeps): KindPaces | null {
  const { submissionsPerWindow, pollsPerWindow, windowMs } = limits
  const createTurns = checkpoint.store.others?.createTurns ?? null
  if (createTurns === null) return null
  const open = (what: string, perWindow: number | null) => {
    if (perWindow === null) return createPace(clock, perWindow, windowMs)
    return createSharedPace(clock, createTurns(`${checkpoint.kind} ${what}`, windowMs), perWindow, windowMs)
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
      : await checkpoint.read('recent_submissions', {
          afterMs: nowMs - windowMs,
          count: submissionsPerWindow,
        })
  const monotonicMs = clock.monotonicMs()
  // The system clock may have been set back: no start may be in the future.
  const starts = submittedAtMs.map((atMs) => monotonicMs - Math.max(0, nowMs - atMs))
  const lastPoll = sharesLimit && starts.length > 0 ? [monotonicMs] : []
  const submissions = createPace(clock, submissionsPerWindow, windowMs, [...starts, ...lastPoll])
  return {
    submissions,
    polls: sharesLimit ? submissions : createPace(clock, pollsPerWindow, windowMs, [monotonicMs]),
  }
}

import { formatCount, plural } from '../core/text.js'
import { formatDuration } from '../core/duration.js'
import { explainStop, waitsForRuns, type Stop } from './rules/stop.js'
import type { Tally } from './tally.js'

/** A minute's limit is over by then, and so is the longest wait that a server may ask for. */
const firstNoticeMs = 180_000

/**
 * A 429 is waited out, for as long as it takes: a job of the night goes on when the service does. Notices say that
 * the run waits, since when, and what may be the cause; each after twice as long as the one before.
 */
export function watchRefusals(
  refusedSinceMs: Tally['refusedSinceMs'],
  notify: (sentence: string) => void,
): (nowMs: number) => void {
  const nextNoticeMs = { submissions: firstNoticeMs, polls: firstNoticeMs }
  return (nowMs) => {
    for (const what of ['submissions', 'polls'] as const) {
      const sinceMs = refusedSinceMs[what]
      if (sinceMs !== null && nowMs - sinceMs >= nextNoticeMs[what]) {
        nextNoticeMs[what] = (nowMs - sinceMs) * 2
        notify(refusedFor(what, nowMs - sinceMs))
      } else if (sinceMs === null && nextNoticeMs[what] > firstNoticeMs) {
        nextNoticeMs[what] = firstNoticeMs
        notify(`The service takes ${what} again.`)
      }
    }
  }
}

const refusedFor = (what: string, forMs: number) =>
  `The service has answered 429 to all ${what} for ${formatDuration(forMs)}; the run waits and goes on when it can. ` +
  'Look whether something else uses this API key, or a limit of the plan is reached; --max-duration bounds the wait.'

/**
 * Answers of other lookups are held and asked for again. A notice comes with the first one, and each time there are
 * twice as many; one proxy that mixes everything up must not fill the screen.
 */
export function watchMisdirected(
  tally: Pick<Tally, 'misdirected' | 'held'>,
  notify: (sentence: string) => void,
): () => void {
  let nextNoticeCount = 1
  return () => {
    const { misdirected, held } = tally
    if (misdirected < nextNoticeCount) return
    nextNoticeCount = misdirected * 2
    const answers = plural(misdirected, 'answer')
    notify(
      `ALARM: the service sent ${answers} of another lookup than was asked for: not written, and asked for again. ` +
        `${formatCount(held.size)} lookups are held at the moment; does a cache or a proxy mix them up?`,
    )
  }
}

/** What is known when a run stops submitting. */
interface StopState {
  readonly stop: Stop | null
  readonly running: number
  /** Lookups that are not submitted. */
  readonly left: number
}

/** A used up budget or credit is reported when it happens, once, if the run goes on to wait for what it paid for. */
export function watchStop(notify: (sentence: string) => void): (state: StopState) => void {
  let isReported = false
  return ({ stop, running, left }) => {
    if (isReported || stop === null || !waitsForRuns(stop)) return
    isReported = true
    const explained = explainStop({ kind: 'resolution', stop })
    if (running === 0 || explained === null) return
    const held = left === 0 ? '' : `; ${plural(left, 'lookup is', 'lookups are')} left for another run`
    notify(
      `Nothing more is submitted: ${explained.message}${held}. The run waits for the answers to ${formatCount(running)} ` +
        `${running === 1 ? 'lookup that is' : 'lookups that are'} running (${explained.code}).`,
    )
  }
}

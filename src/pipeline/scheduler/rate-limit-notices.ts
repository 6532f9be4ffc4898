import { formatDuration } from '../../core/duration.js'
import type { Tally } from './tally.js'

/** A minute's limit is over by then, and so is the longest wait that a server may ask for. */
const firstNoticeMs = 180_000

/**
 * A 429 is waited out, for as long as it takes: a job of the night goes on when the service does. Whoever looks
 * is told that it waits, since when, and what may be the cause; each time after twice as long as the time before.
 */
export function watchRefusals(
  refusedSinceMs: Readonly<Tally['refusedSinceMs']>,
  tell: (sentence: string) => void,
): (nowMs: number) => void {
  const nextNoticeMs = { submissions: firstNoticeMs, polls: firstNoticeMs }
  return (nowMs) => {
    for (const what of ['submissions', 'polls'] as const) {
      const sinceMs = refusedSinceMs[what]
      if (sinceMs !== null && nowMs - sinceMs >= nextNoticeMs[what]) {
        nextNoticeMs[what] = (nowMs - sinceMs) * 2
        tell(refusedFor(what, nowMs - sinceMs))
      } else if (sinceMs === null && nextNoticeMs[what] > firstNoticeMs) {
        nextNoticeMs[what] = firstNoticeMs
        tell(`The service takes ${what} again.`)
      }
    }
  }
}

const refusedFor = (what: string, forMs: number) =>
  `The service has answered 429 to all ${what} for ${formatDuration(forMs)}; the run waits and goes on when it can. ` +
  'Look whether something else uses this API key, or a limit of the plan is reached; --max-duration bounds the wait.'

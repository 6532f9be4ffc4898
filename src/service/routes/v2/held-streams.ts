import { errorTypes } from '../../../contract/errors.js'
import type { RunId } from '../../../contract/ids.js'
import type { Clock } from '../../../platform/clock.js'
import type { Caller } from '../../accounts/accounts.js'
import { limits } from '../../limits.js'
import { Refusal } from '../../refusal.js'

/** A connection that is held until its run has ended. */
interface HeldStream {
  /** Its time is up, its caller has gone, or the service closes. */
  isOver(): boolean
  /** Resolves when the run may have ended, or this is over: the caller then looks into the store. */
  mayHaveEnded(runId: RunId): Promise<void>
  release(): void
}

interface WaitedRun {
  readonly accountNumber: number
  readonly runId: RunId
}

export interface HeldStreams {
  /** To be called for every run that ends. */
  readonly onEnded: (run: { readonly runId: RunId }) => void
  /** The runs that streams wait for, with their accounts. */
  waitedFor(): WaitedRun[]
  /** Throws 429 where the key holds as many as it may, 502 where the service closes. Must be released. */
  hold(caller: Caller, gone: AbortSignal, heldMsMax: number): HeldStream
  /** Ends those that are held; no more are. */
  close(): void
}

/** A held stream costs a socket, a timer and an entry here: nothing asks after its run again and again. */
export function createHeldStreams(clock: Clock): HeldStreams {
  const heldCounts = new Map<string, number>()
  const wakers = new Map<RunId, { readonly accountNumber: number; readonly wake: () => void }>()
  const open = new Set<AbortController>()
  let isClosed = false

  const count = (key: string, change: 1 | -1) => {
    const heldCount = (heldCounts.get(key) ?? 0) + change
    if (heldCount === 0) heldCounts.delete(key)
    else heldCounts.set(key, heldCount)
  }

  const hold: HeldStreams['hold'] = ({ keyHash, accountNumber }, gone, heldMsMax) => {
    if (isClosed) throw closing()
    if ((heldCounts.get(keyHash) ?? 0) >= limits.streamsPerKeyMax) throw tooManyStreams()
    count(keyHash, 1)
    const over = new AbortController()
    const end = () => {
      over.abort()
    }
    open.add(over)
    if (gone.aborted) end()
    else gone.addEventListener('abort', end, { once: true })
    void clock.sleep(heldMsMax, over.signal).then(end)
    return {
      isOver: () => over.signal.aborted,
      mayHaveEnded: (runId) => wakeUp({ accountNumber, runId }, over.signal),
      release: () => {
        end()
        open.delete(over)
        count(keyHash, -1)
      },
    }
  }

  const wakeUp = ({ accountNumber, runId }: WaitedRun, over: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        wakers.delete(runId)
        over.removeEventListener('abort', wake)
        resolve()
      }
      wakers.set(runId, { accountNumber, wake })
      if (over.aborted) wake()
      else over.addEventListener('abort', wake)
    })

  return {
    hold,
    onEnded: ({ runId }) => {
      const wake = wakers.get(runId)?.wake
      // The end is stored when the transaction is, which this call stands in.
      if (wake !== undefined) setImmediate(wake)
    },
    waitedFor: () => [...wakers].map(([runId, { accountNumber }]) => ({ accountNumber, runId })),
    close: () => {
      isClosed = true
      for (const over of open) over.abort()
    },
  }
}

const tooManyStreams = (): Refusal =>
  new Refusal(
    429,
    errorTypes.rateLimitExceeded,
    `a key holds at most ${limits.streamsPerKeyMax} streams at a time`,
  )

const closing = (): Refusal =>
  new Refusal(502, errorTypes.apiError, 'the service is closing; nothing was charged')

import type { Clock } from '../clock.js'

/** Runs what is aborted after so long by the clock, or when one of the signals is. */
export async function within<Result>(
  { clock, msMax, signals = [] }: { clock: Clock; msMax: number; signals?: readonly AbortSignal[] },
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController()
  const done = new AbortController()
  const end = () => {
    ending.abort()
  }
  void clock.sleep(msMax, done.signal).then(() => {
    if (!done.signal.aborted) end()
  })
  for (const signal of signals) {
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
  }
  try {
    return await action(ending.signal)
  } finally {
    done.abort()
    for (const signal of signals) signal.removeEventListener('abort', end)
  }
}

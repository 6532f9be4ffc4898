import type { Clock } from '../../platform/clock.js'

/** Runs what is aborted after so long by the clock, or when one of the signals is. */
export async function within<Result>(
  { clock, msMax, signals = [] }: { clock: Clock; msMax: number; signals?: readonly AbortSignal[] },
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const overdue = new AbortController()
  const done = new AbortController()
  void clock.sleep(msMax, done.signal).then(() => {
    if (!done.signal.aborted) overdue.abort()
  })
  try {
    return await action(AbortSignal.any([overdue.signal, ...signals]))
  } finally {
    done.abort()
  }
}

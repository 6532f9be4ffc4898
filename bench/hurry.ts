/**
 * From now on this process's time passes `factor` times as fast: `Date.now`, `performance.now`, timeouts and
 * intervals alike, for every library in it. To be called before anything that takes hold of them is loaded. At
 * the Unix time `startedAtMs` hurried and real time were the same, in all processes that are told so.
 */
export function hurry(factor: number, startedAtMs: number): void {
  const realMonotonicMs = performance.now.bind(performance)
  const realUnixMs = () => performance.timeOrigin + realMonotonicMs()
  const nowMs = () => Math.floor(startedAtMs + (realUnixMs() - startedAtMs) * factor)
  replace(Date, 'now', nowMs)
  replace(performance, 'now', () => realMonotonicMs() * factor)
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const real = globalThis[name] as (run: () => void, delayMs: number, ...rest: unknown[]) => unknown
    // Timers know whole milliseconds and cut off the rest; one that fires early has to be set again.
    const hurried = (run: () => void, delayMs = 0, ...rest: unknown[]) =>
      real(run, Math.ceil(delayMs / factor), ...rest)
    replace(globalThis, name, hurried)
  }
}

function replace(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: true, writable: true })
}

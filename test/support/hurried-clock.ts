import { type Clock, systemClock } from '../../src/platform/clock.js'

/** Time that passes `factor` times as fast, so that waits of minutes are over in moments. */
export function hurriedClock(factor: number): Clock {
  const startedAtMs = systemClock.nowMs()
  const elapsedMs = () => systemClock.monotonicMs() * factor
  const zeroMs = elapsedMs()
  return {
    nowMs: () => Math.round(startedAtMs + elapsedMs() - zeroMs),
    monotonicMs: elapsedMs,
    sleep: (delayMs, signal) => systemClock.sleep(delayMs / factor, signal),
  }
}

import { formatDuration } from './duration.js'

/** A snapshot of a run, for people and for programs. Counts are of distinct lookups. */
export interface Progress {
  lookups: number
  /** With a final answer, those from earlier runs included. */
  done: number
  running: number
  /** Already answered when the run began. */
  cached: number
  failed: number
  uncertain: number
  toSubmit: number
  /** Of the last minute, and the most that is allowed; null is no limit. */
  submissionsPerMinute: number
  pollsPerMinute: number
  submitLimit: number | null
  pollLimit: number | null
  elapsedMs: number
  etaMs: number | null
}

/**
 * The time left: what the limits allow at best, or what the pace so far suggests, whichever is longer.
 * Null until there is something to judge by.
 */
export function estimateEtaMs(state: {
  toSubmit: number
  running: number
  answeredSoFar: number
  elapsedMs: number
  submissionsPerWindow: number | null
  pollsPerWindow: number | null
  windowMs: number
}): number | null {
  const open = state.toSubmit + state.running
  if (open === 0) return 0
  const atBestMs = Math.max(
    state.submissionsPerWindow === null ? 0 : (state.toSubmit / state.submissionsPerWindow) * state.windowMs,
    state.pollsPerWindow === null ? 0 : (open / state.pollsPerWindow) * state.windowMs,
  )
  if (state.answeredSoFar === 0) return atBestMs === 0 ? null : atBestMs
  return Math.max(atBestMs, (open / state.answeredSoFar) * state.elapsedMs)
}

/** `1,204/5,000 done · 181 running · 37 cached · 6 failed · submit 598/600 · poll 97/100 per min · ETA 1h04m` */
export function progressLine(progress: Progress): string {
  const number = (value: number) => value.toLocaleString('en-US')
  const rate = (value: number, limit: number | null) =>
    limit === null ? number(value) : `${number(value)}/${number(limit)}`
  return [
    `${number(progress.done)}/${number(progress.lookups)} done`,
    `${number(progress.running)} running`,
    `${number(progress.cached)} cached`,
    `${number(progress.failed)} failed`,
    ...(progress.uncertain === 0 ? [] : [`${number(progress.uncertain)} uncertain`]),
    `submit ${rate(progress.submissionsPerMinute, progress.submitLimit)}`,
    `poll ${rate(progress.pollsPerMinute, progress.pollLimit)} per min`,
    `ETA ${progress.etaMs === null ? '?' : formatDuration(progress.etaMs)}`,
  ].join(' · ')
}

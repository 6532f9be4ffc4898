import { formatDuration } from '../../core/duration.js'
import { formatAmount, type Money } from './money.js'
import type { TimelinePoint } from './run-record.js'
import type { StageFacts } from './stage-facts.js'

/** A snapshot of a run, for people and for programs. Counts are of distinct lookups. */
export interface Progress {
  lookups: number
  /** With a final answer, those from earlier runs included. */
  done: number
  running: number
  /** Already answered when the run began. */
  cached: number
  /** By people. */
  decided: number
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
  /** Answers of this run, by outcome. */
  outcomes: Readonly<Record<string, number>>
  /** What this run has done so far, all kinds of lookups together. */
  sofar: Readonly<TimelinePoint>
  /**
   * Until an answer can be there, by the setting that says when runs are asked for first; 0 once it is due. Null
   * where answers came already, or may at once, and where none is awaited.
   */
  firstAnswersInMs: number | null
  /** Each kind that is asked besides resolutions. */
  stages: readonly StageFacts[]
  /** So far; null where nobody pays, or no price is known. */
  money: Money | null
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

/** Of every kind, as far as it is known to be wanted: a list may ask by domains alone. */
export function wholeOf({ done, lookups, stages }: Pick<Progress, 'done' | 'lookups' | 'stages'>): {
  done: number
  lookups: number
} {
  return {
    done: stages.reduce((sum, stage) => sum + doneOf(stage), done),
    lookups: stages.reduce((sum, { lookupCount }) => sum + lookupCount, lookups),
  }
}

const doneOf = ({ lookupCount, uncertainCount, pendingCount }: StageFacts): number =>
  lookupCount - uncertainCount - pendingCount

/** A piece of the progress line. */
export interface ProgressPart {
  text: string
  /** Where there is no room for all, the part with the lowest goes first. */
  weight: number
}

/** Above all others: what is done, and the time left. */
const weightMax = 100

/** What is shown of a progress, in the order of the line. */
export function progressParts(progress: Progress): ProgressPart[] {
  const number = (value: number) => value.toLocaleString('en-US')
  const rate = (value: number, limit: number | null) =>
    limit === null ? number(value) : `${number(value)}/${number(limit)}`
  const some = (count: number, word: string, weight: number): ProgressPart[] =>
    count === 0 ? [] : [{ text: `${number(count)} ${word}`, weight }]
  return [
    { text: `${number(progress.done)}/${number(progress.lookups)} done`, weight: weightMax },
    ...firstAnswersPart(progress),
    ...outcomeParts(progress.outcomes),
    ...progress.stages.map(stagePart),
    ...moneyPart(progress),
    ...some(progress.running, 'running', 30),
    ...some(progress.cached, 'answered before', 25),
    ...some(progress.decided, 'decided', 26),
    ...some(progress.failed, 'failed', 60),
    ...some(progress.uncertain, 'uncertain', 61),
    { text: `submit ${rate(progress.submissionsPerMinute, progress.submitLimit)}`, weight: 11 },
    { text: `poll ${rate(progress.pollsPerMinute, progress.pollLimit)} per min`, weight: 10 },
    { text: `ETA ${progress.etaMs === null ? '?' : formatDuration(progress.etaMs)}`, weight: weightMax - 1 },
  ]
}

/** `1,204/5,000 done · matched 1,103 · no_match 64 · 181 running · 37 answered before · submit 598/600 · poll 97/100 per min · ETA 1h04m` */
export function progressLine(progress: Progress): string {
  return progressParts(progress)
    .map(({ text }) => text)
    .join(' · ')
}

function firstAnswersPart({ firstAnswersInMs }: Progress): ProgressPart[] {
  if (firstAnswersInMs === null) return []
  const text =
    firstAnswersInMs === 0 ? 'first answers any moment' : `first answers in ${roughly(firstAnswersInMs)}`
  return [{ text, weight: 70 }]
}

function moneyPart({ money }: Progress): ProgressPart[] {
  return money === null ? [] : [{ text: formatAmount(money.cost, money.currency), weight: 48 }]
}

/** How many of those wanted so far are done: more follow from the answers to come. */
function stagePart(facts: StageFacts, rank: number): ProgressPart {
  const { kind, lookupCount, stop } = facts
  const done = doneOf(facts).toLocaleString('en-US')
  const text = `${kind} ${done}/${lookupCount.toLocaleString('en-US')}${stop === null ? '' : ' stopped'}`
  return { text, weight: 45 - rank }
}

/** The most frequent first, and kept longest. `failed` is counted with what failed before. */
function outcomeParts(outcomes: Progress['outcomes']): ProgressPart[] {
  return Object.entries(outcomes)
    .filter(([name]) => name !== 'failed')
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .map(([name, count], rank) => ({
      text: `${name} ${count.toLocaleString('en-US')}`,
      weight: rank === 0 ? 50 : Math.max(12, 24 - rank),
    }))
}

/** A time to come, as people say it. */
function roughly(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds <= 5) return 'a few seconds'
  if (seconds <= 40) return `about ${Math.ceil(seconds / 5) * 5} seconds`
  return seconds < 90 ? 'about a minute' : `about ${Math.round(seconds / 60)} minutes`
}

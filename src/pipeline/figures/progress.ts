import { formatCount } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import { formatAmount, type Money } from './money.js'
import type { TimelinePoint } from './run-record.js'
import type { StageFacts } from './run-summary.js'

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
  /** Still to be submitted by this run: what its budget does not allow is in `heldBack`. */
  toSubmit: number
  /** Lookups that this run leaves to the next one: beyond its budget, or after a stop such as a 402. */
  heldBack: number
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
  /** Of --max-cost, in units of the currency, with what earlier processes spent of it; `null` without one. */
  budget: { readonly costMax: number; readonly spent: number } | null
}

/** Facts for an estimate of the time left. */
export interface TimeLeftFacts {
  /** Lookups that this run may still submit, and runs that are open. */
  toSubmit: number
  running: number
  submissionsPerWindow: number | null
  pollsPerWindow: number | null
  windowMs: number
  inFlightRunsMax: number
  /** Polls that an answer has taken so far; 1 if unknown. */
  pollsPerAnswer: number
  /** Time that a run submitted now likely takes, and that all open runs likely still take; `null` if unknown. */
  runs: { readonly runMs: number; readonly leftMs: number } | null
  /** Answers of the last minute, per millisecond; 0 if there are none. */
  answersPerMs: number
}

/**
 * The time left. With limits: what remains is submitted and polled within them, and the last run takes as long as runs do.
 * Without a limit on polls: the pace of the last minute. Null until there is something to judge by.
 */
export function estimateEtaMs(facts: TimeLeftFacts): number | null {
  const { toSubmit, running, submissionsPerWindow, pollsPerWindow, windowMs, runs } = facts
  const open = toSubmit + running
  if (open === 0) return 0
  const submitMs = submissionsPerWindow === null ? 0 : (toSubmit / submissionsPerWindow) * windowMs
  if (pollsPerWindow === null) {
    if (facts.answersPerMs > 0) return Math.max(submitMs, open / facts.answersPerMs)
    return submitMs === 0 ? null : submitMs
  }
  const pollMs = ((open * Math.max(1, facts.pollsPerAnswer)) / pollsPerWindow) * windowMs
  if (runs === null) return Math.max(submitMs, pollMs)
  // Beyond what may be in flight, a lookup waits for a run to end.
  const waiting = Math.max(0, toSubmit - Math.max(0, facts.inFlightRunsMax - running))
  const roomMs = (waiting / facts.inFlightRunsMax) * runs.runMs
  const lastMs = toSubmit === 0 ? runs.leftMs : Math.max(submitMs, roomMs) + runs.runMs
  return Math.max(pollMs, lastMs)
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
  const rate = (value: number, limit: number | null) =>
    limit === null ? formatCount(value) : `${formatCount(value)}/${formatCount(limit)}`
  const some = (count: number, word: string, weight: number): ProgressPart[] =>
    count === 0 ? [] : [{ text: `${formatCount(count)} ${word}`, weight }]
  return [
    { text: `${formatCount(progress.done)}/${formatCount(progress.lookups)} done`, weight: weightMax },
    ...firstAnswersPart(progress),
    ...outcomeParts(progress.outcomes),
    ...progress.stages.map(stagePart),
    ...moneyPart(progress),
    ...some(progress.heldBack, 'held back', 31),
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

function moneyPart({ money, budget }: Progress): ProgressPart[] {
  if (money === null) return []
  const text = budget === null ? formatAmount(money.cost, money.currency) : budgetText(budget, money.currency)
  return [{ text, weight: 48 }]
}

/** `EUR 2.35 of EUR 5.00` */
const budgetText = ({ spent, costMax }: NonNullable<Progress['budget']>, currency: string | null): string =>
  `${formatAmount(spent, currency)} of ${formatAmount(costMax, currency)}`

/** How many of those wanted so far are done: more follow from the answers to come. */
function stagePart(facts: StageFacts, rank: number): ProgressPart {
  const { kind, lookupCount, stop } = facts
  const done = formatCount(doneOf(facts))
  const text = `${kind} ${done}/${formatCount(lookupCount)}${stop === null ? '' : ' stopped'}`
  return { text, weight: 45 - rank }
}

/** The most frequent first, and kept longest. `failed` is counted with what failed before. */
function outcomeParts(outcomes: Progress['outcomes']): ProgressPart[] {
  return Object.entries(outcomes)
    .filter(([name]) => name !== 'failed')
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .map(([name, count], rank) => ({
      text: `${name} ${formatCount(count)}`,
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

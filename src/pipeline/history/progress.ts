import { formatCount } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import { formatAmount, type Money } from '../../core/money.js'
import type { TimelinePoint } from './run-record.js'
import type { StageFacts, RunSummary } from './run-summary.js'
import type { ColumnReport } from '../input/columns.js'
import type { LookupPlan } from '../../core/lookup-state.js'
import type { PlannedSpending } from './planned-spending.js'

/**
 * Events of a run. A `notice` is one sentence for the user; a warning is also reported if only warnings are shown.
 * `spending` is `null` if nothing is billed.
 */
export type RunEvent =
  | { type: 'notice'; text: string; isWarning?: true }
  | ({ type: 'columns' } & ColumnReport)
  | ({ type: 'planned'; rowCount: number; spending: PlannedSpending | null } & PlannedLookups)
  | { type: 'progress'; progress: Progress }
  | { type: 'publishing'; path: string }
  | { type: 'finished'; summary: RunSummary }

/** Distinct lookups of the rows, and their plan; without lookups that follow from answers. */
export interface PlannedLookups {
  readonly lookupCount: number
  /** Lookups by domain instead of a name. */
  readonly domainCount: number
  readonly plan: Readonly<Record<LookupPlan, number>>
}

export type RunObserver = (event: RunEvent) => void

/** A snapshot of a run, for displays and programs. Counts are of distinct lookups. */
export interface Progress {
  lookups: number
  /** Lookups with a final answer, including those from earlier runs. */
  done: number
  running: number
  /** Already answered when the run started. */
  cached: number
  /** Decided by reviewers. */
  decided: number
  failed: number
  uncertain: number
  /** Still to be submitted by this run, within its budget. */
  toSubmit: number
  /** Lookups left for the next run: beyond the budget, or after a stop such as a 402. */
  heldBack: number
  /** Requests in the last minute, and their limits; null if unlimited. */
  submissionsPerMinute: number
  pollsPerMinute: number
  submitLimit: number | null
  pollLimit: number | null
  elapsedMs: number
  etaMs: number | null
  /** Answers of this run, by outcome. */
  outcomes: Readonly<Record<string, number>>
  /** Counts of this run so far, over all kinds of lookups. */
  sofar: Readonly<TimelinePoint>
  /**
   * Time until an answer is possible, by the delay of the first poll; 0 once it is due. Null if answers have arrived or
   * may arrive at any time, or if none is expected.
   */
  firstAnswersInMs: number | null
  /** Each kind looked up in addition to resolutions. */
  stages: readonly StageFacts[]
  /** Cost so far; null if nothing is billed or no price is known. */
  money: Money | null
  /** Budget of --max-cost in units of the currency, including earlier processes; `null` without one. */
  budget: { readonly costMax: number; readonly spent: number } | null
}

/** Facts for an estimate of the time left. */
export interface TimeLeftFacts {
  /** Lookups that this run may still submit, and open runs. */
  toSubmit: number
  running: number
  submissionsPerWindow: number | null
  pollsPerWindow: number | null
  windowMs: number
  inFlightRunsMax: number
  /** Average polls per answer so far; 1 if unknown. */
  pollsPerAnswer: number
  /** Probable duration of a run submitted now, and probable time until all open runs end; `null` if unknown. */
  runs: { readonly runMs: number; readonly leftMs: number } | null
  /** Answers per millisecond in the last minute; 0 if none. */
  answersPerMs: number
}

/**
 * Estimates the time left. With limits: the time to submit and poll the rest, and the duration of the last run. Without
 * a limit on polls: the rate of the last minute. Null if there is no basis for an estimate.
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
  // Above the limit of runs in flight, a lookup waits for a run to end.
  const waiting = Math.max(0, toSubmit - Math.max(0, facts.inFlightRunsMax - running))
  const roomMs = (waiting / facts.inFlightRunsMax) * runs.runMs
  const lastMs = toSubmit === 0 ? runs.leftMs : Math.max(submitMs, roomMs) + runs.runMs
  return Math.max(pollMs, lastMs)
}

/** Returns the counts over all known kinds: a list may contain only domains. */
export function sumStages({ done, lookups, stages }: Pick<Progress, 'done' | 'lookups' | 'stages'>): {
  done: number
  lookups: number
} {
  return {
    done: stages.reduce((sum, stage) => sum + countDone(stage), done),
    lookups: stages.reduce((sum, { lookupCount }) => sum + lookupCount, lookups),
  }
}

const countDone = ({ lookupCount, uncertainCount, pendingCount }: StageFacts): number =>
  lookupCount - uncertainCount - pendingCount

/** A part of the progress line. */
export interface ProgressPart {
  text: string
  /** If space is short, the part with the lowest weight is dropped first. */
  weight: number
}

/** Weight of the done count and the time left. */
const weightMax = 100

/** Returns the parts of the progress line, in order. */
export function buildProgressParts(progress: Progress): ProgressPart[] {
  const rate = (value: number, limit: number | null) =>
    limit === null ? formatCount(value) : `${formatCount(value)}/${formatCount(limit)}`
  const some = (count: number, word: string, weight: number): ProgressPart[] =>
    count === 0 ? [] : [{ text: `${formatCount(count)} ${word}`, weight }]
  return [
    { text: `${formatCount(progress.done)}/${formatCount(progress.lookups)} done`, weight: weightMax },
    ...buildFirstAnswersPart(progress),
    ...buildOutcomeParts(progress.outcomes),
    ...progress.stages.map(buildStagePart),
    ...buildMoneyPart(progress),
    ...some(progress.heldBack, 'left for another run', 31),
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

/**
 * Formats `1,204/5,000 done · matched 1,103 · no_match 64 · 181 running · 37 answered before · submit 598/600 · poll
 * 97/100 per min · ETA 1h04m`.
 */
export function formatProgressLine(progress: Progress): string {
  return buildProgressParts(progress)
    .map(({ text }) => text)
    .join(' · ')
}

function buildFirstAnswersPart({ firstAnswersInMs }: Progress): ProgressPart[] {
  if (firstAnswersInMs === null) return []
  const text =
    firstAnswersInMs === 0
      ? 'first answers any moment'
      : `first answers in ${formatRoughly(firstAnswersInMs)}`
  return [{ text, weight: 70 }]
}

function buildMoneyPart({ money, budget }: Progress): ProgressPart[] {
  if (money === null) return []
  const text =
    budget === null ? formatAmount(money.cost, money.currency) : formatBudget(budget, money.currency)
  return [{ text, weight: 48 }]
}

/** Formats `EUR 2.35 of EUR 5.00`. */
const formatBudget = ({ spent, costMax }: NonNullable<Progress['budget']>, currency: string | null): string =>
  `${formatAmount(spent, currency)} of ${formatAmount(costMax, currency)}`

/** Formats the done count of the lookups known so far; more follow from future answers. */
function buildStagePart(facts: StageFacts, rank: number): ProgressPart {
  const { kind, lookupCount, stop } = facts
  const done = formatCount(countDone(facts))
  const text = `${kind} ${done}/${formatCount(lookupCount)}${stop === null ? '' : ' stopped'}`
  return { text, weight: 45 - rank }
}

/** The most frequent first, with the highest weights. `failed` is part of the total of failures. */
function buildOutcomeParts(outcomes: Progress['outcomes']): ProgressPart[] {
  return Object.entries(outcomes)
    .filter(([name]) => name !== 'failed')
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .map(([name, count], rank) => ({
      text: `${name} ${formatCount(count)}`,
      weight: rank === 0 ? 50 : Math.max(12, 24 - rank),
    }))
}

/** Formats an approximate waiting time. */
function formatRoughly(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds <= 5) return 'a few seconds'
  if (seconds <= 40) return `about ${Math.ceil(seconds / 5) * 5} seconds`
  return seconds < 90 ? 'about a minute' : `about ${Math.round(seconds / 60)} minutes`
}

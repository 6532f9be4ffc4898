import { basename } from 'node:path'
import { formatAmount } from '../../core/money.js'
import { formatBytes, formatCount, plural } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import type { LoadPlan } from '../../registry/load.js'
import type { Progress, StageFacts } from '../../pipeline/history/run-figures.js'

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
      ? 'waiting for the first answers'
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

/**
 * Progress of loading a file: its size, rows so far, and the remaining time if the number of rows was estimated and the
 * file is not read yet (`isEnd`).
 */
export function formatLoadProgress(
  { path, bytes, rowEstimate }: Pick<LoadPlan['steps'][number], 'path' | 'bytes' | 'rowEstimate'>,
  rowCount: number,
  elapsedMs: number,
  isEnd = false,
): string {
  const isMoreThanGuessed = isEnd || rowEstimate === null || rowCount === 0 || rowCount >= rowEstimate
  const leftMs = isMoreThanGuessed ? null : (elapsedMs / rowCount) * (rowEstimate - rowCount)
  const rows = isMoreThanGuessed
    ? plural(rowCount, 'row')
    : `${formatCount(rowCount)} of ~${formatCount(rowEstimate)} rows`
  const left = leftMs === null ? '' : ` · about ${formatDuration(Math.max(1_000, leftMs))} left`
  return `${basename(path)} (${formatBytes(bytes)}): ${rows} read${left}`
}

/** Progress of an import: rows so far, and rows per second. */
export function formatImportProgress(rowCount: number, elapsedMs: number): string {
  const rate = elapsedMs < 1 ? 0 : Math.round(rowCount / (elapsedMs / 1_000))
  return `${plural(rowCount, 'row')} read · ${formatCount(rate)}/s`
}

import { formatCount, cutToWidth } from '../../core/text.js'
import { assertNever, type ExitCode } from '../../core/errors.js'
import { formatDuration } from '../../core/time.js'
import { formatMoney, listSubmissions, sumSubmitted, type Money } from '../../core/money.js'
import { formatAlarm, type Alarm, type ChangeCounts, type NotifyFormat } from '../../core/alarms.js'
import type { RunSummary } from './run-summary.js'

/** A finished run, for notifications. Contains no secrets. */
export interface RunEnd {
  readonly program: string
  /** Name of the job, or its inputs. */
  readonly series: string
  /** Number in the checkpoint; null if none was opened. */
  readonly run: number | null
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly exitCode: ExitCode
  /** The reason for an early end, or the error. */
  readonly failure: { readonly code: string; readonly message: string } | null
  /** Null if the run ended with an error. */
  readonly summary: RunSummary | null
  /** Also set after an error. `null` if nothing is billed, no price is known, or nothing was submitted yet. */
  readonly money: Money | null
  /** Null without an earlier output. */
  readonly changes: ChangeCounts | null
  readonly alarms: readonly Alarm[]
}

/** A finished run with ISO 8601 times and the file name of the output. */
export interface NotifiedRun extends RunEnd {
  readonly startedAt: string
  readonly endedAt: string
  readonly output: string | null
  /** Whether the message has the names of changed rows. */
  readonly hasNames: boolean
}

const alarmsShownMax = 20
const lineColumnsMax = 300
/** Bounds characters without width as well. */
const lineCharsMax = 1_000

/** Returns the body of the message as JSON. */
export function renderNotification(run: NotifiedRun, format: NotifyFormat): string {
  switch (format) {
    case 'json':
      return JSON.stringify(buildJsonMessage(run))
    case 'slack':
      return JSON.stringify(buildSlackMessage(run))
    case 'teams':
      return JSON.stringify(buildTeamsMessage(run))
    default:
      return assertNever(format)
  }
}

function buildJsonMessage(run: NotifiedRun): object {
  const { summary, money, alarms, failure, changes } = run
  return {
    type: 'enrich.run_ended',
    version: 1,
    program: run.program,
    job: run.series,
    run: run.run,
    output: run.output,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    duration_seconds: (run.endedAtMs - run.startedAtMs) / 1_000,
    exit_code: run.exitCode,
    failure,
    counts: summary === null ? null : toCounts(summary),
    rows_by_status: summary?.rowsByStatus ?? null,
    doubtful_rows: summary?.review?.rowCount ?? null,
    changes,
    cost:
      money === null
        ? null
        : { currency: money.currency, amount: money.cost, uncertain: money.uncertainCost },
    alarms: alarms.map(({ names, ...alarm }) => (run.hasNames && names ? { ...alarm, names } : alarm)),
  }
}

/** `lookups` and `answered_before` are of rows; submissions and their outcomes are of all kinds of lookups. */
const toCounts = (summary: NonNullable<RunEnd['summary']>) => ({
  rows: summary.rowCount,
  lookups: summary.lookupCount,
  answered_before: summary.cachedCount,
  decided: summary.decidedCount,
  ...(summary.first === undefined ? {} : { answered_by_registry: summary.first.lookupCount }),
  submitted: sumSubmitted(listSubmissions(summary)),
  answered: sumKinds(summary, 'answeredCount'),
  uncertain: sumKinds(summary, 'uncertainCount'),
  failed: sumKinds(summary, 'failedCount'),
  pending: sumKinds(summary, 'pendingCount'),
})

type Outcome = 'answeredCount' | 'uncertainCount' | 'failedCount' | 'pendingCount'

const sumKinds = (summary: RunSummary, outcome: Outcome): number =>
  summary.stages.reduce((sum, stage) => sum + stage[outcome], summary[outcome])

const formatReviewed = (summary: RunEnd['summary']): string => {
  const count = summary?.review?.rowCount ?? 0
  return count === 0 ? '' : formatCount(count)
}

/** Returns text lines, the headline first. Names of files and users lose control and direction characters. */
function buildLines(run: NotifiedRun): string[] {
  const { summary, changes, alarms, failure } = run
  const formatCounts = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
      .map(([name, count]) => `${name} ${formatCount(count)}`)
      .join(', ')
  const some = (title: string, text: string) => (text === '' ? [] : [`${title}: ${text}`])
  const lines = [
    buildHeadline(run),
    ...(failure === null ? [] : [`${failure.code}: ${failure.message}`]),
    ...alarms
      .slice(0, alarmsShownMax)
      .map((alarm) => `Alarm: ${run.hasNames ? formatAlarm(alarm) : alarm.message}`),
    ...(alarms.length > alarmsShownMax ? [`and ${alarms.length - alarmsShownMax} more alarms`] : []),
    ...(alarms.some(({ names = [] }) => names.length > 0) ? ['To see the changed rows: enrich diff'] : []),
    ...some('Rows', formatCounts(summary?.rowsByStatus ?? {})),
    ...some('Rows to review', formatReviewed(summary)),
    ...some('Changes', formatCounts(changes ?? {})),
    ...(run.money === null ? [] : [`Cost: ${formatMoney(run.money)}`]),
    ...(run.output === null ? [] : [`Output: ${run.output}`]),
    `Time: ${formatDuration(run.endedAtMs - run.startedAtMs)}, exit code ${run.exitCode}`,
  ]
  return lines.map(stripControls)
}

function buildHeadline({ series, run, exitCode, alarms }: NotifiedRun): string {
  const what = run === null ? 'A run' : `Run ${run}`
  const came =
    exitCode === 0
      ? 'is done'
      : exitCode === 3
        ? 'is done, and some rows need attention'
        : exitCode === 6
          ? `is done, with ${alarms.length} ${alarms.length === 1 ? 'alarm' : 'alarms'}`
          : 'did not finish'
  return `enrich: ${what} of ${series} ${came}`
}

function stripControls(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
  return cutToWidth(line.slice(0, lineCharsMax).toWellFormed(), lineColumnsMax)
}

/** Slack reads `&`, `<` and `>` as markup (`<!channel>` notifies everyone), and formats marks unless disabled. */
function buildSlackMessage(run: NotifiedRun): object {
  const escapeMarkup = (line: string) =>
    line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return {
    text: buildLines(run).map(escapeMarkup).join('\n'),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
  }
}

/**
 * Returns the Adaptive Card that a Teams workflow expects ("when a Teams webhook request is received"). A RichTextBlock
 * contains plain text, without Markdown.
 */
function buildTeamsMessage(run: NotifiedRun): object {
  const body = buildLines(run).map((text, index) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...(index === 0 ? { weight: 'Bolder' } : {}) }],
  }))
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body,
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

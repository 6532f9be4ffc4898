import { formatCount } from '../../core/text.js'
import { toMicros, type Money } from '../../core/money.js'
import { html, type Html } from '../../web/html.js'
import {
  calculateCeiling,
  calculateColumnPlace,
  renderEnds,
  renderFigure,
  renderPlot,
  renderRectangle,
} from '../../web/charts.js'
import { formatDuration } from '../../core/time.js'
import type { RememberedRun } from '../../pipeline/history/read-history.js'
import type { TimelinePoint } from '../../pipeline/history/run-figures.js'
import { formatDay, formatMoney, renderMoment } from '../report-data.js'

const shownMax = 31

interface Paid {
  readonly run: RememberedRun
  readonly money: Money
}

/** The cost of recent runs, oldest first, and their total, in one currency; `null` if no price is known. */
export function renderCostChart(runs: readonly RememberedRun[]): Html | null {
  const all = runs.flatMap((run) => {
    const money = run.record?.money ?? null
    return money === null ? [] : [{ run, money }]
  })
  const currency = all.at(-1)?.money.currency
  if (currency === undefined) return null
  const ofCurrency = all.filter(({ money }) => money.currency === currency)
  const paid = ofCurrency.slice(-shownMax)
  const ceiling = calculateCeiling(paid.map(({ money }) => money.cost))
  const cut = paid.filter(({ money }) => money.cost > ceiling)
  const [first, last] = [paid[0], paid.at(-1)]
  const title = paid.length === 1 ? 'Cost of this run' : `Cost of the last ${paid.length} runs`
  const sumMoney = (costOf: (money: Money) => number) =>
    ofCurrency.reduce((sum, { money }) => sum + toMicros(costOf(money)), 0) / 1_000_000
  const total = sumMoney(({ cost }) => cost)
  const unsure = sumMoney(({ uncertainCost }) => uncertainCost)
  const inAll = `${formatMoney(total, currency)} in all${ofCurrency.length > paid.length ? `, by the ${formatCount(ofCurrency.length)} stored runs` : ''}`
  return renderFigure({
    id: 'cost',
    title,
    plot: {
      description: `Cost by run, oldest first; ${inAll}.`,
      size: 'tall',
      marks: paid.map((one, index) => renderColumn(one, ceiling, calculateColumnPlace(index, paid.length))),
    },
    below: [
      first === undefined || last === undefined || first === last
        ? null
        : renderEnds(formatRunName(first), formatRunName(last)),
      html`<p>
        ${inAll}${unsure === 0 ? null : `, and ${formatMoney(unsure, currency)} more that may have been billed`}.
        The scale ends at
        ${formatMoney(ceiling, currency)}.${cut.length === 0 ? null : html` ${cutText(cut)}`}
      </p>`,
    ],
    table: {
      columns: [
        { name: 'Run' },
        { name: 'Began' },
        { name: 'Cost', isNumber: true },
        { name: 'May also have been billed', isNumber: true },
      ],
      rows: [...paid].reverse(),
      cellsOf: ({ run, money }) => [
        run.number,
        renderMoment(run.startedAtMs),
        formatMoney(money.cost, money.currency),
        money.uncertainCost === 0 ? '–' : formatMoney(money.uncertainCost, money.currency),
      ],
    },
  })
}

const formatRunName = ({ run }: Paid): string => `run ${run.number}, ${formatDay(run.startedAtMs)}`

/** States the values of columns that are cut off. */
function cutText(cut: readonly Paid[]): string {
  const named = cut
    .slice(0, 3)
    .map(({ run, money }) => `run ${run.number} (${formatMoney(money.cost, money.currency)})`)
  const more = cut.length > 3 ? ` and ${cut.length - 3} more` : ''
  return `Beyond the scale, and cut off: ${named.join(', ')}${more}.`
}

function renderColumn(one: Paid, ceiling: number, place: { x: number; width: number }): Html | null {
  const { cost, currency } = one.money
  if (cost === 0) return null
  const height = Math.max(1.5, Math.min(1, cost / ceiling) * 100)
  const isCut = cost > ceiling
  return html`${renderRectangle({
    ...place,
    y: 100 - height,
    height,
    className: 'o-matched',
    words: `${formatRunName(one)}: ${formatMoney(cost, currency)}`,
  })}${isCut ? renderRectangle({ ...place, y: 12, height: 4, className: 'cut' }) : null}`
}

const series = [
  { key: 'answered', name: 'Answers', mark: 'o-matched' },
  { key: 'submissions', name: 'Submissions', mark: 'm-line' },
  { key: 'polls', name: 'Polls', mark: 'm-line' },
  { key: 'rateLimited', name: 'Rate limited (429)', mark: 'o-failed' },
] as const

const binsMax = 60
/** Shorter runs have no timeline. */
const elapsedMsMin = 2_000
const minuteMs = 60_000

/**
 * Counts over the time of a run, each with its own scale; `null` if the run was too short. Counts are per interval of the
 * plot. Scaled to a minute, they could seem to exceed a rate limit that was respected.
 */
export function renderTimelineChart(points: readonly TimelinePoint[]): Html | null {
  const last = points.at(-1)
  if (last === undefined || last.elapsedMs < elapsedMsMin) return null
  const title = 'Requests and answers over the time of the run, all stages together'
  const bins = calculateBins(points)
  return renderFigure({
    id: 'timeline',
    title,
    plot: null,
    below: [
      series.map(({ key, name, mark }) =>
        stripHtml({
          key,
          name,
          mark,
          values: bins.map((bin) => bin[key]),
          sum: last[key],
          mostInMinute: findMostInMinute(points, key),
        }),
      ),
      renderEnds('start', `after ${formatDuration(last.elapsedMs)}`),
    ],
    table: {
      columns: [
        { name: 'From' },
        { name: 'To' },
        ...series.map(({ name }) => ({ name, isNumber: true as const })),
      ],
      rows: bins,
      cellsOf: (bin) => [
        formatDuration(bin.fromMs),
        formatDuration(bin.untilMs),
        ...series.map(({ key }) => formatCount(Math.round(bin[key]))),
      ],
    },
  })
}

type Counted = (typeof series)[number]['key']

/** Returns the largest count within a minute; `null` if the run was shorter. */
export function findMostInMinute(points: readonly TimelinePoint[], key: Counted): number | null {
  const whole = [zero, ...points.filter(({ elapsedMs }) => elapsedMs > 0)]
  let most: number | null = null
  let start = 0
  for (const end of whole) {
    const isMinute = (at: number) => end.elapsedMs - (whole[at]?.elapsedMs ?? Infinity) >= minuteMs
    if (!isMinute(start)) continue
    while (isMinute(start + 1)) start++
    const from = whole[start] ?? zero
    // Points may be more than a minute apart, so the count of the last minute is interpolated.
    const inMinute = ((end[key] - from[key]) * minuteMs) / (end.elapsedMs - from.elapsedMs)
    most = Math.max(most ?? 0, Math.floor(inMinute))
  }
  return most
}

interface Bin extends Record<Counted, number> {
  readonly fromMs: number
  readonly untilMs: number
}

/** Counts in intervals of equal length, interpolated between points. */
export function calculateBins(points: readonly TimelinePoint[]): Bin[] {
  const whole = [zero, ...points.filter(({ elapsedMs }) => elapsedMs > 0)]
  const endMs = whole.at(-1)?.elapsedMs ?? 0
  const count = Math.max(1, Math.min(binsMax, whole.length - 1))
  const edges = Array.from({ length: count + 1 }, (_, index) =>
    interpolatePoint(whole, (endMs * index) / count),
  )
  return edges.slice(1).map((edge, index) => {
    const before = edges[index] ?? zero
    const countBetween = (key: Counted) => Math.max(0, edge[key] - before[key])
    return {
      fromMs: before.elapsedMs,
      untilMs: edge.elapsedMs,
      answered: countBetween('answered'),
      submissions: countBetween('submissions'),
      polls: countBetween('polls'),
      rateLimited: countBetween('rateLimited'),
    }
  })
}

const zero: TimelinePoint = { elapsedMs: 0, submissions: 0, polls: 0, answered: 0, rateLimited: 0 }

function interpolatePoint(points: readonly TimelinePoint[], atMs: number): TimelinePoint {
  const index = points.findIndex(({ elapsedMs }) => elapsedMs >= atMs)
  const after = points[index === -1 ? points.length - 1 : index] ?? zero
  const before = points[Math.max(0, (index === -1 ? points.length : index) - 1)] ?? zero
  const spanMs = after.elapsedMs - before.elapsedMs
  const share = spanMs <= 0 ? 1 : (atMs - before.elapsedMs) / spanMs
  const interpolate = (one: number, other: number) => one + (other - one) * share
  return {
    elapsedMs: atMs,
    submissions: interpolate(before.submissions, after.submissions),
    polls: interpolate(before.polls, after.polls),
    answered: interpolate(before.answered, after.answered),
    rateLimited: interpolate(before.rateLimited, after.rateLimited),
  }
}

interface Strip {
  readonly key: string
  readonly name: string
  readonly mark: string
  readonly values: readonly number[]
  readonly sum: number
  readonly mostInMinute: number | null
}

function stripHtml({ key, name, mark, values, sum, mostInMinute }: Strip): Html {
  const most = Math.max(...values)
  const words = `${formatCount(sum)} in all${mostInMinute === null ? '' : `, at most ${formatCount(mostInMinute)} in a minute`}`
  const step = 100 / values.length
  return html`<div class="strip">
    <p><strong>${name}</strong> <span class="quiet">${words}</span></p>
    ${renderPlot({
      id: `timeline-${key}`,
      title: name,
      description: `${words}.`,
      size: 'low',
      marks: values.map((value, index) =>
        value === 0
          ? null
          : renderRectangle({
              x: index * step,
              width: step * 0.9,
              y: 100 - Math.max(3, (value / most) * 100),
              height: Math.max(3, (value / most) * 100),
              className: mark,
            }),
      ),
    })}
  </div>`
}

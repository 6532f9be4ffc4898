import { formatCount } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import type { TimelinePoint } from '../../pipeline/figures/run-record.js'
import { html, type Html } from '../../web/html.js'
import { renderEnds, renderFigure, renderPlot, renderRectangle } from '../../web/charts.js'

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

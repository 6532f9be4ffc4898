import { formatDuration } from '../../core/duration.js'
import type { TimelinePoint } from '../../pipeline/rules/run-record.js'
import { html, type Html } from '../html.js'
import { tableHtml } from '../table.js'
import { grouped } from '../words.js'
import { detailsHtml, endsHtml, plotHtml, rectangleHtml } from './figure.js'

const series = [
  { key: 'answered', name: 'Answers', mark: 'o-matched' },
  { key: 'submissions', name: 'Submissions', mark: 'm-line' },
  { key: 'polls', name: 'Polls', mark: 'm-line' },
  { key: 'rateLimited', name: 'Told to wait (429)', mark: 'o-failed' },
] as const

const binsMax = 60
/** A run that is over sooner has no course to be seen. */
const elapsedMsMin = 2_000

/** What was done a minute, over the time of a run: a strip for each, with a scale of its own. Null where it was too short. */
export function timelineChart(points: readonly TimelinePoint[]): Html | null {
  const last = points.at(-1)
  if (last === undefined || last.elapsedMs < elapsedMsMin) return null
  const title = 'What was done a minute, over the time of the run'
  const bins = binsOf(points)
  return html`<figure class="chart" id="timeline">
    <figcaption>${title}</figcaption>
    ${series.map(({ key, name, mark }) => stripHtml({ key, name, mark, values: bins.map((bin) => bin[key]), sum: last[key] }))}
    ${endsHtml('start', `after ${formatDuration(last.elapsedMs)}`)}
    ${detailsHtml(
      'timeline-data',
      `The same as a table: ${title}`,
      tableHtml({
        id: 'timeline-table',
        label: title,
        columns: [{ name: 'Until' }, ...series.map(({ name }) => ({ name, isNumber: true as const }))],
        rows: bins,
        cellsOf: (bin) => [
          formatDuration(bin.untilMs),
          ...series.map(({ key }) => grouped(Math.round(bin[key]))),
        ],
      }),
    )}
  </figure>`
}

interface Bin extends Record<(typeof series)[number]['key'], number> {
  readonly untilMs: number
}

/** Rates a minute, in bins of one length; between two points as much is done at any time. */
export function binsOf(points: readonly TimelinePoint[]): Bin[] {
  const whole = [zero, ...points.filter(({ elapsedMs }) => elapsedMs > 0)]
  const endMs = whole.at(-1)?.elapsedMs ?? 0
  const count = Math.max(1, Math.min(binsMax, whole.length - 1))
  const edges = Array.from({ length: count + 1 }, (_, index) => pointAt(whole, (endMs * index) / count))
  const minutes = endMs / count / 60_000
  return edges.slice(1).map((edge, index) => {
    const before = edges[index] ?? zero
    const rateOf = (key: (typeof series)[number]['key']) => Math.max(0, (edge[key] - before[key]) / minutes)
    return {
      untilMs: edge.elapsedMs,
      answered: rateOf('answered'),
      submissions: rateOf('submissions'),
      polls: rateOf('polls'),
      rateLimited: rateOf('rateLimited'),
    }
  })
}

const zero: TimelinePoint = { elapsedMs: 0, submissions: 0, polls: 0, answered: 0, rateLimited: 0 }

function pointAt(points: readonly TimelinePoint[], atMs: number): TimelinePoint {
  const index = points.findIndex(({ elapsedMs }) => elapsedMs >= atMs)
  const after = points[index === -1 ? points.length - 1 : index] ?? zero
  const before = points[Math.max(0, (index === -1 ? points.length : index) - 1)] ?? zero
  const spanMs = after.elapsedMs - before.elapsedMs
  const share = spanMs <= 0 ? 1 : (atMs - before.elapsedMs) / spanMs
  const between = (one: number, other: number) => one + (other - one) * share
  return {
    elapsedMs: atMs,
    submissions: between(before.submissions, after.submissions),
    polls: between(before.polls, after.polls),
    answered: between(before.answered, after.answered),
    rateLimited: between(before.rateLimited, after.rateLimited),
  }
}

interface Strip {
  readonly key: string
  readonly name: string
  readonly mark: string
  readonly values: readonly number[]
  readonly sum: number
}

function stripHtml({ key, name, mark, values, sum }: Strip): Html {
  const most = Math.max(...values)
  const words = `${grouped(sum)} in all, at most ${grouped(Math.round(most))} a minute`
  const step = 100 / values.length
  return html`<div class="strip">
    <p><strong>${name}</strong> <span class="quiet">${words}</span></p>
    ${plotHtml({
      id: `timeline-${key}`,
      title: `${name} a minute`,
      description: `${words}.`,
      size: 'low',
      marks: values.map((value, index) =>
        value === 0
          ? null
          : rectangleHtml({
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

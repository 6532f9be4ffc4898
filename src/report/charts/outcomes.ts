import { formatCount, plural } from '../../core/text.js'
import type { OutputFigures, RememberedRun } from '../../pipeline/history/read-history.js'
import { isolateText, html, type Html } from '../../web/html.js'
import { outcomeGroups, countRowsByGroup, formatDay, renderMoment, formatPercent } from '../report-data.js'
import { calculateColumnPlace, renderEnds, renderFigure, renderRectangle } from '../../web/charts.js'

export interface RunWithFigures {
  readonly run: RememberedRun
  readonly figures: OutputFigures
}

/** Minimum height of a part, in percent, so that one row of a million is visible. */
const partMin = 1.5

/** The outcomes of the rows as shares, with one column per run, the oldest on the left. */
export function renderOutcomesChart(runs: readonly RunWithFigures[]): Html {
  const title = `Outcomes of the rows, ${runs.length === 1 ? 'this run' : `the last ${runs.length} runs`}`
  const last = runs.at(-1)
  const first = runs[0]
  const description =
    last === undefined
      ? 'No run has published rows.'
      : `Shares of rows by outcome, one column per run, oldest first. Last run: ${formatShares(last)}.`
  return renderFigure({
    id: 'outcomes',
    title,
    plot: {
      description,
      size: 'tall',
      marks: runs.map((run, index) => renderColumn(run, calculateColumnPlace(index, runs.length))),
    },
    below: [
      first === undefined || last === undefined || first === last
        ? null
        : renderEnds(formatRunName(first), formatRunName(last)),
      legendHtml,
    ],
    table: {
      columns: [
        { name: 'Run' },
        { name: 'Began' },
        { name: 'Rows', isNumber: true },
        ...outcomeGroups.map(({ label }) => ({ name: label, isNumber: true as const })),
        { name: 'Matched share', isNumber: true },
      ],
      rows: [...runs].reverse(),
      cellsOf: ({ run, figures }) => {
        const rows = countRowsByGroup(figures.rowsByStatus)
        return [
          run.number,
          renderMoment(run.startedAtMs),
          formatCount(figures.rowCount),
          ...outcomeGroups.map(({ key }) => formatCount(rows[key])),
          formatPercent(rows.matched, figures.rowCount),
        ]
      },
    },
  })
}

/** Each outcome has a colour and a texture, so that it can be recognized without colour. */
const legendHtml = html`<ul class="legend">
  ${outcomeGroups.map(
    ({ key, label }) =>
      html`<li>
        <svg class="key" aria-hidden="true"><rect class="o-${key}" width="100%" height="100%" /></svg>
        ${label}
      </li>`,
  )}
</ul>`

const formatRunName = ({ run }: RunWithFigures): string => `run ${run.number}, ${formatDay(run.startedAtMs)}`

function formatShares({ figures }: RunWithFigures): string {
  const rows = countRowsByGroup(figures.rowsByStatus)
  return outcomeGroups
    .filter(({ key }) => rows[key] > 0)
    .map(({ key, label }) => `${label} ${formatPercent(rows[key], figures.rowCount)}`)
    .join(', ')
}

function renderColumn(run: RunWithFigures, place: { x: number; width: number }): Html[] {
  const rows = countRowsByGroup(run.figures.rowsByStatus)
  const parts = outcomeGroups.filter(({ key }) => rows[key] > 0)
  const heights = calculateHeights(parts.map(({ key }) => rows[key]))
  let top = 100
  return parts.map(({ key, label }, index) => {
    const height = heights[index] ?? 0
    top -= height
    const words = `${formatRunName(run)}: ${label} ${plural(rows[key], 'row')} of ${formatCount(run.figures.rowCount)}`
    return renderRectangle({ ...place, y: top, height, className: `o-${key}`, words })
  })
}

/** Answers so far by outcome, in one bar; `null` without answers. */
export function renderSharesBar(outcomes: Readonly<Record<string, number>>): Html | null {
  const answers = countRowsByGroup(outcomes)
  const parts = outcomeGroups.filter(({ key }) => answers[key] > 0)
  const total = parts.reduce((sum, { key }) => sum + answers[key], 0)
  if (total === 0) return null
  const widths = calculateHeights(parts.map(({ key }) => answers[key]))
  const title = 'Answers of this run, by outcome'
  const starts = widths.map((_, index) => widths.slice(0, index).reduce((sum, width) => sum + width, 0))
  return renderFigure({
    id: 'answers-chart',
    title,
    plot: {
      description: parts.map(({ key, label }) => `${label} ${formatPercent(answers[key], total)}`).join(', '),
      size: 'low',
      marks: parts.map(({ key, label }, index) =>
        renderRectangle({
          x: starts[index] ?? 0,
          y: 0,
          width: widths[index] ?? 0,
          height: 100,
          className: `o-${key}`,
          words: `${label}: ${formatCount(answers[key])}`,
        }),
      ),
    },
    below: legendHtml,
    table: {
      columns: [{ name: 'Outcome' }, { name: 'Answers', isNumber: true }, { name: 'Share', isNumber: true }],
      rows: Object.entries(outcomes).sort(([, one], [, other]) => other - one),
      cellsOf: ([outcome, count]) => [
        isolateText(outcome, 40),
        formatCount(count),
        formatPercent(count, total),
      ],
    },
  })
}

/** Returns heights that add up to 100. Small parts are raised to be visible, and large ones reduced. */
export function calculateHeights(counts: readonly number[]): number[] {
  const sum = counts.reduce((total, count) => total + count, 0)
  const isSmall = (count: number) => (count / sum) * 100 < partMin
  const largeSum = counts.filter((count) => !isSmall(count)).reduce((total, count) => total + count, 0)
  const room = 100 - partMin * counts.filter(isSmall).length
  return counts.map((count) => (isSmall(count) ? partMin : (count / largeSum) * room))
}

/** Textures of the outcomes. Include them once per page. */
export const texturesHtml = html`<svg class="defs" aria-hidden="true">
  <defs>
    <pattern id="t-doubtful" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="f-doubtful" width="7" height="7" />
      <rect class="cut" width="2" height="7" />
    </pattern>
    <pattern id="t-none" width="6" height="6" patternUnits="userSpaceOnUse">
      <rect class="f-none" width="6" height="6" />
      <circle class="cut" cx="3" cy="3" r="1.3" />
    </pattern>
    <pattern id="t-open" width="6" height="5" patternUnits="userSpaceOnUse">
      <rect class="f-open" width="6" height="5" />
      <rect class="cut" width="6" height="1.5" />
    </pattern>
    <pattern id="t-failed" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="f-failed" width="7" height="7" />
      <rect class="cut" width="1.5" height="7" />
      <rect class="cut" width="7" height="1.5" />
    </pattern>
  </defs>
</svg>`
